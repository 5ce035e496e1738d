"""The crawler as other programs import it, by the name that it is installed by.

What is listed here is the public interface (docs/library.md); `crawler` is the package behind it,
whose other modules may change in any version.
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
from crawler.library import (
    Crawl,
    Duplicate,
    Evidence,
    Judge,
    Metadata,
    Missed,
    Page,
    StoredPage,
    Verdict,
    VerdictKind,
    crawl,
    extract,
)

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
