"""datasketch and rensa over Parquet files, as their documentation has it; imports nothing of ours.

    python rivals.py datasketch|rensa FOLDER KEPT

Both are asked inline: query, then insert what is kept. They get word 3-grams, or character 4-grams
of texts that are mostly Chinese. The ids that are kept are written, one a line.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

THRESHOLD = 0.8
PERMUTATIONS = 128
RENSA_BANDS = 16


def shingles(text: str) -> set[str]:
    """Return a text's shingles."""
    words = text.split()
    characters = "".join(words)
    if sum("\u4e00" <= one <= "\u9fff" for one in characters) < len(characters) / 4:
        return {" ".join(words[n : n + 3]) for n in range(len(words) - 2)}
    return {characters[n : n + 4] for n in range(len(characters) - 3)}


def datasketch() -> Callable[[str, str], bool]:
    """Return what tells whether a document is kept."""
    package = importlib.import_module("datasketch")
    index = package.MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)

    def keeps(id_: str, text: str) -> bool:
        minhash = package.MinHash(num_perm=PERMUTATIONS)
        minhash.update_batch([shingle.encode() for shingle in shingles(text)])
        if index.query(minhash):
            return False
        index.insert(id_, minhash)
        return True

    return keeps


def rensa() -> Callable[[str, str], bool]:
    """Return what tells whether a document is kept."""
    package = importlib.import_module("rensa")
    index = package.RMinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, num_bands=RENSA_BANDS)
    kept: dict[int, Any] = {}

    def keeps(id_: str, text: str) -> bool:
        minhash = package.RMinHash(num_perm=PERMUTATIONS, seed=42)
        minhash.update(list(shingles(text)))
        if any(minhash.jaccard(kept[n]) >= THRESHOLD for n in index.query(minhash)):
            return False
        index.insert(len(kept), minhash)
        kept[len(kept)] = minhash
        return True

    return keeps


def rows(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield (id, text) of all rows."""
    parquet = importlib.import_module("pyarrow.parquet")
    for path in sorted(folder.glob("*.parquet")):
        for batch in parquet.ParquetFile(path).iter_batches(1000, columns=["id", "text"]):
            for row in batch.to_pylist():
                yield row["id"], row["text"]


def main() -> None:
    """Judge a folder."""
    name, folder, target = sys.argv[1:]
    keeps = {"datasketch": datasketch, "rensa": rensa}[name]()
    with Path(target).open("w", encoding="utf-8") as kept:
        for id_, text in rows(Path(folder)):
            if keeps(id_, text):
                kept.write(json.dumps(id_) + "\n")


if __name__ == "__main__":
    main()
