"""What became of each URL as a line (`--verbose`), and which hosts are put aside or come back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from crawler.frontier.sight import HostState
from crawler.live.feed import entry
from crawler.observe.watching import Steering
from crawler.printing import Level, Message, Say
from crawler.records import Batch

LOOKED_EVERY_S = 1.0
"""Seconds between two looks at what is put aside."""
MOST_ASIDE = 200
"""Hosts that are looked at."""


class Verdicts:
    """Watches one run and tells it all."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._aside: dict[str, str] = {}

    def add(self, batch: Batch) -> None:
        """Tell how a URL ended."""
        if not batch.lines:
            return
        told = entry(batch)
        verdict = told["verdict"] or told["state"]
        like = f" -> {told['of']}" if told["of"] else ""
        why = f" ({told['why']})" if told["why"] else ""
        text = f"{told['state']} {verdict}: {told['url']}{like}{why}"
        self._say(Message(text, Level.DETAIL, "page", **told))

    @asynccontextmanager
    async def watching(self, run: Steering) -> AsyncIterator[None]:
        """Tell of hosts that are put aside while the context lasts."""
        looking = asyncio.create_task(self._look_again_and_again(run))
        try:
            yield
        finally:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking

    async def _look_again_and_again(self, run: Steering) -> None:
        while True:
            self.look(run)
            await asyncio.sleep(LOOKED_EVERY_S)

    def look(self, run: Steering) -> None:
        """Tell of hosts that were put aside, or came back, since the last look."""
        aside = {
            host.name: host.why
            for host in run.look((), MOST_ASIDE).hosts
            if host.state in (HostState.ASIDE, HostState.TRIED)
        }
        for name in aside.keys() - self._aside.keys():
            self._tell(name, "put aside", aside[name])
        for name in self._aside.keys() - aside.keys():
            self._tell(name, "no longer put aside", "")
        self._aside = aside

    def _tell(self, name: str, what: str, why: str) -> None:
        text = f"{name}: {what}" + (f": {why}" if why else "")
        self._say(Message(text, Level.DETAIL, "host", host=name, state=what, why=why or None))
