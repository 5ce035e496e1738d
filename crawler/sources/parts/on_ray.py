"""Tasks on a Ray cluster: a private one on this machine, or one that is there.

Ray carries and restarts tasks and holds nothing: all lies in files. It runs what anyone who reaches
it sends, so a private cluster has a token and listens to this machine alone.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import secrets
import sys
import tempfile
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from crawler.errors import ConfigError, CrawlerError, StoreError
from crawler.sources.parts.run import Task

AHEAD = 2
"""Tasks under way a processor: one in it, one that waits for it."""

_OBJECTS_BYTES = 100_000_000
"""Of shared memory, the least that Ray takes: nothing but tasks passes through it."""

_SESSIONS = "/tmp" if sys.platform != "win32" else None
"""Where Ray's own files lie while a private cluster is there. Names of sockets have 107 bytes at
most, and Ray's are long: a directory of the user's own choice may be too deep."""

LOOPBACK = "127.0.0.1"

_PRIVATE = {
    "RAY_AUTH_MODE": "token",
    "RAY_USAGE_STATS_ENABLED": "0",
    # Elsewhere it would put the machine's own address in the place of the loopback one.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}


def check_installed() -> None:
    """Raise ConfigError where Ray is not installed."""
    if importlib.util.find_spec("ray") is None:
        raise ConfigError(
            "--engine ray needs Ray, which is not installed: pip install 'inline-crawler[cluster]'"
        )


@contextmanager
def on_ray(address: str | None = None, processes: int | None = None) -> Iterator[OnRay]:
    """Yield who does tasks on the cluster at an address, or on a private one.

    That has as many `processes`, one for each core by default, and ends with the context. Raises
    ConfigError where there is no Ray, no such cluster, or it refuses us.
    """
    check_installed()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if address is None:
        os.environ.update(_PRIVATE, RAY_AUTH_TOKEN=secrets.token_hex(32))
    import ray

    quiet = {"log_to_driver": False, "configure_logging": False, "logging_level": "ERROR"}
    with tempfile.TemporaryDirectory(
        prefix="ray-", dir=_SESSIONS, ignore_cleanup_errors=True
    ) as directory:
        private = {
            "num_cpus": processes,
            "include_dashboard": False,
            "object_store_memory": _OBJECTS_BYTES,
            "_node_ip_address": LOOPBACK,
            "_temp_dir": directory,
        }
        try:
            ray.init(**quiet, **({"address": address} if address else private))
        except (OSError, RuntimeError, ValueError) as error:
            raise ConfigError(f"no Ray cluster to judge on: {error}") from error
        try:
            if address is None and ray.util.get_node_ip_address() != LOOPBACK:
                raise ConfigError("this version of Ray does not keep to this machine")
            yield OnRay(ray, int(ray.cluster_resources().get("CPU", 1)))
        finally:
            ray.shutdown()


class OnRay:
    """See `crawler.sources.parts.run.Executor`. A task has one of the `processors`.

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
