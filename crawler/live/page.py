"""What a reader of the live page is given, and what becomes of what they ask for."""

from __future__ import annotations

import secrets
import signal
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from crawler.frontier.sight import HostSeen, HostState
from crawler.live.feed import Feed
from crawler.live.rates import KINDS, STRETCH_S, Hosts, Rates
from crawler.observe.watching import Phase, Sight, Steering
from crawler.printing import command, safe
from crawler.records import Batch
from crawler.urls import host_key

FRESH_S = 0.5
"""How old the numbers may be that a reader is given: they are made once for all readers."""

OTHER_HOSTS = 40
"""Hosts shown beside those that ended something lately and the stopped ones."""

READING_S = 3.0
"""Who has asked within this time is still there."""

ENDED = "ended"
"""The phase after the last one of a run."""


class LivePage:
    """Keeps what is shown of one run, and hands on what is asked of it.

    `stop` ends the run as Ctrl-C does; `clock` is monotonic, `wall` Unix time. Belongs to the run's
    event loop, like the run.
    """

    def __init__(
        self,
        directory: Path,
        stop: Callable[[], object] = lambda: signal.raise_signal(signal.SIGINT),
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._directory = directory
        self._stop = stop
        self._clock = clock
        self._wall = wall
        self._begun_at = clock()
        self._feed = Feed()
        self._rates = Rates(self._begun_at)
        self._hosts = Hosts()
        self._run: Steering | None = None
        self._last: tuple[float, dict[str, Any]] | None = None
        self._asked_at: float | None = None
        self._stopping = False
        self.ended = False
        """Whether the run is over."""
        self.all_told = False
        """Whether a reader has been told so."""
        self.token = secrets.token_urlsafe(24)
        """What a request must have that asks for something."""
        self.name = secrets.token_hex(4)
        """Of this run: a reader that sees another one begins anew."""

    def begin(self, run: Steering) -> None:
        """Show this run."""
        self._run = run

    def end(self) -> None:
        """The run is over: what it was last is what is shown from now on."""
        self._numbers(anew=True)
        self.ended = True

    def add(self, batch: Batch) -> None:
        """Hear of a URL's end."""
        now = self._clock()
        self._rates.add(batch, now)
        self._feed.add(batch, self._wall())
        if batch.lines:
            line = batch.lines[0][1]
            self._hosts.add(line.get("host") or host_key(line["url"]), batch)

    @property
    def is_read(self) -> bool:
        """Whether somebody has looked a moment ago."""
        return self._asked_at is not None and self._clock() - self._asked_at < READING_S

    def look(self, after: int) -> dict[str, Any]:
        """Return the page's data, with the ends after this number; JSON-ready."""
        self._asked_at = self._clock()
        self.all_told = self.ended
        told = {"run": self.name, "last": self._feed.last, "feed": self._feed.after(after)}
        return {**self._numbers(), **told}

    def _numbers(self, *, anew: bool = False) -> dict[str, Any]:
        now = self._clock()
        stale = anew or self._last is None or now - self._last[0] >= FRESH_S
        if stale and self._run is not None and not self.ended:
            sight = self._run.look(self._hosts.latest, OTHER_HOSTS)
            self._last = now, self._told(sight, now)
        numbers = self._last[1] if self._last else {}
        return {**numbers, "phase": ENDED} if self.ended else numbers

    def _told(self, sight: Sight, now: float) -> dict[str, Any]:
        return {
            "name": safe(self._directory.name),
            "phase": sight.phase.value,
            "elapsed_s": round(now - self._begun_at, 1),
            "pages_a_second": round(self._rates.pages_a_second(now), 2),
            "ends": {state.name.lower(): number for state, number in sight.ends.items()},
            "wire_bytes": sight.wire_bytes,
            "queue": {
                "seen": sight.seen,
                "pending": sight.pending,
                "in_memory": sight.in_memory,
                "known_hosts": sight.known_hosts,
                "aside": sight.aside,
                "unread": sight.unread,
                "reading": sight.reading,
            },
            "stall_p99_s": sight.stall_p99_s,
            "hosts": [self._host(asdict(host)) for host in _in_order(sight)],
            "kinds": KINDS,
            "stretch_s": STRETCH_S,
            "bars": self._rates.bars(now),
            "report": command("report", self._directory),
            "resume": command("resume", self._directory),
        }

    def _host(self, host: dict[str, Any]) -> dict[str, Any]:
        stored, duplicates, failed = self._hosts.of(host["name"])
        return {**host, "stored": stored, "duplicates": duplicates, "failed": failed}

    # ----------------------------------------------------------------------------------------------
    # What may be asked of the run; each returns whether it could be done

    def pause(self) -> bool:
        """Begin no new request until `go_on`."""
        return self._asked(lambda run: run.pause(), Phase.PAUSED)

    def go_on(self) -> bool:
        """Begin requests again."""
        return self._asked(lambda run: run.go_on(), Phase.RUNNING)

    def stop(self) -> bool:
        """End the run as Ctrl-C does once; no second time, which would drop what is under way."""
        if self._run is None or self.ended:
            return False
        ending = self._run.look((), 0).phase in (Phase.STOPPING, Phase.CLOSING)
        if not (self._stopping or ending):
            self._stopping = True
            self._stop()
        self._last = None
        return True

    def stop_host(self, name: str) -> bool:
        """Ask nothing more of a host in this run; False where it is not known."""
        self._last = None
        return self._run is not None and not self.ended and self._run.stop_host(name)

    def release_host(self, name: str) -> bool:
        """Ask it again; False where it was not stopped."""
        self._last = None
        return self._run is not None and not self.ended and self._run.release_host(name)

    def _asked(self, ask: Callable[[Steering], None], wanted: Phase) -> bool:
        if self._run is None or self.ended:
            return False
        ask(self._run)
        self._last = None
        return self._run.look((), 0).phase is wanted


def _in_order(sight: Sight) -> list[HostSeen]:
    """Return hosts by name, those that are stopped first: rows that move are pressed by mistake."""
    return sorted(sight.hosts, key=lambda host: (host.state is not HostState.STOPPED, host.name))
