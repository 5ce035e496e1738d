"""The trap rule in its parts: debts and budgets, worth, names of subtrees, bounds of memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.worlds import World, cutting, job, record

from crawler.frontier import Frontier, cut_records, released
from crawler.frontier.learning import MOST_SITES, UrlLearning
from crawler.frontier.traps import MAX_SUBTREES, REWARD, Novelty, NoveltyCounter, Subtree
from crawler.models import (
    EXACT_TEXT,
    ExactDuplicate,
    Failure,
    FetchTask,
    New,
    NewUrl,
    PageOutcome,
    Priority,
    Skip,
    StoredRef,
    UrlState,
)
from crawler.urls.editions import LOOKED_AT, repeats, shape, subtrees

ENDS = st.lists(
    st.tuples(st.sampled_from(Novelty), st.integers(0, 3), st.integers(0, 1), st.booleans()),
    max_size=400,
)
"""Worth, new URLs into the subtree, new URLs out of it, whether the path repeats itself."""


@given(ends=ENDS, base=st.integers(8, 60))
def test_no_subtree_is_cut_while_a_quarter_of_its_pages_is_new(
    ends: list[tuple[Novelty, int, int, bool]], base: int
) -> None:
    """In the streak for which a subtree is cut less than 1 / (1 + REWARD) of the pages are new."""
    subtree = Subtree("x")
    for worth, inward, out, again in ends:
        subtree.learn(worth, duplicate=False, inward=inward, out=out, repeats=again)
        if subtree.spent(base):
            assert subtree.streak_new < subtree.streak / (1 + REWARD)
            assert subtree.streak >= base / 2


@given(st.lists(st.booleans(), min_size=1, max_size=300), st.integers(8, 30))
def test_a_good_subtree_within_a_cut_one_is_spared(fruitful: list[bool], base: int) -> None:
    """Whatever was cut around it, a subtree with a quarter of new pages and no debt is fetched."""
    state = {"t.test": [record("t.test/", "cut")]}
    rule = cutting(state, budget=base)
    new = 0
    for n, good in enumerate(fruitful):
        new += good
        rule.learn(task(n, f"http://t.test/blog/{'abcdefgh'[n % 8]}"), end(n, good))
    share, url = new / len(fruitful), "http://t.test/blog/next"
    if new >= 8 and share >= 0.5:
        assert rule.holder(url, "t.test") is None
    if new < 8 or share < 0.25:
        assert rule.holder(url, "t.test") is not None


def task(n: int, url: str) -> FetchTask:
    """Return a task."""
    return FetchTask(n, url, url.split("/")[2], depth=1)


def end(n: int, good: bool, *brought: str) -> PageOutcome:
    """Return the end of a new page, which looks like no other, or of a dead link."""
    new = tuple(NewUrl(n, url, url.split("/")[2], 1, Priority.ORDINARY, 0, None) for url in brought)
    if good:
        return PageOutcome(n, UrlState.STORED, end=New(), new_urls=new, look=n.to_bytes(8))
    return PageOutcome(n, UrlState.FAILED, end=Failure.HTTP_CLIENT_ERROR, new_urls=new)


def str_of(n: int) -> str:
    """Return a text that differs from all others in letters."""
    return "".join("abcdefghij"[int(digit)] for digit in str(n))


def copy_of(original: int, state: UrlState = UrlState.DUPLICATE) -> PageOutcome:
    """Return the end of a copy of a page of this crawl, dropped or tagged."""
    verdict = ExactDuplicate(EXACT_TEXT, StoredRef(original, f"http://a.test/{original}"))
    return PageOutcome(1, state, end=verdict, duplicate_of=original)


@pytest.mark.parametrize(
    ("outcome", "worth"),
    [
        (PageOutcome(1, UrlState.STORED, end=New()), Novelty.NEW),
        (copy_of(7), Novelty.COPY),
        (copy_of(7, UrlState.STORED), Novelty.COPY),
        (PageOutcome(1, UrlState.REDIRECT), Novelty.NOTHING),
        (PageOutcome(1, UrlState.FAILED, end=Failure.HTTP_CLIENT_ERROR), Novelty.NOTHING),
        (PageOutcome(1, UrlState.SKIPPED, end=Skip.NOINDEX), Novelty.NOTHING),
        (PageOutcome(1, UrlState.FAILED, end=Failure.HTTP_SERVER_ERROR), None),
        (PageOutcome(1, UrlState.FAILED, end=Failure.HOST_UNREACHABLE), None),
        (PageOutcome(1, UrlState.SKIPPED, end=Skip.ROBOTS), None),
        (PageOutcome(1, UrlState.SKIPPED, end=Skip.OUT_OF_SCOPE), None),
    ],
)
def test_what_an_end_is_worth(outcome: PageOutcome, worth: Novelty | None) -> None:
    """What the network, robots.txt or the job did says nothing about a subtree."""
    assert NoveltyCounter(4).of(outcome, "a.test") is worth


def test_copies_are_counted_by_original_and_domain() -> None:
    """The first few copies of a page on a domain count as copies, all further ones as nothing."""
    counter = NoveltyCounter(2)
    copy, other = copy_of(7), copy_of(8)
    assert [counter.of(copy, "a.test") for _ in range(3)] == [Novelty.COPY] * 2 + [Novelty.NOTHING]
    assert counter.of(other, "a.test") is Novelty.COPY
    assert counter.of(copy, "b.test") is Novelty.COPY


def test_copies_of_earlier_pages_are_as_new_as_those_were() -> None:
    """What an earlier crawl has stored is new for as many copies as one page of its own has."""
    counter, stored = NoveltyCounter(2), StoredRef(-7, "http://a.test/7")
    copy = PageOutcome(1, UrlState.DUPLICATE, end=ExactDuplicate(EXACT_TEXT, stored))
    assert [counter.of(copy, "a.test") for _ in range(4)] == [Novelty.NEW] * 3 + [Novelty.NOTHING]


def test_the_memory_of_copies_is_bounded() -> None:
    """Beyond its limit the original that was longest not seen is forgotten."""
    counter = NoveltyCounter(1, limit=10)
    for original in range(100):
        counter.of(copy_of(original), "a.test")
    assert len(counter._counts) == 10


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


def test_memory_is_bounded_whatever_the_urls() -> None:
    """However many directories and domains there are, no more accounts are kept than allowed."""
    rule = cutting()
    for n in range(2_000):
        words = str_of(n)
        rule.learn(task(n, f"http://one.test/{words}/x/{words}/"), end(n, good=True))
    assert len(rule._sites["one.test"].subtrees._known) <= MAX_SUBTREES + 9
    assert {"one.test/", "*.one.test"} <= rule._sites["one.test"].subtrees._known.keys()
    for n in range(MOST_SITES + 50):
        rule.learn(task(n, f"http://d{n}.test/"), end(n, good=True))
    assert len(rule._sites) == MOST_SITES


def test_what_was_cut_is_never_forgotten() -> None:
    """Neither more directories nor more domains push a cut subtree out."""
    rule = cutting({"one.test": [record("one.test/cal/", "cut")]})
    for n in range(1_000):
        words = str_of(n)
        rule.learn(task(n, f"http://one.test/{words}/x/{words}/"), end(n, good=True))
    for n in range(MOST_SITES + 50):
        rule.learn(task(n, f"http://d{n}.test/"), end(n, good=True))
    assert [cut.name for cut in rule.cuts()] == ["one.test/cal/"]
    assert rule.holder("http://one.test/cal/x", "one.test") is not None


def test_what_is_cut_among_very_many_cuts_stays_cut() -> None:
    """A cut holds, though memory for what is open ran out by the very page that caused it."""
    cuts = [record(f"one.test/{str_of(n)}/", "cut") for n in range(MAX_SUBTREES - 1)]
    about_to = {"debt": 999.0, "growth": 9.0, "streak": 99, "streak_found": 999, "fetched": 99}
    rule = cutting({"one.test": [*cuts, record("one.test/cal/", "open") | about_to]})
    cut = rule.learn(task(1, "http://one.test/cal/x"), end(1, good=False))
    assert cut is not None
    assert cut.name == "one.test/cal/"
    assert rule.holder("http://one.test/cal/y", "one.test") is cut


def test_what_is_spared_outlives_the_run() -> None:
    """A good place within a cut one is still spared after a resume."""
    rule = cutting({"t.test": [record("t.test/", "cut")]})
    for n in range(8):
        rule.learn(task(n, f"http://t.test/blog/{str_of(n)}"), end(n, good=True))
    later = cutting(rule.state())
    assert later.holder("http://t.test/blog/next", "t.test") is None
    assert later.holder("http://t.test/shop/next", "t.test") is not None


def test_suspicion_outlives_the_run() -> None:
    """A trap that was half way to being cut needs no whole budget again after a resume."""

    def go_on(rule: UrlLearning, first: int, number: int) -> list[str]:
        cuts = []
        for n in range(first, first + number):
            outcome = end(n, False, f"http://t.test/cal/{n + 1}")
            if (cut := rule.learn(task(n, f"http://t.test/cal/{n}"), outcome)) is not None:
                cuts.append(cut.name)
        return cuts

    rule = cutting()
    assert go_on(rule, 0, 150) == []
    later = cutting(rule.state())
    assert go_on(later, 150, 60) == ["t.test/cal/#"]


@given(
    places=st.lists(st.tuples(st.integers(0, 2), st.sampled_from("xyz"), st.integers(0, 30))),
    host_queue=st.integers(2, 9),
    restored=st.booleans(),
)
def test_what_is_held_back_stays_pending_and_all_else_is_fetched(
    places: list[tuple[int, str, int]], host_queue: int, restored: bool
) -> None:
    """However the queues spill and refill, of cut subtrees nothing is fetched and nothing lost."""
    fruitless = {"hosts": {"counts": [("h1.test", 0, 4)]}}
    cut = {
        "h0.test": [record("h0.test/x/", "cut")],
        "h1.test": [record("*.h1.test", "cut") | fruitless],
    }
    data = job(frontier={"host_queue": host_queue}, politeness={"robots": False, "delay_s": 0.0})
    w = World(Frontier(data, traps=cut), {})
    urls = [f"http://h{host}.test/{name}/{n}" for host, name, n in places]
    for url in urls:
        w.offer(url, depth=len(w.pending) % 3)
    if restored:
        again = World(Frontier(data, next_url_id=1_000, traps=cut), {})
        again.pending = w.pending
        for host in {task.host for task in w.pending.values()}:
            number = sum(task.host == host for task in w.pending.values())
            again.frontier.restore(host, number, answered=True)
        w = again
    w.run()
    held = {url for url in urls if url.startswith(("http://h0.test/x/", "http://h1.test/"))}
    assert {task.url for task in w.pending.values()} == held
    assert {task.url for task in w.fetched} == set(urls) - held
    assert w.frontier.pending == len(held)
    assert w.hosts_in_the_end == 0
    assert w.frontier.counts().in_memory == 0


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


def test_the_names_of_subtrees_are_bounded() -> None:
    """However many and however long the segments and keys of a URL, its names are short."""
    deep = f"http://a.test/{'/'.join(f'{n}z' for n in range(300))}/page"
    long = f"http://a.test/{'long-' * 300}/{'word-' * 60}7"
    keyed = f"http://a.test/find?{'&'.join(f'{chr(97 + n % 26) * 5}{n}' for n in range(200))}"
    assert subtrees(deep, "a.test")[0] == "a.test/#/#/#/#/**/*"
    assert subtrees(long, "a.test")[1] == f"a.test/{'long-' * 20}*/"
    for url in (deep, long, keyed):
        assert len("".join(subtrees(url, "a.test"))) < 9 * 6 * LOOKED_AT


def test_a_deep_path_is_looked_through_once() -> None:
    """Whether a path of a thousand different segments repeats itself is found in one pass."""
    assert not repeats(f"http://a.test/{'/'.join(map(str, range(300)))}")
    assert repeats(f"http://a.test/{'/'.join(map(str, range(300)))}/7/8/7")
