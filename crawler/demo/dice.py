"""Seeded choices that are the same on every machine and Python version."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Choices from a named stream.

    Only `Random.random()` is used: Python promises its sequence for a seed across versions, and
    promises nothing of the kind for `choice`, `sample` or `shuffle`. String seeds are hashed with
    SHA-512 by `random`, so neither PYTHONHASHSEED nor the platform matters.
    """

    def __init__(self, *name: object) -> None:
        self._random = random.Random("/".join(map(str, name))).random

    def below(self, limit: int) -> int:
        """Return an integer in 0..limit-1."""
        return int(self._random() * limit)

    def between(self, low: int, high: int) -> int:
        """Return an integer in low..high, both included."""
        return low + self.below(high - low + 1)

    def pick(self, options: Sequence[T]) -> T:
        """Return one of `options`."""
        return options[self.below(len(options))]

    def some(self, options: Sequence[T], count: int) -> tuple[T, ...]:
        """Return `count` different positions of `options` in random order (all, if fewer)."""
        deck = list(options)
        for place in range(min(count, len(deck))):
            other = place + self.below(len(deck) - place)
            deck[place], deck[other] = deck[other], deck[place]
        return tuple(deck[:count])
