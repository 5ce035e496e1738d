"""Roles of a crawl in partitions killed by SIGKILL: it loses nothing and doubles nothing.

Real processes: `make soak` has hundreds of these crawls.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

import pytest
from support.parts import PARTITIONS, SHARDS, Ends, check_parts, ends_in, parts_job, run_parts
from support.roles import Death, Processes

from crawler.cluster.protocol import SEQUENCER
from crawler.cluster.root import Root

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it kills by handles of processes")

ROLES = (
    SEQUENCER,
    *(f"shard-{number}" for number in range(SHARDS)),
    *(f"partition-{number}" for number in range(PARTITIONS)),
)
POINTS = {
    "partition": {
        "commit": 12,
        "call hello": 1,
        "call ask": 8,
        "call links": 6,
        "call observe": 4,
        "call renew": 8,
        "call goodbye": 1,
        "run links": 6,
        "run status": 12,
        "run finish": 1,
        "run close": 1,
        "step": 60_000,
    },
    SEQUENCER: {
        "commit": 20,
        "call hello": 2,
        "call look": 20,
        "call rows": 8,
        "call keep": 16,
        "run hello": 4,
        "run ask": 16,
        "run observe": 6,
        "run renew": 8,
        "run goodbye": 4,
        "step": 30_000,
    },
    "shard": {
        "commit": 10,
        "run hello": 1,
        "run look": 12,
        "run rows": 6,
        "run keep": 10,
        "step": 20_000,
    },
}
"""Kind of role -> where its processes die, within how many times that they come there."""
MOST_LIVES = 4
"""Of a role that end by chance."""
MOST_REQUESTS = 90
"""After fewer all roles are killed at once; pages that are lost are asked for again."""
SEEDS, SOAK_SEEDS = 1, 200


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Have as many seeds as are asked for."""
    if "seed" in metafunc.fixturenames:
        soaks = metafunc.config.getoption("--soak")
        metafunc.parametrize("seed", range(SOAK_SEEDS if soaks else SEEDS))


def points_of(role: str) -> dict[str, int]:
    """Return where a role's processes may die."""
    return POINTS[role.partition("-")[0]]


def whens(point: str) -> tuple[str, ...]:
    """Return the moments of a point."""
    if point == "step":
        return ("before",)
    return ("before", "within", "after") if point == "commit" else ("before", "after")


def deaths_by_chance(seed: int) -> dict[str, list[Death]]:
    """Return how each role dies, again and again."""
    chance = random.Random(seed)

    def death(role: str) -> Death:
        points = points_of(role)
        point = chance.choice([*points, "commit", "step"])
        return Death(point, chance.choice(whens(point)), chance.randint(1, points[point]))

    return {role: [death(role) for _ in range(chance.randint(1, MOST_LIVES))] for role in ROLES}


def deaths_at_all_points() -> dict[str, list[Death]]:
    """Deal all points to the roles of their kind, in the order in which a run comes to them."""
    dealt = defaultdict[str, list[Death]](list)
    for kind, points in POINTS.items():
        roles = [role for role in ROLES if role.partition("-")[0] == kind]
        deaths = [Death(point, when) for point in points for when in whens(point)]
        for number, death in enumerate(deaths):
            dealt[roles[number % len(roles)]].append(death)
    return dealt


async def test_roles_that_are_killed_by_chance_lose_nothing(
    tmp_path: Path, calm: Ends, seed: int
) -> None:
    """Killed by chance at commits and calls, then all at once, it ends as if nothing had been."""
    loop, request = asyncio.get_running_loop(), random.Random(seed).randrange(10, MOST_REQUESTS)

    def kill_all() -> None:
        loop.call_soon_threadsafe(running.cancel)

    with parts_job(tmp_path / "out", {request: kill_all}) as job:
        root = Root.create(job.output, job)
        engine = Processes(root.path, deaths_by_chance(seed))
        running = asyncio.create_task(run_parts(root, engine))
        with suppress(asyncio.CancelledError):
            await running
        await run_parts(root, Processes(root.path))
    check_parts(root)
    assert ends_in(root) == calm


async def test_roles_that_are_killed_at_each_point_lose_nothing(tmp_path: Path, calm: Ends) -> None:
    """Killed before and after each kind of call, and in commits, it ends the same."""
    with parts_job(tmp_path / "out") as job:
        root = Root.create(job.output, job)
        engine = Processes(root.path, deaths_at_all_points())
        await run_parts(root, engine)
    assert engine.ends.keys() == {*ROLES}
    check_parts(root)
    assert ends_in(root) == calm
