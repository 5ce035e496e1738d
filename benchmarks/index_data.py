"""Fingerprints to fill an index with: uniform random bits, and the skew of real pages.

A crawl's fingerprints are not uniform: the pages of one template share most of their bits. The
skewed ones are drawn with replacement from the fingerprints of real texts and each bit is flipped
with probability .1, which crowds the buckets as hundreds of pages of one template would.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.scoring import read_texts
from crawler import config
from crawler.dedup import Signer
from crawler.demo.articles import Library

FLIPPED_SHARE = 0.1
TEXTS_A_SET = 200
QUERIES = 20_000
_QUERY_BITS = 3

Fingerprints = npt.NDArray[np.uint64]


def uniform(size: int, rng: np.random.Generator) -> Fingerprints:
    """Return random fingerprints."""
    return rng.integers(0, 2**64, size, np.uint64)


def skewed(real: Fingerprints, size: int, rng: np.random.Generator) -> Fingerprints:
    """Return real fingerprints drawn with replacement, each bit flipped with probability .1."""
    drawn = real[rng.integers(0, len(real), size)]
    for bit in range(64):
        flipped = rng.random(size, np.float32) < FLIPPED_SHARE
        drawn ^= flipped.astype(np.uint64) << np.uint64(bit)
    return drawn


def queries(stored: Fingerprints, rng: np.random.Generator) -> Fingerprints:
    """Return stored fingerprints with three bits flipped, in random order."""
    asked = stored[rng.integers(0, len(stored), QUERIES)]
    for _ in range(_QUERY_BITS):
        asked ^= np.uint64(1) << rng.integers(0, 64, QUERIES, np.uint64)
    return asked


def real_fingerprints(sets: Path) -> Fingerprints:
    """Return the fingerprints of the first texts of every set, or of the demo web's prose."""
    paths = sorted(sets.glob("*.jsonl.xz"))
    texts = [text for path in paths for text in read_texts(path)[:TEXTS_A_SET]]
    signer = Signer(config.Dedup())
    return np.array([signer(text, text).fingerprint for text in texts or demo_texts()], np.uint64)


def demo_texts() -> list[str]:
    """Return articles of the demo web in both its languages."""
    library = Library(seed=1)
    return [
        library.article(str(number), language).text
        for language in ("en", "zh")
        for number in range(TEXTS_A_SET)
    ]
