"""The line of a URL or id in a crawl's output directory, and what to say where there is none."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from crawler.errors import InputError, StoreError, StoreMismatch
from crawler.storage import INPUTS, LINE_FILES, Meta, StoreView, reading_line
from crawler.urls import Canonicaliser

_SUGGESTED = 3
_COMPARED_URLS = 50_000
"""URLs looked through for one that resembles a mistyped one."""
_DIGITS = 18
"""Of the largest id that SQLite can hold."""


@dataclass(frozen=True, slots=True)
class Line:
    """A committed line."""

    kind: str
    """One of LINE_FILES."""
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
        return self.kind == "pages"


def find_line(view: StoreView, name: str) -> Line:
    """Return the line of a URL, of the id of a crawl's stored page, or of a document's id.

    Of a page that was stored and has a line in duplicates.jsonl too, it is that of pages.jsonl.
    Originals of a run of `dedup` may be in the directories it was judged against. Raises InputError
    for one that is not there, naming similar ones, and for an id of several documents.
    """
    if is_number(name) and INPUTS not in view.meta(Meta.IDENTITY, {}):
        return _page(view, int(name))
    canonical = Canonicaliser()(name)
    names = tuple(dict.fromkeys((name, canonical or name)))
    found = _find(view, names)
    for directory in map(Path, view.meta(Meta.IDENTITY, {}).get("against", [])):
        if found is None:
            with suppress(StoreMismatch), StoreView.read(directory) as earlier:
                found = _find(earlier, names)
    if found is None:
        raise InputError(_unknown(view, name))
    return found


def find_original(view: StoreView, line: Line) -> Line | None:
    """Return the line of the page that a line names, in the directory that it names.

    None where it names none, or one that is not there. Raises InputError for a directory that
    cannot be read, and for a portable index, which has no lines.
    """
    of = line.record.get("duplicate_of") or line.record.get("sibling_of") or {}
    against = None if line.is_document else of.get("against")
    if against is None:
        return find_line(view, of["url"]) if of else None
    if Path(against).is_file():
        raise InputError(
            f"{line.record['url']} is like {of['url']} in {against}, a portable index: that holds "
            f"no text; what it was built of may have it, {of['segment']}"
        )
    try:
        with StoreView.read(Path(against)) as earlier:
            return find_url(earlier, of["url"])
    except StoreError as why:
        raise InputError(
            f"{line.record['url']} is like {of['url']} of another directory: {why}"
        ) from None


def find_url(view: StoreView, url: str) -> Line | None:
    """Return the line of exactly this URL, None where there is none."""
    needle = orjson.dumps(url).strip(b'"')
    found = (line for line in _lines_with(view, needle) if line.record["url"] == url)
    return next(found, None)


def similar_urls(view: StoreView, name: str) -> list[str]:
    """Return URLs of a crawl that a mistyped one may stand for."""
    urls = list(islice(view.seen_urls(), _COMPARED_URLS))
    return difflib.get_close_matches(name, urls, n=_SUGGESTED, cutoff=0.6)


def is_number(name: str) -> bool:
    """Whether a name may be the id of a stored page."""
    return name.isascii() and name.isdecimal() and len(name) <= _DIGITS


def _find(view: StoreView, names: Iterable[str]) -> Line | None:
    """Return the line of the first of some URLs or ids of documents that has one."""
    lines = (find_url(view, name) or _find_id(view, name) for name in names)
    return next((line for line in lines if line is not None), None)


def _page(view: StoreView, id_: int) -> Line:
    found = _lines_with(view, b'"id":%d,' % id_, ("pages",))
    for line in found:
        if line.record["id"] == id_:
            return line
    highest = view.next_document_id - 1
    ids = f"its pages have the ids 1 to {highest:,}" if highest else "it has stored no page yet"
    raise InputError(
        f"{id_}: the crawl in {view.directory} has no page with this id, and there is no such "
        f"file; {ids} (`id` in pages.jsonl)"
    )


def _find_id(view: StoreView, id_: str) -> Line | None:
    """Return the line of the document with an id; InputError where several have it."""
    found: dict[str, Line] = {}
    for line in _lines_with(view, orjson.dumps(id_).strip(b'"')):
        if line.is_document and str(line.record.get("id")) == id_:
            found.setdefault(line.record["url"], line)
    if len(found) > 1:
        some = "\n  ".join(islice(found, _SUGGESTED))
        raise InputError(
            f"{id_} is the id of {len(found)} documents; give a URL, such as\n  {some}"
        )
    return next(iter(found.values()), None)


def _lines_with(
    view: StoreView, needle: bytes, kinds: tuple[str, ...] = LINE_FILES
) -> Iterator[Line]:
    """Yield the lines of some kinds that hold a few bytes; only those are parsed."""
    for kind in kinds:
        for line in view.lines(kind):
            if needle in line.data:
                with reading_line(line.place):
                    record = orjson.loads(line.data)
                yield Line(kind, record, view.directory)


def _unknown(view: StoreView, name: str) -> str:
    is_run = INPUTS in view.meta(Meta.IDENTITY, {})
    if is_run and "://" not in name:
        return (
            f"no document of the run in {view.directory} has the id {name}, and there is no such "
            "file"
        )
    close = similar_urls(view, name)
    hint = "; did you mean\n  " + "\n  ".join(close) if close else ""
    no_file = "" if "://" in name else ", and there is no such file"
    by = "run" if is_run else "crawl"
    return f"{name} was never seen by the {by} in {view.directory}{no_file}{hint}"
