"""The rules that tell copies from siblings: whether a stored page shows all that a page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup import layout_fingerprint
from crawler.dedup.copies import Appearance
from crawler.dedup.copies.agreement import Page
from crawler.dedup.copies.rules import Site, Weighed, show_alike, weigh
from crawler.models import (
    CODE_NOTATION,
    EMBED_LINE,
    MARKUP_NOTATION,
    NOTATION_LINE,
    Evidence,
    notation_key,
)
from crawler.urls.editions import LEAST, PROVEN, Claim, Editions, Support, claim_of

TEXT = (
    "The harbour master spoke about the new lighthouse at some length.",
    "Its lamp is seen from 40 km away in clear weather.",
    "The committee thanked him.",
)
URL = "http://a.test/one"
B = "http://b.test/news/7"
DRESS = layout_fingerprint({"body>div": 1, "div>main": 1, "main>p": 1})
PRINT = layout_fingerprint({"body>table": 1, "table>tr": 1, "tr>td": 1, "td>font": 1})
ROWS = tuple(f"A row of a table that stands beside the text, number {n}." for n in range(9))
LONG = tuple(f"{number}. Another list stands here, and this is a line." for number in range(9))
SAID = (TEXT[0].replace("some", "great"), *TEXT[1:])
FARTHER = (TEXT[0], TEXT[1].replace("40", "60"), TEXT[2])
EDITED = (SAID[0], TEXT[1].replace("clear", "fine"), TEXT[2].replace("thanked", "praised"))


def seen(url: str = URL, title: str | None = "Lighthouse", **parts: Any) -> Page:
    """Return a page with the text above, but for what is said."""
    layout = parts.pop("layout", None)
    return Page(replace(Appearance(title, text=TEXT), **parts), url, layout)


def but(page: Page, **changed: Any) -> Page:
    """Return a page with another URL or layout."""
    return Page(page.appearance, **{"url": page.url, "layout": page.layout, **changed})


ONE = seen()


class Known(Editions):
    """What a site's pages have proven of addresses, and some of them."""

    def __init__(
        self, support: Support | None = None, languages: bool = False, pages: Sequence[Page] = ()
    ) -> None:
        super().__init__()
        self.known, self.languages, self.pages = support or Support(), languages, pages

    def support(self, claim: Claim) -> Support:
        """See Editions."""
        return self.known

    def holds_languages(self, claim: Claim) -> bool:
        """See Editions."""
        return self.languages

    def others(self, url: str) -> Sequence[Page]:
        """See `rules.Site`."""
        return self.pages


EARNED, DOUBTLESS = Known(Support(LEAST, 0)), Known(Support(PROVEN, 0))


def weighed(page: Page, stored: Page | None, site: Known | None = None, **how: bool) -> Weighed:
    """Return what is said of two pages."""
    known = site or Known()
    claim = claim_of(page.url, stored.url) if stored else None
    return weigh(page, stored, Site(known, known.others), claim=claim, **how)


def told(page: Page, stored: Page | None, site: Known | None = None, **how: bool) -> Evidence:
    """Return the evidence alone."""
    return weighed(page, stored, site, **how).evidence


# --------------------------------------------------------------------------------------------------
# Of one site: what is shown


@pytest.mark.parametrize(
    ("parts", "of"),
    [
        ({}, {}),
        ({"text": (*TEXT, "Updated 3 days ago")}, {"text": (*TEXT, "Updated 5 days ago")}),
        ({"text": (*TEXT, "5 views")}, {}),
        ({"text": TEXT[:2], "beside": TEXT[2:]}, {}),
        ({"text": TEXT[::-1]}, {}),
        ({"text": (" ".join(TEXT),)}, {}),
        ({"text": (TEXT[0][:11], TEXT[0][12:], *TEXT[1:])}, {}),
        ({"title": None}, {}),
        ({}, {"title": "Lighthouse - Harbour News"}),
        ({"title": "The lamp"}, {"heading": "The lamp"}),
        ({}, {"beside": ROWS, "links": LONG, "apart": ("pone.png", "fKiel", "hAnswer", "eclip")}),
        ({"signs": ("* * *",)}, {}),
    ],
)
def test_a_page_is_a_copy_where_the_stored_one_shows_all_of_it(
    parts: dict[str, Any], of: dict[str, Any]
) -> None:
    """But for stamps and counters, in whatever lines and order; the stored one may show more."""
    page, stored = seen("http://a.test/two", **parts), seen(**of)
    assert weighed(page, stored) == (Evidence.SAME_TEXT, True)


BYLINE = "By Ann Lee, 3 May 2024"


@pytest.mark.parametrize(
    ("url", "parts", "lacks", "copy"),
    [
        ("http://a.test/one?print=1", {}, (BYLINE, "permalink sorted"), True),
        ("http://a.test/one?id=1&print=1", {}, (BYLINE,), False),
        ("http://a.test/two?print=1", {}, (BYLINE,), False),
        ("http://a.test/one", {}, (BYLINE,), False),
        ("http://a.test/one?print=1", {"beside": ("Kiel",)}, (BYLINE,), False),
        ("http://a.test/one?print=1", {"title": "Lamps"}, (BYLINE,), False),
        ("http://a.test/one?print=1", {}, ("Sold for 400",), False),
        ("http://a.test/one?print=1", {}, ("A walk along the shore and back by tram." * 4,), False),
        ("http://a.test/one?may=1", {}, ("Fully booked",), False),
    ],
)
def test_a_view_of_a_page_may_leave_out_what_stands_around_its_text(
    url: str, parts: dict[str, Any], lacks: tuple[str, ...], copy: bool
) -> None:
    """With a parameter more, and nothing of its own; unless other such views show what it lacks."""
    text = tuple(f"{line} Number {n}, told in full." for n in range(4) for line in TEXT)
    of = "http://a.test/one?id=2" if "id=" in url else URL
    page = seen(url, layout=DRESS, text=text, **{"title": "Lighthouse", **parts})
    stored = seen(of, layout=DRESS, text=(*text, *lacks))
    full = but(page_of(1, beside=("Fully booked",)), url="http://a.test/other?may=1")
    assert told(page, stored, Known(pages=[full])).is_copy is copy
    assert not told(stored, page).is_copy, "what a view leaves out is not lost"


def counting(views: int, url: str = URL, title: str | None = "Lighthouse", **parts: Any) -> Page:
    """Return the page with a counter below its text."""
    return seen(url, title, text=(*TEXT, f"{views} views"), **parts)


def test_a_counter_is_a_fact_until_pages_with_other_texts_have_one() -> None:
    """So of a poll: all that two pages of it tell may be how many votes there were."""
    page, stored = counting(5, "http://a.test/two"), counting(99)
    versions = Known(pages=[counting(n, f"http://a.test/{n}") for n in range(9)])
    assert weighed(page, stored, versions) == (Evidence.OTHER_NUMBERS, None)
    assert told(page, stored, Known(pages=[seen("http://a.test/4", "A", beside=("4 views",))])) is (
        Evidence.OTHER_NUMBERS
    ), "a version of it"
    labels = Known(pages=[page_of(1, beside=("Views", "Comments: 7"))])
    assert told(page, stored, labels) is Evidence.OTHER_NUMBERS
    for counter in ("1,024 views", "By Ann Lee | 7 views"):
        others = Known(pages=[page_of(1, beside=(counter,))])
        assert weighed(page, stored, others) == (Evidence.SAME_TEXT, True)


