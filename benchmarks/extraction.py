"""Which text speaks for a page: our rule beside simpler ones.

    python -m benchmarks.extraction [--corpora ../shared/corpora] [--conditions] [--sites]

Prints precision, recall and F1 of each against gold texts, over shingles of four tokens, and how
many pages of a handbook would be lost: their text is that of an earlier page with another body.
`--conditions` switches the rule's conditions off one at a time and moves its thresholds; `--sites`
prints which text real sites' pages are judged on and what reading them costs, stage by stage. Ten
minutes in all. What is kept of a page is another choice: `benchmarks.extract_engines`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any
from unittest.mock import patch

from benchmarks.corpora import (
    CORPORA,
    HANDBOOK,
    SETS,
    GoldPage,
    Score,
    folded,
    gold_pages,
    handbook_body,
    scorer,
    site_pages,
)
from benchmarks.extractors import CHOICES, judged, visible
from crawler.config import Job
from crawler.extract import readings as rule
from crawler.extract.lines import Line
from crawler.extract.readings import main_text
from crawler.models import JudgedOn
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

SITE_PAGES = 300
SITES = ("oi-wiki", "python-3.11", "llvm-16", HANDBOOK, "openjdk-17-api")
RELEASES = ("llvm-15", "llvm-16")
OFF = float("inf")
CONDITIONS: Mapping[str, Mapping[str, float]] = {
    "without 1, text missing in between": {"_HOLES_IN_TEXT": OFF},
    "without 2, lines missing in between": {"_HOLES_IN_LINES": OFF},
    "without 4, navigation in a short text": {"_STRANGE": OFF},
    "without 5, lists of links": {"_LISTED": OFF},
    "10 % of text": {"_HOLES_IN_TEXT": 0.1},
    "20 % of text": {"_HOLES_IN_TEXT": 0.2},
    "20 % of lines": {"_HOLES_IN_LINES": 0.2},
    "35 % of lines": {"_HOLES_IN_LINES": 0.35},
    "links twice the main text": {"_LISTED": 2},
    "links eight times the main text": {"_LISTED": 8},
}


@dataclass(frozen=True, slots=True)
class Read:
    """A page read in both ways."""

    main: str
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Sample:
    """What is measured on: pages with gold texts by set, and the handbook with its bodies."""

    gold: Mapping[str, Sequence[GoldPage]]
    read: Mapping[str, Sequence[Read]]
    handbook: Sequence[tuple[Read, str]]


def say(line: str) -> None:
    """Print progress, apart from the tables."""
    print(line, file=sys.stderr, flush=True)


def read_all(home: Path) -> Sample:
    """Read every page by trafilatura and selectolax."""
    gold = {name: gold_pages(home, name) for name in SETS}
    read = {}
    for name, pages in gold.items():
        say(f"reading {name} ...")
        read[name] = [Read(main_text(page.html), visible(page.html)) for page in pages]
    say(f"reading {HANDBOOK} ...")
    bodies = (body.decode(errors="replace") for _, body in site_pages(home, HANDBOOK))
    handbook = [(Read(main_text(html), visible(html)), handbook_body(html)) for html in bodies]
    return Sample(gold, read, handbook)


def f1_of(pairs: Sequence[tuple[float | None, float | None]]) -> tuple[float, float, float]:
    """Return mean precision, mean recall and their harmonic mean."""
    columns = (
        [value for value in column if value is not None] for column in zip(*pairs, strict=True)
    )
    precision, recall = (mean(column) if column else 0.0 for column in columns)
    total = precision + recall
    return precision, recall, 2 * precision * recall / total if total else 0.0


def lost(texts: Sequence[str], bodies: Sequence[str]) -> int:
    """Return how many pages have the text of an earlier page and another body."""
    first: dict[str, str] = {}
    return sum(
        first.setdefault(folded(text), body) != body
        for text, body in zip(texts, bodies, strict=True)
    )


def row(name: str, cells: Sequence[str]) -> None:
    """Print a row of a table."""
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def print_choices(sample: Sample, score: Score) -> None:
    """Print how ways to choose between the two texts compare."""
    print("| judged on | " + " | ".join(SETS) + " | lost |\n|---|---|---|---|---|")
    bodies = [body for _, body in sample.handbook]
    for name, choose in CHOICES.items():
        cells = [scores(sample, set_, choose, score) for set_ in SETS]
        texts = [choose(page.main, page.lines) for page, _ in sample.handbook]
        row(name, [*cells, str(lost(texts, bodies))])


def scores(
    sample: Sample, name: str, choose: Callable[[str, Sequence[Line]], str], score: Score
) -> str:
    """Return `P R F1` of a choice on a set."""
    pairs = [
        score(gold.text, choose(read.main, read.lines))
        for gold, read in zip(sample.gold[name], sample.read[name], strict=True)
    ]
    return " ".join(f"{value:.3f}" for value in f1_of(pairs))


@contextmanager
def changed(constants: Mapping[str, float]) -> Iterator[None]:
    """Change constants of the rule while the context lasts."""
    with ExitStack() as stack:
        for name, value in constants.items():
            stack.enter_context(patch.object(rule, name, value))
        yield


def print_conditions(sample: Sample, score: Score) -> None:
    """Print F1 and losses with the rule's conditions off or moved, and the pages they move."""
    print("\n| the rule | " + " | ".join(f"F1 {name}" for name in SETS) + " | lost | moved |")
    print("|---|---|---|---|---|---|")
    bodies = [body for _, body in sample.handbook]
    everything = [read for name in SETS for read in sample.read[name]]
    whole = [judged(read.main, read.lines) for read in everything]
    for name, constants in {"as it is": {}, **CONDITIONS}.items():
        with changed(constants):
            cells = [scores(sample, set_, judged, score).split()[-1] for set_ in SETS]
            texts = [judged(page.main, page.lines) for page, _ in sample.handbook]
            now = [judged(read.main, read.lines) for read in everything]
        moved = sum(one != other for one, other in zip(whole, now, strict=True))
        row(name, [*cells, str(lost(texts, bodies)), f"{moved} of {len(whole)}"])


