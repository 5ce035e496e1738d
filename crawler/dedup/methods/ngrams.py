"""SimHash over n-grams: features that know the order of words.

Every run of n words, or of m characters in texts written without spaces, is a feature, weighed
1 + ln(number of times it occurs). A moved paragraph still costs nothing but the n-grams at its
edges, while a changed word costs n features and not one: distances grow faster than with words.
"""

from __future__ import annotations

from collections import Counter

from crawler.dedup.signing import shingles
from crawler.dedup.signing.simhash import simhash
from crawler.dedup.signing.text_parts import TextParts

WORDS = 3
CHARACTERS = 4


def ngram_counts(
    parts: TextParts, words: int = WORDS, characters: int = CHARACTERS
) -> Counter[str]:
    """Return every n-gram of a text with its number of occurrences; none in a text that is shorter.

    Of words, or where the text's shingles are of characters, of characters.
    """
    if parts.kind == shingles.CHAR4:
        return _windows(list(parts.cut.characters()), characters)
    return _windows(parts.cut.words_and_characters(), words)


def ngram_fingerprint(parts: TextParts) -> int:
    """Return the 64-bit SimHash of a text's n-grams."""
    return simhash(ngram_counts(parts))


def _windows(units: list[str], width: int) -> Counter[str]:
    shifted = (units[offset:] for offset in range(width))
    return Counter(map("\0".join, zip(*shifted, strict=False)))