@pytest.mark.parametrize(
    ("title", "counter", "copy"),
    [
        ("Views of the harbour", "{} views", False),
        ("Visitors, by month", "Visitors: {}", False),
        ("One view", "{} views", False),
        ("各馆访问量", "访问量：{}", False),
        ("Lighthouse", "{} views", True),
        ("灯塔", "访问量：{}", True),
    ],
)
def test_what_a_title_speaks_of_no_page_counts_by_itself(
    title: str, counter: str, copy: bool
) -> None:
    """Though other pages of the site have such a counter: each museum's page has its visitors."""
    page, stored = (
        seen(f"http://a.test/{n}", title, text=(*TEXT, counter.format(n))) for n in (5, 99)
    )
    others = Known(pages=[page_of(1, beside=(counter.format(7),))])
    assert told(page, stored, others).is_copy is copy


@pytest.mark.parametrize(
    ("url", "of", "site", "agrees"),
    [
        ("http://a.test/one/", "http://a.test/One/index.html", Known(), True),
        ("http://b.test/one", URL, Known(), None),
        ("http://b.test/two", URL, Known(), None),
        ("http://a.test/one?sort=up", URL, EARNED, True),
    ],
)
def test_a_counter_moves_by_itself(url: str, of: str, site: Known, agrees: bool | None) -> None:
    """At one address, on another site, and where the site's pages have proven its addresses."""
    found = weighed(counting(5, url), counting(99, of), site)
    assert found.evidence.is_copy
    assert found.agrees is agrees


def test_with_a_parameter_another_count_contradicts() -> None:
    """As any text that changes with it: `?round=2` is another poll."""
    found = weighed(counting(5, "http://a.test/one?round=2"), counting(99))
    assert found == (Evidence.OTHER_NUMBERS, False)


OWN: list[tuple[dict[str, Any], Evidence]] = [
    ({"title": "Harbour"}, Evidence.OTHER_TITLE),
    ({"title": "Lighthouse 2"}, Evidence.OTHER_TITLE),
    ({"title": "Lighthouse - Kiel"}, Evidence.OTHER_TITLE),
    ({"heading": "Kiel"}, Evidence.OTHER_TEXT),
    ({"text": SAID}, Evidence.OTHER_TEXT),
    ({"text": FARTHER}, Evidence.OTHER_TEXT),
    ({"text": (*TEXT, "Kiel")}, Evidence.OTHER_TEXT),
    ({"text": (*TEXT, "5 July")}, Evidence.OTHER_TEXT),
    ({"text": (*TEXT, "Issued 3 May 2024: lot 44121, smoked salmon")}, Evidence.OTHER_TEXT),
    ({"beside": ("Kiel",)}, Evidence.OTHER_SURROUNDINGS),
    ({"beside": ("45,000 shares",)}, Evidence.OTHER_SURROUNDINGS),
    ({"apart": ("fRoom 7",)}, Evidence.OTHER_SURROUNDINGS),
    ({"apart": ("hThe answer is yes.",)}, Evidence.OTHER_SURROUNDINGS),
    ({"apart": ("pkiel.png",)}, Evidence.OTHER_SURROUNDINGS),
    ({"apart": ("ewatch?v=abc",)}, Evidence.OTHER_SURROUNDINGS),
    ({"apart": ("dsku: 44121",)}, Evidence.OTHER_SURROUNDINGS),
    ({"apart": ("wstars-4",)}, Evidence.OTHER_SURROUNDINGS),
]


@pytest.mark.parametrize(("parts", "evidence"), OWN, ids=[str(parts) for parts, _ in OWN])
@pytest.mark.parametrize(
    "url", [URL, "http://a.test/two", "http://a.test/en/one", "http://a.test/one?ref=news"]
)
def test_anything_of_its_own_makes_a_page_a_sibling(
    url: str, parts: dict[str, Any], evidence: Evidence
) -> None:
    """A name, number, date or word wherever it stands, and whatever the address says."""
    found = weighed(seen(url, **parts), seen("http://a.test/one"))
    assert found.evidence is evidence
    assert found.agrees is not True


@pytest.mark.parametrize("parts", [{"text": TEXT[:2]}, {"text": ()}, {}])
def test_a_text_with_less_in_it_is_another_one(parts: dict[str, Any]) -> None:
    """A table with fewer rows is a fact too; what stands beside the text may be missing."""
    stored = seen(heading="The lamp", beside=ROWS)
    assert told(seen("http://a.test/two", **parts), stored) is Evidence.OTHER_TEXT
    assert told(seen("http://a.test/two", heading="The lamp"), stored) is Evidence.SAME_TEXT


def test_links_to_other_pages_are_no_fact_of_a_page() -> None:
    """More of them beside the text are of the site, others in their place are a list of its own."""
    two, names = "http://a.test/two", ("Kiel", "Rome")
    assert told(seen(two, links=names), ONE) is Evidence.SAME_TEXT
    other = told(seen(two, links=names), seen(links=("Oslo", "Bern")))
    assert other is Evidence.OTHER_SURROUNDINGS
    assert told(seen(two, links=names), seen(links=("Rome Kiel", "Bern"))) is Evidence.SAME_TEXT


@pytest.mark.parametrize("url", [URL, "http://b.test/one"])
def test_nothing_is_known_of_pages_of_which_nothing_is_kept(url: str) -> None:
    """An address is no evidence, neither for nor against."""
    for one, other in ((ONE, None), (None, ONE)):
        claim = claim_of(URL, url)
        found = weigh(one, other, Site(DOUBTLESS), claim=claim)
        assert found == (Evidence.UNKNOWN, None)


# --------------------------------------------------------------------------------------------------
# Of one site: what its other pages show too


def page_of(n: int, **parts: Any) -> Page:
    """Return one of the other pages of the site."""
    title = f"Page {n} - Harbour News"
    return seen(
        f"http://a.test/p/{n}", title, text=(f"Something else is told on page {n}.",), **parts
    )


def test_what_the_sites_other_pages_show_is_none_of_the_pages_own() -> None:
    """Most of them; of links, headers and footers one is enough, in the place of nothing.

    `Sold out` above a third of all events is a fact of each.
    """
    page = seen("http://a.test/two", "Lighthouse - Harbour News", beside=("Newsletter",))
    showing = [page_of(n, beside=("Newsletter",)) for n in range(2)]
    others = [page_of(n) for n in range(2, 6)]
    assert told(page, ONE) is Evidence.OTHER_TITLE
    assert told(page, ONE, Known(pages=others)) is Evidence.OTHER_SURROUNDINGS
    assert told(page, ONE, Known(pages=showing + others)) is Evidence.OTHER_SURROUNDINGS
    assert told(page, ONE, Known(pages=showing + others[:2])) is Evidence.SAME_TEXT
    linked = seen("http://a.test/two", links=("A story that was told in the harbour",))
    others[0] = page_of(2, links=linked.appearance.links)
    assert told(linked, seen(links=("Home",)), Known(pages=others)) is Evidence.SAME_TEXT
    apart = seen("http://a.test/two", apart=("fOpen on Mondays",))
    assert told(apart, ONE, Known(pages=others)) is Evidence.OTHER_SURROUNDINGS
    others[1] = page_of(3, apart=apart.appearance.apart)
    assert told(apart, ONE, Known(pages=others)) is Evidence.SAME_TEXT


def test_lists_of_links_beside_one_text_are_facts() -> None:
    """Of a bus line they are its stops, in their order; none is what the stored page names too."""
    stops, others = (("Old Mill", "Court Row", "Quay"), ("Fair Oak", "Long Lane", "Halt"))
    page = seen("http://a.test/two", links=stops, order="TTTlll")
    assert told(page, seen(links=others, order="TTTlll")) is Evidence.OTHER_SURROUNDINGS
    assert told(page, seen(order="TTT")) is Evidence.SAME_TEXT
    assert told(page, seen(links=others + stops, order="TTTllllll")) is Evidence.SAME_TEXT


