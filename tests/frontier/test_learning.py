"""A crawl learns from its verdicts which URLs bring nothing new, and asks for them last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.config.job import Learn, SameRule
from crawler.dedup.signing import line_hashes
from crawler.frontier import learning
from crawler.frontier.learning import AUDITS, ENDS, LEAST, Forecast, LineIndex, UrlLearning
from crawler.frontier.view import RuleTurn
from crawler.models import (
    ExactDuplicate,
    FetchTask,
    PageOutcome,
    PayloadKey,
    Predicted,
    Priority,
    Released,
    Signature,
    Skip,
    StoredDocument,
    StoredRef,
    UrlState,
)
from crawler.urls.editions import parts_of, same_page_rules, shapes

SIGNATURE = Signature(b"", b"", 0, 0, "word3", np.empty(0, np.uint32), b"")


def task(url: str, **more: Any) -> FetchTask:
    """Return a task for a URL."""
    number = more.pop("number", 1)
    return FetchTask(number, url, url.split("/")[2], 1, **more)


def stored(page: int, lines: Iterable[int]) -> PageOutcome:
    """Return the end of a page that is stored and shows these lines."""
    document = StoredDocument(page, page, "", PayloadKey(b"", ""), SIGNATURE, representative=True)
    hashes = np.array(sorted(lines), "<u4").tobytes()
    return PageOutcome(page, UrlState.STORED, document=document, line_hashes=hashes)


def copy_of(page: int) -> PageOutcome:
    """Return the end of a copy of a stored page."""
    end = ExactDuplicate("exact-text", StoredRef(page, ""))
    return PageOutcome(0, UrlState.DUPLICATE, end=end, duplicate_of=page)


def noindex() -> PageOutcome:
    """Return the end of a page that asks not to be indexed."""
    return PageOutcome(0, UrlState.SKIPPED, end=Skip.NOINDEX)


class Crawled:
    """Ends of a made site, in order."""

    def __init__(self, settings: Learn | None = None) -> None:
        self.learning = UrlLearning(settings)
        self.heard: list[tuple[str, str, bytes, str | None]] = []

    def end(self, url: str, outcome: PageOutcome, referrer: str | None = None) -> list[str]:
        """Have a URL end so; return hosts whose queues begin anew."""
        asked = task(url, referrer=referrer)
        self.learning.learn(asked, outcome)
        if outcome.lesson is not None:
            self.heard.append((asked.host, url, outcome.lesson, referrer))
        return self.learning.take_freed()

    def where(self, url: str, **more: Any) -> Priority:
        """Return where a URL would wait."""
        forecast = self.learning.foresee(task(url, **more))
        return forecast.priority if isinstance(forecast, Forecast) else Priority.ORDINARY


def articles(crawled: Crawled, number: int, first: int = 1) -> None:
    """Have so many articles stored that each show a line of their own."""
    for page in range(first, first + number):
        crawled.end(f"https://a.test/wiki/page-{page}", stored(page, [page]))


def test_a_kind_of_page_that_brings_nothing_waits_at_the_end() -> None:
    """After thirty edit pages that say noindex the next one waits behind all, articles do not."""
    crawled = Crawled()
    articles(crawled, 10)
    for page in range(1, 31):
        crawled.end(f"https://a.test/w?id=page{page}&do=edit", noindex())
    assert crawled.where("https://a.test/w?id=another&do=edit") is Priority.PREDICTED
    assert crawled.where("https://a.test/wiki/page-1000") is Priority.ORDINARY
    assert crawled.where("https://b.test/w?id=another&do=edit") is Priority.ORDINARY


def test_what_is_little_known_keeps_its_place() -> None:
    """Fewer fruitless ends than ENDS say nothing of a kind; with them it waits a little."""
    crawled = Crawled()
    for page in range(ENDS - 1):
        crawled.end(f"https://a.test/tags/t{page}.html", noindex())
    assert crawled.where("https://a.test/tags/other.html") is Priority.ORDINARY
    crawled.end("https://a.test/tags/last.html", noindex())
    assert crawled.where("https://a.test/tags/other.html") is Priority.RARE


def test_lines_that_stand_elsewhere_are_no_news() -> None:
    """Stored pages all of whose lines other pages have shown teach that their kind brings none."""
    crawled = Crawled()
    articles(crawled, 40)
    for page in range(1, 31):
        crawled.end(f"https://a.test/w?id=page{page}&idx=x", stored(100 + page, [page, page + 1]))
    assert crawled.where("https://a.test/w?id=new&idx=x") is Priority.PREDICTED


def test_a_list_is_worth_what_it_leads_to() -> None:
    """Lists without text of their own keep their place while they lead to pages that bring some."""
    led, idle = Crawled(), Crawled()
    for number in range(30):
        for crawled in (led, idle):
            page = f"https://a.test/list?page={number}"
            crawled.end(page, noindex())
            article = f"https://a.test/wiki/page-{number}"
            crawled.end(article, stored(number + 1, [number]), page if crawled is led else None)
    assert led.where("https://a.test/list?page=31") is Priority.ORDINARY
    assert idle.where("https://a.test/list?page=31") is Priority.PREDICTED


@pytest.mark.parametrize(
    ("url", "other", "further", "known"),
    [
        ("/p{}?sid=8{}", "/p{}", "/p{}?sid=777", "/p{}"),
        ("/p{}?page=1", "/p{}", "/p{}?page=1", "/p{}"),
        ("/print/s/p{}", "/s/p{}", "/print/s/p{}", "/s/p{}"),
        ("/s/p{}/index.html", "/s/p{}/", "/s/p{}/index.html", "/s/p{}/"),
        ("/s/p{}-print.html", "/s/p{}.html", "/s/p{}-print.html", "/s/p{}.html"),
    ],
    ids=["parameter", "default", "folder", "index", "ending"],
)
def test_another_spelling_of_a_known_page_is_foreseen(
    url: str, other: str, further: str, known: str
) -> None:
    """URLs that differ in a way that never made another page wait, with the page they will be."""
    crawled = Crawled()
    for page in range(1, LEAST + 2):
        crawled.end("https://a.test" + other.format(page), stored(page, [page]))
        crawled.end("https://a.test" + url.format(page, page), copy_of(page))
    crawled.end("https://a.test" + known.format(500), stored(500, [500]))
    crawled.learning.take_changes(0.0)
    assert crawled.where("https://a.test" + further.format(500)) is Priority.PREDICTED
    (told,) = crawled.learning.take_changes(0.0)
    assert isinstance(told, Predicted)
    assert told.like == 500
    assert crawled.where("https://a.test" + further.format(501)) is Priority.ORDINARY


def test_a_parameter_that_makes_other_pages_is_not_believed() -> None:
    """A parameter whose values lead to pages of their own is never said not to matter."""
    crawled = Crawled()
    for page in range(1, 40):
        crawled.end(f"https://a.test/shop?color={page}&item=1", stored(page, [page]))
        crawled.end(f"https://a.test/shop?item=1&color={page}", copy_of(page))
    assert crawled.where("https://a.test/shop?color=77&item=1") is Priority.ORDINARY


def test_a_mirror_waits_for_pages_of_its_original_that_were_found() -> None:
    """Not where the original is not known to have a page, or has none; the original never waits."""
    crawled = Crawled()
    found = "https://www.a.test/{}"
    seen = {found.format(number) for number in range(99)}
    crawled.learning = UrlLearning(None, seen.__contains__)
    for number in range(LEAST + 1):
        crawled.end(found.format(number), stored(number + 1, [number]))
        crawled.end(f"https://old.a.test/{number}", copy_of(number + 1))
    assert crawled.where("https://old.a.test/60") is Priority.PREDICTED
    assert crawled.where("https://www.a.test/60") is not Priority.PREDICTED
    unknown = crawled.where("https://old.a.test/100")
    crawled.end(found.format(61), noindex())
    assert crawled.where("https://old.a.test/61") is unknown is not Priority.PREDICTED


def test_where_a_page_lives_is_known_by_rules() -> None:
    """A URL that a rule makes one with a known page's leads there; another one nowhere."""
    crawled = Crawled()
    for number in range(LEAST + 1):
        crawled.end(f"https://a.test/new/{number}", stored(number + 1, [number]))
        crawled.end(f"https://a.test/old/{number}", copy_of(number + 1))
    crawled.end("https://a.test/new/60", stored(60, [60]))
    living = crawled.learning.living_copy
    assert living(task("https://a.test/old/60")) == "https://a.test/new/60"
    assert living(task("https://a.test/old/61")) is None
    assert living(task("https://b.test/old/60")) is None


