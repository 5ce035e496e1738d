"""What it costs to keep a dropped page: bytes on disk, and CPU, on real pages.

    python -m benchmarks.kept_drops [--corpora DIR] [--pages N]

Editions of a manual, and translations that have stopped half-way, are judged as a crawl judges
them, one edition after another. Each page that is dropped is packed as the store keeps it
(`crawler.storage.dropped`: its line as a difference from the appearance of what it is like), and,
for comparison, as it is and by zlib alone. Siblings are told where `--siblings drop` would drop
them; pages of the very text of another one have a row of their own. Prints bytes a page, and CPU
milliseconds of packing beside those of reading the page.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import chain, islice
from pathlib import Path

import orjson

from benchmarks.corpora import CORPORA, site_pages
from crawler.config import Dedup, Job
from crawler.dedup import Judge, MemoryCatalog, likeness, payload_digest
from crawler.dedup.kinds import Alike
from crawler.engine import outcomes
from crawler.engine.outcomes import page_end, shown
from crawler.models import (
    EXACT_PAYLOAD,
    EXACT_TEXT,
    Dropped,
    ExactDuplicate,
    Fetched,
    FetchTask,
    PageOutcome,
    PayloadKey,
)
from crawler.storage import dropped
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

GROUPS = {
    "llvm-15, llvm-16": (("llvm-15", r"[^A].*"), ("llvm-16", r"[^A].*")),
    "hexo-docs, -2016": (("hexo-docs", r"(docs|zh-cn)/.*"), ("hexo-docs-2016", r"(docs|zh-cn)/.*")),
    "debian-handbook": tuple(("debian-handbook", f"{x}/.*") for x in ("en-US", "da-DK", "zh-CN")),
}
"""Name -> (site, pattern of the paths that are read) of each edition, in the order judged."""
PAGES = 57
SETTINGS = Dedup.model_validate({"siblings": "drop"})


@dataclass(slots=True)
class Costs:
    """Sums over the dropped pages of a group."""

    read: int = 0
    pages: int = 0
    siblings: int = 0
    line: int = 0
    alone: int = 0
    kept: int = 0
    alone_s: float = 0.0
    kept_s: float = 0.0
    read_s: float = 0.0

    def add(self, page: Dropped, verdict: str) -> None:
        """Pack a page both ways."""
        line = orjson.dumps(page.line)
        packed, kept_s = timed(lambda: dropped.pack(page) or b"")
        alone, alone_s = timed(lambda: zlib.compress(orjson.dumps(page.line)))
        assert dropped.unpack(packed, page.like).line == orjson.loads(line)
        self.pages += 1
        self.siblings += verdict == "sibling"
        self.line += len(line)
        self.alone += len(alone)
        self.kept += len(packed)
        self.alone_s += alone_s
        self.kept_s += kept_s

    def join(self, other: Costs) -> None:
        """Add the sums of another group."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))

    def row(self, name: str) -> str:
        """Return a line of the table."""
        of = max(1, self.pages)
        return (
            f"{name:22}{self.read:>6,}{self.pages:>9,}{self.siblings:>9,}"
            f"{self.line // of:>9,}{self.alone // of:>9,}{self.kept // of:>9,}"
            f"{1000 * self.alone_s / of:>11.3f}{1000 * self.kept_s / of:>9.3f}"
            f"{1000 * self.read_s / max(1, self.read):>9.2f}"
        )


def timed(work: Callable[[], bytes]) -> tuple[bytes, float]:
    """Return what some work gives, and its CPU seconds; the shorter of two runs."""
    spent = []
    for _ in range(2):
        begun = time.thread_time()
        made = work()
        spent.append(time.thread_time() - begun)
    return made, min(spent)


def judged(pages: Iterable[tuple[str, bytes]], costs: Costs) -> Iterator[PageOutcome]:
    """Read and judge pages as a crawl does; yield their ends."""
    analyser, catalog = Analyser(AnalysisSettings.of(Job(dedup=SETTINGS))), MemoryCatalog()
    analyser.warm()
    judge, next_id = Judge(SETTINGS, catalog, 1000), 1
    for url_id, (url, body) in enumerate(pages, 1):
        begun = time.thread_time()
        document = analyser.analyse(AnalysisRequest(url, body, "text/html", None))
        costs.read_s += time.thread_time() - begun
        costs.read += 1
        task = FetchTask(url_id, url, url.split("/")[2], 1, referrer=url)
        fetched = Fetched(task, url, 200, "text/html", None, {}, body, len(body), 0.0, 0.0)
        key = PayloadKey(payload_digest(body), "text/html")
        verdict = judge.judge(key, document.signature, next_id, shown(url, document))
        given, spent = (url_id, verdict, key), outcomes.costs(fetched, document)
        if judge.keeps(verdict):
            outcome = outcomes.judged(*given, spent, document, is_stored=True)
            page_end(outcome, fetched, document, next_id)
            assert outcome.document is not None
            catalog.add(outcome.document)
            next_id += 1
        elif isinstance(verdict, Alike):
            if isinstance(verdict, ExactDuplicate) and verdict.kind == EXACT_PAYLOAD:
                continue
            like = catalog.appearance(verdict.of.id) or b""
            alike = likeness(verdict, document, catalog)
            outcome = outcomes.judged(*given, spent, document, is_stored=False, likeness=alike)
            page_end(outcome, fetched, document, like=like)
        else:
            continue
        yield outcome


def pages_of(
    corpora: Path, editions: Iterable[tuple[str, str]], most: int
) -> Iterator[tuple[str, bytes]]:
    """Yield (URL, body) of the first pages of each edition, those of the first edition first."""
    return chain.from_iterable(_edition(corpora, *edition, most) for edition in editions)


def _edition(corpora: Path, site: str, wanted: str, most: int) -> Iterator[tuple[str, bytes]]:
    found = site_pages(
        corpora, site, lambda path: bool(re.fullmatch(wanted, path.partition("/")[2]))
    )
    for path, body in islice(found, most):
        yield f"http://{site}.test/{path.partition('/')[2]}", body


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--corpora", type=Path, default=CORPORA, metavar="DIR")
    parser.add_argument("--pages", type=int, default=PAGES, help=f"of each edition ({PAGES})")
    arguments = parser.parse_args()
    if not arguments.corpora.is_dir():
        parser.error(f"{arguments.corpora}: no corpora there")
    print(f"{'':46}{'bytes a page':>27}{'ms of CPU a page':>29}")
    print(
        f"{'':22}{'read':>6}{'dropped':>9}{'siblings':>9}{'line':>9}{'zlib':>9}{'kept':>9}"
        f"{'zlib':>11}{'kept':>9}{'reading':>9}"
    )
    pooled, of_one_text = Costs(), Costs()
    for name, editions in GROUPS.items():
        print(f"{name} ...", end="\r", file=sys.stderr, flush=True)
        costs = Costs()
        for batch in judged(pages_of(arguments.corpora, editions, arguments.pages), costs):
            if batch.dropped is not None:
                kind = of_one_text if batch.detail == EXACT_TEXT else costs
                kind.add(batch.dropped, batch.detail)
        print(costs.row(name), flush=True)
        pooled.join(costs)
    print(pooled.row("all"))
    of_one_text.read, of_one_text.read_s = pooled.read, pooled.read_s
    print(of_one_text.row("all of one text"))


if __name__ == "__main__":
    main()