def test_the_order_of_lines_is_a_fact_in_one_template() -> None:
    """The stops of a bus that comes back; in another template, or sorted anew, it is none."""
    back = seen("http://a.test/two", text=TEXT[::-1], layout=DRESS)
    assert told(back, seen(layout=DRESS)) is Evidence.OTHER_SURROUNDINGS
    for url, layout in ((URL, PRINT), (URL, None), ("http://a.test/two?sort=name", DRESS)):
        assert told(back, seen(url, layout=layout)) is Evidence.SAME_TEXT


def test_in_another_dress_a_short_line_with_other_words_is_a_value() -> None:
    """With or without a number in it; an author beside a date that is written otherwise is not."""

    def dressed(url: str, line: str, layout: bytes | None) -> Page:
        return seen(url, heading="Lighthouse", text=(*TEXT * 9, line), layout=layout)

    page = dressed("http://a.test/print/one", "DELETE /v2/teams/7", PRINT)
    assert not told(page, dressed(URL, "DELETE /v2/boats/7", DRESS)).is_copy
    page = dressed("http://a.test/print/one", "By Ann Lee 2024-05-03", PRINT)
    assert told(page, dressed(URL, "By Ann Lee, 3 May 2024", DRESS)) is Evidence.SAME_TEXT


def test_what_is_drawn_says_something_in_one_template_only() -> None:
    """Each template has its own style sheet, but an element that both draw by numbers is one."""

    def drawn(url: str, look: str, layout: bytes | None) -> Page:
        return seen(url, heading="Lighthouse", text=TEXT * 9, apart=(f"w{look}",), layout=layout)

    stored = drawn(URL, "stars-3", DRESS)
    other = told(drawn("http://a.test/two", "four", DRESS), stored)
    assert other is Evidence.OTHER_SURROUNDINGS
    assert told(drawn("http://a.test/print/one", "four", PRINT), stored) is Evidence.SAME_TEXT
    by_numbers = told(drawn("http://a.test/print/one", "stars-4", PRINT), stored)
    assert by_numbers is Evidence.OTHER_SURROUNDINGS


def powers(url: str, *notations: str, layout: bytes | None = DRESS) -> Page:
    """Return a page with lines that are written so."""
    apart = tuple(f"{NOTATION_LINE}{one}" for one in notations)
    return seen(url, heading="Lighthouse", text=TEXT * 9, apart=apart, layout=layout)


@pytest.mark.parametrize(
    ("url", "layout"),
    [("http://a.test/two", DRESS), ("http://a.test/print/one", PRINT), (B, PRINT)],
)
@pytest.mark.parametrize(
    ("ours", "theirs", "copy"),
    [
        ((f"{notation_key(TEXT[0])} 10↑2",), (f"{notation_key(TEXT[0])} 10↑2",), True),
        ((f"{notation_key(TEXT[0])} 10↑2",), (), False),
        ((f"{notation_key(TEXT[0])} 10↑2",), (f"{notation_key(TEXT[0])} 10↓2",), False),
        (("57aa 10↑2",), (), True),
        ((f"{CODE_NOTATION}one() … 12ab",), (f"{CODE_NOTATION}one() … 12ab",), True),
        ((f"{CODE_NOTATION}one() … 12ab",), (f"{CODE_NOTATION}one() … 34cd",), False),
        ((f"{CODE_NOTATION}one() … 12ab",), (), True),
    ],
)
def test_how_a_line_of_both_pages_is_written_is_a_fact(
    ours: tuple[str, ...], theirs: tuple[str, ...], copy: bool, url: str, layout: bytes | None
) -> None:
    """On either page, in whatever template, on another site too; not of what one does not show."""
    page, stored = powers(url, *ours, layout=layout), powers(URL, *theirs)
    assert told(page, stored).is_copy is told(stored, page).is_copy is copy


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (("Meals", "before", TEXT[0]), ("Meals", "after", TEXT[0])),
        (TEXT, (TEXT[0], TEXT[1].replace("is seen", "is not seen"), TEXT[2])),
        (("Ann", "Ben", *TEXT), ("Ben", "Ann", *TEXT)),
        (("Power 5 mW", *TEXT), ("Power 5 MW", *TEXT)),
    ],
)
def test_in_another_dress_a_form_is_filled_in_with_other_things(
    ours: tuple[str, ...], theirs: tuple[str, ...]
) -> None:
    """A value between two lines, a word put in, another order, another case: two pages."""
    page = seen("http://a.test/print/41", text=ours, layout=PRINT)
    assert not told(page, seen("http://a.test/item/42", text=theirs, layout=DRESS)).is_copy
    same = seen("http://a.test/item/41", text=ours, layout=DRESS)
    assert told(page, same) is Evidence.SAME_TEXT


@pytest.mark.parametrize(
    ("own", "its"),
    [
        ({"beside": ("Ann Lee",)}, {"beside": ("Bo Day",)}),
        ({"apart": ("w3c48a0",)}, {"apart": ("w1f7a2b",)}),
    ],
)
def test_what_others_of_its_form_show_is_missed_on_a_page(
    own: dict[str, Any], its: dict[str, Any]
) -> None:
    """One that stands on no page of the stored one's form may be of the other template."""
    parts: dict[str, Any] = {"heading": "Lighthouse", "text": TEXT * 9}
    page = seen("http://a.test/print/one", layout=PRINT, **parts, **own)
    stored = seen(layout=DRESS, **parts, **its)
    for layout, copy in ((DRESS, False), (PRINT, True)):
        site = Known(pages=[page_of(1, layout=layout, **own)])
        assert told(page, stored, site).is_copy is copy


def test_a_judged_line_that_all_others_of_the_form_show_is_a_fact_where_one_lacks_it() -> None:
    """A list with one name less; of another form it may be the menu that was judged with a text."""
    pages = [page_of(n, beside=("Ann Lee",), layout=DRESS) for n in range(9)]
    page = seen("http://a.test/two", text=(*TEXT, "Ann Lee"), layout=DRESS)
    for layout, copy in ((DRESS, False), (PRINT, True)):
        assert told(page, seen(layout=layout), Known(pages=pages)).is_copy is copy


@pytest.mark.parametrize(
    ("url", "of", "copy"),
    [
        ("http://a.test/print/41", "http://a.test/post/42", False),
        ("http://a.test/print/41", "http://a.test/post/41", True),
        ("http://a.test/print.php?id=41", "http://a.test/post-41", True),
        ("http://a.test/print.php?id=41", "http://a.test/post-42", False),
        ("http://a.test/print.php?id=41", "http://a.test/post.php?id=42&page=1", False),
        ("http://a.test/print/41?size=2", "http://a.test/2024/post-41", True),
    ],
)
def test_in_another_template_things_numbered_apart_are_two(url: str, of: str, copy: bool) -> None:
    """By all that a printed form leaves out they may differ; a query may hold a path's number."""
    parts: dict[str, Any] = {"heading": "Lighthouse", "text": TEXT * 9}
    page = seen(url, beside=("Agreed",), layout=PRINT, **parts)
    assert told(page, seen(of, beside=("Forum",), layout=DRESS, **parts)).is_copy is copy


