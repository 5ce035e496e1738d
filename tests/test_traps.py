"""The trap rule: endless sites get bounded effort, finite ones are crawled whole."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trap_web import (
    Page,
    Site,
    archive,
    broken,
    comics,
    deeper,
    deeper_and_new,
    empty_calendar,
    endless_prose,
    facets,
    forum,
    handbooks,
    mirror,
    monthly,
    session_queries,
    sessions,
    soft_404,
    versions,
    wild,
)
from trap_worlds import TrapWorld

from crawler.config import Traps
from crawler.frontier import TrapRule, cut_records, released
from crawler.frontier.subtree import REWARD, Subtree
from crawler.frontier.subtrees import repeats, shape, subtrees
from crawler.frontier.traps import MAX_DOMAINS, MAX_SUBTREES
from crawler.frontier.yields import Yield, Yields, look
from crawler.records import Batch, Failure, FetchTask, NewUrl, Priority, Skip, UrlState

ENDLESS: Mapping[str, tuple[str, Site, str]] = {
    "empty calendar": ("http://t.test/cal/2031/1", empty_calendar, "t.test/cal/#/"),
    "calendar of near duplicates": (
        "http://t.test/cal.php?view=month&m=1", monthly, "t.test/cal.php?m&view"),
    "ever deeper": ("http://t.test/red/", deeper, "t.test/red/"),
    "ever deeper with new texts": ("http://t.test/left/", deeper_and_new, "t.test/left/"),
    "session in the path": ("http://t.test/s/ab12/page-0", sessions, "t.test/s/#/page-#"),
    "session in the query": ("http://t.test/page-0?sid=1", session_queries, "t.test/page-#?sid"),
    "facets": ("http://t.test/goods?f0=0", facets, "t.test/goods?f#"),
    "soft 404": ("http://t.test/x", soft_404, "t.test/"),
}  # fmt: skip
"""Name -> seed, site, the subtree that is cut."""

FINITE: Mapping[str, tuple[str, Site, int]] = {
    "diary": ("http://n.test/2020/1/1", archive, 1247),
    "two versions": ("http://n.test/docs/v0/0", versions, 1200),
    "five versions": ("http://n.test/docs/v0/0", partial(versions, of=5), 3000),
    "many versions with contents": ("http://n.test/docs/v0/0", partial(handbooks, pages=30), 600),
    "forum with print versions": ("http://n.test/thread?page=1", forum, 1999),
    "comics of a few words": ("http://n.test/1/", comics, 1501),
    "dead links": ("http://n.test/", partial(broken, pages=400), 2401),
}
"""Name -> seed, site, all its URLs."""


@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_site_gets_bounded_effort(name: str) -> None:
    """At most 500 of its pages are fetched, and what is cut is the place where they come from."""
    seed, site, cut = ENDLESS[name]
    w = TrapWorld({"t.test": site})
    w.crawl(seed)
    assert len(w.fetched) <= 500
    assert w.cuts == [cut]
    assert w.frontier.pending == len(w.pending) > 0


def test_endless_subdomains_get_bounded_effort() -> None:
    """A page under any host name costs the whole domain no more than one site."""
    w = TrapWorld({"*.wild.test": wild})
    w.crawl("http://w0.wild.test/?n=0")
    assert len(w.fetched) <= 500
    assert w.cuts == ["*.wild.test"]


@pytest.mark.parametrize("name", FINITE)
def test_a_finite_site_is_crawled_whole(name: str) -> None:
    """However much of it is duplicates, short or dead, nothing of it is cut."""
    seed, site, size = FINITE[name]
    w = TrapWorld({"n.test": site})
    w.crawl(seed)
    assert len(w.fetched) == size
    assert w.frontier.pending == 0
    assert w.cuts == []


def test_a_mirror_on_another_host_is_crawled_whole() -> None:
    """A chain of a thousand copies, each leading to the next only, is no trap."""
    w = TrapWorld({"n.test": mirror, "m.test": mirror})
    w.crawl("http://n.test/m-0", "http://m.test/m-0")
    assert len(w.fetched) == 2002
    assert w.cuts == []


@pytest.mark.parametrize("name", ENDLESS)
def test_neighbours_on_the_same_host_are_spared(name: str) -> None:
    """Beside a trap, a forum and a diary of the same host are crawled whole."""
    seed, trap, _ = ENDLESS[name]
    w = TrapWorld({"t.test": partial(neighbours, trap)})
    w.crawl(seed, "http://t.test/thread?page=1", "http://t.test/2020/1/1")
    fetched = {task.url for task in w.fetched}
    assert sum("thread" in url for url in fetched) == 599
    assert sum("t.test/20" in url for url in fetched) == 319
    # A soft 404 has no place of its own: its host may cost as much again as it brought.
    assert len(w.fetched) - 599 - 319 <= (1000 if name == "soft 404" else 500)
    assert w.cuts


def neighbours(trap: Site, path: str) -> Page | None:
    """A trap, a forum and a diary behind one host name."""
    if path.startswith("/thread"):
        return forum(path, pages=300)
    return archive(path, days=300) if path.startswith("/20") else trap(path)


@pytest.mark.parametrize("name", ["facets", "session in the path"])
def test_without_the_rule_nothing_changes(name: str) -> None:
    """Turned off, the rule holds nothing back and keeps no account."""
    seed, site, _ = ENDLESS[name]
    w = TrapWorld({"t.test": site}, {"enabled": False}, most=800)
    w.crawl(seed)
    assert len(w.fetched) == 800
    assert w.frontier.traps.state() == {}


def test_endless_new_text_is_not_cut() -> None:
    """Pages that are all new are no trap by what they say: the documented limit of the rule."""
    w = TrapWorld({"t.test": endless_prose}, most=2_000)
    w.crawl("http://t.test/x")
    assert len(w.fetched) == 2_000
    assert w.cuts == []


def test_a_domain_of_endless_hosts_is_cut_in_the_end() -> None:
    """Each host is cut by itself, and after some of them their domain."""

    def host(path: str) -> Page:
        n = int(path.rpartition("=")[2] or 0)
        on = (f"/cal?m={n + 1}", f"http://h{n + 1}.many.test/cal?m={1000 * n}")
        return Page(f"month {n % 3}", "", on if n % 10 == 0 else on[:1])

    w = TrapWorld({"*.many.test": host}, {"budget": 20}, most=5_000)
    w.crawl("http://h0.many.test/cal?m=0")
    assert "*.many.test" in w.cuts
    assert len(w.fetched) < 1_000


# --------------------------------------------------------------------------------------------------
# Across runs


def test_a_cut_outlives_the_run_until_it_is_released() -> None:
    """A resumed crawl fetches nothing of what was cut; released, it goes on there for good."""
    seed, site, cut = ENDLESS["calendar of near duplicates"]
    first = TrapWorld({"t.test": site})
    first.crawl(seed)
    state = first.frontier.traps.state()
    assert len(resumed(first, site, state).fetched) == 0
    free, names = released(state, "t.test/cal")
    assert names == [cut]
    again = resumed(first, site, free)
    assert len(again.fetched) == 700
    assert again.cuts == []
    off = resumed(first, site, state, enabled=False)
    assert len(off.fetched) == 700


def resumed(before: TrapWorld, site: Site, state: Mapping[str, Any], **traps: object) -> TrapWorld:
    """Crawl on from where a world stands."""
    w = TrapWorld({"t.test": site}, traps, state, most=700)
    w.frontier._next_url_id = 10_000
    w.pending, w.originals = dict(before.pending), dict(before.originals)
    for task in (*before.fetched, *before.pending.values()):
        w.frontier.seen.add(task.url)
    w.frontier.restore("t.test", len(w.pending), answered=True)
    w.crawl()
    return w


def test_releasing_takes_names_beginnings_and_all() -> None:
    """What begins so is released, nothing else, and what is released is no longer cut."""
    records = [record("a.test/x/", "cut"), record("a.test/y/", "cut"), record("a.test/", "open")]
    state = {"a.test": records}
    assert released(state, "a.test/x")[1] == ["a.test/x/"]
    assert released(state, "b.test")[1] == []
    free, names = released(state, "all")
    assert sorted(names) == ["a.test/x/", "a.test/y/"]
    assert cut_records(free) == []
    assert len(cut_records(state)) == 2


def record(name: str, standing: str) -> dict[str, Any]:
    """Return a subtree's record."""
    return Subtree(name).record() | {"standing": standing}


