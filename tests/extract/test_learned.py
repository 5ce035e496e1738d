"""The learned reader: what is seen of lines, its trees, and the choice by expected F1."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import compress, product
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import records
from support.sampling import sample

from crawler.config import Engine, Extract, Job
from crawler.errors import ConfigError
from crawler.extract import learned
from crawler.extract.features import features
from crawler.extract.installed import extractor
from crawler.extract.learned import (
    MOST_CHARACTERS,
    MOST_LINES,
    ONE,
    STEP,
    Model,
    Told,
    best,
    can_choose,
    choose,
    shipped,
)
from crawler.extract.lines import Line, visible_lines
from crawler.extract.page import Declared, declared_offer, declares_article, parse
from crawler.extract.readings import as_declared, learned_lines
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

PROSE = "The lighthouse on the cape was built in 1873, and its keeper rowed ashore twice a week."
MENU = "".join(f"<li><a href=/{name}>{name}</a>" for name in "home news about contact".split())
PAGE = f"""<title>The light on the cape</title><div class=menu><ul>{MENU}</ul></div>
<article class=post><h1>The light on the cape</h1>{f"<p>{PROSE} {PROSE}" * 6}</article>
<div class=sidebar><h3>Latest</h3><ul>{MENU}</ul></div>"""

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"(?=\w)[{_CJK}]|[^\W{_CJK}]+")

plain = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp"), max_codepoint=0xFFFF)
)
texts = st.lists(plain.filter(bool), min_size=1, max_size=8)


@given(texts)
def test_words_are_counted_as_a_pattern_counts_them(lines: list[str]) -> None:
    """Runs of letters and digits are words, and each ideograph is one."""
    seen = features([Line(text, 0) for text in lines], "", Told({}))
    assert seen.words.tolist() == [len(_TOKEN.findall(text)) for text in lines]


@given(texts, plain)
def test_each_line_has_a_row_of_finite_numbers(lines: list[str], title: str) -> None:
    """Whatever stands in them, and if nothing is known of where they stand."""
    table = features([Line(text, 0) for text in lines], title, Told({})).table
    assert table.shape == (len(lines), features([Line("a", 0)], "", Told({})).table.shape[1])
    assert np.isfinite(table).all()


def test_what_is_seen_depends_on_the_page_alone() -> None:
    """Not on pages before it, whose places and names are remembered."""
    alone = features(visible_lines(parse(PAGE, "text/html")), "a", Told({"post": 50})).table
    told = Told({"post": 50})
    for page in (PAGE.replace("post", "entry"), PAGE, PAGE):
        again = features(visible_lines(parse(page, "text/html")), "a", told).table
    assert np.array_equal(alone, again)


def test_names_of_elements_are_told_from_the_innermost_out() -> None:
    """By the least, the largest and the sum of what their words say."""
    lines = visible_lines(parse("<div id=main><p class='post-text x'>one</p></div>", "text/html"))
    seen = features(lines, "", Told({"post": 30, "text": -10, "main": 50}))
    own, around, whole = (
        seen.blocks["names"][0].reshape(-1)[:4],
        *np.split(seen.blocks["names"][0][4:], [2]),
    )
    assert own.tolist() == [-10, 30, 20, 2]
    assert around.tolist() == [0, 50]
    assert whole.tolist() == [-10, 50, 70, 3]


@given(st.data())
def test_trees_are_asked_as_they_are_described(data: st.DataObject) -> None:
    """The answers of a tree are the number of a leaf, and the sum over trees gives the chance."""
    trees, depth, columns, rows = 3, 2, 4, 5
    random = np.random.default_rng(data.draw(st.integers(0, 1000)))
    model = Model(
        random.integers(0, columns, (trees, depth)).astype(np.int16),
        random.normal(size=(trees, depth)).astype(np.float32),
        random.integers(-200, 200, (trees, 1 << depth)).astype(np.int32),
        np.arange(11, dtype=np.int64),
        Told({}),
    )
    table = random.normal(size=(rows, columns)).astype(np.float32)
    for row, chance in zip(table, model.of_text(table), strict=True):
        total = 0
        for tree in range(trees):
            leaf = sum(
                int(row[model.columns[tree, level]] > model.borders[tree, level]) << level
                for level in range(depth)
            )
            total += int(model.leaves[tree, leaf])
        assert chance == min(max(total // STEP + 5, 0), 10)


@given(st.lists(st.tuples(st.integers(1, ONE - 1), st.integers(0, 9)), min_size=1, max_size=7))
def test_no_other_choice_has_a_larger_expected_f1(lines: list[tuple[int, int]]) -> None:
    """Of all choices of lines, by the expected words of the choice and of the text."""
    chances, words = (np.array(column) for column in zip(*lines, strict=True))
    wanted = chances * words

    def expected(flags: tuple[bool, ...]) -> float:
        kept = sum(compress(words.tolist(), flags)) * ONE
        both = sum(compress(wanted.tolist(), flags))
        return float(2 * both / max(kept + sum(wanted.tolist()), 1))

    chosen = best(chances, words)
    most = max(map(expected, product((False, True), repeat=len(lines))))
    assert chosen.expected == pytest.approx(most)
    assert expected(tuple(chosen.kept)) == pytest.approx(most)
    assert any(chosen.kept)


def test_an_article_is_kept_without_menu_and_sidebar() -> None:
    """By the model of the package."""
    lines = visible_lines(parse(PAGE, "text/html"))
    kept = [line.text for line in compress(lines, choose(lines, "The light on the cape").kept)]
    assert [text for text in kept if text.startswith("The lighthouse")] == [f"{PROSE} {PROSE}"] * 6
    assert not {"home", "news", "about", "contact", "Latest"} & set(kept)


KEPT = {
    "Blue mug": "a name above the text, in a box of its own",
    "Hand-thrown stoneware, glazed inside and out.": "a short paragraph",
    "Dishwasher safe": "an item of a list",
    "The cape in winter, seen from the sea.": "a caption",
    "a = 1": "a listing between two paragraphs, with line numbers",
}
LEFT = ("Mugs", "Another story 3", "You may also like", "User 5", "Latest")
OTHERS = "".join(f"<li><a href=/{number}>Another story {number}</a>" for number in range(8))
PAGES = (
    f"""<div class=breadcrumb><a href=/>Home</a> / <a href=/m>Mugs</a></div><div class=product>
    <h1>Blue mug</h1><p>{PROSE}<p>Hand-thrown stoneware, glazed inside and out.
    <ul><li>300 ml<li>Dishwasher safe</ul></div>
    <div class=related><h3>You may also like</h3><ul>{OTHERS}</ul></div>""",
    f"""<div class=entry>{f"<p>{PROSE} {PROSE}" * 3}<figure><img src=a.jpg>
    <figcaption>The cape in winter, seen from the sea.</figcaption></figure>
    {f"<p>{PROSE} {PROSE}" * 3}</div><div class=sidebar><h3>Latest</h3><ul>{OTHERS}</ul></div>""",
    f"""<article><h1>Names</h1><p>Look at this code:<table class=highlight><tr><td><pre>1
