"""Bytes to text: which encoding a page is in, and its text in that encoding.

Browsers believe the first declaration they meet: byte order mark, Content-Type header, <meta>. Here
declarations are heard in the same order, but one under which the bytes cannot be decoded loses to
one under which they can (`decode` says how), since a crawler has no user who would pick another
encoding from a menu. Labels mean what the WHATWG Encoding Standard says: `gb2312` is GB18030,
`iso-8859-1` is windows-1252.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from crawler.extract.characters.detect import (
    CONVINCING_SHARE,
    SAMPLE_BYTES,
    common_share,
    detect,
    sample,
)
from crawler.extract.characters.encodings import (
    SINGLE_BYTE,
    Attempt,
    decode_leniently,
    decode_strictly,
    lookup,
)
from crawler.extract.characters.prescan import PRESCAN_BYTES, prescan, xml_encoding

FALLBACK = "windows-1252"
"""Where nothing is declared and nothing detected, as in browsers of most locales."""

LATE_META_BYTES = 16_384
"""How far a <meta> is looked for when the first 1,024 bytes have none. Browsers find those with
their parser and start again."""

CONVINCING_BYTES = 4
"""Continuation bytes after which valid UTF-8 needs no declaration. GB2312 text passes as a UTF-8
sequence with odds of about one in eight a character, so four in a row by one in some thousands,
and real pages have hundreds."""

TOLERATED_ERRORS = 0.01
"""Undecodable bytes among a sample's non-ASCII characters that are taken for blemishes, such as
a character cut in half by the site's own software."""

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)
_XML_TYPES = ("application/xhtml+xml", "application/xml", "text/xml")
_MEANINGLESS = ("replacement", "x-user-defined")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A page's text and how it was come by."""

    text: str
    """Without byte order mark, NUL and lone surrogates."""
    encoding: str
    """WHATWG's name in lower case."""
    source: str
    """Who named it: `bom`, `header`, `meta` (or XML declaration), `detected`, or `fallback`."""
    errors: int = 0
    """U+FFFD in the text for bytes that could not be decoded."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """An encoding that a page was said to be in, and by whom: `bom`, `header` or `meta`."""

    encoding: str
    source: str


def decode(body: bytes, declared: str | None, media_type: str) -> Decoded:
    """Return the text of a page's `body`; `declared` is the charset of its Content-Type header.

    The encoding is the first that applies:

    1. a byte order mark's, or UTF-16 where its NUL bytes show it;
    2. UTF-8, where the bytes are valid UTF-8, not ASCII only, and either it is declared, or the
       evidence is overwhelming (CONVINCING_BYTES);
    3. the first declared one that decodes strictly, header before <meta>; but a single-byte label,
       under which nearly anything decodes, gives way to a <meta>, or to UTF-8 with blemishes, if
       the page reads better so;
    4. the declared one, or UTF-8, with the fewest errors, if they are few (TOLERATED_ERRORS);
    5. the detected one (`crawler.extract.characters.detect`);
    6. the declared one with the fewest errors; windows-1252 where none is declared.

    A character cut off at the end of the body is no error here, though it counts in `errors`.
    Text types other than HTML have no <meta>. Pure, linear in the size of the body, never raises.
    """
    choice, attempt = _choose(body, declarations(body, declared, media_type))
    attempt = attempt or decode_leniently(body, choice.encoding)
    text = attempt.text.removeprefix("\ufeff").replace("\0", "")
    return Decoded(text, choice.encoding, choice.source, attempt.errors)


def declarations(body: bytes, declared: str | None, media_type: str) -> tuple[Declaration, ...]:
    """Return what a page is said to be in, strongest first: the sniffing browsers do.

    Each encoding occurs once. Unknown labels and those that stand for no text are left out.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return (Declaration(encoding, "bom"),)
    named = (
        (lookup(declared.strip("\"' ")) if declared else None, "header"),
        (_declared_inside(body, media_type), "meta"),
    )
    sources: dict[str, str] = {}
    for name, source in named:
        if name and name not in _MEANINGLESS:
            sources.setdefault(name, source)
    return tuple(Declaration(encoding, source) for encoding, source in sources.items())


