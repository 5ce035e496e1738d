"""Are dropped pages copies that no reader would miss? Whole sites, judged in a random order.

    python -m benchmarks.copies [--corpora DIR] [--seed N] [--worst N] [GROUP ...]

Reads every HTML page of the packed sites as a crawl does, editions and languages of one site
together, and judges them by our method and by SimHash (distance 3) and MinHash (.8). What is true:

- Pages of one path in two editions or languages are versions of one page: each is a **copy** of the
  others where they are alike at all (exact similarity of the texts >= .8, or equal visible texts).
- Pages of different paths are **other pages**, unless all that is visible on them is equal.

Prints, by group and pooled, the pages *lost* (dropped, although they are other pages than the one
they are said to copy) as a share of all pages, and the *copies kept* as a share of all copies of a
page that was kept. Texts are read once and kept in `benchmarks/out`; that takes some 25 minutes of
CPU, judging them two more.
"""

from __future__ import annotations

import argparse
import pickle
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.contestants import judge_all, named
from benchmarks.corpora import CORPORA, site_pages
from crawler.analysis import ANALYSIS_VERSION, Analyser, AnalysisRequest, AnalysisSettings
from crawler.config import Dedup, Job
from crawler.dedup import Judge, MemoryCatalog, Signer
from crawler.dedup.signing.shingles import jaccard
from crawler.records import Signature

OUT = Path(__file__).parent / "out"
GROUPS = {
    "llvm": ("llvm-15", "llvm-16"),
    "hexo": ("hexo-docs", "hexo-docs-2016"),
    "debian-handbook": ("debian-handbook",),
    "libreoffice-help": ("libreoffice-help",),
    "apache2-manual": ("apache2-manual",),
    "openjdk-17-api": ("openjdk-17-api",),
    "postgresql-15": ("postgresql-15",),
    "python-3.11": ("python-3.11",),
    "oi-wiki": ("oi-wiki",),
}
METHODS = {
    "ours": {},
    "simhash <= 3": {"method": "simhash", "distance": 3},
    "minhash .8": {"method": "minhash"},
}
SIMILAR = 0.8
REFRESH_TOKENS = 16
_LANGUAGE = re.compile(r"[a-z]{2}(-[A-Za-z]{2})?/")
"""First part of a path in a site that has one tree for each language."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page as it was read."""

    site: str
    path: str
    title: str | None
    text: str
    visible_digest: bytes

    @property
    def name(self) -> str:
        """What versions of the page in other editions and languages are called, too."""
        return _LANGUAGE.sub("", self.path, count=1)


@dataclass(slots=True)
class Tally:
    """What became of the pages of a group."""

    pages: int = 0
    dropped: int = 0
    lost: int = 0
    copies: int = 0
    kept: int = 0

    def add(self, other: Tally) -> None:
        """Add the counts of another group."""
        self.pages += other.pages
        self.dropped += other.dropped
        self.lost += other.lost
        self.copies += other.copies
        self.kept += other.kept

    def line(self, group: str, method: str) -> str:
        """Return a row of the table."""
        lost, kept = self.lost / max(1, self.pages), self.kept / max(1, self.copies)
        return (
            f"{group:18}{method:14}{self.pages:>7,}{self.dropped:>9,}{self.lost:>7,}{lost:>9.3%}"
            f"{self.copies:>8,}{self.kept:>7,}{kept:>8.2%}"
        )


# --------------------------------------------------------------------------------------------------
# Reading


def pages_of(corpora: Path, site: str) -> list[Page]:
    """Return the pages of a site, read now or by an earlier run."""
    cache = OUT / f"copies-{site}-{ANALYSIS_VERSION}.pickle"
    if not cache.exists():
        OUT.mkdir(exist_ok=True)
        with ProcessPoolExecutor() as pool:
            read = pool.map(partial(_read, site), site_pages(corpora, site), chunksize=8)
            pages = [page for page in _counted(read, site) if page is not None]
        cache.write_bytes(pickle.dumps(pages))
    cached: list[Page] = pickle.loads(cache.read_bytes())
    return cached


def _read(site: str, page: tuple[str, bytes]) -> Page | None:
    """Read a page; None for one that only refreshes to another URL, as a crawl has it."""
    path = page[0].partition("/")[2]
    request = AnalysisRequest(f"http://{site}.test/{path}", page[1], "text/html", None)
    document = _analyser().analyse(request)
    signature = document.signature
    if document.refresh and signature.tokens < REFRESH_TOKENS:
        return None
    return Page(site, path, document.title, document.text, signature.visible_digest)


