"""What signing a text costs beside extraction, step by step, on the near-duplicate sets.

    python -m benchmarks.sign_cost [--sets DIR] [--texts 200] [--passes 7]

Process CPU time in ms per 1,000 characters: of the whole `Signer`, which is what a crawl pays a
page, and of its steps one after another. Each number is the median of the passes over a set's first
texts; passes of all steps take turns, so what else the machine does meets all of them alike. The
steps' sum differs from `all`: a step that runs by itself keeps its code and data in the caches.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.scoring import SETS, read_texts
from crawler import config
from crawler.dedup import Signer, text_digest
from crawler.dedup.signing import scripts, shingles
from crawler.dedup.signing.features import count_features
from crawler.dedup.signing.segmenter import Segmenter, load_segmenter
from crawler.dedup.signing.simhash import simhash
from crawler.dedup.signing.sketch import make_sketch

Step = tuple[Callable[[Any], Any], list[Any]]
"""A function and what it is called with, text by text."""

TARGET = 0.2


def steps(texts: Sequence[str], signer: Signer, segment: Segmenter) -> dict[str, Step]:
    """Return what is measured, by name: all of it, then the parts it is made of."""
    cuts = [scripts.cut(text) for text in texts]
    kinds = [shingles.shingle_kind(cut) for cut in cuts]
    hashes = [shingles.shingle_hashes(*pair) for pair in zip(cuts, kinds, strict=True)]
    words = [list(segment("\n".join(cut.han))) if cut.han else [] for cut in cuts]
    return {
        "all": (lambda text: signer(text, text), list(texts)),
        "digest": (text_digest, list(texts)),
        "cut": (scripts.cut, list(texts)),
        "words": (lambda cut: segment("\n".join(cut.han)) if cut.han else (), cuts),
        "count": (
            lambda pair: count_features(pair[0], lambda text: pair[1]),
            list(zip(cuts, words, strict=True)),
        ),
        "simhash": (simhash, [count_features(cut, segment) for cut in cuts]),
        "shingles": (
            lambda pair: shingles.shingle_hashes(*pair),
            list(zip(cuts, kinds, strict=True)),
        ),
        "sketch": (make_sketch, hashes),
    }


def measure(measured: dict[str, Step], passes: int) -> dict[str, float]:
    """Return the median CPU seconds of a pass over all texts, by name."""
    taken: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(passes):
        for name, (function, arguments) in measured.items():
            begun = time.process_time()
            for argument in arguments:
                function(argument)
            taken[name].append(time.process_time() - begun)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def main() -> None:
    """Print one line a set."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", type=Path, default=SETS)
    parser.add_argument("--texts", type=int, default=200, help="texts of each set")
    parser.add_argument("--passes", type=int, default=7)
    arguments = parser.parse_args()
    paths = sorted(arguments.sets.glob("*.jsonl.xz"))
    if not paths:
        print(f"{arguments.sets}: no sets (<name>.jsonl.xz) there, nothing measured; see --sets")
        return
    signer, segment = Signer(config.Dedup()), load_segmenter()
    signer.warm()
    for number, path in enumerate(paths):
        texts = read_texts(path)[: arguments.texts]
        characters = sum(map(len, texts))
        seconds = measure(steps(texts, signer, segment), arguments.passes)
        if not number:
            print(f"CPU ms per 1,000 characters (target {TARGET})")
            print(f"{'set':12}{'chars/text':>11}" + "".join(f"{name:>9}" for name in seconds))
        figures = "".join(f"{1e6 * taken / characters:9.3f}" for taken in seconds.values())
        name = path.name.removesuffix(".jsonl.xz")
        print(f"{name:12}{characters / len(texts):11,.0f}{figures}", flush=True)


if __name__ == "__main__":
    main()
