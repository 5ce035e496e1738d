"""The line of a URL or id in a crawl's output directory, and what to say where there is none."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from crawler.errors import InputError
from crawler.storage import INPUTS, LINE_FILES, Meta, StoreView, line_path
from crawler.urls import Canonicaliser

_SUGGESTED = 3
_COMPARED_URLS = 50_000
"""URLs looked through for one that resembles a mistyped one."""
_DIGITS = 18
"""Of the largest id that SQLite can hold."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of one of the line files."""

    file: str
    record: Mapping[str, Any]
    directory: Path
    """Whose line it is: that of the crawl, or one it was judged against."""

    @property
    def is_document(self) -> bool:
        """Whether it is of a run of `dedup`, not of a crawl."""
        return "source" in self.record

    @property
    def is_stored(self) -> bool:
        """Whether its page was stored."""
        return self.file == "pages"


def find_line(view: StoreView, name: str) -> Line:
    """Return the line of a URL, of the id of a crawl's stored page, or of a document's id.

    Of a page that was stored and has a line in duplicates.jsonl too, it is that of pages.jsonl.
    Originals of a run of `dedup` may be in the directories it was judged against. Raises InputError
    for one that is not there, naming similar ones, and for an id of several documents.
    """
    if is_number(name) and INPUTS not in view.meta(Meta.IDENTITY, {}):
        return _page(view, int(name))
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
    needle = orjson.dumps(url).strip(b'"')
    found = (line for line in _lines_with(directory, needle) if line.record["url"] == url)
    return next(found, None)


def is_number(name: str) -> bool:
    """Whether a name may be the id of a stored page."""
    return name.isascii() and name.isdecimal() and len(name) <= _DIGITS


def _page(view: StoreView, id_: int) -> Line:
    found = _lines_with(view.directory, b'"id":%d,' % id_, ("pages",))
    for line in found:
        if line.record["id"] == id_:
            return line
    highest = view.next_document_id - 1
    ids = f"its pages have the ids 1 to {highest:,}" if highest else "it has stored no page yet"
    raise InputError(
        f"{id_}: the crawl in {view.directory} has no page with this id, and there is no such "
        f"file; {ids} (`id` in pages.jsonl)"
    )


def _find_id(directory: Path, id_: str) -> Line | None:
    """Return the line of the document with an id; InputError where several have it."""
    found: dict[str, Line] = {}
    for line in _lines_with(directory, orjson.dumps(id_).strip(b'"')):
        if line.is_document and str(line.record.get("id")) == id_:
            found.setdefault(line.record["url"], line)
    if len(found) > 1:
        some = "\n  ".join(islice(found, _SUGGESTED))
        raise InputError(
            f"{id_} is the id of {len(found)} documents; give a URL, such as\n  {some}"
        )
    return next(iter(found.values()), None)


def _lines_with(
    directory: Path, needle: bytes, files: tuple[str, ...] = LINE_FILES
) -> Iterator[Line]:
    """Yield the lines of some files that hold a few bytes; only those are parsed."""
    for file in files:
        path = line_path(directory, file)
        if not path.exists():
            continue
        with path.open("rb") as lines:
            for line in lines:
                if needle in line and line.endswith(b"\n"):
                    yield Line(file, orjson.loads(line), directory)


def _unknown(view: StoreView, name: str) -> str:
    is_run = INPUTS in view.meta(Meta.IDENTITY, {})
    if is_run and "://" not in name:
        return (
            f"no document of the run in {view.directory} has the id {name}, and there is no such "
            "file"
        )
    urls = list(islice(view.seen_urls(), _COMPARED_URLS))
    close = difflib.get_close_matches(name, urls, n=_SUGGESTED, cutoff=0.6)
    hint = "; did you mean\n  " + "\n  ".join(close) if close else ""
    no_file = "" if "://" in name else ", and there is no such file"
    by = "run" if is_run else "crawl"
    return f"{name} was never seen by the {by} in {view.directory}{no_file}{hint}"
