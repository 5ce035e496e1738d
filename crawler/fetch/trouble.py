"""The two ways an exchange ends without a page, and the one table that translates exceptions.

Inside `fetch` a failure travels as `Trouble` or `Unwanted`; `Fetcher.fetch` and `Robots.refresh`
turn both into values. Every call of somebody else's code on the way to a page is enclosed, and
whatever it raises is translated where it is called: what the table does not know says nothing of
a page, and leaves its URL pending. So what comes out of `fetch` as an exception is our own.
"""

from __future__ import annotations

import logging
import ssl
from dataclasses import replace

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from crawler.fetch.dns import NameUnavailable
from crawler.fetch.guard import AddressRefused
from crawler.printing import safe, without_passwords
from crawler.records import Capture, Failed, Failure, FetchTask, Obstacle, Postponed, Skip

log = logging.getLogger(__name__)

_DETAIL_LENGTH = 300
"""Details come from servers; a report line should stay a line."""


class Trouble(Exception):
    """No page, and why (see `crawler.records.Failed`, or `Postponed` for an obstacle)."""

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
    """A response that is left out on purpose (see `crawler.records.Skipped`)."""

    def __init__(self, reason: Skip, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = printable(detail)


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
