"""Rows of Parquet files as documents, and written again with columns beside the user's own.

By pyarrow, of the extra `corpora`: this is loaded where such a file is given.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, repeat
from pathlib import Path
from typing import Any, Self

import orjson

from crawler.errors import ConfigError, InputError
from crawler.sources.corpus import PREFIX, Answer, added
from crawler.sources.documents import (
    MAX_DOCUMENT_BYTES,
    TELLING,
    TOO_LARGE,
    Bad,
    BadReason,
    Fields,
    RawDocument,
)
from crawler.sources.inputs import InputFile, damage_of, file_url

try:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
    import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]
except ImportError:
    raise ConfigError(
        "Parquet files need pyarrow, which is not installed: pip install 'inline-crawler[corpora]'"
    ) from None


log = logging.getLogger(__name__)

BATCH_ROWS = 1024
BATCH_BYTES = 8_000_000
"""Read at once, whichever is less: one row group may have gigabytes."""


class ParquetRows:
    """One file, opened for reading; raises whatever Arrow does (see `damage_of`)."""

    def __init__(self, file: InputFile) -> None:
        assert file.path is not None
        self._name = file.name
        self._file = pq.ParquetFile(file.path, pre_buffer=False)
        self.schema: pa.Schema = self._file.schema_arrow
        metadata = self._file.metadata
        self.groups: list[int] = [
            metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)
        ]
        """How many rows each row group has."""
        self.rows: int = metadata.num_rows
        total = sum(metadata.row_group(n).total_byte_size for n in range(metadata.num_row_groups))
        self._batch_rows = max(1, min(BATCH_ROWS, BATCH_BYTES * self.rows // max(1, total)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def codec(self) -> str:
        """How the columns are compressed, as a writer is told it."""
        metadata = self._file.metadata
        groups = metadata.num_row_groups and metadata.num_columns
        return str(metadata.row_group(0).column(0).compression) if groups else "ZSTD"

    def documents(self, fields: Fields, passed: int) -> Iterator[tuple[int, dict[str, Any] | Bad]]:
        """Yield (number, row) after the first `passed`, of the columns that a judge needs.

        Of a row group that cannot be read each row is Bad. Raises InputError where the text, or an
        id that was asked for by name, has no column.
        """
        columns, number = self._columns(fields), 0
        for group, rows in enumerate(self.groups):
            end = number + rows
            if end > passed:
                for row in self._read(group, columns):
                    number += 1
                    if number > passed:
                        yield number, row
            number = end

    def _read(self, group: int, columns: list[str]) -> Iterator[dict[str, Any] | Bad]:
        """Yield the rows of a group, as many as it says it has."""
        left = self.groups[group]
        try:
            for batch in self._file.iter_batches(self._batch_rows, [group], columns):
                rows = batch.to_pylist()
                left -= len(rows)
                yield from rows
        except Exception as error:
            detail = f"row group {group} cannot be read: {damage_of(error)}"
            yield from repeat(Bad(BadReason.UNREADABLE, detail), left)

    def batches(self) -> Iterator[tuple[pa.RecordBatch | None, int]]:
        """Yield all rows with all columns, and how many; None for those that cannot be read."""
        for group, left in enumerate(self.groups):
            try:
                for batch in self._file.iter_batches(self._batch_rows, [group]):
                    left -= batch.num_rows
                    yield batch, batch.num_rows
            except Exception as error:
                damage_of(error)  # no memory is no damage
                yield None, left

    def check(self, fields: Fields) -> None:
        """Raise InputError where the file lacks a column."""
        self._columns(fields)

    def _columns(self, fields: Fields) -> list[str]:
        wanted = [fields.text, *([fields.id] if fields.id is not None else [])]
        for name in wanted:
            if not _has(self.schema, name):
                known = ", ".join(self.schema.names[:12]) or "none"
                raise InputError(
                    f"{self._name}: no column {name!r}; there are: {known}; see --text-field and "
                    "--id-field"
                )
        others = (name for name in ("id", *TELLING) if name in self.schema.names)
        return list(dict.fromkeys((*wanted, *others)))


def rows_in(file: InputFile) -> int:
    """Return how many documents a file has: its rows, or one that tells why it has none."""
    try:
        with ParquetRows(file) as rows:
            return rows.rows
    except Exception as error:
        damage_of(error)  # no memory is no damage
        return 1


def documents(file: InputFile, fields: Fields, passed: int) -> Iterator[tuple[RawDocument, int]]:
    """Yield the documents of a file after the first `passed`, each with bytes of the file read.

    There is one for each row, also of row groups that cannot be read, and one that is bad of a file
    of which nothing can. Raises InputError where a column is missing.
    """
    assert file.path is not None
    url = file_url(file.path)
    try:
        with ParquetRows(file) as rows:
            for number, row in rows.documents(fields, passed):
                bad = row if isinstance(row, Bad) else None
                try:
                    body = b"" if bad else _body(row)
                except TypeError as error:
                    body, bad = b"", Bad(BadReason.BAD_JSON, f"it cannot be kept: {error}")
                if len(body) > MAX_DOCUMENT_BYTES:
                    body, bad = b"", TOO_LARGE
                read = file.size_bytes * number // max(1, rows.rows)
                yield RawDocument(file, url, number, body, bad), read
    except InputError:
        raise
    except Exception as error:
        bad = Bad(BadReason.UNREADABLE, f"cannot be read: {damage_of(error)}")
        yield RawDocument(file, url, 1, b"", bad), 0


def check_columns(files: Iterable[InputFile], fields: Fields) -> None:
    """Raise InputError where a Parquet file lacks a column that is asked for.

    Files that cannot be read are told of when it is their turn.
    """
    for file in files:
        if file.is_parquet:
            try:
                with ParquetRows(file) as rows:
                    rows.check(fields)
            except InputError:
                raise
            except Exception as error:
                log.info("%s: %s", file.name, damage_of(error))


def _has(schema: pa.Schema, name: str) -> bool:
    """Whether there is a column of this name, or one within a column by its path."""
    if name in schema.names:
        return True
    outer, dot, inner = name.partition(".")
    while dot:
        if outer in schema.names and pa.types.is_struct(kind := schema.field(outer).type):
            return _has(pa.schema(list(kind)), inner)
        more, dot, inner = inner.partition(".")
        outer += f".{more}"
    return False


def _body(row: Any) -> bytes:
    """Return a row as the JSON object that a line would have; what JSON has not, as its text."""
    return orjson.dumps(row, default=str)


GROUP_BYTES = 64 << 20
"""A row group that is written holds no more, so that a writer's memory is bounded too."""
_FLAGS_AT_ONCE = 100_000
_ADDED = [
    (PREFIX + "verdict", pa.string()),
    (PREFIX + "duplicate_of", pa.string()),
    (PREFIX + "original", pa.string()),
    (PREFIX + "similarity", pa.float64()),
]