@pytest.mark.parametrize(
    ("url", "of", "parts"),
    [
        ("http://a.test/two", URL, {}),
        ("http://a.test/one?n=2", "http://a.test/one?n=1", {}),
        ("http://a.test/one?sid=a", "http://a.test/one?sid=b", {"copy": True}),
        ("http://a.test/two", URL, {"copy": True, "layout": PRINT}),
        ("http://a.test/two", URL, {"copy": True, "beside": ("77 views",)}),
        ("http://a.test/fr/one", URL, {"copy": True, "language": "fr"}),
    ],
)
def test_in_one_template_markup_is_a_fact(url: str, of: str, parts: dict[str, Any]) -> None:
    """At two paths or numbers, of one language and as many lines: a class may say `sold out`."""
    copy, layout = parts.pop("copy", False), parts.pop("layout", DRESS)
    marked = [(f"{NOTATION_LINE}{MARKUP_NOTATION}{one}",) for one in "ab"]
    its: dict[str, Any] = {"language": "en", "layout": DRESS, "apart": marked[0]}
    page = seen(url, layout=layout, **{"language": "en", "apart": marked[1]} | parts)
    assert told(page, seen(of, **its)).is_copy is copy
    assert told(but(page, url="http://a.test/one"), seen(of, **its)).is_copy
    unknown = seen(of, **its | {"apart": ()})
    assert told(page, unknown).is_copy


@pytest.mark.parametrize(
    ("own", "its"),
    [
        ({"text": (*TEXT, "Stop; go")}, {"text": (*TEXT, "Stop, go")}),
        ({"beside": ("Stop; go",)}, {"beside": ("Stop, go",)}),
        ({"signs": ("— · —",)}, {"signs": ("· — ·",)}),
        ({"apart": (f"{EMBED_LINE}aBcd",)}, {"apart": (f"{EMBED_LINE}aBCd",)}),
    ],
)
def test_in_one_template_any_sign_is_a_fact(own: dict[str, Any], its: dict[str, Any]) -> None:
    """Punctuation may be all that was filled in, and the case of letters all of a film's name."""
    page = seen("http://a.test/two", layout=DRESS, **own)
    assert not told(page, seen(layout=DRESS, **its)).is_copy
    assert told(page, seen(layout=DRESS, **own)).is_copy


def test_a_whole_title_is_no_section_of_its_folder() -> None:
    """Minutes of two days in two folders: another page of a folder bears the title, too."""
    page = seen("http://a.test/11-june/a", "Minutes, 11 June")
    beside = seen("http://a.test/11-june/b", "Minutes, 11 June", text=ROWS)
    stored = seen("http://a.test/12-march/a", "Minutes, 12 March")
    assert told(page, stored, Known(pages=(beside,))) is Evidence.OTHER_TITLE
    page = seen("http://a.test/11-june/a", "Minutes | June")
    beside = seen("http://a.test/11-june/b", "Agenda | June", text=ROWS)
    stored = seen("http://a.test/12-march/a", "Minutes | March")
    assert told(page, stored, Known(pages=(beside,))).is_copy


def test_a_translation_at_its_address_has_its_own_heading() -> None:
    """Of other addresses it may be the heading of another page."""
    en = seen("http://a.test/en/one", heading="The lamp", language="en", text=TEXT * 9)
    fr: dict[str, Any] = {"heading": "Le phare", "language": "fr", "text": TEXT * 9}
    page = seen("http://a.test/fr/one", layout=PRINT, **fr)
    assert told(page, but(en, layout=DRESS)) is Evidence.SAME_TEXT
    assert not told(but(page, url="http://a.test/fr/two"), but(en, layout=DRESS)).is_copy


def test_an_untranslated_text_may_have_a_label_in_the_language_of_its_menu() -> None:
    """At its address, of which another language is an edition; at another one it was filled in."""

    def page(url: str, language: str, label: str, layout: bytes | None) -> Page:
        text = (*TEXT * 9, f"{label} 1 sums up what was said of the lamp.")
        return seen(url, language=language, text=text, layout=layout)

    stored = page("http://a.test/en/one", "en", "Table", DRESS)
    assert told(page("http://a.test/fr/one", "fr", "Tableau", PRINT), stored) is Evidence.SAME_TEXT
    assert not told(page("http://a.test/fr/two", "fr", "Tableau", PRINT), stored).is_copy


def test_a_name_in_a_menu_is_that_of_another_page() -> None:
    """Of one template the headings are compared, whatever else the two pages list."""
    names = ("Ann Lee", "Anna Lee")
    ann, anna = (
        seen(f"http://a.test/{n}", heading=name, text=(*TEXT, *names), layout=DRESS)
        for n, name in enumerate(names)
    )
    assert told(ann, anna) is told(anna, ann) is Evidence.OTHER_TITLE
    menus = Known(pages=[page_of(n, links=names) for n in range(9)])
    page = seen("http://a.test/two", text=(*TEXT, "Ann Lee"))
    stored = seen(text=(*TEXT, "Bo Ek"))
    assert told(page, stored, menus) is Evidence.OTHER_TEXT


def test_the_pages_own_address_is_no_fact() -> None:
    """A copy for printing says where it was printed from, or where the page itself is."""
    for line in ("Printed from /one?print=1", "Address: http://a.test/one", "URL a.test/one"):
        page = seen("http://a.test/one?print=1", text=(*TEXT, line))
        assert told(page, ONE, short=True) is Evidence.SAME_TEXT
    for line in (
        "DELETE /one",
        "Printed from /three",
        "Printed from /one?print=1 on 5 lamps",
        "See a.test/two",
    ):
        assert told(seen("http://a.test/one?print=1", text=(*TEXT, line)), ONE).is_copy is False
    assert told(seen("judge:#2", text=(*TEXT, "2")), seen("judge:#1")) is Evidence.OTHER_TEXT


def test_a_version_of_a_page_is_known_by_its_sentences() -> None:
    """However they are cut into lines: its facts are not the site's."""
    own, cut = ("vOak 29 EUR",), (" ".join(TEXT),)
    page = seen("http://a.test/two", apart=own)
    for text in (cut, TEXT):
        version = Known(pages=[seen("http://a.test/print/two", None, text=text, apart=own)])
        assert told(page, seen(apart=("vAsh 31 EUR",)), version) is Evidence.OTHER_SURROUNDINGS


def test_what_was_filled_in_is_a_pages_own_though_others_show_it() -> None:
    """Two lamps are red, and this one is not blue; what most pages show is the site's."""
    red, blue = seen("http://a.test/two", beside=("Red",)), seen(beside=("Blue",))
    with_red = [page_of(n, beside=("Red",)) for n in range(3)]
    without = [page_of(n) for n in range(3, 8)]
    assert told(red, blue, Known(pages=with_red[:1])) is Evidence.OTHER_SURROUNDINGS
    assert told(red, blue, Known(pages=[*with_red, *without])) is Evidence.OTHER_SURROUNDINGS
    assert told(red, blue, Known(pages=with_red)) is Evidence.SAME_TEXT


def test_versions_of_a_page_do_not_tell_what_the_site_has() -> None:
    """A third page of its name, or with its text, shows all of it."""
    page, stored = seen("http://a.test/two", text=(*TEXT, "Newsletter")), seen()
    versions = [but(page, url=f"http://a.test/{n}") for n in range(3)]
    assert told(page, stored, Known(pages=versions)) is Evidence.OTHER_TEXT
    named = [seen(f"http://a.test/{n}", f"Page {n}", text=(*TEXT, "Newsletter")) for n in range(3)]
    assert told(page, stored, Known(pages=named)) is Evidence.OTHER_TEXT
    others = [page_of(n, beside=("Newsletter",)) for n in range(2)]
    assert told(page, stored, Known(pages=others[:1])) is Evidence.OTHER_TEXT
    assert told(page, stored, Known(pages=others)) is Evidence.SAME_TEXT


