"""Reading and signing one page: an `AnalysisRequest` in, a `Document` out.

::

    bytes -> decode -> parse -> links, hints, layout, visible text, main text -> sign

`analyser` puts `crawler.extract` and `crawler.dedup`'s signer together as one synchronous, pure
function; `messages` are its settings, the questions, the answers, and how they travel. The process
pool (`crawler.pool`) runs `worker`, which answers one question at a time in a process of its own.
"""

from crawler.analysis.analyser import Analyser
from crawler.analysis.messages import AnalysisFailed, AnalysisRequest, AnalysisSettings

ANALYSIS_VERSION = 4
"""Raised whenever the same bytes would give another text or other links; part of a crawl's
identity."""

__all__ = [
    "ANALYSIS_VERSION",
    "Analyser",
    "AnalysisFailed",
    "AnalysisRequest",
    "AnalysisSettings",
]
