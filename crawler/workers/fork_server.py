"""The fork server: loads the readers of pages once, and forks the processes that read.

Run as `python -m crawler.workers.fork_server` by `workers.launch` only. To
load libraries and dictionaries takes half a second of CPU; a fork takes milliseconds, also where a
page has ended a process, and what was loaded is in memory once. Nothing here has threads, which a
fork would lose.

It hears of requests (`REQUEST`) on the socket that is its stdin: after a frame with `Start`, which
is answered by a frame, FORK with the file descriptor of a process's own socket, and KILL with an
id. It tells in frames who was born and who ended. Only this process waits for
them, so no id that it kills can have become another's.
"""

from __future__ import annotations

import ctypes
import gc
import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from typing import NoReturn

from crawler.config import Job
from crawler.workers.analyser import prepare, receive, serve, too_little
from crawler.workers.launch import AHEAD
from crawler.workers.messages import (
    BORN,
    ENDED,
    FORK,
    KILL,
    REQUEST,
    UNBORN,
    AnalysisSettings,
    Start,
    frame,
)

_PR_SET_PDEATHSIG = 1
"""prctl(2): the signal this process gets when its parent dies, even in the midst of a page."""

_FORKS_WARM = sys.platform == "linux"
"""Elsewhere (macOS) libraries of the system may not be used after a fork: there a process loads
what it needs itself."""


def tend(control: socket.socket, read: Callable[[socket.socket], None]) -> None:
    """Do what is asked for on `control` until nobody can ask any more; tell of each that ends.

    `read` is what processes do with their own socket.
    """
    woken, wakes = socket.socketpair()
    woken.setblocking(False)
    wakes.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
    children: set[int] = set()
    while True:
        ready, _, _ = select.select([control, woken], [], [])
        if woken in ready:
            woken.recv(4096)
            for child in tuple(children):
                ended, status = os.waitpid(child, os.WNOHANG)
                if ended:
                    children.discard(child)
                    control.sendall(frame((ENDED, child, os.waitstatus_to_exitcode(status))))
        if control in ready:
            request, files, *_ = socket.recv_fds(control, REQUEST.size, 1)
            if not request:
                return
            kind, pid = REQUEST.unpack(request)
            if kind == KILL and pid in children:
                os.kill(pid, signal.SIGKILL)
            elif kind == FORK:
                with socket.socket(fileno=files[0]) as own:
                    try:
                        pid = os.fork()
                    except OSError as error:
                        control.sendall(frame((UNBORN, 0, error.errno or 0)))
                        continue
                    if not pid:
                        _read_to_the_end(control, own, read)
                children.add(pid)
                control.sendall(frame((BORN, pid, 0)))


def _read_to_the_end(
    control: socket.socket, own: socket.socket, read: Callable[[socket.socket], None]
) -> NoReturn:
    """Be the process that was forked, to its end."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _die_with_parent()
        control.close()
        read(own)
        code = 0
    except BrokenPipeError:
        pass  # the parent is gone
    finally:
        os._exit(code)


def _die_with_parent() -> None:
    """Have the kernel end this process with its parent.

    Where it cannot, a process ends after the page it is at: its socket has ended by then.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> None:
    """Run the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with_parent()
    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what libraries print goes to stderr
    if AHEAD in sys.argv and _FORKS_WARM:
        # Trouble with that is told when it is known what is to run, and has it too.
        prepare(Start(None, AnalysisSettings.of(Job()), 0))
    with control.makefile("rb") as incoming:
        start = receive(incoming)
    if start is None:
        return
    prepared = prepare(start) if _FORKS_WARM else None

    def read(own: socket.socket) -> None:
        with own.makefile("rb") as incoming, own.makefile("wb") as outgoing:
            serve(prepared or prepare(start), start.memory_bytes, incoming, outgoing)

    # Pages leave cycles; what was loaded before them is not looked through for those each time,
    # and the pages of memory it is in stay shared.
    gc.freeze()
    try:
        # Before anybody is born: what is forked is as large as this process.
        trouble = prepared.trouble or too_little(start.memory_bytes) if prepared else ""
        control.sendall(frame(trouble))
        tend(control, read)
    except (BrokenPipeError, ConnectionResetError):
        os._exit(1)  # the crawler is gone


if __name__ == "__main__":
    main()
