"""Sets with exact truth, and how decisions are scored against it.

The rules are those of the sets' own README, one pass in file order: a verdict is right if the
page it names has a Jaccard similarity of at least the threshold; a page is missed if it was kept
although an earlier page that was kept has. A set is two files, `<name>.jsonl.xz` and
`<name>.pairs.json`.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SETS = Path(__file__).resolve().parents[1] / "../shared/corpora/dedup"

Pairs = Sequence[tuple[int, int, float]]


@dataclass(frozen=True, slots=True)
class Score:
    """Verdicts counted against the truth."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        """Share of duplicate verdicts that are right; 1 where there is none."""
        judged = self.right + self.wrong
        return self.right / judged if judged else 1.0

    @property
    def recall(self) -> float:
        """Share of true duplicates that were found; 1 where there is none."""
        true = self.right + self.missed
        return self.right / true if true else 1.0

    def __add__(self, other: Score) -> Score:
        return Score(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed)


@dataclass(frozen=True, slots=True)
class TruthSet:
    """One set: its texts in id order, and every pair of similar ones."""

    name: str
    texts: list[str]
    pairs: Pairs
    """(earlier id, later id, exact Jaccard similarity) from .4 on."""


def read_sets(directory: Path) -> Iterator[TruthSet]:
    """Yield the sets in a directory by name; sets without truth are passed over."""
    for path in sorted(directory.glob("*.jsonl.xz")):
        name = path.name.removesuffix(".jsonl.xz")
        truth = path.with_name(f"{name}.pairs.json")
        if truth.is_file():
            yield TruthSet(name, read_texts(path), json.loads(truth.read_text())["pairs"])


def read_texts(path: Path) -> list[str]:
    """Return the texts of one set in id order."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def score(decisions: Sequence[int | None], pairs: Pairs, threshold: float) -> Score:
    """Count decisions, one a document in id order: the id it was judged a duplicate of, or None."""
    similar = _by_document(pairs)
    kept: set[int] = set()
    right = wrong = missed = 0
    for number, named in enumerate(decisions):
        others = similar.get(number, {})
        if named is None:
            kept.add(number)
            missed += any(j >= threshold and a in kept and a < number for a, j in others.items())
        elif others.get(named, 0.0) >= threshold:
            right += 1
        else:
            wrong += 1
    return Score(right, wrong, missed)


def _by_document(pairs: Pairs) -> Mapping[int, Mapping[int, float]]:
    similar: dict[int, dict[int, float]] = {}
    for a, b, similarity in pairs:
        similar.setdefault(a, {})[b] = similarity
        similar.setdefault(b, {})[a] = similarity
    return similar