def print_sites(home: Path) -> None:
    """Print costs by stage and the choice on real pages, and pairs of two releases."""
    analyser = Analyser(AnalysisSettings.of(Job()))
    analyser.warm()
    stages = ("decode", "parse", "extract", "fingerprint")
    print("\n| site | pages | kB a page | " + " | ".join(stages) + " | judged on visible text |")
    print("|---|---|---|---|---|---|---|---|")
    for site in SITES:
        say(f"reading {site} ...")
        spent: Counter[Any] = Counter()
        size = pages = seen = 0
        for path, body in islice(site_pages(home, site), SITE_PAGES):
            document = analyser.analyse(
                AnalysisRequest(f"http://a/{path}", body, "text/html", None)
            )
            spent.update(document.stage_s)
            pages, size = pages + 1, size + len(body)
            seen += document.judged_on is JudgedOn.VISIBLE
        costs = [f"{1000 * spent[stage] / pages:.1f}" for stage in stages]
        row(site, [str(pages), f"{size / pages / 1000:.0f}", *costs, str(seen)])
    print_releases(home)


def print_releases(home: Path) -> None:
    """Print how many pages are judged on another text in another release."""
    say("reading two releases ...")
    older, newer = (
        {path.partition("/")[2]: body for path, body in site_pages(home, site)} for site in RELEASES
    )
    paths = list(islice((path for path in older if path in newer), SITE_PAGES))
    differ = sum(judged_by(older[path]) != judged_by(newer[path]) for path in paths)
    print(f"\n{len(paths)} pages in two releases of one manual, judged on another text: {differ}")


def judged_by(body: bytes) -> JudgedOn:
    """Return which text a page is judged on."""
    html = body.decode(errors="replace")
    return rule.judged_on(main_text(html), visible(html))


def main() -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--corpora", type=Path, default=CORPORA)
    flags.add_argument("--conditions", action="store_true")
    flags.add_argument("--sites", action="store_true")
    args = flags.parse_args()
    if not (args.corpora / "extraction/score.py").exists():
        sys.exit(f"{args.corpora}: no pages with gold texts there; nothing was measured")
    score, sample = scorer(args.corpora), read_all(args.corpora)
    print_choices(sample, score)
    if args.conditions:
        print_conditions(sample, score)
    if args.sites:
        print_sites(args.corpora)


if __name__ == "__main__":
    main()
