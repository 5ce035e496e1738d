"""Ray as the engine: it places roles, restarts them and carries their calls, and holds no truth.

The only module that knows Ray (https://docs.ray.io), which is of an extra. Each role is an actor by
its name, which Ray makes anew where its process or machine has gone; what is called meanwhile fails
with `Gone`, and is called again.
"""

from __future__ import annotations

import logging
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from crawler.cluster.carrier import SEQUENCER
from crawler.cluster.host import Host
from crawler.cluster.messages import Gone
from crawler.config.job import Cluster
from crawler.console import Say, progress
from crawler.errors import ConfigError

log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
CONCURRENT = 1_000
"""Calls of one actor under way at once: Ray's own default for actors with coroutines."""
CALL_S = 60.0
"""After which a call that has no answer is taken for lost: it is made again, by its number."""


def load_ray(settings: Cluster) -> Any:
    """Return the module of Ray. Raises ConfigError where it is not installed."""
    # Ray would tell its makers what runs here, and take calls of anybody who reaches its ports. It
    # reads this as it is imported.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if settings.address is None:
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    with suppress(ImportError):
        import ray

        if hasattr(ray, "init"):  # a directory of this name is a package, too: Ray's own in /tmp
            return ray
    raise ConfigError(
        "a crawl of several partitions needs Ray: pip install 'inline-crawler[cluster]'"
    )


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
        except (exceptions.RayActorError, exceptions.GetTimeoutError) as error:
            self._handles.pop(role, None)
            raise Gone(f"{role}: {error}") from error


class RayEngine:
    """Starts a Ray cluster of this machine alone, or joins the one that the job names."""

    def __init__(self, root: Path, settings: Cluster, say: Say) -> None:
        load_ray(settings)
        self._root = root.absolute()
        self._settings = settings
        self._say = say
        self._actors: dict[str, Any] = {}

    @property
    def carrier(self) -> RayCarrier:
        """What calls the roles."""
        return self._carrier

    async def start(self, roles: list[str]) -> None:
        """See Engine. Raises ConfigError where the cluster cannot be joined."""
        ray, address = load_ray(self._settings), self._settings.address
        place = f"on {LOOPBACK} alone" if address is None else f"at {address}"
        self._say(progress(f"Starting Ray {place}, and {len(roles)} processes ..."))
        own: dict[str, Any] = {"include_dashboard": False, "_node_ip_address": LOOPBACK}
        try:
            ray.init(
                address=address or "local",
                namespace=f"crawler-{self._root}",
                configure_logging=False,
                log_to_driver=False,
                **(own if address is None else {}),
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ConfigError(f"cluster.address {address}: {error}") from error
        self._carrier = RayCarrier()
        for role in roles:
            self._actors[role] = self._place(role)

    def _place(self, role: str) -> Any:
        import ray

        kind = "judge" if role == SEQUENCER or role.startswith("shard") else role
        resource = self._settings.place.get(kind.replace("partition-", "p"))
        remote: Any = ray.remote(Host)
        return remote.options(
            name=role,
            get_if_exists=True,
            max_restarts=-1,
            max_concurrency=CONCURRENT,
            num_cpus=0,
            resources={resource: 0.001} if resource else None,
        ).remote(role, self._root, RayCarrier(), log.info)

    async def end(self) -> None:
        """See Engine."""
        import ray

        for actor in self._actors.values():
            ray.kill(actor)
        ray.shutdown()
