"""One request under its limits: what a transport is, how long it may take, whose trouble it was.

::

    Transport   what carries a request; `crawler.fetch.transport` is the one over aiohttp
    FairTimer   time limits in which only that time counts in which the event loop listened
    Deadline    the limits of one exchange, phase by phase
    Machine     what this machine and its network are in no state for
    Exchanges   opens one, and judges what goes wrong with it

While one callback runs, no byte is read and no timer fires. What has come meanwhile lies in the
sockets, and the timers that are due fire before it is read, or before it reaches who waits for it.
So whoever waits would be told that nothing came, and the server would be blamed for our own delay.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import Any, Protocol, Self

from crawler import config
from crawler.console import Say
from crawler.fetch.access import LOGIN_WANTED, Access
from crawler.fetch.request_slots import RequestSlots
from crawler.fetch.response import Response
from crawler.fetch.trouble import Trouble, Unwanted
from crawler.models import Failure, Obstacle
from crawler.urls import host_key, hostname, registrable_domain

log = logging.getLogger(__name__)


class Phase(Enum):
    """Where an exchange stands: the name of its limit in a job, and what it means to reach that."""

    ADDRESS = "dns_timeout_s", Obstacle.NETWORK
    # All addresses of a name together: the connector tries one beside the other.
    CONNECTION = "connect_timeout_s", Failure.TIMEOUT_CONNECT
    HEADERS = "headers_timeout_s", Failure.TIMEOUT_HEADERS
    BODY = "read_timeout_s", Failure.TIMEOUT_BODY

    def __init__(self, limit: str, failure: Failure | Obstacle) -> None:
        self.limit = limit
        self.failure = failure


class Transport(Protocol):
    """Carries requests, as they are and each for itself, and decides nothing; open in a block.

    It follows no redirect, keeps no cookie, undoes no coding and asks again for nothing: its caller
    decides on all of them. Two things only it can see to, since only it opens connections:

    - The address guard (`addresses.AddressGuard`) has to admit what each connection leads to, at
      the moment when it is opened, be it for a page, a redirect or whatever a page makes a browser
      load. Behind a proxy it has to judge the URL instead, before the request.
    - What a server may send before its body is handed on in pieces (head, framing) is bounded.
    """

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *exc_info: object) -> None: ...

    async def request(
        self, url: str, headers: Mapping[str, str], enters: Callable[[Phase], None]
    ) -> Response:
        """GET a URL as it is written; return the response when its head has come.

        `headers` go beside those of all requests (`Access.every`). `enters` is told of each phase
        that begins before the body's. Cancelled, or closed before its body was read to the end, it
        leaves no connection. What it raises, and `Response.read`, is for `translate` to say.
        """

    def translate(self, error: Exception) -> Trouble | Unwanted:
        """Return what an exception of a request means; MemoryError is raised again."""


TURN_S = 0.005
"""What each limit is lengthened by: some turns of the loop, in which what has come is read."""

LATE_S = 0.02
"""A timer that fires later than this was held up: a loop in good order is late by less."""


class FairTimer:
    """Calls `expired` when a time has come on the loop's clock, and the loop has listened since.

    Where the loop was held, the time is put off by twice as long as it was late: once for what was
    late, once for what the other side had no chance to hear or say. The second is no longer than
    the limit itself, since the loop may have been held for hours (SIGSTOP). Not thread-safe.
    """

    def __init__(self, expired: Callable[[], object], loop: asyncio.AbstractEventLoop) -> None:
        self._expired = expired
        self._loop = loop
        self._handle: asyncio.TimerHandle | None = None
        self._at = self._limit_s = 0.0
        self._looks_at = 0.0
        self._has_listened = False
        self.put_off_s = 0.0
        """By how much times were put off, in all."""

    def set(self, at: float) -> None:
        """Expire at this time and at no other; one that has passed expires at once.

        A look that comes before it waits on: most times are put off before they come, and a timer
        of the loop is made for few of them.
        """
        now = self._loop.time()
        self._has_listened = self._has_listened and at <= now
        self._limit_s = max(0.0, at - now)
        self._at = now + self._limit_s
        if self._handle is None or self._at < self._looks_at:
            self.cancel()
            self._wait(self._at)

    def cancel(self) -> None:
        """Expire no more."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _wait(self, until: float) -> None:
        self._at = self._looks_at = until
        self._handle = self._loop.call_at(until, self._look)

    def _look(self) -> None:
        now = self._loop.time()
        if now < self._at and self._looks_at < self._at:
            self._wait(self._at)
            return
        late_s = now - self._at
        if late_s >= LATE_S:
            again_s = min(late_s, max(self._limit_s, TURN_S))
            self.put_off_s += late_s + again_s
            self._wait(now + again_s)
        elif self._has_listened:
            self._handle = None
            self._expired()
        else:
            self._has_listened = True
            self._wait(now + TURN_S)


