"""Pages of a site of one template, read here by the analyser: what a host is learned from."""

from __future__ import annotations

from functools import cache

from crawler.extract.templates import Plan
from crawler.models import Document, New, PageOutcome, UrlState
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings
from support.site_pages import article
from support.worlds import job

ENOUGH = 8
"""Pages that make a template."""


@cache
def _analyser() -> Analyser:
    # What trafilatura leaves out of such short pages is known.
    return Analyser(AnalysisSettings.of(job(extract={"engine": "combined"})))


@cache
def lesson(number: int) -> Document:
    """Return a page that was asked to teach."""
    return read(article(number), Plan(None, True))


def read(page: str, plan: Plan, *, doubted: bool = False) -> Document:
    """Return a page as it is read by a plan."""
    request = AnalysisRequest(
        "http://a.test/",
        page.encode(),
        "text/html",
        "utf-8",
        plan.template,
        plan.teaches,
        doubted,
    )
    return _analyser().analyse(request)


def judged_new() -> PageOutcome:
    """Return the outcome of a page that is new, as its site hears of it."""
    return PageOutcome(1, UrlState.STORED, end=New())
