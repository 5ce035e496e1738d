"""A URL's line in a crawl's output directory, and what to say where there is none."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from crawler.errors import InputError
from crawler.storage import LINE_FILES, StoreView, line_path
from crawler.urls import Canonicaliser

_SUGGESTED = 3
_COMPARED_URLS = 50_000
"""URLs looked through for one that resembles a mistyped one."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of one of the line files."""

    file: str
    record: Mapping[str, Any]


def find_line(view: StoreView, name: str) -> Line:
    """Return the line of a URL (or, in a run of `dedup`, of a document's id).

    A page that was stored and has a line in duplicates.jsonl too is told by its page. Raises
    InputError for one that is not there, naming what comes near.
    """
    canonical = Canonicaliser()(name)
    for wanted in dict.fromkeys((name, canonical or name)):
        for file in LINE_FILES:
            for record in _lines_with(view.directory, file, wanted):
                return Line(file, record)
    raise InputError(_unknown(view, name))


def _lines_with(directory: Path, file: str, name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the records whose URL or id is `name`; only lines that hold it are parsed."""
    needle = orjson.dumps(name).strip(b'"')
    path = line_path(directory, file)
    if not path.exists():
        return
    with path.open("rb") as lines:
        for line in lines:
            if needle in line and line.endswith(b"\n"):
                record = orjson.loads(line)
                is_document = "source" in record
                if name == record["url"] or (is_document and name == str(record.get("id"))):
                    yield record


def _unknown(view: StoreView, name: str) -> str:
    urls = list(islice(view.seen_urls(), _COMPARED_URLS))
    close = difflib.get_close_matches(name, urls, n=_SUGGESTED, cutoff=0.6)
    hint = "; did you mean\n  " + "\n  ".join(close) if close else ""
    return f"{name} was never seen by the crawl in {view.directory}{hint}"
