"""Ray as the engine: it places roles, restarts them and carries their calls, and holds no truth.

Each role is an actor by its name, which Ray makes anew where its process or machine has gone; what
is called meanwhile fails with `Gone`, and is called again. `crawler.ray_cluster` starts Ray.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import ExitStack
from typing import Any

from crawler.cluster.host import Host
from crawler.cluster.protocol import SEQUENCER, Gone
from crawler.cluster.root import Root
from crawler.console import Say, progress
from crawler.ray_cluster import LOOPBACK, load_ray, ray_cluster

log = logging.getLogger(__name__)

CONCURRENT = 1_000
"""Calls of one actor under way at once: Ray's own default for actors with coroutines."""
ANSWERED_S = 60.0
"""After which a call is held for lost: a process that was stopped, or a machine that was cut off,
takes calls for a while and answers none. What takes longer runs on, and is called again."""
NEEDED_BY = "a crawl of several partitions"


class RayCarrier:
    """Calls actors of a namespace by their names."""

    def __init__(self) -> None:
        self._handles: dict[str, Any] = {}
        self._looking = asyncio.Lock()

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """See Carrier."""
        import ray
        from ray import exceptions

        try:
            async with asyncio.timeout(ANSWERED_S):
                handle = self._handles.get(role) or await self._found(ray, role)
                return await handle.call.remote(method, *args)
        except exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, Exception) else error from None
        except exceptions.RayError as error:  # of the way there: it may have run, or not
            self._handles.pop(role, None)
            raise Gone(f"{role}: {error}") from error
        except TimeoutError as late:
            raise Gone(f"{role}: no answer to {method} within {ANSWERED_S:g} s") from late

    async def _found(self, ray: Any, role: str) -> Any:
        async with self._looking:
            if role not in self._handles:
                try:  # where the head of the cluster does not answer, this waits for long
                    self._handles[role] = await asyncio.to_thread(ray.get_actor, role)
                except ValueError as error:
                    raise Gone(f"{role} is not there yet") from error
            return self._handles[role]


class RayEngine:
    """Runs roles on a Ray cluster of this machine alone, or on the one that the job names."""

    def __init__(self, root: Root, say: Say) -> None:
        """Raises ConfigError where Ray is not installed."""
        self._root = root
        self._settings = root.job.cluster
        load_ray(self._settings.address, NEEDED_BY)
        self._say = say
        self._stack = ExitStack()
        self._actors: dict[str, Any] = {}
        self.carrier = RayCarrier()

    async def start(self, roles: list[str]) -> None:
        """See Engine. Raises ConfigError where the cluster cannot be joined."""
        address = self._settings.address
        place = f"at {address}" if address else f"on {LOOPBACK} alone"
        self._say(progress(f"Starting {len(roles)} processes by Ray {place} ..."))
        namespace = f"crawler-{self._root.path.absolute()}"
        self._ray = self._stack.enter_context(ray_cluster(address, NEEDED_BY, namespace=namespace))
        self._actors = {role: self._place(role) for role in roles}

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

    async def replace(self, role: str) -> None:
        """See Engine. Ray kills its process, if it reaches it, and begins another."""
        self._ray.kill(self._actors[role], no_restart=False)

    async def end(self) -> None:
        """See Engine."""
        for actor in self._actors.values():
            self._ray.kill(actor)
        self._stack.close()
