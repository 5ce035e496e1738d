"""One program on one site, once: its figures, and how busy others kept the machine meanwhile."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.crawlers.programs import Program, Task, environment
from benchmarks.crawlers.site import ask, serve
from benchmarks.crawlers.watch import Watched, tail, watch
from benchmarks.served import served
from crawler.errors import CrawlerError

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Run:
    """What a program took for a site."""

    program: str
    found: frozenset[str]
    """Paths of the pages."""
    watched: Watched
    first_s: float
    """Seconds from the command to its first request; 0 if it made none."""
    server_cpu_s: float
    others: float
    """Share of the machine's CPU that neither the program nor the server took."""

    @property
    def rate(self) -> float:
        """Pages a second of the whole command, start and end included."""
        return len(self.found) / self.watched.wall_s

    @property
    def rate_once_started(self) -> float:
        """Pages a second from the first request on."""
        return len(self.found) / (self.watched.wall_s - self.first_s)

    @property
    def cpu_ms(self) -> float:
        """CPU milliseconds a page, of all the program's processes, start and end included."""
        return 1000 * self.watched.cpu_s / len(self.found)

    @property
    def main_ms(self) -> float:
        """CPU milliseconds a page of the process that was started."""
        return 1000 * self.watched.main_cpu_s / len(self.found)

    @property
    def peak_mb(self) -> float:
        """Megabytes of memory at its peak, all processes together."""
        return self.watched.peak_bytes / 1e6


def measure(program: Program, corpora: Path, site: str, processes: int, **variables: str) -> Run:
    """Run a program on a freshly served site; `variables` are added to its environment.

    CrawlerError where it fails or finds nothing.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with served(partial(serve, corpora, site)) as server:
            task = Task(corpora, site, f"http://127.0.0.1:{server.web}/", home, processes)
            begun_s = _busy_s()
            watched = watch(program.command(task), environment(**variables), home / "log")
            busy_s, seen = _busy_s() - begun_s, ask(server.web)
        found = frozenset(urlsplit(url).path for url in program.found(home))
        if not found:
            raise CrawlerError(f"{program.name} found no page of {site}\n{tail(home / 'log')}")
    others_s = max(0.0, busy_s - watched.cpu_s - server.cpu_s)
    others = others_s / (watched.wall_s * (os.cpu_count() or 1))
    first_s = seen.first_s - watched.begun_s if seen.requests else 0.0
    return Run(program.name, found, watched, first_s, server.cpu_s, others)


def _busy_s() -> float:
    """Return CPU seconds that all processes of the machine have taken since it was started."""
    with Path("/proc/stat").open() as file:
        user, nice, system = file.readline().split()[1:4]
    return (int(user) + int(nice) + int(system)) * _TICK_S