def _declared_inside(body: bytes, media_type: str) -> str | None:
    if media_type in _XML_TYPES and (encoding := xml_encoding(body[:PRESCAN_BYTES])):
        return encoding
    if media_type not in ("text/html", *_XML_TYPES):
        return None
    if early := prescan(body[:PRESCAN_BYTES]):
        return early
    head = body[:LATE_META_BYTES]
    return prescan(head) if b"charset" in head.lower() else None


def _choose(body: bytes, declared: tuple[Declaration, ...]) -> tuple[Declaration, Attempt | None]:
    """Return the encoding, and the text where choosing already made it."""
    if declared and declared[0].source == "bom":
        return declared[0], None
    if (wide := _utf16_by_nuls(body)) and (attempt := decode_strictly(body, wide)):
        return _named(wide, declared), attempt
    utf8 = decode_strictly(body, "utf-8")
    if utf8 and _speaks_for_itself(body, utf8, declared):
        return _named("utf-8", declared), utf8
    if utf8 and "\0" not in utf8.text:
        # Markup in UTF-16 has NUL bytes; without any, UTF-16 is a label in error.
        declared = tuple(d for d in declared if not d.encoding.startswith("utf-16"))
    if better := _reads_better(body, declared, utf8):
        return better, None
    for candidate in declared:
        if attempt := decode_strictly(body, candidate.encoding):
            return candidate, attempt
    return _with_errors(body, declared), None


def _utf16_by_nuls(body: bytes) -> str | None:
    """Tell UTF-16 without a mark: the NUL bytes of its ASCII all stand at even or at odd places."""
    start = body[:SAMPLE_BYTES]
    even, odd = start[::2].count(0), start[1::2].count(0)
    if max(even, odd) < max(3, len(start) // 50) or min(even, odd) * 20 > max(even, odd):
        return None
    return "utf-16be" if even > odd else "utf-16le"


def _speaks_for_itself(body: bytes, utf8: Attempt, declared: tuple[Declaration, ...]) -> bool:
    continuation_bytes = len(body) - len(utf8.text)
    if any(d.encoding == "utf-8" for d in declared):
        return continuation_bytes > 0 or declared[0].encoding == "utf-8"
    return continuation_bytes >= CONVINCING_BYTES


def _reads_better(
    body: bytes, declared: tuple[Declaration, ...], utf8: Attempt | None
) -> Declaration | None:
    """Return what a header's single-byte label must give way to, blemishes allowed, if anything."""
    if not declared or declared[0].encoding not in SINGLE_BYTE:
        return None
    blemished = () if utf8 else (Declaration("utf-8", "detected"),)
    text = sample(body)
    shares = {each: common_share(text, each.encoding) for each in (*declared, *blemished)}
    best = max(shares, key=shares.__getitem__)
    clearly = shares[best] >= CONVINCING_SHARE and shares[best] > shares[declared[0]]
    return best if clearly else None


def _with_errors(body: bytes, declared: tuple[Declaration, ...]) -> Declaration:
    """Choose where no declared encoding decodes strictly, or none is declared."""
    text = sample(body)
    known = (*declared, Declaration("utf-8", "detected"))
    rates = {each: _error_rate(text, each.encoding) for each in known}
    best = min(known, key=rates.__getitem__)
    if text and rates[best] <= TOLERATED_ERRORS:
        return best
    if guess := detect(body):
        return _named(guess, declared)
    return min(declared, key=rates.__getitem__, default=Declaration(FALLBACK, "fallback"))


def _error_rate(text: bytes, encoding: str) -> float:
    attempt = decode_leniently(text, encoding)
    others = len(attempt.text) - len(attempt.text.encode("ascii", "ignore"))
    return attempt.errors / others if others else 0.0


def _named(encoding: str, declared: tuple[Declaration, ...]) -> Declaration:
    """Return the declaration of an encoding that was found out; `detected` if nobody made one."""
    unnamed = Declaration(encoding, "detected")
    return next((each for each in declared if each.encoding == encoding), unnamed)
