"""What a sitemap or a feed lists: the sitemaps protocol (sitemaps.org), RSS, RDF, Atom, and text.

XML is read as a stream by libxml2, which goes on behind mistakes. Nothing is expanded that a file
declares, and nothing is loaded from elsewhere, so neither entities nor external documents do harm.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from io import BytesIO
from itertools import islice, pairwise
from math import isfinite
from typing import Any

from crawler.models.pages import Listing, ListKind
from crawler.urls import MAX_URL_LENGTH

MOST_LISTED = 50_000
"""URLs read of one file, the first ones: what the protocol allows."""
MAX_BYTES = 50 * 1024 * 1024
"""Bytes read of one file once it is unpacked: what the protocol allows."""

MOST_MEMBERS = 1024
"""Of gzip in one file; tools that pack by blocks make one of 64 KiB or more."""

_GZIP = b"\x1f\x8b"
_PIECE_BYTES = 16 * 1024
"""Of a packed file that are read at once."""
_LOOKED_AT = 4_096
"""Bytes in which the root element must begin."""
_ROOT = re.compile(
    rb"<(?:[A-Za-z_][\w.-]*:)?(urlset|sitemapindex|rss|feed|RDF)(?=[\s>/])", re.IGNORECASE
)
_BARE_AMPERSAND = re.compile(rb"&(?!(?:[A-Za-z][A-Za-z0-9]*+|#[0-9]+|#[xX][0-9A-Fa-f]+);)")
"""Many files have queries as they are in URLs. A parser that goes on there leaves a part out."""
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*+<")
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_URL = re.compile(r"https?://\S+", re.IGNORECASE)
_USUAL_PRIORITY = 0.5
"""What a URL has that says nothing (sitemaps.org)."""

_KINDS = {
    b"urlset": ListKind.SITEMAP,
    b"sitemapindex": ListKind.INDEX,
    b"rss": ListKind.FEED,
    b"feed": ListKind.FEED,
    b"rdf": ListKind.FEED,
}


@dataclass(frozen=True, slots=True)
class _Entry:
    """One URL as it is written."""

    location: str
    priority: float = _USUAL_PRIORITY
    modified: float = 0.0
    """Unix time, 0 where the file does not say it."""


def listing(
    body: bytes, resolve: Callable[[str], str | None], *, plain: bool = False
) -> Listing | None:
    """Return what a file lists, packed by gzip or not; None where it is no such file.

    `resolve` gives a reference's canonical URL, or None. Text is a list of URLs, one in each line,
    only where `plain` says that such a list is expected. A file that is cut or broken lists what
    can be read of it.
    """
    data = _unpacked(body)
    if (root := _ROOT.search(data[:_LOOKED_AT].replace(b"\0", b""))) is not None:
        kind = _KINDS[root[1].lower()]
        entries: Iterable[_Entry] = _entries(data)
    elif plain and not _MARKUP.match(data) and not data.startswith(_WIDE):
        kind = ListKind.TEXT
        lines = map(str.strip, data.decode("utf-8-sig", "replace").splitlines())
        entries = (_Entry(line) for line in lines if _URL.fullmatch(line))
    else:
        return None
    may_be_urls = (entry for entry in entries if 0 < len(entry.location) <= MAX_URL_LENGTH)
    first = islice(may_be_urls, MOST_LISTED)
    urls: dict[str, None] = {}
    for entry in sorted(first, key=lambda entry: (-entry.priority, -entry.modified)):
        if (url := resolve(entry.location)) is not None:
            urls[url] = None
    if kind is ListKind.TEXT and not urls:
        return None
    return Listing(kind, tuple(urls))


def _unpacked(body: bytes) -> bytes:
    """Return what gzip (RFC 1952) packed, in however many members, as much as may be read.

    Of a file that is cut or damaged it is all up to there; what follows a member and is none, is
    padding.
    """
    if not body.startswith(_GZIP):
        return body[:MAX_BYTES]
    data, at = bytearray(), 0
    for _ in range(MOST_MEMBERS):
        if not body.startswith(_GZIP, at):
            break
        unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        while at < len(body) and not unpacker.eof and (left := MAX_BYTES - len(data)) > 0:
            piece, before = body[at : at + _PIECE_BYTES], unpacker.copy()
            try:
                data += unpacker.decompress(piece, left)
            except zlib.error:
                return bytes(data + _up_to_damage(before, piece, left))
            at += len(piece) - len(unpacker.unused_data) - len(unpacker.unconsumed_tail)
    return bytes(data)


def _up_to_damage(unpacker: Any, piece: bytes, left: int) -> bytes:
    """Return what comes of a piece before its damage: zlib keeps what it has made by then."""
    data = bytearray()
    for byte in piece:
        try:
            data += unpacker.decompress(bytes((byte,)), max(1, left - len(data)))
        except zlib.error:
            break
    return bytes(data[:left])


def _entries(data: bytes) -> Iterator[_Entry]:
    """Return the entries of a file in XML, but for a last one that is cut within its text."""
    whole = data.rstrip(b"\0\t\n\r ").endswith(b">")
    entries = _closed(data if b"\0" in data[:4] else _BARE_AMPERSAND.sub(b"&amp;", data))
    return entries if whole else (entry for entry, _ in pairwise(entries))


def _closed(data: bytes) -> Iterator[_Entry]:
    """Yield the entries, up to where nothing can be made of the file any more.

    Whatever is open at its end is taken for closed there.
    """
    from lxml import etree  # what reads pages has loaded it

    found = etree.iterparse(
        BytesIO(data),
        events=("end",),
        recover=True,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
    )
    try:
        for _, element in found:
            name = _name(element.tag)
            if name in _READERS:
                yield _READERS[name](element)
                # Let go of it and of all before it, or a file would be in memory as a tree.
                element.clear()
                parent = element.getparent()
                while parent is not None and parent[0] is not element:
                    del parent[0]
    except etree.XMLSyntaxError:
        return


def _name(tag: object) -> str:
    """Return an element's name without its namespace, which many files get wrong."""
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def _said(element: Any) -> dict[str, str]:
    """Return what the children of an entry say, by name; of several the first.

    One with entities that the file declares says nothing: its text without them is another one.
    """
    said: dict[str, str] = {}
    for child in element:
        name, text = _name(child.tag), (child.text or "").strip()
        if name and text and not len(child):
            said.setdefault(name, text)
    return said