def test_what_lies_in_a_released_subtree_speaks_against_no_other() -> None:
    """Going on with a released calendar for ever does not cut its host."""
    state = {"t.test": [record("t.test/cal/", "released")]}
    w = TrapWorld({"t.test": empty_calendar}, state=state, most=2_000)
    w.crawl("http://t.test/cal/2031/1")
    assert len(w.fetched) == 2_000
    assert w.cuts == []


# --------------------------------------------------------------------------------------------------
# The rule

ENDS = st.lists(
    st.tuples(st.sampled_from(Yield), st.integers(0, 3), st.integers(0, 1), st.booleans()),
    max_size=400,
)
"""Worth, new URLs into the subtree, new URLs out of it, whether the path repeats itself."""


@settings(max_examples=200, deadline=None)
@given(ends=ENDS, base=st.integers(8, 60))
def test_no_subtree_is_cut_while_a_quarter_of_its_pages_is_new(
    ends: list[tuple[Yield, int, int, bool]], base: int
) -> None:
    """In the streak for which a subtree is cut less than 1 / (1 + REWARD) of the pages are new."""
    subtree = Subtree("x")
    for worth, inward, out, again in ends:
        subtree.learn(worth, duplicate=False, inward=inward, out=out, repeats=again)
        if subtree.spent(base):
            assert subtree.streak_new < subtree.streak / (1 + REWARD)
            assert subtree.streak >= base / 2


