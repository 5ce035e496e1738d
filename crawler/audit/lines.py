"""The lines of some URLs, found in one pass over a line file of any length."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from crawler.errors import StoreError
from crawler.printing import Say, progress
from crawler.storage import Extent, Line, read_lines, total_extent

TOLD_BYTES = 1 << 28
"""How much is read between two lines of progress: a few seconds' worth."""

_URL = re.compile(rb'"url":("(?:[^"\\]|\\.)*")')
"""In a string the quotes would have backslashes: the first match is the line's own URL."""


def find_lines(
    directory: Path, files: Mapping[str, Extent], urls: Collection[str], say: Say
) -> dict[str, dict[str, Any]]:
    """Return the lines of `urls` in some files, by URL, read as far as the extents say.

    A URL that is not there is left out. Raises StoreError where a line is damaged or a file cannot
    be read.
    """
    left, found = set(urls), dict[str, dict[str, Any]]()
    if not left:
        return found
    for line in _read(directory, files, say):
        try:
            url = _url_of(line.data)
            if url in left:
                found[url] = orjson.loads(line.data)
                left.remove(url)
        except ValueError as error:
            raise StoreError(
                f"{line.path}:{line.number}: this line is damaged ({error}): restore the directory "
                "from a backup"
            ) from None
        if not left:
            break
    return found


def _read(directory: Path, files: Mapping[str, Extent], say: Say) -> Iterator[Line]:
    at, told, end = 0, 0, total_extent(files.values()).bytes
    for line in read_lines(directory, files):
        at += len(line.data)
        yield line
        if at - told >= TOLD_BYTES:
            told = at
            say(progress(f"Reading {line.path}: {at / end:.0%} of {end / 1e9:,.1f} GB"))


def _url_of(line: bytes) -> str | None:
    match = _URL.search(line)
    return orjson.loads(match[1]) if match else None
