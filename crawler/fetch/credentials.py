"""Logins and cookies that the user brings along, each sent to its own host and to no other.

They are chosen for every request anew, by its own URL: that of a page, of a robots.txt, of what a
redirect leads to. A job names environment variables and files; what these hold is read once, stays
in memory, and is shown by no error, `repr` or log.
"""

from __future__ import annotations

import netrc
import os
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path

from crawler import config
from crawler.errors import ConfigError, reason
from crawler.fetch.cookie_file import CookieFile
from crawler.frontier.blocks import HostBlocks
from crawler.urls import Canonicaliser, host_key, hostname

MAX_SECRET = 8000
"""Characters; servers refuse heads that are longer."""

Environment = Mapping[str, str]


def from_environment(field: str, name: str, environment: Environment) -> str:
    """Return what a variable holds; ConfigError, which names `field` of the job, without it."""
    value = environment.get(name, "").strip()
    if not value:
        raise ConfigError(
            f"{field}: the environment variable {name} is not set; set it before the crawl, or "
            f"take {field} out of the job"
        )
    if len(value) > MAX_SECRET or not value.isprintable():
        raise ConfigError(
            f"{field}: the environment variable {name} must hold one line of at most "
            f"{MAX_SECRET:,} characters"
        )
    return value


class Credentials:
    """What opens doors to this crawl, by the URL that is asked."""

    def __init__(self, job: config.Job, environment: Environment | None = None) -> None:
        """Read variables and files; ConfigError where one is missing or cannot be used."""
        known = os.environ if environment is None else environment
        self._over_http = job.fetch.logins_over_http
        self._blocks = HostBlocks(job)
        self._headers = {
            pattern: _headers(f"hosts.{pattern}", block, known)
            for pattern, block in job.hosts.items()
        }
        self._logins = {} if job.fetch.netrc is None else _netrc_logins(job.fetch.netrc)
        self._cookies = None if job.fetch.cookies is None else CookieFile.read(job.fetch.cookies)
        self.names = frozenset(name for own in self._headers.values() for name in own)
        """Lower-case names of all header fields that are secret, but those that always are."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def headers(self, url: str) -> Mapping[str, str]:
        """Return the header fields, cookies apart, that a request for `url` is to carry.

        What the job says of a host comes before its netrc. Over http only if the job allows that.
        """
        if not url.startswith("https:") and not self._over_http:
            return {}
        host = host_key(url)
        own = self._headers.get(self._blocks.pattern(host) or "", {})
        login = self._logins.get(hostname(host))
        if login is None or "authorization" in own:
            return own
        return {"authorization": login, **own}

    def cookies(self, url: str, set_on_the_way: str, now: float) -> str:
        """Return the Cookie header: of the file what the site itself has not set anew."""
        if self._cookies is None:
            return set_on_the_way
        newer = {pair.partition("=")[0] for pair in set_on_the_way.split("; ") if pair}
        kept = self._cookies.pairs(url, now).items()
        pairs = [pair for name, pair in kept if name not in newer]
        return "; ".join([*pairs, set_on_the_way] if set_on_the_way else pairs)

    def held_back(self, url: str) -> bool:
        """Whether a login for this URL's host is not sent only since the URL is one of http."""
        secure = f"https:{url.partition(':')[2]}"
        return not self.headers(url) and bool(self.headers(secure))


def _headers(field: str, block: config.HostBlock, known: Environment) -> dict[str, str]:
    fields = {
        name: _sendable(f"{field}.headers_env.{name}", variable, known)
        for name, variable in block.headers_env.items()
    }
    if block.token_env:
        token = _sendable(f"{field}.token_env", block.token_env, known)
        fields["authorization"] = f"Bearer {token}"
    if block.basic_env:
        login = from_environment(f"{field}.basic_env", block.basic_env, known)
        if ":" not in login:
            raise ConfigError(
                f"{field}.basic_env: the environment variable {block.basic_env} must hold "
                "user:password"
            )
        fields["authorization"] = _basic(login)
    return fields


def _sendable(field: str, variable: str, known: Environment) -> str:
    value = from_environment(field, variable, known)
    if not value.isascii():
        raise ConfigError(f"{field}: the environment variable {variable} must hold ASCII")
    return value


def _basic(login: str) -> str:
    """Return the field value of `user:password`, in UTF-8 (RFC 7617 2.1)."""
    return f"Basic {b64encode(login.encode()).decode()}"


def _netrc_logins(path: Path) -> dict[str, str]:
    """Return host name -> field value. `default` is left out: it would go to every host."""
    try:
        hosts = netrc.netrc(str(path)).hosts
    except netrc.NetrcParseError as error:  # its message may show a password
        where = f"line {error.lineno}" if error.lineno else "its end"
        raise ConfigError(
            f"fetch.netrc: {path}, {where}: not as netrc files are; an entry is `machine NAME "
            "login USER password PASSWORD`"
        ) from None
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"fetch.netrc: cannot read {path}: {reason(error)}") from None
    hosts.pop("default", None)
    canonicalise = Canonicaliser()
    logins = {}
    for machine, (login, _, password) in hosts.items():
        url = canonicalise(f"https://{machine}/")
        if url is None:
            raise ConfigError(f"fetch.netrc: {path}: {machine!r} is no host name")
        logins[hostname(host_key(url))] = _basic(f"{login}:{password}")
    if not logins:
        raise ConfigError(f"fetch.netrc: {path} names no host; take the key out")
    return logins
