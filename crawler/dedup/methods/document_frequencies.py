"""In how many documents of a sample each word occurs: what inverse document frequencies come from.

A small text file, made once of a sample of the language to be crawled and named by a job
(`dedup.lexicon`): a first line with the number of documents, then one word a line with the number
of documents it occurs in, the most frequent first. Words of a single document are left out: they
are most of all words, and typing errors among them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from crawler.errors import ConfigError
from crawler.printing import program

MIN_DOCUMENTS = 2
"""Words of fewer documents are not kept."""

_HEADER = "# document frequencies, documents:"
_MADE_BY = f"make one with `{program()} lexicon FILE... --output lexicon.tsv`"


@dataclass(frozen=True, slots=True)
class DocumentFrequencies:
    """How many documents were read, and how many of them each word occurs in."""

    documents: int
    counts: Mapping[str, int]

    def idf(self, word: str) -> float:
        """Return ln((N + 1) / (n + 1)) + 1, 1 for a word of every document.

        Smoothed, so that a word never met has a weight and one met everywhere keeps one.
        """
        return math.log((self.documents + 1) / (self.counts.get(word, 0) + 1)) + 1

    def normalised_idf(self, word: str) -> float:
        """Return ln(N / n) / ln N: 0 for a word of every document, 1 for one of a single one."""
        known = self.counts.get(word, 1)
        return math.log(self.documents / known) / math.log(max(2, self.documents))


def fit(documents: Iterable[Iterable[str]]) -> DocumentFrequencies:
    """Count the words of a sample of documents, each given as its words (repeated or not)."""
    counts: Counter[str] = Counter()
    number = 0
    for words in documents:
        number += 1
        counts.update(set(words))
    kept = ((word, count) for word, count in counts.items() if count >= MIN_DOCUMENTS)
    return DocumentFrequencies(number, dict(sorted(kept, key=lambda pair: (-pair[1], pair[0]))))


def save(frequencies: DocumentFrequencies, path: Path) -> None:
    """Write a lexicon file; ConfigError if it cannot be written."""
    lines = [f"{_HEADER} {frequencies.documents}"]
    lines.extend(f"{word}\t{count}" for word, count in frequencies.counts.items())
    try:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise ConfigError(f"{path}: cannot write the lexicon: {error.strerror}") from None


def load(path: Path) -> DocumentFrequencies:
    """Read a lexicon file; ConfigError, naming line and way out, if it cannot be used."""
    try:
        first, *lines = path.read_text(encoding="utf-8").splitlines() or [""]
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"dedup.lexicon: cannot read {path}: {getattr(error, 'strerror', error)}; {_MADE_BY}"
        ) from None
    head, _, number = first.rpartition(" ")
    if head != _HEADER or not number.isdecimal() or int(number) < 1:
        raise ConfigError(
            f"{path}:1: no lexicon: it does not begin with {_HEADER!r} and a number; {_MADE_BY}"
        )
    return DocumentFrequencies(int(number), dict(_entries(lines, path, int(number))))


def _entries(lines: Iterable[str], path: Path, documents: int) -> Iterable[tuple[str, int]]:
    for number, line in enumerate(lines, 2):
        word, _, count = line.partition("\t")
        if not word or not count.isdecimal() or not 1 <= int(count) <= documents:
            raise ConfigError(f"{path}:{number}: {line!r} is no word, tab and number of documents")
        yield word, int(count)
