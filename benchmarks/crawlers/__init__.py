"""Other people's crawlers beside ours: the same site, the same extractor, an equal job.

`python -m benchmarks.crawlers` is the whole of it. A site stands in memory and is served by a
process of its own (`site`); each program crawls it in turn as a command of its own (`programs`), is
watched from outside (`watch`) and its output counted; `table` sets medians and ratios side by side.

What the others run lies beside it: `equal_job` is what they do with a page, `scrapy_site` and
`crawlee_site` hand it their pages, `alone` does it without any crawler. These are run by the
interpreter of their own environment (.venv/crawlers, requirements/crawlers.txt) and import
nothing of `crawler`.
"""