2</pre><td><pre>a = 1
b = 2</pre></table><p>Which sets two names.<p>{PROSE} {PROSE}</article>
    <div class=comments>{"".join(f"<div><b>User {n}</b><p>So was I." for n in (4, 5, 6))}</div>""",
)


def test_what_rules_lost_is_kept_and_what_they_kept_is_left_out() -> None:
    """Names and captions outside of an article's box, listings in tables; lists of other pages."""
    kept = set()
    for page in PAGES:
        lines = visible_lines(parse(page, "text/html"))
        flags = learned_lines(lines, choose(lines, "").kept)
        kept |= {line.text for line in compress(lines, flags)}
    assert set(KEPT) - kept == set()
    assert set(LEFT) & kept == set()


def kept_of(page: str, *left_out: str, url: str = "http://a.example/posts/one") -> list[str]:
    """Return the lines kept of a page of which a model leaves out these lines."""
    tree = parse(page, "text/html")
    lines = visible_lines(tree)
    chosen: Sequence[bool] = [line.text not in left_out for line in lines]
    declared = Declared(None, declared_offer(tree), declares_article(tree, page))
    chosen = as_declared(lines, chosen, declared)
    return [line.text for line in compress(lines, learned_lines(lines, chosen, url))]


def shop(price: str, head: str, beside: str = "$9.50") -> str:
    """Return the page of a mug, with another one beside it."""
    return f"""{head}<div class=product><h1>Blue mug</h1><p>{PROSE}
    <div class=buy><b>{price}</b></div><p>{PROSE}</div>
    <div class=others><h2>Red mug</h2><p>{beside}</div>"""


