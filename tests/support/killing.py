"""Crawls that are killed by SIGKILL in named phases: real processes of the real program."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from crawler.cli import main
from crawler.fetch.client import Fetcher
from crawler.storage.store import Group, GroupLimits, Store, Writer
from crawler.urls import registrable_domain
from crawler.workers.messages import HELLO
from crawler.workers.process import AnalysisProcess
from support.analysing import no_processes
from support.crawling import FEWER, HANG_S, begun, crawl, demo_web, job_data, write_job
from support.output import all_lines, lines, summary_of
from support.replaying import check_replay
from support.victim import killed

ONE_BY_ONE = {"fetch": {"workers": 3}, "politeness": {"per_host": 1}}
"""The killed runs together shall not reach the crawl's end."""
ARCHIVED = {"storage": {"warc": True}}
"""Archives are cut back as lines are."""

PHASES: Mapping[str, int] = {
    "start-up": 40_000,
    "resume": 40_000,
    "fetch": 30_000,
    "pool work": 20,
    "commit": 1_000,
    "shutdown": 20_000,
}
"""Phase -> within how many calls of functions, in Python and in C, from its beginning on a run is
killed. A page takes the event loop some 3,000 calls and the writer 300, a commit 1,000 besides, an
end 35,000: a machine's speed changes none of these."""

GROUPS = GroupLimits(outcomes=5, age_s=HANG_S)
"""Runs commit by pages and not by time, and those that are killed among pages have committed some:
each goes on where the one before it was lost."""


def check_kills(home: Path, phases: Sequence[str], seed: int) -> None:
    """Kill a crawl once in each phase, in order, resume it, and assert that nothing is amiss.

    Not a URL or body more or less than in a crawl that was never killed; every end has its line and
    only one; every duplicate names a stored page; every line that names an exchange has it in the
    archives; and the verdicts are those of one judge that saw the pages in the order that was
    recorded.
    """
    calm, hard = home / "calm", home / "hard"
    with demo_web(articles=4) as (web, _):
        with no_processes():
            assert crawl(job_data(web, calm, FEWER)) == 0
        changes = (FEWER, ARCHIVED)
        job = write_job(job_data(web, hard, *changes, ONE_BY_ONE), home / "hard.yaml")
        killer = Killer(job, hard, seed)
        for phase in phases:
            killer.kill(phase)
        config = write_job(job_data(web, hard, *changes), home / "calm.yaml")
        assert main(["resume", str(hard), "--config", str(config)]) == 0
        assert _fetched(hard) == _fetched(calm)
        _check_accounts(hard)
        _check_lines(hard)
        _check_archives(hard)
        assert check_replay(web, hard) == len(_fetched(hard))


class Killer:
    """Runs a crawl again and again in one directory and kills it in the phases asked for.

    `seed` decides the moments.
    """

    def __init__(self, job: Path, output: Path, seed: int) -> None:
        self._job = job
        self._output = output
        self._random = random.Random(seed)

    def kill(self, phase: str) -> None:
        """Kill a run in a phase."""
        if phase == "resume" and not begun(self._output):
            self._run("fetch", 0)
        self._run(phase, self._random.randrange(PHASES[phase]))

    def _run(self, phase: str, calls: int) -> None:
        command = ["crawl", "--config", str(self._job)]
        if begun(self._output):
            command = ["resume", str(self._output)]
        killed(die_in, phase, calls, command)


def die_in(phase: str, calls: int, command: list[str]) -> None:
    """Run a command; end by SIGKILL in a phase, so many calls after its beginning.

    A start-up or a resume, which begins with the directory, is over with its first page. The phases
    of a run that fetches begin when some of its pages are committed.
    """
    left, committed = calls, False

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal left
        left -= event.endswith("call")
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def count() -> None:
        if sys.getprofile() is None:
            sys.setprofile(counted)  # of this thread

    visit, ask, commit = Fetcher._visit, AnalysisProcess.ask, Writer._commit

    def visiting(self: Fetcher, *given: Any) -> Any:
        if committed and phase == "shutdown":
            signal.raise_signal(signal.SIGTERM)
        if committed and phase in ("fetch", "shutdown"):
            count()
        elif phase in ("start-up", "resume"):
            os.kill(os.getpid(), signal.SIGKILL)
        return visit(self, *given)

    def asking(self: AnalysisProcess, framed: bytes) -> Any:
        answer = ask(self, framed)
        if committed and phase == "pool work" and framed is not HELLO:
            while not self.computed_s:
                os.sched_yield()
            count()
        return answer

    def committing(self: Writer, group: Group) -> None:
        nonlocal committed
        if committed and phase == "commit" and group.outcomes:
            count()
        commit(self, group)
        committed = committed or bool(group.outcomes)

    def opening(way: str) -> Callable[..., Store]:
        opened = getattr(Store, way)

        def begin(*given: Any, **named: Any) -> Store:
            if phase in ("start-up", "resume"):
                registrable_domain("a.test")  # reads a list by 400,000 calls, and touches no file
                count()
            store: Store = opened(*given, **named | {"limits": GROUPS})
            return store

        return begin

    Fetcher._visit = visiting  # type: ignore[assignment, method-assign]
    AnalysisProcess.ask = asking  # type: ignore[method-assign]
    Writer._commit = committing  # type: ignore[method-assign]
    for way in ("create", "open"):
        setattr(Store, way, opening(way))
    main(command)


def _fetched(output: Path) -> set[tuple[str, str]]:
    """Return (URL, payload digest) of every page that was judged."""
    return {
        (line["url"], line["payload_digest"])
        for name in ("pages", "duplicates")
        for line in lines(output, name)
    }


def _check_accounts(output: Path) -> None:
    """Assert that nothing is pending and that the counts agree with each other."""
    summary = summary_of(output)
    assert summary["identity_holds"], summary["problems"]
    assert not summary["stopped"]
    assert summary["pending"] == 0


def _check_archives(output: Path) -> None:
    """Every page has its exchange, and `check` finds each where its line says."""
    assert all(page["warc_filename"] for page in lines(output, "pages"))
    assert main(["check", str(output)]) == 0


def _check_lines(output: Path) -> None:
    """Assert that no URL has two lines and that every duplicate names a stored page."""
    files = all_lines(output)
    urls = [line["url"] for file in files for line in file]
    assert len(urls) == len(set(urls))
    stored = {line["id"]: line["url"] for line in files[0]}
    assert len(stored) == len(files[0])
    for duplicate in files[1]:
        of = duplicate["duplicate_of"]
        assert stored[of["id"]] == of["url"]
