"""Ray (https://docs.ray.io, an extra): a private cluster of this machine, or one that is there.

Ray carries and restarts what it is given and holds no truth of ours. It runs what anyone who
reaches it sends, so a private cluster has a token and listens to this machine alone.
"""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from crawler.errors import ConfigError, NotInstalled

_OBJECTS_BYTES = 100_000_000
"""Of shared memory, the least that Ray takes: nothing but calls passes through it."""

_SESSIONS = "/tmp" if sys.platform != "win32" else None
"""Where Ray's own files lie while a private cluster is there. Names of sockets have 107 bytes at
most, and Ray's are long: a directory of the user's own choice may be too deep."""

LOOPBACK = "127.0.0.1"

_PRIVATE = {
    "RAY_AUTH_MODE": "token",
    # Elsewhere it would put the machine's own address in the place of the loopback one.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}


def load_ray(address: str | None, what: str) -> Any:
    """Return the module of Ray, set up for a cluster at an address or a private one.

    Raises NotInstalled, which says `what` needs it.
    """
    # It reads these as it is imported. Else it would tell its makers what runs here.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if address is None:
        os.environ.update(_PRIVATE)
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    with suppress(ImportError):
        import ray

        if hasattr(ray, "init"):  # a directory of this name is a package, too: Ray's own in /tmp
            return ray
    raise NotInstalled(what, "Ray", "cluster")


@contextmanager
def ray_cluster(
    address: str | None, what: str, processes: int | None = None, **more: Any
) -> Iterator[Any]:
    """Yield Ray, connected to the cluster at an address or to a private one.

    That has as many `processes`, one for each core by default, and ends with the context; `more`
    are arguments of `ray.init`. Raises ConfigError where there is no Ray, no such cluster, or it
    refuses us.
    """
    ray = load_ray(address, what)
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
            ray.init(**quiet, **more, **({"address": address} if address else private))
        except (OSError, RuntimeError, ValueError) as error:
            raise ConfigError(f"no Ray cluster at {address or LOOPBACK}: {error}") from error
        try:
            if address is None and ray.util.get_node_ip_address() != LOOPBACK:
                raise ConfigError("this version of Ray does not keep to this machine")
            yield ray
        finally:
            ray.shutdown()
