"""Whether a run is alive and makes progress: for probes over HTTP, and for systemd.

Two questions, since a restart helps against the one alone. A run is *alive* while its event loop
answers and what is under way comes to an end: each turn has time limits, so where none has ended
for far longer, something hangs. It makes *progress* while URLs end; where none does, though some
are pending, hosts or the network are the trouble, and somebody should look.

Waiting for politeness hangs nothing, and neither does a pause by hand.
"""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus

from crawler.config import Job
from crawler.console import say as say_to_all
from crawler.console import warning
from crawler.errors import ConfigError
from crawler.models import PageOutcome, UrlState
from crawler.observe.watching import Phase, Sight, Steering
from crawler.units import counted

HEALTHZ, READYZ = "/healthz", "/readyz"
"""What Kubernetes asks for (its own API server answers under these names)."""

LOOK_S = 5.0
"""Seconds between two looks at a run."""
OPENING_S = 0.25
"""The same while it opens: until it is ready others wait."""
DEAF_S = 60.0
"""Without a look for so long the event loop hangs: it may rest for seconds, in which a template is
learned or memory is written."""
LEAST_STALL_S = 300.0
"""Without an end for so long a run stalls: retries after trouble wait for minutes."""
LEAST_HANG_S = 60.0

_ENDING = (Phase.STOPPING, Phase.CLOSING)


class ServiceManager:
    """Is told how a service is doing by datagrams (sd_notify(3)): systemd, or what speaks alike."""

    def __init__(self, address: str, watchdog_s: float | None = None) -> None:
        """`watchdog_s`: it ends the service where it hears nothing good for so long."""
        self.watchdog_s = watchdog_s
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        self._failed = False

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> ServiceManager | None:
        """Return the one that the environment names; None where there is none.

        Raises ConfigError for an address that is none.
        """
        address = environment.get("NOTIFY_SOCKET")
        if not address:
            return None
        if address[0] not in "/@":
            raise ConfigError(f"NOTIFY_SOCKET={address}: not the path of a socket")
        microseconds = environment.get("WATCHDOG_USEC", "")
        is_ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        watched = microseconds.isascii() and microseconds.isdigit() and is_ours
        return cls(address, int(microseconds) / 1e6 if watched else None)

    def tell(self, *lines: str) -> None:
        """Send a message; where nobody takes it, that is said once, and the run goes on."""
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
                out.setblocking(False)
                out.sendto("\n".join(lines).encode(), self._address)
        except BlockingIOError:  # it has much to read: the next message says the same
            return
        except OSError as error:
            if not self._failed:
                say_to_all(warning(f"Warning: NOTIFY_SOCKET takes no message: {error}"))
            self._failed = True


