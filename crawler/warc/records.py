"""The records of an archive: named fields, a block of bytes, digests of both it and its payload.

Digests are SHA-1 in base32, which every tool writes and reads: FastWARC 2.0 and warcio 1.8 take the
SHA-256 of our lines, in base32 without padding, for false ones. No verdict rests on them.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from crawler.printing import json_of
from crawler.records import ArchivedPayload, Capture
from crawler.warc.http import request_message, response_head

LEVEL = 6
"""Of zlib. On 150 pages of PostgreSQL's manual level 9, which warcio always takes, saves 4 bytes in
a thousand and takes 1.4 times the CPU (`python -m benchmarks.archives`)."""

_PIECE = 1 << 16
"""Bytes that are compressed at once; zlib lets other threads run meanwhile."""
_HEAD_BYTES = 1 << 16
"""Of a record that are looked through for the end of its head."""
_PROFILES = "http://netpreserve.org/warc/1.1/revisit/"
NOT_MODIFIED = 304
"""RFC 9110 15.4.5."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record; `head` is all before the block."""

    id: str
    head: bytes
    block: tuple[bytes, ...]
    payload_digest: str = ""

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes of the record."""
        yield self.head
        yield from self.block
        yield b"\r\n\r\n"


def gzipped(record: Record) -> bytes:
    """Return a record as one gzip member (WARC/1.1, annex D)."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    packed = bytearray()
    for piece in record.pieces():
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

    The payload is the body as it was read (`crawler.warc.http`), and so is its digest.
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
