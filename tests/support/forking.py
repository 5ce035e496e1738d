"""Programs of the package, forked from one process that has loaded them: a start for 20 ms of CPU.

`python -m crawler` loads libraries for the better part of a second of CPU, and so do the demo web's
server, the fork server of each pool and programs that tests kill; tests start some two hundred, and
what most of them prove begins after that. What a start itself does (what it loads, what a signal
does to it meanwhile, what environments and limits do) is proved by tests with a Python of their
own: whatever is not a plain start is one here, too, and so is every start on systems other than
Linux.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import pickle
import random
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from io import BufferedReader, BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, TextIO

import pytest

VICTIMS = ("support.victim", "support.store_victim")
MODULES = ("crawler", "crawler.demo", "crawler.workers.fork_server", "support.roles", *VICTIMS)
FOR_PYTHON = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_", "SSL_CERT_")
"""How names of variables begin that an interpreter reads as it starts, or aiohttp as it is loaded:
it makes the context of all TLS connections then."""
PATHS = "PYTHONPATH"
_LENGTH = struct.Struct("I")
_ANSWER = struct.Struct("q")


class Parent:
    """The process that forks, seen from the tests; it ends when its socket does."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._lock = threading.Lock()
        self._here, there = socket.socketpair()
        paths = os.pathsep.join(filter(None, sys.path))
        with there:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "support.forking"],
                stdin=there.fileno(),
                env={**environment, PATHS: paths, "OPENBLAS_NUM_THREADS": "1"},
            )

    def fork(self, start: Mapping[str, Any], files: Sequence[int]) -> int:
        """Return the id of a new process that has these files as its standard streams."""
        return self._answer(start, files)

    def status_of(self, pid: int) -> int:
        """Return the wait status of a process that has ended."""
        return self._answer(pid)

    def _answer(self, request: Any, files: Sequence[int] = ()) -> int:
        with self._lock:
            _send(self._here, request, files)
            (answer,) = _ANSWER.unpack(self._here.recv(_ANSWER.size, socket.MSG_WAITALL))
        return int(answer)

    def close(self) -> None:
        """End it; what it has forked goes on."""
        self._here.close()
        self._process.wait()


_parents: dict[frozenset[tuple[str, str]], Parent | None] = {}
"""Those of this process, by what their interpreters read as they start; None until the first start
in such an environment."""


def _parent(environment: Mapping[str, str]) -> Parent | None:
    """Return the parent of programs whose interpreter would be as its own is, if there is one."""
    key = _for_python(environment)
    if sys.platform == "linux" and _parents.get(key, key) is None:
        _parents[key] = Parent(environment)
    return _parents.get(key)


