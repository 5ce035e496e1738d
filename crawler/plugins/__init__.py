"""Plugins: what other packages add to a crawl, or files of the user's own.

::

    plugins:                           protocols   what a filter, an extractor, a sink must do
      filters: [short_urls]            finding     by entry point, or as `module:attribute`
      sinks: [{use: "mine:ToSqlite"}]  making      made with its options, its shape checked

Who asks them: `crawler.frontier.filters`, `crawler.analysis.extractors` (in the processes that read
pages) and `crawler.crawl.sinks`. docs/plugins.md tells it with an example of each.
"""

from crawler.plugins.making import Made, check, extractors, identity, made
from crawler.plugins.protocols import Extracted, Extractor, Sink, UrlFilter, WebPage

__all__ = [
    "Extracted",
    "Extractor",
    "Made",
    "Sink",
    "UrlFilter",
    "WebPage",
    "check",
    "extractors",
    "identity",
    "made",
]
