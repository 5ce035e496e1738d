"""Layout fingerprints: what of a page they depend on, what they estimate, what they cost."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from math import comb
from urllib.parse import urlsplit

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import members, records
from support.sampling import sample

from crawler.dedup.kinds import SAME_LAYOUT
from crawler.dedup.signing import LAYOUT_BITS, layout_fingerprint, layout_similarity
from crawler.demo import pages
from crawler.extract.page import LEVEL_WEIGHTS, MAX_ELEMENTS, layout_paths, parse

LAYOUTS = [
    pages.newspaper,
    pages.magazine,
    pages.manual,
    pages.portal,
    pages.printed,
]


def paths(html: str) -> dict[str, int]:
    """Return the tag paths of a page."""
    return layout_paths(parse(html, "text/html"))


def fingerprint(html: str) -> bytes:
    """Return the layout fingerprint of a page."""
    made = layout_fingerprint(paths(html))
    assert made is not None
    return made


def test_paths_are_pairs_of_elements_by_level() -> None:
    """A path names parent and child with their first classes and weighs by its uppermost place."""
    html = (
        "<title>x</title><body class='wide dark'><nav><ul><li><a href=/>x</a></ul></nav>"
        "<div class=post-7><p>some <b>bold</b></p><nav><ul><li>y</ul></nav></div>"
    )
    one, two, three, four = LEVEL_WEIGHTS[:4]
    assert paths(html) == {
        "html>body.wide": one,
        "body.wide>nav": two,
        "body.wide>div.post-": two,
        "nav>ul": three,
        "div.post->p": three,
        "div.post->nav": three,
        "ul>li": four,
        "li>a": LEVEL_WEIGHTS[4],
    }


def page(sections: int, paragraphs: int, rows: int, text: str = "text") -> str:
    """Return a page with that much content in one template."""
    section = f"<section class=part><h2>{text}</h2>{f'<p>{text}</p>' * paragraphs}</section>"
    table = f"<table>{f'<tr><td>{text}<td>1' * rows}</table>"
    return f"<header><nav>menu</nav></header><main>{section * sections}{table}</main><footer>f"


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9))
def test_more_or_less_of_the_same_is_the_same_layout(s: int, p: int, rows: int) -> None:
    """Numbers of sections, paragraphs and rows do not change the fingerprint."""
    assert fingerprint(page(s, p, rows)) == fingerprint(page(1, 1, 1))


@pytest.mark.parametrize(
    "text",
    [
        "a <em>stressed <code>word</code></em> and a <a href=/><span>link</span></a>",
        "<script>count()</script>text<br><wbr><style>p {}</style>",
        "<!-- remark -->text &amp; <svg><g><path/></g></svg>",
    ],
)
def test_what_stands_in_a_paragraph_is_content(text: str) -> None:
    """Markup in paragraphs, scripts, comments and line breaks leave the fingerprint as it is."""
    assert fingerprint(page(2, 2, 1).replace("<p>text", f"<p>{text}")) == fingerprint(page(1, 1, 1))


def test_numbers_in_classes_are_no_layout() -> None:
    """The class `post-1` of one page and `post-2` of another are one."""
    one, other = (f"<article class='post-{n} hot'><p>x" for n in (1, 27))
    assert fingerprint(one) == fingerprint(other)
    assert fingerprint(one) != fingerprint("<article class='news'><p>x")


def test_only_the_upper_levels_are_read() -> None:
    """What lies deeper than there are weights does not count, however deep the page is."""
    depth = len(LEVEL_WEIGHTS)
    found = paths("<div>" * 5_000 + "<nav>x")
    assert found == {"html>body": LEVEL_WEIGHTS[0], "body>div": LEVEL_WEIGHTS[1]} | {
        "div>div": LEVEL_WEIGHTS[2]
    }
    assert "div>nav" in paths("<div>" * (depth - 2) + "<nav>x")
    assert "div>nav" not in paths("<div>" * (depth - 1) + "<nav>x")


def test_only_so_many_elements_are_read() -> None:
    """Past the limit nothing of an endless page counts, and all before it does."""
    before = f"{'<p>x' * (MAX_ELEMENTS - 3)}<nav>x</nav>"  # head and body are elements too
    assert "body>nav" in paths(before)
    assert "body>nav" not in paths("<p>x" + before)


def test_long_names_are_cut() -> None:
    """A class of a million characters, on each of many elements, takes no memory to speak of."""
    found = paths(f"<div class={'x' * 1_000_000}>" + "<p>x" * 1000)
    assert max(map(len, found)) < 200


def test_an_empty_page_has_the_layout_of_an_empty_page() -> None:
    """Any HTML has a layout, if only that of a body; no paths have none."""
    assert paths("") == {"html>body": LEVEL_WEIGHTS[0]}
    assert layout_fingerprint({}) is None


def test_fingerprints_are_the_same_everywhere() -> None:
    """The fingerprint is a fixed function of the paths: stored ones stay comparable."""
    made = layout_fingerprint({"html>body": 3, "body>div.main": 3, "div.main>p": 2})
    assert made is not None
    assert made.hex() == "c40bb6af08b4c1191205bda9927cf4837ce26a7a7e47be6341073f8b476ddd11"


@given(st.dictionaries(st.text(max_size=8), st.integers(1, 4), min_size=1), st.randoms())
def test_order_does_not_matter(weights: dict[str, int], rng: random.Random) -> None:
    """The fingerprint depends on paths and weights, not on their order."""
    items = list(weights.items())
    rng.shuffle(items)
    made = layout_fingerprint(dict(items))
    assert made == layout_fingerprint(weights)
    assert made is not None
    assert len(made) == LAYOUT_BITS // 8


@pytest.mark.parametrize("jaccard", [0.3, 0.8])
def test_similarity_estimates_jaccard(jaccard: float) -> None:
    """Over many pairs the estimate's mean is the truth and its scatter the documented one."""
    shared, own = round(200 * jaccard), round(200 * (1 - jaccard) / 2)
    true = shared / (shared + 2 * own)
    errors = []
    for pair in range(200):
        common = {f"{pair}>{n}": 1 for n in range(shared)}
        sides = [common | {f"{pair}>{side}{n}": 1 for n in range(own)} for side in "ab"]
        one, other = map(layout_fingerprint, sides)
        assert one is not None
        assert other is not None
        errors.append(layout_similarity(one, other) - true)
    expected = np.sqrt((1 - true**2) / 256)
    assert abs(np.mean(errors)) < 4 * expected / np.sqrt(200)
    assert 0.8 * expected < np.std(errors) < 1.2 * expected