@settings(max_examples=50, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=300), st.integers(8, 30))
def test_a_good_subtree_within_a_cut_one_is_spared(fruitful: list[bool], base: int) -> None:
    """Whatever was cut around it, a subtree with a quarter of new pages and no debt is fetched."""
    state = {"t.test": [record("t.test/", "cut")]}
    rule = TrapRule(Traps(budget=base), state)
    new = 0
    for n, good in enumerate(fruitful):
        new += good
        rule.learn(task(n, f"http://t.test/blog/{'abcdefgh'[n % 8]}"), end(n, good), str_of(n))
    share, url = new / len(fruitful), "http://t.test/blog/next"
    if new >= 8 and share >= 0.5:
        assert rule.holder(url, "t.test") is None
    if new < 8 or share < 0.25:
        assert rule.holder(url, "t.test") is not None


def task(n: int, url: str) -> FetchTask:
    """Return a task."""
    return FetchTask(n, url, url.split("/")[2], depth=1)


def end(n: int, good: bool, *brought: str) -> Batch:
    """Return the end of a new page, or of the hundredth copy of a page."""
    new = tuple(NewUrl(n, url, url.split("/")[2], 1, Priority.ORDINARY, 0, None) for url in brought)
    if good:
        return Batch(n, UrlState.STORED, new_urls=new)
    return Batch(n, UrlState.FAILED, detail=Failure.HTTP_CLIENT_ERROR.value, new_urls=new)


def str_of(n: int) -> str:
    """Return a text that differs from all others in letters."""
    return "".join("abcdefghij"[int(digit)] for digit in str(n))


@pytest.mark.parametrize(
    ("batch", "worth"),
    [
        (Batch(1, UrlState.STORED), Yield.NEW),
        (Batch(1, UrlState.DUPLICATE, duplicate_of=7), Yield.COPY),
        (Batch(1, UrlState.STORED, duplicate_of=7), Yield.COPY),
        (Batch(1, UrlState.REDIRECT), Yield.NOTHING),
        (Batch(1, UrlState.FAILED, detail=Failure.HTTP_CLIENT_ERROR.value), Yield.NOTHING),
        (Batch(1, UrlState.SKIPPED, detail=Skip.NOINDEX.value), Yield.NOTHING),
        (Batch(1, UrlState.FAILED, detail=Failure.HTTP_SERVER_ERROR.value), None),
        (Batch(1, UrlState.FAILED, detail=Failure.HOST_UNREACHABLE.value), None),
        (Batch(1, UrlState.SKIPPED, detail=Skip.ROBOTS.value), None),
        (Batch(1, UrlState.SKIPPED, detail=Skip.OUT_OF_SCOPE.value), None),
    ],
)
def test_what_an_end_is_worth(batch: Batch, worth: Yield | None) -> None:
    """What the network, robots.txt or the job did says nothing about a subtree."""
    assert Yields(4).of(batch, "a.test", "some text") is worth


def test_copies_are_counted_by_original_and_domain() -> None:
    """The first few copies of a page on a domain count as copies, all further ones as nothing."""
    yields = Yields(2)
    copy = Batch(1, UrlState.DUPLICATE, duplicate_of=7)
    other = Batch(1, UrlState.DUPLICATE, duplicate_of=8)
    assert [yields.of(copy, "a.test", None) for _ in range(3)] == [Yield.COPY] * 2 + [Yield.NOTHING]
    assert yields.of(other, "a.test", None) is Yield.COPY
    assert yields.of(copy, "b.test", None) is Yield.COPY


def test_the_memory_of_copies_is_bounded() -> None:
    """Beyond its limit the original that was longest not seen is forgotten."""
    yields = Yields(1, limit=10)
    for original in range(100):
        yields.of(Batch(1, UrlState.DUPLICATE, duplicate_of=original), "a.test", None)
    assert len(yields._counts) == 10


