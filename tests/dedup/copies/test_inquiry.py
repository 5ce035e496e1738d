"""The inquiry: which stored pages are asked, in which order, and how many at most."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from crawler.dedup import MemoryCatalog
from crawler.dedup.copies import Appearance, Inquiry, address_key, pack
from crawler.dedup.copies.inquiry import MOST_ADDRESSED, MOST_COMPARED, MOST_WEIGHED
from crawler.dedup.methods.matching import Match
from crawler.dedup.signing import CHAR4, WORD3
from crawler.models import (
    EditionCount,
    Evidence,
    PayloadKey,
    Shown,
    Signature,
    StoredDocument,
    StoredRef,
)
from crawler.urls.editions import APART, LEAST, Claim

URL = "http://a.test/docs/page.html"


def signature(hashes: Iterable[int], kind: str = WORD3) -> Signature:
    """Return a signature with nothing in it but shingles."""
    return Signature(b"", b"", 0, 100, kind, np.array(sorted(hashes), np.uint32), b"")


@dataclass
class Library:
    """A catalogue that counts what it is asked."""

    catalog: MemoryCatalog = field(default_factory=MemoryCatalog)
    number: int = 0

    def add(self, url: str, text: Signature, appearance: Appearance | None = None) -> int:
        """Store a page; return its id."""
        self.number += 1
        packed = pack(appearance) if appearance else None
        key = PayloadKey(self.number.to_bytes(32, "big"), "")
        self.catalog.add(
            StoredDocument(
                *(self.number, self.number, url, key, text, True, None, address_key(url), packed)
            )
        )
        return self.number

    def addressed(self, text: Signature, shown: Shown, threshold: float = 0.8) -> list[int]:
        """Return the ids of what is found by address."""
        found = Inquiry(self.catalog, threshold).addressed(text, shown)
        assert all(match.similarity is not None for match in found)
        return [match.document_id for match in found]


def test_pages_at_the_address_are_found_by_it() -> None:
    """On another host, in another language, and at the address that is named as canonical."""
    library, text = Library(), signature(range(10))
    mirror = library.add("http://b.test/docs/page.html", text)
    french = library.add("http://a.test/docs/fr/page.html", text)
    named = library.add("http://c.test/elsewhere", text)
    library.add("http://a.test/docs/other.html", text)
    assert library.addressed(text, Shown(URL)) == [mirror, french]
    canonical = address_key("http://d.test/elsewhere")
    assert library.addressed(text, Shown(URL, canonical_address=canonical)) == [
        *(mirror, french, named)
    ]
    assert library.addressed(text, Shown("http://a.test/")) == [], "a root has no address"


def test_the_likest_come_first_and_the_unlike_not_at_all() -> None:
    """By exact similarity at or above the threshold, then the oldest; kinds are kept apart."""
    library = Library()
    eight, nine = library.add(URL, signature(range(8))), library.add(URL, signature(range(9)))
    again = library.add(URL, signature(range(8)))
    library.add(URL, signature(range(7)))
    library.add(URL, signature(range(10), CHAR4))
    text = signature(range(10))
    assert library.addressed(text, Shown(URL), 0.8) == [nine, eight, again]
    assert library.addressed(text, Shown(URL), 0.81) == [nine]


def test_at_most_eight_pages_of_an_address_are_compared() -> None:
    """The oldest eight, at the page's address and at its canonical one each."""
    library, text = Library(), signature(range(10))
    ids = [library.add(URL, text) for _ in range(MOST_ADDRESSED + 2)]
    named = [library.add("http://c.test/elsewhere", text) for _ in range(MOST_ADDRESSED + 2)]
    canonical = address_key("http://c.test/elsewhere")
    assert (MOST_ADDRESSED, MOST_WEIGHED) == (8, 4)
    assert library.addressed(text, Shown(URL)) == ids[:8]
    both = library.addressed(text, Shown(URL, canonical_address=canonical))
    assert both == [*ids[:8], *named[:8]]
    twice = Shown(URL, canonical_address=address_key(URL))
    assert library.addressed(text, twice) == ids[:8], "one address is asked once"


def test_each_page_is_weighed_once_by_all_that_is_kept_of_it() -> None:
    """URL, appearance and layout of both; where no appearance is kept the evidence is unknown."""
    library, text = Library(), signature(range(10))
    title = Appearance("One", text=("line",))
    same = library.add("http://a.test/x", text, title)
    other = library.add("http://a.test/y", text, Appearance("Two", text=("line",)))
    old = library.add("http://a.test/z", text)
    matches = [Match(id_, 0, 0, 1.0) for id_ in (same, other, old, same)]
    inquiry = Inquiry(library.catalog, 0.8)
    found = list(inquiry.weighed(Shown("http://a.test/w", pack(title)), matches))
    assert [(match.document_id, evidence) for match, evidence in found] == [
        (same, Evidence.SAME_TEXT),
        (other, Evidence.OTHER_TITLE),
        (old, Evidence.UNKNOWN),
    ]


