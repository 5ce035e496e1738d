"""An exchange as HTTP messages, as they stand in records.

A body is kept as it was read: without Transfer-Encoding and Content-Encoding. What the server said
of these, and a length that was another, is kept under another name, as Common Crawl does, so that a
reader takes the body for what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from crawler.records import Capture

RENAMED = b"X-Crawler-"
"""Put before the names of fields that speak of the body as it travelled; Common Crawl's name."""
_OF_TRAVEL = frozenset({b"content-encoding", b"transfer-encoding"})
_LENGTH = b"content-length"
_SECRET = frozenset({"authorization", "cookie", "proxy-authorization"})
"""Fields of a request that let others speak for whoever sent it."""
_NOT_MODIFIED = 304
"""Its Content-Length would be that of a body which it has not (RFC 9110 8.6)."""
_LINE_ENDS = re.compile(rb"[\r\n\0]+")


def request_message(capture: Capture) -> bytes:
    """Return the request as it was sent, without credentials; it has no body."""
    lines = [f"GET {capture.target} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in capture.request if not _is_secret(name)]
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape")


def response_head(capture: Capture) -> bytes:
    """Return a response's status line and fields, in the order and letter case as sent."""
    reason = capture.reason.encode("utf-8", "surrogateescape")
    first = _one_line(f"HTTP/{capture.version} {capture.status} ".encode() + reason)
    return b"\r\n".join([first, *_fields(capture), b"", b""])


def _fields(capture: Capture) -> Iterator[bytes]:
    size = b"%d" % len(capture.body)
    told = False
    for name, value in capture.headers:
        field = name.lower()
        if field == _LENGTH and value.strip() == size and not told:
            told = True
        elif field in _OF_TRAVEL or field == _LENGTH:
            name = RENAMED + name
        yield _one_line(name + b": " + value)
    if not told and capture.status != _NOT_MODIFIED:
        yield b"Content-Length: " + size


def _is_secret(name: str) -> bool:
    return name.lower() in _SECRET


def _one_line(line: bytes) -> bytes:
    """Return a line without line ends in it: a field must not become two."""
    return _LINE_ENDS.sub(b" ", line)
