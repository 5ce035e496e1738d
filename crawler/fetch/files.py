"""How many files this process may open, and how many connections that leaves room for."""

from __future__ import annotations

import sys
from pathlib import Path

from crawler.errors import ConfigError
from crawler.fetch.places import SPARE_CONNECTIONS

if sys.platform != "win32":
    import resource

RESERVE = 24
"""For what is opened later: name servers, an analysis process for a lost one, second sockets where
two addresses of a host are tried together, the summary."""

_UNKNOWN_IN_USE = 64
_HIGHEST = 65_536
"""Where the hard limit is unlimited: some systems (macOS) refuse more than they have, and nothing
here needs more."""


def raise_limit() -> None:
    """Let this process open as many files as it is allowed to: the soft limit is often 256 or 1024.

    Where that is refused, the limit stays as it is.
    """
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _HIGHEST if hard == resource.RLIM_INFINITY else hard
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):
            return


def connections_left() -> int | None:
    """Return how many connections may be open besides what is open now, None if nobody counts.

    To be asked when the store and the analysis processes have their files. Raises ConfigError where
    too few are left for a crawl.
    """
    if sys.platform == "win32":
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return None
    in_use = _in_use()
    left = limit - in_use - RESERVE
    if left <= SPARE_CONNECTIONS:
        least = in_use + RESERVE + SPARE_CONNECTIONS + 1
        raise ConfigError(
            f"this process may open {limit} files only, and a crawl needs {least} and more; raise "
            "the limit: `ulimit -n 4096`, or `LimitNOFILE=` of a service"
        )
    return left


def _in_use() -> int:
    for directory in ("/proc/self/fd", "/dev/fd"):
        try:
            return sum(1 for _ in Path(directory).iterdir())
        except OSError:
            continue
    return _UNKNOWN_IN_USE
