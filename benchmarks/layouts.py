"""What layout fingerprints tell apart on real sites, and what they cost.

    python -m benchmarks.layouts [--corpora DIR] [--share N]

Reads every N-th file name of each packed site, so that all versions of a page are read or none.
Prints, for groups of page pairs, the spread of the layout similarity and the share that counts as
the same layout; then CPU milliseconds a page beside the parse.
"""

from __future__ import annotations

import argparse
import random
import re
import time
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, combinations, islice, product
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from benchmarks.corpora import CORPORA, records, site_pages
from crawler.dedup.kinds import SAME_LAYOUT
from crawler.dedup.signing import layout_fingerprint, layout_similarity
from crawler.extract.charset import decode
from crawler.extract.page import layout_paths, parse

SITES = (
    "oi-wiki hexo-docs hexo-docs-2016 llvm-15 llvm-16 postgresql-15 python-3.11 "
    "debian-handbook libreoffice-help apache2-manual openjdk-17-api"
).split()
RELEASES = (("llvm-15", "llvm-16"), ("hexo-docs", "hexo-docs-2016"))
SPHINX = {"llvm-15", "llvm-16", "python-3.11"}
HEXO = {"hexo-docs", "hexo-docs-2016"}
RELATED = (SPHINX, HEXO)
"""Sites made by one generator: neither one template nor strangers."""
TRANSLATED = ("debian-handbook", "libreoffice-help", "apache2-manual")
LANGUAGE = re.compile(r"(?:^|(?<=/))[a-z]{2}(?:-[A-Z]{2})?/")
PAIRS = 20_000

Pair = tuple[bytes, bytes]


@dataclass(slots=True)
class Reader:
    """Makes fingerprints and adds up what they cost."""

    spent_s: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    pages: int = 0

    def __call__(self, html: str) -> bytes:
        """Return the fingerprint of a page."""
        self.pages += 1
        begun = time.thread_time()
        tree = parse(html, "text/html")
        parsed = time.thread_time()
        paths = layout_paths(tree)
        walked = time.thread_time()
        made = layout_fingerprint(paths)
        assert made is not None
        self.spent_s["parse"] += parsed - begun
        self.spent_s["paths"] += walked - parsed
        self.spent_s["fingerprint"] += time.thread_time() - walked
        return made

    def cost(self) -> str:
        """Return mean milliseconds a page since the last call."""
        text = ", ".join(f"{k} {1000 * s / self.pages:.3f}" for k, s in self.spent_s.items())
        self.spent_s.clear()
        self.pages = 0
        return f"{text} ms a page"


def site(corpora: Path, name: str, share: int, read: Reader) -> dict[str, bytes]:
    """Return path -> fingerprint of a share of a site's pages, redirecting stubs left out."""

    def wanted(path: str) -> bool:
        return not zlib.crc32(LANGUAGE.sub("", path.partition("/")[2]).encode()) % share

    return {
        path.partition("/")[2]: read(decode(body, None, "text/html").text)
        for path, body in site_pages(corpora, name, wanted)
        if len(body) > 2000 or b"refresh" not in body
    }


def wild(corpora: Path, read: Reader) -> list[tuple[str, bytes]]:
    """Return (host, fingerprint) of pages of some 300 sites."""
    return [
        (urlsplit("//" + record["url"].rpartition("//")[2]).netloc, read(record["html"]))
        for name in ("pages-en", "articles-en")
        for record in records(corpora, name)
    ]


def versions(sites: dict[str, dict[str, bytes]]) -> Iterator[tuple[str, list[Pair]]]:
    """Yield pairs of versions of one page in one template."""
    for old, new in RELEASES:
        common = sites[old].keys() & sites[new].keys()
        yield f"{old} / {new}, same page", [(sites[old][p], sites[new][p]) for p in sorted(common)]
    for name in TRANSLATED:
        pages: dict[str, list[bytes]] = defaultdict(list)
        for path, made in sites[name].items():
            pages[LANGUAGE.sub("", path)].append(made)
        pairs = chain.from_iterable(combinations(made[:8], 2) for made in pages.values())
        yield f"{name}, same page in two languages", list(pairs)


def strangers(sites: dict[str, dict[str, bytes]], rng: random.Random) -> Iterator[Pair]:
    """Yield pairs of pages of unrelated sites."""
    for one, other in combinations(sites, 2):
        if not any({one, other} <= related for related in RELATED):
            yield from drawn(sites[one], sites[other], 500, rng)


def drawn(
    one: dict[str, bytes], other: dict[str, bytes], count: int, rng: random.Random
) -> list[Pair]:
    """Return pairs of random pages of two sites, of one site pairs of different pages."""
    if one is other:
        both = list(one.values())
        return [(pair[0], pair[1]) for pair in (rng.sample(both, 2) for _ in range(count))]
    return rng.sample(list(product(one.values(), other.values())), count)


def show(name: str, pairs: Iterable[Pair]) -> None:
    """Print one line a group of pairs."""
    found = np.array([layout_similarity(*pair) for pair in islice(pairs, 100_000)])
    low, first, middle, last, high = np.percentile(found, [0, 1, 50, 99, 100])
    same = float(np.mean(found >= SAME_LAYOUT))
    print(
        f"{name:46}{len(found):>7,}{low:6.2f}{first:6.2f}{middle:6.2f}{last:6.2f}{high:6.2f}"
        f"{same:8.4f}",
        flush=True,
    )


def main() -> None:
    """Print all groups."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--share", type=int, default=4, help="read one file name of so many")
    arguments = parser.parse_args()
    rng, read, costs = random.Random(1), Reader(), []
    sites = {}
    for name in SITES:
        sites[name] = site(arguments.corpora, name, arguments.share, read)
        costs.append((name, read.cost()))
    pages = wild(arguments.corpora, read)
    costs.append(("wild", read.cost()))
    print(f"{'':46}{'pairs':>7}{'min':>6}{'1 %':>6}{'50 %':>6}{'99 %':>6}{'max':>6}{'same':>8}")
    for name, pairs in versions(sites):
        show(name, pairs)
    for name, made in sites.items():
        show(f"{name}, any two pages", drawn(made, made, PAIRS, rng))
    show("two unrelated sites", strangers(sites, rng))
    manuals = drawn(sites["llvm-15"], sites["python-3.11"], 5_000, rng)
    show("llvm-15 / python-3.11, two themes of Sphinx", manuals)
    hosts = ((a[1], b[1]) for a, b in combinations(pages, 2) if a[0] != b[0])
    show("wild, two hosts", hosts)
    for name, cost in costs:
        print(f"{name:20}{cost}")


if __name__ == "__main__":
    main()
