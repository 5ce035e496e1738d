"""What each thing known of a page beside its text costs, by paired turns over served pages.

    python -m benchmarks.declared [--pages 150] [--turns 5] [SITE ...]

Pages are read as a crawl reads them without templates (`visible` engine, so that the rest is little
work), with each option alone and with none, in turns. Printed are CPU milliseconds a page that an
option adds (median, least and most of the turns), and bytes that its fields add to a line. Then the
languages that are told of the handbook's pages, which lie by language, though many are English.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import orjson

from benchmarks.corpora import CORPORA, site_pages
from crawler.config import parse_job
from crawler.engine.outcomes import content
from crawler.models import Document
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

SITES = ("postgresql-15", "oi-wiki", "hexo-docs")
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "none": {},
    "metadata": {"metadata": True},
    "language": {"language": True},
    "outlinks": {"outlinks": True},
}
HANDBOOK = "debian-handbook"


def reader(options: Mapping[str, Any]) -> Analyser:
    """Return what reads pages with some options."""
    job = parse_job({"extract": {"engine": "visible", **options}}, "benchmark")
    made = Analyser(AnalysisSettings.of(job))
    made.warm()
    return made


def timed(analyser: Analyser, pages: Sequence[AnalysisRequest]) -> float:
    """Return CPU milliseconds a page."""
    begun = time.process_time()
    for page in pages:
        analyser.analyse(page)
    return 1e3 * (time.process_time() - begun) / len(pages)


def line_bytes(document: Document) -> int:
    """Return how many bytes a page's line has of its content."""
    return len(orjson.dumps({**content(document, "text/html"), "outlinks": document.outlinks}))


def requests(home: Path, site: str, number: int) -> list[AnalysisRequest]:
    """Return some pages of a site as they are served."""
    return [
        AnalysisRequest(f"http://{site}.test/{path}", body, "text/html", "utf-8")
        for path, body in islice(site_pages(home, site), number)
    ]


def costs(pages: Sequence[AnalysisRequest], turns: int) -> None:
    """Print what each option costs."""
    readers = {name: reader(options) for name, options in OPTIONS.items()}
    taken: dict[str, list[float]] = {name: [] for name in readers}
    for _ in range(turns):
        for name, analyser in readers.items():
            taken[name].append(timed(analyser, pages))
    plain = readers["none"]
    sizes = sum(line_bytes(plain.analyse(page)) for page in pages)
    for name, analyser in readers.items():
        added = [one - none for one, none in zip(taken[name], taken["none"], strict=True)]
        more = (sum(line_bytes(analyser.analyse(page)) for page in pages) - sizes) / len(pages)
        if name != "none":
            spread = f"{median(added):.2f} ({min(added):.2f} to {max(added):.2f})"
            print(f"  {name:10} {spread:24} ms, {more:6.0f} bytes")
    print(f"  all else   {median(taken['none']):.2f} ms")


def languages(home: Path, number: int) -> None:
    """Print the languages of the handbook's pages, by the directory that each is in."""
    analyser, found = reader({"language": True}), dict[str, Counter[str]]()
    for page in requests(home, HANDBOOK, number):
        told = analyser.analyse(page).language
        place = page.url.split("/")[4]
        found.setdefault(place, Counter())[told.code if told else "none"] += 1
    for place, codes in sorted(found.items()):
        print(f"  {place:8} {', '.join(f'{code} {n}' for code, n in codes.most_common(4))}")


def main() -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("sites", nargs="*", default=SITES)
    flags.add_argument("--corpora", type=Path, default=CORPORA)
    flags.add_argument("--pages", type=int, default=150)
    flags.add_argument("--turns", type=int, default=5)
    given = flags.parse_args()
    for site in given.sites:
        pages = requests(given.corpora, site, given.pages)
        size = sum(len(page.body) for page in pages) / len(pages) / 1e3
        print(f"{site}: {len(pages)} pages of {size:.0f} kB")
        costs(pages, given.turns)
    print(f"{HANDBOOK}: languages told, by directory")
    languages(given.corpora, 10 * given.pages)


if __name__ == "__main__":
    main()
