"""Records and index lines of exchanges: what stands in them, and that each stays one."""

from __future__ import annotations

import gzip
import re

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.archived import capture

from crawler import warc
from crawler.models import ArchivedPayload, Capture
from crawler.warc import _without_sessions as without_sessions
from crawler.warc import request_message, response_head, surt

KEYS = {
    "http://www.example.com/": "com,example)/",
    "https://example.com:8443/A/b/?b=2&a=1": "com,example:8443)/a/b?a=1&b=2",
    "http://127.0.0.1:8000/x?": "1,0,0,127:8000)/x",
    "http://example.com/a/?x=%E4%B8%AD&PHPSESSID=0123456789abcdef0123456789abcdef": (
        "com,example)/a?&x=%e4%b8%ad"
    ),
    "http://xn--fiq.cn/%e4%b8%ad": "cn,xn--fiq)/%e4%b8%ad",
    "http://example.com/a//b/": "com,example)/a/b",
    "http://example.com/x?a=1&&b": "com,example)/x?&a=1&b",
    "http://example.com/a%20b?q=a%20b+c": "com,example)/a%20b?q=a%20b+c",
    "http://example.com/%7Euser/%2541": "com,example)/~user/a",
    "http://www2.foo.com/?b&a": "com,foo)/?a&b",
}
"""What the package `surt` 0.3.1 makes of URLs, which pywb 2.10 looks them up by."""


@pytest.mark.parametrize("url", KEYS)
def test_urls_have_the_keys_that_replay_looks_them_up_by(url: str) -> None:
    """A key is that of the Internet Archive's tools."""
    assert surt(url) == KEYS[url]


SESSION = re.compile(
    rb"(?:(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24}"
    rb"|cfid=[^&]+&cftoken=[^&]+)(?:&|$)"
)
"""Session ids as one expression, which looks for a token from each `cfid=` on: quadratic."""
_PIECES = (
    *(b"&", b"&", b"=", b"a", b"cfid=", b"cftoken=", b"jsession"),
    *(b"sid=" + b"0" * 32, b"sid=" + b"a" * 31, b"aspsessionidabcdcfid=" + b"b" * 24),
)


@given(st.lists(st.sampled_from(_PIECES), max_size=12))
def test_session_ids_are_left_out_part_by_part(pieces: list[bytes]) -> None:
    """What is left of a query is what one expression over all of it leaves, at each look linear."""
    query = b"".join(pieces)
    assert without_sessions(query) == SESSION.sub(b"", query)


def test_a_body_is_told_as_it_is_kept() -> None:
    """Fields of how it travelled are renamed, all others stay in order, case and number."""
    headers = (
        *((b"Content-Encoding", b"br"), (b"set-COOKIE", b"a=1"), (b"Set-Cookie", b"b=2")),
        *((b"Transfer-Encoding", b"chunked"), (b"X-Odd", b"\xe9")),
    )
    assert response_head(capture("http://a.example/", b"12345", headers=headers)).split(
        b"\r\n"
    ) == [
        *(b"HTTP/1.1 200 OK", b"X-Crawler-Content-Encoding: br", b"set-COOKIE: a=1"),
        *(b"Set-Cookie: b=2", b"X-Crawler-Transfer-Encoding: chunked", b"X-Odd: \xe9"),
        *(b"Content-Length: 5", b"", b""),
    ]


def test_a_true_length_stays_and_a_false_one_is_renamed() -> None:
    """Only one length is left, that of the body in the record."""
    true = response_head(capture("http://a.example/", b"12", headers=((b"Content-Length", b"2"),)))
    assert true == b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
    false = response_head(capture("http://a.example/", b"12", headers=((b"content-length", b"9"),)))
    assert false.split(b"\r\n")[1:3] == [b"X-Crawler-content-length: 9", b"Content-Length: 2"]


def test_credentials_stay_out() -> None:
    """A request is kept as it was sent, without what lets others speak for its sender."""
    asked = (
        *(("Host", "a.example"), ("COOKIE", "s=1"), ("Authorization", "Basic x")),
        *(("Proxy-Authorization", "y"), ("Accept", "*/*")),
    )
    message = request_message(capture("http://a.example/p?q", target="/p?q", request=asked))
    assert message == b"GET /p?q HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\n\r\n"


@given(
    body=st.binary(max_size=300),
    reason=st.text(max_size=9),
    headers=st.lists(st.tuples(st.binary(min_size=1, max_size=9), st.binary(max_size=9))),
)
def test_whatever_a_server_says_stays_one_record(
    body: bytes, reason: str, headers: list[tuple[bytes, bytes]]
) -> None:
    """No field or reason breaks a record: it is read back whole, its body as it was."""
    taken = capture("http://a.example/", body, reason=reason, headers=tuple(headers))
    record = warc.response(taken, "<urn:uuid:0>")
    head, _, rest = gzip.decompress(warc.gzipped(record)).partition(b"\r\n\r\n")
    size = int(head.rpartition(b"Content-Length: ")[2])
    assert rest[:size].endswith(b"\r\n\r\n" + body)
    assert rest[size:] == b"\r\n\r\n"
    assert response_head(taken).count(b"\r\n\r\n") == 1


def test_a_line_of_the_index_says_where_a_record_is() -> None:
    """Key, time of 14 digits, and what pywb asks for."""
    taken: Capture = capture("http://www.a.example/x")
    record = warc.response(taken, "<urn:uuid:0>")
    key, time, found = warc.index_line(taken, record, "f.warc.gz", 7, 9, revisit=False).split(" ")
    assert (key, time) == ("example,a)/x", "20231114221320")
    digest = record.payload_digest
    assert orjson.loads(found) == {
        **{"url": taken.url, "mime": "text/html", "status": "200", "digest": digest},
        **{"length": "9", "offset": "7", "filename": "f.warc.gz"},
    }


def test_a_304_says_what_the_server_said_and_whose_body_it_is() -> None:
    """Its fields stay without a length of ours; what it refers to is read back from the record."""
    headers = ((b"ETag", b'"1"'), (b"Content-Encoding", b"br"))
    taken = capture("http://a.example/", b"", status=304, reason="Not Modified", headers=headers)
    of = ArchivedPayload("http://a.example/", "2026-01-02T03:04:05.000006Z", "sha1:ABC")
    record = warc.revisit(taken, "<urn:uuid:0>", of)
    [message] = record.block
    assert message == (
        b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\nX-Crawler-Content-Encoding: br\r\n\r\n'
    )
    assert b"/server-not-modified\r\n" in record.head
    assert b"WARC-Truncated" not in record.head
    assert warc.payload_of(warc.gzipped(record) + b"the next record") == of
    unknown = ArchivedPayload("http://a.example/")
    assert warc.payload_of(warc.gzipped(warc.revisit(taken, "<urn:uuid:0>", unknown))) == unknown


def test_what_is_no_revisit_refers_to_nothing() -> None:
    """Another record, and bytes that are none."""
    response = warc.response(capture("http://a.example/"), "<urn:uuid:0>")
    for packed in (warc.gzipped(response), b"", b"torn", warc.gzipped(response)[:20]):
        assert warc.payload_of(packed) is None
