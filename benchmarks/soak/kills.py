"""`kill -9` in every phase of a crawl's life, again and again."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path

from benchmarks.end_to_end import NO_WAITING
from benchmarks.soak import checks
from benchmarks.soak.victim import PATIENCE_S, Victim, cpu_ticks
from benchmarks.soak.web import Server, write_job
from crawler.console import Say
from crawler.demo import DemoWeb
from crawler.errors import StoreError
from crawler.storage.directory import LINE_FILES, line_path
from crawler.storage.view import StoreView

PHASES = ("start-up", "resume", "fetch", "pool work", "commit", "shutdown")
START_S = 3.0
"""A start-up or a resume is killed within this time, or its first page, whichever comes first."""
SLOWLY = {
    **NO_WAITING,
    "politeness": {"delay_s": 0.1, "per_host": 1, "robots_wait_s": 2},
    "analysis": {"processes": 2},
    "progress_s": 0.2,
}
"""Lets a directory live through some twenty kills before its crawl is done."""
QUICKLY = {"politeness": {"delay_s": 0, "per_host": 8}}


class KillSoak:
    """Kills crawls until every phase had its share; then all must equal an undisturbed crawl."""

    def __init__(self, home: Path, kills: int, articles: int, seed: int, say: Say) -> None:
        self._home = home
        self._share = -(-kills // len(PHASES))
        self._web = DemoWeb(articles=articles)
        self._random = random.Random(seed)
        self._say = say
        self._numbers = count(1)
        self.kills: Counter[str] = Counter()
        self.torn = 0
        """Kills after which files held lines that were not committed: in the midst of a commit."""
        self.directories = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        """Do all of it; takes some two and a half seconds a kill."""
        self._log = self._home / "kills-requests.jsonl"
        with Server(self._web, log=self._log):
            self._calm = self._begin_calm()
            starting, working = self._directory(), self._directory()
            while phase := self._next_phase():
                output = starting if phase == "start-up" else working
                self._attempt(phase, output)
                if phase == "start-up" and _seeded(output):
                    self._finish(output)
                    starting = self._directory()
                elif phase != "start-up" and self._is_done(working):
                    self._finish(working)
                    working = self._directory()
            for output in (starting, working):
                self._finish(output)

    def _next_phase(self) -> str | None:
        left = [phase for phase in PHASES if self.kills[phase] < self._share]
        return self._random.choice(left) if left else None

    def _directory(self) -> Path:
        output = self._home / f"kills-{next(self._numbers)}"
        write_job(self._web, output, SLOWLY)
        return output

    def _begin_calm(self) -> set[tuple[str, str]]:
        output = self._home / "kills-calm"
        job = write_job(self._web, output, SLOWLY, QUICKLY)
        code = Victim(output, "crawl", "--config", job).wait()
        assert code == 0, "the undisturbed crawl failed"
        return checks.judged(output)

    def _start(self, output: Path) -> Victim:
        if _seeded(output):
            return Victim(output, "resume", output)
        return Victim(output, "crawl", "--config", output.with_suffix(".yaml"))

    # ----------------------------------------------------------------------------------------------
    # One kill

    def _attempt(self, phase: str, output: Path) -> None:
        if phase == "resume" and not _seeded(output):
            phase = "commit"
        victim = self._start(output)
        self._await(phase, victim)
        if victim.kill():
            self.kills[phase] += 1
            self.torn += _is_torn(output)
            total = sum(self.kills.values())
            if total % 10 == 0:
                self._say(f"{total} kills: {_told(self.kills)}; {self.torn} tore a commit")

    def _await(self, phase: str, victim: Victim) -> None:
        before, size = self._log.stat().st_size, _written(victim.output)
        match phase:
            case "start-up" | "resume":
                until = victim.began + self._random.uniform(0, START_S)
                _until(victim, lambda: time.monotonic() > until or _pages_asked(self._log, before))
            case "fetch":
                _until(victim, lambda: _pages_asked(self._log, before))
                self._pause(0.3)
            case "pool work":
                _until(victim, lambda: _pages_asked(self._log, before))
                spent = {pid: cpu_ticks(pid) for pid in victim.workers()}
                _until(victim, lambda: any(cpu_ticks(pid) > n for pid, n in spent.items()))
            case "commit":
                _until(victim, lambda: _written(victim.output) > size)
            case "shutdown":
                _until(victim, lambda: _written(victim.output) > size)
                victim.signal(signal.SIGTERM)
                _until(victim, lambda: any("Stopping" in line for line in victim.said))
                self._pause(0.4)

    def _pause(self, longest_s: float) -> None:
        time.sleep(self._random.uniform(0, longest_s))

    # ----------------------------------------------------------------------------------------------
    # The end of a directory

    def _is_done(self, output: Path) -> bool:
        if not _seeded(output):
            return False
        with StoreView.read(output) as view:
            return next(view.pending(), None) is None

    def _finish(self, output: Path) -> None:
        """Resume a directory to its end and hold it against the undisturbed crawl."""
        quick = write_job(self._web, output, SLOWLY, QUICKLY)
        command = ("resume", output) if _seeded(output) else ("crawl",)
        victim = Victim(output, *command, "--config", quick)
        code = victim.wait()
        self.directories += 1
        if code:
            self.wrong.append(f"{output}: the last run ended with {code}: {victim.said[-1:]}")
            return
        wrong = checks.problems(output)
        differing = checks.judged(output) ^ self._calm
        wrong += [f"{url} differs from the undisturbed crawl" for url, _ in sorted(differing)]
        self.wrong += [f"{output}: {what}" for what in wrong]
        self._say(f"{output.name}: {len(checks.judged(output))} pages, {len(wrong)} wrong")

    def rows(self) -> list[tuple[str, str, bool]]:
        """Return the table's rows: what, how much, whether it is as it must be."""
        rows = [(f"kills in {p}", f"{self.kills[p]}", self.kills[p] > 0) for p in PHASES]
        rows.append(("kills that tore a commit", f"{self.torn}", self.torn > 0))
        rows.append(("directories held against the calm crawl", f"{self.directories}", True))
        rows.append(("wrong after all kills", f"{len(self.wrong)}", not self.wrong))
        return rows


def _until(victim: Victim, happened: Callable[[], bool]) -> None:
    """Look every half millisecond until something happens, or the victim ends."""
    deadline = time.monotonic() + PATIENCE_S
    while not happened() and victim.alive and time.monotonic() < deadline:
        time.sleep(0.0005)


def _pages_asked(log: Path, before: int) -> bool:
    if log.stat().st_size <= before:
        return False
    with log.open("rb") as file:
        file.seek(before)
        return any(b"robots.txt" not in line for line in file)


def _written(output: Path) -> int:
    return sum(path.stat().st_size for path in output.glob("*.jsonl"))


def _seeded(output: Path) -> bool:
    """Whether the seeds of a crawl were committed, so that it can be resumed."""
    try:
        with StoreView.read(output) as view:
            return view.next_url_id > 1
    except StoreError:
        return False


def _is_torn(output: Path) -> bool:
    try:
        with StoreView.read(output) as view:
            extents = view.extents()
    except StoreError:
        return False
    paths = {name: line_path(output, name) for name in LINE_FILES}
    return any(p.exists() and p.stat().st_size > extents[n].bytes for n, p in paths.items())


def _told(kills: Counter[str]) -> str:
    return ", ".join(f"{phase} {kills[phase]}" for phase in PHASES)
