"""What a plugin must be able to do. Any object with these methods is one; nothing is inherited."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


class UrlFilter(Protocol):
    """Says which links are queued."""

    def admits(self, url: str, depth: int, referrer: str) -> bool:
        """Whether a link may be queued that the job's scope admits and that was not seen before.

        `url` is canonical, `depth` its links from a seed, `referrer` the page that has the link,
        redirects there, or is the sitemap that lists it. Neither seeds nor where these redirect to
        are asked about.

        Called on the event loop, for each new link: microseconds, and no waiting. The answer is to
        follow from the arguments alone: a link may be asked about again. What is raised counts as
        False, and is told once.
        """


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page as it was fetched."""

    url: str
    """Where the body came from, after redirects."""
    media_type: str
    """`text/html`, `application/xhtml+xml` or `text/plain`."""
    charset: str
    """WHATWG name of the encoding that `html` was read in."""
    html: str
    """The body as text: whole, and as it was sent."""
    body: bytes
    """The body in bytes, without Content-Encoding."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What an extractor found; what is None stays as the crawler finds it."""

    text: str | None = None
    """Stored as the page's text, as it is but for characters that no text should have."""
    title: str | None = None
    markdown: str | None = None
    """Stored where the job asks for Markdown (`extract.markdown`); if only `text` is given, none
    is."""
    fields: Mapping[str, Any] | None = None
    """Stored as `extracted` in the page's line: what JSON can hold, with text as keys, up to
    1,000,000 bytes."""


class Extractor(Protocol):
    """Says what is kept of a page. Which pages are copies of each other does not follow from it."""

    def extract(self, page: WebPage) -> Extracted | None:
        """Return what is to be kept of a page; None leaves it to the next one, or to the crawler.

        Called in the processes that read pages, within `analysis.timeout_s` and
        `analysis.memory_bytes`. The answer is to follow from the page alone: it may be read twice,
        by either process. What is raised counts as None, and is told once.
        """


class Sink(Protocol):
    """Takes the lines of pages, each at least once.

    Its methods are called one after the other. Each is a coroutine function, run on the crawl's
    event loop, or an ordinary function, run in a thread of the sink's own, always the same one.
    What is raised stops the crawl; all that was judged is stored by then, and what was not taken
    comes again with the next run.
    """

    def open(self, directory: Path) -> Awaitable[None] | None:
        """Begin; `directory` is the crawl's output. Called before the first page is asked for."""

    def write(self, kind: str, line: Mapping[str, Any]) -> Awaitable[None] | None:
        """Take a line that is durable: `kind` is `pages` of a stored page, or `duplicates`.

        Lines of one kind come in the order of their file, and each has all fields of its schema
        (docs/output.md).
        """

    def flush(self) -> Awaitable[None] | None:
        """Make durable what was taken: it is not given again. Called at least every few seconds."""

    def close(self) -> Awaitable[None] | None:
        """End. Called once after `open`, also where something went wrong."""
