"""The kernels in numpy and Python.

The same results as the C files beside it, function by function.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import repeat
from typing import Any, NamedTuple, TypeAlias

import mmh3
import numpy as np
import numpy.typing as npt

from crawler.dedup.columns import (
    Fingerprints,
    Pairs,
    Probes,
    Rows,
    distances,
    pack_pairs,
    portions,
    ranges,
    scalars,
    sorted_unique,
)

# Functions of a secret key, which nobody can aim at who does not know it: `keyed.h`.
#
# A key is KEY_SIZE bytes: 16 of SipHash, then 8 of a point, all little-endian.
#
# **Words** become values of polynomials at the point, modulo the prime 2^61 - 1 (Carter, Wegman,
# 1979; Horner's rule): the coefficients of a word are its length and its UTF-8 bytes, seven in
# each. For any two different words of up to n bytes, at most n / 7 + 1 of the 2^61 points give one
# value. No word can be chosen so that more do.
#
# **Shingles** are marked by SipHash-1-3 (Aumasson, Bernstein, INDOCRYPT 2012; with these rounds
# also Python's own for its dictionaries) of their words' values, or of their characters: to whoever
# does not know the key, marks of different shingles are independent random numbers.

KEY_SIZE = 24
_PRIME = (1 << 61) - 1
_CHUNK = 7

Hashes = npt.NDArray[np.uint64]

_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def residues(words: Sequence[str], key: bytes) -> Hashes:
    """Return the value of every word, below 2^61."""
    point = int.from_bytes(key[16:], "little") % _PRIME
    return np.fromiter((_residue(word, point) for word in words), np.uint64, len(words))


@lru_cache(maxsize=1 << 16)
def _residue(word: str, point: int) -> int:
    encoded = word.encode("utf-8", "surrogatepass")
    value = len(encoded)
    for start in range(0, len(encoded), _CHUNK):
        part = int.from_bytes(encoded[start : start + _CHUNK], "little")
        value = (value * point + part) % _PRIME
    return value


def siphash(words: Sequence[Hashes], length: int, key: bytes) -> Hashes:
    """Return SipHash-1-3 of many messages of `length` bytes, fewer than 256.

    `words` are the first 64-bit words of all messages, their second words, and so on; the last of
    less than 8 bytes, which may be none.
    """
    low, high = (np.uint64(int.from_bytes(key[at : at + 8], "little")) for at in (0, 8))
    halves = zip((low, high) * 2, map(np.uint64, _START), strict=True)
    v = [np.full(len(words[0]), half ^ start) for half, start in halves]
    last = words[-1] | np.uint64(length << 56)
    for word in (*words[:-1], last):
        v[3] ^= word
        _round(v)
        v[0] ^= word
    v[2] ^= np.uint64(0xFF)
    for _ in range(3):
        _round(v)
    return np.asarray(v[0] ^ v[1] ^ v[2] ^ v[3])


def _round(v: list[Hashes]) -> None:
    v[0] += v[1]
    v[2] += v[3]
    v[1] = _rotated(v[1], 13) ^ v[0]
    v[3] = _rotated(v[3], 16) ^ v[2]
    v[0] = _rotated(v[0], 32) + v[3]
    v[2] += v[1]
    v[3] = _rotated(v[3], 21) ^ v[0]
    v[1] = _rotated(v[1], 17) ^ v[2]
    v[2] = _rotated(v[2], 32)


def _rotated(numbers: Hashes, bits: int) -> Hashes:
    return np.asarray(numbers << np.uint64(bits) | numbers >> np.uint64(64 - bits))


# Buckets of entries, written and read: the kernels of `buckets.c` and of `candidates.c`.
#
# `crawler.dedup.index` draws what a bucket is. The first entry of a page fills all of it, so that
# empty slots repeat an entry of their bucket.

Cells: TypeAlias = "memoryview[int]"
"""Numbers of one type side by side, which may be written."""

Readable: TypeAlias = "Cells | npt.NDArray[Any] | array[int] | bytes | bytearray"
"""The same to be read."""

BucketCells: TypeAlias = tuple[Cells, Cells, Cells, Cells, Cells, int]
"""Buckets of entries, arrays of uint32: the size of each, where its run of pages begins, all runs,
the rows and the tags of all entries page by page (no tags: an empty array), and the logarithm of a
page's slots. A kernel that inserts writes sizes, rows and tags."""

