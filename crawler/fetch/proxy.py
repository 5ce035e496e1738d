"""The proxy that a job's requests go through, and whose trouble it is where one of them fails.

A proxy looks names up itself, and opens connections that this program never sees. So the address
guard can judge the proxy's URLs only as they are written, and nothing is known of where a host is.
"""

from __future__ import annotations

import errno
import os
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Self

import aiohttp

from crawler import config
from crawler.config.sections.access import split_proxy
from crawler.errors import ConfigError
from crawler.fetch.credentials import Environment, from_environment
from crawler.fetch.guard import LOCAL_NAMES, AddressGuard, AddressRefused, site
from crawler.fetch.trouble import Trouble
from crawler.records import Failure, Obstacle

LOGIN_WANTED = 407
"""Proxy Authentication Required (RFC 9110 15.5.8): only proxies should answer so, and any server
can."""

EXTRA = "socks"
"""The extra that holds what speaks SOCKS (pyproject.toml)."""


class SocksFailed(OSError):
    """No connection by a SOCKS proxy; `by_proxy`: it is the proxy that does not do its work."""

    def __init__(self, number: int | None, detail: str, *, by_proxy: bool) -> None:
        super().__init__(number, detail)
        self.by_proxy = by_proxy


@dataclass(frozen=True, slots=True)
class Proxy:
    """Where it is, and what it is to be told. Neither `repr` nor any message shows its login."""

    scheme: str
    """`http`, `https` (TLS to the proxy itself), `socks4` or `socks5`."""
    host: str
    """A name, or an address without brackets."""
    port: int
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    @classmethod
    def of(cls, fetch: config.Fetch, environment: Environment) -> Self | None:
        """Return a job's proxy, None where it has none; ConfigError where it cannot be used."""
        if fetch.proxy is not None:
            proxy = cls(*split_proxy(fetch.proxy))
        elif fetch.proxy_env is not None:
            written = from_environment("fetch.proxy_env", fetch.proxy_env, environment)
            try:
                proxy = cls(*split_proxy(written))
            except ValueError as error:
                raise ConfigError(
                    f"fetch.proxy_env: the environment variable {fetch.proxy_env}: {error}"
                ) from None
        else:
            return None
        if proxy.is_socks and find_spec("aiohttp_socks") is None:
            raise ConfigError(
                f"the proxy {proxy.url}: aiohttp-socks is not installed: pip install '.[{EXTRA}]', "
                "or name a proxy of http"
            )
        return proxy

    @property
    def is_socks(self) -> bool:
        """Whether it speaks SOCKS, and not HTTP."""
        return self.scheme.startswith("socks")

    @property
    def url(self) -> str:
        """Its URL without the login."""
        return f"{self.scheme}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def login(self) -> Mapping[str, str]:
        """The header field that an HTTP proxy is told; of none without user and password."""
        if not (self.user or self.password) or self.is_socks:
            return {}
        pair = b64encode(f"{self.user}:{self.password}".encode()).decode()
        return {"Proxy-Authorization": f"Basic {pair}"}

    def may_answer_for(self, url: str) -> bool:
        """Whether an answer to a request for a URL may be the proxy's own.

        Inside TLS and over SOCKS it is the server's: there a proxy only carries bytes.
        """
        return not self.is_socks and url.startswith("http:")

    def refuse_closed(self, url: str, guard: AddressGuard) -> None:
        """Raise AddressRefused for the URL of an address that is closed to this crawl.

        A name is for the proxy to look up, and to refuse.
        """
        name, port = site(url)
        address = "127.0.0.1" if name in LOCAL_NAMES else name
        try:
            admitted = guard.admits(address, port)
        except ValueError:  # a name
            return
        if not admitted:
            raise AddressRefused(address, port)

    def trouble(self, error: Exception) -> Trouble | None:
        """Return what an exchange's exception means by the proxy; None: it is not of the proxy."""
        if isinstance(error, aiohttp.ClientHttpProxyError):
            if error.status == LOGIN_WANTED:
                return self.login_wanted()
            what = f"the proxy answered {error.status} to CONNECT"
            return Trouble(Failure.CONNECT, what)
        # aiohttp makes errors of its own out of the system's.
        error = error.__cause__ if isinstance(error.__cause__, SocksFailed) else error
        if isinstance(error, SocksFailed):
            if not error.by_proxy:
                return Trouble(Failure.CONNECT, f"the proxy answered: {error.strerror}")
            return self._fails(_why(error))
        own = (getattr(error, "host", None), getattr(error, "port", None))
        if isinstance(error, aiohttp.ClientProxyConnectionError) or own == (self.host, self.port):
            return self._fails(_why(getattr(error, "os_error", error)))
        return None

    def login_wanted(self) -> Trouble:
        """Return what an answer of 407 means."""
        why = "it does not take its login" if self.login else "it asks for a login"
        return self._fails(f"{why} (407); fetch.proxy_env names a variable with the whole URL")

    def _fails(self, why: str) -> Trouble:
        return Trouble(Obstacle.NETWORK, f"the proxy {self.url}: {why}")


def _why(error: Exception) -> str:
    """Return what went wrong in the system's words, without an address that the URL has."""
    number = getattr(error, "errno", None)
    if isinstance(number, int) and number in errno.errorcode:
        return os.strerror(number)
    return getattr(error, "strerror", None) or str(error)
