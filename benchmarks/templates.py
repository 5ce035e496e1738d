"""Text by templates that are learned while a site is read, beside the texts of single pages.

    python -m benchmarks.templates [--corpora ../shared/corpora] [--pages 150] [SITE ...]

Pages of each site are read in a random order by the learner that a crawl has, one at a time.
Printed is the share of pages that a template read, of all and after the first 20; F1 over shingles
of four tokens against each site's own container of its content; and what the learner did. `A+B` are
two sites as one host, `docs-zh` is measured against its authors' Markdown, `articles:N` is a made
site: the N-th template of the articles, with the bodies of 44 in it. `same` is the share
of pages that two orders gave one text, of those that a template read in both. Ten minutes in all.

`--orders` reads each site in five orders, and prints F1 of the pages that a template read beside
that of single pages' readers on the same pages, and how far it is ahead of the better one.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path
from statistics import fmean
from typing import NamedTuple, TypeVar

from selectolax.lexbor import LexborHTMLParser, LexborNode

from benchmarks.corpora import CORPORA, Score, gold_pages, scorer, site_pages
from benchmarks.extraction import f1_of
from crawler.config import Engine, Extract
from crawler.extract.lines import text_of, visible_lines
from crawler.extract.page import Declared, declares_article, parse
from crawler.extract.readings import judged_on, main_text
from crawler.extract.templates import Learner
from crawler.extract.text import word_characters
from crawler.models import TEMPLATE, JudgedOn
from crawler.workers.analyser import read_text
from crawler.workers.messages import AnalysisRequest

_T = TypeVar("_T")

CONTENT: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "apache2-manual": ("#page-content", (".toplang",)),
    "debian-handbook": ("body", ("ul.docnav", "#banner", "#title")),
    "hexo-docs": (".article-content", ()),
    "libreoffice-help": ("#DisplayArea", ()),
    "llvm-15": ("div.body", ()),
    "oi-wiki": ("article", ()),
    "openjdk-17-api": ("main", ()),
    "postgresql-15": ("body", (".navheader", ".navfooter")),
    "python-3.11": ("div.body", ()),
}
"""Site -> what holds the content of its pages, and what in it does not belong to it."""

MARKDOWN = "docs-zh"
ARTICLES = "articles"
MADE = (0, 1, 2, 3, 4, 5)
POOLS = ("hexo-docs+llvm-15", "postgresql-15+debian-handbook", "articles:0+articles:1+articles:2")
SITES = (*CONTENT, MARKDOWN, *(f"{ARTICLES}:{number}" for number in MADE), *POOLS)

SMALLEST = 1_500
"""Bytes of a page that is no mere redirect to another one."""
FIRST = 20
"""Pages of a host that are reckoned as learning."""
TEXTS = ("trafilatura", "today", "visible", "learned")


class Page(NamedTuple):
    """A page and what it says."""

    html: str
    gold: str
    path: str = ""


@dataclass
class Site:
    """One host, read page by page as a crawl reads it."""

    learner: Learner = field(default_factory=Learner)
    served: list[bool] = field(default_factory=list)
    """By page: whether the template read it."""
    ms: Counter[str] = field(default_factory=Counter)

    def read(self, html: str) -> str:
        """Return the text of the next page."""
        tree = parse(html, "text/html")
        title = tree.css_first("title", default=None)
        called = title.text() if title is not None else None
        declared = Declared(called, is_article=declares_article(tree, html))
        lines = self._timed("lines", lambda: visible_lines(tree))
        plan = self.learner.plan()
        request = AnalysisRequest("", b"", "text/html", None, plan.template, plan.teaches)
        read = read_text(html, lines, request, Extract().engine, declared)
        served = read.read_by == TEMPLATE
        self.served.append(served)
        self.learner.hear(plan, read.lesson, served=served)
        if served:
            again = replace(request, teaches=False)
            self._timed("template", lambda: read_text("", lines, again, Engine.VISIBLE))
        return text_of(compress(lines, read.kept))

    def others(self, html: str) -> tuple[str, str, str]:
        """Return what the page is alone: `TEXTS` but for the last."""
        lines = visible_lines(parse(html, "text/html"))
        main = self._timed("trafilatura", lambda: main_text(html, fast=False))
        visible = text_of(lines)
        is_main = judged_on(main, lines) is JudgedOn.MAIN
        return main, main if is_main else visible, visible

    def _timed(self, step: str, do: Callable[[], _T]) -> _T:
        begun = time.process_time()
        result = do()
        self.ms[step] += round(1e6 * (time.process_time() - begun))
        return result


def pages_of(home: Path, name: str, limit: int) -> list[Page]:
    """Return the pages of one of `SITES`, in a random order; `limit` of each that is pooled."""
    pages: list[Page] = []
    for part in name.split("+"):
        draw = random.Random(5)
        site, _, number = part.partition(":")
        if site == ARTICLES:
            pages += list(made(home, int(number)))[:limit]
            continue
        if site == MARKDOWN:
            found = [(page.html, page.text) for page in gold_pages(home, site)]
            draw.shuffle(found)
            pages += [Page(*page) for page in found[:limit]]
            continue
        bodies = [(path, body.decode(errors="replace")) for path, body in site_pages(home, site)]
        bodies = [(path, html) for path, html in bodies if len(html) > SMALLEST]
        draw.shuffle(bodies)
        told = (Page(html, content(html, site), path) for path, html in bodies[:limit])
        pages += [page for page in told if page.gold]
    random.Random(7).shuffle(pages)
    return pages


def content(html: str, site: str) -> str:
    """Return what the page says in its site's own container of content; empty if it has none."""
    selector, without = CONTENT[site]
    node = parse(html, "text/html").css_first(selector, default=None)
    if node is None:
        return ""
    for other in without:
        for element in node.css(other):
            element.decompose()
    return text_of(visible_lines(parse(f"<main>{node.inner_html}</main>", "text/html")))