def test_a_rule_that_fails_gives_back_what_it_postponed() -> None:
    """When postponed kinds bring something after all, their rule is revoked: URLs are released."""
    crawled = Crawled()
    for page in range(30):
        crawled.end(f"https://a.test/new/n{page}.html", noindex())
    assert crawled.where("https://a.test/new/x.html") is Priority.PREDICTED
    crawled.learning.take_changes(0.0)
    hosts: list[str] = []
    for page in range(60):
        hosts += crawled.end(f"https://a.test/new/m{page}.html", stored(page + 1, [page]))
    assert "a.test" in hosts
    changes = crawled.learning.take_changes(0.0)
    assert any(isinstance(change, Released) for change in changes)
    assert crawled.where("https://a.test/new/y.html") is Priority.ORDINARY


def test_who_watches_sees_what_waits_by_a_rule_and_when_it_came_and_went() -> None:
    """URLs are counted until they end; a revoked rule has none, and one that comes again is new."""
    crawled = Crawled()
    learned = crawled.learning
    for page in range(30):
        crawled.end(f"https://a.test/new/n{page}.html", noindex())
    asked = [task(f"https://a.test/new/x{n}.html", number=n) for n in range(1, 4)]
    rules = [found.rule for one in asked if isinstance(found := learned.foresee(one), Forecast)]
    (rule,) = set(rules)
    learned.take_changes(100.0)
    learned.learn(replace(asked[0], rule=rule), noindex())
    seen = learned.seen(160.0, 10)
    assert (seen.number, seen.urls, seen.waiting) == (1, 2, ((rule, 2),))
    assert seen.turns == (RuleTurn(rule, came=True, ago_s=60.0),)
    for page in range(60):
        crawled.end(f"https://a.test/new/m{page}.html", stored(page + 1, [page]))
    learned.take_changes(200.0)
    learned.learn(replace(asked[1], rule=rule), noindex())
    seen = learned.seen(260.0, 10)
    assert (seen.number, seen.urls, seen.waiting) == (0, 0, ())
    assert seen.turns[0] == RuleTurn(rule, came=False, ago_s=60.0)
    for page in range(400):
        crawled.end(f"https://a.test/new/o{page}.html", noindex())
    assert learned.foresee(asked[2]) is not None
    learned.take_changes(300.0)
    assert [one.came for one in learned.seen(300.0, 10).turns] == [True, False, True]
    assert UrlLearning(Learn(without=(rule,))).seen(0.0, 10).released == (rule,)


