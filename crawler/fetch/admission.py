"""What a response's status, headers and first bytes decide, before its body is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

import ada_url
from multidict import CIMultiDictProxy

from crawler.fetch.trouble import Trouble, translate
from crawler.models import Failure, Validators

REDIRECTS = frozenset({301, 302, 303, 307, 308})
MULTIPLE_CHOICES = 300
"""A redirect where it has a Location (RFC 9110 15.4.1), as browsers take it."""
NOT_MODIFIED = 304
NO_CONTENT = frozenset({204, 205, NOT_MODIFIED})
PARTIAL = 206
"""We send no Range (RFC 9110 15.3.7), so a partial answer is a mistake and half a page."""

ACCEPTED_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/plain"})
LISTING_TYPES = frozenset(
    {
        "application/xml",
        "text/xml",
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
        "application/gzip",
        "application/x-gzip",
    }
)
"""Types of sitemaps and feeds, which a seed may be; many servers have others for these."""

ROBOTS_TAG = "x-robots-tag"
KEPT_HEADERS = (
    "content-language",
    "content-type",
    "etag",
    "last-modified",
    "link",
    "refresh",
    ROBOTS_TAG,
)
"""Response headers that later stages or a later visit need."""

MAX_VALUE = 16_384
"""Characters of a field's values together that are looked at; what real ones say fits in one."""

_ESSENCE = re.compile(
    r"[\t\n\r ]*([a-z0-9!#$%&'*+.^_`|~-]+/[a-z0-9!#$%&'*+.^_`|~-]+)", re.IGNORECASE
)
_CHARSET = re.compile(
    r"""[;,][\t\n\r ]*charset[\t ]*=[\t ]*(?:"([^"]*)"|'([^']*)'|([^;,"'\s]+))""", re.IGNORECASE
)
_VISIBLE = re.compile(r"[\x20-\x7e]+")
_DIGITS = re.compile(r"[0-9]+")

SNIFF_BYTES = 1445
"""The resource header a browser looks at, to sniff a type (WHATWG MIME Sniffing 5.2)."""

_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
"""Binary data bytes (MIME Sniffing 3)."""

_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")

