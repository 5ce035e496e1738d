"""The panel of a running crawl, and its verdicts as lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from crawler.config import Job
from crawler.console import Level, Message
from crawler.frontier.view import HostSeen, HostState
from crawler.models import PageOutcome, UrlState
from crawler.observe.messages import Terminal
from crawler.observe.watching import Phase, Sight
from crawler.views.live.panel import Panel, Verdicts, aligned, wrapped

ENDS = dict.fromkeys(UrlState, 0) | {UrlState.STORED: 1200, UrlState.DUPLICATE: 34}

WAITING = HostSeen("www.a-host-with-a-long-name.example.org", HostState.PAUSING, "", 0.75, 1, 12, 0)
ASIDE = HostSeen("b.test", HostState.ASIDE, "connection refused", 125.0, 1, 3, 0)
ASKED = HostSeen("c.test", HostState.ASKED, "", 0.0, 1, 4567, 2)


class Run:
    """A run that stands still."""

    sight = Sight(
        Phase.RUNNING,
        ENDS,
        5_250_000,
        siblings=7,
        pending=4582,
        known_hosts=3,
        aside=1,
        unread=9,
        reading=2,
        in_flight=11,
        stall_p99_s=0.021,
        hosts=(ASKED, WAITING, ASIDE),
    )

    def look(self, names: Iterable[str], most: int) -> Sight:
        """Return what there is to see."""
        return self.sight

    def pause(self) -> None:
        """Nobody asks for it."""

    go_on = pause

    def stop_host(self, name: str) -> bool:
        """Nobody asks for it."""
        return False

    release_host = stop_host


def panel(limits: dict[str, float] | None = None, now: float = 0.0) -> Panel:
    """Return a panel whose clock stands still."""
    job = Job.model_validate({"limits": limits or {}})
    return Panel(Terminal(Level.PROGRESS), job.limits, lambda: now)


def test_the_panel_tells_how_the_crawl_is_doing() -> None:
    """Pages, verdicts, queue, in flight, bytes, stalls; and of each host what it waits for."""
    rows = list(panel().rows(Run(), 160))
    text = "\n".join(rows)
    for told in (
        *("1,234 pages", "1,200 stored", "34 duplicates", "7 siblings"),
        *("queue 4,582 URLs on 3 hosts, 1 put aside", "in flight 11", "reading 2 (9 wait)"),
        *("5.2 MB", "stalls 21 ms", "asked now (2)", "between requests, 0.8 s", "4,567 queued"),
        "put aside, 02:05: connection refused",
    ):
        assert told in text
    assert [row.split()[0] for row in rows[-3:]] == ["c.test", WAITING.name, "b.test"]


@pytest.mark.parametrize("columns", [10, 20, 40, 60, 80, 100, 160])
def test_rows_fit_the_width_and_hosts_stay(columns: int) -> None:
    """No row is longer than the terminal is wide; each host's name begins and ends its column."""
    rows = list(panel({"pages": 5000, "time_s": 60}).rows(Run(), columns))
    assert max(map(len, rows)) <= columns
    assert rows[-1].startswith("b.test")
    assert rows[-2].startswith("www.")
    assert all(row.isascii() and row.isprintable() for row in rows)


def test_the_time_left_is_that_of_the_limit_that_is_reached_first() -> None:
    """With a limit there is an estimate, without one there is none."""
    assert "left to the time limit of 01:00" in "\n".join(panel({"time_s": 60}).rows(Run(), 100))
    assert "left" not in "\n".join(panel().rows(Run(), 100))


def test_a_run_that_opens_is_not_silent() -> None:
    """What is known of it then is shown, and in which phase it is."""
    run = Run()
    run.sight = replace(run.sight, phase=Phase.OPENING, hosts=())
    [row] = panel().rows(run, 100)
    assert "opening" in row


def test_parts_that_do_not_fit_go_into_the_next_row() -> None:
    """None is lost."""
    assert list(wrapped(["aaa", "bbb", "cc", "dddddddddd"], 8)) == ["aaa  bbb", "cc", "dddddddd"]
    assert aligned([["1 a", "20 b"], ["100 a", "3 b"]]) == ["  1 a  20 b", "100 a   3 b"]


def test_verdicts_are_told_line_by_line() -> None:
    """Each URL with what became of it; each host as it is put aside and as it comes back."""
    said: list[str] = []
    verdicts = Verdicts(said.append)
    copy = {"url": "http://a.test/2", "duplicate_of": {"id": 1, "url": "http://a.test/1"}}
    verdicts.add(
        PageOutcome(1, UrlState.DUPLICATE, end="exact-payload", lines=(("duplicates", copy),))
    )
    run = Run()
    verdicts.look(run)
    run.sight = replace(run.sight, hosts=(ASKED,))
    verdicts.look(run)
    assert said == [
        "duplicate exact-payload: http://a.test/2 -> http://a.test/1 (the same bytes)",
        "b.test: put aside: connection refused",
        "b.test: no longer put aside",
    ]
    told = [line for line in said if isinstance(line, Message)]
    assert [line.event for line in told] == ["page", "host", "host"]
    assert {line.level for line in told} == {Level.DETAIL}