def _for_python(environment: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset(
        (name, value)
        for name, value in environment.items()
        if name.startswith(FOR_PYTHON) and name != PATHS
    )


class Forked(subprocess.Popen[Any]):
    """A Popen that forks where it would plainly start one of MODULES."""

    _pidfd: int | None = None
    """Tells the end of a process that is not this one's own child."""
    _parent: Parent

    @property
    def is_forked(self) -> bool:
        """Whether the program runs and has loaded nothing itself."""
        return self._pidfd is not None

    def _execute_child(self, args: Any, executable: Any, *rest: Any) -> None:
        preexec_fn, _, pass_fds, cwd, env, _, _, shell, *streams = rest[:14]
        environment = dict(os.environ if env is None else env)
        told = preexec_fn is None or isinstance(preexec_fn, partial)  # else it cannot be sent
        start = _plain(args) if told and not (pass_fds or executable or shell) else None
        parent = _parent(environment) if start else None
        if not start or not parent:
            super()._execute_child(args, executable, *rest)  # type: ignore[misc]
            return
        start |= {"cwd": os.fspath(cwd or Path.cwd()), "env": environment, "session": rest[19]}
        start["first"] = preexec_fn
        theirs = (streams[0], streams[3], streams[5])
        self.pid = parent.fork(start, [n if file == -1 else file for n, file in enumerate(theirs)])
        self._parent, self._pidfd = parent, os.pidfd_open(self.pid)
        self._child_created = True
        self._close_pipe_fds(*streams)  # type: ignore[attr-defined]

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if self._pidfd is None:
            return super()._try_wait(wait_flags)  # type: ignore[misc, no-any-return]
        ended, _, _ = select.select([self._pidfd], [], [], 0 if wait_flags & os.WNOHANG else None)
        if not ended:
            return 0, 0
        os.close(self._pidfd)
        self._pidfd = None
        return self.pid, self._parent.status_of(self.pid)

    def _internal_poll(self, *asked: Any, **how: Any) -> int | None:
        if self._pidfd is None or self.returncode is not None:
            return super()._internal_poll(*asked, **how)  # type: ignore[misc, no-any-return]
        pid, status = self._try_wait(os.WNOHANG)
        if pid:
            self._handle_exitstatus(status)  # type: ignore[attr-defined]
        return self.returncode


def _plain(args: Any) -> dict[str, Any] | None:
    """Return module and arguments of a command line that starts one of MODULES."""
    match [*map(os.fspath, args)]:
        case [sys.executable, "-m", module, *arguments] if module in MODULES:
            return {"module": module, "arguments": arguments, "here": True}
        case [sys.executable, "-P", "-m", module, *arguments] if module in MODULES:
            return {"module": module, "arguments": arguments, "here": False}
    return None


@contextmanager
def forking() -> Iterator[None]:
    """Fork what is a `Forked`, demo webs and fork servers, while the context lasts."""
    forked = SimpleNamespace(**vars(subprocess) | {"Popen": Forked})
    with pytest.MonkeyPatch.context() as patch, forking_in(os.environ):
        patch.setattr("crawler.demo.server.subprocess", forked)
        patch.setattr("crawler.workers.launch.subprocess", forked)
        yield


@contextmanager
def forking_in(environment: Mapping[str, str]) -> Iterator[None]:
    """Fork what is a `Forked` in an environment for Python such as this, while it lasts."""
    key = _for_python(environment)
    _parents[key] = None
    yield
    if parent := _parents.pop(key):
        parent.close()


class _Own(subprocess.Popen[bytes]):
    """Of a program that was forked: its own fork server is forked, too.

    By then the program may have threads, and a fork would find locked for good what these hold. So
    the process is made with the program, and waits for what it is to be.
    """

    spare: ClassVar[tuple[int, socket.socket] | None] = None
    """Its id, and the socket by which it is told."""

    def _execute_child(self, args: Any, executable: Any, *rest: Any) -> None:
        start = _plain(args)
        if start is None or _Own.spare is None:
            super()._execute_child(args, executable, *rest)  # type: ignore[misc]
            return
        (self.pid, link), _Own.spare = _Own.spare, None
        self._child_created = True
        sys.stdout.flush()
        sys.stderr.flush()
        _send(link, start | {"cwd": str(Path.cwd()), "env": rest[4]}, [rest[8], 1, 2])
        link.close()


def _spare() -> tuple[int, socket.socket]:
    """Fork a process that ends when the socket does, or is what it is told by it to be."""
    here, there = socket.socketpair()
    if pid := os.fork():
        there.close()
        return pid, here
    try:
        here.close()
        os.setsid()
        quiet = os.open(os.devnull, os.O_RDWR)
        for file in range(3):
            os.dup2(quiet, file)
        told = _received(there)
        there.close()
        if told:
            _become(*told)
            _run(told[0])
    finally:
        os._exit(1)


def _send(link: socket.socket, request: Any, files: Sequence[int] = ()) -> None:
    body = pickle.dumps(request)
    socket.send_fds(link, [_LENGTH.pack(len(body)) + body], files)


def _received(link: socket.socket) -> tuple[Any, list[int]] | None:
    """Return what was sent, and the files with it; None where the other side has ended."""
    header, files, *_ = socket.recv_fds(link, _LENGTH.size, 3)
    if not header:
        return None
    return pickle.loads(link.recv(_LENGTH.unpack(header)[0], socket.MSG_WAITALL)), files


def _become(start: Mapping[str, Any], files: Sequence[int]) -> None:
    """Be what was started, but for running it: streams, directory, environment, signals, paths."""
    if start.get("session"):
        os.setsid()
    if first := start.get("first"):
        first()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(start["cwd"])
    os.environ.clear()
    os.environ.update(start["env"])
    paths = os.environ.get(PATHS, "").split(os.pathsep)
    sys.path[:] = dict.fromkeys([start["cwd"]] * start["here"] + [*filter(None, paths), *sys.path])
    importlib.invalidate_caches()
    sys.argv[1:] = start["arguments"]
    sys.stdin = TextIOWrapper(BufferedReader(FileIO(0, closefd=False)), sys.stdin.encoding)
    sys.stdout = _writer(1, sys.stdout)
    sys.stderr = _writer(2, sys.stderr)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    random.seed()


def _writer(file: int, like: TextIO) -> TextIOWrapper:
    """Return a standard stream, which is buffered as that which is there now allows."""
    by_line = file == 2 or os.isatty(file)
    made = BufferedWriter(FileIO(file, "wb", closefd=False))
    return TextIOWrapper(made, like.encoding, like.errors, line_buffering=by_line)


def main() -> dict[str, Any]:
    """Load the package and fork for whoever asks; return in each that was forked."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's is for the tests
    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    _load()
    gc.freeze()
    while told := _received(control):
        request, files = told
        if isinstance(request, int):
            _, answer = os.waitpid(request, 0)
        elif not (answer := os.fork()):
            control.close()
            _become(request, files)
            if request["module"] in ("crawler", *VICTIMS):
                _Own.spare = _spare()
            launch: Any = importlib.import_module("crawler.workers.launch")
            launch.subprocess = SimpleNamespace(**vars(subprocess) | {"Popen": _Own})
            return dict(request)
        for file in files:
            os.close(file)
        control.sendall(_ANSWER.pack(answer))
    os._exit(0)


def _load() -> None:
    from crawler import cli, demo
    from crawler.cli import commands
    from crawler.config import Job
    from crawler.urls import registrable_domain
    from crawler.workers.analyser import prepare
    from crawler.workers.messages import AnalysisSettings, Start

    assert cli
    assert demo
    for name in cli.COMMANDS:
        commands.load(name)
    prepare(Start(None, AnalysisSettings.of(Job()), 0))
    registrable_domain("a.test")  # reads a list
    for module in ("encodings.idna", "rich._emoji_codes", "uvloop"):  # what a crawl loads later
        with suppress(ImportError):
            importlib.import_module(module)


def _run(start: Mapping[str, Any]) -> None:
    """Run what was started, and end: what was loaded is left to the system.

    An interpreter that takes it down has all of it copied from its parent, for .1 s of CPU. It
    still does where there is something left to do: threads run, what was printed cannot be written,
    an error is to be told.
    """
    code: Any = 0
    try:
        runpy.run_module(start["module"], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
    if isinstance(code, int) and threading.active_count() == 1:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
            atexit._run_exitfuncs()
            os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    _run(main())
