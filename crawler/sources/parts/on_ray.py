"""Tasks on a Ray cluster, which carries and restarts them and holds nothing: all lies in files."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from crawler.errors import CrawlerError, StoreError
from crawler.ray_cluster import ray_cluster
from crawler.sources.parts.driver import Task

AHEAD = 2
"""Tasks under way a processor: one in it, one that waits for it."""


@contextmanager
def on_ray(address: str | None = None, processes: int | None = None) -> Iterator[OnRay]:
    """Yield who does tasks on the cluster at an address, or on a private one (`ray_cluster`)."""
    with ray_cluster(address, "--engine ray", processes) as ray:
        yield OnRay(ray, int(ray.cluster_resources().get("CPU", 1)))


class OnRay:
    """See `crawler.sources.parts.driver.Executor`. A task has one of the `processors`.

    One whose process or machine is lost is done again, three times by default.
    """

    def __init__(self, ray: Any, processors: int) -> None:
        self._ray = ray
        self._processors = processors
        self._remote = ray.remote(num_cpus=1)(_do)

    async def done(self, tasks: Sequence[Task]) -> AsyncGenerator[None, None]:
        """See Executor."""
        waiting = deque(tasks)
        running: dict[asyncio.Future[None], Any] = {}
        try:
            while waiting or running:
                while waiting and len(running) < AHEAD * self._processors:
                    reference = self._remote.remote(waiting.popleft())
                    running[asyncio.wrap_future(reference.future())] = reference
                ended, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for one in ended:
                    del running[one]
                    self._check(one)
                    yield
        finally:
            for future, reference in running.items():
                future.cancel()
                self._ray.cancel(reference)

    def _check(self, ended: asyncio.Future[None]) -> None:
        """Raise what a task raised as it raised it, and what happened to Ray as StoreError."""
        try:
            ended.result()
        except self._ray.exceptions.RayTaskError as error:
            cause = error.cause
            raise cause if isinstance(cause, CrawlerError) else error from None
        except self._ray.exceptions.RayError as error:
            raise StoreError(f"a task was lost: {error}; the same command goes on") from None


def _do(task: Task) -> None:
    task()
