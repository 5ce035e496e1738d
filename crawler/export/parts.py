"""Rows into parts of bounded size, by groups of bounded size."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from crawler.choices import ExportFormat
from crawler.export.columns import MARKDOWN, Row
from crawler.export.formats import OPEN, Part

GROUP_ROWS = 1000
"""Rows in a group (in Parquet a row group, as in FineWeb): readers hold one at a time."""
GROUP_CHARACTERS = 8_000_000
"""A group with as many is written, however few its rows: memory stays below some 100 MB."""
PART_BYTES = 256 << 20
"""A part with as many is the last of its size; what readers take in parallel are parts."""

_LONG = ("text", MARKDOWN, "fields")
"""Columns of which one row may have megabytes."""


class Parts:
    """The parts of one folder; there is one at least, so that readers find the columns."""

    def __init__(
        self, folder: Path, format_: ExportFormat, columns: Sequence[str], part_bytes: int
    ) -> None:
        self._folder, self._columns, self._part_bytes = folder, columns, part_bytes
        self._ending, self._open = OPEN[format_]
        self._group: list[Row] = []
        self._characters = 0
        self._number = 0
        self.rows = 0
        """Rows so far."""
        folder.mkdir()
        self._begin()

    def _begin(self) -> None:
        self._path = self._folder / f"part-{self._number:05}.{self._ending}"
        self._part: Part = self._open(self._path, self._columns)

    def add(self, row: Row) -> None:
        """Add a row."""
        self._group.append(row)
        self._characters += sum(len(row.get(name) or "") for name in _LONG)
        self.rows += 1
        if len(self._group) == GROUP_ROWS or self._characters >= GROUP_CHARACTERS:
            self._write()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Finish the last part; where the work failed only close it, since nothing is kept."""
        if kind is None:
            self._write()
            self._end()
        else:
            with suppress(Exception):  # what it failed by is told
                self._part.close()

    def _write(self) -> None:
        if not self._group:
            return
        if self._part.size() >= self._part_bytes:
            self._end()
            self._number += 1
            self._begin()
        self._part.write(self._group)
        self._group, self._characters = [], 0

    def _end(self) -> None:
        self._part.close()
        descriptor = os.open(self._path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
