"""What a portable index costs: bytes and building a page, and judging against it.

`python -m benchmarks.portable_index --documents 2000`: a corpus of made texts is judged, an index
of it built, and the same number of texts judged against the directory and against the index in
turns: a quarter are the same, a quarter near, half new. CPU times are of one process.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
import orjson

from crawler.cli import main as crawler
from crawler.config import Dedup, SiblingMode
from crawler.dedup import Judge, Signer, payload_digest
from crawler.dedup.catalog import MemoryCatalog
from crawler.models import PayloadKey
from crawler.storage.catalog import EarlierPages, LayeredCatalog, directory_pages
from crawler.storage.reference_index import IndexFile, segment_pages
from crawler.storage.view import StoreView

WORDS, TURNS = 400, 5


def _text(number: int, changed: int = 0) -> str:
    drawn = np.random.default_rng(number).integers(0, 50_000, WORDS).tolist()
    return " ".join([*(f"new{n}" for n in range(changed)), *(f"w{n}" for n in drawn[changed:])])


def _timed(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _judge(pages: list[EarlierPages], number: int) -> tuple[float, float, int]:
    """Return seconds of loading and of judging, and how many were found."""
    catalog = LayeredCatalog(MemoryCatalog(), b"", pages)
    judge = Judge(Dedup(siblings=SiblingMode.IGNORE), catalog, 2 * number)
    loading = _timed(lambda: judge.restore(catalog.earlier_rows()))
    sign = Signer(Dedup(), catalog.keys)
    texts = [_text(n, changed=20 * (n % 4 == 1)) for n in range(number) if n % 4 < 2]
    texts += [_text(number + n) for n in range(number // 2)]
    signed = [
        (PayloadKey(payload_digest(text.encode()), "text/plain;utf-8"), sign(text, text))
        for text in texts
    ]
    found: list[object] = []
    spent = _timed(lambda: found.extend(judge.verdict(k, s, None) for k, s in signed))
    return loading, spent, sum(hasattr(verdict, "of") for verdict in found)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=2000)
    number = parser.parse_args().documents
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        corpus, judged = Path(home) / "c.jsonl", Path(home) / "judged"
        lines = (orjson.dumps({"text": _text(n)}) for n in range(number))
        corpus.write_bytes(b"\n".join(lines))
        crawler(["dedup", str(corpus), "--output", str(judged), "--processes", "1"])
        sources: dict[str, EarlierPages] = {
            "directory": directory_pages(stack.enter_context(StoreView.read(judged)))
        }
        for name, flags in (("sketches", []), ("shingles", ["--shingles"])):
            path = Path(home) / name
            command = ["index", "build", str(judged), "--output", str(path), *flags]
            spent = _timed(partial(crawler, command))
            print(f"{name}: {path.stat().st_size / number:.0f} B, {1e3 * spent / number:.3f} ms")
            index = stack.enter_context(IndexFile(path))
            [segment] = index.segments
            sources[name] = segment_pages(name, index, segment)
        turns = {
            name: [_judge([pages], number) for _ in range(TURNS)] for name, pages in sources.items()
        }
        for name, all_ in turns.items():
            load, spent, found = (median(column) for column in zip(*all_, strict=True))
            each = f"{1e3 * load / number:.3f} ms loading, {1e3 * spent / number:.3f} ms judging"
            print(f"{name}: {each} a page, {found:.0f} found")


if __name__ == "__main__":
    main()
