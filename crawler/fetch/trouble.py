"""Exchanges that end without a page.

Inside `fetch` a failure travels as `Trouble` or `Unwanted`; `Fetcher.fetch` and `Robots.refresh`
turn both into values. Every call of somebody else's code on the way to a page is enclosed, and
whatever it raises is translated where it is called; a transport has a table for what it raises.
What is not known says nothing of a page, and leaves its URL pending. So what comes out of `fetch`
as an exception is our own.
"""

from __future__ import annotations

import errno
import logging

from crawler.console import encodable, safe, without_passwords
from crawler.models import Capture, Failed, Failure, FetchTask, Obstacle, Postponed, Skip

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
        *,
        errors: frozenset[int] = frozenset(),
    ) -> None:
        """`errors` are the system's numbers of what is behind it."""
        super().__init__(failure, detail)
        self.failure = failure
        self.detail = printable(detail)
        self.status = status
        self.retry_after_s = retry_after_s
        self.errors = errors
        self.of_proxy: Trouble | None = None
        """What it is if the proxy is to blame."""

    def failed(
        self, task: FetchTask, now: float, captures: tuple[Capture, ...] = ()
    ) -> Failed | Postponed:
        """Return the record of this failure; `now` is Unix time."""
        if isinstance(self.failure, Obstacle):
            return Postponed(task, self.failure, self.detail, now)
        return Failed(
            task, self.failure, self.detail, now, self.status, self.retry_after_s, captures
        )


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


def unforeseen(error: Exception) -> Trouble:
    """Return the Trouble that an exception means which nobody has foreseen.

    It is the way's (Obstacle.NETWORK): a library that meets what its authors did not think of tells
    nothing of the page. MemoryError is raised again, since what is short of memory is this process.
    """
    if isinstance(error, MemoryError):
        raise error
    log.info("not known to the crawler, so the URL stays pending", exc_info=error)
    said = f"{type(error).__name__}: {error}".rstrip(": ")
    return Trouble(Obstacle.NETWORK, f"unforeseen {said}")


def printable(text: str) -> str:
    """Return `text` as one short line for people: no control characters, no passwords of URLs."""
    return safe(without_passwords(" ".join(encodable(text).split())))[:_DETAIL_LENGTH]