def _analyser(made: list[Analyser] = []) -> Analyser:  # noqa: B006 - one for each process
    if not made:
        made.append(Analyser(AnalysisSettings.of(Job())))
    return made[0]


def _counted(pages: Iterable[Page | None], site: str) -> Iterator[Page | None]:
    for number, page in enumerate(pages, 1):
        if number % 100 == 0:
            print(f"\r{site}: {number:,} pages read", end="", file=sys.stderr, flush=True)
        yield page
    print(file=sys.stderr)


# --------------------------------------------------------------------------------------------------
# Judging


@dataclass(frozen=True, slots=True)
class Drop:
    """A page that was dropped as a copy of another one."""

    page: Page
    original: Page
    similarity: float

    @property
    def lost(self) -> bool:
        """Whether it is another page than its original."""
        same = self.page.visible_digest == self.original.visible_digest
        return not same and self.page.name != self.original.name


def judged(
    pages: Sequence[Page], signatures: Sequence[Signature], settings: Dedup
) -> tuple[Tally, list[Drop]]:
    """Judge pages in their order; return what became of them, and the drops."""
    catalog = MemoryCatalog()
    judge = Judge(settings, catalog, expected_documents=len(pages))
    tally, drops = Tally(len(pages)), []
    kept: dict[str, list[int]] = defaultdict(list)
    verdicts = judge_all(_with_visible(pages, signatures), judge, catalog)
    for number, verdict in enumerate(verdicts):
        page, original = pages[number], named(verdict)
        is_copy = any(_alike(pages, signatures, number, other) for other in kept[page.name])
        tally.copies += is_copy
        if original is None:
            kept[page.name].append(number)
            tally.kept += is_copy
            continue
        similarity = jaccard(signatures[number].shingles, signatures[original].shingles)
        drops.append(Drop(page, pages[original], similarity))
    tally.dropped = len(drops)
    tally.lost = sum(drop.lost for drop in drops)
    return tally, drops


def _with_visible(pages: Sequence[Page], signatures: Sequence[Signature]) -> Iterator[Signature]:
    """Give signatures, made of judged texts alone, the digest of all that is visible."""
    for page, made in zip(pages, signatures, strict=True):
        yield Signature(
            made.text_digest,
            page.visible_digest,
            made.fingerprint,
            made.tokens,
            made.shingle_kind,
            made.shingles,
            made.sketch,
        )


def _alike(pages: Sequence[Page], signatures: Sequence[Signature], one: int, other: int) -> bool:
    """Whether two versions of a page are alike enough to be copies."""
    if pages[one].visible_digest == pages[other].visible_digest:
        return True
    first, second = signatures[one], signatures[other]
    if first.shingle_kind != second.shingle_kind:
        return False
    return jaccard(first.shingles, second.shingles) >= SIMILAR


def main() -> None:
    """Print the table, and the likest pages that were lost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--corpora", type=Path, default=CORPORA, metavar="DIR")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the pages (1)")
    parser.add_argument("--worst", type=int, default=5, help="lost pages to show a group (5)")
    arguments = parser.parse_args()
    if not arguments.corpora.is_dir():
        parser.error(f"{arguments.corpora}: no corpora there")
    print(
        f"{'group':18}{'method':14}{'pages':>7}{'dropped':>9}{'lost':>7}{'':9}{'copies':>8}"
        f"{'kept':>7}"
    )
    pooled = {method: Tally() for method in METHODS}
    for group in arguments.groups or GROUPS:
        pages = [page for site in GROUPS[group] for page in pages_of(arguments.corpora, site)]
        random.Random(arguments.seed).shuffle(pages)
        ours = [Signer(Dedup())(page.text, page.text) for page in pages]
        for method, fields in METHODS.items():
            settings = Dedup.model_validate(fields)
            sign = Signer(settings)
            signatures = ours if not fields else [sign(page.text, page.text) for page in pages]
            tally, drops = judged(pages, signatures, settings)
            pooled[method].add(tally)
            print(tally.line(group, method), flush=True)
            if not fields:
                show(drops, arguments.worst)
    for method, tally in pooled.items():
        print(tally.line("all", method))


def show(drops: Iterable[Drop], most: int) -> None:
    """Print the likest pages that were lost."""
    lost = sorted((drop for drop in drops if drop.lost), key=lambda drop: -drop.similarity)
    for drop in lost[:most]:
        print(
            f"    {drop.similarity:.3f} {drop.page.site}/{drop.page.path} ({drop.page.title}), "
            f"dropped for {drop.original.path} ({drop.original.title})"
        )


if __name__ == "__main__":
    main()
