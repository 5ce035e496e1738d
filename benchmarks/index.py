"""Indexes for fingerprints side by side: speed, memory and recall over corpus size and distance.

    python -m benchmarks.index [--sizes 1e5 1e6 1e7] [--distances 3 7 11] [--quick] [--plot FILE]

Every index is filled with the same fingerprints, uniform ones and skewed ones (`index_data`), then
all are asked in turn, several rounds, and the median round is printed: whatever else the machine
does then falls on all alike. Seconds are those of the processor, on one thread; faiss is held to
one as well.

    fill/s    fingerprints a second, handed over a million at a time
    query/s   one query at a time
    batch/s   queries handed over together
    mixed/s   a query and an insert in turn, pairs a second: what a crawl does
    bytes     a fingerprint; for peers the growth of the process, unreliable at 10^5
    recall    pairs found of those that brute force finds, on up to 20 of the queries
    asked     queries asked one at a time, in all rounds: a slow index is asked few

Progress goes to standard error. All of it takes about a quarter of an hour on an idle machine and
4 GB of memory, most of both at 10^7; `--sizes 1e7 --distances 7` measures a part.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import index_data as data
from benchmarks.index_contenders import (
    BruteForce,
    Contender,
    Fingerprints,
    contenders,
    peer,
    resident_bytes,
)
from benchmarks.index_plot import plot
from benchmarks.index_search import bisection, interpolation
from benchmarks.scoring import SETS

ROUNDS = 3
_ROUND_S = 0.1
_FEWEST_ASKED = 5
"""How long one index is asked in one round, and how many queries at the least."""

_TRUTH_QUERIES = 20
_TRUTH_S = 2.0
"""Queries that recall is taken on, or fewer if an index takes longer than this for them."""

_BATCH = 2000


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the table."""

    crowd: str
    size: int
    distance: int
    name: str
    fill: float
    single: float
    batch: float
    mixed: float | None
    bytes_each: float
    recall: float
    asked: int

    def __str__(self) -> str:
        mixed = f"{self.mixed:10,.0f}" if self.mixed else f"{'-':>10}"
        return (
            f"{self.crowd:8}{self.size:>11,}{self.distance:>4}  {self.name:27}{self.fill:>11,.0f}"
            f"{self.single:>10,.0f}{self.batch:>11,.0f}{mixed}{self.bytes_each:7.1f}"
            f"{self.recall:8.4f}{self.asked:>8,}"
        )


HEADINGS = (
    f"{'crowd':8}{'size':>11}{'d':>4}  {'index':27}{'fill/s':>11}{'query/s':>10}{'batch/s':>11}"
    f"{'mixed/s':>10}{'bytes':>7}{'recall':>8}{'asked':>8}"
)


def compare(crowd: str, stored: Fingerprints, distance: int) -> list[Result]:
    """Measure all contenders on the same fingerprints."""
    rng = np.random.default_rng(distance)
    queries = data.queries(stored, rng)
    filled = [_fill(index, stored) for index in contenders(distance, len(stored))]
    indexes = [index for index, _, _ in filled]
    truth = _truth(stored, queries[:_TRUTH_QUERIES], distance)
    recalls = [_recall(index, queries, truth) for index in indexes]
    rounds = [[_round(index, queries, n) for index in indexes] for n in range(ROUNDS)]
    mixed = [[_mixed(index, queries, len(stored), n) for index in indexes] for n in range(ROUNDS)]
    return [
        Result(
            crowd,
            len(stored),
            distance,
            index.name,
            fill,
            statistics.median(part[n].single for part in rounds),
            statistics.median(part[n].batch for part in rounds),
            statistics.median(part[n] for part in mixed) if index.grows else None,
            nbytes / len(stored),
            recalls[n],
            sum(part[n].asked for part in rounds),
        )
        for n, (index, fill, nbytes) in enumerate(filled)
    ]


