"""Exchanges that end without a page: what each exception means, and whose trouble it is.

Inside `fetch` a failure travels as `Trouble` or `Unwanted`; `Fetcher.fetch` and `Robots.refresh`
turn both into values. Every call of somebody else's code on the way to a page is enclosed, and
whatever it raises is translated where it is called: what the table does not know says nothing of
a page, and leaves its URL pending. So what comes out of `fetch` as an exception is our own.
"""

from __future__ import annotations

import errno
import logging
import re
import ssl
import time
from collections.abc import Callable
from dataclasses import replace
from math import inf

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from crawler.console import Say, safe, without_passwords
from crawler.models import Capture, Failed, Failure, FetchTask, Obstacle, Postponed, Skip
from crawler.urls import registrable_domain

log = logging.getLogger(__name__)


_DETAIL_LENGTH = 300
"""Details come from servers; a report line should stay a line."""


class Trouble(Exception):
    """No page, and why (see `crawler.models.Failed`, or `Postponed` for an obstacle)."""

    def __init__(
        self,
        failure: Failure | Obstacle,
        detail: str,
        status: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(failure, detail)
        self.failure = failure
        self.detail = printable(detail)
        self.status = status
        self.retry_after_s = retry_after_s

    def failed(
        self, task: FetchTask, now: float, captures: tuple[Capture, ...] = ()
    ) -> Failed | Postponed:
        """Return the record of this failure; `now` is Unix time."""
        if isinstance(self.failure, Obstacle):
            return Postponed(task, self.failure, self.detail, now)
        failed = Failed(task, self.failure, self.detail, now, self.status, self.retry_after_s)
        return replace(failed, captures=captures) if captures else failed


class Unwanted(Exception):
    """A response that is left out on purpose (see `crawler.models.Skipped`)."""

    def __init__(self, reason: Skip, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = printable(detail)


class AddressRefused(OSError):
    """The guard's refusal. An OSError, so that a connector goes on to the host's next address."""

    def __init__(self, address: str, port: int, way_out: str = "") -> None:
        # The text is the same for all addresses: a connector that tried several and got equal
        # texts re-raises the first error as it is, and the class survives.
        super().__init__(errno.EACCES, "address refused by the address guard")
        way_out = way_out or "fetch.allow_addresses in the job can admit it"
        self.explanation = f"{address} port {port} is not a public address; {way_out}"


class NameUnavailable(OSError):
    """DNS has not answered: nothing is known of the name."""


_TABLE: tuple[tuple[type[Exception], Failure | Obstacle], ...] = (
    (AddressRefused, Failure.BLOCKED_ADDRESS),
    (NameUnavailable, Obstacle.NETWORK),
    (aiohttp.ClientConnectorCertificateError, Failure.TLS),
    (aiohttp.ClientSSLError, Failure.TLS),
    (ssl.SSLError, Failure.TLS),
    (aiohttp.ClientConnectorDNSError, Failure.DNS),
    (aiohttp.ConnectionTimeoutError, Failure.TIMEOUT_CONNECT),
    (aiohttp.ClientConnectorError, Failure.CONNECT),
    (aiohttp.ClientPayloadError, Failure.TRUNCATED),
    (aiohttp.ClientConnectionError, Failure.DISCONNECTED),
    (aiohttp.ClientError, Failure.PROTOCOL),
    (HttpProcessingError, Failure.PROTOCOL),
    (OSError, Failure.DISCONNECTED),
)
"""First match wins, so a class stands before its bases. A ClientError that is not about the
connection is about what was said on it: bad status lines, oversized headers, unusable URLs."""


def translate(error: Exception) -> Trouble:
    """Return the Trouble that an exception of somebody else's code means.

    One that the table does not know is the way's (Obstacle.NETWORK): a library that meets what its
    authors did not think of tells nothing of the page. MemoryError is raised again, since what is
    short of memory is this process.
    """
    if isinstance(error, MemoryError):
        raise error
    cause = getattr(error, "os_error", None)
    root = cause if isinstance(cause, AddressRefused | NameUnavailable) else error
    for kind, failure in _TABLE:
        if isinstance(root, kind):
            return Trouble(failure, _say(root))
    log.info("not known to the crawler, so the URL stays pending", exc_info=error)
    return Trouble(Obstacle.NETWORK, f"unforeseen {_say(error)}")


def _say(error: Exception) -> str:
    if isinstance(error, AddressRefused):
        return error.explanation
    if isinstance(error, NameUnavailable):
        return str(error.strerror)
    if isinstance(error, aiohttp.ClientConnectorError):
        cause = error.os_error
        return cause.strerror or str(cause) or type(cause).__name__
    if isinstance(error, aiohttp.ClientResponseError):
        return " ".join(error.message.split())  # without the URL, which the record has
    return f"{type(error).__name__}: {error}".rstrip(": ")


def printable(text: str) -> str:
    """Return `text` as one short line for people: no control characters, no passwords of URLs.

    Header bytes that are not UTF-8 come as lone surrogates and leave as U+FFFD.
    """
    clean = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return safe(without_passwords(" ".join(clean.split())))[:_DETAIL_LENGTH]


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

_NUMBERS = re.compile(r"\[Errno (\d+)\]")


def errors_of(error: BaseException) -> frozenset[int]:
    """Return the numbers of the system's errors in an exception.

    A connector that tried several addresses names several of them, in its text alone.
    """
    root = getattr(error, "os_error", None) or error
    numbers = {int(number) for number in _NUMBERS.findall(str(root))}
    if isinstance(root, OSError) and root.errno is not None:
        numbers.add(root.errno)
    return frozenset(numbers)


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
    ) -> None:
        self._report = report
        self._clock = clock
        self._wall = wall
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
        if self._answered_at == -inf and (is_new or len(self._unreached) >= _MANY_DOMAINS):
            self._pause(begun_at, "network", f"no server has answered yet ({host}: {detail})")
        elif len(self._unreached) >= _MANY_DOMAINS:
            self._pause(
                begun_at,
                "network",
                f"no server can be reached any more ({host}: {detail}); check network and DNS",
            )

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
