"""A text taken apart, once, for whatever a method makes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from crawler.dedup.signing import shingles
from crawler.dedup.signing.scripts import Cut, cut
from crawler.dedup.signing.segmenter import Segmenter
from crawler.dedup.signing.simhash import Words, find_words, word_simhash


@dataclass(frozen=True)
class TextParts:
    """One text: cut by script, its words, its shingles. What only some need is made for them."""

    cut: Cut
    words: Words
    kind: str
    """`word3` or `char4`."""
    hashes: shingles.Hashes
    """Sorted unique shingle hashes, before any cap."""
    marks: tuple[shingles.Marks, ...]
    """Their marks by each key."""

    @property
    def counts(self) -> Counter[str]:
        """See `crawler.dedup.signing.simhash.Words`."""
        return self.words.counts

    @property
    def fingerprint(self) -> int:
        """The SimHash of the words."""
        return self._summed[0]

    @property
    def tokens(self) -> int:
        """The number of words, stop words left out."""
        return self._summed[1]

    @cached_property
    def _summed(self) -> tuple[int, int]:
        return word_simhash(self.words)


Fingerprinter = Callable[[TextParts], int]
"""Makes a text's unsigned 64-bit fingerprint."""

Sketcher = Callable[[TextParts], bytes]
"""Makes what a method keeps of a text in memory: `Signature.sketch`."""


def take_apart(text: str, segment: Segmenter, keys: Sequence[bytes] = ()) -> TextParts:
    """Return the parts of a text, its shingles marked by each of the keys."""
    by_script = cut(text)
    kind = shingles.shingle_kind(by_script)
    words = find_words(by_script, segment)
    hashed = [shingles.shingle_hashes(by_script, kind, key) for key in keys or (b"",)]
    marks = tuple(marks for _, marks in hashed) if keys else ()
    return TextParts(by_script, words, kind, hashed[0][0], marks)
