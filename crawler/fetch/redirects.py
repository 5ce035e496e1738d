"""Where a redirect leads: back to the same page, to be followed in place, or to another one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import ada_url

from crawler.fetch.trouble import Trouble
from crawler.records import Failure
from crawler.urls import Canonicaliser

MAX_COOKIES = 50
MAX_COOKIE_BYTES = 4096
"""What a user agent should be able to keep for a host (RFC 6265 6.1), and what we keep."""


@dataclass(frozen=True, slots=True)
class Hop:
    """The next request of one fetch."""

    url: str
    """Sent as it is: it may carry the tracking parameter that the server insists on."""
    final_url: str
    """Canonical form of `url`."""
    cookies: str = ""
    """Value of the Cookie header."""


class Trail:
    """The hops of one fetch. Cookies are kept on it and nowhere else.

    A redirect is followed in place if its target is the page itself in canonical form, or differs
    by a trailing slash of the path: then scheme, host and port are the same, so that cookies reach
    nobody but who set them, and asking again is all that can be done.
    """

    def __init__(self, url: str, canonicalise: Canonicaliser, max_hops: int) -> None:
        self._canonicalise = canonicalise
        self._max_hops = max_hops
        self._cookies: dict[str, str] = {}
        self.hop = Hop(url, url)
        self._asked = {(url, "")}

    def follow(self, location: str | None, set_cookies: Iterable[str]) -> Hop | str:
        """Return the next hop, or the canonical URL of another page.

        Raises Trouble for an unusable target or a loop.
        """
        target = resolve_location(location, self.hop.url)
        canonical = self._canonicalise(target)
        if canonical is None:
            raise Trouble(Failure.REDIRECT_INVALID, f"Location: {location}")
        if _without_slash(canonical) != _without_slash(self.hop.final_url):
            return canonical
        self._keep(set_cookies)
        return self._step(target, canonical)

    def _step(self, target: str, canonical: str) -> Hop:
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        if (target, cookies) in self._asked:
            raise Trouble(Failure.REDIRECT_LOOP, f"redirects to itself: {target}")
        if len(self._asked) > self._max_hops:
            raise Trouble(Failure.REDIRECT_LOOP, f"more than {self._max_hops} redirects")
        self._asked.add((target, cookies))
        self.hop = Hop(target, canonical, cookies)
        return self.hop

    def _keep(self, set_cookies: Iterable[str]) -> None:
        # RFC 6265 5.2: the pair ends at the first semicolon. Attributes do not matter within
        # seconds on one page.
        for header in set_cookies:
            pair = header.partition(";")[0]
            name, separator, value = (part.strip() for part in pair.partition("="))
            if not (separator and name and pair.isascii() and pair.isprintable()):
                continue
            room = name in self._cookies or len(self._cookies) < MAX_COOKIES
            if room and len(pair) <= MAX_COOKIE_BYTES:
                self._cookies[name] = value


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
    url.hash = ""
    if url.username or url.password:  # or aiohttp would log in with them
        url.username = url.password = ""
    return url.href


def _without_slash(url: str) -> str:
    path, mark, query = url.partition("?")
    return path.removesuffix("/") + mark + query
