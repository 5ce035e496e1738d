"""What watches the run of a crawl, where that is asked for: the live page, and metrics."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from crawler.config import Job
from crawler.observe.meter import Meter
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
        say(f"Live page: http://{_shown(address[0], live.port)}/")
        yield live


@contextmanager
def metered(job: Job, address: Address | None) -> Iterator[Meter | None]:
    """Serve the metrics of a job's run at an address while the context lasts, if one is given.

    Raises ConfigError, before anything has begun, where that cannot be.
    """
    if address is None:
        yield None
        return
    from crawler.observe.metrics import serving  # few ask for it, and it is of an extra

    with serving(*address, job.dedup.method.value) as meter:
        say(f"Metrics: http://{_shown(address[0], meter.port)}/metrics")
        yield meter


def _shown(host: str, port: int) -> str:
    """Return an address as a URL has it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
