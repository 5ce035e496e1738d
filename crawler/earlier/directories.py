"""The directory of an earlier crawl, or run of `dedup`, as it stood when this run began.

It is opened for reading only, also while a crawl still adds to it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from crawler.errors import StoreMismatch
from crawler.records import IndexRow
from crawler.storage import Meta, SqliteCatalog, StoreView

COMPARABLE = (
    *("payload_hash", "tokenizer", "fingerprint", "shingles", "sketch"),
    *("method", "lexicon", "fold_chinese"),
)
"""What must be the same for two runs' pages to be compared. The extractor need not: a text that
another version extracted is a text."""


def check_comparable(
    name: str,
    theirs: Mapping[str, Any],
    ours: Mapping[str, Any],
    keys: Iterable[str] = COMPARABLE,
) -> None:
    """Raise StoreMismatch where pages judged by one identity cannot be compared with another's."""
    differing = [key for key in keys if theirs.get(key) != ours.get(key)]
    if differing:
        values = (f"{key} ({theirs.get(key)}, now {ours.get(key)})" for key in differing)
        raise StoreMismatch(
            f"{name}: its pages cannot be compared with new ones, since these settings differ: "
            + ", ".join(values)
        )


class DirectoryPages:
    """See `crawler.earlier.layers.EarlierPages`. Raises StoreMismatch where there is no crawl."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.view = StoreView.read(directory)
        self.catalog = SqliteCatalog(self.view.database)
        self.documents = self.view.next_document_id - 1

    @property
    def name(self) -> str:
        """See EarlierPages."""
        return str(self.directory)

    @cached_property
    def key(self) -> bytes:
        """See EarlierPages."""
        return self.view.key

    @property
    def mark(self) -> str:
        """What another crawl in this place would not have; empty where that cannot be told."""
        return hashlib.sha256(b"mark" + self.key).hexdigest()[:16] if self.key else ""

    @property
    def identity(self) -> Mapping[str, Any]:
        """How its pages were judged."""
        found: Mapping[str, Any] = self.view.meta(Meta.IDENTITY, {})
        return found

    def index_rows(self) -> Iterator[IndexRow]:
        """See EarlierPages."""
        return self.view.index_rows()

    def source_of(self, page_id: int) -> str:
        """See EarlierPages."""
        return self.view.host_of(page_id)

    def about(self, page_id: int) -> dict[str, Any]:
        """See EarlierPages: it can be as sure as of own pages."""
        return {}

    def close(self) -> None:
        """Close the files."""
        self.view.close()
