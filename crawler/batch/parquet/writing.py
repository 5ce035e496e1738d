"""Rows of Parquet files written again, with columns beside the user's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]

from crawler.batch.answers import PREFIX, Answer, added
from crawler.batch.inputs import InputFile
from crawler.batch.parquet.reading import ParquetRows

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
