"""What learning which URLs bring nothing is worth: real crawls of recorded and made sites.

    recording    a proxy that keeps what a site answers as WARC, while it is crawled once
    made         made sites as data: forms of each URL, a mirror, rules that hide pages
    sites        all sites by name: recorded, made, static files of the corpora
    replaying    a proxy that answers for a site: no network, no PHP, the same each time
    serve        the same from the command line, to crawl by hand
    measures     what each fetch brought, by the pages' own lines
    cost         CPU that learning takes of the crawl's main process, by a replay of its calls
    rivals       other ways to leave out URLs, by simulation

`python -m benchmarks.learning` crawls them with and without (`make bench-learning`).
"""
