"""Canonical URLs are those of three libraries and of WHATWG, but for the differences told here."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support.corpora import parsed

from crawler.urls import Canonicaliser

canonical = Canonicaliser()


def sorted_query(url: str) -> str:
    """Sort the query as the three libraries of the table do."""
    head, mark, query = url.partition("?")
    return head + mark + "&".join(sorted(query.split("&")))


@pytest.mark.corpora
def test_forms_on_which_three_libraries_agree() -> None:
    """Every agreed canonical form is ours too, but for the sorted query, which we do not sort."""
    table = [row for row in parsed("conformance/url-canonical") if "base" not in row]
    assert len(table) == 112
    ours = {row["input"]: canonical(row["input"]) for row in table}
    wrong = {
        row["input"]: ours[row["input"]]
        for row in table
        if sorted_query(ours[row["input"]] or "") != row["expected"]
    }
    assert wrong == {}
    unsorted = [row for row in table if ours[row["input"]] != row["expected"]]
    assert len(unsorted) == 14
    assert all("query sorted" in row["note"] for row in unsorted)


@pytest.mark.corpora
def test_resolutions_against_a_base() -> None:
    """Links resolve as three libraries resolve them, and then take their canonical form."""
    table = [row for row in parsed("conformance/url-canonical") if "base" in row]
    assert len(table) == 41
    differ = set()
    for row in table:
        ours = canonical(row["input"], row["base"])
        assert ours == canonical(row["expected"])
        if ours != row["expected"]:
            differ.add(row["input"])
    assert differ == {
        "http://user:pass@foo:21/bar;par?b#c",  # user info and fragment dropped
        "#right-menu",  # fragment dropped
        "foo.html?q=bar#baz",  # fragment dropped
        "/a%2fc",  # escapes in upper case
        "/a/%2f/c",  # escapes in upper case
        "https://www.eff.org",  # the empty path is /
        "//www.eff.org",  # the empty path is /
    }


UPPER, STRAY, UNRESERVED, ILLEGAL = "upper case", "stray %", "unreserved", "illegal in RFC 3986"


DIFFERS_FROM_WHATWG = {
    "'/a%2fc'": ("http://example.org/a%2Fc", UPPER),
    "'/a/%2f/c'": ("http://example.org/a/%2F/c", UPPER),
    "'http://example.com/%3A%3a%3C%3c'": ("http://example.com/%3A%3A%3C%3C", UPPER),
    "'http://example.com/foo%'": ("http://example.com/foo%25", STRAY),
    "'http://example.com/foo%2'": ("http://example.com/foo%252", STRAY),
    "'http://example.com/foo%2zbar'": ("http://example.com/foo%252zbar", STRAY),
    "'http://example.com/foo%2Â©zbar'": ("http://example.com/foo%252%C3%82%C2%A9zbar", STRAY),
    "'http://example.org/test?%GH'": ("http://example.org/test?%25GH", STRAY),
    "'http://example.com/foo/%2e%2'": ("http://example.com/foo/.%252", STRAY),
    "'http://example.com/foo/%2e./%2e%2e/.%2e/%2e.bar'": ("http://example.com/..bar", UNRESERVED),
    "'http://example.com/foo%41%7a'": ("http://example.com/fooAz", UNRESERVED),
    "'http://example.com/foo%00%51'": ("http://example.com/foo%00Q", UNRESERVED),
    "'http://www/foo%2Ehtml'": ("http://www/foo.html", UNRESERVED),
    "'[61:24:74]:98'": ("http://example.org/foo/%5B61:24:74%5D:98", ILLEGAL),
    "'http:[61:27]/:foo'": ("http://example.org/foo/%5B61:27%5D/:foo", ILLEGAL),
    "'http://`{}:`{}@h/`{}?`{}'": ("http://h/%60%7B%7D?%60%7B%7D", ILLEGAL),
}
"""Input (its repr) -> our form and why it is not WHATWG's; docs/urls.md tells the reasons."""


def without_what_servers_do_not_see(row: dict[str, Any]) -> str:
    """Return WHATWG's href without user info, fragment, empty query and the root dot."""
    href: str = row["href"].partition("#")[0]
    scheme, _, authority, rest = href.split("/", 3)
    site = re.sub(r"(?<=[^.])\.(?=:|$)", "", authority.rpartition("@")[2])
    return f"{scheme}//{site}/{rest.removesuffix('?')}"


@pytest.mark.corpora
def test_whatwg_table() -> None:
    """What WHATWG parses as http(s) is ours too, but for a table of differences; all else None."""
    count, differ = 0, {}
    for row in parsed("conformance/urltestdata"):
        if isinstance(row, str):
            continue
        count += 1
        ours = canonical(row["input"], row["base"])
        if row.get("failure") or row["protocol"] not in ("http:", "https:"):
            assert ours is None, row["input"]
            continue
        assert ours is not None, row["input"]
        assert canonical(ours) == ours
        if ours != without_what_servers_do_not_see(row):
            differ[repr(row["input"])] = ours
    assert count == 891
    assert differ == {url: form for url, (form, _) in DIFFERS_FROM_WHATWG.items()}
