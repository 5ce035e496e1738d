"""The inquiry: which stored pages are asked, in which order, and how many at most."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from crawler.dedup import MemoryCatalog
from crawler.dedup.copies import Appearance, Inquiry, address_key, pack
from crawler.dedup.copies.inquiry import MOST_ADDRESSED, MOST_COMPARED, MOST_WEIGHED
from crawler.dedup.methods.matching import Match
from crawler.dedup.signing.shingles import CHAR4, WORD3
from crawler.records import Evidence, PayloadKey, Shown, Signature, StoredDocument

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
