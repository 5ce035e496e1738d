"""What other programs import: the judge alone, and a crawl page by page.

::

    with Judge.open("seen") as judge:           judge     what is called
        judge.see(id, text)                     verdicts  what is answered
                                                session   what is done; directory: how it is opened

    async with Crawl(job, "out") as crawl:      crawl     what is called
        async for page in crawl:                delivery  pages on their way
            ...

The protocols of plugins are those of `crawler.plugins`.

Nothing here takes a signal, prints or sets up a log. docs/library.md tells it with examples.
"""

from crawler.library.crawl import Crawl
from crawler.library.delivery import Page
from crawler.library.judge import Judge
from crawler.library.verdicts import Verdict
from crawler.plugins import Extracted, Extractor, Sink, UrlFilter, WebPage

__all__ = [
    "Crawl",
    "Extracted",
    "Extractor",
    "Judge",
    "Page",
    "Sink",
    "UrlFilter",
    "Verdict",
    "WebPage",
]
