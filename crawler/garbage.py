"""Garbage collection beside objects that last: what a program has loaded, and what a crawl knows.

A full collection walks over all objects there are, .4 s with a million pages, and the event loop
hears nothing meanwhile. What it has just walked over and found in use need not be walked over
again: it is *frozen*, freed as soon as nobody refers to it, but looked at by no collection.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

LONG_S = 0.03
"""A full collection that takes so long is the last one of the objects it left; the next one comes
when a quarter as many are there again. So none takes much longer."""

_FULL = 2
"""The generation of a full collection."""


@contextmanager
def lasting_objects() -> Iterator[None]:
    """Make objects that last as long as the crawl or the program; they are looked at by nobody."""
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


@contextmanager
def short_collections(clock: Callable[[], float] = time.perf_counter) -> Iterator[None]:
    """Freeze what long full collections leave; unfrozen at the end is all that is frozen by then.

    Objects are frozen just after they were found in use, so none is garbage then. Those that become
    garbage later in cycles, as what 32 pages under way refer to may, stay until the end: a few
    hundred for each half million objects.
    """
    begun_s = 0.0

    def hear(phase: str, collected: Mapping[str, Any]) -> None:
        nonlocal begun_s
        if collected["generation"] != _FULL:
            return
        if phase == "start":
            begun_s = clock()
        elif clock() - begun_s >= LONG_S:
            gc.freeze()

    gc.callbacks.append(hear)
    try:
        yield
    finally:
        gc.callbacks.remove(hear)
        gc.unfreeze()
