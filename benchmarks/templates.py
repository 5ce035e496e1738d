"""Text by templates that are learned while a site is read, beside the texts that crawls use now.

    python -m benchmarks.templates [--corpora ../shared/corpora] [--pages 150] [SITE ...]

Pages of each site are read in a random order, by the learner that a crawl has. Printed is F1 over
shingles of four tokens against each site's own container of its content, and CPU milliseconds a
page. Five minutes in all.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from benchmarks.corpora import CORPORA, Score, scorer, site_pages
from benchmarks.extraction import f1_of
from crawler.analysis.messages import AnalysisRequest
from crawler.analysis.reading import chosen, read_text
from crawler.config import Engine
from crawler.extract import judged_on, main_text, parse, text_of, visible_lines
from crawler.records import TEMPLATE, JudgedOn
from crawler.templates import Learner

_T = TypeVar("_T")

CONTENT: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "apache2-manual": ("#page-content", ()),
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

SMALLEST = 1_500
"""Bytes of a page that is no mere redirect to another one."""
TEXTS = ("trafilatura", "today", "visible", "learned")


@dataclass
class Site:
    """One site, read page by page as a crawl reads it."""

    learner: Learner = field(default_factory=Learner)
    served: list[bool] = field(default_factory=list)
    """By page: whether the template read it."""
    ms: Counter[str] = field(default_factory=Counter)

    def read(self, html: str) -> dict[str, str]:
        """Return the texts of the next page."""
        lines = self._timed("parse, lines", lambda: visible_lines(parse(html, "text/html")))
        plan = self.learner.plan()
        request = AnalysisRequest("", b"", "text/html", None, plan.template, plan.teaches)
        read = read_text(html, lines, request, Engine.TRAFILATURA)
        served = read.read_by == TEMPLATE
        self.served.append(served)
        self.learner.hear(plan, read.lesson, served=served)
        main = self._timed("trafilatura", lambda: main_text(html))
        visible = text_of(lines)
        today = main if judged_on(main, lines) is JudgedOn.MAIN else visible
        if plan.template is not None:
            again = replace(request, teaches=False)
            self._timed("template", lambda: read_text("", lines, again, Engine.VISIBLE))
        learned = text_of(chosen(lines, read.kept))
        return dict(zip(TEXTS, (main, today, visible, learned), strict=True))

    def _timed(self, step: str, do: Callable[[], _T]) -> _T:
        begun = time.process_time()
        result = do()
        self.ms[step] += round(1e6 * (time.process_time() - begun))
        return result


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


def measure(home: Path, site: str, limit: int, score: Score) -> str:
    """Return a row of the table."""
    pages = [body.decode(errors="replace") for _, body in site_pages(home, site)]
    pages = [page for page in pages if len(page) > SMALLEST]
    draw = random.Random(5)
    draw.shuffle(pages)
    reader, scores, count = (
        Site(),
        defaultdict[str, list[tuple[float | None, float | None]]](list),
        0,
    )
    for page in pages[:limit]:
        if gold := content(page, site):
            count += 1
            for name, text in reader.read(page).items():
                scores[name].append(score(gold, text))
    f1 = " | ".join(f"{f1_of(scores[name])[2]:.3f}" for name in TEXTS)
    ms = " | ".join(f"{reader.ms[step] / count / 1000:.1f}" for step in STEPS)
    return f"| {site} | {count} | {sum(reader.served) / count:.2f} | {f1} | {ms} |"


STEPS = ("parse, lines", "trafilatura", "template")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--corpora", type=Path, default=CORPORA)
    flags.add_argument("--pages", type=int, default=150)
    flags.add_argument("sites", nargs="*", metavar="SITE", help=", ".join(CONTENT))
    args = flags.parse_args(arguments)
    if not (args.corpora / "extraction/score.py").exists():
        sys.exit(f"{args.corpora}: no sites there; nothing was measured")
    if unknown := set(args.sites) - set(CONTENT):
        sys.exit(f"{', '.join(sorted(unknown))}: no such site; these are: {', '.join(CONTENT)}")
    columns = ("site", "pages", "served", *TEXTS, *(f"{step}, ms" for step in STEPS))
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    score = scorer(args.corpora)
    for site in args.sites or CONTENT:
        print(measure(args.corpora, site, args.pages, score), flush=True)


if __name__ == "__main__":
    main()
