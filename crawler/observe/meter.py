"""Who measures a crawl, as the crawl sees it: `metrics`, which needs a package that few have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from crawler.records import Batch

Reading = Mapping[tuple[str, str], float]
"""(name, label) -> value now, names as in `metrics.GAUGES`; the label is empty where a gauge has
none."""


class Meter(Protocol):
    """Counts ends and verdicts, and asks for gauges when it is read itself."""

    def add(self, batch: Batch) -> None:
        """Count a URL's end."""

    def judged(self, seconds: float) -> None:
        """Note how long a verdict took."""

    def reading(self, read: Callable[[], Reading]) -> AbstractContextManager[None]:
        """Ask this for the gauges, from any thread, while the context lasts."""
