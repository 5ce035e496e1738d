"""The choice of the judged text on real pages; docs/extraction.md has the full figures."""

from __future__ import annotations

import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from support.corpora import CORPORA, members, records
from support.loading import loaded
from support.sampling import sample

from crawler.extract.lines import text_of, visible_lines
from crawler.extract.page import parse
from crawler.extract.readings import judged_on, main_text
from crawler.models import JudgedOn

CHAPTERS = {
    "sect.apparmor.html",
    "sect.apt-file.html",
    "sect.aptosid.html",
    "sect.customizing-graphical-interface.html",
    "sect.graphical-desktops.html",
    "sect.master-plan.html",
    "sect.x509-cert.html",
}
"""Pages of which extraction alone, or a simple share of words, makes copies of one another."""

pytestmark = pytest.mark.corpora


def judged(html: str, main: str) -> str:
    """Return the text that a page is judged by; `main` is what the extractor makes of it."""
    lines = visible_lines(parse(html, "text/html"))
    return main if judged_on(main, lines) is JudgedOn.MAIN else text_of(lines)


def folded(text: str) -> str:
    """Return a text as digests see it: NFC, white space folded."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def body(html: str) -> str:
    """Return a handbook page's own content, found by its template's marks."""
    tree = parse(html, "text/html")
    for mark in ("ul.docnav", "#banner", "#title"):
        for node in tree.css(mark):
            node.decompose()
    assert tree.body is not None
    return folded(tree.body.text(separator=" "))


def handbook() -> Iterator[str]:
    """Yield chosen chapters in all 26 languages."""
    chosen = sample(sorted(CHAPTERS), 3)
    for path, content in members("sites/debian-handbook"):
        if Path(path).name in chosen:
            yield content.decode()


def test_no_two_different_handbook_pages_have_one_text() -> None:
    """Where extraction gives chapters in many languages the same text, the judged text differs."""
    bodies, bodies_by_main = defaultdict(set), defaultdict(set)
    for html in handbook():
        content, main = body(html), main_text(html)
        bodies[folded(judged(html, main))].add(content)
        bodies_by_main[folded(main)].add(content)
    assert max(map(len, bodies_by_main.values())) > 5
    assert max(map(len, bodies.values())) == 1


@pytest.fixture(scope="module")
def score() -> ModuleType:
    """Return the corpus's own scoring program."""
    return loaded(CORPORA / "extraction/score.py")


@pytest.mark.parametrize(
    ("name", "step", "least_f1"),
    [
        *(("articles-en", step, 0.93) for step in sample([5, 2], 1)),
        *(("docs-zh", step, 0.90) for step in sample([120, 40], 1)),
    ],
)
def test_judged_text_is_the_authors(
    score: ModuleType, name: str, step: int, least_f1: float
) -> None:
    """On pages with gold text the judged text has nearly all of it and little else."""
    scores = [
        score.precision_recall(
            page["text"], judged(page["html"], main_text(page["html"])), score.TOKEN
        )
        for page in records(f"extraction/{name}", range(0, sys.maxsize, step))
    ]
    precision, recall = (sum(column) / len(column) for column in zip(*scores, strict=True))
    assert 2 * precision * recall / (precision + recall) >= least_f1