class Health:
    """Watches a run, and says how it is doing: to who asks, from any thread, and to `manager`.

    `stall_s` without an end make no progress, `hang_s` without the end of a turn that is under way
    are no life. `clock` is monotonic.
    """

    def __init__(
        self,
        stall_s: float,
        hang_s: float,
        manager: ServiceManager | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stall_s = stall_s
        self._hang_s = hang_s
        self._manager = manager
        self._clock = clock
        self._sight: Sight | None = None
        self._over = False
        self._looked_at = self._ended_at = self._moved_at = clock()
        self._told: set[str] = set()

    @classmethod
    def of(cls, job: Job, manager: ServiceManager | None = None) -> Health:
        """Return what watches runs of a job, with the patience that its pauses and limits ask for.

        A turn may take the longest fetch, rendering and reading; twice that is a hang. Between two
        ends lie the longest pauses.
        """
        manners = job.politeness
        pauses = [manners.delay_s, manners.max_crawl_delay_s if manners.robots else 0.0]
        pauses += [manners.max_delay_s] if manners.delay_factor else []
        pauses += [block.delay_s for block in job.hosts.values() if block.delay_s is not None]
        turn_s = job.fetch.total_timeout_s + job.browser.timeout_s + job.analysis.timeout_s
        hang_s = LEAST_HANG_S + 2 * turn_s
        return cls(max(LEAST_STALL_S, 2 * max(pauses)), hang_s, manager)

    def add(self, outcome: PageOutcome) -> None:
        """Hear of a URL's end."""

    @asynccontextmanager
    async def watching(self, run: Steering) -> AsyncIterator[None]:
        """Look at a run again and again while the context lasts."""
        self.look(run)
        looking = asyncio.create_task(self._again_and_again(run))
        try:
            yield
        finally:
            looking.cancel()
            self._over = True
            # One that has been ready at no time would have failed to start.
            self._tell_once("READY=1")
            self._tell_once("STOPPING=1")

    async def _again_and_again(self, run: Steering) -> None:
        watchdog_s = self._manager.watchdog_s if self._manager is not None else None
        # Twice as often as it has to be, as sd_watchdog_enabled(3) has it.
        often_s = LOOK_S if watchdog_s is None else min(LOOK_S, watchdog_s / 2)
        while True:
            opens = self._sight is not None and self._sight.phase is Phase.OPENING
            await asyncio.sleep(min(often_s, OPENING_S) if opens else often_s)
            self.look(run)

    def look(self, run: Steering) -> None:
        """See how far a run has come, and tell the service manager."""
        now, sight, before = self._clock(), run.look((), 0), self._sight
        if before is None or sight.phase is not Phase.RUNNING or before.ends != sight.ends:
            self._ended_at = now
        works = sight.in_flight or sight.reading or sight.unread
        moved = before is None or (before.turns, before.ends) != (sight.turns, sight.ends)
        if sight.phase is Phase.OPENING or moved or not works:
            self._moved_at = now
        self._sight, self._looked_at = sight, now
        if self._manager is not None:
            self._report(sight)

    def _report(self, sight: Sight) -> None:
        pages = sight.ends[UrlState.STORED] + sight.ends[UrlState.DUPLICATE]
        told = f"{sight.phase}: {counted(pages, 'page')}, {counted(sight.pending, 'URL')} pending"
        lines = [f"STATUS={told}{'' if self._why_stalled() is None else ', no progress'}"]
        if sight.phase in (Phase.RUNNING, Phase.PAUSED):
            self._tell_once("READY=1")
        else:  # it takes its time, to begin as to end
            lines.append(f"EXTEND_TIMEOUT_USEC={int(2 * DEAF_S * 1e6)}")
        if sight.phase in _ENDING:
            self._tell_once("READY=1")
            self._tell_once("STOPPING=1")
        if self._why_dead() is None:
            lines.append("WATCHDOG=1")
        assert self._manager is not None
        self._manager.tell(*lines)

    def _tell_once(self, line: str) -> None:
        if self._manager is not None and line not in self._told:
            self._told.add(line)
            self._manager.tell(line)

    def answer(self, path: str) -> tuple[int, str]:
        """Return status and text of an answer to a probe: HEALTHZ or READYZ."""
        why = self._why_dead()
        if path == READYZ:
            why = why or self._why_stalled() or self._why_unready()
        if why is not None:
            return HTTPStatus.SERVICE_UNAVAILABLE, f"{why}\n"
        return HTTPStatus.OK, "ok\n"

    def _why_dead(self) -> str | None:
        """Return what hangs, None where nothing does."""
        now = self._clock()
        if self._sight is None or self._over:
            return None
        if (silent_s := now - self._looked_at) > DEAF_S:
            return f"the event loop has not answered for {silent_s:.0f} s"
        if (still_s := now - self._moved_at) > self._hang_s:
            return f"what is under way has not ended for {still_s:.0f} s"
        return None

    def _why_stalled(self) -> str | None:
        """Return since when nothing ends that is pending, None where something does."""
        sight, since_s = self._sight, self._clock() - self._ended_at
        if sight is None or not sight.pending or since_s <= self._stall_s:
            return None
        return f"no URL has ended for {since_s:.0f} s, {sight.pending:,} are pending"

    def _why_unready(self) -> str | None:
        if self._sight is None:
            return f"{Phase.OPENING}"
        if self._over or self._sight.phase not in (Phase.RUNNING, Phase.PAUSED):
            return "ended" if self._over else f"{self._sight.phase}"
        return None
