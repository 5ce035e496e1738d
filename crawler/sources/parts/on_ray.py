"""Tasks on a Ray cluster, which carries and restarts them and holds nothing: all lies in files."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from crawler.errors import CrawlerError, StoreError
from crawler.ray_cluster import ray_cluster
from crawler.sources.parts.driver import Executor, Task

AHEAD = 2
"""Tasks under way a processor: one in it, one that waits for it."""


@contextmanager
def on_ray(address: str | None = None, processes: int | None = None) -> Iterator[Executor]:
    """Yield who does tasks on the cluster at an address, or on a private one (`ray_cluster`).

    A task has one of the processors. One whose process or machine is lost is done again, three
    times by default. What a task raised is raised as it was, what happened to Ray as StoreError.
    """
    with ray_cluster(address, "--engine ray", processes) as ray:
        remote = ray.remote(num_cpus=1)(_do)
        most = AHEAD * int(ray.cluster_resources().get("CPU", 1))

        async def done(tasks: Sequence[Task]) -> AsyncGenerator[None, None]:
            waiting = deque(tasks)
            running: dict[asyncio.Future[None], Any] = {}
            try:
                while waiting or running:
                    while waiting and len(running) < most:
                        reference = remote.remote(waiting.popleft())
                        running[asyncio.wrap_future(reference.future())] = reference
                    ended, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                    for one in ended:
                        del running[one]
                        one.result()
                        yield
            except ray.exceptions.RayTaskError as error:
                cause = error.cause
                raise cause if isinstance(cause, CrawlerError) else error from None
            except ray.exceptions.RayError as error:
                raise StoreError(f"a task was lost: {error}; the same command goes on") from None
            finally:
                for future, reference in running.items():
                    future.cancel()
                    ray.cancel(reference)

        yield done


def _do(task: Task) -> None:
    task()
