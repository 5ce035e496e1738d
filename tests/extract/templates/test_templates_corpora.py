"""A real site, read as a crawl reads it: what its template serves, keeps and drops."""

import random

import pytest
from support.corpora import members

from crawler.config import Engine
from crawler.extract import parse, visible_lines
from crawler.extract.templates import Learner
from crawler.models import TEMPLATE
from crawler.workers.analyser import chosen, read_text
from crawler.workers.messages import AnalysisRequest

pytestmark = pytest.mark.corpora


def test_a_real_site_is_read_by_what_its_first_pages_taught() -> None:
    """After twenty pages nine in ten are served, with their content and without the foot line."""
    pages = [
        body.decode()
        for name, body in members("sites/hexo-docs")
        if name.endswith(".html") and len(body) > 1_500
    ]
    random.Random(3).shuffle(pages)
    learner = Learner()
    served, kept, dropped, told = [], 0, 0, 0
    for html in pages[:50]:
        tree = parse(html, "text/html")
        lines = visible_lines(tree)
        plan = learner.plan()
        request = AnalysisRequest("", b"", "text/html", None, plan.template, plan.teaches)
        read = read_text(html, lines, request, Engine.TRAFILATURA)
        served.append(read.read_by == TEMPLATE)
        learner.hear(plan, read.lesson, served=served[-1])
        if served[-1]:
            text = {line.text for line in chosen(lines, read.kept)}
            inside = {line.text for line in lines if "div.article-content" in line.path}
            told += len(inside)
            kept += len(inside & text)
            dropped += len({line.text for line in lines} - text)
    assert sum(served[20:]) >= 0.9 * len(served[20:])
    assert kept >= 0.97 * told
    assert dropped > 0.5 * sum(served)
    assert learner.figures.revoked == 0
