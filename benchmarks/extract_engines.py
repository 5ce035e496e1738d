"""The text that is kept of single pages: every engine of `extract.engine` beside gold texts.

    python -m benchmarks.extract_engines [--corpora ../shared/corpora] [--pages N] [--sites]

Pages are read as a crawl reads the first ones of a host, so all of the way from bytes to kept text
is measured: precision, recall and F1 over shingles of four tokens, the share of snippets found that
must and must not be there, F1 by type of page, CPU milliseconds a page. Below are the texts of
packages as they come. `--pages` takes the first N of each set. `--sites` adds whole sites, read by
learned templates (`benchmarks.templates`). The thirty pages read worst by the default engine are
written to benchmarks/out/extract-worst.txt, gold and kept text, to be looked at. Ten minutes.

`learned` was trained on these very pages, and its rows say so: what it makes of pages that it does
not know is printed by `python -m benchmarks.train_reader --check`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks import templates
from benchmarks.corpora import CORPORA, SETS, Score, records, scorer
from benchmarks.extraction import f1_of, row, say
from benchmarks.extractors import peers
from crawler.config import Engine, Extract, Job
from crawler.errors import ConfigError
from crawler.extract.readings import main_text
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

WORST = 30
OUT = Path(__file__).parent / "out/extract-worst.txt"
TYPED = "pages-en"

Reader = Callable[[str], str]
"""HTML in, text out."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a reader made of one page."""

    page: Mapping[str, Any]
    text: str
    precision: float | None
    recall: float | None

    @property
    def pair(self) -> tuple[float | None, float | None]:
        """Precision and recall."""
        return self.precision, self.recall

    @property
    def f1(self) -> float:
        """Of this page alone."""
        return f1_of([self.pair])[2]


def kept_by(engine: Engine) -> Reader:
    """Return what a crawl keeps of a page. Raises ConfigError where the engine is missing."""
    analyser = Analyser(AnalysisSettings.of(Job(extract=Extract(engine=engine))))
    analyser.warm()

    def read(html: str) -> str:
        body = html.encode(errors="replace")
        return analyser.analyse(AnalysisRequest("http://a/", body, "text/html", "utf-8")).text

    return read


def readers() -> dict[str, Reader]:
    """Return all that is compared, by name; the default engine first."""
    found: dict[str, Reader] = {}
    for engine in sorted(Engine, key=lambda engine: engine is not Extract().engine):
        try:
            known = ", trained on these pages" if engine is Engine.LEARNED else ""
            found[f"`{engine.value}`{known}"] = kept_by(engine)
        except ConfigError as error:
            say(str(error))
    packages = {"trafilatura": main_text, **peers()}
    return found | {f"{name}, its own text": read for name, read in packages.items()}


def measured(
    read: Reader, pages: Sequence[Mapping[str, Any]], score: Score
) -> tuple[list[Result], float]:
    """Return the results, and CPU milliseconds a page."""
    begun = time.process_time()
    texts = [read(page["html"]) for page in pages]
    ms = 1000 * (time.process_time() - begun) / max(1, len(pages))
    pairs = zip(pages, texts, strict=True)
    return [Result(page, text, *score(page["text"], text)) for page, text in pairs], ms


def snippets(results: Sequence[Result], key: str) -> float:
    """Return the mean share of snippets that are in the texts, letter case and space aside."""
    shares = []
    for result in results:
        if wanted := result.page[key]:
            text = _squeezed(result.text)
            shares.append(mean(_squeezed(snippet) in text for snippet in wanted))
    return mean(shares) if shares else 0.0


def _squeezed(text: str) -> str:
    return " ".join(text.split()).lower()


def by_type(results: Sequence[Result]) -> dict[str, float]:
    """Return F1 by type of page."""
    types: dict[str, list[tuple[float | None, float | None]]] = defaultdict(list)
    for result in results:
        types[result.page["page_type"]].append(result.pair)
    return {name: f1_of(pairs)[2] for name, pairs in sorted(types.items())}


def print_sets(home: Path, limit: int | None, score: Score) -> list[Result]:
    """Print the tables; return the default engine's results."""
    pages = {name: list(islice(records(home, name), limit)) for name in SETS}
    print("| text | " + " | ".join(SETS) + " | with / without |\n|---|---|---|---|---|")
    types: dict[str, dict[str, float]] = {}
    default: list[Result] = []
    for name, read in readers().items():
        cells, all_ = [], []
        for set_ in SETS:
            say(f"{name}: {set_} ...")
            results, ms = measured(read, pages[set_], score)
            figures = " ".join(f"{figure:.3f}" for figure in f1_of([one.pair for one in results]))
            cells.append(f"{figures}, {ms:.0f} ms")
            all_ += results
        typed = [one for one in all_ if "page_type" in one.page]
        types[name] = by_type(typed)
        cells.append(f"{snippets(typed, 'with'):.3f} / {snippets(typed, 'without'):.3f}")
        row(name, cells)
        default = default or all_
    print_types(types)
    print("\n`learned` on pages it does not know: python -m benchmarks.train_reader --check")
    return default


def print_types(types: Mapping[str, Mapping[str, float]]) -> None:
    """Print F1 by type of page, a reader a line."""
    names = next(iter(types.values()))
    print("\n| F1 by type | " + " | ".join(names) + " |\n|" + "---|" * (len(names) + 1))
    for name, scores in types.items():
        row(name, [f"{scores[type_]:.3f}" for type_ in names])


def write_worst(results: Sequence[Result]) -> None:
    """Write the pages with the lowest F1, gold and kept text, to be looked at."""
    OUT.parent.mkdir(exist_ok=True)
    with OUT.open("w", encoding="utf-8") as file:
        for result in sorted(results, key=lambda result: result.f1)[:WORST]:
            page = result.page
            file.write(f"======== {page.get('page_type', '')} {page['url']} F1 {result.f1:.3f}\n")
            file.write(f"-------- gold\n{page['text']}\n-------- kept\n{result.text}\n\n")
    say(f"the worst pages: {OUT}")


def main() -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--corpora", type=Path, default=CORPORA)
    flags.add_argument("--pages", type=int, metavar="N")
    flags.add_argument("--sites", action="store_true")
    args = flags.parse_args()
    if not (args.corpora / "extraction/score.py").exists():
        sys.exit(f"{args.corpora}: no pages with gold texts there; nothing was measured")
    write_worst(print_sets(args.corpora, args.pages, scorer(args.corpora)))
    if args.sites:
        print()
        templates.main(["--corpora", str(args.corpora)])


if __name__ == "__main__":
    main()
