"""A crawl's pages as a corpus.

Which rows, which columns, which format, into a directory that is whole or not there.
"""

from __future__ import annotations

import csv
import fcntl
import gzip
import io
import operator
import os
import re
import shutil
import time
from abc import ABC, abstractmethod
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
import orjson
import zstandard
from numpy.typing import NDArray

from crawler.console import Say, csv_cell, escape_json, progress, safe
from crawler.errors import ConfigError, NotInstalled, StoreError, StoreInUse
from crawler.models import NEAR, SIBLING
from crawler.models.enums import ExportFormat
from crawler.storage.directory import crawls_in, sync_directory
from crawler.storage.journal import Line, read_lines, reading_line, total_extent
from crawler.storage.view import StoreView, dropped_urls
from crawler.units import counted

Row = dict[str, Any]
"""Column -> value, with every column; None for what is not known."""

COLUMNS: Mapping[str, type] = {
    "id": str,
    "text": str,
    "url": str,
    "date": str,
    "language": str,
    "language_score": float,
    "title": str,
    "author": str,
    "published": str,
    "modified": str,
    "description": str,
    "site_name": str,
    "source": str,
    "dump": str,
    "content_digest": str,
    "warc_filename": str,
    "warc_offset": int,
    "warc_record_id": str,
    "verdict": str,
    "duplicate_of": str,
    "sibling_of": str,
    "similarity": float,
    "cluster_id": str,
    "cluster_size": int,
    "mirror_of": str,
    "mirror_agree": float,
    "fields": str,
}
"""Column -> the type of its values, in order. One schema for all corpora, so that exports can be
read together."""

MARKDOWN = "markdown"
"""One column more, at the end, by option."""

_RENAMED = {"date": "fetched_at", "content_digest": "payload_digest"}
"""Column -> the field of a line that it has its value from, where the names differ."""
_OWN = ("url", "verdict", "similarity", "content_digest")
"""Columns that only a line's own fields say, whatever a user's JSON calls so."""
_COMPUTED = {
    *("id", "text", "source", "dump", "duplicate_of", "sibling_of"),
    *("cluster_id", "cluster_size", "mirror_of", "mirror_agree", "fields"),
}
_COPIED = tuple(name for name in COLUMNS if name not in _COMPUTED)


def row_of(line: Mapping[str, Any], id_: str, dump: str) -> Row:
    """Return a line of pages.jsonl or duplicates.jsonl as a row; its cluster is added by others.

    What a run of `dedup` was given beside a text (`fields`) fills the columns of its names, where
    it is of their type; the rest is kept as JSON.
    """
    beside = dict(line.get("fields") or {})
    row: Row = dict.fromkeys(COLUMNS)
    for name in _COPIED:
        value = line.get(_RENAMED.get(name, name))
        if value is None and name in beside and name not in _OWN:
            value = _fitting(beside, name)
        row[name] = value
    row["id"], row["dump"] = id_, dump
    row["text"] = line.get("text")
    row["source"] = line.get("host") or line.get("source")
    row["duplicate_of"] = reference(line.get("duplicate_of"))
    row["sibling_of"] = reference(line.get("sibling_of"))
    if (mirror := line.get("mirror")) is not None:
        row["mirror_of"], row["mirror_agree"] = mirror["of"], mirror["agree"]
    row["fields"] = orjson.dumps(beside).decode() if beside else None
    return row


def reference(of: Mapping[str, Any] | None) -> str | None:
    """Return how a row names another: its id, or its URL where it lies in another directory."""
    if of is None:
        return None
    return str(of["url"]) if "against" in of else str(of["id"])


def _fitting(beside: dict[str, Any], name: str) -> Any:
    """Take a user's field if it fits the column of its name."""
    value, kind = beside[name], COLUMNS[name]
    if isinstance(value, int) and kind is float and not isinstance(value, bool):
        value = float(value)
    if kind is int and isinstance(value, int) and not -(2**63) <= value < 2**63:
        return None  # it stays among the others, as JSON: no table has room for it
    if name == "date" and moment(value) is None:
        return None  # likewise: dates of all rows are of one type
    return beside.pop(name) if type(value) is kind else None


