"""How much of the disk a crawl has taken, and how much is left: where it has enough, it stops.

Looked at once a moment, however many pages come: a page more or less is no matter, and a directory
of many files takes milliseconds to measure.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.printing import Say

if TYPE_CHECKING:
    from crawler.config.sections.reach import Limits

EVERY_S = 2.0
"""Seconds between two looks; `progress_s`, where that is shorter."""


class Disk:
    """Holds a directory against the limits of a job; nothing is measured where it sets none."""

    def __init__(self, limits: Limits, directory: Path, report: Say) -> None:
        self._most = limits.disk
        self._least_free = limits.free_disk
        self._directory = directory
        self._report = report
        self.full = False
        """Whether a limit was reached; the run begins no new page."""

    async def look(self) -> None:
        """Measure once."""
        if self.full or (self._most is None and self._least_free is None):
            return
        why = await asyncio.to_thread(self._why)
        if why is not None:
            self.full = True
            self._report(f"{why}: waiting for the pages in progress.")

    async def watch(
        self,
        every_s: float,
        reached: Callable[[], None],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Measure again and again until a limit is reached; then tell so, and return."""
        if self._most is None and self._least_free is None:
            return
        while not self.full:
            await sleep(min(every_s, EVERY_S))
            await self.look()
        reached()

    def _why(self) -> str | None:
        if self._most is not None and (used := used_bytes(self._directory)) >= self._most:
            return f"{used:,} bytes on disk, and limits.disk is {self._most:,}"
        if self._least_free is not None:
            free = free_bytes(self._directory)
            if free < self._least_free:
                return f"{free:,} bytes free on disk, and limits.free_disk is {self._least_free:,}"
        return None


def free_bytes(directory: Path) -> int:
    """Return how many bytes this user may still write to the disk of a directory."""
    return shutil.disk_usage(directory).free


def used_bytes(directory: Path) -> int:
    """Return the bytes of all files in a directory and below; links are not followed."""
    used, waiting = 0, [str(directory)]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                    continue
                with suppress(OSError):  # a journal of SQLite comes and goes
                    used += entry.stat(follow_symlinks=False).st_size
    return used