class ParquetShard:
    """A file that is written: rows as they came, and columns beside them."""

    def __init__(self, path: Path, schema: pa.Schema, codec: str) -> None:
        self._file = path.open("wb")
        self.schema = schema
        self._writer = pq.ParquetWriter(self._file, schema, compression=codec.lower())
        self._waiting: list[pa.RecordBatch] = []

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows; they are written when a row group is full."""
        self._waiting.append(batch)
        if sum(one.nbytes for one in self._waiting) >= GROUP_BYTES:
            self._write()

    def close(self) -> None:
        """Finish the file."""
        self._write()
        self._writer.close()
        self._file.close()

    def _write(self) -> None:
        if self._waiting:
            table = pa.Table.from_batches(self._waiting, self.schema)
            self._writer.write_table(table, row_group_size=max(1, table.num_rows))
            self._waiting = []


def write_rows(target: Path, source: InputFile, answers: Iterator[Answer], every: bool) -> int:
    """Write the rows of a file that are kept, or `every` one, with columns that tell the verdicts.

    Return how many. Rows of a group that cannot be read are left out.
    """
    with ParquetRows(source) as rows:
        own = [name for name in rows.schema.names if name not in dict(_ADDED)]
        schema = _widened(
            pa.schema([rows.schema.field(name) for name in own]), rows.schema.metadata
        )
        shard = ParquetShard(target, schema, rows.codec)
        written = 0
        for batch, number in rows.batches():
            told = list(islice(answers, number))
            if batch is not None:
                wide = _beside(batch.select(own), told, schema)
                kept = wide if every else wide.filter(pa.array([one.kept for one in told]))
                shard.write(kept)
                written += kept.num_rows
        shard.close()
    return written


def write_flags(target: Path, answers: Iterator[Answer]) -> int:
    """Write one column `keep`, a boolean for each row; return how many are true."""
    schema = pa.schema([("keep", pa.bool_())])
    shard = ParquetShard(target, schema, "ZSTD")
    kept = 0
    while some := [answer.kept for answer in islice(answers, _FLAGS_AT_ONCE)]:
        shard.write(pa.record_batch([pa.array(some)], schema))
        kept += sum(some)
    shard.close()
    return kept


def _widened(own: pa.Schema, metadata: Mapping[bytes, bytes] | None) -> pa.Schema:
    """Return the columns that rows have with those beside them, and what is said of the file.

    What Hugging Face keeps there is left out: it names all columns, and would not fit any more.
    """
    said = {key: value for key, value in (metadata or {}).items() if key != b"huggingface"}
    return pa.schema([*own, *_ADDED], said or None)


def _beside(batch: pa.RecordBatch, told: Sequence[Answer], schema: pa.Schema) -> pa.RecordBatch:
    """Return rows with what is told of them in further columns."""
    columns = zip(*(added(answer).values() for answer in told), strict=True)
    arrays = [pa.array(values, type_) for values, (_, type_) in zip(columns, _ADDED, strict=True)]
    return pa.RecordBatch.from_arrays([*batch.columns, *arrays], schema=schema)
