"""A document of an earlier run read again, from where its line says it lies.

A run of `dedup` keeps no text of what it dropped; the corpus itself still has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crawler.analysis import AnalysisSettings
from crawler.batch.inputs import STDIN_PATH, InputFile, media_type_of
from crawler.batch.names import file_in
from crawler.batch.raw import document_at
from crawler.batch.reader import CorpusReader, Fields, Reading
from crawler.dedup.signing.digests import format_digest
from crawler.errors import InputError


def read_again(
    record: Mapping[str, Any], identity: Mapping[str, Any], settings: AnalysisSettings
) -> Reading:
    """Return the document of a line of `pages.jsonl` or `duplicates.jsonl`.

    `identity` is that of its run, `settings` are those it was judged by. Raises InputError where
    its file is gone or cannot be read, or where another text stands there now.
    """
    path, line = file_in(record["url"]), record["line"]
    if path == STDIN_PATH:
        raise InputError("it came by standard input")
    name = str(path) if line is None else f"{path}:{line}"
    # Of a whole file the argument's name told the type, and it is that of the file.
    media_type = media_type_of(path.name) if line is None else None
    file = InputFile(path, record["source"], name, str(record["id"]), media_type, _size(path))
    raw = document_at(file, line)
    reader = CorpusReader(Fields(identity["text_field"], identity["id_field"]), settings)
    found = reader.analyse([raw])[0] if raw else None
    if not isinstance(found, Reading):
        raise InputError(f"{name}: {found.detail if found else 'no such line any more'}")
    if format_digest(found.document.signature.text_digest) != record["text_digest"]:
        raise InputError(f"{name}: another text stands there now")
    return found


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
