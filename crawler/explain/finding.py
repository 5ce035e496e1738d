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
from crawler.storage import LINE_FILES, Meta, StoreView, line_path
from crawler.urls import Canonicaliser

_SUGGESTED = 3
_COMPARED_URLS = 50_000
"""URLs looked through for one that resembles a mistyped one."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of one of the line files."""

    file: str
    record: Mapping[str, Any]

    @property
    def is_document(self) -> bool:
        """Whether it is of a run of `dedup`, not of a crawl."""
        return "source" in self.record


def find_line(view: StoreView, name: str) -> Line:
    """Return the line of a URL, or, in a run of `dedup`, of a document's id.

    Of a page that was stored and has a line in duplicates.jsonl too, it is that of pages.jsonl.
    Originals of a run of `dedup` may be in the directories it was judged against. Raises InputError
    for one that is not there, naming similar ones, and for an id of several documents.
    """
    canonical = Canonicaliser()(name)
    against = view.meta(Meta.IDENTITY, {}).get("against", [])
    for directory in (view.directory, *map(Path, against)):
        for wanted in dict.fromkeys((name, canonical or name)):
            found = find_url(directory, wanted) or _find_id(directory, wanted)
            if found is not None:
                return found
    raise InputError(_unknown(view, name))


def find_url(directory: Path, url: str) -> Line | None:
    """Return the line of exactly this URL, None where there is none."""
    found = (line for line in _lines_with(directory, url) if line.record["url"] == url)
    return next(found, None)


def _find_id(directory: Path, id_: str) -> Line | None:
    """Return the line of the document with an id; InputError where several have it."""
    found: dict[str, Line] = {}
    for line in _lines_with(directory, id_):
        if line.is_document and str(line.record.get("id")) == id_:
            found.setdefault(line.record["url"], line)
    if len(found) > 1:
        some = "\n  ".join(islice(found, _SUGGESTED))
        raise InputError(
            f"{id_} is the id of {len(found)} documents; give a URL, such as\n  {some}"
        )
    return next(iter(found.values()), None)


def _lines_with(directory: Path, name: str) -> Iterator[Line]:
    """Yield the lines of all files that hold a name; only those are parsed."""
    needle = orjson.dumps(name).strip(b'"')
    for file in LINE_FILES:
        path = line_path(directory, file)
        if not path.exists():
            continue
        with path.open("rb") as lines:
            for line in lines:
                if needle in line and line.endswith(b"\n"):
                    yield Line(file, orjson.loads(line))


def _unknown(view: StoreView, name: str) -> str:
    urls = list(islice(view.seen_urls(), _COMPARED_URLS))
    close = difflib.get_close_matches(name, urls, n=_SUGGESTED, cutoff=0.6)
    hint = "; did you mean\n  " + "\n  ".join(close) if close else ""
    no_file = "" if "://" in name else ", and there is no such file"
    return f"{name} was never seen by the crawl in {view.directory}{no_file}{hint}"
