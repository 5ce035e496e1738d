"""Moving the bits of fingerprints: a permutation of whole segments, and its way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

BITS = 64

Fingerprints = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Segment:
    """Neighbouring bits `start .. start + width - 1`, counted from the lowest."""

    start: int
    width: int


Segments: TypeAlias = tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Permutation:
    """Segments that cover all 64 bits, in their new order, highest first.

    Distances survive it: two permuted fingerprints differ in as many bits as the originals.
    """

    segments: Segments

    def apply(self, fingerprints: Fingerprints) -> Fingerprints:
        """Return fingerprints with their bits in the new order."""
        moved, top = np.zeros_like(fingerprints), BITS
        for segment in self.segments:
            top -= segment.width
            moved |= _cut(fingerprints, segment.start, segment.width) << np.uint64(top)
        return moved

    def undo(self, permuted: Fingerprints) -> Fingerprints:
        """Return fingerprints with their bits where they were before `apply`."""
        original, top = np.zeros_like(permuted), BITS
        for segment in self.segments:
            top -= segment.width
            original |= _cut(permuted, top, segment.width) << np.uint64(segment.start)
        return original


def leading(chosen: Sequence[Segment], rest: Sequence[Segment]) -> Permutation:
    """Return the permutation that moves the chosen segments to the front, in their order."""
    return Permutation((*chosen, *rest))


def _cut(fingerprints: npt.NDArray[Any], start: int, width: int) -> Fingerprints:
    bits: Fingerprints = fingerprints >> np.uint64(start) & np.uint64((1 << width) - 1)
    return bits
