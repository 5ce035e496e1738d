"""Whole crawls of servers that have a bad minute, on loopback: no URL is lost to it."""

from __future__ import annotations

import itertools
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from support.crawling import HANG_S, command, crawl, loopback_job
from support.hostile_web import closed_port
from support.output import lines, summary_of
from support.threaded import Reply, page, site

from crawler.frontier import failures
from crawler.frontier import frontier as outcomes
from crawler.frontier.host import Host
from crawler.frontier.politeness import Politeness

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

ALLOW = Reply("User-agent: *\nDisallow: /closed\n")
BUSY = Reply(status=503)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the pauses after failures, which are seconds and minutes."""
    monkeypatch.setattr(outcomes, "host_pause_s", lambda *_: 0.0)
    monkeypatch.setattr(failures, "backoff_s", lambda *_: 0.01)
    monkeypatch.setattr(failures, "_ASIDE_S", 0.2)


def stored(output: Path) -> set[str]:
    """Return the paths of all stored pages."""
    return {"/" + line["url"].split("/", 3)[3] for line in lines(output, "pages")}


def index(path: str, links: int = 15) -> Reply:
    """Answer `/` with links to pages, one of them closed by robots.txt, and those pages."""
    if path == "/":
        return page("start", *(f"/{n}" for n in range(links)), "/closed")
    return page(f"words-of-{'abcdefghij'[int(path[1:]) % 10] * int(path[1:])}-{path[1:]}-")


def rules_and_pages(path: str) -> Reply:
    """Answer all that `index` does, and robots.txt."""
    return ALLOW if path == "/robots.txt" else index(path)


@pytest.mark.parametrize("trouble", [BUSY, Reply(status=429)])
def test_robots_that_fail_at_a_resume_cost_nothing(
    tmp_path: Path, trouble: Reply, capsys: pytest.CaptureFixture[str]
) -> None:
    """The rules that the first run read stand: all pages come, and what they close stays closed."""
    robots = ALLOW
    with site(lambda path: robots if path == "/robots.txt" else index(path)) as server:
        limits, polite = {"pages": 3}, {"delay_s": 0.0, "robots_wait_s": 0.5}
        job = loopback_job(tmp_path, [server.url], limits=limits, politeness=polite)
        assert crawl(job) == 0
        robots = trouble
        code, _, err = command(capsys, "resume", tmp_path, "--pages", 1000)
        assert code == 0, err
        assert "/closed" not in server.paths
    assert len(stored(tmp_path)) == 16
    assert [line["reason"] for line in lines(tmp_path, "skipped")] == ["robots"]
    assert summary_of(tmp_path)["pending"] == 0


def test_without_kept_rules_the_urls_stay_pending_until_there_are_some(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], hurried: None
) -> None:
    """Where none were kept, 503 puts the host aside, and a later run goes on."""
    robots = ALLOW
    with site(lambda path: robots if path == "/robots.txt" else index(path)) as server:
        limits, polite = {"pages": 3}, {"delay_s": 0.0, "robots_wait_s": 0.2}
        job = loopback_job(tmp_path, [server.url], limits=limits, politeness=polite)
        assert crawl(job) == 0
        with closing(sqlite3.connect(tmp_path / "state.sqlite")) as state, state:
            state.execute("DELETE FROM rules")
        robots = BUSY
        code, _, err = command(capsys, "resume", tmp_path, "--pages", 1000)
        assert code == 0
        assert "put aside, its URLs stay pending: its robots.txt cannot be read" in err
        assert "continue later with" in err
        assert summary_of(tmp_path)["pending"] == 14
        robots = ALLOW
        assert command(capsys, "resume", tmp_path)[0] == 0
    assert len(stored(tmp_path)) == 16


def test_a_server_with_a_rate_limit_loses_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty requests a second are allowed, 41 pages asked for without delay: all come.

    None is asked for in vain twice in a row: each pause is as long as the server needs. That goes
    by the pauses which the crawl decides to keep, and not by how long they took.
    """
    pauses: list[float] = []
    refused: list[bool] = []
    free = Politeness.free

    def noting(politeness: Politeness, host: Host, now: float, pause_s: float) -> None:
        pauses.append(pause_s)
        free(politeness, host, now, pause_s)

    def answer(path: str) -> Reply:
        if path == "/robots.txt":
            return ALLOW
        refused.append(len(refused) > 0 and pauses[-1] < 0.05)
        return Reply(status=429) if refused[-1] else index(path, 40)

    monkeypatch.setattr(Politeness, "free", noting)
    with site(answer) as server:
        assert crawl(loopback_job(tmp_path, [server.url], scope={"exclude": ["closed"]})) == 0
    assert len(stored(tmp_path)) == 41
    assert lines(tmp_path, "failures") == []
    assert True in refused
    assert (True, True) not in itertools.pairwise(refused)


