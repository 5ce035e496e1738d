"""What opens doors: proxies, and where logins, cookies and certificates are to be found.

A job is kept beside its output. So it names environment variables and files, and holds no secret.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote

import ada_url
from pydantic import AfterValidator, BeforeValidator

from crawler.config.sections.base import FilePath, HeaderName

PROXY_SCHEMES = ("http", "https", "socks4", "socks5")
_SAME = {"socks4a": "socks4", "socks5h": "socks5", "socks": "socks5"}
"""Names that curl has for proxies that look names up themselves, as all do here."""


def _own(path: Path) -> Path:
    """Return where a file lies for whoever goes on with the crawl from another directory."""
    return path.expanduser().absolute()


OwnFile = Annotated[FilePath, AfterValidator(_own)]
"""A path of a file that is read and never copied; `~` is the home directory."""

_ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")


def _names(variable: str) -> str:
    if not _ENVIRONMENT_NAME.fullmatch(variable):
        raise ValueError("must be the name of an environment variable, and not what that holds")
    return variable


EnvironmentName = Annotated[str, AfterValidator(_names)]
"""Name of an environment variable (POSIX.1-2024, 8.1)."""

_NOT_SECRET = frozenset(
    {"accept-encoding", "connection", "content-length", "host", "transfer-encoding", "user-agent"}
)


def _may_be_secret(headers: dict[str, str]) -> dict[str, str]:
    for name in headers:
        if name in ("authorization", "cookie", "proxy-authorization") or name in _NOT_SECRET:
            raise ValueError(
                f"{name!r} cannot be set there: for logins there are basic_env and token_env, for "
                "cookies fetch.cookies"
            )
    return headers


SecretHeaders = Annotated[dict[HeaderName, EnvironmentName], AfterValidator(_may_be_secret)]
"""Header field -> environment variable that holds its value."""


def split_proxy(written: str) -> tuple[str, str, int, str, str]:
    """Return scheme, host, port, user and password of a proxy's URL.

    Scheme and port may be left out: `http`, and 3128, 443 or 1080 as is usual. ValueError, which
    does not show the URL, where it is none.
    """
    scheme, separator, rest = written.strip().partition("://")
    if not separator:
        scheme, rest = "http", written.strip()
    scheme = _SAME.get(scheme.lower(), scheme.lower())
    if scheme not in PROXY_SCHEMES:
        raise ValueError(f"a proxy's URL begins with one of {', '.join(PROXY_SCHEMES)} and ://")
    try:
        # A URL of another scheme would be read with neither host nor port; 21 is none that a proxy
        # has, and the only one that is lost in this one.
        url = ada_url.URL(f"ftp://{rest}")
    except ValueError:
        raise ValueError("not the URL of a proxy, such as http://proxy.example.org:3128") from None
    if not url.hostname or url.pathname not in ("", "/") or url.search or url.hash:
        raise ValueError("a proxy's URL has a host and a port, and nothing behind them")
    usual = {"http": 3128, "https": 443}.get(scheme, 1080)
    user, password = (unquote(part) for part in (url.username, url.password))
    return scheme, url.hostname.strip("[]"), int(url.port or usual), user, password


def _holds_no_login(written: object) -> object:
    if isinstance(written, str):
        scheme, host, port, user, password = split_proxy(written)
        if user or password:
            raise ValueError(
                "user and password would be kept with the crawl: put the whole URL into an "
                "environment variable, and its name into fetch.proxy_env"
            )
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
    return written


ProxyUrl = Annotated[str, BeforeValidator(_holds_no_login)]
"""A proxy's URL, with scheme and port."""
