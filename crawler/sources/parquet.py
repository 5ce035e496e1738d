"""Rows of Parquet files as documents, and written again with columns beside the user's own.

By pyarrow, of the extra `corpora`: this is loaded where such a file is given.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from crawler.errors import InputError, NotInstalled
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
from crawler.sources.writing import PREFIX, Answer, added

try:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
    import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]
except ImportError:
    raise NotInstalled("reading Parquet", "pyarrow", "corpora") from None


log = logging.getLogger(__name__)

BATCH_ROWS = 1024
BATCH_BYTES = 8_000_000
"""Read at once, whichever is less: one row group may have gigabytes."""


def _opened(file: InputFile) -> closing[Any]:
    """Open a file for a `with` block; raises whatever Arrow does (see `damage_of`)."""
    return closing(pq.ParquetFile(file.path, pre_buffer=False))


def _batches(
    opened: Any,
    taken: Callable[[Any], Any],
    columns: Sequence[str] | None = None,
    passed: int = 0,
) -> Iterator[tuple[Any, int, int]]:
    """Yield batches of rows as they are `taken`, each with its first row's number and its length.

    Of a row group that cannot be read, or not beyond some row, the rest is one Bad. Groups that end
    within the first `passed` rows are left out.
    """
    metadata, number = opened.metadata, 1
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    total = max(1, sum(group.total_byte_size for group in groups))
    at_once = max(1, min(BATCH_ROWS, BATCH_BYTES * metadata.num_rows // total))
    for index, group in enumerate(groups):
        end = number + group.num_rows
        try:
            if end > passed + 1:
                for batch in opened.iter_batches(at_once, [index], columns):
                    yield taken(batch), number, batch.num_rows
                    number += batch.num_rows
        except Exception as error:
            detail = f"row group {index} cannot be read: {damage_of(error)}"
            yield Bad(BadReason.UNREADABLE, detail), number, end - number
        number = end


def rows_in(file: InputFile) -> int:
    """Return how many documents a file has: its rows, or one that tells why it has none."""
    try:
        with _opened(file) as opened:
            return int(opened.metadata.num_rows)
    except Exception as error:
        damage_of(error)  # no memory is no damage
        return 1


def row_ranges(file: InputFile, least_bytes: int) -> Iterator[tuple[int, int | None]]:
    """Yield ranges of whole row groups: the number of rows before one, and of its rows.

    Each has at least so many bytes of the file, as far as that can be told. All of a file that
    cannot be read is one range, of an unknown number of rows.
    """
    try:
        with _opened(file) as opened:
            counts = [
                opened.metadata.row_group(index).num_rows
                for index in range(opened.metadata.num_row_groups)
            ]
    except Exception as error:
        damage_of(error)  # no memory is no damage
        yield 0, None
        return
    total, passed, rows = max(1, sum(counts)), 0, 0
    for count in counts:
        rows += count
        if rows * file.size_bytes >= least_bytes * total:
            yield passed, rows
            passed, rows = passed + rows, 0
    if rows or not passed:
        yield passed, rows


def documents(file: InputFile, fields: Fields, passed: int) -> Iterator[tuple[RawDocument, int]]:
    """Yield the documents of a file after the first `passed`, each with bytes of the file read.

    There is one for each row, also of row groups that cannot be read, and one that is bad of a file
    of which nothing can. Raises InputError where a column is missing.
    """
    assert file.path is not None
    url = file_url(file.path)
    try:
        with _opened(file) as opened:
            total = max(1, opened.metadata.num_rows)
            columns = _columns(file, opened.schema_arrow, fields)
            for found, first, count in _batches(opened, pa.RecordBatch.to_pylist, columns, passed):
                rows = [found] * count if isinstance(found, Bad) else found
                for number, row in enumerate(rows, first):
                    if number > passed:
                        body, bad = (b"", row) if isinstance(row, Bad) else _body(row)
                        document = RawDocument(file, url, number, body, bad)
                        yield document, file.size_bytes * number // total
    except InputError:
        raise
    except Exception as error:
        bad = Bad(BadReason.UNREADABLE, f"cannot be read: {damage_of(error)}")
        yield RawDocument(file, url, 1, b"", bad), 0


def _body(row: dict[str, Any]) -> tuple[bytes, Bad | None]:
    """Return a row as the JSON object that a line would have; what JSON has not, as its text."""
    try:
        body = orjson.dumps(row, default=str)
    except TypeError as error:
        return b"", Bad(BadReason.BAD_JSON, f"it cannot be kept: {error}")
    return (b"", TOO_LARGE) if len(body) > MAX_DOCUMENT_BYTES else (body, None)


def check_columns(files: Iterable[InputFile], fields: Fields) -> None:
    """Raise InputError where a Parquet file lacks a column that is asked for.

    Files that cannot be read are told of when it is their turn.
    """
    for file in files:
        if file.is_parquet:
            try:
                with _opened(file) as opened:
                    _columns(file, opened.schema_arrow, fields)
            except InputError:
                raise
            except Exception as error:
                log.info("%s: %s", file.name, damage_of(error))


def _columns(file: InputFile, schema: pa.Schema, fields: Fields) -> list[str]:
    """Return the columns that a judge needs.

    Raises InputError where the text, or an id that was asked for by name, has none.
    """
    wanted = [fields.text, *([fields.id] if fields.id is not None else [])]
    for name in wanted:
        if not _has(schema, name):
            known = ", ".join(schema.names[:12]) or "none"
            raise InputError(
                f"{file.name}: no column {name!r}; there are: {known}; see --text-field and "
                "--id-field"
            )
    others = (name for name in ("id", *TELLING) if name in schema.names)
    return list(dict.fromkeys((*wanted, *others)))


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


GROUP_BYTES = 64 << 20
"""A row group that is written holds no more, so that a writer's memory is bounded too."""
_FLAGS_AT_ONCE = 100_000
_ADDED = [
    (PREFIX + "verdict", pa.string()),
    (PREFIX + "duplicate_of", pa.string()),
    (PREFIX + "original", pa.string()),
    (PREFIX + "similarity", pa.float64()),
]


