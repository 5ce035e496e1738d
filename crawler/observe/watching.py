"""Who watches, measures and steers a crawl, as the crawl sees it; and which requests are served."""

from __future__ import annotations

import hmac
import socket
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
)
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import ip_address
from typing import Protocol
from urllib.parse import urlsplit

from crawler.frontier.view import HostSeen, RulesSeen
from crawler.models import PageOutcome, UrlState

Reading = Mapping[tuple[str, str], float]
"""(name, label) -> value now, names as in `metrics.GAUGES`; the label is empty where a gauge has
none."""


# Which requests what a crawl serves answers. Pure functions of a request's headers.
#
# A page of another site that is open in the same browser can send requests here: it may send no
# header of its own choice without being asked first (the Fetch standard's CORS preflight), and
# cannot read what is answered, unless its name leads to this machine (DNS rebinding). So:
#
# * the name in `Host` must be one that nobody else's DNS can answer for: an IP address,
#   `localhost`, this machine's name, or the one that the address was given by;
# * what changes something, as only the live page can, must come by POST, with the page's token in
#   a header of its own, and with `Origin` and `Sec-Fetch-Site`, where a browser sends them, of
#   this very page.

TOKEN_HEADER = "X-Live-Token"


def is_own_name(host: str, bound: str) -> bool:
    """Whether a `Host` header names what is served here, at an address given by that name."""
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:
        return False
    if not name or "@" in host:
        return False
    if name in ("localhost", bound.lower(), socket.gethostname().lower()):
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def may_steer(headers: Mapping[str, str], token: str) -> bool:
    """Whether a POST came from the page itself; `headers` find names in any case."""
    given = headers.get(TOKEN_HEADER, "").encode()
    origin, host = headers.get("Origin"), headers.get("Host", "")
    return (
        hmac.compare_digest(given, token.encode())
        and origin in (None, f"http://{host}")
        and headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
    )


# Who watches a crawl and steers it, as the crawl sees it; and what it sees of the crawl.
#
# Those that there are (`crawler.views.live`) are far above this: a page, which needs a server; a
# panel in the terminal; lines of verdicts.


class Phase(StrEnum):
    """What a run does."""

    OPENING = "opening"
    """What is known is restored, processes are started."""
    RUNNING = "running"
    PAUSED = "paused"
    """Nothing is begun; what is under way ends."""
    STOPPING = "stopping"
    """The same, and then the run ends."""
    CLOSING = "closing"
    """All pages have ended; what was learned is kept, the counts are compared."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A run at one moment. Before its parts are open, what they would say is 0."""

    phase: Phase
    ends: Mapping[UrlState, int]
    """URLs by how they ended, in all runs of the crawl."""
    wire_bytes: int
    """Of the bodies of all pages, as they travelled, in all runs."""
    siblings: int = 0
    """Pages among them that were judged to be siblings."""
    seen: int = 0
    """URLs ever accepted."""
    pending: int = 0
    in_memory: int = 0
    known_hosts: int = 0
    aside: int = 0
    """Hosts that are put aside."""
    unread: int = 0
    """Pages that wait for an analysis process."""
    reading: int = 0
    in_flight: int = 0
    """Turns under way: pages, addresses, robots.txt."""
    turns: int = 0
    """Turns that have ended in this run."""
    stall_p99_s: float = 0.0
    hosts: tuple[HostSeen, ...] = ()
    rules: RulesSeen = field(default_factory=RulesSeen)


class Steering(Protocol):
    """A run, for who watches it. Belongs to the run's event loop, as all that it does."""

    def look(self, names: Iterable[str], most: int) -> Sight:
        """Return how it is doing, with the hosts of these names, about `most` others, and rules."""

    def pause(self) -> None:
        """Begin no new request; those under way end. Nothing happens where the run is ending."""

    def go_on(self) -> None:
        """Begin requests again."""

    def stop_host(self, name: str) -> bool:
        """Ask nothing more of a host in this run, its URLs stay pending; False: not known."""

    def release_host(self, name: str) -> bool:
        """Ask it again; False where it was not stopped."""


class Watcher(Protocol):
    """Hears of each end, and steers a run while it lasts."""

    def add(self, outcome: PageOutcome) -> None:
        """Hear of a URL's end."""

    def watching(self, run: Steering) -> AbstractAsyncContextManager[None]:
        """Watch a run while the context lasts, within its event loop."""


class Together:
    """Several that watch one run."""

    def __init__(self, watchers: Sequence[Watcher]) -> None:
        self._watchers = watchers

    def add(self, outcome: PageOutcome) -> None:
        """Hear of a URL's end."""
        for watcher in self._watchers:
            watcher.add(outcome)

    @asynccontextmanager
    async def watching(self, run: Steering) -> AsyncIterator[None]:
        """Watch a run while the context lasts, within its event loop."""
        async with AsyncExitStack() as stack:
            for watcher in self._watchers:
                await stack.enter_async_context(watcher.watching(run))
            yield
