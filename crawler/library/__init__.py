"""What other programs import as `inline_crawler`: a judge, a crawl, a reader of pages.

::

    judge     a judge alone, which is asked about one document after another    [judging]
    crawl     a crawl whose pages are taken one by one                          [crawling]
    page      one page of HTML, read as a crawl reads it

`results` are what the first two answer with. The modules on the right do the work; they are loaded
when it begins, with all that they need: who imports this waits for none of it.
"""

from crawler.library.crawl import Crawl, crawl
from crawler.library.judge import Judge
from crawler.library.page import Page, extract
from crawler.library.results import Duplicate, Missed, StoredPage, Verdict
from crawler.models import Evidence, VerdictKind
from crawler.models.pages import Metadata

__all__ = [
    "Crawl",
    "Duplicate",
    "Evidence",
    "Judge",
    "Metadata",
    "Missed",
    "Page",
    "StoredPage",
    "Verdict",
    "VerdictKind",
    "crawl",
    "extract",
]