def linked_data(price: str) -> str:
    """Return JSON-LD of the mug."""
    return f"""<script type=application/ld+json>{{"@graph": [{{"@type": "Product",
    "name": "Blue mug", "offers": [{{"@type": "Offer", "price": {price}}}]}}]}}</script>"""


@pytest.mark.parametrize(
    ("price", "head"),
    [
        ("$1,299.00", linked_data("1299")),
        ("Now 1.299,5 €", linked_data('"1299.50"')),
        ("USD 12", linked_data("12.0")),
        ("12 元", "<meta property=product:price:amount content=12.00>"),
        ("₹ 12", "<meta itemprop=price content=12>"),
        ("<span itemprop=price>12.00</span> CAD", ""),
    ],
)
def test_the_declared_price_of_a_product_is_text_where_it_is_shown(price: str, head: str) -> None:
    """The line by the product's name, in the ways that shops write and declare it."""
    page = shop(price, head)
    shown = re.sub("<.*?>", "", price)
    assert shown in kept_of(page, shown, "$9.50", "Red mug")
    assert "$9.50" not in kept_of(page, shown, "$9.50", "Red mug")


@pytest.mark.parametrize(
    ("price", "head", "beside"),
    [
        ("$12", "", "$9.50"),  # it declares none
        ("Sold out", linked_data("12"), "$9.50"),  # it shows none
        ("12 left", linked_data("12"), "$9.50"),  # this is none
        ("Ask us", linked_data("12"), "$12"),  # this is the other one's
        ("$12", linked_data("[[], {}]"), "$9.50"),
        ("$12", '<script type="application/ld+json">{"@type": "Product"</script>', "$9.50"),
    ],
)
def test_no_other_price_is_text(price: str, head: str, beside: str) -> None:
    """Of a page that declares none or shows none, nor beside another product."""
    assert not {price, beside} & set(kept_of(shop(price, head, beside), price, beside))


def test_a_price_without_text_by_its_name_is_left_out() -> None:
    """The text of such a page is another one."""
    page = f"{linked_data('12')}<h1>Blue mug</h1><p>$12</p><div>{f'<p>{PROSE}' * 3}</div>"
    assert kept_of(page, "Blue mug", "$12") == [PROSE] * 3


TALK = f"<main>{f'<p>{PROSE} {PROSE}' * 4}"
SAME = "<li><a href=/posts/two>On foghorns</a><li><a href=http://a.example/x/3>On buoys</a>"
OTHER = "<li><a href=https://b.example/1>The register</a><li><a href=/posts/two>On foghorns</a>"


ARTICLE = "<meta property=og:type content=article>"
COMMENTS = f"<p>{PROSE}<div class=comments>{f'<div><p>I saw it too. {PROSE}</div>' * 5}</div>"


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        (f"{ARTICLE}{COMMENTS}", 1),
        (COMMENTS, 6),
        (f"{ARTICLE}<div itemscope itemtype=https://schema.org/QAPage>{COMMENTS}</div>", 6),
        (f"{ARTICLE}<div class=comments><p>{PROSE}</div>", 1),
    ],
    ids=["an article", "nothing declared", "a thread", "comments alone"],
)
def test_comments_are_none_of_what_declares_itself_an_article(page: str, texts: int) -> None:
    """However much longer they are; where nothing else is text, they are the text."""
    assert len(kept_of(page)) == texts


@pytest.mark.parametrize("heading", ["Related", "More of this", "延伸阅读"])
def test_links_to_the_same_site_that_close_an_article_go(heading: str) -> None:
    """Below a heading, whatever it says, though no name of an element tells."""
    kept = kept_of(f"{TALK}<h3>{heading}</h3><ul>{SAME}</ul><h3>And</h3><ul>{SAME}</ul></main>")
    assert kept == [f"{PROSE} {PROSE}"] * 4


@pytest.mark.parametrize(
    ("below", "texts"),
    [
        (f"<h3>Sources</h3><ul>{OTHER}</ul>", ["Sources", "The register", "On foghorns"]),
        (f"<h3>Next</h3><ul>{SAME}</ul><p>Thanks.", ["Next", "On foghorns", "On buoys", "Thanks."]),
        (f"<p>Next<ul>{SAME}</ul>", ["Next", "On foghorns", "On buoys"]),
        (
            "<h3>Guides</h3><a href=/1><b>Harbours</b><p>Read how to enter</p></a>" * 2,
            ["Guides", "Harbours", "Read how to enter"] * 2,
        ),
        ("<h3>Parts</h3><a href=#a>One</a><br><a href=#b>Two</a>", ["Parts", "One", "Two"]),
    ],
)
def test_other_links_at_the_end_are_text(below: str, texts: list[str]) -> None:
    """References, links before a last paragraph, without a heading, around more, in the page."""
    assert kept_of(f"{TALK}{below}</main>")[4:] == texts


