"""Four ways to count differing bits, and which of them is used where.

    python -m benchmarks.hamming

Each is measured on pairs of random fingerprints, 32 of 64 bits different on average: nanoseconds a
pair, the median of several rounds.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from crawler.dedup import kernels
from crawler.dedup.columns import distances, hamming
from crawler.dedup.index import Buckets

PAIRS = 200_000
ROUNDS = 5

USES = (
    ("kernighan", "tests only: the reference; its loop turns once a differing bit"),
    ("int.bit_count", "one pair: the reported distance of a verdict (`hamming`)"),
    ("numpy, arrays of 1", "nowhere: calling numpy costs more than the counting"),
    ("numpy, arrays of 60", "the block index in numpy, one query in 10^6"),
    ("numpy, one array", "sorted tables, brute force (`distances`), batches in numpy"),
    ("kernel", "the block index (`kernels/near.c`), here looking at all within 3 bits"),
)


def kernighan(number: int) -> int:
    """Return the number of ones of a non-negative integer, by Kernighan's loop.

    `a & (a - 1)` clears the lowest one (Kernighan, Ritchie, The C Programming Language, exercise
    2-9), so the loop turns once a one: the way of a machine without a population count, kept as
    the reference the faster ones are tested against. Raises ValueError for a negative number.
    """
    if number < 0:
        raise ValueError(f"{number} is negative and has no end of ones")
    ones = 0
    while number:
        number &= number - 1
        ones += 1
    return ones


def main() -> None:
    """Print one line a way."""
    rng = np.random.default_rng(1)
    array = rng.integers(0, 2**64, PAIRS, np.uint64)
    query = int(rng.integers(0, 2**64, dtype=np.uint64))
    numbers = array.tolist()

    def chunks(size: int) -> Callable[[], object]:
        parts = [array[start : start + size] for start in range(0, PAIRS // 10, size)]
        return lambda: [distances(part, query) for part in parts]

    ways: dict[str, tuple[Callable[[], object], int]] = {
        "kernighan": (lambda: [kernighan(n ^ query) for n in numbers], PAIRS),
        "int.bit_count": (lambda: [hamming(n, query) for n in numbers], PAIRS),
        "numpy, arrays of 1": (chunks(1), PAIRS // 10),
        "numpy, arrays of 60": (chunks(60), PAIRS // 10),
        "numpy, one array": (lambda: distances(array, query), PAIRS),
    }
    if kernels.IN_USE == "C":
        asked = query.to_bytes(8, sys.byteorder)
        cells = Buckets(1, 0).cells
        ways["kernel"] = (
            lambda: kernels.near_fingerprints(asked, array, PAIRS, cells, 8, 3, PAIRS),
            PAIRS,
        )
    times = {name: [_seconds(way) for _ in range(ROUNDS)] for name, (way, _) in ways.items()}
    print(f"{'way':22}{'ns a pair':>10}  used for")
    for name, use in USES:
        if name not in ways:
            continue  # no compiler, no kernel
        print(f"{name:22}{1e9 * statistics.median(times[name]) / ways[name][1]:10.2f}  {use}")


def _seconds(way: Callable[[], object]) -> float:
    start = time.perf_counter()
    way()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
