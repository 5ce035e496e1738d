"""Editions: what addresses mean on a site is earned by its pages, and lost again by them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.models import EditionCount
from crawler.urls import Canonicaliser, editions
from crawler.urls.editions import (
    AGAINST,
    APART,
    LEAST,
    PROVEN,
    Claim,
    Earned,
    Editions,
    Support,
    claim_of,
)

VERSIONS = Claim("a.test/docs/", "15", "16")


@pytest.mark.parametrize(
    ("one", "other", "claim"),
    [
        ("//a/docs/15/x.html", "//a/docs/16/x.html", ("a/docs/", "15", "16")),
        ("//a/docs/x", "//a/x", ("a/", "", "docs")),
        ("//a/en/docs/x", "//a/docs/fr/x", ("a/", "docs/fr", "en/docs")),
        ("//a/ga/tax/x", "//a/al/tax/x", ("a/", "al", "ga")),
        ("//a/x", "//b/x", ("//", "a", "b")),
        ("//a/", "//b/", ("//", "a", "b")),
        ("//a/x", "//b/pub/x", ("//", "a", "b/pub")),
        ("//a/x", "//a/x?sid=1", ("a?sid", "", "")),
        ("//a/x?sid=1", "//a/x?sid=2", ("a?sid", "", "")),
        ("//a/x?a=1&b=2", "//a/x?b=3&a=2", ("a?a&b", "", "")),
        ("//a/x", "//a/x/amp", ("a/*/", "", "amp")),
        ("//a/x/", "//a/x/amp/", ("a/*/", "", "amp")),
        ("//a/x.html", "//a/x-print.html", ("a/*", "", "-print")),
        ("//a/x.html", "//a/x.fr.html", ("a/*", "", "fr.")),
        ("//a/x.de.html", "//a/x.fr.html", ("a/*", "de", "fr")),
        ("//a/x.html.en", "//a/x.html.fr", ("a/*", "en", "fr")),
    ],
)
def test_two_addresses_that_differ_in_one_place_make_a_claim(
    one: str, other: str, claim: tuple[str, str, str]
) -> None:
    """Tree, host, parameter or ending, whatever they are called: names prove nothing."""
    assert claim_of(f"http:{one}", f"http:{other}") == Claim(*claim)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("//a/x", "//a/x"),
        ("//a/x", "//a/y"),
        ("//a/p/1", "//a/p/2"),
        ("//a/red-lamp", "//a/red-bell"),
        ("//a/p1.html", "//a/p2.html"),
        ("//a/x.v1.html", "//a/x.v2.html"),
        ("//a/lamp", "//a/lamps"),
        ("//a/en/", "//a/fr/"),
        ("//a/en/x", "//a/fr/y"),
        ("//a/x", "//b/y"),
        ("//a/x?a=1", "//a/y?a=2"),
        ("//a/x?a=1", "//b/x?a=2"),
        ("//a/x?a=1&b=2", "//a/x?b=2&a=1"),
    ],
)
def test_addresses_that_differ_in_more_make_none(one: str, other: str) -> None:
    """Nor do two names in a folder, and numbers in names."""
    assert claim_of(f"http:{one}", f"http:{other}") is None


CANONICALISE = Canonicaliser()
PATH = st.lists(
    st.sampled_from(
        ["en", "fr", "x", "x.fr.html", "x.html", "x-print.html", "15", "", "%2F", "%FF"]
    )
    | st.text(max_size=4),
    max_size=4,
).map("/".join)
QUERY = st.sampled_from(["", "?", "?a=1", "?a=2&b", "?b&a=2", "?=&&;", "?%00=%zz"])
URLS = (
    st.builds(
        lambda host, path, query: CANONICALISE(f"http://{host}/{path}{query}"),
        st.sampled_from(["a.test", "b.test", "[::1]", "a.test:81", "bücher.test"]),
        PATH,
        QUERY,
    )
    .filter(lambda url: url is not None)
    .map(str)
) | PATH.map(lambda path: f"file:///{path}.jsonl#line=1")


@given(URLS, URLS)
def test_a_claim_is_the_same_from_either_side(one: str, other: str) -> None:
    """Any two URLs have one or none, and no URL has one with itself."""
    claim = claim_of(one, other)
    assert claim == claim_of(other, one)
    assert claim_of(one, one) is None
    if claim is not None:
        assert claim.one <= claim.other


@pytest.mark.parametrize(
    ("agree", "against", "earned", "proven"),
    [
        (0, 0, False, False),
        (LEAST - 1, 0, False, False),
        (LEAST, 0, True, False),
        (LEAST, 1, False, False),
        (4, 1, True, False),
        (PROVEN - 1, 0, True, False),
        (PROVEN, 2, True, True),
        (PROVEN, 3, True, False),
        (PROVEN, 5, True, False),
        (PROVEN, 6, False, False),
    ],
)
def test_a_claim_is_earned_and_lost(agree: int, against: int, earned: bool, proven: bool) -> None:
    """By three pairs that agree, if at most one in five contradicts; beyond doubt by twenty."""
    found = Support(agree, against)
    assert (found.is_earned, found.is_proven) == (earned, proven)
    counted = Editions()
    for agrees in [True] * agree + [False] * against:
        counted.observe(VERSIONS, agrees)
    assert counted.support(VERSIONS) == found


def test_a_value_is_believed_with_others_than_it_was_met_with() -> None:
    """Where 15 is an edition of 16 and 16 of 17, 15 is one of 17; a value never met is none."""
    counted = Editions()
    for pair in (("15", "16"), ("16", "17")):
        for _ in range(LEAST):
            counted.observe(Claim(VERSIONS.slot, *pair), agrees=True)
    assert counted.support(Claim(VERSIONS.slot, "15", "17")).is_earned
    assert not counted.support(Claim(VERSIONS.slot, "15", "x")).is_earned
    assert not counted.support(Claim("a.test/other/", "15", "16")).is_earned


def test_one_pair_is_believed_though_its_values_are_not() -> None:
    """`/en/` and `/fr/` are one, though `/fr/` is contradicted with all other folders."""
    counted = Editions()
    for number in range(9):
        counted.observe(Claim("a.test/", "en", "fr"), agrees=True)
        counted.observe(Claim("a.test/", "fr", f"shop{number}"), agrees=False)
    assert counted.support(Claim("a.test/", "en", "fr")).is_earned
    assert not counted.support(Claim("a.test/", "fr", "shop1")).is_earned
    assert not counted.support(Claim("a.test/", "en", "shop1")).is_earned


def test_what_is_earned_is_told() -> None:
    """Each place with the values that are believed in it, and what speaks for and against them."""
    counted = Editions()
    assert list(counted.earned()) == []
    pairs = [("en", "fr", True)] * LEAST + [("en", "shop", False)] + [("de", "fr", True)] * 4
    for one, other, agrees in pairs:
        counted.observe(Claim("a.test/", one, other), agrees)
        counted.observe(Claim("b.test/", one, other), agrees=False)
    assert list(counted.earned()) == [Earned("a.test/", ("en", "fr", "de"), LEAST + 4, 0)]


def test_a_slot_holds_languages_where_texts_are_apart() -> None:
    """In three pairs of pages at one address; pairs that agree say nothing of it."""
    counted = Editions()
    for number in range(APART):
        assert not counted.holds_languages(VERSIONS)
        counted.observe(VERSIONS, agrees=True)
        counted.observe_apart(Claim(VERSIONS.slot, "en", f"l{number}"))
    assert counted.holds_languages(VERSIONS)
    assert counted.support(VERSIONS) == Support(APART, 0), "being apart supports no claim"
    assert not counted.holds_languages(Claim("b.test/docs/", "15", "16"))


def test_what_is_held_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more slots the ones met longest ago are forgotten, of more pairs no others are counted."""
    assert (editions.MOST_SLOTS, editions.MOST_PAIRS) == (10_000, 500)
    monkeypatch.setattr(editions, "MOST_SLOTS", 3)
    monkeypatch.setattr(editions, "MOST_PAIRS", 2)
    counted = Editions()
    for slot in "abca":
        counted.observe(Claim(slot, "1", "2"), agrees=True)
    counted.observe_apart(Claim("d", "1", "2"))
    found = {slot: counted.support(Claim(slot, "1", "2")).agree for slot in "abcd"}
    assert found == {"a": 2, "b": 0, "c": 1, "d": 0}
    counted.take_changed()
    for other in "3456":
        counted.observe(Claim("a", "1", other), agrees=True)
    assert counted.take_changed() == (EditionCount("a", "1", "3", 1, 0),)
    counted.observe(Claim("a", "1", "2"), agrees=False)
    assert counted.support(Claim("a", "1", "2")) == Support(2, 1), "one that is known is counted"


