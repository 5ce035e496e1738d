"""The user's own rows, written again without the copies among them, or with what was found.

A file for each file that was read, of the same name and format, in a folder named by what is
written. Each appears when it is whole; one that is there already is of this run and stays, so a
run that was killed here goes on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson

from crawler.console import Say, progress
from crawler.errors import InputError
from crawler.models import NEAR, UrlState
from crawler.models.enums import Written
from crawler.observe.progress import NowAndThen
from crawler.sources.documents import documents_in
from crawler.sources.inputs import DocumentId, InputFile, compressing_like, file_url
from crawler.storage.directory import replacing
from crawler.storage.journal import Line
from crawler.storage.view import StoreView

PREFIX = "dedup_"
"""What the names of columns begin with that stand beside the user's own."""

_FILE_OF = {
    UrlState.STORED: "pages",
    UrlState.DUPLICATE: "duplicates",
    UrlState.SKIPPED: "skipped",
    UrlState.FAILED: "failures",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of one document."""

    kept: bool
    """Whether it is no copy of another one: kept by the judge, or not judged since reading it took
    too long."""
    verdict: str
    """As lines name it; `skipped` or `failed` of what was not judged."""
    id: DocumentId | None = None
    """The user's own; None of what was not judged."""
    duplicate_of: DocumentId | None = None
    """The id of the document that it is a copy of, or a sibling of."""
    original: str | None = None
    """The name of that, which no other document has (`url` in lines)."""
    similarity: float | None = None


def added(answer: Answer) -> dict[str, Any]:
    """Return the columns that tell an answer; ids as text, since both kinds may be in one."""
    of = answer.duplicate_of
    return {
        PREFIX + "verdict": answer.verdict,
        PREFIX + "duplicate_of": None if of is None else str(of),
        PREFIX + "original": answer.original,
        PREFIX + "similarity": answer.similarity,
    }


EVERY_S = 5.0
"""Seconds between two lines that say how far it is."""


def targets(files: Sequence[InputFile], what: Written, directory: Path) -> list[Path]:
    """Return where each file is written.

    Raises InputError for a file that has no rows, and where two would be written to one place.
    """
    found: dict[Path, InputFile] = {}
    for file in files:
        if file.path is None or file.media_type is not None:
            raise InputError(
                f"{file.name}: --write {what} is for JSON lines and Parquet; leave it out, or give "
                "this file to a run of its own"
            )
        whole = what in (Written.ROWS, Written.ALL) or (what is Written.FLAGS and file.is_parquet)
        target = directory / what / (file.id if whole else f"{file.id}.{what}.jsonl")
        if target in found:
            raise InputError(
                f"{file.name} and {found[target].name} would both be written to {target}: give the "
                "directory that both are in, or each to a run of its own"
            )
        found[target] = file
    return list(found)


def write(
    files: Sequence[InputFile],
    what: Written,
    view: StoreView,
    say: Say = lambda line: None,
) -> None:
    """Write what is asked for of all files of a run that is over.

    Raises InputError where a file is not any more as it was judged, StoreError where it cannot be
    written.
    """
    tell = NowAndThen(say, EVERY_S)
    places = targets(files, what, view.directory)
    for number, (file, answers) in enumerate(_answered(files, view)):
        target = places[number]
        tell(progress(f"writing {what}: file {number + 1:,} of {len(files):,}: {file.name}"))
        if target.exists():
            for _ in answers:
                pass
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as part:
            _write_file(part, file, what, answers)
            with part.open("rb") as written:
                os.fsync(written.fileno())


def _answered(
    files: Sequence[InputFile], view: StoreView
) -> Iterator[tuple[InputFile, Iterator[Answer]]]:
    """Yield each file with the answers on its documents; there may be none of either.

    The answers of a file are to be taken before the next file is asked for.
    """
    ends = view.database.stream("SELECT url, state, detail FROM urls ORDER BY id")
    lines: dict[str, Iterator[Line]] = {}

    def answers(found: Iterator[tuple[str, int, str]]) -> Iterator[Answer]:
        for _, state, detail in found:
            kind = _FILE_OF[UrlState(state)]
            line = next(lines[kind]).data
            if kind == "pages" and detail == NEAR:  # tagged: it has a line in both files
                next(lines["duplicates"])
            yield _answer(kind, orjson.loads(line))

    judged = groupby(ends, key=lambda end: end[0].partition("#")[0])
    url, found = next(judged, ("", iter(())))
    with ExitStack() as stack:
        for kind in _FILE_OF.values():
            lines[kind] = stack.enter_context(closing(view.lines(kind)))
        for file in files:
            if file.path is not None and url == file_url(file.path):
                yield file, answers(found)
                url, found = next(judged, ("", iter(())))
            else:
                yield file, iter(())


def _answer(kind: str, line: dict[str, Any]) -> Answer:
    if kind == "skipped":
        return Answer(False, "skipped")
    if kind == "failures":
        return Answer(True, "failed")
    of = line.get("duplicate_of") or line.get("sibling_of") or {}
    verdict, similarity = line["verdict"], line.get("similarity")
    if similarity is None and verdict.startswith("exact-"):
        similarity = 1.0
    return Answer(kind == "pages", verdict, line["id"], of.get("id"), of.get("url"), similarity)


def _write_file(part: Path, file: InputFile, what: Written, answers: Iterator[Answer]) -> None:
    assert file.path is not None
    rows, every = what in (Written.ROWS, Written.ALL), what is Written.ALL
    if file.is_parquet and what is not Written.IDS:
        from crawler.sources import parquet  # needs pyarrow, which is an extra

        if rows:
            parquet.write_rows(part, file, answers, every)
        else:
            parquet.write_flags(part, answers)
        return
    with part.open("wb") as plain:
        if rows:
            with closing(compressing_like(file.path, plain)) as lines:
                for row in _rows(file, answers, every):  # zstandard has no `writelines`
                    lines.write(row)
        for answer in answers:  # a line of JSON for each flag, or each id that is kept
            if what is Written.FLAGS:
                plain.write(orjson.dumps(answer.kept) + b"\n")
            elif answer.kept and answer.id is not None:
                plain.write(orjson.dumps(answer.id) + b"\n")


def _rows(file: InputFile, answers: Iterator[Answer], every: bool) -> Iterator[bytes]:
    """Yield lines as they came, with fields that tell the verdict before their last brace."""
    read = (document for document, _ in documents_in(file))
    try:
        for document, answer in zip(read, answers, strict=True):
            line = document.body.rstrip()
            if (every or answer.kept) and line.endswith(b"}"):
                yield _beside(line, added(answer))
    except ValueError:
        raise InputError(f"{file.name} has changed since it was judged") from None


def _beside(line: bytes, more: Mapping[str, Any]) -> bytes:
    """Return an object with fields added; what it had stays as it was to the byte.

    Those of an earlier run over the same rows are replaced.
    """
    if b'"' + PREFIX.encode() in line:
        # What is no JSON, or nested too deep to be written: of equal names the last one counts.
        with suppress(TypeError, ValueError):
            return orjson.dumps(orjson.loads(line) | more) + b"\n"
    begin = line[:-1].rstrip()
    return begin + (b"" if begin == b"{" else b",") + orjson.dumps(more)[1:] + b"\n"
