"""What a body's first bytes say of its type, for servers that do not (WHATWG MIME Sniffing)."""

from __future__ import annotations

import re

SNIFF_BYTES = 1445
"""The resource header a browser looks at (MIME Sniffing section 5.2)."""

_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
"""Binary data bytes (section 3)."""

_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")

_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?[\t\n\x0c\r ]*<(?:!--|(?:!doctype\ html|html|head|script|iframe|h1|div|font"
    rb"|table|a|style|title|b|body|br|p|meta|link)[\t\n\x0c\r />])",
    re.IGNORECASE,
)
"""The patterns of section 7.1, and meta and link, with which terse pages begin."""

_XML_START = re.compile(rb"(?:\xef\xbb\xbf)?[\t\n\x0c\r ]*<\?xml", re.IGNORECASE)
_HTML_INSIDE = re.compile(rb"<html[\t\n\x0c\r />]", re.IGNORECASE)


def looks_textual(start: bytes) -> bool:
    """Whether bytes could be text in some encoding: a byte order mark, or no binary byte."""
    return start.startswith(_BYTE_ORDER_MARKS) or not _BINARY.search(start)


def sniff_media_type(start: bytes) -> str | None:
    """Return `text/html` or `text/plain` for a body's first SNIFF_BYTES, or None for the rest."""
    start = start[:SNIFF_BYTES]
    if _HTML_START.match(start):
        return "text/html"
    if _XML_START.match(start):
        return "text/html" if _HTML_INSIDE.search(start) else None
    return "text/plain" if looks_textual(start) else None