def test_what_has_changed_is_taken_once() -> None:
    """Each claim with all that was counted for it, in the order in which they were first met."""
    counted, english = Editions(), Claim("a.test/", "en", "fr")
    counted.observe(VERSIONS, agrees=True)
    counted.observe(english, agrees=False)
    counted.observe(VERSIONS, agrees=False)
    changed = (EditionCount(*VERSIONS, 1, 1), EditionCount(*english, 0, 1))
    assert counted.take_changed() == changed
    assert counted.take_changed() == ()
    counted.observe(english, agrees=True)
    assert counted.take_changed() == (EditionCount(*english, 1, 1),)
    for _ in range(APART + 2):
        counted.observe_apart(english)
    assert len(counted.take_changed()) == 1
    counted.observe_apart(english)
    assert counted.take_changed() == (), "enough is enough"


CLAIMS = st.builds(
    lambda slot, pair: Claim(slot, *sorted(pair)),
    st.sampled_from("ab"),
    st.sampled_from([("1", "2"), ("2", "3"), ("1", "3"), ("", "")]),
)
OBSERVED = st.lists(st.tuples(CLAIMS, st.sampled_from([True, False, None])), max_size=40)


@given(OBSERVED, st.lists(st.integers(0, 40), max_size=4))
def test_editions_are_the_same_in_several_runs_as_in_one(
    observed: list[tuple[Claim, bool | None]], ends: list[int]
) -> None:
    """Whatever is stored at the ends of runs and restored gives the answers of a single run."""
    whole, part = Editions(), Editions()
    stored: dict[tuple[str, str, str], EditionCount] = {}
    for number, (claim, agrees) in enumerate(observed):
        if number in ends:
            stored |= {count[:3]: count for count in part.take_changed()}
            part = Editions()
            for _ in range(2):  # to take them in again changes nothing
                part.restore(stored.values())
            assert part.take_changed() == ()
        for counted in (whole, part):
            if agrees is None:
                counted.observe_apart(claim)
            else:
                counted.observe(claim, agrees)
    for claim, _ in observed:
        assert whole.support(claim) == part.support(claim)
        assert whole.holds_languages(claim) == part.holds_languages(claim)


