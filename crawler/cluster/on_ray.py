"""Ray as the engine: it places roles, restarts them and carries their calls, and holds no truth.

Each role is an actor by its name, which Ray makes anew where its process or machine has gone; what
is called meanwhile fails with `Gone`, and is called again. `crawler.ray_cluster` starts Ray.
"""

from __future__ import annotations

import logging
from contextlib import ExitStack
from typing import Any

from crawler.cluster.carrier import SEQUENCER
from crawler.cluster.host import Host
from crawler.cluster.protocol import Gone
from crawler.cluster.root import Root
from crawler.console import Say, progress
from crawler.ray_cluster import LOOPBACK, load_ray, ray_cluster

log = logging.getLogger(__name__)

CONCURRENT = 1_000
"""Calls of one actor under way at once: Ray's own default for actors with coroutines."""
NEEDED_BY = "a crawl of several partitions"


class RayCarrier:
    """Calls actors of a namespace by their names."""

    def __init__(self) -> None:
        self._handles: dict[str, Any] = {}

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """See Carrier."""
        import ray
        from ray import exceptions

        handle = self._handles.get(role)
        if handle is None:
            try:
                handle = self._handles[role] = ray.get_actor(role)
            except ValueError as error:
                raise Gone(f"{role} is not there yet") from error
        try:
            return await handle.call.remote(method, *args)
        except exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, Exception) else error from None
        except exceptions.RayError as error:  # of the way there: it may have run, or not
            self._handles.pop(role, None)
            raise Gone(f"{role}: {error}") from error


class RayEngine:
    """Runs roles on a Ray cluster of this machine alone, or on the one that the job names."""

    def __init__(self, root: Root, say: Say) -> None:
        """Raises ConfigError where Ray is not installed."""
        self._root = root
        self._settings = root.job.cluster
        load_ray(self._settings.address, NEEDED_BY)
        self._say = say
        self._stack = ExitStack()
        self._actors: list[Any] = []
        self.carrier = RayCarrier()

    async def start(self, roles: list[str]) -> None:
        """See Engine. Raises ConfigError where the cluster cannot be joined."""
        address = self._settings.address
        place = f"at {address}" if address else f"on {LOOPBACK} alone"
        self._say(progress(f"Starting {len(roles)} processes by Ray {place} ..."))
        namespace = f"crawler-{self._root.path.absolute()}"
        self._ray = self._stack.enter_context(ray_cluster(address, NEEDED_BY, namespace=namespace))
        self._actors = [self._place(role) for role in roles]

    def _place(self, role: str) -> Any:
        is_of_judge = role == SEQUENCER or role.startswith("shard")
        name = "judge" if is_of_judge else role.replace("partition-", "p")
        resource = self._settings.place.get(name)
        return (
            self._ray.remote(Host)
            .options(
                name=role,
                max_restarts=-1,
                max_concurrency=CONCURRENT,
                num_cpus=0,
                resources={resource: 0.001} if resource else None,
            )
            .remote(role, self._root, RayCarrier(), log.info)
        )

    async def end(self) -> None:
        """See Engine."""
        for actor in self._actors:
            self._ray.kill(actor)
        self._stack.close()
