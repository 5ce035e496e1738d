"""The cookies of one redirect chain: RFC 6265 where it matters, and bounded."""

from __future__ import annotations

import pytest

from crawler.fetch.access import (
    MAX_ATTRIBUTES,
    MAX_COOKIE_BYTES,
    MAX_COOKIES,
    MAX_HEADER_BYTES,
    ChainCookies,
)

NOW = 1_700_000_000.0
URL = "http://www.a.test/docs/page?q=1"


def sent(*set_cookies: str, to: str = URL, url: str = URL) -> str:
    """Return the Cookie header after one response that sets these."""
    cookies = ChainCookies()
    cookies.keep(set_cookies, url, NOW)
    return cookies.header(to)


@pytest.mark.parametrize(
    ("cookie", "header"),
    [
        ("a=1", "a=1"),
        ("a=1; Domain=a.test", "a=1"),
        ("a=1; domain=.WWW.a.test", "a=1"),
        ("a=1; Domain=", "a=1"),
        ("a=1; Domain=b.test", ""),
        ("a=1; Domain=ww.a.test", ""),
        ("a=1; Domain=x.www.a.test", ""),
        ("a=1; Path=/docs", "a=1"),
        ("a=1; Path=/doc", ""),
        ("a=1; Path=/docs/", "a=1"),
        ("a=1; Path=/docs/page/", ""),
        ("a=1; Path=elsewhere", "a=1"),
        ("a=1; Max-Age=0", ""),
        ("a=1; Max-Age=-5; Expires=Fri, 01 Jan 2100 00:00:00 GMT", ""),
        ("a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "a=1"),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", ""),
        ("a=1; Expires=soon; HttpOnly; Secure; SameSite=Lax", "a=1"),
        ("a=b=c", "a=b=c"),
        ("a", ""),
        ("=1", ""),
        ("a=\x001", ""),
        ("a=é", ""),
        ("", ""),
    ],
)
def test_attributes_are_obeyed(cookie: str, header: str) -> None:
    """Domain can only refuse, Path narrows, an age in the past deletes, the malformed is left."""
    assert sent(cookie) == header


def test_no_other_host_is_meant_by_an_address() -> None:
    """A Domain of the last numbers of an IP address matches nothing."""
    assert sent("a=1; Domain=0.0.1", url="http://127.0.0.1/", to="http://127.0.0.1/") == ""
    assert sent("a=1; Domain=127.0.0.1", url="http://127.0.0.1/", to="http://127.0.0.1/") == "a=1"


def test_longer_paths_come_first_and_later_values_last() -> None:
    """The order is that of RFC 6265 5.4; the same name and path is one cookie."""
    cookies = ["a=0; Path=/", "b=2; Path=/docs", "a=1; Path=/"]
    assert sent(*cookies) == "b=2; a=1"


def test_a_cookie_is_deleted_by_its_age() -> None:
    """A cookie set before goes when the server says that it has expired."""
    assert sent("a=1", "b=2", "a=; Max-Age=0") == "b=2"


def test_floods_are_bounded() -> None:
    """Number, size of each and size of all together have their bounds."""
    assert sent(*(f"c{n}=1" for n in range(500))).count("=") == MAX_COOKIES
    assert sent("a=" + "x" * MAX_COOKIE_BYTES, "b=1") == "b=1"
    header = sent(*(f"c{n}=" + "x" * 4000 for n in range(50)))
    assert 0 < len(header) <= MAX_HEADER_BYTES


def test_values_are_never_shown() -> None:
    """The representation that a log or a traceback would show has no value in it."""
    cookies = ChainCookies()
    cookies.keep(["session=secret"], URL, NOW)
    assert "secret" not in repr(cookies)


def test_attributes_are_counted() -> None:
    """What stands behind more attributes than any cookie has is not read."""
    assert sent("a=1;" + ";" * (MAX_ATTRIBUTES - 2) + "Max-Age=0") == ""
    assert sent("a=1;" + ";" * MAX_ATTRIBUTES + "Max-Age=0") == "a=1"
