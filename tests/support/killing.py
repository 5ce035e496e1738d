"""Crawls that are killed by SIGKILL in named phases: real processes of the real program."""

from __future__ import annotations

import multiprocessing
import random
import time
from collections.abc import Callable, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path

from crawler.cli import main
from support.crawling import QUICK, begun, crawl, demo_web, job_data, write_job
from support.output import all_lines, lines, summary_of
from support.processes import analysis_processes
from support.replaying import check_replay

SLOWLY = {
    "fetch": {"workers": 3},
    "politeness": {"delay_s": 0.15, "per_host": 1},
}
"""The killed runs together shall not reach the crawl's end."""
ARCHIVED = {"storage": {"warc": True}}
"""Archives are cut back as lines are."""

START_S = 1.0
"""A start-up or a resume is killed within this time, or at its first page."""
FETCH_S = 0.7
"""A fetching crawl is killed within this time of its first page: before, in or after a commit."""
STOP_S = 0.1
"""A crawl that was told to stop is killed within this time."""
PATIENCE_S = 60.0
"""How long an event is waited for that has to come."""
RUNS_A_KILL = 10
"""Most runs it may take to kill one in time: a run told to stop may end before it is killed."""

# Victims are forked by a process that has loaded the crawler: they begin at once.
VICTIMS = multiprocessing.get_context("forkserver")
VICTIMS.set_forkserver_preload(["crawler.cli", "crawler.cli.commands.crawl", "uvloop"])


def check_kills(home: Path, phases: Sequence[str], seed: int) -> None:
    """Kill a crawl once in each phase, in order, resume it, and assert that nothing is amiss.

    Not a URL or body more or less than in a crawl that was never killed; every end has its line and
    only one; every duplicate names a stored page; every line that names an exchange has it in the
    archives; and the verdicts are those of one judge that saw the pages in the order that was
    recorded.
    """
    calm, hard, log = home / "calm", home / "hard", home / "requests.jsonl"
    with demo_web(articles=20, log=log) as (web, _):
        calm_job = job_data(web, calm, QUICK)
        assert crawl(calm_job) == 0
        slow_job = write_job(job_data(web, hard, QUICK, SLOWLY, ARCHIVED), home / "slow.yaml")
        killer = Killer(slow_job, hard, log, seed)
        for phase in phases:
            killer.kill(phase)
        config = write_job(job_data(web, hard, QUICK, ARCHIVED), home / "calm.yaml")
        assert main(["resume", str(hard), "--config", str(config)]) == 0
        assert _fetched(hard) == _fetched(calm)
        _check_accounts(hard)
        _check_lines(hard)
        _check_archives(hard)
        assert check_replay(web, hard) == len(_fetched(hard))


class Killer:
    """Runs a crawl again and again in one directory and kills it in the phases asked for.

    `log` is the server's log of requests, `seed` decides the moments.
    """

    def __init__(self, job: Path, output: Path, log: Path, seed: int) -> None:
        self._job = job
        self._output = output
        self._log = log
        self._random = random.Random(seed)
        self._phases: dict[str, Callable[[_Victim], None]] = {
            "start-up": self._starting,
            "resume": self._starting,
            "fetch": self._fetching,
            "pool work": self._computing,
            "commit": self._committing,
            "shutdown": self._stopping,
        }

    def kill(self, phase: str) -> None:
        """Kill a run in a phase; one that ends before it is killed is followed by another."""
        if phase == "resume":
            self._begin()
        for _ in range(RUNS_A_KILL):
            victim = _Victim(self._command(), self._output, self._log)
            self._phases[phase](victim)
            if victim.kill():
                return
        raise AssertionError(f"no run was left to kill in its {phase}")

    def _command(self) -> list[str]:
        if begun(self._output):
            return ["resume", str(self._output)]
        return ["crawl", "--config", str(self._job)]

    def _begin(self) -> None:
        """See to it that there is something to resume, by one more kill if need be."""
        if not begun(self._output):
            victim = _Victim(self._command(), self._output, self._log)
            victim.wait(victim.has_written)
            victim.wait(lambda: begun(self._output))
            assert victim.kill()

    # ----------------------------------------------------------------------------------------------
    # Up to the moment

    def _starting(self, victim: _Victim) -> None:
        until = time.monotonic() + self._random.uniform(0, START_S)
        victim.wait(lambda: time.monotonic() > until or victim.has_asked())

    def _fetching(self, victim: _Victim) -> None:
        victim.wait(victim.has_asked)
        victim.go_on(self._random.uniform(0, FETCH_S))

    def _computing(self, victim: _Victim) -> None:
        victim.wait(victim.has_asked)
        victim.wait_for_analysis()

    def _committing(self, victim: _Victim) -> None:
        victim.wait(victim.has_written)

    def _stopping(self, victim: _Victim) -> None:
        victim.wait(victim.has_asked)
        victim.terminate()
        victim.go_on(self._random.uniform(0, STOP_S))


class _Victim:
    """One run of a command, in a process of its own."""

    def __init__(self, command: list[str], output: Path, log: Path) -> None:
        self._output, self._log = output, log
        self._log_before, self._written_before = _size(log), _written(output)
        self._process: BaseProcess = VICTIMS.Process(target=main, args=(command,))
        self._process.start()

    def kill(self) -> bool:
        """Kill it; return whether it was running until then."""
        was_running = self._process.is_alive()
        self._process.kill()
        self._process.join()
        return was_running

    def terminate(self) -> None:
        """Have it finish what is under way."""
        self._process.terminate()

    def go_on(self, for_s: float) -> None:
        """Let it run on."""
        self._process.join(for_s)

    def wait(self, happened: Callable[[], bool]) -> None:
        """Look every millisecond until something has happened, or it has ended."""
        deadline = time.monotonic() + PATIENCE_S
        while not happened() and self._process.is_alive() and time.monotonic() < deadline:
            self._process.join(0.001)

    def has_asked(self) -> bool:
        """Whether it has asked for a page."""
        if _size(self._log) <= self._log_before:
            return False
        with self._log.open("rb") as file:
            file.seek(self._log_before)
            return any(b"robots.txt" not in line for line in file)

    def has_written(self) -> bool:
        """Whether it has written a line: its commit has begun."""
        return _written(self._output) > self._written_before

    def wait_for_analysis(self) -> None:
        """Wait until its analysis process computes; where that cannot be seen, go on at once."""
        if self._process.pid is None:
            return
        if spent := {pid: _cpu_ticks(pid) for pid in analysis_processes(self._process.pid)}:
            self.wait(lambda: any(_cpu_ticks(pid) > ticks for pid, ticks in spent.items()))


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


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _written(output: Path) -> int:
    """Return how many bytes the line files hold."""
    return sum(path.stat().st_size for path in output.glob("*.jsonl"))


def _cpu_ticks(pid: int) -> int:
    """Return the clock ticks a process has computed; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])