def test_a_failing_directory_leaves_the_rest_of_its_host(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], hurried: None
) -> None:
    """Twelve siblings answer 500, forty good pages come; once they are well a resume has all."""
    bad = True

    def answer(path: str) -> Reply:
        if path == "/robots.txt":
            return ALLOW
        if path == "/":
            links = [f"/bad/{n}" for n in range(12)] + [f"/good/{n}" for n in range(40)]
            return page("start", *links)
        if path.startswith("/bad/") and bad:
            return Reply(status=500)
        return page(path.replace("/", "-"))

    with site(answer) as server:
        assert crawl(loopback_job(tmp_path, [server.url])) == 0
        first = stored(tmp_path)
        asked = Counter(server.paths)
        bad = False
        assert command(capsys, "resume", tmp_path)[0] == 0
    assert sum(path.startswith("/good/") for path in first) == 40
    assert sum(number for path, number in asked.items() if path.startswith("/bad/")) < 15
    assert len(stored(tmp_path)) == 53
    assert lines(tmp_path, "failures") == []


def test_a_host_that_is_well_again_comes_back_in_the_same_run(
    tmp_path: Path, hurried: None
) -> None:
    """A whole host that fails for a moment, and is put aside, is crawled to its end."""
    pages: list[str] = []

    def answer(path: str) -> Reply:
        if path == "/robots.txt":
            return ALLOW
        pages.append(path)
        return BUSY if 3 < len(pages) < 9 else index(path)

    with site(answer) as server:
        job = loopback_job(tmp_path, [server.url], scope={"exclude": ["closed"]})
        assert crawl(job) == 0
    assert len(stored(tmp_path)) == 16
    assert lines(tmp_path, "failures") == []


def test_a_dead_host_costs_a_resume_no_wait(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], impatient: None
) -> None:
    """That another host answered says nothing of it: it is tried no longer, and stays pending.

    Any other wait would be ten hours.
    """
    with site(rules_and_pages) as server, closed_port() as port:
        seeds, polite = [server.url, f"http://127.0.0.1:{port}/"], {"robots_wait_s": 36_000.0}
        assert crawl(loopback_job(tmp_path, seeds, limits={"pages": 1}, politeness=polite)) == 0
        for _ in range(2):
            code, _, err = command(capsys, "resume", tmp_path, "--pages", 1000)
            assert code == 0
            assert f"127.0.0.1:{port}: put aside" in err
        assert lines(tmp_path, "failures") == []
        assert summary_of(tmp_path)["pending"] == 1


def test_a_host_that_is_dead_by_its_own_measure_ends(tmp_path: Path, impatient: None) -> None:
    """Where `dead_after_s` has passed, its URLs fail for the reason that was seen."""
    with site(rules_and_pages) as server, closed_port() as port:
        dead = f"http://127.0.0.1:{port}/"
        polite = {"delay_s": 0.0, "dead_after_s": 0.0}
        assert crawl(loopback_job(tmp_path, [server.url, dead], politeness=polite)) == 0
    [failed] = lines(tmp_path, "failures")
    assert (failed["url"], failed["failure"]) == (dead, "connect")


def test_forbidden_urls_cost_no_request(tmp_path: Path) -> None:
    """A thousand of them: they end with the one page that is asked for.

    That they wait for no turn of their host's is proved on a clock of its own, in tests/frontier
    (`test_forbidden_urls_cost_no_pause`).
    """

    def answer(path: str) -> Reply:
        if path == "/robots.txt":
            return ALLOW
        return page("start", *(f"/closed/{n}" for n in range(1000)))

    with site(answer) as server:
        assert crawl(loopback_job(tmp_path, [server.url], politeness={"delay_s": 0.1})) == 0
        assert server.paths == ["/robots.txt", "/"]
    assert len(lines(tmp_path, "skipped")) == 1000
    assert {line["reason"] for line in lines(tmp_path, "skipped")} == {"robots"}


@pytest.mark.parametrize("late", [False, True])
def test_a_limit_of_depth_does_not_depend_on_retries(
    tmp_path: Path, late: bool, hurried: None
) -> None:
    """A page found by a long path first, since a short one had to be retried, leads as deep."""
    far: list[str] = []
    busy, found = [late], threading.Event()

    def near(path: str) -> Reply:
        if path == "/robots.txt":
            return ALLOW
        if path == "/short" and busy[0]:
            busy[0] = False
            assert found.wait(HANG_S)
            return BUSY
        return page("short", f"{far[0]}/u")

    links: dict[str, Callable[[], tuple[str, ...]]] = {
        "/": lambda: (f"{other.url}/short", "/a"),
        "/a": lambda: ("/b",),
        "/b": lambda: ("/u",),
        "/u": lambda: ("/v",),
        "/v": lambda: ("/w", "/x"),
    }

    def answer(path: str) -> Reply:
        if path == "/robots.txt":
            return ALLOW
        if path == "/v":  # the end of the long path
            found.set()
        return page(f"deep{path[1:]}", *links.get(path, tuple)())

    with site(near) as other, site(answer) as server:
        far.append(server.url)
        job = loopback_job(
            tmp_path,
            [server.url],
            scope={"mode": "any"},
            limits={"depth": 4},
            fetch={"allow_addresses": ["127.0.0.0/8"]},
        )
        assert crawl(job) == 0
    assert stored(tmp_path) == {"/", "/short", "/a", "/b", "/u", "/v", "/w", "/x"}
    with closing(sqlite3.connect(tmp_path / "state.sqlite")) as state:
        depths = dict(state.execute("SELECT substr(url, -2), depth FROM urls"))
    assert (depths["/u"], depths["/v"], depths["/w"]) == (2, 3, 4)