def made(home: Path, number: int) -> Iterator[Page]:
    """Yield a page of the number-th article for each second article: that one's body in it."""
    articles = [page for page in gold_pages(home, "articles-en") if _body(page.html, page.text)[1]]
    frame = articles[number]
    for page in articles[::2]:
        _, body = _body(page.html, page.text)
        tree, place = _body(frame.html, frame.text)
        assert body is not None
        assert place is not None
        place.inner_html = body.inner_html or ""
        yield Page(tree.html or "", page.text)


def _body(html: str, gold: str) -> tuple[LexborHTMLParser, LexborNode | None]:
    """Return a page and the innermost element with nine tenths of its true lines, if below body."""
    tree = parse(html, "text/html")
    lines = {bare for line in gold.split("\n") if len(bare := word_characters(line)) >= 20}
    enough = 0.9 * sum(map(len, lines))

    def has_it(node: LexborNode) -> bool:
        text = word_characters(node.text(separator="\n"))
        return sum(len(line) for line in lines if line in text) >= enough

    node = tree.body
    inner = node if node is not None and lines and has_it(node) else None
    while inner is not None:
        node, inner = inner, next((child for child in inner.iter() if has_it(child)), None)
    return tree, node if node is not None and node.tag != "body" and lines else None


def measure(home: Path, name: str, limit: int, score: Score) -> str:
    """Return a row of the table."""
    pages = pages_of(home, name, limit)
    scores = defaultdict[str, list[tuple[float | None, float | None]]](list)
    host = Site()
    texts = [host.read(page.html) for page in pages]
    for page, text in zip(pages, texts, strict=True):
        for column, other in zip(TEXTS, (*host.others(page.html), text), strict=True):
            scores[column].append(score(page.gold, other))
    figures, packed = host.learner.figures, host.learner.template or b""
    served = fmean(host.served), fmean(host.served[FIRST:] or [False])
    return _row(
        name,
        len(pages),
        *(f"{share:.2f}" for share in served),
        *(f"{f1_of(scores[column])[2]:.3f}" for column in TEXTS),
        f"{_same(pages, texts, host.served):.2f}",
        f"{host.ms['trafilatura'] / len(pages) / 1000:.1f}",
        f"{host.ms['template'] / max(1, sum(host.served)) / 1000:.2f}",
        figures.versions,
        figures.audits,
        f"{figures.agreement:.2f}",
        figures.revoked,
        len(packed),
        len(host.learner.state()),
    )


