"""How a part is written: JSON lines, CSV, text, Dolma; each format is a class with one interface.

Parts are written once, from begin to end, and are the same to the byte whenever they are written.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Protocol

import orjson
import zstandard

from crawler.choices import ExportFormat
from crawler.export.columns import Row
from crawler.printing import csv_cell, escape_json

ZSTD_LEVEL = 3
"""zstd's own default; docs/export.md has what others take."""
GZIP_LEVEL = 6
"""That of gzip(1)."""
SEPARATOR = "\n\f\n"
"""Between documents of a text part: FORM FEED on a line of its own, as between the pages of a plain
text. A form feed within a text becomes a space, so it separates documents and nothing else."""


class Part(Protocol):
    """A file that is being written."""

    def write(self, rows: Sequence[Row]) -> None:
        """Add some rows."""

    def size(self) -> int:
        """Return about how many bytes the file has."""

    def close(self) -> None:
        """Finish the file."""


class JsonLines:
    """One row a line, compressed by zstd."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._file = path.open("wb")
        self._packed = zstandard.ZstdCompressor(ZSTD_LEVEL).stream_writer(self._file, closefd=False)

    def write(self, rows: Sequence[Row]) -> None:
        """Add some rows."""
        for row in rows:
            self._packed.write(_json_line(row))

    def size(self) -> int:
        """Return how many bytes are written; some are still held."""
        return self._file.tell()

    def close(self) -> None:
        """Finish the file."""
        self._packed.close()  # type: ignore[no-untyped-call]
        self._file.close()


class Csv:
    """RFC 4180 with a header, in UTF-8; null is an empty field, as is an empty text.

    A text that a spreadsheet would take for a formula is marked (`csv_cell`).
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._file = path.open("w", encoding="utf-8", newline="")
        self._columns = columns
        self._writer = csv.writer(self._file)
        self._writer.writerow(columns)

    def write(self, rows: Sequence[Row]) -> None:
        """Add some rows."""
        self._writer.writerows([csv_cell(row[name]) for name in self._columns] for row in rows)

    def size(self) -> int:
        """Return how many bytes are written."""
        return self._file.tell()

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


class Text:
    """Texts alone, with `SEPARATOR` between."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._file = path.open("w", encoding="utf-8", newline="")
        self._between = ""

    def write(self, rows: Sequence[Row]) -> None:
        """Add the texts of some rows."""
        for row in rows:
            self._file.write(self._between + row["text"].replace("\f", " "))
            self._between = SEPARATOR

    def size(self) -> int:
        """Return how many bytes are written."""
        return self._file.tell()

    def close(self) -> None:
        """Finish the file; a document ends by a line end."""
        self._file.write("\n" if self._between else "")
        self._file.close()


class Dolma:
    """The documents of Dolma: JSON lines with six fields, compressed by gzip.

    `docs/data-format.md` of github.com/allenai/dolma.
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._file: IO[bytes] = path.open("wb")
        # No name and no time in the file: it says nothing of when it was written.
        self._packed = gzip.GzipFile("", "wb", GZIP_LEVEL, self._file, mtime=0)
        self._lines = io.BufferedWriter(self._packed, 1 << 16)

    def write(self, rows: Sequence[Row]) -> None:
        """Add some rows."""
        for row in rows:
            self._lines.write(_json_line(_dolma(row)))

    def size(self) -> int:
        """Return how many bytes are written; some are still held."""
        return self._file.tell()

    def close(self) -> None:
        """Finish the file."""
        self._lines.close()
        self._file.close()


def _dolma(row: Row) -> dict[str, Any]:
    """Return a row as a document of Dolma: when it was acquired, and when it was made."""
    other = {name: value for name, value in row.items() if name not in ("id", "text", "source")}
    fields = other.pop("fields")
    metadata = {**other, "fields": orjson.Fragment(fields) if fields else None}
    return {
        "id": row["id"],
        "text": row["text"],
        "source": row["source"],
        "added": row["date"],
        "created": row["published"] or row["date"],
        "metadata": metadata,
    }


def _json_line(record: Mapping[str, Any]) -> bytes:
    return escape_json(orjson.dumps(record) + b"\n")


def _parquet(path: Path, columns: Sequence[str]) -> Part:
    from crawler.export.parquet import Parquet  # needs pyarrow, which is an extra

    return Parquet(path, columns, ZSTD_LEVEL)


OPEN: Mapping[ExportFormat, tuple[str, Callable[[Path, Sequence[str]], Part]]] = {
    ExportFormat.PARQUET: ("parquet", _parquet),
    ExportFormat.JSONL: ("jsonl.zst", JsonLines),
    ExportFormat.CSV: ("csv", Csv),
    ExportFormat.TEXT: ("txt", Text),
    ExportFormat.DOLMA: ("json.gz", Dolma),
}
"""Format -> the end of its parts' names, and what begins one."""
NEEDS_TEXT = (ExportFormat.TEXT, ExportFormat.DOLMA)
"""Formats in which a row is nothing without its text."""