def _of_sitemap(element: Any) -> _Entry:
    said = _said(element)
    priority = _priority(said.get("priority"))
    return _Entry(said.get("loc", ""), priority, _moment(said.get("lastmod")))


def _of_feed(element: Any) -> _Entry:
    """Read an item of RSS or RDF, where a page's address is a `link`, or an entry of Atom.

    There it is in an attribute, of the link with no relation or `alternate` (RFC 4287 4.2.7.2).
    """
    said = _said(element)
    links = [child for child in element if _name(child.tag) == "link"]
    written = [
        link.get("href", "") for link in links if link.get("rel", "alternate") == "alternate"
    ]
    address = next(filter(None, written), "") or said.get("link", "")
    at = next(filter(None, map(said.get, ("updated", "pubdate", "date", "published"))), None)
    return _Entry(address.strip(), modified=_moment(at))


_READERS: dict[str, Callable[[Any], _Entry]] = {
    "url": _of_sitemap,
    "sitemap": _of_sitemap,
    "item": _of_feed,
    "entry": _of_feed,
}
"""By the name of what holds one URL."""


def _priority(written: str | None) -> float:
    try:
        priority = float(written or _USUAL_PRIORITY)
    except ValueError:
        return _USUAL_PRIORITY
    return priority if isfinite(priority) and 0 <= priority <= 1 else _USUAL_PRIORITY


def _moment(written: str | None) -> float:
    """Return a W3C date (ISO 8601) or one of RFC 822 as Unix time, 0 where it is none."""
    if written is None:
        return 0.0
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            found = read(written)
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return 0.0