def test_very_long_pages_are_compared_with_few() -> None:
    """After so many characters nothing is known of the less like ones, and they are no copies."""
    library, text = Library(), signature(range(10))
    lines = tuple(f"line {n} {'x' * 990}" for n in range(190))
    long = Appearance("One", text=lines, beside=lines[::-1])
    ids = [library.add(f"http://a.test/{n}", text, long) for n in range(4)]
    assert MOST_COMPARED < 2 * 2 * 2 * sum(map(len, lines)) < 2 * MOST_COMPARED
    matches = [Match(id_, 0, 0, 1.0) for id_ in ids]
    weighed = Inquiry(library.catalog, 0.8).weighed(Shown("http://a.test/w", pack(long)), matches)
    assert [evidence for _, evidence in weighed] == [
        *(Evidence.SAME_TEXT, Evidence.SAME_TEXT),
        *(Evidence.UNKNOWN, Evidence.UNKNOWN),
    ]


def test_what_is_not_compared_is_not_dropped_without_siblings_either() -> None:
    """Of pages so long that no more are looked at, none is called a copy by its judged text."""
    library, text = Library(), signature(range(10))
    lines = tuple(f"line {n} {'x' * 990}" for n in range(190))
    other = tuple(f"other {n} {'y' * 990}" for n in range(190))
    page = Appearance("One", text=("same",), beside=lines)
    matches = [
        Match(library.add(f"http://a.test/{n}", text, replace(page, beside=other)), 0, 0, 1.0)
        for n in range(4)
    ]
    inquiry = Inquiry(library.catalog, 0.8)
    assert inquiry.shown_alike(Shown("http://a.test/w", pack(page)), matches) is None
    short = Shown("http://a.test/w", pack(replace(page, beside=other)))
    assert inquiry.shown_alike(short, matches) == matches[0]


def test_pages_that_show_the_same_are_found_whatever_was_judged() -> None:
    """One was read before its site's template was learned; pages that show other things are not."""
    lines = tuple(
        f"Line {number} of a page that two ways of reading divide." for number in range(9)
    )
    library = Library()
    read = library.add("http://b.test/docs/page.html", signature(range(10)), Appearance(text=lines))
    library.add("http://c.test/docs/page.html", signature(range(10)), Appearance(text=lines[:3]))
    page = pack(Appearance(text=lines[3:], beside=lines[:3]))
    assert library.addressed(signature(range(100, 110)), Shown(URL, page)) == [read]


TEXT = tuple(f"Line {'n' * number} of a page of which there are editions." for number in range(9))


def own(*lines: str, **parts: Any) -> Appearance:
    """Return a page of lines of its own between those that all have."""
    return Appearance("Page", text=(*TEXT, *lines), **parts)


EDITED = own("A line was edited.", "It tells more."), own("A line has been edited.")
"""A page and what it was before: more than one thing tells them apart."""


class Crawl:
    """An inquiry into pages that are alike, each compared with one that is stored."""

    def __init__(self) -> None:
        self.library = Library()
        self.inquiry = Inquiry(self.library.catalog, 0.8)

    def told(self, paths: str, page: Appearance, stored: Appearance) -> Evidence:
        """Store a page at the second path, and return what tells another one at the first."""
        first, second = (f"http://a.test/{path}" for path in paths.split())
        match = Match(self.library.add(second, signature(range(9)), stored), 0, 0, 1.0)
        ((_, evidence),) = self.inquiry.weighed(Shown(first, pack(page)), [match])
        return evidence


def test_editions_are_learned_from_pages_that_are_weighed() -> None:
    """By what three pairs show, then edits are the edition's; lost again by contradictions."""
    crawl = Crawl()
    assert crawl.told("v1/0 v2/0", *EDITED) is Evidence.OTHER_TEXT
    for number in range(1, LEAST + 1):
        assert crawl.told(f"v1/{number} v2/{number}", own(), own()) is Evidence.SAME_TEXT
    assert crawl.told("v1/4 v2/4", *EDITED) is Evidence.SAME_ADDRESS
    assert crawl.told("w1/4 w2/4", *EDITED) is Evidence.OTHER_TEXT, "others are not"
    (count,) = crawl.inquiry.editions.take_changed()
    assert count == EditionCount("a.test/", "v1", "v2", LEAST, 0)
    assert crawl.inquiry.editions.take_changed() == ()
    later = Crawl()
    later.inquiry.editions.restore([count])
    assert later.told("v1/4 v2/4", *EDITED) is Evidence.SAME_ADDRESS
    weights = own("It weighs 5 kg."), own("It weighs 7 kg.")
    assert later.told("v1/5 v2/5", *weights) is Evidence.OTHER_NUMBERS
    assert later.told("v1/6 v2/6", *EDITED) is Evidence.OTHER_TEXT, "one of four contradicted it"
    assert later.inquiry.editions.take_changed() == (EditionCount("a.test/", "v1", "v2", LEAST, 1),)