def test_a_list_of_links_is_no_closing_of_a_text() -> None:
    """Where it is most of the text."""
    page = f"<main><p>Posts by month.<h3>May</h3><ul>{SAME}</ul></main>"
    assert kept_of(page) == ["Posts by month.", "May", "On foghorns", "On buoys"]


EVENTS = "".join(
    f"<div class=card><h3>Event {n}</h3><p class=date>{n} May</p><p class=place>Hall {n}</p></div>"
    for n in range(1, 13)
)


def test_what_most_cards_have_is_kept_of_all() -> None:
    """A model asks each line by itself; what most cards lack stays away from all."""
    places = {f"Hall {number}" for number in range(1, 13)}
    dates = [f"{number} May" for number in range(1, 13)]
    kept = kept_of(f"<h1>Events</h1>{EVENTS}", "Hall 7", "Hall 9", *dates[3:])
    assert places <= set(kept)
    assert set(dates) & set(kept) == set(dates[:3])


FAULTS: Mapping[str, tuple[int, Callable[[str], bool]]] = {
    "www.aztecplumbing.net": (
        315, lambda text: "plumbing" in text and "Most Common Plumbing Problems" not in text),
    "doc.rust-lang.org": (808, lambda text: "```rust\n" in text),
    "www.ikea.com": (608, lambda text: "Price $ 79.99" in text),
    "4dayweek.io": (
        1181,
        lambda text: text.count("\n##### ") == text.count(" ago\n") + text.endswith(" ago") == 15),
}  # fmt: skip
"""Host -> the place of its page among the records, and whether it is read rightly: links below an
article, a class `rust`, a declared price, dates of a list of jobs."""


@pytest.mark.corpora
def test_real_pages_with_such_faults() -> None:
    """The first of them that a reading of the records comes to; in `make test-hard` all."""
    analyser = Analyser(AnalysisSettings.of(Job(extract=Extract(markdown=True))))
    chosen = sample(tuple(FAULTS), 2)
    read = set()
    for page in records("extraction/wcxb-dev", {FAULTS[host][0] for host in chosen}):
        body = page["html"].encode(errors="replace")
        request = AnalysisRequest(page["url"], body, "text/html", "utf-8")
        host = urlsplit(page["url"]).hostname or ""
        assert FAULTS[host][1](analyser.analyse(request).markdown or ""), host
        read.add(host)
    assert read == set(chosen)


def test_a_model_is_written_as_it_is_read(tmp_path: Path) -> None:
    """With its words, and the same bytes each time."""
    paths = tmp_path / "a.npz", tmp_path / "b.npz"
    shipped().save(paths[0])
    Model.load(paths[0]).save(paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert Model.load(paths[1]).told.words == shipped().told.words


@pytest.mark.parametrize("bytes_left", [None, 0, 100, 30_000])
def test_a_damaged_installation_is_told_before_the_crawl(
    bytes_left: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the file and the way out, where it is missing and wherever it is cut."""
    file = tmp_path / learned.FILE
    if bytes_left is not None:
        shipped().save(file)
        file.write_bytes(file.read_bytes()[:bytes_left])
    monkeypatch.setattr(learned, "FILE", str(file))
    shipped.cache_clear()
    try:
        with pytest.raises(ConfigError, match=rf"{file}: .*install the crawler again"):
            extractor(Engine.LEARNED)
    finally:
        monkeypatch.undo()
        shipped.cache_clear()


def test_the_largest_page_is_read() -> None:
    """With as many lines as are read, each in an element of its own; none of more is."""
    page = "".join(f"<p>{number} is a line of it.</p>" for number in range(MOST_LINES))
    lines = visible_lines(parse(page, "text/html"))
    assert can_choose(lines)
    assert sum(choose(lines, "").kept) > MOST_LINES / 2
    assert not can_choose([*lines, lines[0]])
    assert not can_choose([])
    assert not can_choose([Line("a" * (MOST_CHARACTERS + 1), 0)])