def _same(pages: Sequence[Page], texts: Sequence[str], served: Sequence[bool]) -> float:
    """Return the share of pages that have the same text if they are read in another order."""
    order = list(range(len(pages)))
    random.Random(8).shuffle(order)
    host = Site()
    equal = [host.read(pages[number].html) == texts[number] for number in order]
    both = [
        is_equal
        for number, is_equal, again in zip(order, equal, host.served, strict=True)
        if served[number] and again
    ]
    return fmean(both or [True])


def orders(pages: Sequence[Page]) -> Iterator[tuple[str, list[Page]]]:
    """Yield pages in five orders: three random ones, by depth and by name of their paths."""
    for seed in range(3):
        yield f"random {seed}", random.Random(seed).sample(pages, len(pages))
    yield "by depth", sorted(pages, key=lambda page: (page.path.count("/"), page.path))
    yield "by name", sorted(pages, key=lambda page: page.path)


def measure_orders(home: Path, name: str, limit: int, score: Score) -> Iterator[str]:
    """Yield a row for each order: what is read by a template, beside readers of single pages."""
    pages = pages_of(home, name, limit)
    request = AnalysisRequest("", b"", "text/html", None)
    alone: dict[str, list[tuple[float | None, float | None]]] = {}
    for page in pages:
        lines = visible_lines(parse(page.html, "text/html"))
        kept = read_text(page.html, lines, request, Engine.COMBINED).kept
        texts = text_of(compress(lines, kept)), main_text(page.html, fast=False)
        alone[page.html] = [score(page.gold, text) for text in texts]
    for order, ordered in orders(pages):
        host = Site()
        texts_read = [host.read(page.html) for page in ordered]
        read = [
            (score(page.gold, text), *alone[page.html])
            for page, text, served in zip(ordered, texts_read, host.served, strict=True)
            if served
        ]
        ours, combined, main = (f1_of(column)[2] for column in zip(*read, strict=True))
        told = f"{ours:.3f}", f"{combined:.3f}", f"{main:.3f}", f"{ours - max(combined, main):+.3f}"
        yield _row(name, order, len(read), *told)


ORDER_COLUMNS = ("site", "order", "served", "by template", "combined", "trafilatura", "ahead")
COLUMNS = (
    *("site", "pages", "served", f"after {FIRST}", *TEXTS, "same", "trafilatura, ms"),
    *("template, ms", "versions", "audits", "agreement", "revoked", "bytes", "state, bytes"),
)


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--corpora", type=Path, default=CORPORA)
    flags.add_argument("--pages", type=int, default=150)
    flags.add_argument("--orders", action="store_true", help="only served pages, in five orders")
    flags.add_argument("sites", nargs="*", metavar="SITE", help=", ".join(SITES))
    args = flags.parse_args(arguments)
    if not (args.corpora / "extraction/score.py").exists():
        sys.exit(f"{args.corpora}: no sites there; nothing was measured")
    known = {*CONTENT, MARKDOWN, *(f"{ARTICLES}:{number}" for number in range(40))}
    if unknown := {part for name in args.sites for part in name.split("+")} - known:
        sys.exit(f"{', '.join(sorted(unknown))}: no such site; these are: {', '.join(SITES)}")
    columns = ORDER_COLUMNS if args.orders else COLUMNS
    print(_row(*columns), _row(*("---" for _ in columns)), sep="\n")
    score = scorer(args.corpora)
    for site in args.sites or (CONTENT if args.orders else SITES):
        if args.orders:
            print(*measure_orders(args.corpora, site, args.pages, score), sep="\n", flush=True)
        else:
            print(measure(args.corpora, site, args.pages, score), flush=True)


if __name__ == "__main__":
    main()