def moment(date: Any) -> datetime | None:
    """Return the time that an ISO 8601 date says, in UTC where it names no zone; None of others."""
    try:
        at = datetime.fromisoformat(date)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return None


_COLUMNS = {"host": "source", "chars": "text"}
"""Field of a test -> the column that has it, where the names differ."""
_FIELDS = ("language", "language_score", "host", "date", "verdict", "similarity", "chars")
_NUMBERS = ("language_score", "similarity", "chars")
_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_FORM = re.compile(r"(\w+)\s*(!=|<=|>=|=|<|>)(.*)", re.DOTALL)
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\d(\.\d+)?)?)?Z?)?)?)?", re.ASCII)


_MOST_VALUES = 1_000
_SHOWN_VALUES = 5
"""Values of a field that are counted, and that a warning names, the first and the most frequent."""


class Condition:
    """A test of rows (`--where`), which knows afterwards what there was where none passed it.

    What is not known of a row passes `!=` and nothing else. `=` and `!=` take several values with
    commas between, a host may have `*` in it, and a date stands for all that begins with it.
    """

    def __init__(self, text: str) -> None:
        """Raises ConfigError for a text that means nothing."""
        match = _FORM.fullmatch(text.strip())
        if match is None or match[1] not in _FIELDS:
            raise ConfigError(
                f"--where {text}: write FIELD, one of = != < <= > >=, and a value, as in "
                f"chars>=200; fields: {', '.join(_FIELDS)}"
            )
        self._text, (self._field, self._sign, told) = text, match.groups()
        self._values = [self._value(one.strip()) for one in told.split(",")]
        is_ordered = self._field in (*_NUMBERS, "date") and len(self._values) == 1
        if self._sign in _ORDERS and not is_ordered:
            raise ConfigError(
                f"--where {text}: {self._sign} takes one value, of {', '.join(_NUMBERS)} or date"
            )
        self._passed = False
        self._found: Counter[Any] = Counter()
        self._least: Any = None
        self._most: Any = None

    def _value(self, text: str) -> Any:
        test, field = f"--where {self._text}", self._field
        if field in _NUMBERS:
            try:
                return float(text)
            except ValueError:
                raise ConfigError(f"{test}: {field} is a number, not {text!r}") from None
        if field == "date" and not _DATE.fullmatch(text):
            raise ConfigError(f"{test}: write a date as 2026-01-31, or only its beginning")
        if not text:
            raise ConfigError(f"{test}: no value after the sign")
        return text.removesuffix("Z") if field == "date" else text

    def passes(self, row: Row) -> bool:
        """Whether a row passes; it is noted."""
        found = row[_COLUMNS.get(self._field, self._field)]
        if self._field == "chars" and found is not None:
            found = len(found)
        if not self._passed and found is not None:
            known = found in self._found or len(self._found) < _MOST_VALUES
            self._found[found if known else None] += 1
            self._least = found if self._least is None else min(found, self._least)
            self._most = found if self._most is None else max(found, self._most)
        holds = self._holds(found)
        self._passed |= holds
        return holds

    def _holds(self, found: Any) -> bool:
        if self._sign not in _ORDERS:
            is_one = found is not None and any(self._is(found, value) for value in self._values)
            return is_one == (self._sign == "=")
        if found is None:
            return False
        [limit] = self._values
        # ISO 8601 in UTC sorts as text; a day ends after all of its moments.
        return _ORDERS[self._sign](found[: len(limit)] if self._field == "date" else found, limit)

    def _is(self, found: Any, value: Any) -> bool:
        if self._field == "host":  # only `*` stands for others: `[::1]` is a host
            pattern = value.lower().replace("[", "[[]").replace("?", "[?]")
            return fnmatchcase(found.lower(), pattern)
        return bool(found.startswith(value) if self._field == "date" else found == value)

    @property
    def unmet(self) -> str:
        """What is to be said where no row has passed; empty where one has."""
        if self._passed:
            return ""
        if not self._found:
            tell = " (`extract.language: true` has a crawl tell it)"
            way_out = tell if self._field.startswith("language") else ""
            return f"Warning: --where {self._text}: no page has a {self._field}{way_out}"
        if self._field in (*_NUMBERS, "date"):
            there = f"{self._least} to {self._most}"
        else:
            some = [value for value, _ in self._found.most_common() if value is not None]
            there = ", ".join(some[:_SHOWN_VALUES])
            if (more := len(some) - _SHOWN_VALUES) > 0:
                there += f" and {more:,} {'or ' if None in self._found else ''}more"
        return f"Warning: --where {self._text}: no page passes; {self._field} here: {safe(there)}"