def test_some_are_asked_for_to_see_whether_a_rule_is_right() -> None:
    """One of AUDITS URLs keeps its place all the same, and is told as an audit."""
    crawled = Crawled()
    for page in range(30):
        crawled.end(f"https://a.test/x/n{page}.html", noindex())
    where = [crawled.where(f"https://a.test/x/m{n}.html", number=n) for n in range(2 * AUDITS)]
    assert where.count(Priority.ORDINARY) == 2
    changes = crawled.learning.take_changes(0.0)
    assert sum(isinstance(one, Predicted) and one.audit for one in changes) == 2


@pytest.mark.parametrize(
    "more", [{"seed": True}, {"attempt": 1}, {"refused": 1}, {"priority": Priority.SITEMAP}]
)
def test_seeds_sitemaps_and_retries_never_wait(more: dict[str, Any]) -> None:
    """What somebody named, what lists pages and what was begun keep their place."""
    crawled = Crawled()
    for page in range(30):
        crawled.end(f"https://a.test/x/n{page}.html", noindex())
    assert crawled.learning.foresee(task("https://a.test/x/other.html")) is not None
    assert crawled.learning.foresee(task("https://a.test/x/more.html", **more)) is None


@pytest.mark.parametrize("off", ["urls", "without"])
def test_learning_and_single_rules_can_be_turned_off(off: str) -> None:
    """`learn.urls: false` learns nothing; a rule of `learn.without` postpones nothing."""
    rule = "a.test/x/*.html"
    settings = Learn(urls=False) if off == "urls" else Learn(without=(rule,))
    crawled = Crawled(settings)
    for page in range(30):
        crawled.end(f"https://a.test/x/n{page}.html", noindex())
    assert crawled.where("https://a.test/x/other.html") is Priority.ORDINARY
    assert bool(crawled.heard) is (off == "without")


