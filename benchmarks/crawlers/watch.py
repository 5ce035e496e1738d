"""A command run to its end and watched from outside, with all processes that it starts."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crawler.errors import CrawlerError

_EVERY_S = 0.2
"""Between two looks. A look costs a few milliseconds, in this process and not in what it sees."""
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Watched:
    """What a command took. CPU of all its processes, and of the one that was started."""

    begun_s: float
    """`time.monotonic()` as it was started."""
    wall_s: float
    cpu_s: float
    main_cpu_s: float
    """Of the process that was started, to the last look at it: at most `_EVERY_S` too little."""
    peak_bytes: int
    """Largest sum of the processes' proportional shares (PSS): what they share counts once."""


def watch(command: Sequence[str], environment: Mapping[str, str], log: Path) -> Watched:
    """Run a command; its output goes to `log`. CrawlerError where it fails."""
    begun = time.monotonic()
    with log.open("wb") as said:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said
        )
        ended = threading.Event()
        looks = _Looks(process.pid)
        looking = threading.Thread(target=looks.until, args=(ended,))
        looking.start()
        # Of this process and of all its descendants that were waited for.
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.monotonic() - begun
        ended.set()
        looking.join()
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise CrawlerError(f"{' '.join(command)}: exit code {process.returncode}\n{tail(log)}")
    return Watched(
        begun, wall_s, usage.ru_utime + usage.ru_stime, looks.main_cpu_s, looks.peak_bytes
    )


def tail(log: Path) -> str:
    """Return the end of what a command said."""
    return log.read_text(errors="replace")[-2000:]


class _Looks:
    """What was seen of a process and its descendants."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.peak_bytes = 0
        self.main_cpu_s = 0.0

    def until(self, ended: threading.Event) -> None:
        """Look again and again."""
        while not ended.wait(_EVERY_S):
            self.peak_bytes = max(self.peak_bytes, sum(map(_pss, _family(self._pid))))
            self.main_cpu_s = max(self.main_cpu_s, _cpu_s(self._pid))


def _family(pid: int) -> Iterator[int]:
    """Yield a process and all its living descendants."""
    waiting = [pid]
    while waiting:
        member = waiting.pop()
        yield member
        for children in Path(f"/proc/{member}/task").glob("*/children"):
            waiting += map(int, _read(children).split())


def _pss(pid: int) -> int:
    for line in _read(Path(f"/proc/{pid}/smaps_rollup")).splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _cpu_s(pid: int) -> float:
    fields = _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK_S if fields else 0.0


def _read(path: Path) -> str:
    """Return a file of /proc; nothing where the process has gone."""
    try:
        return path.read_text()
    except OSError:
        return ""
