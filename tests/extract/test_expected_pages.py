"""The kept text of real pages beside what was read off their HTML by eye (expected_pages.yaml)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.corpora import members, records

from crawler.extract.lines import visible_lines
from crawler.extract.page import parse
from crawler.extract.rendering import markdown, plain

EXPECTED: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("expected_pages.yaml").read_text(encoding="utf-8")
)
SETS = ("articles-en", "docs-zh")

pytestmark = pytest.mark.corpora


def _named() -> Mapping[str, set[str]]:
    """Return the pages that are looked for, by site or set."""
    named = defaultdict(set)
    for expected in EXPECTED:
        place, _, page = expected["page"].partition(" ")
        named[place].add(page)
    return named


def _bodies(place: str, wanted: set[str]) -> Iterator[tuple[str, str]]:
    if place in SETS:
        numbers = sorted(map(int, wanted))
        for number, record in zip(
            numbers, records(f"extraction/{place}", set(numbers)), strict=False
        ):
            yield str(number), record["html"]
        return
    for path, body in members(f"sites/{place}"):
        yield path.partition("/")[2], body.decode(errors="replace")


def _found(place: str, wanted: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the wanted pages of a site or set, and read no further than the last."""
    left = set(wanted)
    for page, html in _bodies(place, wanted):
        if page in left:
            left.remove(page)
            yield f"{place} {page}", html
            if not left:
                return


@pytest.fixture(scope="module")
def texts() -> Mapping[str, tuple[str, str]]:
    """Return Markdown and plain text by page, all visible lines kept."""
    found = {}
    for place, wanted in _named().items():
        for page, html in _found(place, wanted):
            lines = visible_lines(parse(html, "text/html"))
            kept = [True] * len(lines)
            found[page] = markdown(lines, kept), plain(lines, kept)
    return found


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda expected: expected["page"])
def test_a_page_reads_as_it_should(
    texts: Mapping[str, tuple[str, str]], expected: dict[str, Any]
) -> None:
    """Code, tables, lists, headings and formulas stand in the text as on the page, chrome not."""
    written, bare = (f"\n{text}\n" for text in texts[expected["page"]])
    unindented = "\n".join(row.removeprefix("  ") for row in written.split("\n"))
    for fragment in expected.get("markdown", ()):
        assert fragment in written or fragment in unindented
    for fragment in expected.get("plain", ()):
        assert fragment in bare
    for fragment in expected.get("once", ()):
        assert written.count(fragment) == 1
    for fragment in expected.get("absent", ()):
        assert fragment not in written
        assert fragment not in bare
