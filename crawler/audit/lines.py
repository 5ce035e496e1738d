"""The lines of some URLs, found in one pass over a line file of any length."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import orjson

from crawler.errors import StoreError
from crawler.printing import Say
from crawler.storage import line_path

TOLD_BYTES = 1 << 28
"""How much is read between two lines of progress: a few seconds' worth."""

_URL = re.compile(rb'"url":("(?:[^"\\]|\\.)*")')
"""In a string the quotes would have backslashes: the first match is the line's own URL."""


def find_lines(
    directory: Path, name: str, end: int, urls: Collection[str], say: Say
) -> dict[str, dict[str, Any]]:
    """Return the lines of `urls` in a line file, by URL, read up to the byte `end`.

    A URL that is not there is left out. Raises StoreError where a line is damaged or the file
    cannot be read.
    """
    left, found = set(urls), dict[str, dict[str, Any]]()
    if not left:
        return found
    path = line_path(directory, name)
    try:
        for number, line in enumerate(_read(path, end, say), 1):
            try:
                url = _url_of(line)
                if url in left:
                    found[url] = orjson.loads(line)
                    left.remove(url)
            except ValueError as error:
                raise StoreError(
                    f"{path}:{number}: this line is damaged ({error}): restore the directory from "
                    "a backup"
                ) from None
            if not left:
                break
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    return found


def _read(path: Path, end: int, say: Say) -> Iterator[bytes]:
    """Yield the lines before the byte `end`; what follows is not committed yet."""
    at, told = 0, 0
    with path.open("rb") as lines:
        for line in lines:
            at += len(line)
            if at > end:
                return
            yield line
            if at - told >= TOLD_BYTES:
                told = at
                say(f"Reading {path}: {at / end:.0%} of {end / 1e9:,.1f} GB")


def _url_of(line: bytes) -> str | None:
    match = _URL.search(line)
    return orjson.loads(match[1]) if match else None
