"""Roles of a cluster as processes of their own, to be killed: `python -m support.roles`.

::

    tests: Processes ── SIGKILL, SIGSTOP ──▶ role ◀── unix socket ──▶ role

Each role listens at a socket of its name; calls are pickled frames with a number, many at once on a
connection. Who meets no listener, or whose connection ends, is told Gone. A role whose process has
ended is started again. Pages are read in the partition's own process.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from crawler.cluster import partition, sequencer
from crawler.cluster.host import Host
from crawler.cluster.protocol import Gone
from crawler.cluster.root import Root
from crawler.storage.database import Database
from crawler.storage.store import GroupLimits
from support.analysing import no_processes
from support.forking import PATHS, Forked

_LENGTH = struct.Struct("I")
SOON_S = 0.02
"""Between two calls of what is gone; it is never long."""
LEASE_S, RENEW_S = 0.4, 0.1
"""Who is killed waits as long before it asks the web again."""
QUICK = GroupLimits(age_s=0.01)


class Death(NamedTuple):
    """Where a process ends itself by SIGKILL: when it comes to a point for the given time.

    Points are `commit` (of any database), `call METHOD` or `run METHOD`, of calls that it makes and
    takes, and `step`, a call of a function on its event loop: a moment that no machine's speed
    changes.
    """

    point: str
    when: str
    """`before`, `within` (of commits: all is written, but not committed) or `after`."""
    time: int = 1


@dataclass
class Part:
    """What a role's process is told."""

    root: Path
    role: str
    sockets: Path
    death: Death | None = None
    first: Callable[[], None] | None = None
    """Called before anything else, to change what is to be changed in the process."""


# ---------------------------------------------------------------- carrier


