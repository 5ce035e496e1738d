"""What watches the run of a crawl, where that is asked for: the live page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from crawler.config import Job
from crawler.observe.watching import Watcher
from crawler.printing import say

Address = tuple[str, int]
"""Host and port."""


@contextmanager
def watched(job: Job, address: Address | None) -> Iterator[Watcher | None]:
    """Hold an address for the live page of a job's run while the context lasts, if one is given.

    Raises ConfigError, before anything has begun, where that cannot be.
    """
    if address is None:
        yield None
        return
    from crawler.live.page import LivePage  # few ask for it
    from crawler.live.server import listening

    with listening(*address, LivePage(job.output)) as live:
        say(f"Live page: http://{shown_address(address[0], live.port)}/")
        yield live


def shown_address(host: str, port: int) -> str:
    """Return an address as a URL has it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
