"""What watches the run of a crawl: banner, panel, verdicts; if asked for, live page and metrics."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from crawler.commands.banner import Banner
from crawler.config import Job
from crawler.observe.meter import Meter
from crawler.observe.voices import Terminal
from crawler.observe.watching import Together, Watcher
from crawler.printing import Level, say, voice

Address = tuple[str, int]
"""Host and port."""


@contextmanager
def watched(job: Job, address: Address | None) -> Iterator[Watcher]:
    """Watch a job's run while the context lasts, as the flags ask for, maybe by a live page, too.

    Raises ConfigError, before anything has begun, where its address cannot be held.
    """
    watchers = _told(job)
    if address is None:
        yield Together(watchers)
        return
    from crawler.live.page import LivePage  # few ask for it
    from crawler.live.server import listening

    with listening(*address, LivePage(job.output)) as live:
        say(f"Live page: http://{_shown(address[0], live.port)}/")
        yield Together([*watchers, live])


def _told(job: Job) -> list[Watcher]:
    """Return what tells of a run in the terminal or log."""
    by = voice()
    watchers: list[Watcher] = [Banner(job)]
    if isinstance(by, Terminal):
        from crawler.live.panel import Panel  # no pipe needs it

        watchers.append(Panel(by, job.limits))
    if getattr(by, "least", Level.PROGRESS) <= Level.DETAIL:
        from crawler.live.verdicts import Verdicts  # few ask for it

        watchers.append(Verdicts(say))
    return watchers


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
