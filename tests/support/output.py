"""What a run has written: the records of its line files, and its summary."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from crawler.storage.directory import LINE_FILES, line_path
from crawler.storage.journal import by_kind, on_disk


class Line(dict[str, Any]):
    """A record as its readers are asked to read it: a field that it has not is None."""

    def __missing__(self, field: str) -> None:
        return None


def lines(output: Path, name: str) -> list[dict[str, Any]]:
    """Return the records of a kind, of all its files; fails on a torn line."""
    files = by_kind(on_disk(output))[name]
    assert files
    data = [line_path(output, file).read_bytes() for file in files]
    assert all(part == b"" or part.endswith(b"\n") for part in data)
    return [Line(orjson.loads(line)) for part in data for line in part.splitlines()]


def said(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a record says: its fields without those that are None as they do not apply."""
    return {field: value for field, value in record.items() if value is not None}


def all_lines(output: Path) -> list[list[dict[str, Any]]]:
    """Return the records of every line file, in the order `Truth.compare` takes them."""
    return [lines(output, name) for name in LINE_FILES]


def summary_of(output: Path) -> dict[str, Any]:
    """Return the summary as it was last written."""
    read: dict[str, Any] = orjson.loads((output / "summary.json").read_bytes())
    return read