# --------------------------------------------------------------------------------------------------
# Of one site: declared, in another dress


def test_what_is_declared_is_one_page_in_another_dress() -> None:
    """Links, pictures, header and footer may be other ones; words, numbers and names may not."""
    two = "http://a.test/two"
    dressed: dict[str, Any] = {"links": LONG[:2], "apart": ("pprint.png", "fPrinted by Kiel")}
    for page, stored in (
        (seen(two, canonical_url=URL, **dressed), ONE),
        (seen(two, **dressed), seen(canonical_url=two)),
        (seen(two, alternates=("http://c.test/", URL), **dressed), ONE),
        (
            seen(two, canonical_url="http://a.test/3", **dressed),
            seen(canonical_url="http://a.test/3"),
        ),
    ):
        assert weighed(page, stored) == (Evidence.CANONICAL, True)
    for own in (
        {"text": FARTHER},
        {"title": "Harbour"},
        {"beside": ("Kiel",)},
        {"apart": ("eclip",)},
    ):
        assert not told(seen(two, canonical_url=URL, **own), ONE).is_copy
    home = "http://a.test/"
    careless = seen(two, canonical_url=home, **dressed), seen(canonical_url=home)
    assert told(*careless) is Evidence.OTHER_SURROUNDINGS, "careless sites name their home page"


def test_a_page_for_printing_is_a_copy() -> None:
    """In another template, under one heading: words without a number may be left over around it."""
    parts: dict[str, Any] = {"heading": "Lighthouse", "layout": PRINT, "text": TEXT * 9}
    stored = seen(heading="Lighthouse", layout=DRESS, text=TEXT * 9)
    page = seen("http://a.test/print/one", beside=("Print this page",), **parts)
    assert told(page, stored) is Evidence.SAME_TEXT
    assert told(but(page, layout=DRESS), stored) is Evidence.OTHER_SURROUNDINGS
    assert told(but(page, layout=None), stored) is Evidence.OTHER_SURROUNDINGS
    for own in ({"beside": ("Room 7",)}, {"heading": "Kiel"}, {"title": "Lighthouse - Part 2"}):
        assert not told(seen("http://a.test/print/one", **(parts | own)), stored).is_copy, own
    for own in ({"apart": ("ewatch?v=1",)}, {"apart": ("dblue",)}, {"apart": ("hBlue.",)}):
        assert not told(seen("http://a.test/print/one", **(parts | own)), stored).is_copy, own
    for ours, theirs in (("Red", "Blue"), ("It weighs 40 kg.", "It weighs 25 kg.")):
        page = seen("http://a.test/print/one", **(parts | {"text": (*TEXT * 9, ours)}))
        of = (*TEXT * 9, theirs)
        other = seen(heading="Lighthouse", layout=DRESS, text=of, beside=("40 visits",))
        assert not told(page, other).is_copy, "a value is nothing that an editor changed"
    edited = seen("http://a.test/print/one", **(parts | {"text": (*SAID, *TEXT * 8)}))
    assert weighed(edited, stored) == (Evidence.SAME_TEXT, None), "it says nothing of addresses"
    ticked: list[dict[str, Any]]
    ticked = [{"beside": ("Open",), "apart": (f"wOpen 1 {n}",)} for n in (2, 3)]
    scores: list[dict[str, Any]] = [{"beside": ("Ayr 2–1 Bo",)}, {"beside": ("Bo 2–1 Ayr",)}]
    for mine, its in (ticked, scores):
        shown = seen(heading="Lighthouse", layout=DRESS, text=TEXT * 9, **its)
        assert not told(seen("http://a.test/print/one", **(parts | mine)), shown).is_copy, mine
    dated = seen("http://a.test/print/one", beside=("Friday, 3 May 2024",), **parts)
    assert not told(dated, stored).is_copy
    day = seen(heading="Lighthouse", layout=DRESS, text=TEXT * 9, beside=("2024-05-03",))
    assert told(dated, day) is Evidence.SAME_TEXT, "a date in another form"


@pytest.mark.parametrize("title", ["Jobs", "Driver in Kiel - Jobs"])
def test_a_link_with_the_name_of_a_page_leads_to_it(title: str) -> None:
    """What only links beside a text say is of other pages: no stored page shows it by that."""
    name = "Driver in Kiel"
    page = seen("http://a.test/kiel", title, heading=name, layout=PRINT)
    stored = seen("http://a.test/bonn", "Jobs", heading="Driver in Bonn", layout=DRESS)
    for links, copy in (((name,), False), (("Driver in Rome",), False)):
        linking = Page(replace(stored.appearance, links=links), stored.url, stored.layout)
        assert told(page, linking).is_copy is copy, links
    called = seen("http://a.test/bonn", f"{name} - Jobs", links=(name,), layout=DRESS)
    assert told(page, called).is_copy, "that is what it is called itself"
    place, form = (("Kiel", *TEXT * 9), {"heading": "Driver", "layout": PRINT}), ("Bonn", *TEXT * 9)
    filled = seen("http://a.test/7", "Jobs", text=place[0], **place[1])
    stored = seen("http://a.test/8", "Jobs", heading="Driver", text=form, links=(name,))
    assert not told(filled, but(stored, layout=DRESS)).is_copy, "its place is that of the link"


@pytest.mark.parametrize(
    ("url", "pictures", "copy"),
    [
        ("shirt-blue", ("pblue.png", "pred.png"), False),
        ("photo-7", ("pblue.png", "pred.png"), False),
        ("print/shirt-red", ("pblue.png", "pred.png"), True),
        ("shirt-blue", ("pblue.png", "fSale"), True),
        ("shirt-blue", ("fSale", "pred.png"), True),
    ],
)
def test_in_another_dress_two_pictures_are_two_pages(
    url: str, pictures: tuple[str, str], copy: bool
) -> None:
    """Where the addresses name or number two things, too; a copy may have the picture renamed."""
    page, stored = (
        seen(f"http://a.test/{path}", apart=(picture,), layout=layout)
        for path, picture, layout in zip(
            (url, "shirt-red" if "shirt" in url else "photo-8"),
            pictures,
            (PRINT, DRESS),
            strict=True,
        )
    )
    assert told(page, stored).is_copy is copy


@pytest.mark.parametrize(
    ("url", "of", "copy"),
    [
        ("print/one", "one", True),
        ("one.amp.html", "one.html", True),
        ("print?of=one", "one", True),
        ("news?id=41", "wire/41.html", True),
        ("print/two", "one", False),
        ("print/7/one", "8/one", False),
        ("print/one-more", "one", False),
        ("v1-next/docs/one.html", "v1/docs/one.html", False),
        ("c/1/one.html", "more/1/one.html", False),
    ],
)
def test_a_page_for_printing_may_be_edited(url: str, of: str, copy: bool) -> None:
    """In one word, unless the addresses name or number two things: a form was filled in."""
    page, stored = (
        seen(f"http://a.test/{path}", heading="Lighthouse", layout=layout, text=(*text, *LONG))
        for path, layout, text in ((url, PRINT, SAID), (of, DRESS, TEXT))
    )
    assert told(page, stored).is_copy is copy


# --------------------------------------------------------------------------------------------------
# Editions


V2, V1 = "http://a.test/v2/one", "http://a.test/v1/one"
MORE = tuple(f"This line stands in each version, and so do the {word}." for word in "abcdefgh")


