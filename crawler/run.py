"""A run seen from the outside: event loop, signals, `summary.json`."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from crawler.config import Job
from crawler.crawl import Crawl
from crawler.errors import CrawlerError, StoreError
from crawler.frontier import cut_records
from crawler.handover import TRAPS
from crawler.observe import summarise
from crawler.storage import SUMMARY, Store, StoreView, reading

Say = Callable[[str], None]


class Work(Protocol):
    """What runs until it is done or a signal comes: a crawl, or the judging of a corpus."""

    async def run(self) -> None:
        """Do the work."""

    def stop(self) -> None:
        """Finish what is under way and begin nothing more."""

    def cancel(self) -> None:
        """Drop what is under way."""


def run(job: Job, store: Store, say: Say) -> int:
    """Run a job over an opened store; return 0, or 128 + the signal that stopped it.

    The summary is written to `summary.json` however the run ended. Raises StoreError.
    """
    return run_work(lambda: Crawl(job, store, report=say), store, say)


def run_work(make: Callable[[], Work], store: Store, say: Say) -> int:
    """Do the work that `make` makes, as `run` does a crawl."""
    try:
        code = run_loop(make, say)
    except CrawlerError:
        with suppress(StoreError):  # what stopped the work may stop this too, and is told first
            write_summary(store.directory)
        raise
    write_summary(store.directory)
    return code


def run_loop(make: Callable[[], Work], say: Say) -> int:
    """Do the work that `make` makes; return 0, or 128 + the signal that stopped it."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(_run(make(), say))


def read_summary(view: StoreView) -> dict[str, Any]:
    """Return the summary of a crawl as its store stands now."""
    with reading(view.directory):
        accounting = view.accounting()
        return summarise(
            accounting.outcomes,
            [*accounting.problems, *view.lost_lines()],
            view.totals,
            view.meta("runs", []),
            view.host_count(),
            _cuts(view),
        )


def _cuts(view: StoreView) -> list[dict[str, Any]]:
    """Return what the trap rule cut; nothing where the last run had it turned off."""
    job = view.meta("job") or {}
    enabled = job.get("traps", {}).get("enabled", True)
    return cut_records(view.meta(TRAPS, {})) if enabled else []


def write_summary(directory: Path) -> None:
    """Write `summary.json` in one step, so that no reader finds half of it.

    Raises StoreError where the directory cannot be read or written.
    """
    with StoreView.read(directory) as view:
        summary = json.dumps(read_summary(view), indent=2) + "\n"
    path = directory / SUMMARY
    part = path.with_suffix(".json.part")
    try:
        part.write_text(summary, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise StoreError(
            f"{path}: cannot be written: {error.strerror}. The state and all lines are safe; put "
            "it right (free space, permissions), then the same again or `resume` writes it"
        ) from None


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
    """The first SIGINT or SIGTERM drains the work, the second drops what is under way."""

    def __init__(self, work: Work, say: Say) -> None:
        self._work = work
        self._say = say
        self.received = 0

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._receive, number)

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

    def _receive(self, number: int) -> None:
        if self.received:
            self._work.cancel()
            return
        self.received = number
        self._say("Stopping: pages under way are finished; once more to drop them.")
        self._work.stop()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    with suppress(ImportError):
        import uvloop

        return uvloop.new_event_loop
    return None
