"""What signing a text costs beside extraction, step by step: near-duplicate sets and real pages.

    python -m benchmarks.sign_cost [--corpora DIR] [--texts 200] [--pages 40] [--passes 7]

Process CPU time in ms per 1,000 characters of judged text: of the whole `Signer`, which is what a
crawl pays a page, and of its steps one after another. A text counts with the median of its passes;
passes of all steps take turns, so what else the machine does meets all of them alike. The steps add
up to less than `all`: one that runs by itself keeps code and data in the caches. `again` is the
second of two signings in a row, which finds everything there: no order of work gets below it.
`python` is what `all` is where no C was compiled. `words` is the segmenter alone,
`simhash` what is made of its words and the text's own.

`fixed` and `slope` split `all`: microseconds every text costs and ms each 1,000 characters add, by
least squares over the texts' medians, whose variance is taken to grow with their length.

Pages are read as a crawl reads them, and what it signs is measured: the judged text and the visible
one, which has a digest of its own. `in page` is their one signing in between two extractions, which
leave nothing of ours in the caches: what an analysis process pays.
"""

from __future__ import annotations

import argparse
import statistics
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpora import CORPORA, site_pages
from benchmarks.scoring import read_texts
from crawler.config import Job
from crawler.dedup import Signer, kernels, signing
from crawler.dedup.signing import (
    Segmenter,
    find_words,
    load_segmenter,
    text_digest,
    word_simhash,
)
from crawler.models import Signature
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

TARGET = 0.2
SITES: Mapping[str, tuple[str, int]] = {
    "oi-wiki": ("oi-wiki/", 5),
    "hexo-docs": ("hexo-docs/zh-", 2),
    "debian-handbook": ("debian-handbook/zh-", 5),
    "libreoffice-help": ("libreoffice-help/zh-", 50),
    "python-3.11": ("python-3.11/", 10),
    "llvm-16": ("llvm-16/", 10),
    "postgresql-15": ("postgresql-15/", 20),
    "openjdk-17-api": ("openjdk-17-api/", 100),
}
"""Sites in Chinese, then in English: a path's beginning, and of how many paths one is read."""

Step = tuple[Callable[[Any], Any], Callable[[], Iterable[Any]]]
"""A function, and what makes its arguments, text by text: anew for every pass, since a word keeps
its hash and encoding once somebody asked for them."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What is signed under one name."""

    name: str
    texts: Sequence[tuple[str, str]]
    """(judged text, visible text)."""
    in_page_s: float | None = None
    """CPU seconds it took to sign them all, each after its page was extracted."""

    @property
    def lengths(self) -> list[int]:
        """Characters of each judged text."""
        return [len(judged) for judged, _ in self.texts]


class Recorder:
    """Signs, and keeps what it was given and how long that took."""

    def __init__(self, signer: Signer) -> None:
        self.texts: list[tuple[str, str]] = []
        self.taken_s = 0.0
        self._signer = signer

    def __call__(self, judged: str, visible: str, kept: str) -> Signature:
        """Sign a page's texts."""
        begun = time.process_time()
        signature = self._signer(judged, visible, kept)
        self.taken_s += time.process_time() - begun
        self.texts.append((judged, visible))
        return signature


def set_samples(corpora: Path, texts: int) -> Iterator[Sample]:
    """Yield the first texts of every near-duplicate set."""
    for path in sorted(corpora.glob("dedup/*.jsonl.xz")):
        found = read_texts(path)[:texts]
        yield Sample(path.name.removesuffix(".jsonl.xz"), [(text, text) for text in found])


def page_samples(corpora: Path, pages: int, signer: Signer) -> Iterator[Sample]:
    """Yield what an analysis process signs of the pages of every site."""
    settings = AnalysisSettings.of(Job())
    for site, (prefix, every) in SITES.items():
        if not (corpora / f"sites/{site}.tar.zst").is_file():
            continue
        Analyser(settings, signer).warm()
        recorder = Recorder(signer)
        analyser = Analyser(settings, recorder)
        for path, body in islice(_pages(corpora, site, prefix, every), pages):
            analyser.analyse(AnalysisRequest(f"http://{site}/{path}", body, "text/html", None))
        yield Sample(site, recorder.texts, recorder.taken_s)


def _pages(corpora: Path, site: str, prefix: str, every: int) -> Iterator[tuple[str, bytes]]:
    """Yield (path, body) of the pages that are read, without stubs that only redirect."""
    for path, body in site_pages(corpora, site):
        chosen = path.startswith(prefix) and not zlib.crc32(path.encode()) % every
        if chosen and (len(body) > 2000 or b"refresh" not in body):
            yield path, body


