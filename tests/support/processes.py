"""The processes of a crawl, as the kernel knows and bounds them."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def children(pid: int) -> list[int]:
    """Return the ids of a process's children, oldest first; none where it is gone."""
    try:
        names = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return sorted(map(int, names))


def below(pid: int) -> Iterator[int]:
    """Yield the ids of all processes below one, whichever thread began them.

    Processes and threads that end meanwhile, as some do at any time, are passed over.
    """
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                for child in map(int, (thread / "children").read_text().split()):
                    yield child
                    yield from below(child)


def command_line(pid: int) -> bytes:
    """Return the command line of a process; nothing where it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def analysis_processes(crawl: int) -> list[int]:
    """Return the ids of a crawl's analysis processes: what its fork server has forked."""
    return [reader for server in children(crawl) for reader in children(server)]


def limit_files(size: int) -> None:
    """Let this process write no file beyond `size` bytes: what a full disk does, without one."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
