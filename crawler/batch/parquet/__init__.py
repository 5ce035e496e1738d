"""Parquet, read and written by pyarrow, of the extra `corpora`; loaded where such a file is given.

`reading` makes documents of rows, `writing` rows of answers.
"""

from crawler.errors import ConfigError

try:
    import pyarrow as _pyarrow  # type: ignore[import-untyped, unused-ignore]  # noqa: F401
except ImportError:
    raise ConfigError(
        "Parquet files need pyarrow, which is not installed: pip install 'inline-crawler[corpora]'"
    ) from None

from crawler.batch.parquet.reading import check_columns, documents, rows_in
from crawler.batch.parquet.writing import write_flags, write_rows

__all__ = ["check_columns", "documents", "rows_in", "write_flags", "write_rows"]