_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?[\t\n\x0c\r ]*<(?:!--|(?:!doctype\ html|html|head|script|iframe|h1|div|font"
    rb"|table|a|style|title|b|body|br|p|meta|link)[\t\n\x0c\r />])",
    re.IGNORECASE,
)
"""The patterns of MIME Sniffing 7.1, and meta and link, with which terse pages begin."""

_XML_START = re.compile(rb"(?:\xef\xbb\xbf)?[\t\n\x0c\r ]*<\?xml", re.IGNORECASE)
_HTML_INSIDE = re.compile(rb"<html[\t\n\x0c\r />]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ContentType:
    """A Content-Type, read tolerantly; `media_type` is None where the server gave none."""

    media_type: str | None
    charset: str | None


def content_type(headers: CIMultiDictProxy[str]) -> ContentType:
    """Return the last usable Content-Type, as browsers do (Fetch standard, "extract a MIME type").

    Letter case, quotes, stray parameters and missing spaces are tolerated; the charset is as sent,
    in lower case, and need not name an encoding.
    """
    found = ContentType(None, None)
    for value in headers.getall("content-type", ()):
        essence = _ESSENCE.match(value)
        if essence:
            match = _CHARSET.search(value)
            label = "".join(match.groups(default="")) if match else ""
            charset = _clean(label).strip().lower() or None
            found = ContentType(essence.group(1).lower(), charset)
    return found


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


def is_redirect(status: int, headers: CIMultiDictProxy[str]) -> bool:
    """Whether a response says that the page is elsewhere; its Location may be missing or bad."""
    return status in REDIRECTS or (status == MULTIPLE_CHOICES and bool(headers.get("location")))


def check_status(
    status: int, headers: CIMultiDictProxy[str], now: float, max_retry_after_s: float
) -> None:
    """Raise Trouble unless the status is a page's, a redirect's or that of an answer without body.

    Server errors, 408 and 429 carry the server's Retry-After, at most `max_retry_after_s`.
    """
    if is_redirect(status, headers) or status in NO_CONTENT:
        return
    if 200 <= status < 300 and status != PARTIAL:
        return
    wait_s = None
    if status >= 500 or status in (408, 429):
        # A date is by the server's clock, and so is that of the response.
        sent_at = _moment(headers.get("date", ""))
        now = now if sent_at is None else sent_at
        wait_s = retry_after_s(headers.get("retry-after"), now, max_retry_after_s)
    classes = {4: Failure.HTTP_CLIENT_ERROR, 5: Failure.HTTP_SERVER_ERROR}
    failure = classes.get(status // 100, Failure.HTTP_UNEXPECTED)
    failure = Failure.HTTP_RATE_LIMITED if status == 429 else failure
    raise Trouble(failure, f"HTTP status {status}", status, wait_s)


def retry_after_s(value: str | None, now: float, limit_s: float) -> float | None:
    """Return a Retry-After (seconds or HTTP-date, RFC 9110 10.2.3) as seconds in [0, limit_s].

    `now` is Unix time; None for a missing or unreadable value.
    """
    if value is None:
        return None
    text = value.strip()
    if _DIGITS.fullmatch(text):
        # Python refuses to read integers of thousands of digits; none that long is below a limit.
        return min(float(text[:15]), limit_s)
    moment = _moment(text)
    return None if moment is None else min(max(0.0, moment - now), limit_s)


def _moment(text: str) -> float | None:
    """Return an HTTP-date as Unix time, None where it is none."""
    try:
        date = parsedate_to_datetime(text)
        # A date in "-0000" comes without a zone and means UTC (RFC 5322 3.3).
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except Exception:  # whatever a parser of dates makes of it
        return None


def conditions(known: Validators | None) -> dict[str, str]:
    """Return the header fields that ask for a page only if it has changed (RFC 9110 13.1).

    Both where both are known: who knows entity tags then ignores the date (13.1.3). What was not
    sent in visible ASCII is not sent back.
    """
    if known is None:
        return {}
    fields = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    return {name: value for name, value in fields.items() if value and _VISIBLE.fullmatch(value)}


def kept(headers: CIMultiDictProxy[str]) -> Mapping[str, str]:
    """Return the headers in KEPT_HEADERS, repeated fields joined by a comma (RFC 9110 5.2).

    X-Robots-Tag is joined by line ends: each field may speak to another agent. Of each, at most
    MAX_VALUE characters are kept.
    """
    return {
        name: _clean(joined(headers, name, "\n" if name == ROBOTS_TAG else ", "))
        for name in KEPT_HEADERS
        if name in headers
    }


def named(headers: CIMultiDictProxy[str], names: Iterable[str]) -> Mapping[str, str] | None:
    """Return the headers that a job asks for by name, as in `kept`; None where it asks for none."""
    if not names:
        return None
    return {name: _clean(joined(headers, name)) for name in names if name in headers}


def joined(headers: CIMultiDictProxy[str], name: str, separator: str = ", ") -> str:
    """Return the values of a field as one (RFC 9110 5.2), at most MAX_VALUE characters of it."""
    return separator.join(headers.getall(name, ()))[:MAX_VALUE]


def resolve_location(location: str | None, base: str) -> str:
    """Return a Location as an absolute URL without fragment and user info, not yet canonical.

    Bytes outside ASCII are percent-encoded as they came, whatever charset they were meant in.
    Raises Trouble(REDIRECT_INVALID) for a missing, empty or unparsable one.
    """
    if not location:
        raise Trouble(Failure.REDIRECT_INVALID, "a redirect without Location")
    raw = location.encode("utf-8", "surrogateescape")
    text = "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in raw)
    try:
        url = ada_url.URL(text, base)
    except ValueError:
        raise Trouble(Failure.REDIRECT_INVALID, f"Location: {location}") from None
    except Exception as error:
        raise translate(error) from error
    url.hash = ""
    if url.username or url.password:  # or aiohttp would log in with them
        url.username = url.password = ""
    return url.href


def content_length(headers: CIMultiDictProxy[str]) -> int | None:
    """Return the announced body size in bytes, or None."""
    value = headers.get("content-length", "").strip()
    return int(value) if _DIGITS.fullmatch(value) and len(value) < 20 else None


def _clean(value: str) -> str:
    # aiohttp hands bytes that are not UTF-8 on as lone surrogates, which no encoder takes.
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
