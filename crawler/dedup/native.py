"""The compiled kernels, where there are any: the C of `crawler/dedup/kernels`.

They are loops that numpy can only take apart into many calls, each over all of its data. They are
built when the package is installed, if there is a C compiler; without one, the Python beside each
caller does the same work with the same results, more slowly (docs/judging.md has the figures).
"""

from __future__ import annotations

import importlib
from array import array
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy.typing as npt

Cells: TypeAlias = "memoryview[int]"
"""Numbers of one size, side by side, which may be written."""

Numbers: TypeAlias = "Cells | npt.NDArray[Any] | array[int] | bytes"
"""The same to be read."""

BucketCells: TypeAlias = tuple[Cells, Cells, Cells, Cells, Cells, int]
"""Buckets of entries (`index.buckets`): the size of each, where its run of pages begins, all runs,
the rows and the tags of all entries page by page, and the logarithm of a page's entries."""

VERSION = 1
"""Of what is written here; kernels that an older installation left behind are not used."""


class Kernels(Protocol):
    """What is compiled. Arrays go in as buffers; none is checked to hold what it must."""

    def insert_entries(
        self,
        buckets: Numbers,
        rows: Numbers,
        tags: Numbers,
        cells: BucketCells,
        first: int,
        opened: bool,
    ) -> int:
        """Write entry `first` and those after it to the ends of distinct buckets.

        Returns the number of the first one that needs a new page, or how many entries there are.
        `opened` says that entry `first` has its new page already.
        """

    def place_entries(
        self,
        keys: Numbers,
        rows: Numbers,
        tags: Numbers,
        cells: BucketCells,
    ) -> None:
        """Write entry `key & 0xFFFFFFFF` to the end of bucket `key >> 32` for sorted uint64 keys.

        Their pages must all be there.
        """

    def find_rows(
        self,
        buckets: Numbers,
        cells: BucketCells,
        shared_bits: int,
    ) -> bytearray:
        """Return the rows in some buckets (int64) of a table, uint32, one bucket after another.

        The low `shared_bits` of a bucket's number lie above the row in each of its entries.
        """

    def keep_likely_rows(
        self,
        rows: Numbers,
        words: Numbers,
        sizes: Cells,
        rest: Cells,
        quarter: Cells,
        low: int,
        high: int,
        most_of_quarter: int,
        most: int,
    ) -> bytearray:
        """Return those of some rows whose size is in low..high and whose sketch is like this one.

        The last quarter of their words may differ in `most_of_quarter` bins, all of them in `most`.
        Returns uint64, row << 32 | differing bins, in the order of rows, repeated where they are.
        """

    def near_fingerprints(
        self,
        queries: Numbers,
        fingerprints: Numbers,
        cells: BucketCells,
        key_bits: int,
        distance: int,
    ) -> bytearray:
        """Return what lies within a distance of some queries, by the tables of a block index.

        A pair is a uint64, query << 36 | row << 4 | distance; each comes once, the queries in
        their order, the rows of one in none.
        """

    def scan_fingerprints(
        self, queries: Numbers, fingerprints: Numbers, count: int, distance: int
    ) -> bytearray:
        """Return the same of the first `count` fingerprints by looking at each, rows ascending."""

    def fold_spaces(self, text: str) -> bytes:
        """Return a text in UTF-8 with one space for all white space, none at its ends.

        Lone surrogates are encoded like other characters.
        """

    def cut_by_script(self, text: str, classes: bytes) -> tuple[str, str, int, int]:
        """Return what `scripts.cut` makes of a text in lower case.

        It is the text with spaces for characters of no script; its Han runs, a new-line between
        two; and how many characters are of scripts without spaces, and of any script.
        """

    def stop_table(self, stops: str) -> bytes:
        """Return words that lie between spaces as `fingerprint_words` looks them up.

        ValueError for a word of more than 15 bytes, or for more than 384.
        """

    def fingerprint_words(
        self,
        text: str,
        classes: bytes,
        segmented: Sequence[str],
        stops: bytes,
        weights: Numbers,
        seed: int,
    ) -> tuple[int, int] | None:
        """Return the fingerprint and number of a text's words and of those its Han runs are cut to.

        Stop words count for nothing; `weights` are of uint32, by number of occurrences. None where
        a word occurs more often than they go, or where so many words collide that they were made to
        (the hash is no secret).
        """

    def shingle_hashes(
        self, text: str, classes: bytes, by_characters: bool, seed: int
    ) -> bytearray:
        """Return the sorted unique hashes (uint32) of a text's shingles."""

    def make_sketch(self, hashes: Numbers) -> bytes:
        """Return the sketch of a sorted set of hashes (uint32)."""


def _load() -> Kernels | None:
    try:
        loaded: Any = importlib.import_module("crawler.dedup._kernels")
    except ImportError:  # the package was installed where there is no compiler
        return None
    kernels: Kernels = loaded
    return kernels if loaded.VERSION == VERSION else None


kernels = _load()
