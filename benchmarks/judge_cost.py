"""What one `judge()` costs, and what a stored page costs in memory, on a crowded index.

    python -m benchmarks.judge_cost [--pages 100000 1000000] [--sets DIR] [--distance N] [--numpy]

Stored pages are drawn with replacement from the real near-duplicate sets, so that the pages of one
template crowd the same buckets as they would on a crawl of that size. Two crowds are measured:

- `copies`: fingerprint and sketch exactly as drawn. Every page judged has many equals, and the
  first of them ends the search.
- `variants`: fingerprint as drawn, 30 % of the sketch replaced at random. Stored pages are then
  unlike each other (similarity about .5), and every page judged, a variant too, meets hundreds of
  candidates and ends as new: the dearest case.

The pages judged are drawn from the same sets. Garbage collection stays on. CPU time is printed
beside wall time, which on a shared machine holds the pauses that other programs cause.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.scoring import SETS, read_texts
from crawler import config
from crawler.dedup import Judge, MemoryCatalog, Signer, kernels
from crawler.dedup.kernels.plain import WORDS
from crawler.dedup.signing import new_key
from crawler.models import IndexRow, PayloadKey, Shingles, Signature, StoredRef

JUDGED = 5000
REPLACED_SHARE = 0.3


class Resampled(MemoryCatalog):
    """A catalogue of endless pages: page i has the shingles of document `drawn[i]`."""

    def __init__(self, documents: list[Signature], drawn: list[int]) -> None:
        super().__init__()
        self._signatures, self._drawn = documents, drawn
        self.verified = 0

    def ref(self, document_id: int) -> StoredRef:
        """See Catalog."""
        return StoredRef(document_id, f"doc:{document_id}")

    def shingles(self, document_id: int) -> Shingles:
        """See Catalog."""
        self.verified += 1
        return Shingles.of(self._signatures[self._drawn[document_id]])


def vary(sketch: bytes, rng: np.random.Generator) -> bytes:
    """Return a sketch with REPLACED_SHARE of its bins drawn anew."""
    nibbles = np.frombuffer(sketch, np.uint8, WORDS * 8)
    bins = np.stack([nibbles & 15, nibbles >> 4], axis=1).ravel()
    chosen = rng.random(len(bins)) < REPLACED_SHARE
    bins = np.where(chosen, rng.integers(0, 16, len(bins), np.uint8), bins)
    packed: bytes = (bins[0::2] | bins[1::2] << 4).astype(np.uint8).tobytes()
    return packed + sketch[WORDS * 8 :]


def rows(
    documents: list[Signature], drawn: list[int], variants: bool, rng: np.random.Generator
) -> Iterator[IndexRow]:
    """Yield the rows of the stored pages."""
    for number, choice in enumerate(drawn):
        text = documents[choice]
        yield IndexRow(
            id=number,
            payload=PayloadKey(number.to_bytes(32, "big"), "text/html"),
            visible_digest=number.to_bytes(32, "big"),
            fingerprint=text.fingerprint,
            tokens=text.tokens,
            shingle_kind=text.shingle_kind,
            sketch=vary(text.sketch, rng) if variants else text.sketch,
            representative=True,
        )


def measure(documents: list[Signature], pages: int, variants: bool, settings: config.Dedup) -> None:
    """Fill a judge with `pages` pages, judge JUDGED more and print one line."""
    choose, rng = random.Random(pages), np.random.default_rng(pages)
    drawn = [choose.randrange(len(documents)) for _ in range(pages + JUDGED)]
    catalog = Resampled(documents, drawn)
    judge = Judge(settings, catalog, expected_documents=pages + JUDGED)
    start = time.perf_counter()
    judge.restore(rows(documents, drawn[:pages], variants, rng))
    restore_s = time.perf_counter() - start
    bytes_a_page = judge.nbytes / pages
    wall_ms, cpu_ms, duplicates = [], [], 0
    for number in range(pages, pages + JUDGED):
        text, digest = documents[drawn[number]], number.to_bytes(32, "big")
        sketch = vary(text.sketch, rng) if variants else text.sketch
        text = replace(text, text_digest=digest, sketch=sketch)
        begun, cpu_begun = time.perf_counter(), time.thread_time()
        verdict = judge.judge(PayloadKey(digest, "text/html"), text, number)
        wall_ms.append(1000 * (time.perf_counter() - begun))
        cpu_ms.append(1000 * (time.thread_time() - cpu_begun))
        duplicates += hasattr(verdict, "of")
    p50, p99, worst = np.percentile(wall_ms, [50, 99, 100])
    cpu_p50, cpu_p99 = np.percentile(cpu_ms, [50, 99])
    print(
        f"{pages:>9,} {'variants' if variants else 'copies':9}{p50:8.3f}{p99:8.3f}{worst:8.3f}"
        f"{cpu_p50:9.3f}{cpu_p99:9.3f}{duplicates / JUDGED:12.0%}"
        f"{catalog.verified / JUDGED:10.2f}{bytes_a_page:12.0f}{restore_s:11.1f}",
        flush=True,
    )


def main() -> None:
    """Print one line a number of stored pages and kind of crowd."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pages", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--sets", type=Path, default=SETS)
    parser.add_argument("--distance", type=int, default=config.Dedup().distance)
    parser.add_argument("--numpy", action="store_true", help="as if no C had been built")
    arguments = parser.parse_args()
    if arguments.numpy:
        kernels.use("numpy")
    signer = Signer(config.Dedup(), (new_key(),))
    paths = sorted(arguments.sets.glob("*.jsonl.xz"))
    documents = [signer(text, text) for path in paths for text in read_texts(path)]
    settings = config.Dedup(distance=arguments.distance)
    print(
        f"{'pages':>9} {'crowd':9}{'p50 ms':>8}{'p99 ms':>8}{'max ms':>8}"
        f"{'CPU p50':>9}{'CPU p99':>9}"
        f"{'duplicates':>12}{'verified':>10}{'bytes/page':>12}{'restore s':>11}"
    )
    for pages in arguments.pages:
        for variants in (True, False):
            measure(documents, pages, variants, settings)


if __name__ == "__main__":
    main()
