"""The indexes that `benchmarks.index` compares, behind one protocol.

Peers are optional: `python -m pip install faiss-cpu simhash`. An absent one is skipped by name.
"""

from __future__ import annotations

import ctypes
import importlib
import logging
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from crawler.dedup import kernels
from crawler.dedup.columns import within
from crawler.dedup.index import BlockIndex
from crawler.dedup.tables import PAPER_DESIGNS, TableDesign, TableIndex, fitting_plan

Fingerprints = npt.NDArray[np.uint64]
Pairs = list[tuple[int, int]]
"""(place of the query, id), in any order."""

_BULK = 1 << 20
_SLOW_ABOVE = 100_000
_SLOW_BEYOND = 3
"""Fingerprints and distance above which `simhash`, pure Python, is left out."""

_PLANNED_BYTES = 128
"""Bytes a fingerprint that planned tables may have."""


class Contender(Protocol):
    """One index at one distance; ids are the places of fingerprints in order of insertion."""

    name: str
    grows: bool
    """Whether a single fingerprint can be inserted."""

    def fill(self, fingerprints: Fingerprints) -> None:
        """Take in all fingerprints."""

    def insert(self, id_: int, fingerprint: int) -> None:
        """Take in one more, if it grows."""

    def query(self, fingerprint: int) -> object:
        """Find all within the distance of one query."""

    def query_many(self, fingerprints: Fingerprints) -> Pairs:
        """Find all pairs within the distance of many queries."""

    @property
    def nbytes(self) -> int | None:
        """Bytes in use; None where only the growth of the process can tell."""


class Blocks:
    """Our block index, which the crawl uses, in C where that was built."""

    name = "block index"
    grows = True

    def __init__(self, distance: int, size: int) -> None:
        self._index = BlockIndex(distance, size)
        self.query = self._index.rows
        self.insert = self._index.insert

    @property
    def nbytes(self) -> int:
        """See Contender."""
        return self._index.nbytes

    def fill(self, fingerprints: Fingerprints) -> None:
        """See Contender."""
        for start in range(0, len(fingerprints), _BULK):
            part = fingerprints[start : start + _BULK]
            self._index.insert_many(np.arange(start, start + len(part)), part)

    def query_many(self, fingerprints: Fingerprints) -> Pairs:
        """See Contender."""
        queries, ids, _ = self._index.candidates_many(fingerprints)
        return list(zip(queries.tolist(), ids.tolist(), strict=True))


class NumpyBlocks(Blocks):
    """The same where no C was built."""

    name = "block index, numpy"

    def __init__(self, distance: int, size: int) -> None:
        super().__init__(distance, size)
        self.query = kernels.using("numpy")(self._index.rows)
        self.insert = kernels.using("numpy")(self._index.insert)

    @kernels.using("numpy")
    def fill(self, fingerprints: Fingerprints) -> None:
        """See Contender."""
        super().fill(fingerprints)

    @kernels.using("numpy")
    def query_many(self, fingerprints: Fingerprints) -> Pairs:
        """See Contender."""
        return super().query_many(fingerprints)


class Tables:
    """Our permuted sorted tables of one design, built at once."""

    grows = False

    def __init__(self, design: TableDesign, distance: int) -> None:
        self.name = f"{design.tables} tables ({design})"
        self._design, self._distance = design, distance
        self._index: TableIndex | None = None

    @property
    def _built(self) -> TableIndex:
        assert self._index is not None
        return self._index

    @property
    def nbytes(self) -> int:
        """See Contender."""
        return self._built.nbytes

    def fill(self, fingerprints: Fingerprints) -> None:
        """See Contender."""
        ids = np.arange(len(fingerprints))
        self._index = TableIndex(self._design, ids, fingerprints, self._distance)

    def insert(self, id_: int, fingerprint: int) -> None:
        """See Contender."""
        raise NotImplementedError("tables are built once")

    def query(self, fingerprint: int) -> object:
        """See Contender."""
        return self._built.candidates(fingerprint)

    def query_many(self, fingerprints: Fingerprints) -> Pairs:
        """See Contender."""
        queries, ids, _ = self._built.candidates_many(fingerprints)
        return list(zip(queries.tolist(), ids.tolist(), strict=True))


