"""Texts folded, cut by script and made shingles: kernels of `spaces.c`, `cutting.c`, `shingles.c`.

What they are for is told in `crawler.dedup.signing`.

`classes` is a table of which script a character belongs to (`signing.scripts.class_table`), in two
stages, so that the few blocks of a text stay in the caches: for each of the first 1,024 blocks of
256 characters the number of its page, then 256 pages of 256 classes. Later characters are `OTHER`.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from itertools import repeat
from typing import NamedTuple

import mmh3
import numpy as np
import numpy.typing as npt

from crawler.dedup.columns import scalars, sorted_unique
from crawler.dedup.kernels.plain_buckets import Cells
from crawler.dedup.kernels.plain_keyed import KEY_SIZE, residues, siphash

OTHER, SPACED, UNSEGMENTED, HAN = range(4)
"""Classes of characters: no word characters; of scripts that write words apart; of those that do
not, Han and others. ASCII characters are of the first two."""

PAGE = 256
BLOCKS = 1024

_CODEC = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
_SPACE = np.uint32(ord(" "))

_WORD_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xFF51AFD7ED558CCD))
_HALF = np.uint64(32)
_LOW_16 = np.uint64(0xFFFF)
_WORDS_BYTES, _CHARACTERS_BYTES = 24, 11
"""Of a shingle when it is marked: 8 for each word; for characters 8, and 3 for what 16 bits of each
leave."""

Codes = npt.NDArray[np.uint32]
Classes = npt.NDArray[np.uint8]
Shingles = npt.NDArray[np.uint64]


def fold_spaces(text: str) -> bytes:
    """Return a text in UTF-8 with one space for all white space, none at its ends.

    Lone surrogates are encoded like other characters.
    """
    return " ".join(text.split()).encode("utf-8", "surrogatepass")


def cut_by_script(text: str, classes: bytes) -> tuple[str, str, int, int]:
    """Return a text in lower case as it is compared, its Han runs, and two counts.

    The text has a space for every character that is `OTHER`; there is a new-line between two Han
    runs; the counts are of characters of scripts without spaces, and of any script. TypeError for a
    table of another length.
    """
    if text.isascii():
        kept = text.translate(_ascii_separators(classes))
        return kept, "", 0, len(kept) - kept.count(" ")
    codes = _codes_of(text)
    found = _classes_of(codes, classes)
    kept = _kept_of(codes, found != OTHER)
    unspaced, characters = int(np.count_nonzero(found > SPACED)), int(np.count_nonzero(found))
    han = "\n".join(_kept_of(codes, found == HAN).split()) if unspaced else ""
    return kept, han, unspaced, characters


def shingle_hashes(
    text: str, classes: bytes, by_characters: bool, seed: int, key: bytes
) -> tuple[Cells, Cells]:
    """Return the sorted unique hashes (uint32) of a text's shingles, and their marks (uint8).

    `text` is what `cut_by_script` returns. A shingle is four characters, or three words of
    `words_and_characters`; below one whole shingle there are none. Of shingles with one hash the
    first in the text is marked. `key` is of `plain_keyed`, or empty: then there are no marks.
    TypeError for a key of another length.
    """
    if len(key) not in (0, KEY_SIZE):
        raise TypeError(f"a key must be {KEY_SIZE} bytes, or none")
    parts: tuple[Shingles, ...] = ()
    if by_characters:
        low, above = parts = _characters_of(text.replace(" ", ""))
        length = _CHARACTERS_BYTES
        shingles = low ^ above * _WORD_FACTORS[1]
    else:
        words = words_and_characters(text, classes)
        shingles = _of_words(words, seed)
        length = _WORDS_BYTES
        if key:
            parts = _runs(residues(words, key))
            parts = (*parts, np.zeros_like(parts[0]))
    hashes = _mixed(shingles)
    if not key:
        return scalars(sorted_unique(hashes)), scalars(np.empty(0, np.uint8))
    distinct, first = np.unique(hashes, return_index=True)
    return scalars(distinct), scalars(siphash(parts, length, key)[first].astype(np.uint8))


class Runs(NamedTuple):
    """A text's runs by script, in order, but the Han ones."""

    spaced: list[str]
    """Of scripts that write words apart: words."""
    unsegmented: list[str]
    all_spaced: bool
    """Whether there are no characters of scripts without spaces, Han or others."""


