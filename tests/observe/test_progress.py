"""How a crawl is doing: the lines that it prints while it runs."""

from __future__ import annotations

from typing import Any, cast

from crawler.models import PageOutcome, UrlState
from crawler.observe.progress import Progress
from crawler.observe.summary import Tally


class Clock:
    """A clock that stands still until told."""

    now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


class Queue:
    """A frontier as progress sees it."""

    pending = 40
    hosts = 3
    aside = 0


async def test_a_progress_line_tells_rate_and_counts() -> None:
    """The rate is that since the last line; a final line is reported on the way out."""
    lines: list[str] = []
    tally, clock = Tally({}), Clock()
    queue = cast("Any", Queue)
    progress = Progress(tally, queue, 3600.0, lines.append, clock, waits=lambda: "for a.test")
    async with progress:
        for n in range(20):
            tally.add(PageOutcome(n, UrlState.STORED))
        clock.now = 4.0
        line = progress.line()
        clock.now = 3725.0
    assert "20 pages (5.0/s)" in line
    assert "for a.test" not in line
    assert "for a.test" in lines[0], "no page came since"
    assert "40 pending on 3 hosts" in line
    assert len(lines) == 1
    assert lines[0].startswith("1:02:05")
    assert "(0.0/s)" in lines[0]


def test_the_page_limit_counts_what_earlier_runs_fetched() -> None:
    """A tally begins with the ends in the store; stored pages and duplicates are pages."""
    assert Tally({UrlState.STORED: 11, UrlState.DUPLICATE: 7, UrlState.REDIRECT: 2}).pages == 18
