"""What a page's first bytes say of its own encoding: <meta>, XML declaration, nothing else.

The prescan of the HTML standard ("prescan a byte stream to determine its encoding", section
13.2.3.2), step by step. It reads bytes that are not yet text, so it knows no scripts, no styles and
no text content: a <meta> inside a script counts, as it does in browsers.
"""

from __future__ import annotations

import re

from crawler.extract.characters.encodings import lookup

PRESCAN_BYTES = 1024
"""How much of a page the standard's prescan looks at."""

_SPACE = rb"\t\n\x0c\r\x20"
_META = re.compile(rb"<meta(?=[%s/])" % _SPACE, re.IGNORECASE)
_TAG = re.compile(rb"</?[A-Za-z][^%s>]*" % _SPACE)
_SEPARATORS = re.compile(rb"[%s/]*" % _SPACE)
_ATTRIBUTE = re.compile(
    rb"""([^%(s)s/>][^%(s)s/>=]*)
         (?: [%(s)s]* = [%(s)s]*
             (?: "([^"]*)(?:"|\Z) | '([^']*)(?:'|\Z) | ([^%(s)s>"'][^%(s)s>]*) | (?=>) | \Z ) )?
    """
    % {b"s": _SPACE},
    re.VERBOSE,
)
_CONTENT_CHARSET = re.compile(rb"charset[%(s)s]*=[%(s)s]*" % {b"s": _SPACE})
_CONTENT_LABEL = re.compile(rb""""([^"]*)"|'([^']*)'|([^"';%(s)s][^;%(s)s]*)""" % {b"s": _SPACE})
_XML_ENCODING = re.compile(
    rb"""<\?xml [^>]*? encoding [\x00-\x20]* = [\x00-\x20]*
         (?: "([^">\x00-\x20]*)" | '([^'>\x00-\x20]*)' ) [^>]*>""",
    re.VERBOSE,
)


class _OutOfBytes(Exception):
    """The standard's "abort": what was read ends inside a tag, so nothing can be said of it."""


def prescan(data: bytes) -> str | None:
    """Return the encoding that `data`, the start of an HTML page, declares, or None.

    The name is WHATWG's, in lower case. UTF-16 in a <meta> means UTF-8 and x-user-defined means
    windows-1252, as the standard says. Linear in the length of `data`; the standard's end condition
    is given by passing no more than PRESCAN_BYTES.
    """
    if data.startswith(b"<\0?\0x\0"):
        return "utf-16le"
    if data.startswith(b"\0<\0?\0x"):
        return "utf-16be"
    try:
        found = _scan(data)
    except _OutOfBytes:
        found = None
    return found or xml_encoding(data)


def xml_encoding(data: bytes) -> str | None:
    """Return the encoding named by an XML declaration at the very start of `data`, or None."""
    match = _XML_ENCODING.match(data)
    return _in_band(lookup(match[1] or match[2])) if match else None


def _scan(data: bytes) -> str | None:
    position = data.find(b"<")
    while position >= 0:
        if data.startswith(b"<!--", position):
            # The two hyphens may be those that open the comment: <!--> is a whole one.
            position = _find(b"-->", data, position + 2) + 2
        elif match := _META.match(data, position):
            encoding, position = _meta(data, match.end())
            if encoding:
                return encoding
        elif match := _TAG.match(data, position):
            _, position = _attributes(data, match.end())
        elif data.startswith((b"<!", b"</", b"<?"), position):
            position = _find(b">", data, position)
        position = data.find(b"<", position + 1)
    return None


def _find(what: bytes, data: bytes, position: int) -> int:
    position = data.find(what, position)
    if position < 0:
        raise _OutOfBytes
    return position


def _meta(data: bytes, position: int) -> tuple[str | None, int]:
    """Return what one <meta> declares, and where it ends; `position` is behind its name."""
    attributes, position = _attributes(data, position)
    label = attributes.get(b"charset")
    if label is None and attributes.get(b"http-equiv") == b"content-type":
        label = content_label(attributes.get(b"content", b""))
    return _in_band(lookup(label)), position


def _attributes(data: bytes, position: int) -> tuple[dict[bytes, bytes], int]:
    """Return a tag's attributes in lower case, the first of each name, and where they end."""
    attributes: dict[bytes, bytes] = {}
    while True:
        separators = _SEPARATORS.match(data, position)
        position = separators.end() if separators else position
        match = _ATTRIBUTE.match(data, position)
        if match is None and position < len(data):
            return attributes, position
        if match is None or match.end() == len(data):
            raise _OutOfBytes
        name, *values = match.groups(default=b"")
        attributes.setdefault(name.lower(), b"".join(values).lower())
        position = match.end()


def content_label(content: bytes) -> bytes | None:
    """Return the charset label inside a lower-case `content` value, or None.

    The standard's "extract a character encoding from a meta element" (HTML, section 2.5.5); an
    unmatched quote means no label.
    """
    start = _CONTENT_CHARSET.search(content)
    label = _CONTENT_LABEL.match(content, start.end()) if start else None
    return b"".join(label.groups(default=b"")) if label else None


def _in_band(encoding: str | None) -> str | None:
    """What a name means inside a page: its ASCII was readable, so it cannot be UTF-16."""
    if encoding in ("utf-16le", "utf-16be"):
        return "utf-8"
    return "windows-1252" if encoding == "x-user-defined" else encoding
