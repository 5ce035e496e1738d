"""What the demo web is made of: answers, pages with their fate, and hosts that hold them.

A page's fate is the truth about it: what an ordinary crawl makes of its URL. It stands beside the
page's content, so that neither can be changed without seeing the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from crawler.records import Failure, Skip


class Fault(StrEnum):
    """How a connection can go wrong; acted out by `crawler.demo.server`."""

    NONE = "none"
    STALL_HEADERS = "stall-headers"
    """Nothing is ever answered."""
    STALL_BODY = "stall-body"
    """Headers and half of the body, then silence."""
    RESET = "reset"
    """The connection is aborted before any answer."""
    TRUNCATE = "truncate"
    """Half of the promised Content-Length, then the connection is closed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP response; `body` is without Content-Encoding."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    delay_s: float = 0.0
    """Pause before the response begins."""
    coding: str = ""
    """Content-Encoding to apply where the client accepts it: gzip, deflate, br or zstd."""
    fault: Fault = Fault.NONE
    first: Answer | None = None
    """The answer to the very first request, in place of this one: trouble that passes."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A request as a page may look at it; header names in lower case."""

    path: str
    """Path and query, as sent."""
    headers: Mapping[str, str]


Render = Callable[[Visit], Answer]
"""Answers the requests for one page."""


class Outcome(StrEnum):
    """Where a URL ends, in the words of the crawl's output files."""

    STORED = "stored"
    REDIRECT = "redirect"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Fate:
    """What an ordinary crawl makes of a URL."""

    outcome: Outcome
    detail: str = ""
    """Failure class or skip reason."""
    cluster: str = ""
    """Stored pages that name one cluster are copies of each other; empty: the page is unique."""
    payload: str = ""
    """Members of one cluster that name one payload have the same bytes; empty: bytes of its own."""


UNIQUE = Fate(Outcome.STORED)
REDIRECT = Fate(Outcome.REDIRECT)


def copy_of(cluster: str, payload: str = "") -> Fate:
    """Return the fate of a page that is stored unless another of its cluster came first."""
    return Fate(Outcome.STORED, cluster=cluster, payload=payload)


def fails(failure: Failure) -> Fate:
    """Return the fate of a page that never arrives."""
    return Fate(Outcome.FAILED, failure.value)


def skipped(reason: Skip) -> Fate:
    """Return the fate of a page that is left out on purpose."""
    return Fate(Outcome.SKIPPED, reason.value)


@dataclass(frozen=True, slots=True)
class Page:
    """One URL of a host. `fate` is None where no well-behaved crawl ever comes."""

    path: str
    render: Render
    fate: Fate | None = UNIQUE


ALLOW_ALL = Answer(200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow:\n")


@dataclass(slots=True)
class Site:
    """One host: its name, its address and its pages by path and query."""

    name: str
    address: str
    robots: Answer = ALLOW_ALL
    pages: dict[str, Page] = field(default_factory=dict)
    beyond: Callable[[Visit], Answer | None] = lambda visit: None
    """Answers paths that no page has: how an endless space is served."""

    def add(self, path: str, render: Render, fate: Fate | None = UNIQUE) -> None:
        """Put a page at a path; ValueError where one is already."""
        if path in self.pages:
            raise ValueError(f"{self.name}{path}: two pages at one URL")
        self.pages[path] = Page(path, render, fate)

    def put(self, path: str, answer: Answer, fate: Fate | None = UNIQUE) -> None:
        """Put a page at a path that answers everybody alike."""
        self.add(path, lambda visit: answer, fate)


def html(markup: str, headers: Mapping[str, str] | None = None) -> Answer:
    """Return an HTML page in UTF-8."""
    kind = {"Content-Type": "text/html; charset=utf-8"}
    return Answer(200, {**kind, **(headers or {})}, markup.encode())


def moved(status: int, location: str, headers: Mapping[str, str] | None = None) -> Answer:
    """Return a redirect."""
    kind = {"Location": location, "Content-Type": "text/html"}
    return Answer(status, {**kind, **(headers or {})}, b"moved")
