"""A part of an export as Parquet: the one place that needs pyarrow, of the extra `corpora`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from crawler.errors import NotInstalled
from crawler.views.export import COLUMNS, Part, Row, moment

try:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
    import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]
except ImportError:
    raise NotInstalled(
        "--format parquet", "pyarrow", "corpora", "choose another --format"
    ) from None

_TYPES = {str: pa.string(), float: pa.float64(), int: pa.int64()}
_TIME = pa.timestamp("ms", tz="UTC")


class Parquet(Part):
    """Each `write` is one row group; zstd; one explicit schema, so that all parts have the same."""

    def __init__(self, path: Path, columns: Sequence[str], level: int) -> None:
        self._schema = pa.schema(
            [
                (name, _TIME if name == "date" else _TYPES[COLUMNS.get(name, str)])
                for name in columns
            ]
        )
        self._file = path.open("wb")
        self._writer = pq.ParquetWriter(
            self._file,
            self._schema,
            compression="zstd",
            compression_level=level,
            # Of texts and addresses a dictionary is as large as what it stands for.
            use_dictionary=[name for name in columns if name in _REPEATED],
        )

    def write(self, rows: Sequence[Row]) -> None:
        """Add some rows as one row group."""
        typed = [{**row, "date": moment(row["date"])} for row in rows]
        self._writer.write_table(pa.Table.from_pylist(typed, schema=self._schema))

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()
        super().close()


_REPEATED = {"language", "source", "dump", "verdict", "author", "site_name", "warc_filename"}
"""Columns in which few values are many times."""
