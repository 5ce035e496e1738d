"""The rules that tell copies from siblings: a case for each kind of evidence, and their nature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup import layout_fingerprint
from crawler.dedup.copies import Appearance, Seen, naming, weigh
from crawler.dedup.copies.agreement import agreement
from crawler.dedup.copies.rules import show_alike
from crawler.records import Evidence

TEXT = (
    "The harbour master spoke about the new lighthouse at some length.",
    "Its lamp is seen from 40 km away in clear weather.",
    "The committee thanked him.",
)
DRESS = layout_fingerprint({"body>div": 1, "div>main": 1, "main>p": 1})


def seen(url: str = "http://a.test/one", title: str = "Lighthouse", **parts: Any) -> Seen:
    """Return a page with the text above, but for what is said."""
    layout = parts.pop("layout", None)
    page = replace(Appearance(title, text=TEXT), **parts)
    return Seen(url, page, layout)


ONE = seen()
EDITED = (TEXT[0].replace("some", "great"), *TEXT[1:])
FARTHER = (TEXT[0], TEXT[1].replace("40", "60"), TEXT[2])
ROWS = tuple(f"A row of a table that stands beside the text, number {n}." for n in range(9))
VERSES = tuple(f"And {n} ships passed {{0}} at night, and {{0}} saw them all." for n in range(4))


def about(url: str, title: str, name: str) -> Seen:
    """Return a page in which a name stands throughout."""
    return seen(url, title, text=(*TEXT, *(verse.format(name) for verse in VERSES)))


SAMARA, LUEBECK = (
    about(f"http://{host}.test/towns/1", f"{name} harbour", name)
    for host, name in (("a", "Samara"), ("b", "Luebeck"))
)

CASES: list[tuple[str, Seen, Seen, Evidence]] = [
    (
        "rel=canonical names the other",
        seen("http://a.test/two", canonical_url=ONE.url, title="Other"), ONE, Evidence.CANONICAL,
    ),
    (
        "hreflang names the other",
        seen("http://b.test/zwei", alternates=("http://c.test/", ONE.url)), ONE, Evidence.CANONICAL,
    ),
    (
        "both name a third",
        seen("http://a.test/two", canonical_url="http://a.test/three"),
        seen(canonical_url="http://a.test/three"), Evidence.CANONICAL,
    ),
    (
        "both name the home page, as careless sites do",
        seen("http://a.test/two", canonical_url="http://a.test/"),
        seen(canonical_url="http://a.test/", title="Other"), Evidence.OTHER_TITLE,
    ),
    ("a mirror", seen("http://b.test/one", "Lighthouse - Mirror"), ONE, Evidence.SAME_ADDRESS),
    ("another language", seen("http://a.test/fr/one", "Phare"), ONE, Evidence.SAME_ADDRESS),
    ("another edition", seen("http://a.test/v2/one", "2 Lighthouse"), ONE, Evidence.SAME_ADDRESS),
    ("another page of another edition", seen("http://a.test/v2/one", "New"), ONE,
     Evidence.OTHER_TITLE),
    (
        "a site in a folder of its mirror",
        seen("http://b.test/pub/docs/one"), seen("http://a.test/docs/one"), Evidence.SAME_ADDRESS,
    ),
    (
        "another heading at the same address",
        seen("http://b.test/one", heading="Learn to sail in Kiel"),
        seen(heading="Learn to sail in Bremen"), Evidence.OTHER_TITLE,
    ),
    (
        "a form filled in at the same address",
        seen("http://b.test/one", text=(*TEXT, "Telephone: 0431 12345")),
        seen(text=(*TEXT, "Telephone: 0421 67890")), Evidence.OTHER_NUMBERS,
    ),
    (
        "the name of the site at the edge of a long text",
        seen("http://a.test/print/one", text=(*TEXT * 9, "Harbour News")),
        seen(text=TEXT * 9), Evidence.SAME_TEXT,
    ),
    (
        "nothing is known but the address",
        Seen("http://b.test/one", None), ONE, Evidence.SAME_ADDRESS,
    ),
    ("a tracking parameter", seen("http://a.test/one?ref=news"), ONE, Evidence.SAME_TEXT),
    (
        "another date and counter",
        seen("http://a.test/2", text=(*TEXT, "5 views"), beside=("Updated 3 days ago",)),
        seen(text=(*TEXT, "99 views")), Evidence.SAME_TEXT,
    ),
    (
        "a line of the text stands beside it",
        seen("http://a.test/2", text=TEXT[:2], beside=TEXT[2:]), ONE, Evidence.SAME_TEXT,
    ),
    ("a reprint", seen("http://b.test/news/7", "Daily"), ONE, Evidence.REPRINT),
    ("an edited reprint", seen("http://b.test/news/7", text=EDITED), ONE, Evidence.REPRINT),
    ("another title", seen("http://a.test/two", "Harbour"), ONE, Evidence.OTHER_TITLE),
    (
        "a number in the title",
        seen("http://a.test/p/2", "Chapter 2"), seen("http://a.test/p/1", "Chapter 1"),
        Evidence.OTHER_TITLE,
    ),
    (
        "each is canonical itself",
        seen("http://a.test/two", canonical_url="http://a.test/two"),
        seen(canonical_url=ONE.url), Evidence.OTHER_CANONICAL,
    ),
    ("a month of a year", seen("http://a.test/2014/07/"), seen("http://a.test/2014/"),
     Evidence.OTHER_LIST),
    ("one word", seen("http://a.test/two", text=EDITED), ONE, Evidence.OTHER_TEXT),
    ("one number", seen("http://a.test/two", text=FARTHER), ONE, Evidence.OTHER_TEXT),
    ("one line less", seen("http://a.test/two", text=TEXT[:2]), ONE, Evidence.OTHER_TEXT),
    (
        "two sites of one publisher",
        seen("http://b.test/two", text=EDITED, layout=DRESS), replace(ONE, layout=DRESS),
        Evidence.OTHER_TEXT,
    ),
    ("another town", LUEBECK, replace(SAMARA, url="http://a.test/x"), Evidence.OTHER_NAME),
    (
        "another town, as the titles say in a part of them",
        about("http://b.test/x", "Harbours - Luebeck", "Luebeck"),
        about("http://a.test/y", "Harbours - Samara", "Samara"), Evidence.OTHER_NAME,
    ),
    (
        "another town at the same address, as the titles say in a part of them",
        about("http://b.test/towns/1", "Harbours - Luebeck", "Luebeck"),
        about("http://a.test/towns/1", "Harbours - Samara", "Samara"), Evidence.OTHER_NAME,
    ),
    ("another town at the same address", LUEBECK, SAMARA, Evidence.OTHER_TITLE),
    (
        "another number elsewhere",
        seen("http://b.test/two", text=FARTHER), ONE, Evidence.OTHER_NUMBERS,
    ),
    (
        "another list beside it",
        seen("http://a.test/two", beside=ROWS), ONE, Evidence.OTHER_SURROUNDINGS,
    ),
    (
        "other links beside it",
        seen("http://a.test/two", links=ROWS), ONE, Evidence.OTHER_SURROUNDINGS,
    ),
    (
        "another list beside it elsewhere",
        seen("http://b.test/two", beside=ROWS), ONE, Evidence.OTHER_SURROUNDINGS,
    ),
    (
        "other links beside it elsewhere: another template",
        seen("http://b.test/two", links=ROWS), ONE, Evidence.REPRINT,
    ),
    ("nothing is known", seen("http://b.test/two"), Seen(ONE.url, None), Evidence.UNKNOWN),
]  # fmt: skip


@pytest.mark.parametrize(
    ("page", "stored", "evidence"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_each_case_has_its_evidence(page: Seen, stored: Seen, evidence: Evidence) -> None:
    """And the same whichever of the two was stored first."""
    assert weigh(page, stored) is evidence
    assert weigh(stored, page) is evidence


def test_every_kind_of_evidence_has_a_case() -> None:
    """None is left out above, and four of them speak for a copy."""
    assert {evidence for *_, evidence in CASES} == set(Evidence)
    assert [evidence.value for evidence in Evidence if evidence.is_copy] == [
        *("canonical", "same-address", "same-text", "reprint")
    ]


PAGES = st.builds(
    lambda url, title, text, beside, canonical, layout: Seen(
        url, Appearance(title, None, canonical, (), tuple(text), tuple(beside)), layout
    ),
    st.sampled_from([ONE.url, "http://b.test/one", "http://a.test/2014/", "http://a.test/2014/7"]),
    st.sampled_from([None, "Lighthouse", "Samara 1", "Luebeck 2"]),
    st.lists(st.sampled_from([*TEXT, *EDITED, *FARTHER, "Samara", "5 views"]), max_size=6),
    st.lists(st.sampled_from(ROWS), max_size=3),
    st.sampled_from([None, ONE.url, "http://a.test/2014/"]),
    st.sampled_from([None, DRESS]),
)


@given(PAGES | st.builds(Seen, st.just(ONE.url), st.none()), PAGES)
def test_the_same_pages_have_the_same_evidence(page: Seen, stored: Seen) -> None:
    """Weighing is a function of the two pages alone."""
    assert weigh(page, stored) is weigh(page, stored)


@given(PAGES)
def test_a_page_at_its_own_address_is_itself(page: Seen) -> None:
    """Two visits to one page that find the same are one page."""
    assert weigh(page, page).is_copy


def test_long_sentences_are_not_aligned_word_by_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is aligned is bounded, in one sentence and in all; beyond, all that differs counts."""
    cells = 0

    class Counting(SequenceMatcher[str]):
        def __init__(self, junk: None, a: Sequence[str], b: Sequence[str], autojunk: bool) -> None:
            nonlocal cells
            cells += len(a) * len(b)
            super().__init__(junk, a, b, autojunk)

    monkeypatch.setattr(naming, "SequenceMatcher", Counting)
    for words, lines in ((4_000, 1), (150, 30)):
        first, second = (
            seen(text=tuple(f"{'n' * n} {'x ' * words}{name}{'x ' * words}" for n in range(lines)))
            for name in ("Anna ", "Berta ")
        )
        cells = 0
        assert first.appearance is not None
        assert second.appearance is not None
        compared = agreement(first.appearance, second.appearance)
        assert naming.replaced_words(compared) == {("anna", "berta"): lines}
        assert cells <= naming.MOST_CELLS


