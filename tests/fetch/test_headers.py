"""Response headers are read as servers write them, and a request names the crawler."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

import crawler
from crawler import config
from crawler.fetch.access import user_agent
from crawler.fetch.response import (
    ACCEPTED_TYPES,
    MAX_VALUE,
    ContentType,
    Headers,
    check_status,
    content_length,
    content_type,
    kept_headers,
    retry_after_s,
    sniff_media_type,
    type_of,
)
from crawler.fetch.trouble import Trouble, Unwanted


def headers(*pairs: tuple[str, str]) -> Headers:
    """Response headers as a transport hands them over."""
    return Headers(pairs)


@pytest.mark.parametrize(
    ("value", "media_type", "charset"),
    [
        ("text/html", "text/html", None),
        ("TEXT/HTML; Charset=UTF-8", "text/html", "utf-8"),
        ('text/html;charset="gb2312"', "text/html", "gb2312"),
        ("text/html; charset='big5'", "text/html", "big5"),
        ("text/html;;  ; charset = shift_jis ; x", "text/html", "shift_jis"),
        ("text/html; xcharset=a; charset=b", "text/html", "b"),
        ("text/html, charset=utf-8", "text/html", "utf-8"),
        ("text/html; charset=", "text/html", None),
        ('text/html; charset=""', "text/html", None),
        ("text/html; charset=\udcff\udcfe", "text/html", "\ufffd\ufffd"),
        ("html", None, None),
        ("", None, None),
        ("; charset=utf-8", None, None),
    ],
)
def test_content_type(value: str, media_type: str | None, charset: str | None) -> None:
    """Content-Type is read as servers write it, not only as the standard has it."""
    found = content_type(headers(("Content-Type", value)))
    assert (found.media_type, found.charset) == (media_type, charset)


def test_last_content_type_wins() -> None:
    """Of several Content-Type fields the last usable one counts, as in browsers."""
    found = content_type(
        headers(
            ("Content-Type", "text/plain"), ("content-type", "text/html"), ("content-type", "-")
        )
    )
    assert found.media_type == "text/html"


@given(st.text(max_size=200))
def test_content_type_never_raises(value: str) -> None:
    """Any field value at all gives an answer that can be encoded."""
    found = content_type(headers(("Content-Type", value)))
    assert found.charset is None or found.charset.encode()


NOW = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("999999", 3600.0),
        ("9" * 5000, 3600.0),
        (format_datetime(datetime(2024, 5, 1, 12, 1, tzinfo=UTC), usegmt=True), 60.0),
        ("Wed, 01 May 2024 12:02:00 -0000", 120.0),
        (format_datetime(datetime(2024, 5, 1, 11, 0, tzinfo=UTC), usegmt=True), 0.0),
        (format_datetime(datetime(2034, 5, 1, tzinfo=UTC), usegmt=True), 3600.0),
        ("-5", None),
        ("soon", None),
        ("", None),
        ("Wed, 99 Foo 2024", None),
    ],
)
def test_retry_after(value: str, expected: float | None) -> None:
    """Retry-After is read as seconds or as a date and bounded by the job."""
    assert retry_after_s(value, NOW.timestamp(), 3600.0) == expected


@given(st.text(max_size=60))
def test_retry_after_never_raises(value: str) -> None:
    """Any text gives seconds within bounds, or nothing."""
    wait_s = retry_after_s(value, NOW.timestamp(), 10.0)
    assert wait_s is None or 0.0 <= wait_s <= 10.0


def test_kept_headers_can_be_stored() -> None:
    """Repeated fields are joined, bytes that are no UTF-8 replaced, unlisted fields dropped."""
    found = kept_headers(
        headers(
            ("X-Robots-Tag", "noindex"),
            ("X-Robots-Tag", "nofollow"),
            ("ETag", "\udcff"),
            ("Server", "x"),
        )
    )
    assert found == {"x-robots-tag": "noindex\nnofollow", "etag": "\ufffd"}


@pytest.mark.parametrize(
    ("value", "expected"), [("12", 12), ("-1", None), ("x", None), ("9" * 30, None), ("١", None)]
)
def test_content_length(value: str, expected: int | None) -> None:
    """Only plain digits announce a length."""
    assert content_length(headers(("Content-Length", value))) == expected


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (b"<!DOCTYPE html><html>", "text/html"),
        (b"\xef\xbb\xbf \n<HTML lang=en>", "text/html"),
        (b"<!-- x --><p>", "text/html"),
        (b"<?xml version='1.0'?><html xmlns='x'>", "text/html"),
        (b"<?xml version='1.0'?><rss>", None),
        (b"plain words", "text/plain"),
        ("中文".encode("gb18030"), "text/plain"),
        ("text".encode("utf-16"), "text/plain"),
        (b"%PDF-1.4\x00\x01", None),
        (b"\x89PNG\r\n\x1a\n", None),
        (b"\x00\x00", None),
    ],
)
def test_sniffing(start: bytes, expected: str | None) -> None:
    """A body without a declared type is recognised as HTML or text by its first bytes."""
    assert sniff_media_type(start) == expected


PICTURE = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"


@pytest.mark.parametrize("media_type", sorted(ACCEPTED_TYPES))
def test_binary_bytes_are_no_page_whatever_they_are_declared(media_type: str) -> None:
    """A picture sent as HTML is skipped; a page with stray control bytes or in UTF-16 is not."""
    declared = ContentType(media_type, None)
    with pytest.raises(Unwanted, match="the body is binary"):
        type_of(declared, PICTURE, ACCEPTED_TYPES)
    texts = [
        "Plain words".encode("utf-16-le"),
        b"An old page.\x01" + b" It can be read." * 9,
        b"<p>" + b"\x00" * 99,
        b"",
    ]
    for text in texts:
        assert type_of(declared, text, ACCEPTED_TYPES) == declared
    # A label of UTF-16, in which letters may have no zero.
    wide = ContentType(media_type, "unicode")
    assert type_of(wide, "公共图书馆向市民开放。".encode("utf-16-le") * 9, ACCEPTED_TYPES) == wide


def test_user_agent_names_program_and_contact() -> None:
    """The header is a product token with a version, and the contact in a comment."""
    product = f"InlineCrawler/{crawler.__version__}"
    assert user_agent(config.Agent()) == product
    assert (
        user_agent(config.Agent(contact="https://a.example/c"))
        == f"{product} (+https://a.example/c)"
    )


def test_values_are_looked_at_up_to_a_length() -> None:
    """Of a field that fills a whole head only the beginning is read; others are read whole."""
    flood = (("X-Robots-Tag", "noindex," * 1_000),) * 30
    short = ("ETag", '"1"')
    assert {name: len(value) for name, value in kept_headers(headers(*flood, short)).items()} == {
        "x-robots-tag": MAX_VALUE,
        "etag": 3,
    }


@pytest.mark.parametrize("ours_s", [-86_400.0, 0.0, 86_400.0])
def test_a_date_to_wait_for_is_by_the_clock_of_its_server(ours_s: float) -> None:
    """Where the response says when it was sent, our own clock may be wrong by a day."""
    said = {
        "date": "Wed, 21 Oct 2015 07:28:00 GMT",
        "retry-after": "Wed, 21 Oct 2015 07:29:00 GMT",
    }
    now = 1_445_412_480.0 + ours_s
    with pytest.raises(Trouble) as raised:
        check_status(503, Headers(said.items()), now, 3600.0)
    assert raised.value.retry_after_s == 60.0