_HALF = np.uint64(32)
_LOW_HALF = np.uint64(0xFFFF_FFFF)
_ROW_BITS = 32


def insert_entries(buckets: Readable, rows: Readable, tags: Readable, cells: BucketCells) -> None:
    """Write an entry to the end of each of some distinct buckets. The pages must all be there.

    `buckets`, `rows` and `tags` are uint32, one each an entry (no tags: an empty array).
    """
    # One loop without a call: calls would take as long as all the rest.
    sizes, starts, pages, row_slots, tag_slots, slot_bits = cells
    slots, last_slot = 1 << slot_bits, (1 << slot_bits) - 1
    for entry, bucket in enumerate(buckets):
        size = sizes[bucket]
        used = size & last_slot
        place = (pages[starts[bucket] + (size >> slot_bits)] << slot_bits) + used
        for slot in range(place, place + 1 if used else place + slots):
            row_slots[slot] = rows[entry]
            if len(tags):
                tag_slots[slot] = tags[entry]
        sizes[bucket] = size + 1


def place_entries(keys: Readable, rows: Readable, tags: Readable, cells: BucketCells) -> None:
    """Write entry `key & 0xFFFFFFFF` to the end of bucket `key >> 32` for each key.

    `keys` are sorted uint64, `rows` and `tags` uint32 (no tags: an empty array). The pages must all
    be there.
    """
    written, keys = BucketArrays(cells), np.frombuffer(keys, np.uint64)
    order, buckets = (keys & _LOW_HALF).astype(np.int64), (keys >> _HALF).astype(np.int64)
    first = np.flatnonzero(np.diff(buckets, prepend=-1))
    counts = np.diff(first, append=len(buckets))
    inside = np.arange(len(buckets)) - first.repeat(counts) + written.sizes[buckets]
    pages = written.pages[written.starts[buckets] + (inside >> written.slot_bits)].astype(np.int64)
    slots = inside & written.slots - 1
    places, opening = (pages << written.slot_bits) + slots, slots == 0
    for held, entries in ((written.rows, rows), (written.tags, tags)):
        if len(entries):
            chosen = np.frombuffer(entries, np.uint32)[order]
            held[pages[opening]] = chosen[opening, None]
            held.reshape(-1)[places] = chosen
    written.sizes[buckets[first]] += counts.astype(np.uint32)


def find_rows(buckets: Readable, cells: BucketCells, shared_bits: int) -> Cells:
    """Return the rows in some buckets (int64) of a table, uint32, one bucket after another.

    The low `shared_bits` of a bucket's number lie above the row in each of its entries: entries of
    other numbers that share their memory are left out.
    """
    asked, row_bits = np.frombuffer(buckets, np.int64), _ROW_BITS - shared_bits
    tags = (asked << row_bits & (1 << _ROW_BITS) - 1).astype(np.uint32)
    numbers = asked >> shared_bits
    if len(asked) == 1:
        number = int(numbers[0])
        entries = rows_in((number,), cells)[: cells[0][number]]
        entries ^= tags
        return scalars(entries[entries >> np.uint32(row_bits) == 0] if shared_bits else entries)
    read = BucketArrays(cells)
    sizes = read.sizes.take(numbers)
    counts, held = read.page_counts(sizes), sizes > 0
    by_page = read.rows.take(read.pages_of(numbers, counts), axis=0)
    used = np.full(len(by_page), read.slots)
    used[counts.cumsum()[held] - 1] -= (counts * read.slots - sizes)[held]
    own = np.arange(read.slots) < used[:, None]
    if shared_bits:
        by_page ^= tags.repeat(counts)[:, None]
        own &= by_page >> np.uint32(row_bits) == 0
    return scalars(by_page[own])


