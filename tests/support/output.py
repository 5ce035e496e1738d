"""What a run has written: the records of its line files, and its summary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from crawler.storage import LINE_FILES, line_path


def lines(output: Path, name: str) -> list[dict[str, Any]]:
    """Return the records of a line file; fails on a torn line."""
    data = line_path(output, name).read_bytes()
    assert data == b"" or data.endswith(b"\n")
    return [orjson.loads(line) for line in data.splitlines()]


def all_lines(output: Path) -> list[list[dict[str, Any]]]:
    """Return the records of every line file, in the order `Truth.compare` takes them."""
    return [lines(output, name) for name in LINE_FILES]


def summary_of(output: Path) -> dict[str, Any]:
    """Return the summary as it was last written."""
    read: dict[str, Any] = orjson.loads((output / "summary.json").read_bytes())
    return read