def test_pages_with_the_same_bytes_speak_for_their_addresses() -> None:
    """They were never compared, and where addresses differ in more they say nothing."""
    crawl = Crawl()
    for number in range(LEAST):
        crawl.inquiry.observe(f"http://a.test/x{number}?sid=1", f"http://a.test/x{number}")
        crawl.inquiry.observe("http://a.test/x", "http://a.test/y")
    assert crawl.inquiry.editions.take_changed() == (EditionCount("a.test?sid", "", "", LEAST, 0),)
    assert crawl.told("z?sid=9 z", *EDITED) is Evidence.SAME_ADDRESS
    assert crawl.told("z?id=9 z", *EDITED) is Evidence.OTHER_TEXT


def test_a_site_holds_languages_where_pages_of_one_address_are_unlike() -> None:
    """Three such pairs are enough to be believed, whatever the folders are called."""
    library, inquiry = Library(), None
    for number in range(APART):
        library.add(f"http://a.test/en/{number}", signature(range(10)), own())
    inquiry = Inquiry(library.catalog, 0.8)
    claim = Claim("a.test/", "en", "fr")
    for number in range(APART):
        assert not inquiry.editions.holds_languages(claim)
        page = Appearance("Page", text=(f"Une autre ligne {'n' * number}.",))
        shown = Shown(f"http://a.test/fr/{number}", pack(page))
        assert inquiry.addressed(signature(range(50, 60)), shown) == []
    assert inquiry.editions.holds_languages(claim)
    assert not inquiry.editions.support(claim).agree


class Shut(MemoryCatalog):
    """Knows which pages a host has, and raises KeyError where one of them is looked at."""

    def __init__(self, *latest: int) -> None:
        super().__init__()
        self.latest = list(latest)

    def of_host(self, url: str, limit: int) -> list[int]:
        """See Catalog."""
        return self.latest


def test_what_was_told_ahead_is_taken_where_it_still_holds() -> None:
    """Pages are looked at again only where what the evidence was drawn from has changed."""
    crawl = Crawl()
    stored = crawl.library.add("http://a.test/v2/0", signature(range(9)), own("It was edited."))
    shown = Shown("http://a.test/v1/0", pack(own("It has been edited.")))
    matches = [Match(stored, 0, 0, 1.0)]
    expected = list(crawl.inquiry.weighed(shown, matches))
    told = pickle.loads(pickle.dumps(crawl.inquiry.told))

    def weighed(*latest: int, agree: int) -> list[tuple[Match, Evidence]]:
        inquiry = Inquiry(Shut(*latest), 0.8)
        inquiry.editions.restore([EditionCount("a.test/", "v1", "v2", agree, 0)])
        inquiry.begin(dict(told))
        return list(inquiry.weighed(shown, matches))

    assert weighed(stored, agree=1) == expected
    for latest, agree in (((stored, 7), 1), ((stored,), LEAST)):
        with pytest.raises(KeyError):
            weighed(*latest, agree=agree)
    inquiry = Inquiry(Shut(stored), 0.8)
    inquiry.begin(dict(told))
    assert list(inquiry.weighed(shown, matches)) == expected
    with pytest.raises(KeyError):  # another page, of which nothing was told
        list(inquiry.weighed(replace(shown, url="http://a.test/v1/1"), matches))


def test_of_pages_with_one_visible_text_that_which_shows_all_else_is_the_same() -> None:
    """The first of them; one of which nothing else is known counts as such."""
    library, text = Library(), signature(range(10))
    stored = [
        library.add(f"http://a.test/{number}", text, own(apart=apart))
        for number, apart in enumerate([("efilm",), ("eclip", "hYes."), ("eclip",)])
    ]
    refs = [StoredRef(number, "") for number in stored]
    inquiry = Inquiry(library.catalog, 0.8)

    def same(page: Appearance, *of: StoredRef) -> int | None:
        found = inquiry.same(Shown(URL, pack(page)), of or refs)
        return found.id if found else None

    assert same(own()) == 1
    assert same(own(apart=("eclip",))) == 2
    assert same(own(apart=("eclip",)), refs[0], refs[2]) == 3
    assert same(own(apart=("eclip", "hNo."))) is None
    assert same(replace(own(), title="Other")) is None
    old = StoredRef(library.add("http://a.test/old", text), "")
    assert same(replace(own(), title="Other"), *refs, old) == old.id
    assert inquiry.same(Shown(URL), refs) == refs[0], "nothing is known of the page"
