"""Parquet files of documents whose similar pairs are known, and larger ones for speed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.scoring import Pairs, TruthSet

GROUP_ROWS = 1000


def write_sets(sets: Sequence[TruthSet], folder: Path) -> int:
    """Write each set as a file of `id` (`name:number`) and `text`; return how many documents."""
    for one in sets:
        _write(folder / f"{one.name}.parquet", ((_id(one, n), t) for n, t in enumerate(one.texts)))
    return sum(len(one.texts) for one in sets)


def write_multiplied(sets: Sequence[TruthSet], folder: Path, times: int) -> int:
    """Write every text `times` times, its words (or characters) shuffled another way each time.

    Texts that were alike stay apart then: nearly all documents are kept, as in a corpus of news.
    """
    documents = 0
    for one in sets:
        for turn in range(times):
            dice = random.Random(turn)
            rows = ((f"{_id(one, n)}:{turn}", _shuffled(t, dice)) for n, t in enumerate(one.texts))
            _write(folder / f"{one.name}-{turn}.parquet", rows)
            documents += len(one.texts)
    return documents


def score_kept(one: TruthSet, kept: set[str], threshold: float) -> tuple[int, int, int]:
    """Return how many documents of a set were dropped rightly, dropped wrongly, and missed.

    Dropped rightly: a kept document reaches the threshold with it, so its reader misses nothing.
    Missed: it is kept, and so is an earlier one that reaches the threshold with it.
    """
    alike = _alike(one.pairs, threshold)
    stays = [_id(one, n) in kept for n in range(len(one.texts))]
    right = wrong = missed = 0
    for number, is_kept in enumerate(stays):
        others = [n for n in alike.get(number, ()) if stays[n]]
        if is_kept:
            missed += any(n < number for n in others)
        elif others:
            right += 1
        else:
            wrong += 1
    return right, wrong, missed


def _alike(pairs: Pairs, threshold: float) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for a, b, similarity in pairs:
        if similarity >= threshold:
            found.setdefault(a, []).append(b)
            found.setdefault(b, []).append(a)
    return found


def _id(one: TruthSet, number: int) -> str:
    return f"{one.name}:{number}"


def _shuffled(text: str, dice: random.Random) -> str:
    words = text.split()
    if len(words) > len(text) / 20:
        dice.shuffle(words)
        return " ".join(words)
    characters = list(text)
    dice.shuffle(characters)
    return "".join(characters)


def _write(path: Path, rows: Iterator[tuple[str, str]]) -> None:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]  # large, as in `__main__`
    import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]

    ids, texts = zip(*rows, strict=True)
    table = pa.table({"id": pa.array(ids), "text": pa.array(texts)})
    pq.write_table(table, path, compression="zstd", row_group_size=GROUP_ROWS)
