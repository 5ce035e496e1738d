"""What a page costs that its site's template reads, stage by stage, beside trafilatura's own time.

    python -m benchmarks.served_cost [--corpora ../shared/corpora] [--pages 200] [SITE ...]

CPU milliseconds of a page, once each, as in a crawl: what a stage finds in the caches is what the
stages before it left. Each site's pages come in an order of their digests; the first ones teach the
template, and of the rest those are measured that it reads. Means stand before medians, since the
largest pages decide what a site costs. The last column is the mean of `all` by the mean time of
trafilatura alone on the same pages. The targets are 4 ms for pages as large as PostgreSQL's manual
has, and 15 % of trafilatura's time on large ones. Two minutes in all.
"""

from __future__ import annotations

import argparse
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress, islice
from pathlib import Path
from statistics import mean, median
from typing import TypeVar

from benchmarks.corpora import CORPORA, site_pages
from benchmarks.templates import SMALLEST
from crawler.config import Engine, Job
from crawler.dedup import Signer, layout_fingerprint
from crawler.dedup.copies import Appearance, pack
from crawler.extract.bounds import bounded
from crawler.extract.charset import decode
from crawler.extract.lines import text_of, visible_lines
from crawler.extract.page import PageHints, layout_paths, parse, read_page
from crawler.extract.readings import PageParts, main_text, page_parts
from crawler.extract.rendering import plain
from crawler.extract.templates import Learner
from crawler.extract.text import shown_text
from crawler.urls import Canonicaliser
from crawler.workers.analyser import Analyser, read_text
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

_T = TypeVar("_T")

SITES = ("postgresql-15", "python-3.11", "openjdk-17-api", "oi-wiki")
TRAFILATURA = "trafilatura"
_HTML = "text/html"


@dataclass
class Cost:
    """CPU seconds of each stage, page by page."""

    seconds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    sizes: list[int] = field(default_factory=list)
    """Bytes of the pages."""

    def of(self, stage: str, do: Callable[[], _T]) -> _T:
        """Do something, and note what it took."""
        begun = time.process_time()
        result = do()
        self.seconds[stage].append(time.process_time() - begun)
        return result

    def row(self, name: str) -> str:
        """Return the row of a table: means, and medians behind them."""
        stages = [stage for stage in self.seconds if stage != TRAFILATURA]
        whole = [sum(page) for page in zip(*(self.seconds[stage] for stage in stages), strict=True)]
        columns = [self.seconds[stage] for stage in stages] + [whole, self.seconds[TRAFILATURA]]
        cells = [f"{1000 * mean(column):.2f} ({1000 * median(column):.2f})" for column in columns]
        share = mean(whole) / mean(self.seconds[TRAFILATURA])
        told = [name, str(len(whole)), f"{mean(self.sizes) / 1000:.0f}", *cells, f"{share:.3f}"]
        return f"| {' | '.join(told)} |"


class Reading:
    """Pages of a site whose template is known."""

    def __init__(self, template: bytes) -> None:
        self._template = template
        self._linked = Canonicaliser(), Job().user_agent.name
        self._sign = Signer(Job().dedup)
        self._sign.warm()

    def read(self, url: str, body: bytes) -> dict[str, float] | None:
        """Return the seconds of each stage of a page, None where the template does not read it."""
        cost = Cost()
        written = cost.of("decode", lambda: decode(body, None, _HTML)).text
        html = cost.of("bounds", lambda: bounded(written, xml=False))
        tree = cost.of("parse", lambda: parse(html, _HTML))
        hints, _ = cost.of("links, hints", lambda: read_page(tree, url, *self._linked))
        cost.of("layout", lambda: layout_fingerprint(layout_paths(tree)))
        lines = cost.of("lines", lambda: visible_lines(tree))
        request = AnalysisRequest(url, body, _HTML, None, template=self._template)
        read = cost.of("template", lambda: read_text(html, lines, request, Engine.VISIBLE))
        if read.template is None:
            return None
        kept = cost.of("kept text", lambda: plain(lines, read.kept))
        judged, visible = cost.of(
            "other texts",
            lambda: (text_of(compress(lines, read.judged)), shown_text(text_of(lines), None)),
        )
        cost.of("signature", lambda: self._sign(judged, visible, kept))
        cost.of("appearance", lambda: self._packed(hints, page_parts(lines, read.judged)))
        cost.of(TRAFILATURA, lambda: main_text(html))
        return {stage: seconds[0] for stage, seconds in cost.seconds.items()}

    def _packed(self, hints: PageHints, parts: PageParts) -> bytes:
        return pack(Appearance(hints.title, hints.heading, **parts._asdict()))


def measure(corpora: Path, site: str, pages: int) -> Cost:
    """Return what the pages of a site cost that its template reads."""
    found = _pages(corpora, site)
    reading = Reading(learned(body for _, body in found))
    cost = Cost()
    for path, body in islice(found, pages):
        if seconds := reading.read(f"http://{site}.test/{path}", body):
            cost.sizes.append(len(body))
            for stage, taken in seconds.items():
                cost.seconds[stage].append(taken)
    return cost


def learned(bodies: Iterator[bytes]) -> bytes:
    """Return the template, packed, that as many pages teach as it needs."""
    learner, analyser = Learner(), Analyser(AnalysisSettings.of(Job()))
    for body in bodies:
        plan = learner.plan()
        request = AnalysisRequest("http://a.test/", body, _HTML, None, teaches=plan.teaches)
        learner.hear(plan, analyser.analyse(request).lesson, served=False)
        if learner.template is not None:
            return learner.template
    sys.exit("too few pages to learn a template from")


def _pages(corpora: Path, site: str) -> Iterator[tuple[str, bytes]]:
    """Yield (path, body) of pages that are no mere redirects, by their paths' digests."""
    pages = [page for page in site_pages(corpora, site) if len(page[1]) > SMALLEST]
    pages.sort(key=lambda page: zlib.crc32(page[0].encode()))
    yield from pages


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--corpora", type=Path, default=CORPORA)
    flags.add_argument("--pages", type=int, default=200)
    flags.add_argument("sites", nargs="*", metavar="SITE", default=SITES)
    args = flags.parse_args(arguments)
    missing = [
        site for site in args.sites if not (args.corpora / f"sites/{site}.tar.zst").is_file()
    ]
    if missing:
        sys.exit(f"{args.corpora}: no sites/{missing[0]}.tar.zst there; nothing was measured")
    for number, site in enumerate(args.sites):
        cost = measure(args.corpora, site, args.pages)
        if not cost.sizes:
            sys.exit(f"{site}: its template reads none of {args.pages} pages")
        if not number:
            stages = [stage for stage in cost.seconds if stage != TRAFILATURA]
            columns = ["site", "pages", "kB", *stages, "all", TRAFILATURA, "share"]
            print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
        print(cost.row(site), flush=True)


if __name__ == "__main__":
    main()
