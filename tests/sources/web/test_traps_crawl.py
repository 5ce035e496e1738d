"""Whole crawls of endless sites and finite ones, on real servers."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.analysing import no_processes
from support.crawling import loopback_job
from support.output import lines, summary_of
from support.sampling import sample
from support.trap_web import (
    Site,
    archive,
    deeper,
    empty_calendar,
    facets,
    forum,
    serve,
    sessions,
    soft_404,
    versions,
    wild,
)

from crawler.cli import main
from crawler.config import parse_job
from crawler.engine.identity import identity
from crawler.sources.web.crawl import run_crawl
from crawler.storage.directory import LINE_FILES
from crawler.storage.store import Store

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

TRAPS: dict[str, tuple[Site, str, str]] = {
    "calendar.test": (empty_calendar, "/cal/2031/1", "calendar.test/cal/"),
    "deeper.test": (deeper, "/red/", "deeper.test/red/"),
    "session.test": (sessions, "/s/ab12/page-0", "session.test/s/#/"),
    "facets.test": (partial(facets, looks=15), "/goods?f0=0", "facets.test/goods?"),
    "soft.test": (soft_404, "/x", "soft.test/"),
    "w0.wild.test": (wild, "/?n=0", "*.wild.test"),
}
"""Host -> site, seed, what is cut begins so."""
NEIGHBOURS: dict[str, tuple[Site, str, int]] = dict(
    sample(
        [
            ("diary.test", (partial(archive, days=120), "/2020/1/1", 145)),
            ("forum.test", (partial(forum, pages=80), "/thread?page=1", 159)),
            ("docs.test", (partial(versions, pages=80), "/docs/v0/0", 160)),
        ],
        2,
    )
)
"""Host -> site, seed, all its URLs."""
MOST = 145
"""Pages of a trap, under a budget of 10: fewer than each neighbour has."""


@dataclass
class Crawled:
    """A finished crawl, and its web, which still runs."""

    output: Path
    said: list[str]

    @property
    def summary(self) -> dict[str, Any]:
        """The summary as it was last written."""
        return summary_of(self.output)

    def ended(self) -> Counter[str]:
        """Count the URLs that ended, by host name without port; those below wild.test as one."""
        ends = (line for name in LINE_FILES for line in lines(self.output, name))
        hosts = (line["url"].split("/")[2].partition(":")[0] for line in ends)
        return Counter("w0.wild.test" if "wild" in host else host for host in hosts)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Crawl six traps and their neighbours together, once."""
    sites = {host: site for host, (site, *_) in (TRAPS | NEIGHBOURS).items()}
    with serve(sites | {"*.wild.test": wild}) as port:
        places = {host: path for host, (_, path, _) in (TRAPS | NEIGHBOURS).items()}
        seeds = [f"http://{host}:{port}{path}" for host, path in places.items()]
        output = tmp_path_factory.mktemp("traps") / "out"
        parsed = parse_job(job(seeds, output), "test")
        said: list[str] = []
        with no_processes():
            assert run_crawl(parsed, Store.create(output, identity(parsed)), said.append) == 0
        yield Crawled(output, said)


def job(seeds: list[str], output: Path) -> dict[str, Any]:
    """Return a job that asks without pause, with a small budget."""
    names = [*TRAPS, *NEIGHBOURS, *(f"w{n}.wild.test" for n in range(1_000))]
    return loopback_job(
        output,
        seeds,
        scope={"mode": "domain"},
        politeness={"per_host": 4, "per_address": 16, "robots": False},
        fetch={"workers": 8, "resolve": dict.fromkeys(names, "127.0.0.1")},
        traps={"budget": 10, "copies": 2},
    )


def test_traps_are_bounded_and_neighbours_whole(crawled: Crawled) -> None:
    """Each endless site costs less than the smallest finite one has; those are crawled whole."""
    ended = crawled.ended()
    assert {host: ended[host] for host in NEIGHBOURS} == {h: n for h, (*_, n) in NEIGHBOURS.items()}
    assert {host: n for host, n in ended.items() if host in TRAPS and not 10 <= n < MOST} == {}


def test_what_was_cut_is_named_counted_and_pending(crawled: Crawled) -> None:
    """The summary names each trap; its pending URLs are all there are, and the accounts add up."""
    summary = crawled.summary
    cuts = {plain(cut["subtree"]): cut for cut in summary["traps"]}
    for _, _, beginning in TRAPS.values():
        assert any(name.startswith(beginning) for name in cuts), beginning
    assert not any(name.startswith(host) for name in cuts for host in NEIGHBOURS)
    assert summary["identity_holds"]
    assert sum(cut["pending"] for cut in cuts.values()) == summary["pending"] > 0
    for cut in cuts.values():
        assert cut["found"] == cut["fetched"] + cut["pending"]
        assert cut["streak_new"] * 4 < cut["streak"]


def test_a_line_says_what_is_cut_and_why(crawled: Crawled) -> None:
    """One line for each cut, with its name and its numbers."""
    told = [line for line in crawled.said if line.startswith("Cut as endless: ")]
    assert len(told) == len(crawled.summary["traps"])
    assert all(" pages " in line and "were new" in line for line in told)


def plain(name: str) -> str:
    """Return a subtree's name without the server's port."""
    host, slash, rest = name.partition("/")
    return host.partition(":")[0] + slash + rest


def test_the_report_shows_what_was_cut(
    crawled: Crawled, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row for each cut subtree, and the way to release it."""
    assert main(["report", str(crawled.output)]) == 0
    shown = capsys.readouterr().out
    assert "--release" in shown
    assert all(cut["subtree"] in shown for cut in crawled.summary["traps"])


def test_a_resume_keeps_to_the_cuts_until_they_are_released(
    crawled: Crawled, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing cut is fetched by itself; released by name it is, and no other; turned off, all is.

    One test, since each step goes on where the one before has ended.
    """
    crawled = Crawled(Path(shutil.copytree(crawled.output, tmp_path / "out")), [])
    output, before = str(crawled.output), crawled.ended()
    assert main(["resume", output]) == 0
    assert "were cut as endless" in capsys.readouterr().err
    assert crawled.ended() == before
    assert main(["resume", output, "--release", "nowhere.test/"]) == 2
    assert "deeper.test" in capsys.readouterr().err
    name = next(c["subtree"] for c in crawled.summary["traps"] if "deeper" in c["subtree"])
    pages = str(judged(crawled.summary) + 30)
    assert main(["resume", output, "--release", name, "--pages", pages]) == 0
    after = crawled.ended()
    assert after - before == Counter({"deeper.test": 30})
    assert crawled.summary["identity_holds"]
    pages = str(judged(crawled.summary) + 40)
    assert main(["resume", output, "--no-traps", "--pages", pages]) == 0
    assert len((crawled.ended() - after).keys()) > 1
    assert crawled.summary["traps"] == []
    assert crawled.summary["identity_holds"]


def judged(summary: dict[str, Any]) -> int:
    """Return how many pages the page limit counts."""
    duplicates: int = sum(summary["duplicates"].values())
    return int(summary["stored"]) + duplicates
