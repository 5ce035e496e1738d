"""Crawls of real servers that learn of URLs: nothing is lost, and what is foreseen comes last."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.crawling import command, crawl, loopback_job, write_job
from support.foreseen import MORE, PENDING, Ran, ended_whole, lessons, ran, resumed, rows, waiting
from support.output import lines, summary_of
from support.spelled import (
    ARTICLES,
    HIDDEN,
    MIRROR,
    SpelledWeb,
    one_after_another,
    spelled_web,
    texts,
)
from support.trap_web import serve, session_queries, sessions

from crawler.cli import main
from crawler.config import parse_job
from crawler.engine.identity import identity
from crawler.frontier import Frontier
from crawler.frontier.learning import HEARD, Lesson, Site, UrlLearning, Yield
from crawler.models import Priority
from crawler.sources.web.crawl import Crawl
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView
from crawler.urls.editions import hosts_of


@pytest.fixture(scope="module")
def web() -> Iterator[SpelledWeb]:
    """The made web, asked one page after another."""
    with spelled_web() as served, one_after_another():
        yield served


@pytest.fixture(scope="module")
def learning(web: SpelledWeb, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A crawl of all hosts without limits."""
    return ran(web, tmp_path_factory.mktemp("on") / "out")


@pytest.fixture(scope="module")
def unlearned(web: SpelledWeb, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The same crawl that learns nothing."""
    return ran(web, tmp_path_factory.mktemp("off") / "out", learn={"urls": False})


@pytest.fixture(scope="module")
def hostile(web: SpelledWeb, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A crawl of one host alone without limits."""
    return ran(web, tmp_path_factory.mktemp("hostile") / "out", "hostile.test")


@pytest.fixture(scope="module")
def stopped(web: SpelledWeb, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A crawl of two hosts of one site that came to its page limit as only copies were left."""
    limits = {"pages": 2 * ARTICLES + 30}
    return ran(web, tmp_path_factory.mktemp("some") / "out", "a.test", MIRROR, limits=limits)


@pytest.fixture
def output(stopped: Ran, tmp_path: Path) -> Path:
    """A copy of that crawl which a test may change."""
    return Path(shutil.copytree(stopped.output, tmp_path / "out"))


def changed(output: Path, sql: str, *parameters: object) -> None:
    """Change a crawl's state as no program of ours does."""
    with closing(sqlite3.connect(output / "state.sqlite")) as state, state:
        state.execute(sql, parameters)


# ---------------------------------------------------------------- without limits


def test_a_crawl_to_its_end_has_every_text_hidden_ones_included(
    learning: Ran, unlearned: Ran
) -> None:
    """With and without learning the same texts are stored, by the same requests, none pending."""
    foreseen = ended_whole(learning.output)["foreseen"]
    assert ended_whole(unlearned.output)["foreseen"]["urls"] == 0
    assert texts(learning.output) == texts(unlearned.output)
    assert Counter(learning.asked) == Counter(unlearned.asked)
    hidden = {
        page["url"].partition(".test")[2].partition("/")[2]
        for page in lines(learning.output, "pages")
        if page["host"].startswith("hostile.")
    }
    assert hidden >= {address[1:] for address in HIDDEN}
    assert foreseen["urls"] == foreseen["audits"] + foreseen["late"] > 4 * ARTICLES


@pytest.mark.parametrize("host", ["a.test", "hostile.test"])
def test_what_is_foreseen_is_asked_for_after_the_pages(
    host: str, web: SpelledWeb, learning: Ran
) -> None:
    """As the server saw it: every article comes before the first predicted duplicate."""
    asked = learning.addresses(host)
    articles = [asked.index(f"/wiki/p{n}") for n in range(1, ARTICLES + 1)]
    with StoreView.read(learning.output) as view:
        late = [
            url.partition(f":{web.port}")[2]
            for (url,) in view.database.rows(
                "SELECT u.url FROM predicted AS p JOIN urls AS u ON u.id = p.url_id "
                "WHERE NOT p.audit AND u.priority = ? AND u.url LIKE ?",
                (int(Priority.PREDICTED), f"http://{host}:%/wiki/%"),
            )
        ]
    assert late
    assert max(articles) < min(map(asked.index, late))


def test_what_one_host_teaches_concerns_no_other(
    web: SpelledWeb, learning: Ran, tmp_path: Path
) -> None:
    """Beside two hosts that teach rules a third is asked in the order in which it is alone."""
    alone = ran(web, tmp_path / "alone", "b.test")
    assert alone.addresses("b.test") == learning.addresses("b.test")
    told = rows(
        learning.output,
        "SELECT h.name, p.rule FROM predicted AS p JOIN urls AS u ON u.id = p.url_id "
        "JOIN hosts AS h ON h.id = u.host_id",
    )
    assert told
    assert all(hosts_of(rule) == {host} for host, rule in told)


def test_two_crawls_of_a_site_learn_the_same(
    web: SpelledWeb, hostile: Ran, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With one worker URLs end in one order, with the same rules and the same ones postponed."""
    seen = []
    for output in (hostile.output, ran(web, tmp_path / "again", "hostile.test").output):
        ends = rows(output, "SELECT url, state FROM urls ORDER BY ended")
        _, told, _ = command(capsys, "rules", output, "--json")
        seen.append((ends, json.loads(told), rows(output, "SELECT * FROM predicted")))
    assert seen[0] == seen[1]
    assert seen[0][1]


# ---------------------------------------------------------------- with limits


def test_copies_take_no_pages_while_another_host_has_something(
    web: SpelledWeb, unlearned: Ran, tmp_path: Path
) -> None:
    """At the limit no predicted duplicate was asked for but audits, since another host had more.

    What waits is pending and counted; with a larger limit all of it is asked for, to the end.
    """
    limits = {"pages": 6 * ARTICLES - 4}
    output = ran(web, tmp_path / "out", "a.test", "b.test", limits=limits).output
    assert any(url.startswith("http://b.test") for (url,) in rows(output, PENDING))
    unasked = waiting(output)
    assert not rows(
        output,
        "SELECT u.url FROM predicted AS p JOIN urls AS u ON u.id = p.url_id "
        "WHERE NOT p.audit AND u.state != 0 AND u.priority = ?",
        int(Priority.PREDICTED),
    )
    assert any(place == Priority.PREDICTED for place, _, _ in unasked.values())
    foreseen = summary_of(output)["foreseen"]
    assert foreseen["pending"] == len(unasked)
    took = dict(rows(output, "SELECT name, value FROM totals"))
    asked = took["foretold"]  # also by rules that were revoked since, of which nothing is told
    assert asked >= foreseen["urls"] - foreseen["pending"] > 0
    assert foreseen["bytes"] == round(len(unasked) * took["foretold_bytes"] / asked) > 0
    assert foreseen["seconds"] == round(len(unasked) * took["foretold_s"] / asked, 1)
    assert 0 < foreseen["at_most_wrong"] <= len(unasked)
    resumed(output)
    whole = texts(unlearned.output, "a.test") | texts(unlearned.output, "b.test")
    assert texts(output) == whole


def test_a_run_that_learns_nothing_asks_for_what_an_earlier_one_postponed(
    output: Path, unlearned: Ran
) -> None:
    """With `learn.urls: false` later, postponed URLs keep their place, and all are asked for."""
    assert waiting(output)
    job = {**read_job(output), "learn": {"urls": False}}
    config = write_job(job, output.parent / "off.yaml")
    before = rows(output, "SELECT * FROM predicted")
    resumed(output, "--config", config)
    assert rows(output, "SELECT * FROM predicted") == before
    assert texts(output) == texts(unlearned.output, "a.test")


def read_job(output: Path) -> dict[str, Any]:
    """Return the job of a crawl's latest run."""
    with StoreView.read(output) as view:
        job: dict[str, Any] = view.meta(Meta.JOB)
        return job


def test_a_rule_or_all_can_be_released_and_no_unknown_one(
    output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Released URLs have their places again and wait by no rule; an unknown one is bad input."""
    postponed = waiting(output)
    code, _, err = command(capsys, "resume", output, "--release", "a.test?nothing")
    assert (code, err.count("\n")) == (2, 1)
    assert waiting(output) == postponed
    rule = Counter(rule for _, _, rule in postponed.values()).most_common(1)[0][0]
    pages = sum(summary_of(output)["duplicates"].values()) + summary_of(output)["stored"]
    assert main(["resume", str(output), "--release", rule, "--pages", str(pages + 1)]) == 0
    left = waiting(output)
    assert left
    assert all(other != rule for _, _, other in left.values())
    freed = [url for url, (_, _, by) in postponed.items() if by == rule and url not in left]
    places = dict(rows(output, "SELECT url, priority FROM urls"))
    assert freed
    assert all(places[url] == postponed[url][1] for url in freed)
    resumed(output, "--release", "all")


# ---------------------------------------------------------------- traps


@pytest.mark.parametrize("site", [session_queries, sessions])
def test_what_is_postponed_is_cut_where_it_is_endless(site: Any, tmp_path: Path) -> None:
    """A trap that a rule postpones is cut by what it is asked for, and all its texts are there.

    Without learning it is cut at the same place; what was cut waits, once each, and without the
    trap rule it is asked for again as far as there are pages.
    """
    start = "/page-0" if site is session_queries else "/s/0/page-0"
    cuts, stored = [], []
    with serve({"endless.test": site}) as port, one_after_another():
        for learns in (False, True):
            output = tmp_path / f"{learns}"
            data = loopback_job(
                output,
                [f"http://endless.test:{port}{start}"],
                fetch={"resolve": {"endless.test": "127.0.0.1"}, "workers": 1},
                learn={"urls": learns},
                traps={"budget": 20},
                limits={"pages": 1_000},
            )
            assert crawl(data) == 0
            summary = summary_of(output)
            cuts.append([cut["subtree"] for cut in summary["traps"]])
            stored.append(texts(output))
            held = sum(cut["pending"] for cut in summary["traps"])
            assert summary["pending"] == held > 0
            assert bool(summary["foreseen"]["pending"]) is learns
            assert summary["foreseen"]["pending"] <= held
        assert cuts[0] == cuts[1]
        assert stored[0] == stored[1]
        late = summary["foreseen"]["late"]
        pages = summary["stored"] + sum(summary["duplicates"].values()) + 30
        assert main(["resume", str(output), "--no-traps", "--pages", str(pages)]) == 0
    after = summary_of(output)
    assert after["foreseen"]["late"] > late
    assert after["stored"] + sum(after["duplicates"].values()) == pages
    assert after["identity_holds"]


# ---------------------------------------------------------------- runs


async def test_a_later_run_foresees_what_the_one_before_did(
    web: SpelledWeb, tmp_path: Path
) -> None:
    """From what is stored a frontier knows the same sites: each forecast is equal, whole sites.

    Who watches either sees by which rules how many URLs wait: those that do in the store.
    """
    data = web.job(tmp_path / "out", "a.test", MIRROR, limits={"pages": 100})
    job = parse_job(data, "test")
    frontiers: list[Frontier] = []

    def made(*given: Any, **named: Any) -> Frontier:
        frontiers.append(Frontier(*given, **named))
        return frontiers[-1]

    await Crawl(job, Store.create(job.output, identity(job)), frontier=made).run()
    later = UrlLearning(job.learn)
    with StoreView.read(job.output) as view:
        for lesson in view.lessons(HEARD):
            later.hear(*lesson)
        known = [url for url, *_ in view.database.rows("SELECT url FROM urls")]
    is_seen = set(known).__contains__
    now = dict(frontiers[0].learning.sites())
    assert list(now) == [name for name, _ in later.sites()]
    with StoreView.read(job.output) as view:
        for foretold in view.predicted():
            later.restore(*foretold)
    waits = Counter(rule for _, _, rule in waiting(job.output).values())
    assert waits
    for seen in (frontiers[0].rules_seen(0.0, 99), later.seen(0.0, 99)):
        assert Counter(dict(seen.waiting)) == waits
        assert (seen.number, seen.urls) == (len(waits), waits.total())
    for name, site in later.sites():
        forecasts = [[it.expected(url, is_seen) for url in known] for it in (site, now[name])]
        assert forecasts[0] == forecasts[1]
        assert vars_of(site) == vars_of(now[name])


def vars_of(site: Site) -> dict[str, Any]:
    """Return all that a site knows, but for how its rules were used, and what may be cut."""
    apart = ("hosts", "subtrees", "_lines", "_known", "_yields")
    known = {name: value for name, value in vars(site).items() if name not in apart}
    lines = site._lines._filters
    hashes = [*zip(site._known._keys, site._known._values, strict=True)]
    shapes = zip(site._yields._keys, site._yields._values, strict=True)
    counts = {key: Yield.of(packed)._replace(used=0) for key, packed in shapes}
    return {**known, "lines": lines, "hashes": hashes, "shapes": counts}


# ---------------------------------------------------------------- the other commands


def test_a_purged_host_leaves_nothing_that_was_learned_of_its_pages(
    output: Path, unlearned: Ran
) -> None:
    """Lessons and forecasts go with a host and its pages; a mirror's copies are asked for again."""
    whole = texts(unlearned.output, "a.test")
    ((host, kept),) = rows(
        output,
        "SELECT h.name, count(*) FROM documents AS d JOIN hosts AS h ON h.id = d.host_id "
        "GROUP BY h.id ORDER BY 2 DESC LIMIT 1",
    )
    assert kept > ARTICLES // 2
    pages = {
        id_
        for (id_,) in rows(
            output,
            "SELECT id FROM documents WHERE host_id = (SELECT id FROM hosts WHERE name = ?)",
            host,
        )
    }
    found = rows(
        output,
        "SELECT u.url, p.before, p.rule, p.like_id FROM predicted AS p JOIN urls AS u "
        "ON u.id = p.url_id JOIN hosts AS h ON h.id = u.host_id WHERE u.state = 0 AND h.name != ?",
        host,
    )
    freed = [
        (url, before) for url, before, by, like in found if like in pages or host in hosts_of(by)
    ]
    assert freed
    assert main(["purge", str(output), "--host", host, "--yes"]) == 0
    assert main(["check", str(output), "--all"]) == 0
    places = dict(rows(output, "SELECT url, priority FROM urls"))
    assert all(places[url] == before for url, before in freed)
    assert not {page for _, _, packed, _ in lessons(output) if (page := page_of(packed)) in pages}
    assert host not in {name for (rule,) in rows(output, RULES) for name in hosts_of(rule)}
    resumed(output)
    assert texts(output) == whole


RULES = "SELECT DISTINCT rule FROM predicted"


def page_of(packed: bytes) -> int | None:
    """Return the page that a lesson led to."""
    return Lesson.of(packed).page


def test_an_end_that_is_put_back_teaches_nothing_any_more(
    output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After `retry` the lessons of those URLs are gone; the next ends teach them anew."""
    edits = "SELECT count(*) FROM lessons AS l JOIN urls AS u ON u.id = l.url_id WHERE u.url LIKE "
    assert rows(output, f"{edits} '%/edit?%'")[0][0] > 0
    others = rows(output, "SELECT count(*) FROM lessons")[0][0]
    assert command(capsys, "retry", output, "--class", "noindex")[0] == 0
    assert rows(output, f"{edits} '%/edit?%'") == [(0,)]
    assert 0 < rows(output, "SELECT count(*) FROM lessons")[0][0] < others
    resumed(output)
    assert rows(output, f"{edits} '%/edit?%'")[0][0] > 0
    assert main(["check", str(output)]) == 0


def test_a_backup_goes_on_as_the_crawl_would(
    stopped: Ran, unlearned: Ran, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copy has the rules, what waits by them, and ends with every text."""
    copy = tmp_path / "copy"
    assert main(["backup", str(stopped.output), str(copy)]) == 0
    told = [command(capsys, "rules", d, "--json")[1] for d in (stopped.output, copy)]
    assert told[0] == told[1]
    assert waiting(copy) == waiting(stopped.output)
    resumed(copy)
    assert texts(copy) == texts(unlearned.output, "a.test")


@pytest.mark.parametrize("name", ["reindex", "restore"])
def test_commands_on_pages_leave_what_is_known_of_urls(
    name: str, output: Path, unlearned: Ran
) -> None:
    """After `reindex` and `restore` the same URLs wait by the same lessons; all are fetched."""
    before = lessons(output), waiting(output)
    dropped = [line["url"] for line in lines(output, "duplicates")]
    assert main([name, str(output), *(dropped[:5] if name == "restore" else ())]) == 0
    assert (lessons(output), waiting(output)) == before
    assert main(["check", str(output)]) == 0
    resumed(output)
    assert texts(output) == texts(unlearned.output, "a.test")


def test_a_recrawl_learns_anew_and_visits_every_page(
    web: SpelledWeb, unlearned: Ran, tmp_path: Path
) -> None:
    """Another visit begins with no rules, and ends with every page visited again."""
    first = ran(web, tmp_path / "first", "hostile.test", limits={"pages": 50}).output
    second = tmp_path / "second"
    again = ["recrawl", str(first), "--output", str(second), "--all", "--pending"]
    assert main([*again, "--pages", str(MORE)]) == 0
    ended_whole(second)
    assert texts(first) | texts(second) == texts(unlearned.output, "hostile.test")
    assert main(["check", str(second)]) == 0


def test_predictions_can_be_asked_for_by_sql(
    stopped: Ran, capsys: pytest.CaptureFixture[str]
) -> None:
    """The view `predictions` says of each such URL by which rule, and which page it should be."""
    sql = "SELECT url, state, rule, audit, page_url FROM predictions"
    code, told, _ = command(capsys, "query", stopped.output, sql, "--json")
    assert code == 0
    found = [json.loads(line) for line in told.splitlines()]
    assert {row["url"] for row in found if row["state"] == "pending" and not row["audit"]} == set(
        waiting(stopped.output)
    )
    some = next(row for row in found if row["page_url"] is not None)
    _, told, _ = command(capsys, "inspect", stopped.output, some["url"])
    assert some["rule"] in told
    assert some["page_url"] in told


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE predicted SET like_id = 999999 WHERE url_id = (SELECT min(url_id) FROM predicted)",
        "INSERT INTO predicted VALUES (999999, 0, 'a.test', NULL, 0)",
        "INSERT INTO lessons VALUES (999999, x'00ffffffffffffffff0000000000000000')",
        "UPDATE lessons SET packed = x'00' WHERE url_id = (SELECT min(url_id) FROM lessons)",
        "UPDATE lessons SET packed = x'003f420f00000000000000000000000000' "
        "WHERE url_id = (SELECT min(url_id) FROM lessons)",
    ],
    ids=["no such page", "no such URL", "lesson of no URL", "torn", "lesson of no page"],
)
def test_check_finds_what_is_learned_of_nothing(
    damage: str, output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Forecasts and lessons that refer to no URL or page are damage, and so are torn lessons."""
    assert command(capsys, "check", output)[0] == 0
    changed(output, damage)
    code, told, err = command(capsys, "check", output)
    assert code == 1
    assert "state.sqlite" in told + err
