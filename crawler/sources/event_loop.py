"""A run seen from the outside: event loop, signals, and a summary however it ended."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

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
    factory: Callable[[], asyncio.AbstractEventLoop] | None = None
    with suppress(ImportError):
        from uvloop import new_event_loop as factory
    with asyncio.Runner(loop_factory=factory) as runner:
        log.info("event loop: %s", type(runner.get_loop()).__module__)
        return runner.run(_run(make(), say))


async def _run(work: Work, say: Say) -> int:
    """The first SIGINT, SIGTERM or SIGHUP drains the work, the second drops what is under way.

    SIGHUP comes when a terminal is closed; where it is ignored (`nohup`) it stays ignored.
    """
    received: list[int] = []

    def receive(number: int) -> None:
        log.info("%s: %s", signal.Signals(number).name, "drop" if received else "drain")
        received.append(number)
        if len(received) > 1:
            work.cancel()
            return
        say(
            "Stopping: waiting for the pages in progress; press Ctrl-C or send the signal again to "
            "drop them."
        )
        work.stop()

    numbers = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    loop = asyncio.get_running_loop()
    for number in numbers:
        loop.add_signal_handler(number, receive, number)
    try:
        await work.run()
    except asyncio.CancelledError:  # by the second signal, where the work runs in this task
        if not received:
            raise
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
    return 128 + received[0] if received else 0


async def until_any(
    *waited: asyncio.Future[Any] | asyncio.Event, timeout: float | None = None
) -> bool:
    """Wait until one of these is done or set, which cancels none; False: it took too long."""
    events = [asyncio.create_task(one.wait()) for one in waited if isinstance(one, asyncio.Event)]
    either = {*events, *(one for one in waited if isinstance(one, asyncio.Future))}
    try:
        done, _ = await asyncio.wait(either, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for event in events:
            event.cancel()
    return bool(done)