def steps(sample: Sample, signer: Signer, segment: Segmenter) -> dict[str, Step]:
    """Return what is measured, by name: all of it, then the parts it is made of."""
    judged = [text for text, _ in sample.texts]
    cuts = [signing.cut_by_script(text) for text in judged]
    kinds = [signing.shingle_kind(cut) for cut in cuts]
    key = signing.new_key()
    cut_ones = [(cut, kind, key) for cut, kind in zip(cuts, kinds, strict=True)]
    hashes = [signing.shingle_hashes(*one)[0] for one in cut_ones]
    return {
        "all": (lambda pair: signer(*pair), lambda: sample.texts),
        "python": (lambda pair: _without_kernels(signer, pair), lambda: sample.texts),
        "again": (lambda pair: signer(*pair), lambda: _signed(sample, signer)),
        "digest": (text_digest, lambda: judged),
        "cut": (signing.cut_by_script, lambda: judged),
        "words": (lambda cut: _words(cut, segment), lambda: cuts),
        "simhash": (
            lambda pair: word_simhash(find_words(pair[0], lambda han: pair[1])),
            lambda: [(cut, _words(cut, segment)) for cut in cuts],
        ),
        "shingles": (lambda one: signing.shingle_hashes(*one), lambda: cut_ones),
        "sketch": (kernels.make_sketch, lambda: hashes),
    }


def _signed(sample: Sample, signer: Signer) -> Iterator[tuple[str, str]]:
    """Yield texts that were signed a moment ago."""
    for pair in sample.texts:
        signer(*pair)
        yield pair


def _without_kernels(signer: Signer, pair: tuple[str, str]) -> Signature:
    with kernels.using("numpy"):
        return signer(*pair)


def _words(cut: signing.Cut, segment: Segmenter) -> Sequence[str]:
    return segment(cut.han) if cut.han else ()


def measure(measured: dict[str, Step], passes: int) -> dict[str, list[float]]:
    """Return the CPU seconds of every text, the median of the passes, by name."""
    taken: dict[str, list[list[float]]] = {name: [] for name in measured}
    for _ in range(passes):
        for name, (function, make_arguments) in measured.items():
            seconds = []
            for argument in make_arguments():
                begun = time.process_time()
                function(argument)
                seconds.append(time.process_time() - begun)
            taken[name].append(seconds)
    return {name: [*map(statistics.median, zip(*t, strict=True))] for name, t in taken.items()}


def split(lengths: Sequence[int], seconds: Sequence[float]) -> tuple[float, float]:
    """Return the fixed seconds of a text and those each of its characters adds; see above."""
    slope, fixed = np.polyfit(lengths, seconds, 1, w=1 / np.sqrt(np.add(lengths, 1)))
    return float(fixed), float(slope)


def row(sample: Sample, taken: dict[str, list[float]]) -> str:
    """Return a sample's line."""
    characters = sum(sample.lengths)
    figures = "".join(f"{1e6 * sum(seconds) / characters:9.3f}" for seconds in taken.values())
    fixed, slope = split(sample.lengths, taken["all"])
    in_page = "" if sample.in_page_s is None else f"{1e6 * sample.in_page_s / characters:9.3f}"
    return (
        f"{sample.name:17}{len(sample.texts):6}{characters / len(sample.texts):11,.0f}{figures}"
        f"{1e6 * fixed:9.0f}{1e6 * slope:9.3f}{in_page}"
    )


def main() -> None:
    """Print one line a set and site, each as soon as it is measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--texts", type=int, default=200, help="texts of each set")
    parser.add_argument("--pages", type=int, default=40, help="pages of each site")
    parser.add_argument("--passes", type=int, default=7)
    arguments = parser.parse_args()
    signer, segment = Signer(Job().dedup, (signing.new_key(),)), load_segmenter()
    Analyser(AnalysisSettings.of(Job()), signer).warm()
    sets = set_samples(arguments.corpora, arguments.texts)
    sites = page_samples(arguments.corpora, arguments.pages, signer)
    measured = 0
    for sample in chain(sets, sites):
        taken = measure(steps(sample, signer, segment), arguments.passes)
        if not measured:
            names = "".join(f"{name:>9}" for name in (*taken, "fixed us", "slope", "in page"))
            print(f"CPU ms per 1,000 characters (target {TARGET})")
            print(f"{'set or site':17}{'texts':>6}{'chars/text':>11}{names}")
        print(row(sample, taken), flush=True)
        measured += 1
    if not measured:
        print(f"{arguments.corpora}: neither dedup/*.jsonl.xz nor sites/*.tar.zst; see --corpora")


if __name__ == "__main__":
    main()
