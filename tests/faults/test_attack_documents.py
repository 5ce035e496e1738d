"""Hosts of small documents that take long to read are read, and hold up nobody."""

from __future__ import annotations

import time
from pathlib import Path

from support.attacks.costly_documents import ATTACKS, SIZE
from support.attacks.mixed import crawl_beside
from support.hostile_web import healthy_text

from crawler.config import parse_job
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings


def ordinary_s() -> float:
    """Return the CPU seconds that this machine takes to read an ordinary page of that size."""
    analyser = Analyser(AnalysisSettings.of(parse_job({}, "test")))
    text = ""
    while len(text) < SIZE:
        text += f"<p>{healthy_text(len(text), 0)}</p>"
    request = AnalysisRequest("http://a.test/", text.encode(), "text/html", "utf-8")
    analyser.analyse(request)  # what it loads once is loaded
    before_s = time.process_time()
    analyser.analyse(request)
    return time.process_time() - before_s


async def test_costly_documents_are_read_like_others(tmp_path: Path) -> None:
    """Each page of each host is stored, as those of the healthy hosts are, and none times out.

    A page has ten seconds, and on a slow machine as many more as an ordinary one takes longer.
    """
    limits = {"timeout_s": max(10.0, 150 * ordinary_s())}
    mixed = await crawl_beside(ATTACKS, tmp_path, hosts=2, pages=5, analysis=limits)
    assert mixed.lost == frozenset()
    assert mixed.summary["failures"] == {}
