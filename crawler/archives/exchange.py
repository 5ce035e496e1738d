"""What a record says, as a fetch of its URL would have ended: the same rules, the same values."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from multidict import CIMultiDict, CIMultiDictProxy

from crawler.archives.records import REVISIT, Record
from crawler.config import Job
from crawler.fetch import headers as rules
from crawler.fetch.encoding import ContentDecoder
from crawler.fetch.headers import ContentType
from crawler.fetch.trouble import Trouble, Unwanted
from crawler.records import (
    Failed,
    Failure,
    Fetched,
    FetchTask,
    Redirected,
    Skip,
    Skipped,
)
from crawler.urls import Canonicaliser, host_key

Outcome = Fetched | Redirected | Skipped | Failed

_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_WET_TYPE = "text/plain; charset=utf-8"
"""What texts made of pages are (WARC 1.1, 6.7: `conversion`), whatever their records say."""


class ExchangeReader:
    """Reads records by the settings of a job."""

    def __init__(self, job: Job) -> None:
        self._limits = job.fetch
        self._asked_headers = job.extract.headers
        self._canonicalise = Canonicaliser(frozenset(job.urls.tracking_parameters))

    def task(self, record: Record, number: int) -> FetchTask | None:
        """Return the URL of a record as a task; None where no crawl could have asked for it."""
        url = self._canonicalise(record.url)
        return None if url is None else FetchTask(number, url, host_key(url), 0, seed=True)

    def __call__(self, record: Record, task: FetchTask) -> Outcome:
        """Return how a fetch would have ended by which this was received; never raises."""
        at = _seconds(record.date)
        said = _WET_TYPE if record.type == "conversion" else record.content_type
        status, fields = record.http or (200, (("content-type", said),))
        headers = CIMultiDictProxy(CIMultiDict(fields))
        try:
            return self._exchanged(record, task, status, headers, at)
        except Trouble as trouble:
            return _failed(trouble, task, at)
        except Unwanted as unwanted:
            return Skipped(task, unwanted.reason, unwanted.detail, at)

    def _exchanged(
        self,
        record: Record,
        task: FetchTask,
        status: int,
        headers: CIMultiDictProxy[str],
        at: float,
    ) -> Outcome:
        if record.type == "response" and record.http is None:
            raise Trouble(Failure.PROTOCOL, "the record holds no HTTP message")
        rules.check_status(status, headers, at, 0.0)
        if rules.is_redirect(status, headers):
            target = self._canonicalise(headers.get("location", ""), task.url)
            if target is None or "location" not in headers:
                raise Trouble(Failure.REDIRECT_INVALID, "leads to no URL", status)
            return Redirected(task, status, target, at)
        if record.type == REVISIT:
            return _visited_again(task, status, at)
        if status in rules.NO_CONTENT:
            raise Unwanted(Skip.NO_CONTENT, f"HTTP status {status}")
        kind = rules.content_type(headers)
        if kind.media_type is not None and kind.media_type not in rules.ACCEPTED_TYPES:
            raise Unwanted(Skip.CONTENT_TYPE, kind.media_type)
        sent = record.too_large or len(record.body)
        if sent > self._limits.max_wire_bytes:
            raise Unwanted(Skip.TOO_LARGE, f"{sent} bytes")
        if record.truncated is not None:
            raise Trouble(Failure.TRUNCATED, f"WARC-Truncated: {record.truncated}", status)
        body, unknown = self._body(record, headers)
        return Fetched(
            task=task,
            final_url=task.url,
            status=status,
            media_type=_kind(kind, body).media_type or "",
            charset=kind.charset,
            headers=rules.kept(headers),
            asked_headers=rules.named(headers, self._asked_headers),
            body=body,
            wire_bytes=sent,
            fetched_at=at,
            elapsed_s=0.0,
            unknown_encoding=unknown,
        )

    def _body(self, record: Record, headers: CIMultiDictProxy[str]) -> tuple[bytes, str | None]:
        """Return a body without its codings, and a coding that nobody knows."""
        limit, sent = self._limits.max_body_bytes, record.body
        transfer = rules.joined(headers, "transfer-encoding")
        if transfer.lower().rstrip().endswith("chunked"):
            sent = unchunked(sent)
        decoder = ContentDecoder(rules.joined(headers, "content-encoding"), limit, transfer)
        pieces, size = [], 0
        for part in (decoder.feed(sent), decoder.finish()):
            for piece in part:
                pieces.append(piece)
                size += len(piece)
                if size > limit:
                    raise Unwanted(Skip.TOO_LARGE, f"more than {limit} bytes")
        body = b"".join(pieces)
        if not body and "refresh" not in headers:
            raise Unwanted(Skip.NO_CONTENT, "empty body")
        return body, decoder.unknown


def unchunked(body: bytes) -> bytes:
    """Return a chunked body (RFC 9112 7.1) without its framing; Trouble where that breaks off.

    Many archives hold bodies whose chunks were undone, with the field that speaks of them: what
    does not begin with a chunk is returned as it is.
    """
    pieces: list[bytes] = []
    at = 0
    while (size := _CHUNK_SIZE.match(body, at)) is not None:
        length = int(size[1], 16)
        if not length:
            return b"".join(pieces)
        end = size.end() + length
        pieces.append(body[size.end() : end])
        at = end + (2 if body[end : end + 2] == b"\r\n" else 1)
        if end > len(body):
            break
    if not pieces:
        return body
    raise Trouble(Failure.TRUNCATED, "the chunked body stops before its end")


def _visited_again(task: FetchTask, status: int, at: float) -> Skipped:
    """Return the end of a page that the server called unmodified, as a recrawl ends it.

    Raises Trouble for any other whose payload could not be read.
    """
    if status == rules.NOT_MODIFIED:
        return Skipped(task, Skip.UNCHANGED, f"HTTP status {status}", at)
    raise Trouble(Failure.TRUNCATED, "the body that it refers to cannot be read", status)


def _failed(trouble: Trouble, task: FetchTask, at: float) -> Failed:
    failed = trouble.failed(task, at)
    assert isinstance(failed, Failed)  # others are this machine's, as it asks the network
    return failed


def _kind(kind: ContentType, body: bytes) -> ContentType:
    if kind.media_type is not None:
        return kind
    sniffed = rules.sniff_media_type(body[: rules.SNIFF_BYTES])
    if sniffed is None:
        raise Unwanted(Skip.CONTENT_TYPE, "no content type declared, and the body is not text")
    return ContentType(sniffed, None)


def _seconds(date: str) -> float:
    """Return a WARC-Date as Unix time; 0 for one that is none."""
    try:
        at = datetime.fromisoformat(date)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0
