"""The cookies of one redirect chain (RFC 6265), gone with the chain."""

from __future__ import annotations

from collections.abc import Iterable
from email.utils import parsedate_to_datetime

import ada_url

MAX_COOKIES = 50
MAX_COOKIE_BYTES = 4096
"""What a user agent should be able to keep for a host (RFC 6265 6.1), and what we keep."""
MAX_HEADER_BYTES = 16_384
"""All of them together: more than servers take in a request's head."""

MAX_ATTRIBUTES = 32
"""Of a cookie; RFC 6265 5.2 knows six."""

_Key = tuple[str, str]
"""Name and path."""


class ChainCookies:
    """What the pages of one origin set on the way of one redirect chain.

    They go back to that origin only, so that a Domain can but refuse a cookie, and Secure says
    nothing: they came by the same channel. Neither `repr` nor any message shows them.
    """

    def __init__(self) -> None:
        self._kept: dict[_Key, str] = {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {len(self._kept)}>"

    def keep(self, set_cookies: Iterable[str], url: str, now: float) -> None:
        """Take the Set-Cookie headers of the response to a request for `url` at Unix time `now`.

        What is malformed, meant for another host, or beyond the bounds above is left out.
        """
        parsed = ada_url.URL(url)
        for header in set_cookies:
            # RFC 6265 5.2: the pair ends at the first semicolon.
            pair, _, rest = header.partition(";")
            name, separator, value = (part.strip() for part in pair.partition("="))
            attributes = _attributes(rest)
            domain = attributes.get("domain", "").lower().removeprefix(".")
            if not (separator and name and pair.isascii() and pair.isprintable()):
                continue
            if domain and not _matches(parsed.hostname, domain):
                continue
            path = attributes.get("path", "")
            key = (name, path if path.startswith("/") else _default_path(parsed.pathname))
            if _expired(attributes, now):
                self._kept.pop(key, None)
            elif self._has_room(key, f"{name}={value}"):
                self._kept[key] = value

    def header(self, url: str) -> str:
        """Return the Cookie header of a request for `url` at the same origin; longer paths first.

        Empty where nothing is to be sent.
        """
        path = ada_url.URL(url).pathname
        fitting = [key for key in self._kept if leads_to(key[1], path)]
        fitting.sort(key=lambda key: -len(key[1]))
        return "; ".join(f"{name}={self._kept[name, path]}" for name, path in fitting)

    def _has_room(self, key: _Key, pair: str) -> bool:
        others = [f"{name}={value}" for (name, path), value in self._kept.items()
                  if (name, path) != key]  # fmt: skip
        together = len(pair) + sum(len(other) + len("; ") for other in others)
        return (
            len(others) < MAX_COOKIES
            and len(pair) <= MAX_COOKIE_BYTES
            and together <= MAX_HEADER_BYTES
        )


def _attributes(text: str) -> dict[str, str]:
    """Return attributes by name in lower case; of one that is repeated the last (RFC 6265 5.3)."""
    pairs = (part.partition("=") for part in text.split(";", MAX_ATTRIBUTES)[:MAX_ATTRIBUTES])
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _expired(attributes: dict[str, str], now: float) -> bool:
    """Whether a cookie is to be forgotten: Max-Age outranks Expires (RFC 6265 5.3)."""
    age = attributes.get("max-age", "")
    if age.removeprefix("-").isdecimal() and age.isascii():
        return age.startswith("-") or not age.strip("0")
    try:
        return parsedate_to_datetime(attributes.get("expires", "")).timestamp() <= now
    except Exception:  # whatever a parser of dates makes of it, it is none
        return False


def _matches(host: str, domain: str) -> bool:
    """Whether a host domain-matches (RFC 6265 5.1.3)."""
    return host == domain or (host.endswith(f".{domain}") and not host[-1].isdigit())


def _default_path(path: str) -> str:
    """Return the default-path of a request (RFC 6265 5.1.4)."""
    return path[: path.rfind("/")] or "/"


def leads_to(cookie_path: str, path: str) -> bool:
    """Whether a request's path path-matches (RFC 6265 5.1.4)."""
    if not path.startswith(cookie_path):
        return False
    return cookie_path.endswith("/") or path[len(cookie_path) :][:1] in ("", "/")
