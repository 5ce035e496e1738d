"""What a record ends as: the rules of a fetch."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.config import parse_job
from crawler.models import Failed, Fetched, Redirected, Skipped
from crawler.sources.records import ArchiveFile, ExchangeReader, Record, unchunked

JOB = parse_job({"seeds": ["http://a.test/"]}, "test")
PAGE = b"<!doctype html><html><p>" + "Grüße ".encode() * 90


def chunked(body: bytes, size: int = 100) -> bytes:
    """Return a body in chunks."""
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x;e=1\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def record(body: bytes = PAGE, status: int = 200, **fields: Any) -> Record:
    """Return a response with header fields, in names with underscores."""
    headers = {"Content-Type": "text/html"} | {
        name.replace("_", "-"): value for name, value in fields.items()
    }
    http = status, tuple((name, value) for name, value in headers.items() if value is not None)
    file = ArchiveFile(JOB.output, 0, 0)
    date = "2026-01-02T03:04:05.5Z"
    return Record(file, 0, "response", "http://a.test/x", date, "", None, http, body)


def outcome(what: Record) -> Any:
    """Return what a record ends as."""
    reader = ExchangeReader(JOB)
    task = reader.task(what, 1)
    assert task is not None
    return reader(what, task)


@pytest.mark.parametrize(
    "coded",
    [
        record(),
        record(chunked(PAGE), Transfer_Encoding="chunked"),
        record(PAGE, Transfer_Encoding="chunked"),
        record(gzip.compress(PAGE), Content_Encoding="gzip"),
        record(PAGE, Content_Encoding="gzip"),
        record(zlib.compress(PAGE), Content_Encoding="deflate"),
        record(chunked(brotli.compress(PAGE)), Content_Encoding="br", Transfer_Encoding="chunked"),
        record(X_Crawler_Content_Encoding="br", Content_Length=str(len(PAGE))),
        record(PAGE, Content_Type=None),
    ],
)
def test_a_page_is_the_same_however_it_was_sent(coded: Record) -> None:
    """Chunks and codings are undone, also where they were before and the fields still say so."""
    fetched = outcome(coded)
    assert isinstance(fetched, Fetched)
    assert (fetched.body, fetched.media_type) == (PAGE, "text/html")
    assert fetched.fetched_at == 1767323045.5


@pytest.mark.parametrize(
    ("what", "kind", "said"),
    [
        (record(status=404), Failed, "http-4xx"),
        (record(status=503), Failed, "http-5xx"),
        (record(status=206), Failed, "http-unexpected-status"),
        (record(gzip.compress(PAGE)[:-20], Content_Encoding="gzip"), Failed, "truncated-body"),
        (record(chunked(PAGE)[:-200], Transfer_Encoding="chunked"), Failed, "truncated-body"),
        (record(status=302), Failed, "redirect-invalid"),
        (record(status=204), Skipped, "no-content"),
        (record(b""), Skipped, "no-content"),
        (record(Content_Type="image/png"), Skipped, "content-type"),
        (record(b"\0\1\2" * 9, Content_Type=None), Skipped, "content-type"),
        (
            record(gzip.compress(bytes(JOB.fetch.max_body_bytes + 1), 1), Content_Encoding="gzip"),
            Skipped,
            "too-large",
        ),
    ],
)
def test_what_is_no_page_ends_as_in_a_crawl(what: Record, kind: type, said: str) -> None:
    """Statuses, types and broken bodies have the classes that a fetch gives them."""
    end = outcome(what)
    assert isinstance(end, kind)
    assert said == getattr(end, "failure" if kind is Failed else "reason")


def test_a_redirect_has_its_target() -> None:
    """A Location is resolved against the URL."""
    end = outcome(record(status=301, Location="/y?utm_source=z"))
    assert isinstance(end, Redirected)
    assert end.target == "http://a.test/y"


@given(st.binary(max_size=300), st.integers(1, 50))
def test_chunks_round_trip(body: bytes, size: int) -> None:
    """Whatever a body is, it is found again in its chunks."""
    assert unchunked(chunked(body, size)) == body
