"""A crawl learns from its verdicts which URLs bring nothing new, and asks for them last."""

from __future__ import annotations

import sys
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
from crawler.frontier.learning import (
    AUDITS,
    ENDS,
    LEAST,
    Forecast,
    LinesSeen,
    Remembered,
    UrlLearning,
)
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
    assert living(task("https://a.test/old/60")) == 60
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


def test_audits_of_an_earlier_run_release_nothing() -> None:
    """Of a rule that was revoked a later run knows its audits alone: it goes on, and has no say."""
    crawled, later = Crawled(), UrlLearning()
    for page in range(30):
        crawled.end(f"https://a.test/new/n{page}.html", noindex())
    found = crawled.learning.foresee(task("https://a.test/new/x.html"))
    assert isinstance(found, Forecast)
    for lesson in crawled.heard:
        later.hear(*lesson)
    later.restore("a.test", found.rule, 2, 0, Priority.ORDINARY)
    for page in range(60):
        later.learn(task(f"https://a.test/new/m{page}.html"), stored(page + 1, [page]))
    assert later.take_changes(0.0) == []


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
        {
            "same": [
                {"slot": "a.test?sid"},
                {"slot": "a.test/", "other": "print"},
                {"slot": "a.test/in/", "one": "*", "other": "*"},
            ]
        }
    )
    crawled = Crawled(settings)
    crawled.end("https://a.test/s/p1", stored(1, [1]))
    assert crawled.where("https://a.test/s/p1?sid=9") is Priority.PREDICTED
    assert crawled.where("https://a.test/print/s/p1") is Priority.PREDICTED
    assert crawled.where("https://a.test/print/s/p2") is Priority.ORDINARY
    crawled.end("https://a.test/in/x1/p1", stored(99, [99]))
    assert crawled.where("https://a.test/in/x2/p1") is Priority.PREDICTED
    for page in range(2, 30):
        crawled.end(f"https://a.test/s/p1?sid={page}", stored(page, [page]))
    assert crawled.where("https://a.test/s/p1?sid=99") is Priority.PREDICTED


@pytest.mark.parametrize("original", ["old.a.test", "www.a.test", None])
def test_a_mirror_of_the_job_has_the_direction_that_is_named(original: str | None) -> None:
    """It waits behind the original that was queued; where none is named, that which comes first."""
    same = {"slot": "//", "one": "old.a.test", "other": "www.a.test", "original": original}
    crawled = Crawled()
    seen = {f"https://{host}.a.test/{number}" for host in ("www", "old") for number in range(9)}
    settings = Learn.model_validate({"same": [same]})
    crawled.learning = UrlLearning(settings, seen.__contains__)
    if original is None:
        assert {crawled.where(url) for url in seen} == {Priority.ORDINARY}
    crawled.end("https://www.a.test/0", stored(1, [1]))
    crawled.end("https://old.a.test/0", copy_of(1))
    waits = {url for url in seen if crawled.where(url) is Priority.PREDICTED and url[-1] != "0"}
    mirror = "www" if original == "old.a.test" else "old"
    assert waits == {f"https://{mirror}.a.test/{number}" for number in range(1, 9)}
    ((_, site),) = crawled.learning.sites()
    (proof,) = site.same.values()
    assert proof.mirrored == (original or "www.a.test")


def test_two_versions_of_a_manual_are_no_mirror() -> None:
    """Where a tenth of the pages differ, no page of one waits behind its like in the other."""
    crawled = Crawled()
    crawled.learning = UrlLearning(None, lambda url: True)
    for number in range(1, 60):
        crawled.end(f"https://a.test/15/{number}", stored(number, [number]))
        end = stored(100 + number, [100 + number]) if number % 10 == 5 else copy_of(number)
        crawled.end(f"https://a.test/16/{number}", end)
    assert crawled.where("https://a.test/16/60") is not Priority.PREDICTED


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
        apply = rule.applier()
        whole = [apply(parts_of(each)) or parts_of(each) for each in (url, other)]
        if not rule.name.startswith("?"):
            assert whole[0] == whole[1]
        assert all(apply(each) in (None, each) for each in whole)


@given(_URLS)
def test_shapes_are_few_and_begin_with_the_host(url: str) -> None:
    """A URL has at most some twenty shapes, none of them twice."""
    names = [name for kind in shapes(parts_of(url)) for name in kind]
    assert len(names) <= 24
    assert all(name.startswith(url.split("/")[2]) for name in names)


def test_lines_are_found_again_and_the_first_are_forgotten_beyond_the_limit() -> None:
    """Of lines that were shown hardly one is new, but for long ago; of new ones nearly all are.

    What is known of them takes 64 KiB at most.
    """
    seen, number = LinesSeen(), 500
    dice = np.random.default_rng(1)
    drawn = (np.unique(dice.integers(0, 2**32, 200)) for _ in range(number))
    pages = [lines.astype(np.uint32).tobytes() for lines in drawn]
    new = 0
    for page, lines in enumerate(pages):
        fresh = seen.fresh(lines)
        new += len(fresh)
        seen.add(fresh)
        assert len(seen.fresh(pages[max(0, page - 150)])) <= 0.1 * len(lines)
        assert seen.bytes <= 65_536
    assert new > 0.95 * sum(map(len, pages))
    assert len(seen.fresh(pages[0])) > 0.9 * len(pages[0])