class BruteForce:
    """numpy, looking at every fingerprint."""

    name, grows = "numpy brute force", False

    def __init__(self, distance: int) -> None:
        self._distance = distance
        self._fingerprints = np.empty(0, np.uint64)

    @property
    def nbytes(self) -> int:
        """See Contender."""
        return self._fingerprints.nbytes

    def fill(self, fingerprints: Fingerprints) -> None:
        """See Contender."""
        self._fingerprints = fingerprints.copy()

    def insert(self, id_: int, fingerprint: int) -> None:
        """See Contender."""
        raise NotImplementedError("an array has no room")

    def query(self, fingerprint: int) -> npt.NDArray[np.int64]:
        """See Contender."""
        return within(self._fingerprints, fingerprint, self._distance)

    def query_many(self, fingerprints: Fingerprints) -> Pairs:
        """See Contender."""
        found = enumerate(map(self.query, fingerprints.tolist()))
        return [(number, place) for number, places in found for place in places.tolist()]


class Faiss:
    """faiss: IndexBinaryMultiHash of 4 hashes of 16 bits, or IndexBinaryFlat.

    Its range search tests `<`, so one more than the distance is passed.
    """

    nbytes = None

    def __init__(self, faiss: Any, distance: int, flat: bool) -> None:
        self.name, self.grows = f"faiss {'Flat' if flat else 'MultiHash'}", not flat
        self._radius = distance + 1
        self._index = faiss.IndexBinaryFlat(64) if flat else faiss.IndexBinaryMultiHash(64, 4, 16)
        if not flat:
            self._index.nflip = distance // 4

    def fill(self, fingerprints: Fingerprints) -> None:
        """See Contender."""
        for start in range(0, len(fingerprints), _BULK):
            self._index.add(_bytes(fingerprints[start : start + _BULK]))

    def insert(self, id_: int, fingerprint: int) -> None:
        """See Contender."""
        self._index.add(_bytes(np.array([fingerprint], np.uint64)))

    def query(self, fingerprint: int) -> object:
        """See Contender."""
        query = _bytes(np.array([fingerprint], np.uint64))
        return self._index.range_search(query, self._radius)

    def query_many(self, fingerprints: Fingerprints) -> Pairs:
        """See Contender."""
        limits, _, ids = self._index.range_search(_bytes(fingerprints), self._radius)
        queries = np.repeat(np.arange(len(fingerprints)), np.diff(limits.astype(np.int64)))
        return list(zip(queries.tolist(), ids.tolist(), strict=True))


class PyPiSimhash:
    """The package `simhash` and its SimhashIndex."""

    name, grows, nbytes = "simhash (PyPI)", True, None

    def __init__(self, simhash: Any, distance: int) -> None:
        self._simhash = simhash.Simhash
        quiet = logging.getLogger(__name__)
        quiet.setLevel(logging.ERROR)  # it warns of crowded buckets, a line a query
        self._index = simhash.SimhashIndex([], k=distance, log=quiet)

    def fill(self, fingerprints: Fingerprints) -> None:
        """See Contender."""
        for id_, fingerprint in enumerate(fingerprints.tolist()):
            self.insert(id_, fingerprint)

    def insert(self, id_: int, fingerprint: int) -> None:
        """See Contender."""
        self._index.add(str(id_), self._simhash(fingerprint))

    def query(self, fingerprint: int) -> list[str]:
        """See Contender."""
        found: list[str] = self._index.get_near_dups(self._simhash(fingerprint))
        return found

    def query_many(self, fingerprints: Fingerprints) -> Pairs:
        """See Contender."""
        found = enumerate(map(self.query, fingerprints.tolist()))
        return [(number, int(id_)) for number, ids in found for id_ in ids]


def contenders(distance: int, size: int) -> Iterator[Contender]:
    """Yield the indexes that can be measured at a distance and size."""
    yield Blocks(distance, size)
    if kernels.IN_USE != "numpy":
        yield NumpyBlocks(distance, size)
    planned = fitting_plan(size, distance, _PLANNED_BYTES * size).design
    for design in dict.fromkeys((planned, *PAPER_DESIGNS)):
        if design == planned or (design.distance == distance and size <= 1_000_000):
            yield Tables(design, distance)
    if faiss := peer("faiss"):
        faiss.omp_set_num_threads(1)
        yield Faiss(faiss, distance, flat=False)
        yield Faiss(faiss, distance, flat=True)
    small = size <= _SLOW_ABOVE and distance <= _SLOW_BEYOND
    if small and (simhash := peer("simhash")):
        yield PyPiSimhash(simhash, distance)
    yield BruteForce(distance)


def peer(module: str) -> Any:
    """Return an optional package, or None where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def resident_bytes() -> int:
    """Return the memory the process has in use now (Linux; elsewhere its peak)."""
    try:
        ctypes.CDLL(None).malloc_trim(0)  # what was freed would hide what is asked for next
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, AttributeError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * resource.getpagesize()


def _bytes(fingerprints: Fingerprints) -> npt.NDArray[np.uint8]:
    return fingerprints.view(np.uint8).reshape(-1, 8)