LONG = tuple(
    f"{number}. Another list stands here, and this is its line {number}." for number in range(9)
)
OTHERS = tuple(f"What is shown below is told on page {number} alone." for number in range(9))


@pytest.mark.parametrize(
    ("page", "stored"),
    [
        (seen("http://a.test/two", canonical_url=ONE.url, beside=LONG), seen(beside=OTHERS)),
        (seen("http://a.test/fr/one", links=LONG), seen(links=OTHERS)),
        (seen("http://b.test/one", beside=LONG), seen(beside=OTHERS)),
    ],
)
def test_an_address_is_no_evidence_where_most_of_what_is_visible_differs(
    page: Seen, stored: Seen
) -> None:
    """One judged text under two long lists: whatever names the pages, one would miss the other."""
    assert weigh(page, stored) is Evidence.OTHER_SURROUNDINGS
    assert not show_alike(page, stored)
    assert page.appearance is not None
    assert stored.appearance is not None
    beside, links = stored.appearance.beside, stored.appearance.links
    shared = replace(page.appearance, beside=beside, links=links)
    assert weigh(replace(page, appearance=shared), stored).is_copy


def test_links_of_another_site_are_not_asked() -> None:
    """Another host has another navigation; on one host that must be the same."""
    page, stored = seen("http://b.test/one", links=LONG), seen(links=OTHERS)
    assert weigh(page, stored) is Evidence.SAME_ADDRESS
    assert show_alike(page, stored)
    assert show_alike(Seen(page.url, None), stored)
