"""Reading and signing one page: an `AnalysisRequest` in, a `Document` out.

::

    bytes -> decode -> parse -> links, hints, layout, visible text, main text -> sign

`analyser` puts `crawler.extract` and `crawler.dedup`'s signer together as one synchronous, pure
function; `settings` is what it needs of a job; `requests` are the questions and the answers,
`messages` how they travel. The process pool (`crawler.pool`) runs `worker`, which answers requests
one at a time in a process of its own.
"""

from crawler.analysis.analyser import Analyser
from crawler.analysis.requests import AnalysisFailed, AnalysisRequest
from crawler.analysis.settings import AnalysisSettings
from crawler.extract import PageLinks

ANALYSIS_VERSION = 1
"""Raised whenever the same bytes would give another text or other links; part of a crawl's
identity."""

__all__ = [
    "ANALYSIS_VERSION",
    "Analyser",
    "AnalysisFailed",
    "AnalysisRequest",
    "AnalysisSettings",
    "PageLinks",
]
