"""Cookies that the user brings along: a file as browsers and curl write it (Netscape format).

Each line has seven fields between tabs: domain, whether hosts below it are meant, path, whether
https only, Unix time of its end or 0, name, value. The standard library reads such files too, but
shows a faulty line, and so a cookie, in its error, and refuses domains without a leading dot.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import ada_url

from crawler.errors import ConfigError, reason
from crawler.fetch.cookies import leads_to

MAX_FILE_BYTES = 10_000_000
_HTTP_ONLY = "#HttpOnly_"
"""Put before the domain of a cookie that scripts may not read, which is no comment."""
_FIELDS = 7
_TRUTH = {"TRUE": True, "FALSE": False}


@dataclass(frozen=True, slots=True)
class _Cookie:
    path: str
    below: bool
    secure: bool
    expires_at: int
    """Unix time; 0: with the session, which lasts as long as the crawl."""
    name: str
    pair: str = field(repr=False)


class CookieFile:
    """The cookies of a file, by domain; as it was when the crawl began. `repr` shows none."""

    def __init__(self) -> None:
        self._of: dict[str, list[_Cookie]] = defaultdict(list)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {sum(map(len, self._of.values()))}>"

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the cookies of a file; ConfigError, which shows no cookie, where it is none."""
        try:
            with path.open("rb") as file:
                text = file.read(MAX_FILE_BYTES + 1).decode()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"fetch.cookies: cannot read {path}: {reason(error)}") from None
        if len(text) > MAX_FILE_BYTES:
            raise ConfigError(f"fetch.cookies: {path} has more than {MAX_FILE_BYTES:,} bytes")
        cookies = cls()
        for number, line in enumerate(text.split("\n"), 1):
            try:
                cookies._take(line.rstrip("\r"))
            except ValueError as error:
                raise ConfigError(
                    f"fetch.cookies: {path}, line {number}: {error}; export the cookies in "
                    "Netscape format (cookies.txt)"
                ) from None
        if not cookies._of:
            raise ConfigError(f"fetch.cookies: {path} holds no cookie; take the key out")
        return cookies

    def _take(self, line: str) -> None:
        """Take one line; ValueError, which does not show it, where it is no cookie."""
        line = line.removeprefix(_HTTP_ONLY)
        if not line.strip() or line.startswith("#"):
            return
        fields = line.split("\t")
        if len(fields) == _FIELDS - 1:  # an empty value may have lost its tab
            fields.append("")
        if len(fields) != _FIELDS:
            raise ValueError(f"{len(fields)} fields between tabs, not {_FIELDS}")
        domain, below, path, secure, ends, name, value = fields
        if below.upper() not in _TRUTH or secure.upper() not in _TRUTH:
            raise ValueError("the second and fourth field must be TRUE or FALSE")
        if not (ends.removeprefix("-").split(".")[0] or "0").isdecimal():
            raise ValueError("the fifth field must be a Unix time, or 0")
        pair = f"{name}={value}" if name else value
        if not (pair.isascii() and pair.isprintable()) or ";" in pair:
            raise ValueError("name and value must be printable ASCII without semicolons")
        cookie = _Cookie(
            path if path.startswith("/") else "/",
            _TRUTH[below.upper()],
            _TRUTH[secure.upper()],
            int(ends.split(".")[0] or 0),
            name,
            pair,
        )
        self._of[_host_of(domain)].append(cookie)

    def pairs(self, url: str, now: float) -> dict[str, str]:
        """Return name -> `name=value` of what is to be sent with a request, longer paths first.

        A cookie goes to its own host, or to those below its domain; to paths below its own; over
        https alone where it says so; and not after its end (RFC 6265 5.4). `now` is Unix time.
        """
        parsed = ada_url.URL(url)
        host, path = parsed.hostname.rstrip("."), parsed.pathname
        fitting = [
            cookie
            for domain in _domains(host)
            for cookie in self._of.get(domain, ())
            if (cookie.below or domain == host)
            and leads_to(cookie.path, path)
            and (parsed.protocol == "https:" or not cookie.secure)
            and not 0 < cookie.expires_at <= now
        ]
        fitting.sort(key=lambda cookie: -len(cookie.path))
        pairs: dict[str, str] = {}
        for cookie in fitting:
            pairs.setdefault(cookie.name, cookie.pair)
        return pairs


def _host_of(domain: str) -> str:
    """Return a domain as URLs have it: names of other scripts in Punycode."""
    try:
        name = ada_url.URL(f"http://{domain.removeprefix('.')}/").hostname
    except ValueError:
        raise ValueError("the first field must be a domain") from None
    return name.rstrip(".")


def _domains(host: str) -> list[str]:
    """Return a host and the domains that it lies in; an address lies in none."""
    if host.startswith("[") or host.rpartition(".")[2].isdigit():
        return [host]
    labels = host.split(".")
    return [".".join(labels[at:]) for at in range(len(labels))]