@given(CLAIMS, st.lists(st.booleans(), max_size=30))
def test_belief_is_a_share_of_what_was_counted(claim: Claim, observed: list[bool]) -> None:
    """However they came: a claim alone is earned by enough pairs and few against them."""
    counted = Editions()
    for agrees in observed:
        counted.observe(claim, agrees)
    against = observed.count(False)
    earned = observed.count(True) >= LEAST and against <= AGAINST * len(observed)
    assert counted.support(claim).is_earned is earned


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.test/docs/1/x", "http://a.test/docs/11/x"),
        ("http://a.test/1/docs/2/x", "http://a.test/1/docs/10/x"),
        ("http://v2.test/x", "http://v10.test/x"),
    ],
)
def test_it_is_known_which_address_has_which_value(one: str, other: str) -> None:
    """Though one value may be part of the other, or stand elsewhere in both addresses."""
    claim = claim_of(one, other)
    assert claim is not None
    assert claim.is_ordered(one, other) is not claim.is_ordered(other, one)
    assert (claim.one in one.split("//")[1].split("/")) is claim.is_ordered(one, other) or (
        claim.one in other.split("//")[1].split("/")
    )


COUNTED = st.tuples(st.sampled_from("abcde"), st.sampled_from("xyz"), st.integers(0, 2))


@given(before=st.lists(COUNTED, max_size=20), taken=st.lists(COUNTED, max_size=3))
def test_what_was_counted_last_can_be_taken_back(
    before: list[tuple[str, str, int]], taken: list[tuple[str, str, int]]
) -> None:
    """All is as it was, also what was forgotten for it, and what is counted next counts the same.

    Of more than three slots the ones that were not met for longest are forgotten.
    """

    def count(known: Editions, counted: list[tuple[str, str, int]]) -> None:
        for slot, value, how in counted:
            claim = Claim(slot, value, "z")
            if how == 2:
                known.observe_apart(claim)
            else:
                known.observe(claim, agrees=bool(how))

    def told(known: Editions) -> list[object]:
        claims = [Claim(slot, value, "z") for slot in "abcde" for value in "xyz"]
        return [(known.support(claim), known.holds_languages(claim)) for claim in claims]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(editions, "MOST_SLOTS", 3)
        plain, known = Editions(), Editions()
        for each in (plain, known):
            count(each, before)
        known.begin()
        count(known, taken)
        known.take_back()
        assert told(known) == told(plain)
        for each in (plain, known):  # as it is counted when the page is judged again
            count(each, [*taken, ("a", "x", 1)])
        assert told(known) == told(plain)
