"""Hosts as a user names them."""

from __future__ import annotations

from crawler import urls
from crawler.errors import ConfigError


def given_host(host: str) -> str:
    """Return a host as lines name it: in lower case, with a port that is not the usual one.

    Raises ConfigError for what is no name of a host.
    """
    canonical = urls.Canonicaliser()(f"http://{host}/")
    key = urls.host_key(canonical) if canonical else ""
    if not key or canonical != f"http://{key}/":
        raise ConfigError(f"--host {host}: give the name of a host as in `report`, such as a.test")
    return key
