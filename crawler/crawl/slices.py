"""Long work of the event loop, cut in slices: between two of them signals and sockets are heard."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

_Item = TypeVar("_Item")

MANY_OBJECTS = 50_000
"""That have lasted since the last time: a full collection of them takes some 20 ms."""
_OLDEST = 2
"""The generation of objects that outlived two collections."""


@contextmanager
def lasting_objects() -> Iterator[None]:
    """Make objects that last as long as the process, without looks at whether they are garbage.

    A full collection walks over all objects there are: .1 s with the hosts of a large crawl.
    """
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def spare_lasting_objects() -> None:
    """Take what has lasted out of the garbage collector's sight; to be called again and again.

    So a full collection walks over what is new, and not over all hosts: with 100,000 of them that
    took .4 s. What is garbage by then is collected first; what becomes part of a cycle of garbage
    later is not, and there is one such time for every MANY_OBJECTS that last.
    """
    if len(gc.get_objects(generation=_OLDEST)) >= MANY_OBJECTS:
        gc.collect()
        gc.freeze()


async def in_slices(items: Iterable[_Item], size: int) -> AsyncIterator[list[_Item]]:
    """Yield lists of at most `size` items, letting everything else run before each but the first.

    Items are taken from their iterator slice by slice, so what makes them is cut as well.
    """
    iterator = iter(items)
    while some := list(islice(iterator, size)):
        yield some
        await asyncio.sleep(0)
