"""Which lines of a page are its text, by a model that was trained on pages with known text.

It is trees over what is seen of each line (`crawler.extract.features`): gradient boosting
(Friedman, Annals of Statistics 2001) of oblivious trees, which ask the same questions of all lines
(Prokhorenkova et al., CatBoost, NeurIPS 2018), so that numpy asks them of all lines at once. Their
sum is the chance that a line is text; of all choices, that of the largest expected F1 is taken.

`benchmarks/train_reader.py` makes `reader.npz` and says from which pages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from zipfile import BadZipFile
from zlib import error

import numpy as np
from numpy.typing import NDArray

from crawler.errors import ConfigError
from crawler.extract.features import Integers, features

if TYPE_CHECKING:
    from crawler.extract.lines import Line

FILE: Final = "reader.npz"

MOST_LINES, MOST_CHARACTERS = 20_000, 1_000_000
"""Of a page that is read by the model: what is seen of a line takes 5 kB, of a character .1. Of
26,195 real pages three have more lines."""

ONE = 1 << 20
"""Chances are whole numbers of so many: sums of them are exact, and alike on every machine."""

STEP: Final = 64
"""Of the sums of leaves, which are whole numbers too: 1/64 of a logarithm of odds."""

_PERHAPS = 0.35
"""Chance from which a line is no witness against its like on other pages of the site. Of five sites
the F1 of pages that a learned template read is .980; with .1 it is .978, with .5 .969."""

_ROWS = 2_048
"""Lines that are asked at once."""

_NAME = re.compile(r"[a-z]{2,}|[\u4e00-\u9fff]+")
"""A word of a class or id."""


def name_words(classes: str, name: str) -> set[str]:
    """Return the words of an element's classes and id."""
    return set(_NAME.findall(f"{classes} {name}".lower()))


class Told:
    """What known words of classes and ids say for text; see `crawler.extract.features.Names`."""

    def __init__(self, words: Mapping[str, float]) -> None:
        """`words` are in hundredths of a logarithm of odds: what they sum up to is exact."""
        self.words = words
        # Sites use the same names on all pages. 6 MB at most, as both are cut.
        self._cached = lru_cache(8192)(self._told)

    def __call__(self, classes: str, name: str) -> tuple[float, float, float, float]:
        """Return the least, the largest and the sum of what is said, and how many words say it."""
        return self._cached(classes, name)

    def _told(self, classes: str, name: str) -> tuple[float, float, float, float]:
        said = [self.words[word] for word in name_words(classes, name) if word in self.words]
        return (min(said), max(said), sum(said), len(said)) if said else (0, 0, 0, 0)


@dataclass(frozen=True, eq=False, slots=True)
class Model:
    """Trees, and what words of classes and ids say."""

    columns: NDArray[np.int16]
    """Tree t asks at level l whether this column of [t, l] ..."""
    borders: NDArray[np.float32]
    """... is above this of [t, l]."""
    leaves: NDArray[np.int32]
    """Its answers, that of the first level lowest, are the number of a leaf of [t]."""
    chances: NDArray[np.int64]
    """Of `ONE`, by the sum of the leaves over the trees in steps of `STEP`, from the middle on; the
    first and last are those of all beyond."""
    told: Told

    def of_text(self, table: NDArray[np.float32]) -> Integers:
        """Return the chance of each row of `Features.table` to be text, of `ONE`."""
        sums = np.empty(len(table), np.int64)
        first = np.arange(0, self.leaves.size, self.leaves.shape[1], dtype=np.int32)[:, None]
        leaves = self.leaves.ravel()
        for start in range(0, len(table), _ROWS):
            # By column: what is compared, and what answers stand for, lies side by side.
            rows = np.ascontiguousarray(table[start : start + _ROWS].T)
            leaf = np.zeros((len(self.leaves), rows.shape[1]), np.uint8)
            for level in range(self.columns.shape[1]):
                answers = rows[self.columns[:, level]] > self.borders[:, level, None]
                leaf |= answers.view(np.uint8) << np.uint8(level)
            sums[start : start + _ROWS] = leaves[first + leaf].sum(axis=0, dtype=np.int64)
        last = len(self.chances) - 1
        return self.chances[np.clip(sums // STEP + last // 2, 0, last)]

    def save(self, path: Path) -> None:
        """Write it to a file."""
        words = sorted(self.told.words)
        said = np.array([self.told.words[word] for word in words], np.int16)
        with path.open("wb") as file:
            np.savez_compressed(
                file,
                columns=self.columns,
                borders=self.borders,
                leaves=self.leaves,
                chances=self.chances,
                words=np.array("\n".join(words)),
                said=said,
            )

    @classmethod
    def load(cls, path: Path) -> Model:
        """Return the model of a file."""
        with path.open("rb") as file, np.load(file) as data:
            words = str(data["words"]).split("\n")
            told = Told(dict(zip(words, data["said"].tolist(), strict=True)))
            return cls(data["columns"], data["borders"], data["leaves"], data["chances"], told)


@lru_cache(1)
def shipped() -> Model:
    """Return the model of this package; ConfigError where its file is missing or damaged."""
    with as_file(files(__package__) / FILE) as path:
        try:
            return Model.load(path)
        except (OSError, ValueError, KeyError, EOFError, BadZipFile, error) as trouble:
            raise ConfigError(
                f"{path}: the model of `extract.engine: learned` cannot be read "
                f"({type(trouble).__name__}): install the crawler again, or choose another engine"
            ) from None


def model_digest() -> str:
    """Return what tells the model of this package from any other; ConfigError as `shipped`."""
    shipped()
    return blake2b((files(__package__) / FILE).read_bytes(), digest_size=4).hexdigest()


class Chosen(NamedTuple):
    """What of a page is its text."""

    kept: Sequence[bool]
    """By line."""
    sure: Sequence[bool]
    """Kept lines that are rather text than not."""
    perhaps: Sequence[bool]
    """Lines that are not surely none."""
    expected: float
    """F1 that is expected of the kept lines, by words."""


def can_choose(lines: Sequence[Line]) -> bool:
    """Whether a page has lines, and no more than are read by the model."""
    characters = sum(len(line.text) for line in lines)
    return 0 < len(lines) <= MOST_LINES and characters <= MOST_CHARACTERS


def choose(lines: Sequence[Line], title: str, model: Model | None = None) -> Chosen:
    """Return which of a page's lines are its text, where `can_choose`, by a model or ours."""
    model = model or shipped()
    seen = features(lines, title, model.told)
    return best(model.of_text(seen.table), seen.words)


def best(chances: Integers, words: Integers) -> Chosen:
    """Return the lines with the largest expected F1.

    Of independent lines those are the likeliest ones, down to some chance (Lewis, SIGIR 1995); F1
    of expectations stands for the expectation of F1, as the words of a page are many.
    """
    order = np.argsort(-chances, kind="stable")
    wanted = np.cumsum((chances * words)[order])
    kept = np.cumsum(words[order]) * ONE
    expected = 2 * wanted / np.maximum(kept + wanted[-1], 1)
    most = int(expected.argmax())
    flags = np.zeros(len(chances), bool)
    flags[order[: most + 1]] = True
    sure, perhaps = flags & (2 * chances > ONE), flags | (chances > _PERHAPS * ONE)
    return Chosen(flags.tolist(), sure.tolist(), perhaps.tolist(), float(expected[most]))