def test_a_path_counts_by_its_weight() -> None:
    """Two pages that share a path of weight 3 and not one of weight 1 have similarity 3/5."""
    estimates = []
    for n in range(300):
        one, other = (layout_fingerprint({f"shared{n}": 3, f"{n}{side}": 1}) for side in "ab")
        assert one is not None
        assert other is not None
        estimates.append(layout_similarity(one, other))
    assert abs(np.mean(estimates) - 0.6) < 0.02


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32))
def test_similarity_is_symmetric_and_between_0_and_1(one: bytes, other: bytes) -> None:
    """Whatever the fingerprints, and 1 for equal ones."""
    assert layout_similarity(one, other) == layout_similarity(other, one)
    assert 0 <= layout_similarity(one, other) <= 1
    assert layout_similarity(one, one) == 1


def demo_page(layout: pages.Layout, title: str, paragraphs: int) -> bytes:
    """Return the layout fingerprint of an article in one of the demo's layouts."""
    links = (("/", "Home"),) * paragraphs
    frame = pages.Frame("Site", "en", title, links, links, "by", "ad", ("c",) * paragraphs)
    return fingerprint(layout(frame, f"<p>{title}</p>" * paragraphs + "<h2>h</h2>"))


def test_the_demos_layouts_are_told_apart() -> None:
    """An article looks like another one of its layout, and like none of the four others."""
    for layout in LAYOUTS:
        same = layout_similarity(demo_page(layout, "a", 3), demo_page(layout, "other", 30))
        assert same >= SAME_LAYOUT
    for one, other in combinations(LAYOUTS, 2):
        assert layout_similarity(demo_page(one, "a", 3), demo_page(other, "a", 3)) < SAME_LAYOUT


def site(name: str, count: int) -> dict[str, bytes]:
    """Return path -> layout fingerprint of the first pages in a packed real site."""
    found: dict[str, bytes] = {}
    for path, content in members(f"sites/{name}"):
        if path.endswith(".html") and len(content) < 100_000:
            found[path.partition("/")[2]] = fingerprint(content.decode())
        if len(found) == count:
            break
    return found


@pytest.mark.corpora
def test_two_releases_of_a_manual_share_their_layout() -> None:
    """Each page of LLVM 15 has the layout of its successor in LLVM 16, and none of the handbook."""
    old, new, stranger = site("llvm-15", 200), site("llvm-16", 200), site("debian-handbook", 100)
    common = old.keys() & new.keys()
    assert len(common) > 100
    assert min(layout_similarity(old[path], new[path]) for path in common) > SAME_LAYOUT + 0.2
    apart = [layout_similarity(a, b) for a in list(old.values())[::9] for b in stranger.values()]
    assert max(apart) < SAME_LAYOUT - 0.2


WILD = sample(range(250), 125)
"""Places of pages in the set."""


def wild_pages() -> Iterator[tuple[str, bytes]]:
    """Yield host and layout fingerprint of real pages of many sites."""
    for record in records("extraction/pages-en", WILD):
        yield urlsplit(record["url"]).netloc, fingerprint(record["html"])


@pytest.mark.corpora
def test_sites_of_the_wild_differ() -> None:
    """Of the pairs of pages of different hosts one in 400 agrees at most: they share a software."""
    pairs = [(a, b) for a, b in combinations(wild_pages(), 2) if a[0] != b[0]]
    agreeing = sum(layout_similarity(a[1], b[1]) >= SAME_LAYOUT for a, b in pairs)
    assert len(pairs) > 0.97 * comb(len(WILD), 2)
    assert agreeing / len(pairs) < 1 / 400