def _tell(what: str) -> None:
    """Say on standard error what is being measured, over what was said before."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{what}", end="", file=sys.stderr, flush=True)


def _fill(index: Contender, stored: Fingerprints) -> tuple[Contender, float, int]:
    """Fill an index; return it with fingerprints a second and its bytes."""
    _tell(f"filling {index.name}")
    gc.collect()
    before, start = resident_bytes(), time.thread_time()
    index.fill(stored)
    rate = len(stored) / (time.thread_time() - start)
    nbytes = index.nbytes
    return index, rate, nbytes if nbytes is not None else resident_bytes() - before


def _truth(stored: Fingerprints, queries: Fingerprints, distance: int) -> list[set[int]]:
    """Return what brute force finds for each query."""
    _tell("finding the truth")
    reference = BruteForce(distance)
    reference.fill(stored)
    return [set(reference.query(query).tolist()) for query in queries.tolist()]


def _recall(index: Contender, queries: Fingerprints, truth: list[set[int]]) -> float:
    """Return the share of true pairs that an index finds, on as many queries as it has time for."""
    _tell(f"checking {index.name}")
    found, true, start = 0, 0, time.thread_time()
    for first in range(0, len(truth), _FEWEST_ASKED):
        part = truth[first : first + _FEWEST_ASKED]
        pairs = set(index.query_many(queries[first : first + len(part)]))
        expected = {(number, id_) for number, ids in enumerate(part) for id_ in ids}
        assert pairs <= expected, f"{index.name} returns pairs beyond the distance"
        found, true = found + len(pairs), true + len(expected)
        if time.thread_time() - start > _TRUTH_S:
            break
    return found / max(1, true)


class _Round(NamedTuple):
    """Queries a second one at a time, of how many, and in a batch that takes about as long."""

    single: float
    asked: int
    batch: float


def _round(index: Contender, queries: Fingerprints, number: int) -> _Round:
    _tell(f"asking {index.name}, round {number + 1} of {ROUNDS}")
    asked = np.roll(queries, -number * _BATCH)
    single, done = _rate(index.query, asked.tolist())
    batch = asked[: max(_FEWEST_ASKED, min(len(asked), int(2 * single * _ROUND_S)))]
    start = time.thread_time()
    index.query_many(batch)
    return _Round(single, done, len(batch) / (time.thread_time() - start))


def _mixed(index: Contender, queries: Fingerprints, size: int, number: int) -> float:
    """Return pairs of a query and an insert a second; 0 where nothing can be inserted."""
    if not index.grows:
        return 0.0
    _tell(f"asking and filling {index.name}, round {number + 1} of {ROUNDS}")

    def step(fingerprint: int) -> None:
        index.query(fingerprint)
        index.insert(size, fingerprint)

    return _rate(step, np.roll(queries, -number * _BATCH).tolist())[0]


def _rate(act: Callable[[int], object], fingerprints: Sequence[int]) -> tuple[float, int]:
    """Return how many acts a second, and of how many that is."""
    start = time.thread_time()
    for done, fingerprint in enumerate(fingerprints, 1):
        act(fingerprint)
        if time.thread_time() - start > _ROUND_S and done >= _FEWEST_ASKED:
            break
    return done / (time.thread_time() - start), done


def search_lines(size: int) -> list[str]:
    """Return what interpolation and binary search cost a key, one key and many at a time."""
    rng = np.random.default_rng(size)
    ordered, keys = np.sort(data.uniform(size, rng)), data.uniform(4096, rng)
    lines = []
    for search in (bisection, interpolation):
        start = time.thread_time()
        for number in range(100):
            search(ordered, keys[number : number + 1])
        single_us = 1e4 * (time.thread_time() - start)
        start = time.thread_time()
        search(ordered, keys)
        many_us = 1e6 * (time.thread_time() - start) / len(keys)
        lines.append(f"{search.__name__:14}{size:>11,}{single_us:10.1f}{many_us:10.3f}")
    return lines


def main() -> None:
    """Print the tables and draw the plot."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=float, nargs="+", default=[1e5, 1e6, 1e7])
    parser.add_argument("--distances", type=int, nargs="+", default=[3, 7, 11])
    parser.add_argument("--quick", action="store_true", help="10^5 and distance 3 only")
    parser.add_argument("--sets", type=Path, default=SETS, help="texts for the skewed crowd")
    parser.add_argument("--plot", type=Path, help="draw the cost over corpus size into this SVG")
    arguments = parser.parse_args()
    sizes = [100_000] if arguments.quick else [int(size) for size in arguments.sizes]
    distances = [3] if arguments.quick else arguments.distances
    for module, package in (("faiss", "faiss-cpu"), ("simhash", "simhash")):
        if peer(module) is None:
            print(f"{module} is skipped: not installed (pip install {package})")
    results = _measure(sizes, distances, data.real_fingerprints(arguments.sets))
    print(f"\n{'search':14}{'size':>11}{'us a key':>10}{'of 4096':>10}")
    print("\n".join(line for size in sizes for line in search_lines(size)))
    if arguments.plot:
        plot([(r.crowd, r.size, r.distance, r.name, r.single) for r in results], arguments.plot)


def _measure(sizes: list[int], distances: list[int], real: Fingerprints) -> list[Result]:
    print(HEADINGS, flush=True)
    results = []
    for size in sizes:
        _tell(f"drawing {size:,} fingerprints")
        rng = np.random.default_rng(size)
        crowds = {"uniform": data.uniform(size, rng), "skewed": data.skewed(real, size, rng)}
        for distance in distances:
            for crowd, stored in crowds.items():
                lines = compare(crowd, stored, distance)
                _tell("")
                print("\n".join(map(str, lines)), flush=True)
                results += lines
    return results


if __name__ == "__main__":
    main()
