"""Records of WARC/1.1 (ISO 28500:2017) made from what was exchanged with servers; pure functions.

A record has named fields, a block of bytes, and digests of both it and its payload: SHA-1 in
base32, which every tool writes and reads. FastWARC 2.0 and warcio 1.8 take the SHA-256 of our
lines, in base32 without padding, for false ones. No verdict rests on them.

A body is kept as it was read: without Transfer-Encoding and Content-Encoding. What the server said
of these, and a length that was another, is kept under another name, as Common Crawl does, so that a
reader takes the body for what it is.

A line of the CDXJ index has a key, a time, and where a record is, as pywb and others read it. The
key is the SURT (Sort-friendly URI Reordering Transform) of the Internet Archive's tools: the host
reversed, `www.` and scheme left out, all in lower case, the parts of a query in order, session ids
gone. What comes here is canonical by the URL standard already (`crawler.urls`).
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit
from uuid import uuid4

from crawler.console import json_of
from crawler.models import ArchivedPayload, Capture

_WWW = re.compile(r"www\d*\.")
_SLASHES = re.compile(rb"/{2,}")
_SESSION = re.compile(
    rb"(?:(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24})\Z"
)
"""At the end of a part of a query in lower case."""
_ID, _TOKEN = b"cfid=", b"cftoken="
_MOST_ROUNDS = 8
"""In which `%25` may become `%`; tools go on for ever, which takes time in the square."""
_KEPT = frozenset(range(0x21, 0x7F)) - frozenset(b"#%")
_ESCAPED = {byte: bytes([byte]) if byte in _KEPT else b"%%%02x" % byte for byte in range(256)}


def surt(url: str) -> str:
    """Return the key of a canonical http(s) URL, such as `com,example)/a?b=1`."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if www := _WWW.match(host):
        host = host[www.end() :]
    placed = "" if parts.port is None else f":{parts.port}"
    path = _SLASHES.sub(b"/", _folded(parts.path)) or b"/"
    if len(path) > 1:
        path = path.removesuffix(b"/")
    queried = _without_sessions(_folded(parts.query)).split(b"&")
    query = b"&".join(map(b"=".join, sorted(part.split(b"=", 1) for part in queried)))
    reversed_ = ",".join(reversed(host.split(".")))
    asked = f"?{query.decode('ascii')}" if query else ""
    return f"{reversed_}{placed}){path.decode('ascii')}{asked}"


def _without_sessions(query: bytes) -> bytes:
    """Return a query without session ids, each with the `&` behind it.

    Part by part, so that each is looked at once: a session of ColdFusion is two of them, and an
    expression that finds it anywhere looks for its second part from each begin of the first.
    """
    parts = query.split(b"&")
    left, at = bytearray(), 0
    while at < len(parts):
        part, following = parts[at], b"".join(parts[at + 1 : at + 2])
        session = _SESSION.search(part)
        end = session.start() if session else len(part)
        begun = part.find(_ID, 0, end)
        is_pair = 0 <= begun < len(part) - len(_ID) and len(following) > len(_TOKEN)
        is_pair = is_pair and following.startswith(_TOKEN)
        left += part[: begun if is_pair else end]
        at += 2 if is_pair else 1
        if not (session or is_pair) and at < len(parts):
            left += b"&"
    return bytes(left)


def _folded(text: str) -> bytes:
    """Return a part of a URL in lower case, with nothing escaped but what must be."""
    folded = text.encode("utf-8", "surrogateescape")
    for _ in range(_MOST_ROUNDS):
        plain = unquote_to_bytes(folded)
        if plain == folded:
            break
        folded = plain
    return b"".join(map(_ESCAPED.__getitem__, folded)).lower()


RENAMED = b"X-Crawler-"
"""Put before the names of fields that speak of the body as it travelled; Common Crawl's name."""
_OF_TRAVEL = frozenset({b"content-encoding", b"transfer-encoding"})
_LENGTH = b"content-length"
_SECRET = frozenset({"authorization", "cookie", "proxy-authorization"})
"""Fields of a request that let others speak for whoever sent it."""
NOT_MODIFIED = 304
"""RFC 9110 15.4.5; its Content-Length would be that of a body which it has not (8.6)."""
_LINE_ENDS = re.compile(rb"[\r\n\0]+")


