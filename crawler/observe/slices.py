"""Long work of the event loop, cut in slices: between two of them signals and sockets are heard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from itertools import islice
from typing import TypeVar

_Item = TypeVar("_Item")


async def in_slices(items: Iterable[_Item], size: int) -> AsyncIterator[list[_Item]]:
    """Yield lists of at most `size` items, letting everything else run before each but the first.

    Items are taken from their iterator slice by slice, so what makes them is cut as well.
    """
    iterator = iter(items)
    while some := list(islice(iterator, size)):
        yield some
        await asyncio.sleep(0)