def test_a_rule_of_the_job_holds_from_the_first_page_on() -> None:
    """`learn.same` foresees other spellings without any pair, and is not refuted by pages."""
    settings = Learn.model_validate(
        {"same": [{"slot": "a.test?sid"}, {"slot": "a.test/", "other": "print"}]}
    )
    crawled = Crawled(settings)
    crawled.end("https://a.test/s/p1", stored(1, [1]))
    assert crawled.where("https://a.test/s/p1?sid=9") is Priority.PREDICTED
    assert crawled.where("https://a.test/print/s/p1") is Priority.PREDICTED
    assert crawled.where("https://a.test/print/s/p2") is Priority.ORDINARY
    for page in range(2, 30):
        crawled.end(f"https://a.test/s/p1?sid={page}", stored(page, [page]))
    assert crawled.where("https://a.test/s/p1?sid=99") is Priority.PREDICTED


_URLS = st.builds(
    "https://{}.test/{}{}{}".format,
    st.sampled_from("ab"),
    st.sampled_from(["", "print/", "x/"]),
    st.sampled_from(["p1", "p2", "p3.html", "q/", "q/index.html"]),
    st.sampled_from(["", "?sid=1", "?sid=2", "?do=edit&id=3", "?id=4"]),
)
_ENDS = st.one_of(
    st.builds(stored, st.integers(1, 20), st.frozensets(st.integers(1, 12), max_size=5)),
    st.builds(copy_of, st.integers(1, 20)),
    st.builds(noindex),
)


@given(st.lists(st.tuples(_URLS, _ENDS, st.none() | _URLS), max_size=120), st.lists(_URLS))
def test_a_later_run_that_hears_the_lessons_knows_the_same(
    ends: list[tuple[str, PageOutcome, str | None]], asked: list[str]
) -> None:
    """Whatever came of whatever URLs: kept lessons, heard in their order, give equal forecasts."""
    crawled, later = Crawled(), UrlLearning()
    for url, outcome, referrer in ends:
        crawled.end(url, outcome, referrer)
    for lesson in crawled.heard:
        later.hear(*lesson)
    assert not later.take_changes(0.0)
    for url in asked:
        assert later.foresee(task(url)) == crawled.learning.foresee(task(url))


@given(_URLS, _URLS)
def test_a_rule_makes_one_address_of_the_two_that_spoke_for_it(url: str, other: str) -> None:
    """Two URLs of one page are one by every rule that they speak for, and stay that."""
    for rule in same_page_rules(url, other):
        whole = [rule.applied(parts_of(each)) or parts_of(each) for each in (url, other)]
        if not rule.name.startswith("?"):
            assert whole[0] == whole[1]
        assert all(rule.applied(each) in (None, each) for each in whole)


@given(_URLS)
def test_shapes_are_few_and_begin_with_the_host(url: str) -> None:
    """A URL has at most some twenty shapes, none of them twice."""
    names = [name for kind in shapes(parts_of(url)) for name in kind]
    assert len(names) <= 24
    assert all(name.startswith(url.split("/")[2]) for name in names)


def test_lines_are_found_again_after_merges_and_forgotten_beyond_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All lines are known until there are too many; then those of the first pages are forgotten."""
    monkeypatch.setattr("crawler.frontier.learning._RECENT", 10)
    monkeypatch.setattr("crawler.frontier.learning.MOST_LINES", 100)
    index = LineIndex()

    for page in range(30):
        lines = np.arange(10 * page, 10 * page + 10, dtype=np.uint32)
        fresh, _ = index.look(lines)
        assert len(fresh) == 10
        index.add(fresh, page)
        fresh, there = index.look(lines)
        assert not len(fresh)
        assert there == page
    assert len(index) <= 110
    assert len(index.look(np.arange(10, dtype=np.uint32))[0]) == 10


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a site keep little."""
    for name, limit in (("MOST_SHAPES", 50), ("MOST_RULES", 8), ("MOST_PAGES", 80)):
        monkeypatch.setattr(learning, name, limit)