@asynccontextmanager
async def fair_timeout(delay_s: float) -> AsyncIterator[None]:
    """Do as `asyncio.timeout`, by the clock of a loop that listens."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(None) as limit:
        timer = FairTimer(lambda: limit.reschedule(loop.time()), loop)
        timer.set(loop.time() + delay_s)
        try:
            yield
        finally:
            timer.cancel()


class Deadline:
    """One timer for all phases of an exchange: a phase's own limit, or the exchange's if sooner.

    Entered, it cancels its task when a limit is over and raises TimeoutError, as `asyncio.timeout`.
    """

    def __init__(self, limits: config.Fetch) -> None:
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._begun_at = self._loop.time()
        self._in_total = False
        self._gave_way = False
        self.phase = Phase.CONNECTION
        self._timeout = asyncio.timeout(None)
        self._timer = FairTimer(self._expire, self._loop)

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        self.enter(Phase.CONNECTION)
        return self

    async def __aexit__(self, *error: Any) -> None:
        self._timer.cancel()
        await self._timeout.__aexit__(*error)

    @property
    def expired(self) -> bool:
        """Whether a limit is over."""
        return self._timeout.expired()

    def enter(self, phase: Phase) -> None:
        """Begin a phase, or begin it anew: each piece of a body restarts its silence."""
        if self.expired or self._gave_way:
            return
        self.phase = phase
        phase_ends_at = self._loop.time() + getattr(self._limits, phase.limit)
        ends_at = self._begun_at + self._limits.total_timeout_s + self._timer.put_off_s
        self._in_total = ends_at < phase_ends_at
        self._timeout.reschedule(None)  # it may have been about to expire
        self._timer.set(min(ends_at, phase_ends_at))

    def give_way(self) -> None:
        """Break off: others need the place."""
        self._gave_way = True
        self._timer.cancel()
        if not self.expired:
            self._expire()

    def trouble(self) -> Trouble:
        """Return what running out of time means."""
        if self._gave_way:
            waited_s = self._loop.time() - self._begun_at
            return Trouble(Obstacle.CROWD, f"gave way to others after {waited_s:.1f} s")
        limit = f"{getattr(self._limits, self.phase.limit):g} s"
        if self._in_total:
            limit = f"{self._limits.total_timeout_s:g} s in all"
        return Trouble(self.phase.failure, f"no {self.phase.name.lower()} within {limit}")

    def _expire(self) -> None:
        self._timeout.reschedule(self._loop.time())


_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 60.0
"""Pauses double while the trouble lasts."""

_REPEAT_S = 600.0
"""How often one and the same trouble is told of."""

PROOF_S = 5.0
"""Where somebody answers while a request is tried, or so long before, the network is there: who
cannot be reached then is to blame for it."""

_MANY_DOMAINS = 3
"""Domains in a row that cannot be reached, and nobody that can, mean that the network is away."""

STANDSTILL_S = 5.0
"""The event loop never stops for as long: the machine slept, or this process was stopped."""

SHORT_OF = {
    errno.EMFILE: (
        "this process may open no more files",
        "raise its limit (`ulimit -n`, `LimitNOFILE=` of a service) or lower `fetch.workers`",
    ),
    errno.ENFILE: (
        "this machine has no more open files",
        "end other programs, or raise the limit of the system (`fs.file-max`)",
    ),
    errno.ENOBUFS: ("no memory for connections", "free memory, or lower `fetch.workers`"),
    errno.ENOMEM: ("no memory", "free memory, or lower `fetch.workers` and `analysis.processes`"),
    errno.EADDRNOTAVAIL: (
        "no free ports for connections",
        "lower `fetch.workers`, or widen `net.ipv4.ip_local_port_range`",
    ),
}
"""Errors that mean that something has run out here, each in words, with the way out."""

UNREACHED = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL})
"""Errors that mean that no way leads to an address: from here, or since nobody is there."""


class Machine:
    """Hears of each request how it began and ended, and says how long to wait. One a crawl.

    What this machine is short of, whether its network is there, whether it slept: none of it says
    anything of a page or its server. Whoever asks the network tells what came of it, and is told
    whose trouble that was; the dispatcher begins nothing until `until`.

    `clock` is monotonic and `wall` Unix time; `report` takes one line when a trouble begins.
    """

    def __init__(
        self,
        report: Say = lambda line: None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        may_ask: Callable[[], bool] = lambda: True,
    ) -> None:
        """`may_ask` tells whether this machine may ask anybody, or others do in its place."""
        self._report = report
        self._clock = clock
        self._wall = wall
        self.may_ask = may_ask
        self.until = -inf
        """No request should begin before this reading of the clock."""
        self._pauses = 0
        self._told: dict[str, float] = {}
        self._answered_at = -inf
        self._unreached: set[str] = set()
        self._beat_at, self._beat_wall = clock(), wall()
        self._stood_until, self._stood_s = -inf, 0.0

    def beat(self) -> float:
        """Look whether time has gone by unnoticed; return the clock.

        To be called every second or so, and with each beginning and end of a request. Where a
        machine sleeps, the clock of some systems stops with it: then only the wall clock tells.
        """
        now, wall = self._clock(), self._wall()
        passed_s = max(now - self._beat_at, wall - self._beat_wall)
        if passed_s > STANDSTILL_S:
            log.info("nothing went on here for %.0f s", passed_s)
            self._stood_until, self._stood_s = now, passed_s
        self._beat_at, self._beat_wall = now, wall
        return now

    def stood_still(self, begun_at: float) -> float:
        """Return for how long this machine stood still since a request began, in seconds."""
        self.beat()
        return self._stood_s if self._stood_until > begun_at else 0.0

    def answered(self, begun_at: float) -> None:
        """Somebody has answered a request: the network is there, and there are means to ask."""
        self._answered_at = self._clock()
        self._unreached.clear()
        if begun_at >= self.until:
            self._pauses = 0

    def is_connected(self, begun_at: float) -> bool:
        """Whether the network is known to have been there while a request was tried."""
        return begun_at - self._answered_at <= PROOF_S

    def is_cut_off(self, begun_at: float) -> bool:
        """Whether servers have answered in this run, and none did while a request was tried."""
        return self._answered_at > -inf and not self.is_connected(begun_at)

    def short_of(self, number: int, begun_at: float) -> None:
        """A request could not be made for want of something (a key of SHORT_OF)."""
        what, way_out = SHORT_OF[number]
        self._pause(begun_at, what, f"{what}; {way_out}")

    def unreached(self, host: str, detail: str, begun_at: float) -> None:
        """A host could not be looked up or reached, and it may be the network.

        Of one domain all hosts are one: whoever has a domain has as many of them as they like.
        """
        if self.is_connected(begun_at):
            return
        domain = registrable_domain(host)
        is_new = domain not in self._unreached
        self._unreached.add(domain)
        why = f"no server has answered yet ({host}: {detail})"
        if self._answered_at > -inf:
            why = f"no server can be reached any more ({host}: {detail}); check network and DNS"
        if len(self._unreached) >= _MANY_DOMAINS or (is_new and self._answered_at == -inf):
            self._pause(begun_at, "network", why)

    def proxy_fails(self, detail: str, begun_at: float) -> None:
        """The proxy, which all requests go through, does not do its work."""
        self._pause(begun_at, "proxy", f"{detail}; check the proxy, or take it out of the job")

    def _pause(self, begun_at: float, kind: str, why: str) -> None:
        """Let nothing begin for a while, longer each time; what had begun before counts once."""
        now = self._clock()
        if begun_at < self.until or now < self.until:
            return
        self.until = now + min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** min(self._pauses, 32))
        self._pauses += 1
        log.debug("pause of %.0f s: %s", self.until - now, why)
        if now - self._told.get(kind, -inf) >= _REPEAT_S:
            self._told[kind] = now
            self._report(
                f"Waiting: {why}. No URL is lost: the crawl tries again after growing pauses."
            )


_BREAKS = frozenset(
    {
        Failure.CONNECT,
        Failure.TIMEOUT_CONNECT,
        Failure.TIMEOUT_HEADERS,
        Failure.TIMEOUT_BODY,
        Failure.DISCONNECTED,
        Failure.TRUNCATED,
    }
)
"""What becomes of requests that were under way while this machine slept."""


@dataclass(frozen=True, slots=True)
class Exchanges:
    """Opens exchanges, each a wait for a server in `slots`, by one transport."""

    limits: config.Fetch
    transport: Transport
    access: Access
    slots: RequestSlots
    machine: Machine
    has_ipv4: Callable[[str], bool]
    """Whether a name is known to have an IPv4 address."""
    wall: Callable[[], float]
    """Unix time, by which cookies end."""

    @asynccontextmanager
    async def open(
        self, url: str, cookies: str = "", conditions: Mapping[str, str] | None = None
    ) -> AsyncIterator[Response]:
        """Send a GET and yield the response; raises Trouble for whatever goes wrong.

        `conditions` are header fields that make the request a conditional one. Reading raises
        Trouble too, and Unwanted(TOO_LARGE) for more framing than bodies may have.
        """
        access, deadline = self.access, Deadline(self.limits)
        begun_at = self.machine.beat()

        def judged(error: Exception) -> Trouble | Unwanted:
            return self._judged(self.transport.translate(error), deadline, url, begun_at)

        if not self.machine.may_ask():
            raise Trouble(Obstacle.MACHINE, "this process may ask nobody for now")
        host = host_key(url)
        headers = {**access.of_host(host), **(conditions or {}), **access.secrets(url)}
        if cookie := access.cookies(url, cookies, self.wall()):
            headers["Cookie"] = cookie
        try:
            async with deadline:
                with self.slots.waiting(host, deadline.give_way):
                    try:
                        response = await self.transport.request(url, headers, deadline.enter)
                    except Exception as error:
                        raise judged(error) from error
                    read = response.read

                    async def read_in_time() -> bytes:
                        deadline.enter(Phase.BODY)
                        try:
                            return await read()
                        except Exception as error:
                            raise judged(error) from error

                    response.read = read_in_time
                    try:
                        self._confirm_way(response.status, url, begun_at)
                        self.machine.answered(begun_at)
                        yield response
                    finally:
                        await response.close()
        except TimeoutError as error:
            if not deadline.expired:
                raise
            raise judged(error) from error

    def _confirm_way(self, status: int, url: str, begun_at: float) -> None:
        """Raise Trouble where it may be the proxy that answered, since it wants a login.

        Inside TLS and over SOCKS it is the server's answer: there a proxy only carries bytes. By
        http nobody can tell that from a server that says the same. A proxy says it of all hosts,
        so while others are answered it is this host that cannot be reached; else it may be the way.
        """
        if status != LOGIN_WANTED or not url.startswith("http:"):
            return
        proxy, machine = self.access.proxy_of(host_key(url)), self.machine
        if proxy is None or proxy.is_socks:
            return
        trouble = proxy.login_wanted()
        if machine.is_connected(begun_at) or not proxy.of_all:
            raise Trouble(Failure.CONNECT, trouble.detail)
        machine.unreached(hostname(host_key(url)), trouble.detail, begun_at)
        raise trouble

    def _judged(
        self, meant: Trouble | Unwanted, deadline: Deadline, url: str, begun_at: float
    ) -> Trouble | Unwanted:
        """Return whose trouble it was: the server's, as it seems, or this machine's."""
        if isinstance(meant, Unwanted):
            return meant
        trouble = deadline.trouble() if deadline.expired else meant
        machine, host = self.machine, hostname(host_key(url))
        # No address to speak from: none of a kind, as on a machine without IPv6, or no port.
        without_ports = meant.errors == {errno.EADDRNOTAVAIL} and self.has_ipv4(host)
        out = (meant.errors & SHORT_OF.keys()) - (set() if without_ports else {errno.EADDRNOTAVAIL})
        if short := min(out, default=None):
            machine.short_of(short, begun_at)
            return Trouble(Obstacle.MACHINE, SHORT_OF[short][0])
        if trouble.failure in _BREAKS and (stood_s := machine.stood_still(begun_at)):
            return Trouble(Obstacle.MACHINE, f"this machine stood still for {stood_s:.0f} s")
        if meant.of_proxy is not None:
            if meant.of_proxy.failure is Obstacle.NETWORK:
                machine.proxy_fails(meant.of_proxy.detail, begun_at)
            return meant.of_proxy
        no_way = bool(meant.errors & UNREACHED) and not machine.is_connected(begun_at)
        # Behind a proxy it may be the proxy that takes no connection.
        proxy = self.access.proxy_of(host_key(url))
        cut_off = machine.is_cut_off(begun_at) or (
            proxy is not None and proxy.of_all and not machine.is_connected(begun_at)
        )
        if no_way or (trouble.failure is Failure.TIMEOUT_CONNECT and cut_off):
            trouble = Trouble(Obstacle.NETWORK, trouble.detail)
        if trouble.failure is Obstacle.NETWORK:
            machine.unreached(host, trouble.detail, begun_at)
        return trouble
