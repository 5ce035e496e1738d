"""Train the reader of single pages (`crawler.extract.learned`) on pages with gold texts.

    pip install catboost==1.2.10
    python -m benchmarks.train_reader [--check] [--corpora ../shared/corpora]

`--check` cross-validates in five folds by domain and prints F1 over bags of words by set and type
of page, beside `combined` and trafilatura's own text, and how much more it is than that of
`combined` (95 % of bootstrapped samples); without it, the model is trained on all pages and written
to crawler/extract/reader.npz. That takes two minutes of CPU, the check half an hour.

Learned from: the development split of WCXB (CC BY 4.0), English articles and every sixth page of
OI wiki (CC BY-SA 4.0), as their README names them; not one page of WCXB's test split. A line is
text where the gold text has it (`crawler.extract.aligned`), and weighs by the root of its words,
all pages alike. What words of classes and ids say is told by the other folds, as the trees would
else believe it too much.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpora import CORPORA, Score, records, scorer
from benchmarks.extraction import f1_of, say
from crawler.config import Engine
from crawler.extract import learned
from crawler.extract.bounds import bounded
from crawler.extract.features import features
from crawler.extract.lines import Element, Line, Openable, visible_lines
from crawler.extract.page import Declared, declared_offer, declares_article, parse
from crawler.extract.readings import (
    aligned,
    as_declared,
    learned_lines,
    main_text,
    with_opened,
)
from crawler.extract.rendering import plain
from crawler.extract.text import word_characters
from crawler.workers.analyser import read_text
from crawler.workers.messages import AnalysisRequest

MODEL = Path(learned.__file__).with_name(learned.FILE)
SETS = {"wcxb-dev": 1, "articles-en": 1, "docs-zh": 6}
"""Every how many pages of a set are learned from: one site is no more than others."""
FOLDS = 5
ROUNDS, DEPTH, RATE = 300, 6, 0.1
PRIOR = 3.0
"""Pages that a word of a class is taken to have been on, kept as often as anything."""
LEAST = 3
"""Domains that a word of a class must be on."""
UNIT = 4096
"""Leaves are whole numbers of so many, in logarithms of odds."""
SAMPLES = 2_000
"""Of the pages of a group, with repetition."""
STEPS = 2049
"""Rows of the table of chances, for odds of e^-16 to e^16."""
_WORD = re.compile(r"\w+")

Names = dict[str, int]


@dataclass(frozen=True, eq=False, slots=True)
class Page:
    """A page to learn from."""

    html: str
    declared: Declared
    group: str
    domain: str
    lines: Sequence[Line]
    openable: Sequence[Openable]
    words: NDArray[np.int64]
    is_text: NDArray[np.bool_]
    text: str
    gold: Counter[str]
    """The words of the text."""

    @property
    def named(self) -> Iterator[set[str]]:
        """By line, the words of the classes and ids around it."""
        for line in self.lines:
            found: set[str] = set()
            element: Element | None = line.element
            for _ in range(12):
                if element is not None:
                    found |= learned.name_words(element.classes, element.name)
                    element = element.parent
            yield found

    def read(self, kept: Sequence[bool]) -> str:
        """Return the text that is kept of it, by which lines are."""
        return plain(*with_opened(self.lines, kept, self.openable))

    def table(self, names: Names) -> NDArray[np.float32]:
        """Return what is seen of the lines."""
        return features(self.lines, self.declared.title or "", learned.Told(names)).table


def bag(texts: Iterable[str]) -> Counter[str]:
    """Return the words of texts."""
    return Counter(word.lower() for text in texts for word in _WORD.findall(text))


def f1(found: Counter[str], gold: Counter[str]) -> float:
    """Return F1 over bags of words, as WCXB measures it."""
    both = (found & gold).total()
    return 2 * both / (found.total() + gold.total()) if both else float(found == gold)


def fold(page: Page, folds: int = FOLDS, salt: str = "") -> int:
    """Return the part that a page belongs to, with all of its domain."""
    return zlib.crc32((salt + page.domain).encode()) % folds


def read(home: Path) -> Iterator[Page]:
    """Yield the pages to learn from that show something."""
    of_domain = import_module("publicsuffixlist").PublicSuffixList().privatesuffix
    for name, every in SETS.items():
        say(f"reading {name} ...")
        for record in islice(records(home, name), 0, None, every):
            html = bounded(record["html"], xml=False)
            tree = parse(html, "text/html")
            title = tree.css_first("title")
            openable: list[Openable] = []
            lines = visible_lines(tree, openable=openable)
            if not learned.can_choose(lines):
                continue
            host = urlsplit(record.get("url") or "").hostname or record["id"]
            yield Page(
                html,
                Declared(
                    title.text() if title is not None else "",
                    declared_offer(tree),
                    declares_article(tree, html),
                ),
                record.get("page_type") or name,
                of_domain(host) or host,
                lines,
                openable,
                features(lines, "", learned.Told({})).words,
                np.array(
                    aligned(record["text"], [word_characters(line.text) for line in lines]).perhaps
                ),
                record["text"],
                bag([record["text"]]),
            )


def said_by_names(pages: Sequence[Page]) -> Names:
    """Return by word of a class or id how much likelier its text is kept: see `Told`."""
    kept, seen = defaultdict[str, float](float), Counter[str]()
    domains: defaultdict[str, set[str]] = defaultdict(set)
    shares = []
    for page in pages:
        of_page, kept_of_page = defaultdict[str, float](float), defaultdict[str, float](float)
        for named, words, is_text in zip(page.named, page.words, page.is_text, strict=True):
            for name in named if words else ():
                of_page[name] += words
                kept_of_page[name] += words * is_text
        for name, words in of_page.items():
            seen[name] += 1
            kept[name] += kept_of_page[name] / words
            domains[name].add(page.domain)
        if page.words.sum():
            shares.append((page.words * page.is_text).sum() / page.words.sum())
    share = mean(shares)
    told = {
        name: np.log((kept[name] + PRIOR * share) / (count - kept[name] + PRIOR * (1 - share)))
        - np.log(share / (1 - share))
        for name, count in seen.items()
        if len(domains[name]) >= LEAST
    }
    return {name: round(100 * float(value)) for name, value in told.items()}


def tables(pages: Sequence[Page]) -> list[NDArray[np.float32]]:
    """Return what is seen of the lines of pages, names as other pages tell them."""
    told = [
        said_by_names([page for page in pages if fold(page, salt="names") != number])
        for number in range(FOLDS)
    ]
    return [page.table(told[fold(page, salt="names")]) for page in pages]


def train(pages: Sequence[Page]) -> learned.Model:
    """Return a model of pages."""
    catboost = import_module("catboost")
    is_said = [page.words > 0 for page in pages]
    rows = [table[said] for table, said in zip(tables(pages), is_said, strict=True)]
    weights = [page.words[said] ** 0.5 for page, said in zip(pages, is_said, strict=True)]
    trees = catboost.CatBoostClassifier(
        iterations=ROUNDS,
        depth=DEPTH,
        learning_rate=RATE,
        l2_leaf_reg=5,
        border_count=63,
        bootstrap_type="Bernoulli",
        subsample=0.7,
        rsm=0.3,
        boosting_type="Plain",
        random_seed=1,
        allow_writing_files=False,
        verbose=False,
    )
    trees.fit(
        np.concatenate(rows),
        np.concatenate([page.is_text[said] for page, said in zip(pages, is_said, strict=True)]),
        sample_weight=np.concatenate([100 * one / max(one.sum(), 1) for one in weights]),
    )
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        trees.save_model(file.name, format="json")
        return exported(json.loads(Path(file.name).read_text()), said_by_names(pages))


def exported(trees: Any, names: Names) -> learned.Model:
    """Return CatBoost's trees in whole numbers."""
    columns = np.zeros((len(trees["oblivious_trees"]), DEPTH), np.int16)
    borders = np.full(columns.shape, np.inf, np.float32)
    leaves = np.zeros((len(columns), 1 << DEPTH), np.int32)
    scale, (bias,) = trees["scale_and_bias"]
    for number, tree in enumerate(trees["oblivious_trees"]):
        for level, split in enumerate(tree["splits"]):
            columns[number, level] = split["float_feature_index"]
            borders[number, level] = split["border"]
        values = scale * np.array(tree["leaf_values"]) + (bias if number == 0 else 0)
        leaves[number, : len(values)] = np.round(values * UNIT)
    middle = STEPS // 2
    odds = np.arange(-middle, middle + 1) * learned.STEP / UNIT
    chances = np.round(learned.ONE / (1 + np.exp(-odds))).astype(np.int64)
    return learned.Model(columns, borders, leaves, chances, learned.Told(names))