async def _read(reader: asyncio.StreamReader) -> Any:
    """Return the next frame. Raises EOFError, OSError where the other side has gone."""
    (size,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    return pickle.loads(await reader.readexactly(size))


def _framed(told: Any) -> bytes:
    data = pickle.dumps(told, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


class _Connection:
    """To one role: answers come in any order."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._calls = 0
        self._reading = asyncio.create_task(self._read(reader))

    @property
    def is_over(self) -> bool:
        """Whether the other side has gone."""
        return self._reading.done()

    async def call(self, method: str, *args: Any) -> Any:
        """Return what a call gives, or raise what it raises."""
        self._calls += 1
        number = self._calls
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            if self.is_over:
                raise Gone("it has gone")
            self._writer.write(_framed((number, method, args)))
            return await answer
        finally:
            del self._waiting[number]

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                number, raised, value = await _read(reader)
                answer = self._waiting.get(number)
                if answer is None or answer.done():
                    continue
                if raised:
                    answer.set_exception(value)
                else:
                    answer.set_result(value)
        except (EOFError, OSError):
            pass
        finally:
            self._writer.close()
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(Gone("it went before it answered"))

    def close(self) -> None:
        """End it."""
        self._reading.cancel()


class SocketCarrier:
    """Calls roles that listen in a directory."""

    def __init__(self, sockets: Path) -> None:
        self._sockets = sockets
        self._connections: dict[str, _Connection] = {}
        self._connecting: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """See Carrier."""
        connection = await self._connected(role)
        return await connection.call(method, *args)

    async def _connected(self, role: str) -> _Connection:
        async with self._connecting[role]:
            found = self._connections.get(role)
            if found is None or found.is_over:
                try:
                    streams = await asyncio.open_unix_connection(self._sockets / role)
                except OSError as error:
                    raise Gone(f"{role}: {error}") from error
                found = self._connections[role] = _Connection(*streams)
            return found

    def close(self) -> None:
        """End all connections."""
        for connection in self._connections.values():
            connection.close()


# ---------------------------------------------------------------- a role's process


class _Mortal:
    """Ends this process where it is to end."""

    def __init__(self, death: Death | None) -> None:
        self._death = death
        self._left = death.time if death else 0

    def at(self, when: str, point: str) -> None:
        """The process has come to a point."""
        if self._death is None or self._death[:2] != (point, when):
            return
        self._left -= 1
        if not self._left:
            os.kill(os.getpid(), signal.SIGKILL)

    async def around(self, kind: str, method: str, call: Callable[[], Awaitable[Any]]) -> Any:
        """Call, and come to the points before and after it."""
        point = f"{kind} {method}"
        self.at("before", point)
        found = await call()
        self.at("after", point)
        return found

    def watch(self) -> None:
        """Come to a point with each commit, and each step of this thread."""

        def stepping(frame: object, event: str, argument: object) -> None:
            if event == "call":
                self.at("before", "step")

        if self._death is not None and self._death.point == "step":
            sys.setprofile(stepping)
        transaction = Database.transaction

        @contextmanager
        def mortal(database: Database) -> Iterator[Any]:
            self.at("before", "commit")
            with transaction(database) as connection:
                yield connection
                self.at("within", "commit")
            self.at("after", "commit")

        setattr(Database, "transaction", mortal)  # noqa: B010 - mypy takes it for a function


class _MortalCarrier(SocketCarrier):
    def __init__(self, sockets: Path, mortal: _Mortal) -> None:
        super().__init__(sockets)
        self._mortal = mortal

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """See Carrier."""
        calling = super().call
        return await self._mortal.around("call", method, lambda: calling(role, method, *args))


async def _serve(part: Part) -> None:
    """Answer calls until the engine has gone."""
    mortal = _Mortal(part.death)
    mortal.watch()
    carrier = _MortalCarrier(part.sockets, mortal)

    def say(line: str) -> None:
        print(f"{part.role}: {line}", file=sys.stderr)

    host = Host(part.role, Root.open(part.root), carrier, say)
    at_work: set[asyncio.Task[None]] = set()

    async def answer(writer: asyncio.StreamWriter, number: int, method: str, args: Any) -> None:
        try:
            value = await mortal.around("run", method, lambda: host.call(method, *args))
            raised = False
        except Exception as error:
            value, raised = error, True
        with suppress(OSError):
            writer.write(_framed((number, raised, value)))

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(EOFError, OSError):
            while True:
                told = await _read(reader)
                task = asyncio.create_task(answer(writer, *told))
                at_work.add(task)
                task.add_done_callback(at_work.discard)

    # A name that is there is of who was killed.
    new = part.sockets / f"{part.role}.{os.getpid()}"
    await asyncio.start_unix_server(connected, new)
    new.replace(part.sockets / part.role)
    await asyncio.get_running_loop().create_future()


def _main(part: Part) -> None:
    if part.first is not None:
        part.first()
    partition.AGAIN_S = partition.LONGEST_AGAIN_S = sequencer.RETRY_S = SOON_S
    partition.COMMITS = QUICK
    setattr(partition, "LEASE_S", LEASE_S)  # noqa: B010 - it is the sequencer's
    sequencer.LEASE_S = LEASE_S
    partition.RENEW_S = RENEW_S
    # The engine may be killed, too.
    threading.Thread(target=lambda: os._exit(bool(os.read(0, 1))), daemon=True).start()
    with no_processes():
        asyncio.run(_serve(part))


# ---------------------------------------------------------------- the engine


@dataclass
class _Life:
    process: subprocess.Popen[Any]
    pidfd: int


@dataclass
class Processes:
    """An engine whose roles are processes of this machine; those that end are started again."""

    root: Path
    deaths: Mapping[str, Sequence[Death]] = field(default_factory=dict)
    """Role -> how its first process ends, its second, and so on; those after that do not."""
    first: Mapping[str, Callable[[], None]] = field(default_factory=dict)
    """Role -> see `Part.first`."""
    ends: Counter[str] = field(default_factory=Counter)
    """How many processes of a role were killed."""
    on_end: Callable[[str], None] = lambda role: None

    def __post_init__(self) -> None:
        # Names of sockets are short.
        self.sockets = Path(tempfile.mkdtemp(prefix="roles-"))
        self._carrier = SocketCarrier(self.sockets)
        self._lives: dict[str, _Life] = {}
        self._others: list[_Life] = []
        self.broken: list[str] = []
        """Processes that ended by themselves: these are not started again."""

    @property
    def carrier(self) -> Processes:
        """See Engine."""
        return self

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """See Carrier."""
        assert not self.broken
        return await self._carrier.call(role, method, *args)

    async def start(self, roles: Sequence[str]) -> None:
        """See Engine."""
        self._loop = asyncio.get_running_loop()
        for role in roles:
            self._lives[role] = self._started(role)

    def _started(self, role: str, sockets: Path | None = None) -> _Life:
        deaths = self.deaths.get(role, ())
        life = self.ends[role]
        death = deaths[life] if life < len(deaths) else None
        part = Part(self.root, role, sockets or self.sockets, death, self.first.get(role))
        paths = os.pathsep.join(filter(None, sys.path))
        process = Forked(
            [sys.executable, "-m", "support.roles", pickle.dumps(part).hex()],
            stdin=subprocess.PIPE,
            env=os.environ | {PATHS: paths},
        )
        made = _Life(process, os.pidfd_open(process.pid))
        self._loop.add_reader(made.pidfd, self._ended, role, made)
        return made

    def _ended(self, role: str, life: _Life) -> None:
        self._forget(life)
        self.ends[role] += 1
        if life.process.returncode != -signal.SIGKILL:
            self.broken.append(f"{role} ended with {life.process.returncode}")
        elif self._lives.get(role) is life:
            self._lives[role] = self._started(role)
        self.on_end(role)

    def _forget(self, life: _Life) -> None:
        self._loop.remove_reader(life.pidfd)
        os.close(life.pidfd)
        life.process.wait()
        assert life.process.stdin is not None
        life.process.stdin.close()

    def send(self, role: str, number: int = signal.SIGKILL) -> None:
        """Send a role's process a signal."""
        if role in self._lives:
            signal.pidfd_send_signal(self._lives[role].pidfd, number)

    async def replace(self, role: str) -> None:
        """See Engine."""
        self.send(role)

    def second(self, role: str) -> SocketCarrier:
        """Start a second process of a role, as an engine does that holds the first for dead.

        Return what calls it.
        """
        sockets = Path(tempfile.mkdtemp(dir=self.sockets))
        for other in self.sockets.iterdir():
            if other.name != role and not other.is_dir():
                (sockets / other.name).symlink_to(other)
        self._others.append(self._started(role, sockets))
        return SocketCarrier(sockets)

    async def end(self) -> None:
        """See Engine."""
        self._carrier.close()
        for life in (*self._lives.values(), *self._others):
            with suppress(OSError):  # ended by itself
                signal.pidfd_send_signal(life.pidfd, signal.SIGKILL)
                self._forget(life)
        self._lives = {}
        shutil.rmtree(self.sockets)


if __name__ == "__main__":
    from support import roles  # what was pickled is of that name

    roles._main(pickle.loads(bytes.fromhex(sys.argv[1])))
