"""A crawl at full speed through faults of every kind: memory, files and handles stay bounded.

Every 20 seconds one fault; every few minutes the run itself is ended (SIGTERM, SIGKILL, or SIGINT
twice) and resumed. When a web is crawled to its end, the next one follows in a directory of its
own. Memory is set against the pages that a run has judged: the indexes may grow by so many bytes a
page, and nothing else may grow.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.end_to_end import NO_WAITING
from benchmarks.soak import checks
from benchmarks.soak.victim import Sample, Victim
from benchmarks.soak.web import Server, write_job
from crawler.console import Say
from crawler.demo import DemoWeb

FAULT_EVERY_S = 20.0
SAMPLE_EVERY_S = 1.0
WARM_UP_PAGES = 20_000
"""A run's first pages are left out of the fit: by then SQLite's page cache (64 MiB) is full, and
the tables that are reserved for 100,000 pages have been touched."""
FITTED_PAGES = 8_000
"""A run with fewer pages after these tells nothing of its growth."""
ALLOWED_BYTES_A_PAGE = 2_000
"""Indexes, filters and seen set take some 500; what else scales (URLs queued, connections) is
bounded by the job."""
ALLOWED_BYTES = 300_000_000
"""And what does not scale: the program itself, its caches, buffers of pages under way."""
ALLOWED_CHILD_BYTES = 400_000_000
"""Of an analysis process: it reads one page after another and keeps none."""
ALLOWED_HANDLES = 250
"""Sockets of 32 workers and their kept connections, pipes of the pool, files."""
ALLOWED_LOG_BYTES = 128 << 20
"""Of the write-ahead log: it is cut to 64 MiB, and a long reader may hold it up for a while."""

JOB: dict[str, Any] = {
    **NO_WAITING,
    "fetch": {"headers_timeout_s": 5, "read_timeout_s": 3, "total_timeout_s": 8},
    "analysis": {"processes": 2, "timeout_s": 4},
    "politeness": {"delay_s": 0, "per_host": 8, "robots_wait_s": 60},
    "grace_s": 8,
    "progress_s": 1,
}


class HourSoak:
    """Crawls for so many minutes; then what was asked for is held against what was written."""

    def __init__(
        self, home: Path, minutes: float, articles: int, run_minutes: float, seed: int, say: Say
    ) -> None:
        self._home = home
        self._ends_at = time.monotonic() + 60 * minutes
        self._articles = articles
        self._run_s = 60 * run_minutes
        self._random = random.Random(seed)
        self._say = say
        self._numbers = count(1)
        self.faults: Counter[str] = Counter()
        self.runs: list[list[Sample]] = []
        self.pages = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        """Do all of it; a little longer than asked for, since the last run ends in peace."""
        while time.monotonic() < self._ends_at:
            self._crawl_a_web(next(self._numbers))

    # ----------------------------------------------------------------------------------------------
    # One web, one directory, many runs

    def _crawl_a_web(self, number: int) -> None:
        web = DemoWeb(seed=2026 + number, articles=self._articles)
        self._log = self._home / f"hours-{number}-requests.jsonl"
        self._output = self._home / f"hours-{number}"
        self._server = Server(web, log=self._log)
        with self._server:
            job = write_job(web, self._output, JOB)
            code = self._run(Victim(self._output, "crawl", "--config", job))
            while code and time.monotonic() < self._ends_at:
                code = self._run(Victim(self._output, "resume", self._output))
            self._end_in_peace()
        self._check()

    def _run(self, victim: Victim) -> int:
        """Watch one run and trouble it until its time is over; return its exit code."""
        samples: list[Sample] = []
        self.runs.append(samples)
        ends_at = min(self._ends_at, time.monotonic() + self._run_s)
        fault_at = None  # a host that never answered is given up on: first it must have answered
        while victim.alive and time.monotonic() < ends_at:
            time.sleep(SAMPLE_EVERY_S)
            if sample := victim.sample():
                samples.append(sample)
            if fault_at is None and victim.pages:
                fault_at = time.monotonic() + FAULT_EVERY_S
            if fault_at is not None and time.monotonic() >= fault_at:
                fault_at = time.monotonic() + FAULT_EVERY_S
                self._trouble(victim)
        if victim.alive:
            return self._end(victim)
        code = victim.wait()
        if code == 3:
            self.faults["store stopped the crawl"] += 1
        elif code:
            self.wrong.append(f"a run ended with {code}: {victim.said[-3:]}")
        elif self._pending():
            return 1  # hosts that the faults have parked: the next run takes them up
        return code

    def _end(self, victim: Victim) -> int:
        """End a run from the outside, each time in another way."""
        ways: list[tuple[str, Sequence[int]]] = [
            ("SIGTERM", [signal.SIGTERM]),
            ("SIGKILL", [signal.SIGKILL]),
            ("SIGINT twice", [signal.SIGINT, signal.SIGINT]),
        ]
        name, numbers = ways[sum(self.faults[way] for way, _ in ways) % len(ways)]
        self.faults[name] += 1
        self._say(f"{name} at {victim.pages:,} pages")
        for number in numbers:
            victim.signal(number)
            time.sleep(0.2)
        return victim.wait()

    def _pending(self) -> bool:
        with closing(sqlite3.connect(self._output / "state.sqlite")) as state:
            found = state.execute("SELECT 1 FROM urls WHERE state = 0 LIMIT 1").fetchone()
        return found is not None

    def _end_in_peace(self) -> None:
        """Let one run begin and be stopped without faults: it must leave everything in order."""
        victim = Victim(self._output, "resume", self._output)
        deadline = time.monotonic() + 30
        while victim.alive and not victim.pages and time.monotonic() < deadline:
            time.sleep(0.1)
        victim.signal(signal.SIGTERM)
        code = victim.wait()
        # A crawl with nothing left is done at once: the signal may find the program on its way out.
        way_out = () if self._pending() else (-signal.SIGTERM,)
        if code not in (0, 143, *way_out):
            self.wrong.append(f"the last run ended with {code}: {victim.said[-3:]}")

    def _check(self) -> None:
        wrong = checks.problems(self._output) + checks.unaccounted(self._output, self._log)
        self.wrong += [f"{self._output}: {what}" for what in wrong]
        pages = len(checks.judged(self._output))
        self.pages += pages
        self._say(f"{self._output.name}: {pages:,} pages, {len(wrong)} wrong")

    # ----------------------------------------------------------------------------------------------
    # Faults

    def _trouble(self, victim: Victim) -> None:
        faults: list[tuple[str, Callable[[], None]]] = [
            ("5xx burst", lambda: self._server.trouble("burst", 3)),
            ("stalled bodies", lambda: self._server.trouble("stall", 3)),
            ("server restart", lambda: self._server.restart()),
            ("analysis process killed", lambda: self._hurt_worker(victim, signal.SIGKILL)),
            ("analysis process hung", lambda: self._hurt_worker(victim, signal.SIGSTOP)),
            ("database locked", self._lock_database),
        ]
        name, act = faults[sum(self.faults[fault] for fault, _ in faults) % len(faults)]
        self.faults[name] += 1
        self._say(f"{name} at {victim.pages:,} pages; {_state(victim.sample())}")
        act()

    def _hurt_worker(self, victim: Victim, number: int) -> None:
        workers = victim.workers()
        if workers:
            with suppress(ProcessLookupError):
                os.kill(self._random.choice(workers), number)

    def _lock_database(self) -> None:
        """Hold the write lock for a while, from a thread: the watching goes on."""

        def hold() -> None:
            state = sqlite3.connect(self._output / "state.sqlite", timeout=30)
            with closing(state), suppress(sqlite3.OperationalError):
                state.execute("BEGIN IMMEDIATE")
                time.sleep(5)
                state.execute("ROLLBACK")

        threading.Thread(target=hold, daemon=True).start()

    # ----------------------------------------------------------------------------------------------
    # What was found

    def rows(self) -> list[tuple[str, str, bool]]:
        """Return the table's rows: what, how much, whether it is as it must be."""
        slopes = [slope for run in self.runs if (slope := growth(run)) is not None]
        samples = [sample for run in self.runs for sample in run]
        handles = max((s.handles for s in samples), default=0)
        children = max((s.children for s in samples), default=0)
        log = max((s.log_bytes for s in samples), default=0)
        rows = [(f"faults: {name}", f"{n}", True) for name, n in sorted(self.faults.items())]
        rows.append(("pages judged", f"{self.pages:,}", self.pages > 0))
        told = f"runs of fewer than {WARM_UP_PAGES + FITTED_PAGES:,} pages do not tell"
        if slopes:
            told = f"{_range(slopes)} (allowed {ALLOWED_BYTES_A_PAGE:,})"
        rows.append(("memory a page, bytes", told, max(slopes, default=0) <= ALLOWED_BYTES_A_PAGE))
        peak = max((s.rss for s in samples), default=0)
        allowed = ALLOWED_BYTES + ALLOWED_BYTES_A_PAGE * self.pages
        told = f"{peak / 1e6:,.0f} (allowed {allowed / 1e6:,.0f})"
        rows.append(("memory at most, MB", told, peak <= allowed))
        child = max((s.child_rss for s in samples), default=0)
        told = f"{child / 1e6:,.0f} (allowed {ALLOWED_CHILD_BYTES / 1e6:,.0f})"
        rows.append(("analysis process at most, MB", told, child <= ALLOWED_CHILD_BYTES))
        rows.append(("handles at most", f"{handles}", handles <= ALLOWED_HANDLES))
        rows.append(("analysis processes at most", f"{children}", children <= 3))
        rows.append(("write-ahead log at most, MB", f"{log / 1e6:.0f}", log <= ALLOWED_LOG_BYTES))
        rows.append(("wrong after all faults", f"{len(self.wrong)}", not self.wrong))
        return rows


def growth(run: Sequence[Sample]) -> float | None:
    """Return the bytes of memory a run gained with each page, by least squares; None if too short.

    The beginning of the run is left out.
    """
    begun = next((sample.pages for sample in run if sample.pages), 0)  # by the first progress line
    steady = [sample for sample in run if sample.pages >= begun + WARM_UP_PAGES]
    if not steady or steady[-1].pages - steady[0].pages < FITTED_PAGES:
        return None
    pages = np.array([sample.pages for sample in steady], dtype=float)
    memory = np.array([sample.rss for sample in steady], dtype=float)
    return float(np.polyfit(pages, memory, 1)[0])


def _range(values: Sequence[float]) -> str:
    return f"{min(values):,.0f} to {max(values):,.0f}"


def _state(sample: Sample | None) -> str:
    if sample is None:
        return "just ended"
    return f"{sample.rss / 1e6:.0f} MB, {sample.handles} handles"