def write_rows(target: Path, source: InputFile, answers: Iterator[Answer], every: bool) -> None:
    """Write the rows of a file that are kept, or `every` one, with columns that tell the verdicts.

    Rows of a group that cannot be read are left out. What Hugging Face says of the file is so too:
    it names all columns, and would not fit any more.
    """
    with _opened(source) as opened:
        schema, metadata = opened.schema_arrow, opened.metadata
        own = [name for name in schema.names if name not in dict(_ADDED)]
        said = {k: v for k, v in (schema.metadata or {}).items() if k != b"huggingface"}
        wide = pa.schema([*(schema.field(name) for name in own), *_ADDED], said or None)
        codec = "ZSTD"
        if metadata.num_row_groups and metadata.num_columns:
            codec = str(metadata.row_group(0).column(0).compression)

        def told() -> Iterator[pa.RecordBatch]:
            for batch, _, count in _batches(opened, lambda batch: batch):
                some = list(islice(answers, count))
                if isinstance(batch, Bad):
                    continue
                beside = zip(*(added(answer).values() for answer in some), strict=True)
                arrays = [pa.array(v, kind) for v, (_, kind) in zip(beside, _ADDED, strict=True)]
                columns = [*batch.select(own).columns, *arrays]
                rows = pa.RecordBatch.from_arrays(columns, schema=wide)
                yield rows if every else rows.filter(pa.array([one.kept for one in some]))

        _write(target, wide, codec, told())


def write_flags(target: Path, answers: Iterator[Answer]) -> None:
    """Write one column `keep`, a boolean for each row."""
    schema = pa.schema([("keep", pa.bool_())])
    flags = iter(lambda: [answer.kept for answer in islice(answers, _FLAGS_AT_ONCE)], [])
    _write(target, schema, "ZSTD", (pa.record_batch([pa.array(some)], schema) for some in flags))


def _write(target: Path, schema: pa.Schema, codec: str, batches: Iterable[pa.RecordBatch]) -> None:
    """Write a file: a row group is full at GROUP_BYTES."""
    with target.open("wb") as file, pq.ParquetWriter(file, schema, compression=codec.lower()) as to:
        waiting: list[pa.RecordBatch] = []

        def write() -> None:
            table = pa.Table.from_batches(waiting, schema)
            to.write_table(table, row_group_size=max(1, table.num_rows))
            waiting.clear()

        for batch in batches:
            waiting.append(batch)
            if sum(one.nbytes for one in waiting) >= GROUP_BYTES:
                write()
        if waiting:
            write()