@lru_cache(maxsize=1)
def runs_of(text: str, classes: bytes) -> Runs:
    """Return the runs of what `cut_by_script` returns; kept, since two kernels ask of a text."""
    if not text.isascii():
        codes = _codes_of(text)
        found = _classes_of(codes, classes)
        if (found > SPACED).any():
            spaced, unsegmented = (_kept_of(codes, found == n) for n in (SPACED, UNSEGMENTED))
            return Runs(spaced.split(), unsegmented.split(), False)
    return Runs(text.split(), [], True)


def words_and_characters(text: str, classes: bytes) -> list[str]:
    """Return all runs, each character of a script without spaces as a word of its own."""
    runs = runs_of(text, classes)
    if runs.all_spaced:
        return runs.spaced
    codes = _codes_of(text)
    is_word = _classes_of(codes, classes) > SPACED
    widths = 1 + 2 * is_word.astype(np.intp)  # a space before and behind
    apart = np.full(int(widths.sum()), _SPACE)
    apart[widths.cumsum() - 1 - is_word] = codes
    return apart.tobytes().decode(_CODEC).split()


def _codes_of(text: str) -> Codes:
    return np.frombuffer(text.encode(_CODEC, "surrogatepass"), np.uint32)


def _kept_of(codes: Codes, is_kept: npt.NDArray[np.bool_]) -> str:
    """Return a text with spaces in place of the characters that are not kept."""
    return np.where(is_kept, codes, _SPACE).tobytes().decode(_CODEC, "surrogatepass")


def _classes_of(codes: Codes, classes: bytes) -> Classes:
    return _flat(classes).take(codes, mode="clip")


@lru_cache(maxsize=1)
def _flat(classes: bytes) -> Classes:
    """Return a table of one stage, one entry longer than what the other tells of."""
    if len(classes) != BLOCKS + PAGE * PAGE:
        raise TypeError(f"the table of classes must be {BLOCKS + PAGE * PAGE} bytes")
    table = np.frombuffer(classes, np.uint8)
    by_block = table[BLOCKS:].reshape(PAGE, PAGE).take(table[:BLOCKS], axis=0)
    return np.append(by_block.ravel(), np.uint8(OTHER))


@lru_cache(maxsize=1)
def _ascii_separators(classes: bytes) -> dict[int, str]:
    return {code: " " for code, found in enumerate(_flat(classes)[:128].tolist()) if not found}


def _of_words(words: list[str], seed: int) -> Shingles:
    """Return a number for every run of three words: a multilinear hash of the words' hashes."""
    digests = b"".join(map(mmh3.hash_bytes, words, repeat(seed)))
    hashes = np.frombuffer(digests, "<u8")[::2]  # half of 128 bits
    runs = zip(_runs(hashes), _WORD_FACTORS, strict=True)
    first, second, third = (part * factor for part, factor in runs)
    return np.asarray(first + second + third)


def _runs(numbers: Shingles) -> tuple[Shingles, Shingles, Shingles]:
    """Return the first, second and third number of every run of three."""
    return numbers[:-2], numbers[1:-1], numbers[2:]


def _characters_of(text: str) -> tuple[Shingles, Shingles]:
    """Return two numbers for every run of four characters: 16 bits of each, and those above.

    Four of 16 bits are 64 bits of UTF-16, read where they stand.
    """
    count = max(0, len(text) - 3)
    encoded = text.encode("utf-16-le", "surrogatepass")
    if len(encoded) == 2 * len(text):
        windows: Shingles = np.ndarray(count, "<u8", encoded if count else bytes(8), 0, (2,))
        return windows, np.zeros(count, np.uint64)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)
    low, above = np.zeros(count, np.uint64), np.zeros(count, np.uint64)
    for place in range(4):
        part = codes[place : place + count]
        low |= (part & _LOW_16) << np.uint64(16 * place)
        above |= part >> np.uint64(16) << np.uint64(5 * place)
    return low, above


def _mixed(shingles: Shingles) -> npt.NDArray[np.uint32]:
    """Return hashes: one to one up to the last step, which keeps 32 bits of 64.

    A multiplication carries every bit upwards, the shift brings all of them down again.
    """
    hashes = shingles * _MIX[0]
    hashes ^= hashes >> _HALF
    hashes *= _MIX[1]
    return (hashes >> _HALF).astype(np.uint32)
