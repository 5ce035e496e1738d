"""The fork server of a crawl, launched: the process of which those that read pages are made.

It can be launched ahead, while the command that will need it is still being loaded: the two take
the same time, and a machine of two cores does both at once. So this loads nothing of the crawler.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

MODULE = "crawler.workers.fork_server"
"""The program that it runs."""

AHEAD = "--ahead"
"""Tells it to load the readers of pages before it is told what to run."""


@dataclass(frozen=True, slots=True)
class Launched:
    """A process that runs, and the socket that speaks with it: its only link to this one."""

    process: subprocess.Popen[bytes]
    control: socket.socket

    def dismiss(self) -> None:
        """End it at once; what it has made ends with it."""
        self.process.kill()
        self.process.wait()
        self.control.close()


_ahead: list[Launched] = []
"""At most one: what was launched for a pool that is still to come."""


def launch(*flags: str) -> Launched:
    """Launch a fork server in a session of its own: Ctrl-C speaks to the crawler, not to it.

    OSError where the system is short of means.
    """
    # It can import what this process can, and computes on its one core only: a library's threads
    # would not survive that it is forked.
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    environment = os.environ | {"PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process: subprocess.Popen[bytes] = subprocess.Popen(
                (sys.executable, "-P", "-m", MODULE, *flags),
                stdin=theirs.fileno(),
                env=environment,
                start_new_session=True,
            )
        except BaseException:
            ours.close()
            raise
    return Launched(process, ours)


def launch_ahead() -> None:
    """Launch one for the pool that will ask first; what is short now may not be so by then."""
    try:
        _ahead.append(launch(AHEAD))
    except OSError:
        return


def launched() -> Launched:
    """Return the one that was launched ahead, once; else launch one. OSError as `launch`."""
    return _ahead.pop() if _ahead else launch()


def dismiss() -> None:
    """End what was launched ahead and that no pool has asked for."""
    while _ahead:
        _ahead.pop().dismiss()