def check(pages: Sequence[Page], score: Score) -> None:
    """Print F1 in cross-validation, by group: over bags of words, and over shingles of four tokens.

    Each reader gives the text that is stored, trafilatura its own. `combined` is no such test: its
    rules were made on half of these pages.
    """
    rows: defaultdict[str, list[tuple[float, ...]]] = defaultdict(list)
    request = AnalysisRequest("http://localhost/", b"", "text/html", None)
    for number in range(FOLDS):
        say(f"fold {number + 1} of {FOLDS} ...")
        model = train([page for page in pages if fold(page) != number])
        for page in pages:
            if fold(page) != number:
                continue
            chosen = learned.choose(page.lines, page.declared.title or "", model).kept
            chosen = as_declared(page.lines, chosen, page.declared)
            combined = read_text(page.html, page.lines, request, Engine.COMBINED).kept
            texts = (
                page.read(learned_lines(page.lines, chosen)),
                page.read(combined),
                main_text(page.html, fast=False),
            )
            of_words = (f1(bag([text]), page.gold) for text in texts)
            of_shingles = (f1_of([score(page.text, text)])[2] for text in texts)
            rows[page.group].append((*of_words, *of_shingles))
    rows["WCXB, all"] = [row for group, of in rows.items() if group not in SETS for row in of]
    print(
        "| | pages | words: learned | combined | trafilatura | shingles: learned | combined | + |"
    )
    print("|---|---|---|---|---|---|---|---|")
    random = np.random.default_rng(1)
    for group, of in sorted(rows.items()):
        columns = np.array(of).T[:5]
        more = columns[0] - columns[1]
        sampled = random.choice(more, (SAMPLES, len(more))).mean(axis=1)
        low, high = np.quantile(sampled, (0.025, 0.975))
        cells = " | ".join(f"{mean(column):.3f}" for column in columns)
        print(f"| {group} | {len(of)} | {cells} | {more.mean():+.3f} [{low:+.3f} {high:+.3f}] |")


def main() -> None:
    """Train, or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--check", action="store_true", help="cross-validate, and write nothing")
    arguments = parser.parse_args()
    pages = list(read(arguments.corpora))
    if arguments.check:
        check(pages, scorer(arguments.corpora))
    else:
        train(pages).save(MODEL)
        say(f"wrote {MODEL}: {MODEL.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