def edition(url: str, *lines: str, **parts: Any) -> Page:
    """Return a page of which most is the same in all editions."""
    return seen(url, text=(*lines, *MORE), **parts)


@pytest.mark.parametrize("url", [V1, "http://b.test/v2/one", V2 + "?sid=1", V2 + "/amp"])
def test_an_edition_is_earned(url: str) -> None:
    """An edited text is the edition's where pages of the site have proven it, else nowhere."""
    page, stored = edition(V2, *EDITED, layout=DRESS), edition(url, *TEXT, layout=DRESS)
    assert told(page, stored) is Evidence.OTHER_TEXT
    assert told(page, stored, Known(Support(LEAST - 1, 0))) is Evidence.OTHER_TEXT
    assert told(page, stored, EARNED) is Evidence.SAME_ADDRESS
    assert told(page, stored, Known(Support(LEAST, LEAST))) is Evidence.OTHER_TEXT
    assert told(page, stored, DOUBTLESS) is Evidence.SAME_ADDRESS


@pytest.mark.parametrize(
    ("parts", "of", "evidence"),
    [
        ({"text": (*TEXT, "It is not lit.")}, {"text": (*TEXT, "It is lit.")}, Evidence.OTHER_TEXT),
        ({"text": (*TEXT, "Dogs may not come in.")}, {"text": TEXT}, Evidence.OTHER_TEXT),
        ({"text": TEXT}, {"text": (*TEXT, "Dogs may not come in.")}, Evidence.OTHER_TEXT),
        (
            {"text": (*TEXT, "We mend taps in York.", "Our men live in York, at Mill Street.")},
            {"text": (*TEXT, "We mend taps in Hull.", "Our men live in Hull, at Dock Street.")},
            Evidence.OTHER_TEXT,
        ),
        (
            {"text": (*TEXT, "我们在上海修水龙头。", "上海的师傅随叫随到。")},
            {"text": (*TEXT, "我们在北京修水龙头。", "北京的师傅随叫随到。")},
            Evidence.OTHER_TEXT,
        ),
        ({"beside": ("Lift: ✓",)}, {"beside": ("Lift: ✗",)}, Evidence.OTHER_SURROUNDINGS),
        ({"apart": ("iharbour.jpg",)}, {"apart": ("ipier.jpg",)}, Evidence.OTHER_SURROUNDINGS),
    ],
)
def test_no_edition_is_told_apart_by_one_thing(
    parts: dict[str, Any], of: dict[str, Any], evidence: Evidence
) -> None:
    """A sentence, a sign, a picture, or words wherever they stand are filled in: in doubt stored.

    Such a pair speaks against the edition, so a site of branches is not believed for long.
    """
    page, stored = (
        edition(url, *some.pop("text", TEXT), layout=DRESS, **some)
        for url, some in ((V2, {**parts}), (V1, {**of}))
    )
    assert weighed(page, stored, EARNED) == (evidence, False)
    assert weighed(page, stored, DOUBTLESS) == (evidence, False)


@pytest.mark.parametrize("said", ["Posted on {}", "发布时间：{}"])
def test_two_notices_of_one_text_are_told_apart_by_their_days(said: str) -> None:
    """A day says nothing where it is the same one, where one page tells none, or in an edition."""

    def notice(path: str, day: str) -> Page:
        return seen(f"http://a.test{path}", layout=DRESS, beside=(day,))

    page, stored = notice("/9", said.format("2023-02-09")), notice("/3", said.format("2023-01-03"))
    assert told(page, stored) is Evidence.OTHER_NUMBERS
    same = notice("/3", said.format("2023-02-09 10:22"))
    assert told(page, same) is Evidence.SAME_TEXT
    assert told(notice("/print/3", "Published: 9 February 2023"), page) is Evidence.SAME_TEXT
    assert told(page, notice("/3", "Home")) is Evidence.SAME_TEXT
    later = notice("/v2/9", said.format("2023-03-12"))
    assert told(later, notice("/v1/9", said.format("2023-02-09")), EARNED) is Evidence.SAME_TEXT
    assert told(notice("/9", said.format("2023-03-12")), page) is Evidence.SAME_TEXT


def test_without_a_claim_nothing_is_an_edition() -> None:
    """Where addresses differ in more than one place."""
    assert told(seen("http://a.test/two", text=EDITED), ONE, DOUBTLESS) is Evidence.OTHER_TEXT


@pytest.mark.parametrize(
    ("parts", "of", "evidence"),
    [
        ({"title": "Lighthouse Kiel"}, {"title": "Lighthouse Rome"}, Evidence.OTHER_TITLE),
        ({"heading": "The lamp of Kiel"}, {"heading": "The lamp of Rome"}, Evidence.OTHER_TITLE),
        (
            {"text": (*TEXT, "Telephone: 0431 12345")},
            {"text": (*TEXT, "Telephone: 0421 67890")},
            Evidence.OTHER_NUMBERS,
        ),
        (
            {"text": (*TEXT, "The lamp weighs 40 kg.", "The bell weighs 50 kg.")},
            {"text": (*TEXT, "The lamp weighs 60 kg.", "The bell weighs 70 kg.")},
            Evidence.OTHER_NUMBERS,
        ),
        ({"apart": ("ewatch?v=1",)}, {}, Evidence.OTHER_SURROUNDINGS),
        ({"apart": ("dblue",)}, {"apart": ("dred",)}, Evidence.OTHER_SURROUNDINGS),
        ({"apart": ("hIt is blue.",)}, {}, Evidence.OTHER_SURROUNDINGS),
    ],
)
def test_an_edition_is_contradicted_by_names_and_amounts(
    parts: dict[str, Any], of: dict[str, Any], evidence: Evidence
) -> None:
    """Whatever is proven of addresses; and it is counted against them."""
    page, stored = seen(V2, **parts), seen(V1, **of)
    assert weighed(page, stored, EARNED) == (evidence, False)
    assert weighed(page, stored, DOUBTLESS) == (evidence, False)
    assert weighed(page, stored).agrees is False


def test_a_value_contradicts_an_edition_that_is_not_beyond_doubt() -> None:
    """A price that stands alone is no word for another; the edition's own number is none."""
    page, stored = edition(V2, *TEXT, beside=("$29",)), edition(V1, *TEXT)
    assert weighed(page, stored, EARNED) == (Evidence.OTHER_NUMBERS, False)
    one, other = (
        edition(f"http://a.test/{of}/one", *TEXT, f"Version {of}", title="Lighthouse")
        for of in ("v1", "v2")
    )
    assert weighed(one, other, EARNED) == (Evidence.SAME_ADDRESS, True)
    fewer = edition(V1, *TEXT, "Kiel", "The bell is rung.")
    assert weighed(edition(V2, *TEXT), fewer).agrees is None, "the other says more"


def test_a_parameter_asks_for_another_page_until_pages_show_the_same() -> None:
    """What differs between two of its values counts against it, be it only edited."""
    page, stored = edition(f"{V2}?sid=1", *EDITED), edition(V2, *TEXT)
    assert weighed(page, stored) == (Evidence.OTHER_TEXT, False)
    assert weighed(edition(V1, *EDITED), stored) == (Evidence.OTHER_TEXT, None)


def test_one_number_is_an_editors_only_where_editions_are_beyond_doubt() -> None:
    """Of few pages it may be all that a reader comes for; words say neither for nor against."""
    page, stored = edition(V2, EDITED[0], FARTHER[1], EDITED[2]), edition(V1, *TEXT)
    assert weighed(page, stored, EARNED) == (Evidence.OTHER_NUMBERS, False)
    assert told(page, stored, DOUBTLESS) is Evidence.SAME_ADDRESS
    assert weighed(edition(V2, *EDITED), stored, EARNED) == (Evidence.SAME_ADDRESS, None)