def rows_in(buckets: Iterable[int], cells: BucketCells) -> npt.NDArray[np.uint32]:
    """Return what is in the pages of a few buckets: their rows, one repeated in empty slots.

    One loop without a call: calls would take as long as all the rest.
    """
    sizes, starts, numbers, rows, _, slot_bits = cells
    last_slot, pages = (1 << slot_bits) - 1, list[int]()
    for bucket in buckets:
        start = starts[bucket]
        pages += numbers[start : start + (sizes[bucket] + last_slot >> slot_bits)]
    by_page = np.frombuffer(rows, np.uint32).reshape(-1, last_slot + 1)
    found: npt.NDArray[np.uint32] = by_page.take(np.array(pages, np.intp), axis=0).ravel()
    return found


class BucketArrays:
    """Some `BucketCells` as arrays, to read many buckets in a few calls.

    `rows` and `tags` have the shape (pages, slots).
    """

    def __init__(self, cells: BucketCells) -> None:
        sizes, starts, pages, rows, tags, self.slot_bits = cells
        self.slots = 1 << self.slot_bits
        self.sizes, self.starts = np.frombuffer(sizes, np.uint32), np.frombuffer(starts, np.uint32)
        self.pages = np.frombuffer(pages, np.uint32)
        self.rows = np.frombuffer(rows, np.uint32).reshape(-1, self.slots)
        self.tags = np.frombuffer(tags, np.uint32).reshape(-1, self.slots)

    def page_counts(self, sizes: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
        """Return how many pages buckets of some sizes have."""
        return sizes.astype(np.int64) + (self.slots - 1) >> self.slot_bits

    def pages_of(
        self, buckets: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return the pages of some buckets that have `counts[i]` of them, one after another."""
        return self.pages.take(ranges(self.starts.take(buckets), counts)).astype(np.int64)


# The search of the block index: the kernel of `near.c`.
#
# Calls are what a query costs here, a dozen up to distance 3 and a hundred beyond. So few
# fingerprints are looked at one after another, and many queries share the calls.

_SCANNED = 15_000
_SCANNED_A_PROBE = 350
"""Fingerprints looked at one after another in the time that probing takes for numpy's calls, and
for each bucket to look in."""

_SCANNED_AN_ENTRY = 6
"""The same for one entry of a bucket in a batch, where many queries share the calls."""

_PROBED_AT_ONCE = 1 << 16
_COMPARED_AT_ONCE = 1 << 17
"""Bounds on working memory; the last also keeps what is compared within a second-level cache."""


def near_fingerprints(
    queries: Readable,
    fingerprints: Readable,
    count: int,
    cells: BucketCells,
    key_bits: int,
    distance: int,
    scanned: int,
) -> Cells:
    """Return what lies within a distance (0..11) of some queries, as `fingerprints` packs pairs.

    Queries and fingerprints are uint64, of which the first `count` fingerprints are searched;
    `cells` are the buckets that a block index of these `key_bits` keeps of them, with tags above
    distance 3. Up to `scanned` fingerprints all are looked at and no bucket is; below 0 stands for
    as many as are looked at more quickly. Each pair comes once, the queries in their order (at most
    2^28), the rows of one in none.
    """
    asked, stored = np.frombuffer(queries, np.uint64), np.frombuffer(fingerprints, np.uint64, count)
    probes = _probes(distance, key_bits)
    if scanned < 0:
        scanned = _SCANNED + _SCANNED_A_PROBE * probes.probed
    entries = probes.probed * count >> key_bits
    scanning_pays = len(asked) == 1 or count <= _SCANNED_AN_ENTRY * entries
    if count <= scanned and scanning_pays:
        rows = np.arange(count, dtype=np.uint32)
        found = [
            _compare(n, query, rows, stored, distance) for n, query in enumerate(asked.tolist())
        ]
    elif len(asked) == 1 and not len(cells[4]):
        query = int(asked[0])
        rows = rows_in(probes.of(query)[: distance + 1], cells)
        found = [_compare(0, query, rows, stored.take(rows), distance)]
    else:
        found = list(_near_many(asked, probes, cells, stored))
    return scalars(sorted_unique(np.concatenate([np.empty(0, np.uint64), *found])))


@lru_cache(maxsize=8)
def _probes(distance: int, key_bits: int) -> Probes:
    return Probes(distance, key_bits)


def _compare(number: int, query: int, rows: Rows, compared: Fingerprints, distance: int) -> Pairs:
    """Return the pairs of a query and those of some rows whose fingerprints are near it."""
    found = distances(compared, query)
    near = (found <= distance).nonzero()[0]
    return pack_pairs(number, rows.take(near), found.take(near))


def _near_many(
    queries: Fingerprints, probes: Probes, cells: BucketCells, fingerprints: Fingerprints
) -> Iterator[Pairs]:
    """Yield the pairs of many queries in portions, with repetition: some dozen calls for all."""
    buckets, step = BucketArrays(cells), max(1, _PROBED_AT_ONCE // probes.probed)
    for start in range(0, len(queries), step):
        some = queries[start : start + step]
        own, tags = probes.of_many(some), probes.tags_many(some)
        for ring in probes.rings:
            probed = own[:, ring.table, None] ^ ring.masks
            counts = buckets.page_counts(buckets.sizes.take(probed))
            page_ends = counts.sum(axis=1).cumsum()
            for part in portions(page_ends, _COMPARED_AT_ONCE // buckets.slots):
                pages = buckets.pages_of(probed[part].ravel(), counts[part].ravel())
                asked = np.arange(part.start, part.stop).repeat(counts[part].sum(axis=1))
                if len(buckets.tags):  # only rows whose tags are near are compared
                    apart = buckets.tags.take(pages, axis=0) ^ tags[asked, ring.table][:, None]
                    places = np.flatnonzero(np.bitwise_count(apart) <= ring.limit)
                    page, slot = places >> buckets.slot_bits, places & buckets.slots - 1
                    rows, asked = buckets.rows[pages.take(page), slot], asked.take(page)
                else:
                    rows = buckets.rows.take(pages, axis=0).ravel()
                    asked = asked.repeat(buckets.slots)
                found = np.bitwise_count(fingerprints.take(rows) ^ some.take(asked))
                near = (found <= probes.distance).nonzero()[0]
                yield pack_pairs(start + asked.take(near), rows.take(near), found.take(near))


# Sketches of shingle hashes, made and compared: the kernels of `sketch.c` and `candidates.c`.
#
# `crawler.dedup.signing` says what a sketch is. Its arithmetic is here, since the kernels are what
# it is used in.

BINS = 256
BITS = 4
WORDS = BINS * BITS // 64
QUARTER = WORDS // 4
"""Words of a sketch that are compared before the rest."""

_BIN_SHIFT = np.uint32(32 - 8)
_BIN_NUMBERS = np.arange(BINS, dtype=np.uint32)
_BIN_STARTS = _BIN_NUMBERS << _BIN_SHIFT
_ATTEMPTS = 64
_FEW_ATTEMPTS = 8
_BIN_ROWS = np.arange(BINS)

_VALUE = np.uint8((1 << BITS) - 1)
_LOW_BITS = np.uint64(0x1111_1111_1111_1111)
_WORDS_AT_ONCE = 4
_FOUR_BYTES = np.uint32(0x0101_0101)
_TOP_BYTE = np.uint32(24)


Words64 = npt.NDArray[np.uint64]
Bins = npt.NDArray[np.int64]


def make_sketch(hashes: Readable) -> bytes:
    """Return the sketch of a sorted set of shingle hashes (uint32), before any cap: 132 bytes.

    Zeros for no hashes.
    """
    known = np.frombuffer(hashes, np.uint32)
    if not len(known):
        return bytes(WORDS * 8 + 4)
    smallest = known.take(np.searchsorted(known, _BIN_STARTS), mode="clip")
    is_empty = smallest >> _BIN_SHIFT != _BIN_NUMBERS
    empty = is_empty.nonzero()[0]
    if len(empty):
        smallest[empty] = smallest[_donors(empty, is_empty)]
    values = smallest.astype(np.uint8) & _VALUE
    packed: bytes = (values[::2] | values[1::2] << BITS).tobytes()
    return packed + len(known).to_bytes(4, "little")


def keep_likely_rows(
    rows: Readable,
    words: Readable,
    sizes: Readable,
    rest: Readable,
    quarter: Readable,
    low: int,
    high: int,
    most_of_quarter: int,
    most: int,
) -> Cells:
    """Return those of some rows whose size is in low..high and whose sketch is like this one.

    `rows` are uint32, `words` the 16 of a sketch (uint64). Of each row `sizes` has one int32,
    `rest` the first 12 words of its sketch and `quarter` the last 4 (uint64). The last 4 may differ
    in `most_of_quarter` bins, all of them in `most`. Returns uint64, row << 32 | differing bins, in
    any order; of rows that are given repeatedly some may come back repeatedly. ValueError for any
    other number of words.
    """
    sketch = np.frombuffer(words, np.uint64)
    if len(sketch) != WORDS:
        raise ValueError(f"a sketch has {WORDS} words")
    kept = sorted_unique(np.array(np.frombuffer(rows, np.uint32))).astype(np.intp)
    above = np.frombuffer(sizes, np.int32).take(kept)
    above -= low
    # What is below the range wraps to far above it: one comparison for both ends.
    kept = kept.take((above.view(np.uint32) <= high - low).nonzero()[0])
    found = differing(sketch[-QUARTER:], _of_rows(quarter, QUARTER, kept))
    chosen = (found <= most_of_quarter).nonzero()[0]
    kept, found = kept.take(chosen), found.take(chosen)
    if len(kept):
        found += differing(sketch[:-QUARTER], _of_rows(rest, WORDS - QUARTER, kept))
    chosen = (found <= most).nonzero()[0]
    return scalars(kept.take(chosen).astype(np.uint64) << _HALF | found.take(chosen))


def differing(words: Words64, rows: Words64) -> npt.NDArray[np.uint32]:
    """Return in how many bins some sketches differ from one, shapes (w,) and (n, w).

    Of part of a sketch as well, a multiple of four words.
    """
    different = rows ^ words
    different |= different >> np.uint64(1)
    different |= different >> np.uint64(2)
    different &= _LOW_BITS
    # Four counts lie side by side as bytes, and the product has their sum on top: numpy's own sum
    # along an axis this short takes twice as long as all the rest.
    sums: npt.NDArray[np.uint32] = np.bitwise_count(different).view(np.uint32)
    sums *= _FOUR_BYTES
    sums >>= _TOP_BYTE
    return sums.ravel() if len(words) == _WORDS_AT_ONCE else sums.sum(axis=1, dtype=np.uint32)


def _of_rows(words: Readable, each: int, rows: npt.NDArray[np.intp]) -> Words64:
    return np.frombuffer(words, np.uint64).reshape(-1, each).take(rows, axis=0)


def _donors(empty: Bins, is_empty: npt.NDArray[np.bool_]) -> Bins:
    """Return for each empty bin the first bin of its sequence that is not empty.

    If all 64 are empty (likely only below some ten shingles) the first filled bin of all lends.
    """
    few, all_ = _sequences()
    donors = _first_filled(few.take(empty, axis=0), is_empty)
    if is_empty[donors].any():
        donors = _first_filled(all_.take(empty, axis=0), is_empty)
        donors[is_empty[donors]] = is_empty.argmin()
    return donors


@cache
def _sequences() -> tuple[Bins, Bins]:
    """Return for each bin those it may borrow from, in this order: the first eight, and all 64."""
    states = np.arange(1, BINS * _ATTEMPTS + 1, dtype=np.uint64)
    bins = (_splitmix64(states) % np.uint64(BINS)).astype(np.int64).reshape(BINS, _ATTEMPTS)
    return np.ascontiguousarray(bins[:, :_FEW_ATTEMPTS]), bins


def _splitmix64(states: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the outputs of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) at some of its states."""
    mixed = states * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def _first_filled(attempts: Bins, is_empty: npt.NDArray[np.bool_]) -> Bins:
    """Return the first bin of each row that is not empty, or the row's first."""
    chosen = is_empty.take(attempts).argmin(axis=1)
    return np.asarray(attempts[_BIN_ROWS[: len(attempts)], chosen])


# Texts folded, cut by script and made shingles: kernels of `spaces.c`, `cutting.c`, `shingles.c`.
#
# What they are for is told in `crawler.dedup.signing`.
#
# `classes` is a table of which script a character belongs to (`signing.class_table`), in
# two stages, so that the few blocks of a text stay in the caches: for each of the first 1,024
# blocks of 256 characters the number of its page, then 256 pages of 256 classes. Later characters
# are `OTHER`.

OTHER, SPACED, UNSEGMENTED, HAN = range(4)
"""Classes of characters: no word characters; of scripts that write words apart; of those that do
not, Han and others. ASCII characters are of the first two."""

PAGE = 256
BLOCKS = 1024

_CODEC = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"
_SPACE = np.uint32(ord(" "))

_WORD_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xFF51AFD7ED558CCD))

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
    first in the text is marked. `key` has KEY_SIZE bytes, or is empty: then there are no marks.
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


