"""A source as a segment of a portable index: a directory's pages, or the digests of a CDXJ file."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import orjson

from crawler.earlier.columns import MOST_PAGES, ColumnWriter
from crawler.earlier.directories import COMPARABLE, DirectoryPages
from crawler.earlier.index_file import CORPUS, CRAWL, DIGESTS, NewSegment, Segment
from crawler.earlier.segments import SKETCH_BYTES
from crawler.errors import InputError
from crawler.observe.summary import format_time
from crawler.records import Shingles
from crawler.storage import INPUTS, Meta, stored_addresses
from crawler.storage.shingles import pack

EVERY_PAGES = 10_000
"""After so many, progress is told: a second or two."""

_NAMES = {20: "sha1", 32: "sha256"}


def of_directory(
    directory: Path, writer: ColumnWriter, told: Callable[[int], None], *, shingles: bool
) -> NewSegment:
    """Return the pages that a directory has now, with their shingles if these are asked for.

    Raises StoreMismatch where there is no crawl, InputError where its method keeps other sketches.
    """
    pages = DirectoryPages(directory)
    try:
        settings = {key: pages.identity.get(key) for key in COMPARABLE}
        places = stored_addresses(pages.view)
        for row, (url, address) in zip(pages.index_rows(), places, strict=False):
            if len(row.sketch) != SKETCH_BYTES:
                method = settings["method"]
                raise InputError(
                    f"{directory}: its pages were judged by the method {method}, and an index "
                    "holds sketches of `verified`: give the directory itself to --against"
                )
            writer.add(row.id, row.payload.digest, url)
            writer.add_text(row, address)
            if shingles:
                hashes = Shingles(pages.catalog.shingles(row.id).hashes)
                writer.add_shingles(pack(writer.pages, hashes))
            if writer.pages % EVERY_PAGES == 0:
                told(writer.pages)
        runs = pages.view.meta(Meta.RUNS, [])
        complete = bool(runs) and not runs[-1].get("stopped", True)
        kind = CORPUS if INPUTS in pages.identity else CRAWL
        began = format_time(runs[0]["started_at"]) if runs else ""
        segment = Segment(str(directory), kind, writer.pages, settings, complete, began)
        return NewSegment(segment, writer)
    finally:
        pages.close()


def of_cdxj(
    name: str, lines: Iterable[bytes], writer: ColumnWriter, told: Callable[[int], None]
) -> NewSegment:
    """Return the payload digests of a CDXJ file's captures with status 200 or none.

    Lines are `SURT timestamp {"url": ..., "digest": ...}` (the CDXJ of pywb and Common Crawl);
    those that begin with `!` are the file's own header. Raises InputError, which names the line,
    for what is none of these.
    """
    kinds: set[str] = set()
    for number, line in enumerate(lines, 1):
        found = (
            None if line.isspace() or line.startswith(b"!") else _capture(f"{name}:{number}", line)
        )
        if found is None:
            continue
        url, digest = found
        kinds.add(_NAMES[len(digest)])
        if len(kinds) > 1:
            raise InputError(f"{name}:{number}: SHA-1 and SHA-256 in one file: split it by them")
        if writer.pages >= MOST_PAGES:
            raise InputError(f"{name}:{number}: more than {MOST_PAGES:,} captures: split the file")
        writer.add(min(number, 2**32 - 1), digest, url)
        if writer.pages % EVERY_PAGES == 0:
            told(writer.pages)
    if not kinds:
        raise InputError(f"{name}: no capture with status 200 has a digest, so there is no index")
    return NewSegment(
        Segment(name, DIGESTS, writer.pages, {"payload_hash": kinds.pop()}, True), writer
    )


def _capture(place: str, line: bytes) -> tuple[str, bytes] | None:
    """Return URL and digest of a capture; None for one that is no page, or has no digest."""
    try:
        fields: Any = orjson.loads(line[line.index(b"{") :])
        if str(fields.get("status") or 200) != "200" or not fields.get("digest"):
            return None
        return str(fields["url"]), _digest(fields["digest"])
    except (ValueError, KeyError, AttributeError, binascii.Error):
        raise InputError(
            f'{place}: no line of CDXJ with url and digest: SURT timestamp {{"url": ..., "digest": '
            '"sha1:..."}'
        ) from None


def _digest(text: str) -> bytes:
    """Return a digest in base32 or hexadecimal, with its algorithm's name before it or without."""
    value = text.rpartition(":")[2]
    if len(value) in (40, 64):
        digest = bytes.fromhex(value)
    else:
        value = value.rstrip("=")
        digest = base64.b32decode(value.upper() + "=" * (-len(value) % 8))
    if len(digest) not in _NAMES:
        raise ValueError("neither SHA-1 nor SHA-256")
    return digest