@pytest.mark.parametrize(("one", "other"), [("15", "16"), ("3.11", "3.12"), ("1.0", "2.0")])
def test_an_edition_may_name_itself(one: str, other: str) -> None:
    """In its title and text, where the other one names its own: then the two show the same."""
    page, stored = (
        edition(f"http://a.test/{of}/one", *TEXT, f"This is {of} of it.", title=f"Lighthouse {of}")
        for of in (one, other)
    )
    assert weighed(page, stored) == (Evidence.OTHER_TITLE, True)
    assert weighed(page, stored, EARNED) == (Evidence.SAME_ADDRESS, True)
    own = edition(page.url, *TEXT, f"This is {one} of it.", "Kiel", title=f"Lighthouse {one}")
    assert weighed(own, stored).agrees is False, "a line more speaks against it"


def test_most_of_what_is_visible_must_be_the_same_in_an_edition() -> None:
    """One judged text under two long lists: whatever names the pages, one would miss the other."""
    page, stored = seen(V2, beside=ROWS), seen(V1, beside=LONG)
    assert told(page, stored, DOUBTLESS) is not Evidence.SAME_ADDRESS
    assert not show_alike(page, stored)
    assert show_alike(page, None), "nothing is known"
    linked = seen(V2, links=LONG), seen("http://b.test/v2/one", links=ROWS)
    assert show_alike(*linked), "another host has another navigation"


FRENCH = ("Le maître du port a parlé du nouveau phare.", "Le comité le remercia.")


def test_translated_pairs_are_told_by_what_they_declare() -> None:
    """Other words in title and text then speak for the addresses, other amounts against them."""
    menu = tuple(f"{n} · Lighthouse" for n in "abcdefghi")
    parts: dict[str, Any] = {"beside": (*ROWS, *menu)}
    stored = seen("http://a.test/en/one", language="en", **parts)
    page = seen("http://a.test/fr/one", "Phare", text=FRENCH, language="fr", **parts)
    assert weighed(page, stored).agrees is True
    assert weighed(page, stored).evidence is Evidence.OTHER_TITLE
    assert told(page, stored, EARNED) is Evidence.SAME_ADDRESS
    british = seen("http://a.test/gb/one", "Phare", text=FRENCH, language="en-GB", **parts)
    assert weighed(british, stored, EARNED) == (Evidence.OTHER_TITLE, False), "one language"


def test_an_address_tells_a_language_where_the_slot_holds_them() -> None:
    """`/fr/` and `/de/` are departments of a firm, `/ga/` and `/al/` states, until it is proven."""
    page, stored = (
        seen("http://a.test/fr/one", "Lighthouse Kiel"),
        seen("http://a.test/de/one", "Lighthouse Rome"),
    )
    proven = Support(PROVEN, 0)
    assert told(page, stored, Known(proven)) is Evidence.OTHER_TITLE
    assert told(page, stored, Known(proven, languages=True)) is Evidence.SAME_ADDRESS
    x, y = but(page, url="http://a.test/x1/one"), but(stored, url="http://a.test/y1/one")
    assert told(x, y, Known(proven, languages=True)) is Evidence.OTHER_TITLE


def test_a_rewritten_text_is_told_by_its_words_alone() -> None:
    """At one address, of pages that are not alike, the lines in another language decide."""
    page, stored = seen("http://a.test/fr/one", text=(*FRENCH, *TEXT)), seen("http://a.test/en/one")
    assert told(page, stored, alike=False) is Evidence.OTHER_TEXT
    assert told(stored, page, alike=False) is Evidence.OTHER_TEXT, "less is told in order, too"
    known = Known(pages=[page_of(n, beside=FRENCH) for n in range(4)])
    assert told(page, stored, known, alike=False) is Evidence.SAME_TEXT, "the site says it all over"


def test_pages_that_are_not_alike_are_copies_only_where_all_is_shown() -> None:
    """No edition is asked for, and no reprint."""
    assert (
        told(edition(V2, *SAID), edition(V1, *TEXT), DOUBTLESS, alike=False) is Evidence.OTHER_TEXT
    )
    assert told(edition(V2, *TEXT), edition(V1, *TEXT), alike=False) is Evidence.SAME_TEXT
    assert told(seen("http://b.test/x"), ONE, alike=False) is Evidence.OTHER_TEXT


# --------------------------------------------------------------------------------------------------
# Short texts


@pytest.mark.parametrize(
    ("line", "stored", "copy"),
    [
        ("The lamp is lit.", "The lamp is lit.", True),
        ("The lamp is lit?", "The lamp is lit.", False),
        ("f(a, b)", "f(a b)", False),
        ("The Lamp is lit.", "The lamp is lit.", False),
        ("The lamp is lit. Updated 5 days ago", "The lamp is lit. Updated 3 days ago", True),
    ],
)
def test_in_short_texts_punctuation_counts(line: str, stored: str, copy: bool) -> None:
    """Many pages of a site are one sentence, the same for two things; in long ones it does not."""
    page, other = seen("http://a.test/two", text=(line,)), seen(text=(stored,))
    assert told(page, other, short=True).is_copy is copy
    assert told(page, other).is_copy


# --------------------------------------------------------------------------------------------------
# Of two sites


VERSES = tuple(f"And {n} ships passed {{0}} at night, and {{0}} saw them all." for n in range(4))


def about(url: str, title: str, name: str) -> Page:
    """Return a page in which a name stands throughout."""
    return seen(url, title, text=(*TEXT, *(verse.format(name) for verse in VERSES)))


def drawn(url: str, *balls: str) -> Page:
    """Return a page with numbers beside its text, between two lines of it."""
    beside, order = ("Result", *balls), f"T{'b' * (1 + len(balls))}TT"
    return seen(url, beside=beside, order=order)


