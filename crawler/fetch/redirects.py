"""Where a redirect leads: to be followed within the fetch, or to be handed back.

A redirect of a page to itself (cookie, slash, tracking parameter) is followed, since asking again
is all that can be done. One to another page of the same origin is followed where the caller says
that it may lead on: it may set the cookie without which the first page is never shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import ada_url

from crawler.fetch.access import ChainCookies
from crawler.fetch.trouble import Trouble, translate
from crawler.models import Capture, Failure, FetchOutcome, FetchTask, Redirected
from crawler.urls import Canonicaliser, origin

LeadsOn = Callable[[str, bool], bool]
"""(canonical URL of another page of the same origin, whether cookies would go with the request)
-> whether it may be asked within this fetch."""


def never(url: str, with_cookies: bool) -> bool:
    """Hand every redirect to another page back."""
    return False


@dataclass(frozen=True, slots=True)
class Hop:
    """The next request of one fetch."""

    url: str
    """Sent as it is: it may carry the tracking parameter that the server insists on."""
    final_url: str
    """Canonical form of `url`."""
    cookies: str = field(default="", repr=False)
    """Value of the Cookie header."""


@dataclass(frozen=True, slots=True)
class _Left:
    """A page that was asked on the way, and led elsewhere."""

    status: int
    at: float
    captures: tuple[Capture, ...]


class Trail:
    """The requests of one fetch, and the pages they stand for. Its cookies are kept nowhere else.

    All are of one origin, so that cookies reach nobody but who set them. A redirect back to a page
    that was asked on the way takes all that came after it for part of asking for that page.
    """

    def __init__(
        self,
        url: str,
        canonicalise: Canonicaliser,
        max_hops: int,
        leads_on: LeadsOn = never,
        forbids: Callable[[str], bool] = lambda url: False,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """Begin with a canonical URL; `forbids` is whether robots.txt forbids one as it is sent."""
        self._canonicalise = canonicalise
        self._max_hops = max_hops
        self._leads_on = leads_on
        self._forbids = forbids
        self._wall = wall
        self._cookies = ChainCookies()
        self._pages = [url]
        self._left: list[_Left] = []
        self._ever = {url}
        self._captures: list[Capture] = []
        self.hop = Hop(url, url)
        self._asked = {(url, "")}

    @property
    def page(self) -> str:
        """The page that is being asked for, as it would be queued."""
        return self._pages[-1]

    @property
    def captures(self) -> tuple[Capture, ...]:
        """What was kept of the exchanges that asked for this page."""
        return tuple(self._captures)

    def keep(self, capture: Capture) -> None:
        """Keep an exchange for the archive; before its redirect is followed."""
        self._captures.append(capture)

    def follow(
        self, location: str | None, set_cookies: Iterable[str], status: int = 302
    ) -> Hop | str:
        """Return the next hop, or the canonical URL of a page that is handed back.

        Raises Trouble for an unusable target or a loop.
        """
        target = resolve_location(location, self.hop.url)
        canonical = self._canonicalise(target)
        if canonical is None:
            raise Trouble(Failure.REDIRECT_INVALID, f"Location: {location}")
        self._cookies.keep(set_cookies, self.hop.url, self._wall())
        # A slash or parameter can make the difference in robots.txt: then the target is to be
        # judged as a page of its own.
        if origin(canonical) != origin(self.hop.final_url) or self._forbids(target):
            return canonical
        if (known := self._position(canonical)) is not None:
            before = [capture for left in self._left[known:] for capture in left.captures]
            self._captures = before + self._captures
            del self._pages[known + 1 :], self._left[known:]
            return self._step(target, canonical)
        if len(self._asked) > self._max_hops:
            if canonical in self._ever:
                raise self._too_many()
            return canonical
        if not self._leads_on(canonical, bool(self._cookies.header(target))):
            return canonical
        self._left.append(_Left(status, self._wall(), self.captures))
        self._captures = []
        self._pages.append(canonical)
        self._ever.add(canonical)
        return self._step(target, canonical)

    def task(self, first: FetchTask) -> FetchTask:
        """Return what the page that is being asked for would be queued as, without a number."""
        return self._task(first, len(self._left))

    def outcome(self, first: FetchTask, last: FetchOutcome) -> FetchOutcome:
        """Return how the fetch ended, given how the page that was asked last did."""
        for at in reversed(range(len(self._left))):
            left, target = self._left[at], self._pages[at + 1]
            task = self._task(first, at)
            last = Redirected(task, left.status, target, left.at, last, left.captures)
        return last

    def _task(self, first: FetchTask, at: int) -> FetchTask:
        if not at:
            return first
        return FetchTask(
            url_id=0,
            url=self._pages[at],
            host=first.host,
            depth=first.depth,
            priority=first.priority,
            hops=first.hops + at,
            referrer=self._pages[at - 1],
            attempt=first.attempt,
            seed=first.seed,
        )

    def _position(self, canonical: str) -> int | None:
        """Return which page of the way it is: slashes at the end of a path make no other one."""
        wanted = _without_slash(canonical)
        pages = [*map(_without_slash, self._pages[:-1]), _without_slash(self.hop.final_url)]
        return pages.index(wanted) if wanted in pages else None

    def _step(self, target: str, canonical: str) -> Hop:
        cookies = self._cookies.header(target)
        if (target, cookies) in self._asked:
            raise Trouble(Failure.REDIRECT_LOOP, f"redirects to itself: {target}")
        if len(self._asked) > self._max_hops:
            raise self._too_many()
        self._asked.add((target, cookies))
        self.hop = Hop(target, canonical, cookies)
        return self.hop

    def _too_many(self) -> Trouble:
        return Trouble(Failure.REDIRECT_LOOP, f"more than {self._max_hops} redirects")


def resolve_location(location: str | None, base: str) -> str:
    """Return a Location as an absolute URL without fragment and user info, not yet canonical.

    Bytes outside ASCII are percent-encoded as they came, whatever charset they were meant in.
    Raises Trouble(REDIRECT_INVALID) for a missing, empty or unparsable one.
    """
    if not location:
        raise Trouble(Failure.REDIRECT_INVALID, "a redirect without Location")
    raw = location.encode("utf-8", "surrogateescape")
    text = "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in raw)
    try:
        url = ada_url.URL(text, base)
    except ValueError:
        raise Trouble(Failure.REDIRECT_INVALID, f"Location: {location}") from None
    except Exception as error:
        raise translate(error) from error
    url.hash = ""
    if url.username or url.password:  # or aiohttp would log in with them
        url.username = url.password = ""
    return url.href


def _without_slash(url: str) -> str:
    path, mark, query = url.partition("?")
    return path.removesuffix("/") + mark + query