# How many pages are copies of one: found in one pass over duplicates.jsonl.
#
# Pages are told apart by 64-bit hashes of their URLs: 16 bytes a duplicate are held, and twice
# that for a moment. Of ten million pages two share a hash with a probability of 3e-6; then their
# clusters are counted as one, and no row is lost.

_Hashes = NDArray[np.int64]
_MOST_STEPS = 8
"""From a copy to its representative it is two steps: a copy of a tagged near duplicate."""


class Clusters:
    """Names of clusters and their sizes."""

    def __init__(self, pairs: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """`pairs` are the URL of each copy and what names its original, in the order judged."""
        copies, originals = array("q"), array("q")
        for copy, original in pairs:
            copies.append(_own(copy))
            originals.append(_key(original))
        of = np.array(originals, np.int64)
        self._copies, first = np.unique(np.array(copies, np.int64), return_index=True)
        self._leads = of[first]
        for _ in range(_MOST_STEPS):
            at, is_copy = self._where(of)
            if not is_copy.any():
                break
            of[is_copy] = self._leads[at[is_copy]]
        self._heads, counts = np.unique(of, return_counts=True)
        self._sizes = counts + 1
        self._names: dict[int, str] = {}
        self._between = set(np.intersect1d(self._copies, self._leads).tolist())

    def _where(self, hashes: _Hashes) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return where among the copies each hash would stand, and whether it is there."""
        at = np.searchsorted(self._copies, hashes)
        if not len(self._copies):
            return at, np.zeros(len(hashes), np.bool_)
        inside = np.minimum(at, len(self._copies) - 1)
        return inside, self._copies[inside] == hashes

    def place(self, row: Row, line: Mapping[str, Any]) -> None:
        """Write a row's cluster into it; stored pages come first, as in their file."""
        own = _own(line["url"])
        of = line.get("duplicate_of")
        if of is None or line["verdict"] == SIBLING:
            row["cluster_id"], head = row["id"], own
        else:
            head = _key(of)
            row["cluster_id"] = self._names.get(head) or reference(of)
            if own in self._between:
                self._names[own] = row["cluster_id"]
            head = self._head(head)
        at = _place(self._heads, head)
        row["cluster_size"] = 1 if at is None else int(self._sizes[at])

    def _head(self, of: int) -> int:
        for _ in range(_MOST_STEPS):
            if (at := _place(self._copies, of)) is None:
                break
            of = int(self._leads[at])
        return of


def _place(ordered: _Hashes, wanted: int) -> int | None:
    """Return where a hash is among ordered ones; None where it is not."""
    at = int(np.searchsorted(ordered, wanted))
    return at if at < len(ordered) and ordered[at] == wanted else None


def _own(url: str) -> int:
    """Return the key of a page of this directory."""
    return hash((None, url))


def _key(original: Mapping[str, Any]) -> int:
    """Return the key of an original: one of another directory may have the URL of one of this."""
    return hash((original.get("against"), original["url"]))


# The rows of a crawl's directory, and what it kept of dropped pages.
#
# Only committed lines are read, as far as they were when the export began: also while a crawl
# runs, and after it was killed.

_DROPPED_FIELDS = (
    *("text", MARKDOWN, "title", "language", "language_score"),
    *("author", "published", "modified", "description", "site_name"),
)
"""What a dropped page's line in duplicates.jsonl does not say, and what was kept of it does."""


class Source:
    """A directory, in its state when it was opened."""

    def __init__(
        self, view: StoreView, dump: str, markdown: bool, dropped_text: bool, partition: str = ""
    ) -> None:
        """`partition` is what the directory is called in those of its crawl, if that has several.

        It is told of `clusters` before anything is read.
        """
        self.clusters: Clusters
        self._partition = partition
        self._view = view
        self._dump = dump
        self._markdown = markdown
        self._files = view.files()
        self.lines = {
            kind: total_extent(self._files[kind].values()).lines for kind in ("pages", "duplicates")
        }
        """Kind -> how many committed lines there are."""
        self._stored_too: set[int] = set()
        hashes, ids = array("q"), array("q")
        for url_id, url in dropped_urls(view) if dropped_text else ():
            hashes.append(hash(url))
            ids.append(url_id)
        order = np.argsort(np.array(hashes, np.int64))
        self._dropped, self._dropped_ids = (np.array(of, np.int64)[order] for of in (hashes, ids))
        """Dropped pages of which something was kept, by the hashes of their URLs: 16 bytes each."""

    def pages(self) -> Iterator[Row]:
        """Yield a row for each stored page, in the order of pages.jsonl. To be read first."""
        for line, record in self._records("pages"):
            with reading_line(line.place):
                if record["verdict"] == NEAR or record.get("restored_at"):
                    self._stored_too.add(hash(record["url"]))
                row = self._row(record, str(record["id"]))
            yield row

    def duplicates(self) -> Iterator[Row | None]:
        """Yield a row for each page that was not stored; None for a line of one that was, too.

        A crawl gives duplicates no id; they are called by their place in duplicates.jsonl, `d1`
        and so on, which never changes, in a partition `p000.d1`.
        """
        prefix = f"{self._partition}.d" if self._partition else "d"
        for number, (line, record) in enumerate(self._records("duplicates"), 1):
            if hash(record["url"]) in self._stored_too:
                yield None
                continue
            with reading_line(line.place):
                record = self._with_text(record)
                row = self._row(record, str(record.get("id", f"{prefix}{number}")))
            yield row

    def copies(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the URL of each duplicate, and what names its original."""
        for line, record in self._records("duplicates"):
            with reading_line(line.place):
                is_copy = record["verdict"] != SIBLING
                pair = record["url"], record["duplicate_of"]
            if is_copy:
                yield pair

    def _row(self, record: dict[str, Any], id_: str) -> Row:
        row = row_of(record, id_, self._dump)
        self.clusters.place(row, record)
        if self._markdown:
            row[MARKDOWN] = record.get(MARKDOWN)
        return row

    def _with_text(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a line of duplicates.jsonl with what was kept of its page, if anything was."""
        at = _place(self._dropped, hash(record["url"]))
        kept = None if at is None else self._view.dropped(int(self._dropped_ids[at]))
        if kept is None or kept.line["url"] != record["url"]:
            return record
        added = {name: kept.line[name] for name in _DROPPED_FIELDS if name in kept.line}
        return {**added, **{name: v for name, v in record.items() if v is not None}}

    def _records(self, kind: str) -> Iterator[tuple[Line, dict[str, Any]]]:
        for line in read_lines(self._view.directory, self._files[kind]):
            with reading_line(line.place):
                record = orjson.loads(line.data)
                if self._partition and (of := record.get("duplicate_of")):
                    of.pop("against", None)  # another partition is of the same crawl
            yield line, record


# How a part is written: JSON lines, CSV, text, Dolma.
#
# Parts are written once, from begin to end, and are the same to the byte whenever they are
# written.

ZSTD_LEVEL = 3
"""zstd's own default; docs/export.md has what others take."""
GZIP_LEVEL = 6
"""That of gzip(1)."""
SEPARATOR = "\n\f\n"
"""Between documents of a text part: FORM FEED on a line of its own, as between the pages of a plain
text. A form feed within a text becomes a space, so it separates documents and nothing else."""


class Part(ABC):
    """A file that is being written; each format is one."""

    _file: IO[Any]

    @abstractmethod
    def write(self, rows: Sequence[Row]) -> None:
        """Add some rows."""

    def size(self) -> int:
        """Return about how many bytes the file has: some are still held."""
        return self._file.tell()

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


class JsonLines(Part):
    """One row a line, compressed by zstd."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._file = path.open("wb")
        packer = zstandard.ZstdCompressor(ZSTD_LEVEL)
        self._packed: Any = packer.stream_writer(self._file, closefd=False)

    def write(self, rows: Sequence[Row]) -> None:
        """Add some rows."""
        for row in rows:
            self._packed.write(escape_json(orjson.dumps(self._record(row)) + b"\n"))

    def close(self) -> None:
        """Finish the file."""
        self._packed.close()
        super().close()

    def _record(self, row: Row) -> Row:
        return row


class PlainJsonLines(JsonLines):
    """One row a line, as it is."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._file = self._packed = path.open("wb")


class Csv(Part):
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


class Text(Part):
    """Texts alone, with `SEPARATOR` between; the last document ends by a line end."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._file = path.open("w", encoding="utf-8", newline="")
        self._between = ""

    def write(self, rows: Sequence[Row]) -> None:
        """Add the texts of some rows."""
        for row in rows:
            self._file.write(self._between + row["text"].replace("\f", " "))
            self._between = SEPARATOR

    def close(self) -> None:
        """Finish the file."""
        self._file.write("\n" if self._between else "")
        super().close()


class Dolma(JsonLines):
    """The documents of Dolma: JSON lines with six fields, compressed by gzip.

    `docs/data-format.md` of github.com/allenai/dolma.
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._file = path.open("wb")
        # No name and no time in the file: it says nothing of when it was written.
        packed = gzip.GzipFile("", "wb", GZIP_LEVEL, self._file, mtime=0)
        self._packed = io.BufferedWriter(packed, 1 << 16)

    def _record(self, row: Row) -> Row:
        """Return a row as a document of Dolma: when it was acquired, and when it was made."""
        other = {name: value for name, value in row.items() if name not in ("id", "text", "source")}
        fields = other.pop("fields")
        return {
            "id": row["id"],
            "text": row["text"],
            "source": row["source"],
            "added": row["date"],
            "created": row["published"] or row["date"],
            "metadata": {**other, "fields": orjson.Fragment(fields) if fields else None},
        }


class Parquet(Part):
    """Each `write` is one row group; zstd; one explicit schema, so that all parts have the same."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        try:  # the extra `corpora`
            import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
            import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]
        except ImportError:
            raise NotInstalled(
                "--format parquet", "pyarrow", "corpora", "choose another --format"
            ) from None
        types = {str: pa.string(), float: pa.float64(), int: pa.int64()}
        typed = {name: types[COLUMNS.get(name, str)] for name in columns}
        self._schema = pa.schema([*(typed | {"date": pa.timestamp("ms", tz="UTC")}).items()])
        self._table = pa.Table.from_pylist
        self._file = path.open("wb")
        self._writer = pq.ParquetWriter(
            self._file,
            self._schema,
            compression="zstd",
            compression_level=ZSTD_LEVEL,
            # Of texts and addresses a dictionary is as large as what it stands for.
            use_dictionary=[name for name in columns if name in _REPEATED],
        )

    def write(self, rows: Sequence[Row]) -> None:
        """Add some rows as one row group."""
        typed = [{**row, "date": moment(row["date"])} for row in rows]
        self._writer.write_table(self._table(typed, schema=self._schema))

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()
        super().close()


_REPEATED = {"language", "source", "dump", "verdict", "author", "site_name", "warc_filename"}
"""Columns in which few values are many times."""
OPEN: Mapping[ExportFormat, tuple[str, Callable[[Path, Sequence[str]], Part]]] = {
    ExportFormat.PARQUET: ("parquet", Parquet),
    ExportFormat.JSONL: ("jsonl.zst", JsonLines),
    ExportFormat.PLAIN_JSONL: ("jsonl", PlainJsonLines),
    ExportFormat.CSV: ("csv", Csv),
    ExportFormat.TEXT: ("txt", Text),
    ExportFormat.DOLMA: ("json.gz", Dolma),
}
"""Format -> the end of its parts' names, and what begins one."""
NEEDS_TEXT = (ExportFormat.TEXT, ExportFormat.DOLMA)
"""Formats in which a row is nothing without its text."""


# What the directory says of itself: a dataset card, as the Hugging Face Hub and `datasets` read.
#
# Without it `load_dataset` would take both folders for one split, and duplicates for pages.


def card(
    format_: ExportFormat, rows: Mapping[str, int], columns: Sequence[str], where: Sequence[str]
) -> str:
    """Return README.md: which files are which, how many rows, which columns."""
    ending = OPEN[format_][0]
    configs = "".join(
        f"- config_name: {folder}\n  data_files: {folder}/*.{ending}\n"
        + ("  default: true\n" if folder == "unique" else "")
        for folder in rows
    )
    counts = "\n".join(
        f"- `{folder}/`: {counted(number, 'document')}" for folder, number in rows.items()
    )
    chosen = (
        f"\nOnly what passes: {', '.join(f'`{safe(test)}`' for test in where)}\n" if where else ""
    )
    told = ", ".join(f"`{name}`" for name in columns)
    if format_ is ExportFormat.TEXT:
        told = "none: texts, with a form feed (U+000C) on a line of its own between two"
    return f"---\nconfigs:\n{configs}---\n\n{counts}\n{chosen}\nColumns: {told}\n"


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
        with self._path.open("rb") as file:
            os.fsync(file.fileno())


# The directory that is made: under another name until it is whole, so that it is there or not.
#
# A killed export leaves the directory with that other name, and the next one to the same place
# removes it. It is ours if it holds our mark, which is also the lock against a second export.

ENDING = ".exporting"
"""What the name of an unfinished export ends with."""
_MARK = ".unfinished"


@contextmanager
def appearing(target: Path) -> Iterator[Path]:
    """Yield a directory to write into, which is called `target` once the block has ended.

    Raises ConfigError where there is something already, StoreInUse where another process writes
    it, StoreError where the disk is full or fails.
    """
    target = target.absolute()
    with suppress(FileNotFoundError):
        if not target.is_dir():
            target.lstat()
            raise ConfigError(f"{target} is a file: name a directory that does not exist")
        if any(target.iterdir()):
            raise ConfigError(f"{target} is not empty: name a directory that does not exist")
    made = target.with_name(target.name + ENDING)
    mark = made / _MARK
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if made.exists() and not mark.exists() and any(made.iterdir()):
            raise ConfigError(
                f"{made} is no unfinished export: move it away, or choose another --output"
            )
        made.mkdir(exist_ok=True)
        with mark.open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreInUse(
                    f"{made} is being written by another export: wait for it"
                ) from None
            for path in made.iterdir():  # what a killed export left
                if path.is_dir():
                    shutil.rmtree(path)
                elif path != mark:
                    path.unlink()
            try:
                yield made
                for folder in (*(path for path in made.iterdir() if path.is_dir()), made):
                    sync_directory(folder)
                mark.unlink()
                made.rename(target)
                sync_directory(target.parent)
            except BaseException:
                shutil.rmtree(made, ignore_errors=True)
                raise
    except OSError as error:
        raise StoreError(
            f"{target}: the export failed: {error.strerror or error}. The crawl is unharmed; put "
            "it right (free space, permissions), then repeat the command"
        ) from None


EVERY_S = 5.0
"""Seconds between two lines that say how far it is."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be exported, and how."""

    format: ExportFormat = ExportFormat.PARQUET
    where: Sequence[str] = ()
    """Tests (`crawler.views.export`), all of which a row must pass."""
    markdown: bool = False
    dropped_text: bool = False
    dump: str | None = None
    """None: the name of the directory."""
    part_bytes: int = PART_BYTES

    @property
    def columns(self) -> list[str]:
        """The columns of every row, in order."""
        return [*COLUMNS, *([MARKDOWN] if self.markdown else [])]


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    rows: dict[str, int]
    """Folder -> documents."""
    without_text: int
    """Duplicates left out because nothing is kept of their text, and the format is of texts."""
    unmet: Sequence[str]
    """Of each test that no row has passed: what it is, and what there is."""


def export_crawl(
    directory: Path,
    target: Path,
    asked: Asked,
    say: Say = lambda line: None,
) -> Exported:
    """Write what the crawl in `directory` has committed into the new directory `target`.

    Of a crawl of several partitions what each has, one after another; ids are of all of it.

    `target` is there when all is written, and not before. Raises ConfigError for a test that means
    nothing, a missing library and a target that exists; StoreMismatch, StoreError as `StoreView`.
    """
    tests, without_text = [*map(Condition, asked.where)], 0
    rows: dict[str, int] = {}
    with ExitStack() as views, appearing(target) as made:
        dump = asked.dump or directory.resolve().name
        directories = crawls_in(directory)
        is_whole = directories == [directory]
        sources = [
            Source(
                *(views.enter_context(StoreView.read(each)), dump),
                *(asked.markdown, asked.dropped_text),
                partition="" if is_whole else each.name,
            )
            for each in directories
        ]
        clusters = Clusters(chain.from_iterable(source.copies() for source in sources))
        for source in sources:
            source.clusters = clusters
        for folder, kind, rows_of in (
            ("unique", "pages", Source.pages),
            ("duplicates", "duplicates", Source.duplicates),
        ):
            found = chain.from_iterable(map(rows_of, sources))
            lines = sum(source.lines[kind] for source in sources)
            with Parts(made / folder, asked.format, asked.columns, asked.part_bytes) as parts:
                for row in _told(folder, found, lines, say):
                    if row is None:
                        continue
                    held = [test.passes(row) for test in tests]  # each hears of every row
                    if not all(held):
                        continue
                    if row["text"] is None and asked.format in NEEDS_TEXT:
                        without_text += 1
                    else:
                        parts.add(row)
            rows[folder] = parts.rows
        told = card(asked.format, rows, asked.columns, asked.where)
        (made / "README.md").write_text(told, encoding="utf-8")
    return Exported(rows, without_text, [test.unmet for test in tests if test.unmet])


def _told(name: str, rows: Iterable[Row | None], lines: int, say: Say) -> Iterator[Row | None]:
    """Hand rows on, and say how far it is every few seconds."""
    begun = said = time.monotonic()
    for number, row in enumerate(rows, 1):
        yield row
        if number % 64 == 0 and (now := time.monotonic()) - said >= EVERY_S:
            said, speed = now, number / (now - begun)
            far = f"{name}: {number:,} of {lines:,} lines ({speed:,.0f}/s)"
            left = f"{100 * number // lines} %, {(lines - number) / speed:.0f} s left"
            say(progress(f"{far}  {left}"))
