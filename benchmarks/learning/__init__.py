"""What learning which URLs need not be fetched is worth: real crawls of recorded and made sites.

recording    a proxy that keeps what a site answers as WARC, while it is crawled once
replaying    a proxy that answers from that again: no network, no PHP, the same each time
made         made sites as data: forms of each URL, a mirror, rules that hide pages
"""
