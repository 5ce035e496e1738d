"""A text taken apart, once, for whatever a method makes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from crawler.dedup.signing import shingles
from crawler.dedup.signing.features import count_features
from crawler.dedup.signing.scripts import Cut, cut
from crawler.dedup.signing.segmenter import Segmenter


@dataclass(frozen=True, slots=True)
class TextParts:
    """One text: cut by script, its words with their numbers, its shingles."""

    cut: Cut
    counts: Counter[str]
    """See `crawler.dedup.signing.features.count_features`."""
    kind: str
    """`word3` or `char4`."""
    hashes: shingles.Hashes
    """Sorted unique shingle hashes, before any cap."""


Fingerprinter = Callable[[TextParts], int]
"""Makes a text's unsigned 64-bit fingerprint."""

Sketcher = Callable[[TextParts], bytes]
"""Makes what a method keeps of a text in memory: `Signature.sketch`."""


def take_apart(text: str, segment: Segmenter) -> TextParts:
    """Return the parts of a text."""
    by_script = cut(text)
    kind = shingles.shingle_kind(by_script)
    counts = count_features(by_script, segment)
    return TextParts(by_script, counts, kind, shingles.shingle_hashes(by_script, kind))
