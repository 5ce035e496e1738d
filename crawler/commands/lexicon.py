"""A lexicon made of a sample of texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from crawler.lexicon import make_lexicon


def lexicon(files: Sequence[str], text_field: str, output: Path) -> int:
    """Make a lexicon of a sample of texts."""
    documents, words = make_lexicon(files, text_field, output)
    print(f"{output}: {words:,} words of {documents:,} documents")
    return 0
