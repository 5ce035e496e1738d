"""Pages read in this process, for tests that are about anything but the processes for that."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Self

import pytest

from crawler.workers import analyser, pool
from crawler.workers.messages import HEADER, Start
from crawler.workers.process import ForkServer, cannot_start


class NoProcess:
    """Stands for an `AnalysisProcess`: the same frames, answered by the worker's own code here.

    It saves a second of CPU a process. Nothing can hang, crash or be killed in it, and its memory
    has no bound.
    """

    usable = True
    computed_s = 0.0

    def __init__(self, fork_server: ForkServer) -> None:
        self._prepared = _prepared(_opened(fork_server.start))

    @classmethod
    async def spawn(cls, fork_server: ForkServer) -> Self:
        """See AnalysisProcess."""
        return cls(fork_server)

    async def warm_up(self) -> None:
        """See AnalysisProcess."""
        if self._prepared.trouble:
            raise cannot_start(self._prepared.trouble)

    def ask(self, framed: bytes) -> asyncio.Future[Any]:
        """See AnalysisProcess; others have their turn before it begins."""
        return asyncio.create_task(self._answered(framed))

    async def _answered(self, framed: bytes) -> Any:
        answer, _ = analyser._answer(self._prepared.analyser, *_opened(framed))
        return _opened(answer)

    def kill(self) -> None:
        """See AnalysisProcess."""

    async def gone(self) -> None:
        """See AnalysisProcess."""


@contextmanager
def no_processes() -> Iterator[None]:
    """Have pools of this process read pages here while the context lasts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "AnalysisProcess", NoProcess)
        yield


_warm: set[tuple[object, ...]] = set()
"""What has been warmed up here with which settings: to do so again would load nothing more."""


def _prepared(start: Start) -> analyser.Prepared:
    settings = start.settings
    key = (start.make, *map(repr, (start.extractors, settings.extract, settings.dedup)))
    if key in _warm:
        with suppress(Exception):  # which `prepare` describes
            return analyser.Prepared(analyser.made_for(start), "")
    prepared = analyser.prepare(start)
    if not prepared.trouble:
        _warm.add(key)
    return prepared


def _opened(framed: bytes) -> Any:
    return pickle.loads(framed[HEADER.size :])
