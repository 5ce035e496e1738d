"""The judge on pages that are alike: copies are dropped, siblings are stored and represent."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.judging import JudgedPages

from crawler import config
from crawler.dedup import Signer, payload_digest, represents
from crawler.dedup.copies import MOST_ADDRESSED, Appearance, address_key, pack
from crawler.models import (
    EditionCount,
    Evidence,
    ExactDuplicate,
    NearDuplicate,
    New,
    PayloadKey,
    Shown,
    Sibling,
    StoredDocument,
    StoredRef,
    Verdict,
)
from crawler.urls.editions import LEAST

pytestmark = pytest.mark.usefixtures("either_way")


@pytest.fixture(scope="module")
def sign() -> Signer:
    """Return a warm signer."""
    signer = Signer(config.Dedup())
    signer.warm()
    return signer


def text(*names: str, length: int = 300) -> str:
    """Return a text in lines of ten words, the same but for some names in places of their own."""
    rng = np.random.default_rng(5)
    words = [f"w{n}" for n in rng.integers(0, 5000, length)]
    for number, name in enumerate(names):
        words[10 * number + 5] = name
    return "\n".join(" ".join(words[n : n + 10]) for n in range(0, length, 10))


def seen_later(*names: str) -> str:
    """Return the same text with a line that changes by itself."""
    return f"{text(*names)}\nUpdated 3 days ago"


class Site(JudgedPages):
    """A judge with its catalogue, fed with pages of a site as a crawl feeds it."""

    def __init__(self, sign: Signer, **settings: object) -> None:
        super().__init__(sign, **settings)
        self.editions: dict[tuple[str, str, str], EditionCount] = {}

    def page(
        self,
        path: str,
        title: str,
        words: str,
        /,
        host: str = "a.test",
        shows: bool = True,
        **parts: Any,
    ) -> Verdict:
        """Judge a page and store it if the verdict lets it be stored.

        Visible on it are title, words and what stands beside them; `parts` are kept of it as well.
        """
        url, number = f"http://{host}{path}", 1 + len(self.stored)
        page = replace(Appearance(title, text=tuple(words.split("\n"))), **parts)
        signature = self.sign(words, "\n".join((title, words, *page.beside)))
        key = PayloadKey(payload_digest(f"{url} {title} {words}".encode()), "text/html")
        appearance = pack(page)
        shown = Shown(url, appearance) if shows else None
        verdict = self.judge.judge(key, signature, number, shown)
        if self.judge.keeps(verdict):
            document = StoredDocument(
                *(number, number, url, key, signature, represents(verdict), None),
                *((address_key(url), appearance) if shows else ()),
            )
            self.store(document)
        return verdict

    def restarted(self) -> None:
        """Replace the judge by one rebuilt from what was stored, editions too."""
        self.editions |= {count[:3]: count for count in self.judge.take_editions()}
        super().restarted()
        self.judge.restore_editions(self.editions.values())

    def listed(self, path: str, words: str, name: str) -> Verdict:
        """Judge and store a page with a list beside its text that is three times as long."""
        rows = tuple(f"{name} {number} {row}" for number, row in enumerate(words.split("\n") * 3))
        appearance = pack(Appearance(text=tuple(words.split("\n")), beside=rows))
        url, number = f"http://a.test{path}", 1 + len(self.stored)
        key, signature = PayloadKey(path.encode(), ""), self.sign(words, f"{path} {words}")
        verdict = self.judge.judge(key, signature, number, Shown(url, appearance))
        if self.judge.keeps(verdict):
            leads = represents(verdict)
            row = StoredDocument(number, number, url, key, signature, leads, None, None, appearance)
            self.store(row)
        return verdict


def told(verdict: Verdict) -> tuple[type, int | None, Evidence | None]:
    """Return what a verdict is, of which page, and on what evidence."""
    if isinstance(verdict, NearDuplicate | Sibling):
        return type(verdict), verdict.of.id, verdict.evidence
    return type(verdict), None, None


def test_a_sibling_is_stored_and_explained(sign: Signer) -> None:
    """Another page of one template names what it is like, how much, and what told them apart."""
    site = Site(sign)
    assert site.page("/p/1", "Harbour lamp", text()) == New()
    verdict = site.page("/p/2", "Harbour bell", text("bell"))
    assert isinstance(verdict, Sibling)
    assert verdict.of == StoredRef(1, "http://a.test/p/1")
    assert verdict.evidence is Evidence.OTHER_TITLE
    assert 0.8 <= (verdict.similarity or 0.0) < 1
    assert verdict.distance == (verdict.fingerprint ^ verdict.of_fingerprint).bit_count()
    assert [document.representative for document in site.stored] == [True, True]


def test_siblings_represent(sign: Signer) -> None:
    """A copy of a sibling is found by its text alone, and so is a chain of siblings."""
    site, names = Site(sign), [f"name{n}" for n in range(30)]
    assert told(site.page("/p/0", "T0", text()))[0] is New
    for n in range(1, 30):
        assert told(site.page(f"/p/{n}", f"T{n}", text(*names[:n])))[0] is Sibling
    far = site.page("/p/29?ref=x", "T29", seen_later(*names[:29]))
    assert told(far) == (NearDuplicate, 30, Evidence.SAME_TEXT)
    assert told(site.page("/q", "Other", text(*names)))[1] == 30, (
        "it is like the last, not the first"
    )


def test_a_copy_is_found_though_another_page_is_more_like_it(sign: Signer) -> None:
    """Evidence decides among what is alike: the copy under its title, not the likest page."""
    site, lines = Site(sign), text().split("\n")
    site.page("/p/1", "Lamp", text("bell"))
    site.page("/p/2", "Bell", "\n".join((*lines[3:5], *lines[:3], *lines[5:])))
    verdict = site.page("/q?p=2", "Bell", text())
    assert told(verdict) == (NearDuplicate, 2, Evidence.SAME_TEXT)
    likest = site.page("/p/3", "Horn", text())
    assert told(likest) == (Sibling, 1, Evidence.OTHER_TITLE)
    assert isinstance(verdict, NearDuplicate)
    assert isinstance(likest, Sibling)
    assert (likest.similarity or 0) > (verdict.similarity or 0)


OWN = [
    {"title": "Bell"},
    {"heading": "Bell"},
    {"apart": ("ewatch?v=bell",)},
    {"apart": ("hThe answer is no.",)},
    {"apart": ("pbell.png",)},
    {"apart": ("dsku: 44121",)},
]


@pytest.mark.parametrize("own", OWN, ids=str)
def test_an_exact_text_duplicate_shows_nothing_else_either(
    sign: Signer, own: dict[str, Any]
) -> None:
    """With another title, video or hidden answer under one visible text it is a page of its own."""
    site = Site(sign)
    site.page("/p/1", "Lamp", text())
    verdict = site.page("/p/2", "Lamp", text(), **own)
    assert isinstance(verdict, Sibling)
    again = site.page("/p/2?ref=x", "Lamp", text(), **own)
    assert again == ExactDuplicate("exact-text", StoredRef(2, "http://a.test/p/2")), "all compared"
    first = site.page("/p/1?ref=x", "Lamp", text())
    assert first == ExactDuplicate("exact-text", StoredRef(1, "http://a.test/p/1"))
    site.restarted()
    assert site.page("/p/2?ref=y", "Lamp", text(), **own) == again
    for settings, shows in (({"siblings": "ignore"}, True), ({}, False)):
        unasked = Site(sign, **settings)
        unasked.page("/p/1", "Lamp", text())
        assert unasked.page("/p/2", "Lamp", text(), shows=shows, **own) == first


def test_of_pages_with_one_visible_text_some_are_compared(sign: Signer) -> None:
    """The oldest eight: a copy of a later one is kept, and no page is lost by the bound."""
    site = Site(sign, near="keep")
    for number in range(MOST_ADDRESSED + 1):
        assert site.page(f"/{number}", "Lamp", text(), apart=(f"ewatch?v={number}",)) == New()
    for number in range(MOST_ADDRESSED):
        copy = site.page(f"/x{number}", "Lamp", text(), apart=(f"ewatch?v={number}",))
        assert isinstance(copy, ExactDuplicate)
        assert copy.of.id == number + 1
    assert site.page("/y", "Lamp", text(), apart=(f"ewatch?v={number + 1}",)) == New()


def test_copies_of_a_payload_speak_for_their_addresses(sign: Signer) -> None:
    """Enough pages with the bytes of others prove a parameter; then an edited page is a copy.

    An edited page before that speaks against it: most parameters ask for another page.
    """
    site = Site(sign)
    site.page("/p/1", "Lamp", text())
    assert told(site.page("/p/1?sid=1", "Lamp", text("bell")))[2] is Evidence.OTHER_TEXT
    for number in range(LEAST + 1):
        of = StoredRef(9, f"http://a.test/q/{number}")
        site.judge.observe(f"{of.url}?sid={number}", ExactDuplicate("exact-payload", of))
    (count,) = site.judge.take_editions()
    assert count == EditionCount("a.test?sid", "", "", LEAST + 1, 1)
    site.editions[count[:3]] = count
    site.restarted()
    edited = site.page("/p/1?sid=2", "Lamp", text("knot", "rope", "sail"))
    assert told(edited) == (NearDuplicate, 1, Evidence.SAME_ADDRESS)


def test_of_equally_like_siblings_the_oldest_is_named(sign: Signer) -> None:
    """A family of pages with one text is called after the first."""
    site = Site(sign)
    for n in range(1, 9):
        verdict = site.page(f"/day/{n}", f"Day {n}", text())
        assert told(verdict) == (
            (New, None, None) if n == 1 else (Sibling, 1, Evidence.OTHER_TITLE)
        )


def test_a_short_copy_is_told_on_evidence_only(sign: Signer) -> None:
    """At any address, where all is shown as it is written; else it is new, and never a sibling."""
    site, short = Site(sign), text(length=40)
    assert site.page("/p/1", "Lamp", short, beside=("Newsletter",)) == New("short")
    assert site.stored[0].representative
    assert told(site.page("/q/9", "Lamp", short)) == (NearDuplicate, 1, Evidence.SAME_TEXT)
    for title, words in (
        ("Bell", short),
        ("Lamp", f"{short}?"),
        ("Lamp", short.replace(short.split()[7], "edited")),
    ):
        assert site.page("/q/8", title, words) == New("short")


@pytest.mark.parametrize(
    ("settings", "shows"), [({"siblings": "ignore"}, True), ({"siblings": "tag"}, False)]
)
def test_where_no_evidence_is_asked_for_likeness_decides(
    sign: Signer, settings: dict[str, object], shows: bool
) -> None:
    """What is alike is a near duplicate without evidence; a short text is new at any address."""
    site = Site(sign, **settings)
    site.page("/p/1", "Lamp", text(), shows=shows)
    verdict = site.page("/p/2", "Bell", text("bell"), shows=shows)
    assert told(verdict) == (NearDuplicate, 1, None)
    short = text(length=40)
    new = New("short", represents=False)
    assert site.page("/en/s", "Short", short, shows=shows) == new
    assert site.page("/fr/s", "Short", f"{short} end", shows=shows) == new
    assert len(site.stored) == 3


def test_dropped_siblings_leave_nothing(sign: Signer) -> None:
    """`drop` says sibling and stores nothing: a page like one joins no page that is not there."""
    site = Site(sign, siblings="drop")
    site.page("/p/1", "Lamp", text())
    for n in range(2, 5):
        verdict = site.page(f"/p/{n}", f"Bell {n}", text("bell", str(n)))
        assert told(verdict) == (Sibling, 1, Evidence.OTHER_TITLE)
    assert [document.id for document in site.stored] == [1]
    assert site.page("/unlike", "Unlike", " ".join(reversed(text().split()))) == New()
    again = site.page("/p/4?x=1", "Bell 4", seen_later("bell", "4"))
    assert told(again) == (Sibling, 1, Evidence.OTHER_TITLE), "its original was not stored"


def test_tagged_copies_represent_nothing_and_siblings_do(sign: Signer) -> None:
    """With both stored, a page joins the representative and never its copy."""
    site = Site(sign, near="tag")
    site.page("/p/1", "Lamp", text())
    assert told(site.page("/p/1?a=1", "Lamp", seen_later()))[0] is NearDuplicate
    assert told(site.page("/p/2", "Bell", text()))[:2] == (Sibling, 1)
    assert told(site.page("/p/2?a=1", "Bell", seen_later())) == (
        NearDuplicate,
        3,
        Evidence.SAME_TEXT,
    )
    assert [document.representative for document in site.stored] == [True, False, True, False]


def _crawl(sign: Signer, restart_every: int | None = None) -> list[Verdict]:
    site, verdicts = Site(sign, near="tag"), list[Verdict]()
    rng = np.random.default_rng(3)
    for number in range(100):
        if restart_every and number % restart_every == 0:
            site.restarted()
        product, length = int(rng.integers(0, 16)), 40 if number % 5 == 0 else 300
        names = [f"p{'x' * product}"]
        names += ["it", "was", "edited"] if length == 300 and rng.random() < 0.3 else []
        path = f"/{rng.choice(['v1/', 'v2/', ''])}p/{product}"
        path += f"?ref={number}" if rng.random() < 0.3 else ""
        host = str(rng.choice(["a.test", "a.test", "b.test"]))
        title = f"{'The product ' * (number % 2)}{product}"
        verdicts.append(site.page(path, title, text(*names, length=length), host))
    return verdicts


def test_a_restored_judge_decides_the_same(sign: Signer) -> None:
    """Verdicts and evidence depend on the pages and their order, and on no restart in between."""
    verdicts = _crawl(sign)
    kinds = Counter(map(type, verdicts))
    assert min(kinds[kind] for kind in (New, NearDuplicate, Sibling)) > 3
    evidence = {v.evidence for v in verdicts if isinstance(v, NearDuplicate | Sibling)}
    assert evidence >= {Evidence.SAME_TEXT, Evidence.SAME_ADDRESS, Evidence.OTHER_TITLE}
    assert _crawl(sign) == verdicts
    assert _crawl(sign, restart_every=7) == verdicts


def test_without_evidence_pages_must_still_show_much_the_same() -> None:
    """Of two pages with one judged text, that with another list below it is a page of its own."""
    site = Site(Signer(config.Dedup()), siblings="ignore")
    site.listed("/1", text(), "one")
    assert site.listed("/2", text(), "other") == New()
    assert isinstance(site.listed("/3", text("bell"), "one"), NearDuplicate)