def taken(kept: object, known: set[int]) -> int:
    """Return the bytes of all that an object holds, each once."""
    if id(kept) in known or isinstance(kept, type) or callable(kept):
        return 0
    known.add(id(kept))
    parts: list[object] = []
    if isinstance(kept, dict):
        parts += [*kept.keys(), *kept.values()]
    if isinstance(kept, list | tuple | frozenset):
        parts += kept
    parts += getattr(kept, "__dict__", {}).values()
    parts += [getattr(kept, name) for name in getattr(kept, "__slots__", ())]
    return sys.getsizeof(kept) + sum(taken(part, known) for part in parts)


def test_a_site_takes_256_kib_whatever_it_is_made_of() -> None:
    """However many kinds of URLs, spellings, hosts and lines a site has, it takes no more."""
    crawled = Crawled()
    words = np.random.default_rng(2)
    for number in range(700):
        folder = "abcdefghijklmnopqrst"[number % 20] * (1 + number % 17)
        host = f"https://h{number % 99}.a.test"
        url = f"{host}/{folder}/{folder}{'x' * (number % 131)}/p{number}.html"
        lines = words.integers(0, 2**32, 60).tolist()
        crawled.end(url, stored(number + 1, lines), referrer=f"{host}/list{number}")
        crawled.end(f"{url}?sid={number}&k{number}=1", copy_of(number + 1))
        crawled.end(f"{host}/{folder}{number}/y.html", copy_of(number + 1))
        crawled.end(f"{host}/{folder}/z?{folder}=1", noindex())
        crawled.where(f"{host}/{folder}/z?{folder}=1", number=number)
    ((_, site),) = crawled.learning.sites()
    assert len(site.same) == learning.MOST_RULES
    kept = {name: part for name, part in vars(site).items() if name != "subtrees"}
    assert 200 * 1024 < taken(kept, set()) <= 256 * 1024


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a site keep few rules."""
    monkeypatch.setattr(learning, "MOST_RULES", 8)


def test_what_was_set_last_is_remembered() -> None:
    """Of many more hashes than there is room for the latest are known, by their last numbers."""
    remembered = Remembered(512)
    for number in range(10_000):
        remembered[learning.hash_of(str(number))] = number
        remembered[learning.hash_of(str(number - 50))] = number
        assert remembered.get(learning.hash_of(str(number - 50))) == number
        assert remembered.get(learning.hash_of(str(number))) == number
    known = [remembered.get(learning.hash_of(str(number))) for number in range(10_000)]
    assert sum(one is not None for one in known[-300:]) > 250
    assert sum(one is not None for one in known) <= 512


def test_a_folder_of_sessions_does_not_matter() -> None:
    """Where each page is met below ever other folders, that is one rule, and none for each two."""
    crawled = Crawled()
    for page in range(1, 40):
        crawled.end(f"https://a.test/s{page}x/doc/p{page}", stored(page, [page]))
        crawled.end(f"https://a.test/s{page + 1}y/doc/p{page}", copy_of(page))
    assert crawled.where("https://a.test/never-met/doc/p7") is Priority.PREDICTED
    ((_, site),) = crawled.learning.sites()
    assert [proof.rule.name for proof in site.same.values() if proof.holds] == [
        "a.test/*/ does not matter"
    ]


def test_parameters_may_be_set_apart_by_semicolons() -> None:
    """What `a=edit` of `?p=x;a=edit` asks for is told like that of `?p=x&a=edit`."""
    crawled = Crawled()
    for page in range(1, 31):
        for number in (page, 100 + page):
            crawled.end(f"https://a.test/?p=x;a=blob;h=n{number}", stored(number, [number]))
        crawled.end(f"https://a.test/?p=x;a=edit;h=n{page}", noindex())
    assert crawled.where("https://a.test/?p=x;a=edit;h=n77") is Priority.PREDICTED
    assert crawled.where("https://a.test/?p=x;a=blob;h=n77") is Priority.ORDINARY


def test_a_list_that_leads_on_is_not_the_same_as_the_one_before() -> None:
    """Lists by `page` that show nothing are one page by their lines, not by what they lead to."""
    crawled = Crawled()
    crawled.end("https://a.test/list", stored(1, [1]))
    for number in range(2, 40):
        url = f"https://a.test/list?page={number}"
        crawled.end(url, copy_of(1))
        crawled.end(f"https://a.test/wiki/p{number}", stored(number, [number]), referrer=url)
    assert crawled.where("https://a.test/list?page=77") is Priority.ORDINARY


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


def test_hashes_of_lines_come_once_and_in_order() -> None:
    """So the crawl's own process finds them in its index as they are."""
    lines = [f"a line that is long enough, number {number}" for number in range(50)]
    hashes = np.frombuffer(line_hashes("\n".join(lines + lines[:5]), ""), "<u4")

    assert len(hashes) == len(lines)
    assert (hashes[1:] > hashes[:-1]).all()