@pytest.mark.parametrize(
    ("page", "stored", "evidence"),
    [
        (seen(B), ONE, Evidence.REPRINT),
        (seen(B, "Daily"), ONE, Evidence.REPRINT),
        (seen(B, heading="All about the lamp"), seen(heading="He spoke to us"), Evidence.REPRINT),
        (seen(B, links=ROWS), ONE, Evidence.REPRINT),
        (seen(B, beside=("By Ann", "3 May 2024")), seen(beside=("4 June 2024",)), Evidence.REPRINT),
        (seen(B, text=(*TEXT, "By Ann")), seen(text=(*TEXT, "4 June 2024")), Evidence.REPRINT),
        (seen(B, apart=("eclip",)), ONE, Evidence.REPRINT),
        (seen(B, apart=("eclip",)), seen(apart=("efilm",)), Evidence.OTHER_SURROUNDINGS),
        (seen(B, beside=ROWS), ONE, Evidence.OTHER_SURROUNDINGS),
        (ONE, seen(B, beside=ROWS), Evidence.OTHER_SURROUNDINGS),
        (seen(B, text=FARTHER), ONE, Evidence.OTHER_NUMBERS),
        (seen(B, beside=("€29",)), ONE, Evidence.OTHER_NUMBERS),
        (seen(B, beside=("Price: $29",)), seen(beside=("Price: €29",)), Evidence.OTHER_NUMBERS),
        (seen(B, text=(*TEXT, "Room 7")), ONE, Evidence.OTHER_NUMBERS),
        (seen(B, heading="Duke"), seen(heading="Juno"), Evidence.OTHER_TITLE),
        (drawn(B, "5", "8"), drawn(URL, "7", "9"), Evidence.OTHER_NUMBERS),
        (drawn(B, "In 一九五三年 here"), drawn(URL, "In 一九五八年 here"), Evidence.OTHER_TEXT),
        (drawn(B, "By Ann Lee", "md5 9f3f"), drawn(URL, "By Kim", "md5 ef3a"), Evidence.OTHER_TEXT),
        (drawn(B, "By Ann Lee"), drawn(URL, "By Kim Lee"), Evidence.REPRINT),
        (seen(B, text=TEXT[::-1]), ONE, Evidence.OTHER_TEXT),
        (seen(B, text=(*TEXT, "Ann, Bo")), seen(text=(*TEXT, "Bo, Ann")), Evidence.OTHER_TEXT),
        (seen(B, heading="Sail to Kiel"), seen(heading="Sail to Rome"), Evidence.OTHER_TITLE),
        (seen(B, "Lighthouse 2"), seen(title="Lighthouse 1"), Evidence.OTHER_TITLE),
        (about(B, "A - Kiel", "Kiel"), about(URL, "A - Samara", "Samara"), Evidence.OTHER_NAME),
        (about(B, "Us", "Luebeck"), about(URL, "Us", "Samara"), Evidence.OTHER_NAME),
    ],
)  # fmt: skip
def test_reprints_are_told_from_pages_of_one_form(
    page: Page, stored: Page, evidence: Evidence
) -> None:
    """Title, dates and links are the publisher's; no name, number, price or heading is another."""
    assert told(page, stored) is evidence
    assert weighed(page, stored).agrees is None


@pytest.mark.parametrize(
    ("sentence", "of", "evidence"),
    [
        ("Seconds that Tallow waits.", "Seconds that Brindle waits.", Evidence.OTHER_NAME),
        ("Start it by tallowd run.", "Start it by brindled run.", Evidence.OTHER_NAME),
        ("Swimming is permitted here.", "Swimming is forbidden here.", Evidence.OTHER_NAME),
        ("牛脂等待数据到达的秒数。", "花斑等待数据到达的秒数。", Evidence.OTHER_NAME),
        ("请到浙江省政务中心办理。", "请到江西省政务中心办理。", Evidence.OTHER_TEXT),
        ("Swimming is permitted here.", "Swimming is not permitted here.", Evidence.OTHER_TEXT),
        ("Zelfan", "Cortiva hydrochloride", Evidence.OTHER_TEXT),
        ("The legend of the map is wrong.", "Kim Lee is spelt so.", Evidence.OTHER_TEXT),
    ],
)
def test_on_another_site_no_sentence_of_the_text_is_another_one(
    sentence: str, of: str, evidence: Evidence
) -> None:
    """What a page is about may stand in it once, beside any number of links; either way round."""
    menu = tuple(f"Page {number} of another menu" for number in range(99))
    page, stored = (
        seen(url, "Help", text=(TEXT[0], line, *TEXT[1:]))
        for url, line in ((B, sentence), (URL, of))
    )
    order = "l" * len(menu) + "T" * (len(TEXT) + 1)
    beside_menu = seen(B, "Help", text=page.appearance.text, links=menu, order=order)
    assert told(page, stored) is told(stored, page) is evidence
    assert told(beside_menu, stored) is told(stored, beside_menu) is evidence


def test_on_another_site_sentences_may_be_left_out_or_added() -> None:
    """By its publisher, behind the text, or left out within it; not more than are compared."""
    cut, noted = seen(B, text=TEXT[:2]), seen(B, text=(*TEXT, "We thank the author for this text."))
    assert told(cut, ONE) is told(ONE, cut) is Evidence.REPRINT
    assert told(noted, ONE) is told(ONE, noted) is Evidence.REPRINT
    within = seen(B, text=(TEXT[0], "No visitors are let in.", *TEXT[1:]))
    assert told(within, ONE) is Evidence.OTHER_TEXT
    assert told(ONE, within) is Evidence.REPRINT
    longer = seen(B, text=(*TEXT, *(f"{'n' * number} it was." for number in range(1, 99))))
    assert told(longer, ONE) is told(ONE, longer) is Evidence.OTHER_TEXT


def test_of_one_site_is_a_host_a_domain_or_a_template_at_one_address() -> None:
    """There all must be shown; a template alone is of many sites."""
    page = seen("http://b.test/one", text=(*TEXT, "He sat down."), layout=DRESS)
    assert told(page, but(ONE, layout=DRESS)) is Evidence.OTHER_TEXT
    assert told(page, but(ONE, layout=PRINT)) is Evidence.REPRINT
    elsewhere = but(page, url="http://b.test/two")
    assert told(elsewhere, but(ONE, layout=DRESS)) is Evidence.REPRINT
    one, two = (but(page, url=f"http://{host}.test/docs/{host}") for host in "ab")
    assert told(one, two) is Evidence.SAME_TEXT
    domain = but(page, url="http://m.example.com/x"), seen("http://www.example.com/y")
    assert told(*domain) is Evidence.OTHER_TEXT


# --------------------------------------------------------------------------------------------------
# Their nature

PAGES = st.builds(
    lambda url, title, text, beside, apart, canonical, layout, language: seen(
        *(url, title),
        text=tuple(text), beside=tuple(beside), apart=tuple(apart), canonical_url=canonical,
        layout=layout, language=language,
    ),
    st.sampled_from([URL, "http://b.test/one", "http://a.test/en/one", "http://a.test/one?a=1"]),
    st.sampled_from([None, "Lighthouse", "Samara 1", "Luebeck 2"]),
    st.lists(st.sampled_from([*TEXT, *SAID, *FARTHER, "Samara", "5 views"]), max_size=6),
    st.lists(st.sampled_from(ROWS), max_size=3),
    st.lists(st.sampled_from(["pone.png", "eclip", "hNo.", "fKiel"]), max_size=2),
    st.sampled_from([None, URL, "http://a.test/2014/"]),
    st.sampled_from([None, DRESS, PRINT]),
    st.sampled_from([None, "en", "fr-CA"]),
)  # fmt: skip
SITES = st.builds(
    Known, st.builds(Support, st.integers(0, 30), st.integers(0, 5)), st.booleans(),
    st.lists(PAGES, max_size=3),
)  # fmt: skip


@given(PAGES, PAGES, SITES, st.booleans(), st.booleans())
def test_the_same_pages_have_the_same_evidence(
    page: Page, stored: Page, site: Known, short: bool, alike: bool
) -> None:
    """Weighing is a function of the pages and their site, and asks for the same in any order."""
    first = weighed(page, stored, site, short=short, alike=alike)
    fresh = Page(page.appearance, page.url, page.layout)
    assert weighed(fresh, stored, site, short=short, alike=alike) == first


@given(PAGES, SITES, st.booleans())
def test_a_page_at_its_own_address_is_itself(page: Page, site: Known, short: bool) -> None:
    """Two visits to one page that find the same are one page."""
    assert weighed(page, page, site, short=short) == (Evidence.SAME_TEXT, True)


@given(PAGES, PAGES, SITES)
def test_what_is_no_copy_of_a_page_is_none_with_a_fact_more(
    page: Page, stored: Page, site: Known
) -> None:
    """A lot number of its own beside the text never makes a page a copy."""
    more = replace(page.appearance, beside=(*page.appearance.beside, "Lot 44121 of Kiel"))
    if told(Page(more, page.url, page.layout), stored, site).is_copy:
        assert told(page, stored, site).is_copy
