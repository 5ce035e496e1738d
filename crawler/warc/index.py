"""A line of a CDXJ index: key, time, and where a record is, as pywb and others read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crawler.printing import json_of
from crawler.records import Capture
from crawler.warc.keys import surt
from crawler.warc.records import Record, warc_date

_REVISIT = "warc/revisit"
"""What an index says in place of a type, of a record without its own body."""


def index_line(
    capture: Capture, record: Record, filename: str, offset: int, length: int, *, revisit: bool
) -> str:
    """Return the line of a response or revisit, without its end.

    `offset` and `length` are those of its gzip member, in bytes. Times have seconds, as indexes
    have them; the record has more.
    """
    time = "".join(character for character in warc_date(capture.at)[:19] if character.isdigit())
    found = {
        "url": capture.url,
        "mime": _REVISIT if revisit else _media_type(capture),
        "status": str(capture.status),
        "digest": record.payload_digest or "-",
        "length": str(length),
        "offset": str(offset),
        "filename": filename,
    }
    return f"{surt(capture.url)} {time} {json_of(found).decode()}"


def is_revisit(entry: Mapping[str, Any]) -> bool:
    """Whether what a line says of a record says that it has no body of its own."""
    return bool(entry["mime"] == _REVISIT)


def _media_type(capture: Capture) -> str:
    for name, value in capture.headers:
        if name.lower() == b"content-type":
            found = value.partition(b";")[0].strip().decode("ascii", "replace").lower()
            return found or "unk"
    return "unk"
