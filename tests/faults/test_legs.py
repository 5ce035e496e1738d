"""One directory through a crawl's whole life, leg by leg: limits, cuts, a shut host, a release."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from support.crawling import crawl, loopback_job
from support.output import lines, summary_of
from support.trap_web import Page, forum, serve

from crawler.cli import main
from crawler.storage.directory import LINE_FILES
from crawler.storage.view import StoreView

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

SEEDS = {"start.test": "/", "maze.test": "/red/", "shut.test": "/"}
THREAD = 30
"""Pages of the thread; each but the last has a print version."""
MOVED, GONE = 5, 4


def start(path: str) -> Page | None:
    """A thread, pages that have moved into it, and dead links."""
    if path == "/":
        old = (f"/old-{n}" for n in range(1, MOVED + 1))
        dead = (f"/gone-{n}" for n in range(GONE))
        return Page("start", "the start", (*old, *dead, "/thread?page=1"))
    if path.startswith("/old-"):
        return Page("", moved_to=f"/thread?page={path.rpartition('-')[2]}")
    return forum(path, THREAD) if path.startswith("/thread") else None


def maze(path: str) -> Page:
    """Ever deeper paths to five pages in all; each leads to a URL of the shut host as well."""
    name = path.rstrip("/").rpartition("/")[2]
    shut = f"http://shut.test/{crc32(path.encode()) % 50}"
    return Page(f"maze {name}", name, ("red/", "green/", "blue/", shut))


def shut(path: str) -> Page:
    """A page that nobody may ask for."""
    raise AssertionError(f"{path} was asked for, though robots.txt could not be read")


class Leg:
    """A directory at the end of a leg: its summary, lines and report, held against each other."""

    def __init__(self, output: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.summary = summary_of(output)
        self.lines = {name: lines(output, name) for name in LINE_FILES}
        with StoreView.read(output) as view:
            self.seen = set(view.seen_urls())
            self.pending = {url for _, url, *_ in view.pending_urls()}
        capsys.readouterr()
        assert main(["report", str(output)]) == 0
        self._check_identity(capsys.readouterr().out)
        self._check_summary()

    def _check_identity(self, report: str) -> None:
        """Assert that every URL seen has one line or is pending, and that the report counts so."""
        ended = [line["url"] for file in self.lines.values() for line in file]
        assert len(ended) == len(set(ended))
        assert self.seen == {*ended, *self.pending}
        assert not self.pending.intersection(ended)
        first = report.partition("Verdicts by host")[0]
        assert "= the sum of the above, and the output files agree" in first
        rows = re.findall(r"^ +([a-z]+) +([\d,]+)(?: |$)", first, re.MULTILINE)
        counts = {name: len(file) for name, file in self.lines.items()}
        counts["stored"] = counts.pop("pages")
        counts |= {"pending": len(self.pending), "seen": len(self.seen)}
        told = {name: int(number.replace(",", "")) for name, number in rows}
        assert {
            name: told.get(name, 0) for name in counts
        } == counts  # rows of nothing are left out

    def _check_summary(self) -> None:
        """Assert that the summary counts what the lines say."""
        summary = self.summary
        assert summary["identity_holds"], summary["problems"]
        assert summary["failures"] == self.count("failures", "failure")
        assert summary["skipped"] == self.count("skipped", "reason")
        counted = Counter({kind: n for kind, n in summary["duplicates"].items() if n})
        assert counted == self.count("duplicates", "verdict")
        held = sum(cut["pending"] for cut in summary["traps"])
        assert held <= summary["pending"] == len(self.pending)

    def count(self, name: str, key: str) -> Counter[str]:
        """Count the lines of a file by a field."""
        return Counter(line[key] for line in self.lines[name])

    @property
    def judged(self) -> int:
        """How many pages the page limit counts."""
        return len(self.lines["pages"]) + len(self.lines["duplicates"])

    def of(self, host: str) -> set[str]:
        """Return the URLs of a host that ended as pages."""
        files = (self.lines["pages"], self.lines["duplicates"])
        return {line["url"] for file in files for line in file if f"//{host}:" in line["url"]}


def job(port: int, output: Path, pages: int) -> dict[str, Any]:
    """Return a job that asks without pause and is soon out of patience."""
    return loopback_job(
        output,
        [f"http://{host}:{port}{path}" for host, path in SEEDS.items()],
        limits={"pages": pages},
        politeness={"per_host": 4, "per_address": 16, "robots_wait_s": 0.2, "dead_after_s": 0.0},
        fetch={"workers": 8, "resolve": dict.fromkeys(SEEDS, "127.0.0.1")},
        traps={"budget": 20, "copies": 2},
    )


def test_the_accounts_hold_after_every_leg(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Limit, cut, resume, release: each leg adds what it should, and all counts of it agree."""
    output = tmp_path / "out"
    with serve(
        {"start.test": start, "maze.test": maze, "shut.test": shut}, shut={"shut.test"}
    ) as port:
        assert crawl(job(port, output, pages=15)) == 0
        limited = Leg(output, capsys)
        assert limited.judged == 15
        assert limited.pending

        assert main(["resume", str(output), "--pages", "10000"]) == 0
        cut = Leg(output, capsys)
        # Which of the maze's subtrees run out of budget first depends on the order of answers.
        traps = cut.summary["traps"]
        assert {trap["subtree"].partition("/")[0] for trap in traps} == {"maze.test"}
        assert sum(trap["pending"] for trap in traps) == len(cut.pending) > 0
        assert len(cut.of("start.test")) == 2 * THREAD
        assert len(cut.lines["redirects"]) == MOVED
        assert cut.count("failures", "failure") == {"http-4xx": GONE}
        assert set(cut.count("skipped", "reason")) == {"robots-unreachable"}

        assert main(["resume", str(output)]) == 0
        assert Leg(output, capsys).lines == cut.lines

        more = str(cut.judged + 40)
        assert main(["resume", str(output), "--release", "maze.test", "--pages", more]) == 0
        released = Leg(output, capsys)
        assert released.judged == cut.judged + 40
        assert released.of("maze.test") > cut.of("maze.test")
        # Whether they are given up or still pending depends on which comes first, the page limit or
        # the end of patience with their host; every leg's counts hold either way.
        met = {url for url in released.seen if "//shut.test:" in url}
        assert met > {url for url in cut.seen if "//shut.test:" in url}
        assert met == {
            line["url"] for line in released.lines["skipped"] if "//shut.test:" in line["url"]
        } | {url for url in released.pending if "//shut.test:" in url}
