"""Made pages of which it is known which are copies, and which are other pages of one template.

    python -m benchmarks.made_pages DIR [--seed N]      # write them, to look at them
    python -m benchmarks.made_pages --pairs [--seed N]  # how tempting they are

Nothing here knows how a judge decides. Each family of pages, in English and in Chinese, is made to
tempt it: **other pages** that agree in nearly all of their words, because they are filled in from
one form, and **copies** that stand at other addresses, in other templates, beside other things, or
that were edited lightly. The text of most families is in `benchmarks/made/words`.

`--pairs` prints, for each family, how many pairs of pages of one group of other pages, and how many
pairs of copies, have texts with a Jaccard similarity of shingles of at least .8.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import combinations
from pathlib import Path

from benchmarks.made import articles
from benchmarks.made.forms import form_pages
from benchmarks.made.kit import Kit
from benchmarks.made.site import MadePage
from crawler.config import Job
from crawler.dedup.signing import jaccard
from crawler.models import Signature
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

__all__ = ["FAMILIES", "MadePage", "made_pages"]

FAMILIES: Mapping[str, Callable[[Kit], Iterator[MadePage]]] = {
    "article-other-lists": articles.article_other_lists,
    "list-and-articles": articles.list_and_articles,
    "reprints": articles.reprints,
    "products": partial(form_pages, family="products"),
    "law-texts": partial(form_pages, family="law-texts"),
    "minutes": partial(form_pages, family="minutes"),
    "calendar": partial(form_pages, family="calendar"),
    "surroundings": articles.surroundings,
    "reference": partial(form_pages, family="reference"),
    "places": partial(form_pages, family="places"),
    "policies": partial(form_pages, family="policies"),
    "mirrors": articles.mirrors,
    "profiles": partial(form_pages, family="profiles"),
    "paginated": articles.paginated,
}
LANGUAGES = ("en", "zh")
SIMILAR = 0.8
KINDS = ("other", "copies")


def made_pages(seed: int = 1) -> list[MadePage]:
    """Return all pages, family by family, the same for the same seed."""
    kits = [Kit(language, seed) for language in LANGUAGES]
    return [page for family in FAMILIES.values() for kit in kits for page in family(kit)]


def write(pages: Iterable[MadePage], directory: Path) -> None:
    """Write pages as files, in a folder for each family, and a table of what is true of them."""
    directory.mkdir(parents=True, exist_ok=True)
    numbers: Counter[str] = Counter()
    rows = []
    for page in pages:
        folder = f"{page.family}-{page.language}"
        (directory / folder).mkdir(exist_ok=True)
        name = f"{folder}/{numbers[folder]:03}.html"
        numbers[folder] += 1
        (directory / name).write_text(page.html, encoding="utf-8")
        rows.append(f"{name}\t{page.page}\t{page.url}\n")
    (directory / "pages.tsv").write_text("".join(rows), encoding="utf-8")


def temptations(pages: Iterable[MadePage]) -> Iterator[tuple[str, str, int, Counter[str]]]:
    """Yield family, language, pages, and how many pairs are alike, of other pages and of copies."""
    families: dict[tuple[str, str], list[tuple[str, Signature]]] = defaultdict(list)
    analyser = Analyser(AnalysisSettings.of(Job()))
    for page in pages:
        request = AnalysisRequest(page.url, page.html.encode(), "text/html; charset=utf-8", None)
        signed = analyser.analyse(request).signature
        families[page.family, page.language].append((page.page, signed))
    for (family, language), signatures in families.items():
        yield family, language, len(signatures), _pairs(signatures)


def _pairs(signatures: list[tuple[str, Signature]]) -> Counter[str]:
    """Count pairs of copies, and of other pages of one group, and those that are similar."""
    counts: Counter[str] = Counter()
    for (name, one), (other_name, other) in combinations(signatures, 2):
        kind = "copies" if name == other_name else "other"
        if kind == "copies" or _group(name) == _group(other_name):
            counts[kind] += 1
            counts[f"{kind} alike"] += jaccard(one.shingles, other.shingles) >= SIMILAR
    return counts


def _group(name: str) -> str:
    return name.rpartition("/")[0]


def main() -> None:
    """Write the pages, or print how alike they are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("directory", nargs="?", type=Path, metavar="DIR")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", action="store_true", help="print how alike the pages are")
    arguments = parser.parse_args()
    pages = made_pages(arguments.seed)
    if arguments.directory:
        write(pages, arguments.directory)
    if arguments.pairs:
        print(f"{'family':22}{'':4}{'pages':>6}{'other':>8}{'>= .8':>7}{'copies':>8}{'>= .8':>7}")
        for family, language, number, counts in temptations(pages):
            other, copies = (f"{counts[k]:>8}{counts[f'{k} alike']:>7}" for k in KINDS)
            print(f"{family:22}{language:4}{number:>6}{other}{copies}")
    if not (arguments.directory or arguments.pairs):
        parser.error("give a directory, or --pairs")


if __name__ == "__main__":
    main()