# The words of a text, counted and summed up: the kernel of `words.c` and `fingerprint.c`.
#
# Methods that need the words themselves, which C makes no objects of, call what is below the
# kernel.

_DIGEST_BYTES = 16
"""MurmurHash3 x64 gives 128 bits; the first 64 are used."""

_EXACT_IN_FLOAT32 = 1 << 24
"""Below it sums of whole numbers are exact in a float of 32 bits, whatever their order."""

_STOP_SLOTS, _STOP_BYTES = 512, 16
_MOST_STOPS = _STOP_SLOTS * 3 // 4


def fingerprint_words(
    text: str,
    classes: bytes,
    segmented: Sequence[str],
    stops: bytes,
    weights: Readable,
    seed: int,
) -> tuple[int, int] | None:
    """Return the SimHash and the number of a text's words and of those its Han runs are cut to.

    `text` is what `cut_by_script` returns, and no word has a lone surrogate. Words in `stops`
    (`stop_table`) and new-lines among `segmented` count for nothing. A word's weight is
    `weights[occurrences]` (uint32, below 2^22).
    None where a word occurs more often than they go; C returns it as well where words collide so
    much that they were made to, since its hash is no secret. Who calls has to count them then.
    """
    counts = count_words(text, classes, segmented, _read_stops(stops))
    listed = np.frombuffer(weights, np.uint32)
    try:
        weighing = listed.take(np.fromiter(counts.values(), np.intp, len(counts)))
    except IndexError:
        return None
    return sum_hashes(counts, weighing, seed), counts.total()