def request_message(capture: Capture) -> bytes:
    """Return the request as it was sent, without credentials; it has no body."""
    lines = [f"GET {capture.target} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in capture.request if name.lower() not in _SECRET]
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape")


def response_head(capture: Capture) -> bytes:
    """Return a response's status line and fields, in the order and letter case as sent."""
    reason = capture.reason.encode("utf-8", "surrogateescape")
    lines = [_one_line(f"HTTP/{capture.version} {capture.status} ".encode() + reason)]
    size, told = b"%d" % len(capture.body), False
    for name, value in capture.headers:
        field = name.lower()
        if field == _LENGTH and value.strip() == size and not told:
            told = True
        elif field in _OF_TRAVEL or field == _LENGTH:
            name = RENAMED + name
        lines.append(_one_line(name + b": " + value))
    if not told and capture.status != NOT_MODIFIED:
        lines.append(b"Content-Length: " + size)
    return b"\r\n".join([*lines, b"", b""])


def _one_line(line: bytes) -> bytes:
    """Return a line without line ends in it: a field must not become two."""
    return _LINE_ENDS.sub(b" ", line)


LEVEL = 6
"""Of zlib. On 150 pages of PostgreSQL's manual level 9, which warcio always takes, saves 4 bytes in
a thousand and takes 1.4 times the CPU (`python -m benchmarks.archives`)."""

_PIECE = 1 << 16
"""Bytes that are compressed at once; zlib lets other threads run meanwhile."""
_HEAD_BYTES = 1 << 16
"""Of a record that are looked through for the end of its head."""
_PROFILES = "http://netpreserve.org/warc/1.1/revisit/"


@dataclass(frozen=True, slots=True)
class Record:
    """One record; `head` is all before the block."""

    id: str
    head: bytes
    block: tuple[bytes, ...]
    payload_digest: str = ""


def place(filename: str, offset: int, record_id: str) -> dict[str, Any]:
    """Return the fields by which a line names its record."""
    return {"warc_filename": filename, "warc_offset": offset, "warc_record_id": record_id or None}


def gzipped(record: Record) -> bytes:
    """Return a record as one gzip member (WARC/1.1, annex D)."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    packed = bytearray()
    for piece in (record.head, *record.block, b"\r\n\r\n"):
        with memoryview(piece) as view:
            for start in range(0, len(view), _PIECE):
                packed += packer.compress(view[start : start + _PIECE])
    return bytes(packed + packer.flush())


def warc_date(at: float) -> str:
    """Return Unix seconds as WARC/1.1 writes them (5.4): UTC, here with microseconds."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def warcinfo(filename: str, at: float, fields: Mapping[str, str]) -> Record:
    """Return the record at the head of a file: what made it."""
    body = "".join(f"{name}: {' '.join(value.split())}\r\n" for name, value in fields.items())
    named = {"WARC-Filename": filename, "Content-Type": "application/warc-fields"}
    return _record("warcinfo", at, named, (body.encode("utf-8", "replace"),))


def response(capture: Capture, info: str) -> Record:
    """Return what a server said; `info` is the id of the file's warcinfo record.

    The payload is the body as it was read, and its digest is of that.
    """
    payload = _digest([capture.body])
    fields = {"WARC-Payload-Digest": payload}
    if capture.truncated is not None:
        fields["WARC-Truncated"] = capture.truncated
    block = response_head(capture), capture.body
    return _exchanged("response", capture, info, fields, block, payload)


def revisit(capture: Capture, info: str, of: ArchivedPayload) -> Record:
    """Return the same where the body is that of an earlier record, `of`.

    Either it is so byte for byte (WARC/1.1 6.7.2), or the server says so by its status (6.7.3).
    """
    if capture.status == NOT_MODIFIED:
        # The payload is that of the earlier record: so is its digest, by which readers find it.
        fields, payload = {"WARC-Profile": f"{_PROFILES}server-not-modified"}, of.digest or ""
    else:
        profile, payload = f"{_PROFILES}identical-payload-digest", _digest([capture.body])
        fields = {"WARC-Profile": profile, "WARC-Truncated": "length"}
    if payload:
        fields["WARC-Payload-Digest"] = payload
    fields["WARC-Refers-To-Target-URI"] = of.url
    if of.date is not None:
        fields["WARC-Refers-To-Date"] = of.date
    return _exchanged("revisit", capture, info, fields, (response_head(capture),), payload)


def payload_of(packed: bytes) -> ArchivedPayload | None:
    """Return what the revisit at the begin of these bytes of a .warc.gz refers to.

    None where no revisit begins there.
    """
    try:
        head = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(packed, _HEAD_BYTES)
    except zlib.error:
        return None
    fields = named_fields(head.partition(b"\r\n\r\n")[0])
    if (url := fields.get("warc-refers-to-target-uri")) is None:
        return None
    return ArchivedPayload(
        url, fields.get("warc-refers-to-date"), fields.get("warc-payload-digest")
    )


def named_fields(head: bytes) -> dict[str, str]:
    """Return the fields of a record's head, by names in lower case."""
    lines = head.decode("utf-8", "replace").split("\r\n")[1:]
    parted = (line.partition(":") for line in lines)
    return {name.lower(): value.strip() for name, _, value in parted}


def request(capture: Capture, info: str, concurrent: Record) -> Record:
    """Return what was asked; `concurrent` is the record of the answer."""
    fields = {"WARC-Concurrent-To": concurrent.id}
    return _exchanged("request", capture, info, fields, (request_message(capture),))


def conversion(capture: Capture, info: str, of: Record) -> Record:
    """Return the page that a browser made of the response `of` (WARC/1.1 6.8)."""
    assert capture.rendered is not None
    url = capture.url + capture.route
    named = {"WARC-Target-URI": url, "WARC-Warcinfo-ID": info, "WARC-Refers-To": of.id}
    named["Content-Type"] = "text/html; charset=utf-8"
    return _record("conversion", capture.at, named, (capture.rendered,))


def metadata(capture: Capture, info: str, evidence: Mapping[str, object]) -> Record:
    """Return what was found of a page whose response is not kept, as JSON."""
    named = {"WARC-Target-URI": capture.url, "WARC-Warcinfo-ID": info}
    named["Content-Type"] = "application/json"
    return _record("metadata", capture.at, named, (json_of(evidence),))


def _exchanged(
    kind: str,
    capture: Capture,
    info: str,
    fields: Mapping[str, str],
    block: tuple[bytes, ...],
    payload: str = "",
) -> Record:
    said = "request" if kind == "request" else "response"
    named = {"WARC-Target-URI": capture.url, "WARC-Warcinfo-ID": info}
    if capture.address is not None:
        named["WARC-IP-Address"] = capture.address
    named |= fields
    named["Content-Type"] = f"application/http; msgtype={said}"
    return _record(kind, capture.at, named, block, payload)


def _record(
    kind: str, at: float, fields: Mapping[str, str], block: tuple[bytes, ...], payload: str = ""
) -> Record:
    id_ = f"<urn:uuid:{uuid4()}>"
    named = {"WARC-Type": kind, "WARC-Record-ID": id_, "WARC-Date": warc_date(at), **fields}
    named["WARC-Block-Digest"] = _digest(block)
    named["Content-Length"] = str(sum(map(len, block)))
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return Record(id_, f"WARC/1.1\r\n{head}\r\n".encode("utf-8", "replace"), block, payload)


def _digest(pieces: Iterable[bytes]) -> str:
    digest = hashlib.sha1(usedforsecurity=False)
    for piece in pieces:
        digest.update(piece)
    return f"sha1:{base64.b32encode(digest.digest()).decode('ascii')}"


_REVISIT = "warc/revisit"
"""What an index says in place of a type, of a record without its own body."""


def index_line(
    capture: Capture, record: Record, filename: str, offset: int, length: int, *, revisit: bool
) -> str:
    """Return the line of a response or revisit, without its end.

    `offset` and `length` are those of its gzip member, in bytes. Times have seconds, as indexes
    have them; the record has more.
    """
    types = (value for name, value in capture.headers if name.lower() == b"content-type")
    told = next(types, b"").partition(b";")[0].strip().decode("ascii", "replace").lower()
    time = "".join(character for character in warc_date(capture.at)[:19] if character.isdigit())
    found = {
        "url": capture.url,
        "mime": _REVISIT if revisit else told or "unk",
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
