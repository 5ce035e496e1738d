"""The crawler as other programs import it: a judge, a crawl, a reader of pages.

What is listed below is the public interface (docs/library.md); the modules behind it, here and in
`crawler`, may change in any version.

::

    judge     a judge alone, which is asked about one document after another    [judging]
    crawl     a crawl whose pages are taken one by one                          [crawling]
    page      one page of HTML, read as a crawl reads it

`results` are what the first two answer with. The modules on the right do the work; they are loaded
when it begins, with all that they need: who imports this waits for none of it.
"""

from crawler import __version__
from crawler.errors import (
    ConfigError,
    CrawlerError,
    InputError,
    SinkError,
    StoreError,
    StoreInUse,
    StoreMismatch,
)
from crawler.models import Evidence, VerdictKind
from crawler.models.pages import Metadata
from inline_crawler.crawl import Crawl, crawl
from inline_crawler.judge import Judge
from inline_crawler.page import Page, extract
from inline_crawler.results import Duplicate, Missed, StoredPage, Verdict

__all__ = [
    "ConfigError",
    "Crawl",
    "CrawlerError",
    "Duplicate",
    "Evidence",
    "InputError",
    "Judge",
    "Metadata",
    "Missed",
    "Page",
    "SinkError",
    "StoreError",
    "StoreInUse",
    "StoreMismatch",
    "StoredPage",
    "Verdict",
    "VerdictKind",
    "__version__",
    "crawl",
    "extract",
]