def test_pages_that_differ_in_digits_only_look_alike() -> None:
    """Days of an empty calendar are one look, texts with other words are not."""
    assert look("Day 3 of 2031:\n nothing") == look("Day 14 of 1999: nothing")
    assert look("Day 3: a party") != look("Day 3: nothing")


# --------------------------------------------------------------------------------------------------
# Subtrees


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("http://a.test/", ["a.test/*", "a.test/", "*.a.test"]),
        ("http://w.a.test/b/c.html", ["w.a.test/b/*", "w.a.test/b/", "w.a.test/", "*.a.test"]),
        ("http://a.test/b/7/", ["a.test/b/#", "a.test/b/#/", "a.test/b/", "a.test/", "*.a.test"]),
        (
            "http://a.test/find?q=x&p=2&q=y",
            ["a.test/find?p&q", "a.test/find?*", "a.test/**?p&q", "a.test/", "*.a.test"],
        ),
        (
            "http://a.test/1/b/c/d/e/f/g",
            [
                *("a.test/#/b/c/d/**/*", "a.test/#/b/c/d/", "a.test/#/b/c/", "a.test/#/b/"),
                *("a.test/#/", "a.test/", "*.a.test"),
            ],
        ),
    ],
)
def test_the_subtrees_of_a_url(url: str, names: list[str]) -> None:
    """Narrowest first: its shape, its query's keys, its directories, its host, its domain."""
    assert list(subtrees(url, url.split("/")[2])) == names


@pytest.mark.parametrize(
    ("segment", "name"),
    [
        ("2031-01-05", "#-#-#"),
        ("page12.html", "page#.html"),
        ("v1.2", "v#.#"),
        ("a3f09cbb12", "#"),
        ("(S(k2j3h4kjh23))", "(S(#))"),
        ("abcdefghijklmnopqrstuvwxyz", "#"),
        ("about-us", "about-us"),
        ("%E4%B8%AD%E6%96%87", "%E4%B8%AD%E6%96%87"),
    ],
)
def test_numbers_and_ids_are_rubbed_out(segment: str, name: str) -> None:
    """What a program counts is one name; words, Chinese ones too, stay apart."""
    assert shape(segment) == name


@pytest.mark.parametrize(
    ("path", "again"),
    [("/a/b/a/b/a/", True), ("/a/a/a", True), ("/a/b/a/b", False), ("/", False), ("/a//b", False)],
)
def test_paths_that_repeat_themselves(path: str, again: bool) -> None:
    """One segment three times is a repetition, wherever it stands."""
    assert repeats(f"http://a.test{path}") is again


# --------------------------------------------------------------------------------------------------
# Bounds


def test_memory_is_bounded_whatever_the_urls() -> None:
    """However many directories and domains there are, no more accounts are kept than allowed."""
    rule = TrapRule(Traps())
    for n in range(2_000):
        words = str_of(n)
        rule.learn(task(n, f"http://one.test/{words}/x/{words}/"), end(n, good=True), words)
    assert len(rule._domains["one.test"].subtrees) <= MAX_SUBTREES + 9
    assert {"one.test/", "*.one.test"} <= rule._domains["one.test"].subtrees.keys()
    for n in range(MAX_DOMAINS + 50):
        rule.learn(task(n, f"http://d{n}.test/"), end(n, good=True), str_of(n))
    assert len(rule._domains) == MAX_DOMAINS


def test_what_was_cut_is_never_forgotten() -> None:
    """Neither more directories nor more domains push a cut subtree out."""
    rule = TrapRule(Traps(), {"one.test": [record("one.test/cal/", "cut")]})
    for n in range(1_000):
        words = str_of(n)
        rule.learn(task(n, f"http://one.test/{words}/x/{words}/"), end(n, good=True), words)
    for n in range(MAX_DOMAINS + 50):
        rule.learn(task(n, f"http://d{n}.test/"), end(n, good=True), str_of(n))
    assert [cut.name for cut in rule.cuts()] == ["one.test/cal/"]
    assert rule.holder("http://one.test/cal/x", "one.test") is not None


def test_suspicion_outlives_the_run() -> None:
    """A trap that was half way to being cut needs no whole budget again after a resume."""

    def go_on(rule: TrapRule, first: int, number: int) -> list[str]:
        cuts = []
        for n in range(first, first + number):
            batch = end(n, False, f"http://t.test/cal/{n + 1}")
            if (cut := rule.learn(task(n, f"http://t.test/cal/{n}"), batch)) is not None:
                cuts.append(cut.name)
        return cuts

    rule = TrapRule(Traps())
    assert go_on(rule, 0, 150) == []
    later = TrapRule(Traps(), rule.state())
    assert go_on(later, 150, 60) == ["t.test/cal/#"]
