"""The crawler as a program that is watched, stopped and killed. Linux: it reads /proc."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 120.0
"""How long an event is waited for that has to come."""
_PAGES = re.compile(r" (\d+) pages ")


@dataclass(frozen=True)
class Sample:
    """What a running crawl holds."""

    at: float
    pages: int
    """Judged in this and earlier runs, by the last progress line."""
    rss: int
    handles: int
    children: int
    child_rss: int
    """Memory of the largest analysis process."""
    log_bytes: int
    """SQLite's write-ahead log."""


class Victim:
    """One run of `python -m crawler`; what it says on stderr is kept."""

    def __init__(self, output: Path, *arguments: object) -> None:
        self.output = output
        self.said: list[str] = []
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "crawler", *map(str, arguments)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.said.extend(self.process.stderr)

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self.process.poll() is None

    @property
    def pages(self) -> int:
        """Pages judged, by the last progress line."""
        found = (_PAGES.search(line) for line in reversed(self.said[-20:]))
        return next((int(match[1]) for match in found if match), 0)

    def signal(self, number: int) -> None:
        """Send a signal, if it still runs."""
        if self.alive:
            self.process.send_signal(number)

    def kill(self) -> bool:
        """Kill it; return whether it was running until then."""
        was_alive = self.alive
        self.signal(signal.SIGKILL)
        self.wait()
        return was_alive

    def wait(self, timeout_s: float = PATIENCE_S) -> int:
        """Wait for its end and return the exit code."""
        code = self.process.wait(timeout_s)
        self._reader.join()
        return code

    def workers(self) -> list[int]:
        """Return the ids of its analysis processes."""
        servers = _children(self.process.pid)
        return [pid for server in servers for pid in _children(server)]

    def sample(self) -> Sample | None:
        """Measure it now; None if it has ended."""
        home, workers = Path(f"/proc/{self.process.pid}"), self.workers()
        log = self.output / "state.sqlite-wal"
        resident = _resident(self.process.pid)
        try:
            handles = sum(1 for _ in (home / "fd").iterdir())
        except OSError:
            return None
        size = log.stat().st_size if log.exists() else 0
        largest = max(map(_resident, workers), default=0)
        return Sample(time.monotonic(), self.pages, resident, handles, len(workers), largest, size)


def _children(pid: int) -> list[int]:
    """Return the ids of a process's children; none if it has ended."""
    try:
        return [int(name) for name in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _resident(pid: int) -> int:
    """Return the memory of a process in bytes; 0 if it has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def cpu_ticks(pid: int) -> int:
    """Return the clock ticks a process has computed; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])