def test_a_site_of_endless_shapes_stays_within_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many kinds of URLs, spellings and texts a site has, it keeps so much and no more."""
    small(monkeypatch)
    crawled = Crawled()
    for number in range(2_000):
        folder = "abcdefghijklmnopqrst"[number % 20] * (1 + number % 17)
        url = f"https://a.test/{folder}/{folder}{'x' * (number % 23)}/p{number}.html"
        crawled.end(url, stored(number + 1, [number]), referrer=f"https://a.test/list{number}")
        crawled.end(f"{url}?sid={number}", copy_of(number + 1))
        crawled.end(f"https://a.test/{folder}{number}/y.html", copy_of(number + 1))
        crawled.end(f"https://a.test/{folder}/z?{folder}=1", noindex())
        crawled.where(f"https://a.test/{folder}/z?{folder}=1", number=number)
    ((_, site),) = crawled.learning.sites()
    assert len(site.yields) <= 50
    assert len(site.kept) <= 50
    assert len(site.same) <= 8
    held = {name: len(kept) for name, kept in vars(site).items() if name.startswith("_")}
    assert max(held.values()) <= 80, held


def test_pages_noted_anew_as_rules_change_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses that rules make of known ones count among those that a site keeps."""
    small(monkeypatch)
    crawled = Crawled()
    for page in range(1, 400):
        crawled.end(f"https://a.test/wiki/p{page}?sid=a{page}", stored(page, [page]))
        if page < 2 * LEAST:
            crawled.end(f"https://a.test/wiki/p{page}?sid=b{page}", copy_of(page))
    ((_, site),) = crawled.learning.sites()
    assert len(site._pages) <= 80


def test_rules_that_few_pairs_speak_for_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page under endless addresses, each with a parameter of its own, makes no endless rules."""
    small(monkeypatch)
    crawled = Crawled()
    crawled.end("https://a.test/page", stored(1, [1]))
    for number in range(300):
        crawled.end(f"https://a.test/page?k{number}=1", copy_of(1))
    ((_, site),) = crawled.learning.sites()
    assert len(site.same) <= 8


def test_a_rule_that_proves_itself_is_not_crowded_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where pairs of pages speak for ever other rules, one that they speak for again stays."""
    small(monkeypatch)
    crawled = Crawled()
    for page in range(1, 60):
        crawled.end(f"https://a.test/s/p{page}", stored(page, [page]))
        crawled.end(f"https://a.test/s/p{page}?sid={page}", copy_of(page))
        crawled.end(f"https://a.test/x{page}/p{page}", copy_of(page))
    crawled.end("https://a.test/s/p500", stored(500, [500]))
    assert crawled.where("https://a.test/s/p500?sid=1") is Priority.PREDICTED


def test_rules_that_are_given_leave_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little speaks for a rule of the job, and for how many others, new ones are tried."""
    small(monkeypatch)
    crawled = Crawled(Learn(same=(SameRule(slot="a.test?given"),)))
    crawled.end("https://a.test/page", stored(1, [1]))
    for number in range(100):
        crawled.end(f"https://a.test/page?k{number}=1", copy_of(1))
    for page in range(2, LEAST + 4):
        crawled.end(f"https://a.test/s/p{page}", stored(page, [page]))
        crawled.end(f"https://a.test/s/p{page}?sid={page}", copy_of(page))
    crawled.end("https://a.test/s/p500", stored(500, [500]))
    assert crawled.where("https://a.test/s/p500?sid=1") is Priority.PREDICTED
    assert crawled.where("https://a.test/s/p500?given=1") is Priority.PREDICTED


def test_what_is_learned_of_a_torn_lesson_is_told() -> None:
    """Bytes that are no lesson are refused by a ValueError, which a damaged state is told by."""
    with pytest.raises(ValueError, match="17 bytes"):
        learning.Lesson.of(b"\x00")
    with pytest.raises(ValueError, match="multiple"):
        learning.Lesson.of(learning.Lesson(True, 1).packed() + b"abc")


def test_a_page_with_a_new_line_is_like_no_other() -> None:
    """Where half of its lines stood first is told of a page without news alone."""
    index = LineIndex()
    known = np.arange(10, dtype=np.uint32)
    index.add(known, 7)

    fresh, there = index.look(np.arange(11, dtype=np.uint32))
    assert fresh.tolist() == [10]
    assert there is None
    assert index.look(known)[1] == 7


def test_hashes_of_lines_come_once_and_in_order() -> None:
    """So the crawl's own process finds them in its index as they are."""
    lines = [f"a line that is long enough, number {number}" for number in range(50)]
    hashes = np.frombuffer(line_hashes("\n".join(lines + lines[:5]), ""), "<u4")

    assert len(hashes) == len(lines)
    assert (hashes[1:] > hashes[:-1]).all()
