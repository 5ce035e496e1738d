"""Small corpora of documents, and the `dedup` command run over them in this process."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from crawler.cli import main

WORDS = [f"word{n}" for n in range(4000)]


def text(seed: int, words: int = 150) -> str:
    """Return a text unlike that of any other seed."""
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def edited(seed: int) -> str:
    """Return the same text with two words replaced: similarity .92."""
    words = text(seed).split()
    words[40] = words[90] = "edited"
    return " ".join(words)


def write(path: Path, records: Iterable[Any]) -> Path:
    """Write JSON lines; bytes are written as they are."""
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as file:
        for record in records:
            file.write(record if isinstance(record, bytes) else json.dumps(record).encode())
            file.write(b"\n")
    return path


def mixed(path: Path, number: int = 300) -> Path:
    """Write a corpus with copies, near copies, short and broken documents throughout."""
    dice = random.Random(3)
    records: list[Any] = []
    for n in range(number):
        seed = dice.randrange(n // 2 + 1)
        records.append({"text": dice.choice([text, edited])(seed), "n": n})
    records[100] = b"{"
    records[number // 2] = {"text": "short"}
    return write(path, records)


def dedup(*arguments: object) -> int:
    """Run the command in this process, on one process of its own."""
    return main(["dedup", *map(str, arguments), "--processes", "1"])


def outcome(output: Path) -> dict[str, bytes]:
    """Return the line files' contents."""
    return {path.name: path.read_bytes() for path in sorted(output.glob("*.jsonl"))}