def count_words(
    text: str, classes: bytes, segmented: Iterable[str], stops: frozenset[str]
) -> Counter[str]:
    """Return every word with its number of occurrences, but no stop words.

    Words of scripts that write them apart are runs; of scripts that do not, all pairs of neighbours
    or a lone character; of Han runs, what those were `segmented` to.
    """
    runs = runs_of(text, classes)
    counts = Counter([*runs.spaced, *_pairs(runs.unsegmented), *segmented])
    for word in stops.intersection(counts):
        counts.pop(word)  # `del` of a Counter is Python code, at four times the cost
    return counts


def sum_hashes(words: Collection[str], weights: npt.NDArray[Any], seed: int) -> int:
    """Return the SimHash of words that weigh `weights[i]` each; 0 for no words.

    Bit i is 1 if the words whose hash has it weigh more than the others. Weights must be whole
    numbers, with a sum below 2^53, for the result to be the same everywhere.
    """
    if not words:
        return 0
    # No memory of hashes: once other work has emptied the caches, a look-up costs more than a hash.
    digests = b"".join(map(mmh3.hash_bytes, words, repeat(seed)))
    hashes = np.frombuffer(digests, np.uint8).reshape(-1, _DIGEST_BYTES)[:, : _DIGEST_BYTES // 2]
    bits = np.unpackbits(hashes, axis=1, bitorder="little")
    total = np.add.reduce(weights)
    exact = np.float32 if total < _EXACT_IN_FLOAT32 else np.float64  # the smaller, the faster
    ones = weights.astype(exact) @ bits.astype(exact) > total / 2
    return int.from_bytes(np.packbits(ones, bitorder="little").tobytes(), "little")


def stop_table(words: Iterable[str]) -> bytes:
    """Return words as `fingerprint_words` looks them up: a hash table of 512 slots of 16 bytes.

    A slot has a word in UTF-8, zeros, and in its last byte the word's length. A word is in the
    first free slot from its hash on, which is that of `words.c`. ValueError for a word of more than
    15 bytes, or for more than 384.
    """
    table = np.zeros((_STOP_SLOTS, _STOP_BYTES), np.uint8)
    distinct = sorted(set(words))
    for word in distinct:
        encoded = word.encode("utf-8", "surrogatepass")
        if len(encoded) >= _STOP_BYTES or len(distinct) > _MOST_STOPS:
            raise ValueError("stop words are too long or too many")
        slot = _hash_of_characters(word) % _STOP_SLOTS
        while table[slot, -1]:
            slot = (slot + 1) % _STOP_SLOTS
        table[slot, : len(encoded)] = np.frombuffer(encoded, np.uint8)
        table[slot, -1] = len(encoded)
    return table.tobytes()


@lru_cache(maxsize=1)
def _read_stops(table: bytes) -> frozenset[str]:
    slots = (table[start : start + _STOP_BYTES] for start in range(0, len(table), _STOP_BYTES))
    words = (slot[: slot[-1]].decode("utf-8", "surrogatepass") for slot in slots if slot[-1])
    return frozenset(words) | {"\n"}


def _hash_of_characters(word: str) -> int:
    found = 0
    for character in word:
        found = (found ^ ord(character)) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
    return found ^ found >> 32


def _pairs(runs: list[str]) -> Iterator[str]:
    for run in runs:
        if len(run) == 1:
            yield run
        for start in range(len(run) - 1):
            yield run[start : start + 2]


# A Bloom filter of lines: four hashes of each, by multiplication.

_ODD = np.array((0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F), np.uint32)
_BITS = np.left_shift(1, np.arange(8)).astype(np.uint8)


def keep_new_lines(lines: Readable, seen: Readable) -> bytes:
    """Return which lines (uint32 hashes) a filter does not have, in the same order."""
    given, filled = np.frombuffer(lines, np.uint32), np.frombuffer(seen, np.uint8)
    places, bits = _line_bits(given, len(filled))
    kept: bytes = given[~(filled.take(places) & bits).all(axis=0)].tobytes()
    return kept


def note_lines(lines: Readable, seen: Readable) -> None:
    """Have a filter know lines (uint32 hashes). It is of 2^n bytes, which are written to."""
    filled = np.frombuffer(seen, np.uint8)
    np.bitwise_or.at(filled, *_line_bits(np.frombuffer(lines, np.uint32), len(filled)))


def _line_bits(
    lines: npt.NDArray[np.uint32], size: int
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    """Return where lines are in a filter of so many bytes: bytes and bits, shape (4, lines)."""
    mixed = (lines ^ (lines >> np.uint32(15))) * _ODD[:, None]
    at = mixed >> np.uint32(33 - (size * 8).bit_length())
    return at >> np.uint32(3), _BITS.take(at & np.uint32(7))
