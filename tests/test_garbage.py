"""Full collections stay short: what a long one has found in use is not looked at again."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from crawler.garbage import LONG_S, lasting_objects, short_collections


class Knot:
    """Garbage that only a collection finds."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture(autouse=True)
def frozen() -> Iterator[int]:
    """Collections come only when a test asks for them, and look at what it makes.

    Return how many objects there were before: all tests and modules, for .4 s a collection.
    """
    gc.disable()
    gc.freeze()
    yield gc.get_freeze_count()
    gc.unfreeze()
    gc.enable()


def test_a_long_collection_is_the_last_one_of_what_it_leaves(frozen: int) -> None:
    """A knot that was in use then is not found later; one that is made later is."""
    times = iter([0.0, LONG_S, 1.0, 1.0])
    with short_collections(lambda: next(times)):
        old = Knot()
        gc.collect()
        assert gc.get_freeze_count() > frozen
        new, seen = Knot(), weakref.ref(old)
        gone = weakref.ref(new)
        del old, new
        gc.collect()
        assert gone() is None
        assert seen() is not None
    gc.collect()
    assert seen() is None


def test_a_short_collection_and_one_of_the_young_freeze_nothing(frozen: int) -> None:
    """Only a full one can be long; a short one is no trouble."""
    times = iter([0.0, LONG_S - 0.001])
    with short_collections(lambda: next(times)):
        gc.collect(1)
        gc.collect()
        assert gc.get_freeze_count() <= frozen


def test_at_the_end_of_a_crawl_nothing_is_frozen_and_nobody_listens(frozen: int) -> None:
    """A program that runs one crawl after another keeps nothing of the first."""
    before = list(gc.callbacks)
    with short_collections():
        with lasting_objects():
            knot = Knot()
        assert gc.get_freeze_count() > frozen
        gone = weakref.ref(knot)
        del knot
    assert gc.callbacks == before
    gc.collect()
    assert gone() is None
