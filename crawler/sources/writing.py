"""The user's own rows, written again without the copies among them, or with what was found.

A file for each file that was read, of the same name and format, in a folder named by what is
written. Each appears when it is whole; one that is there already is of this run and stays, so a
run that was killed here goes on.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import orjson

from crawler.console import Say, progress
from crawler.errors import InputError
from crawler.models.enums import Written
from crawler.sources.corpus import PREFIX, Answer, added, answers_by_file
from crawler.sources.documents import documents_in
from crawler.sources.inputs import InputFile, compressing_like, file_url
from crawler.storage.directory import replacing
from crawler.storage.view import StoreView

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
        target = directory / what / (file.id + _ending(file, what))
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
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Write what is asked for of all files of a run that is over.

    Raises InputError where a file is not any more as it was judged, StoreError where it cannot be
    written.
    """
    said = clock()
    places = targets(files, what, view.directory)
    for number, (file, answers) in enumerate(_answered(files, view)):
        target = places[number]
        if clock() - said >= EVERY_S:
            said = clock()
            say(progress(f"writing {what}: file {number + 1:,} of {len(files):,}: {file.name}"))
        if target.exists():
            for _ in answers:
                pass
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as part:
            _write_file(part, file, what, answers)
            with part.open("rb") as written:
                os.fsync(written.fileno())


def _ending(file: InputFile, what: Written) -> str:
    if what in (Written.ROWS, Written.ALL) or (what is Written.FLAGS and file.is_parquet):
        return ""
    return f".{what}.jsonl"


def _answered(
    files: Sequence[InputFile], view: StoreView
) -> Iterator[tuple[InputFile, Iterator[Answer]]]:
    """Yield each file with the answers on its documents; there may be none of either."""
    groups = answers_by_file(view)
    ahead = next(groups, None)
    for file in files:
        if ahead is not None and file.path is not None and ahead[0] == file_url(file.path):
            yield file, ahead[1]
            ahead = next(groups, None)
        else:
            yield file, iter(())


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
        if not rows:
            plain.writelines(_told(answers, what))
            return
        with closing(compressing_like(file.path, plain)) as lines:
            for row in _rows(file, answers, every):  # zstandard has no `writelines`
                lines.write(row)


def _told(answers: Iterator[Answer], what: Written) -> Iterator[bytes]:
    """Yield a line of JSON for each id that is kept, or for each flag."""
    for answer in answers:
        if what is Written.FLAGS:
            yield orjson.dumps(answer.kept) + b"\n"
        elif answer.kept and answer.id is not None:
            yield orjson.dumps(answer.id) + b"\n"


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
