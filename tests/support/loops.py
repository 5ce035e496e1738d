"""The event loop's turns, counted beside what is under test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class Turns:
    """Turns that another task has had."""

    count: int = 0


@asynccontextmanager
async def other_turns() -> AsyncIterator[Turns]:
    """Count the turns of a task that takes each one it gets."""
    turns = Turns()

    async def take() -> None:
        while True:
            turns.count += 1
            await asyncio.sleep(0)

    taking = asyncio.create_task(take())
    try:
        yield turns
    finally:
        taking.cancel()
