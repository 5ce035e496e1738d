"""A run seen from the outside: event loop, signals, and a summary however it ended."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from crawler.console import Say
from crawler.errors import CrawlerError, StoreError
from crawler.storage.store import Store
from crawler.storage.summary import write_summary
from crawler.storage.tables import REPEAT
from crawler.storage.view import begun

log = logging.getLogger(__name__)


class Work(Protocol):
    """What runs until it is done or a signal comes: a crawl, or the judging of a corpus."""

    async def run(self) -> None:
        """Do the work."""

    def stop(self) -> None:
        """Finish what is under way and begin nothing more."""

    def cancel(self) -> None:
        """Drop what is under way."""


def run_work(make: Callable[[], Work], store: Store, say: Say) -> int:
    """Do the work that `make` makes; `summary.json` is written however it ended.

    Returns 0, or 128 + the signal that stopped it. Raises StoreError; KeyboardInterrupt where
    Ctrl-C comes before the loop listens for it, with what to do where `resume` could not go on.
    """
    try:
        code = run_loop(make, say)
    except KeyboardInterrupt:
        if not begun(store.directory):
            say(f"Stopped before anything was stored; {REPEAT}.")
        raise
    except CrawlerError:
        with suppress(StoreError):  # what stopped the work may stop this too, and is told first
            write_summary(store.directory)
        raise
    write_summary(store.directory)
    return code


def run_loop(make: Callable[[], Work], say: Say) -> int:
    """Do the work that `make` makes; return 0, or 128 + the signal that stopped it."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        log.info("event loop: %s", type(runner.get_loop()).__module__)
        return runner.run(_run(make(), say))


async def _run(work: Work, say: Say) -> int:
    signals = _Signals(work, say)
    with signals:
        try:
            await work.run()
        except asyncio.CancelledError:  # by the second signal, where the work runs in this task
            if not signals.received:
                raise
    return 128 + signals.received if signals.received else 0


class _Signals:
    """The first SIGINT, SIGTERM or SIGHUP drains the work, the second drops what is under way.

    SIGHUP comes when a terminal is closed; where it is ignored (`nohup`) it stays ignored.
    """

    def __init__(self, work: Work, say: Say) -> None:
        self._work = work
        self._say = say
        self.received = 0
        self._numbers = [signal.SIGINT, signal.SIGTERM]
        if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            self._numbers.append(signal.SIGHUP)

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        for number in self._numbers:
            loop.add_signal_handler(number, self._receive, number)

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for number in self._numbers:
            loop.remove_signal_handler(number)

    def _receive(self, number: int) -> None:
        log.info("%s: %s", signal.Signals(number).name, "drop" if self.received else "drain")
        if self.received:
            self._work.cancel()
            return
        self.received = number
        self._say(
            "Stopping: waiting for the pages in progress; press Ctrl-C or send the signal again to "
            "drop them."
        )
        self._work.stop()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    with suppress(ImportError):
        import uvloop

        return uvloop.new_event_loop
    return None
