"""A real site, read as a crawl reads it: what its template serves, keeps and drops."""

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress

import pytest
from support.corpora import members

from crawler.config import Engine
from crawler.extract.charset import decode
from crawler.extract.lines import Line, visible_lines
from crawler.extract.page import parse
from crawler.extract.templates import Learner
from crawler.extract.templates.template import key_of
from crawler.models import TEMPLATE
from crawler.workers.analyser import TextRead, read_text
from crawler.workers.messages import AnalysisRequest

pytestmark = pytest.mark.corpora


def read_all(pages: Iterable[str], by: Engine) -> Iterator[tuple[Sequence[Line], TextRead]]:
    """Yield the lines of a site's pages, and how they are read one after another."""
    learner = Learner()
    for html in pages:
        lines = visible_lines(parse(html, "text/html"))
        plan = learner.plan()
        request = AnalysisRequest("", b"", "text/html", None, plan.template, plan.teaches)
        read = read_text(html, lines, request, by)
        learner.hear(plan, read.lesson, served=read.read_by == TEMPLATE)
        yield lines, read
    assert learner.figures.revoked == 0


@pytest.mark.parametrize("by", [Engine.TRAFILATURA, Engine.LEARNED])
def test_a_real_site_is_read_by_what_its_first_pages_taught(by: Engine) -> None:
    """After twenty pages nine in ten are served, with their content and without the foot line."""
    pages = [
        body.decode()
        for name, body in members("sites/hexo-docs")
        if name.endswith(".html") and len(body) > 1_500
    ]
    random.Random(3).shuffle(pages)
    served, kept, dropped, told = [], 0, 0, 0
    for lines, read in read_all(pages[:50], by):
        served.append(read.read_by == TEMPLATE)
        if served[-1]:
            text = {line.text for line in compress(lines, read.kept)}
            inside = {line.text for line in lines if "div.article-content" in line.path}
            told += len(inside)
            kept += len(inside & text)
            dropped += len({line.text for line in lines} - text)
    assert sum(served[20:]) >= 0.9 * len(served[20:])
    assert kept >= 0.97 * told
    assert dropped > 0.5 * sum(served)


@pytest.fixture(scope="module")
def manual() -> list[str]:
    """Return the first pages of a manual as a crawl may come to them: lists of pages first."""
    pages = {name: body for name, body in members("sites/apache2-manual") if len(body) > 1_500}
    order = sorted(
        pages, key=lambda name: (not name.endswith("index.html"), name.count("/"), key_of(name))
    )
    return [decode(pages[name], None, "text/html").text for name in order[:130]]


@pytest.mark.parametrize("by", [Engine.COMBINED, Engine.LEARNED])
def test_no_menu_is_kept_whatever_pages_come_first(by: Engine, manual: list[str]) -> None:
    """A manual in eleven languages whose lists of pages are crawled first is read without menus.

    And without its bars of languages where the model taught, which takes half of them for text.
    """
    served = kept = bars = 0
    for lines, read in read_all(manual, by):
        if read.read_by == TEMPLATE:
            served += 1
            paths = [line.path for line in compress(lines, read.kept)]
            kept += any("p.menu" in path for path in paths)
            bars += any("lang>" in path for path in paths)
    assert served >= 60
    assert kept == 0
    assert by is not Engine.LEARNED or bars <= 1
