"""Addresses: which URLs name one page in two editions, two languages or on two hosts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup.copies import address_key
from crawler.urls.editions import address

ONE = "http://a.test/docs/page.html"


@pytest.mark.parametrize(
    "other",
    [
        "http://b.test/docs/page.html",
        "http://a.test/docs/en/page.html",
        "http://a.test/zh-cn/docs/page.html",
        "http://a.test/pt_BR/docs/page.html",
        "http://a.test/docs/sr-latn/page.html",
        "http://a.test/docs/3.2/page.html",
        "http://a.test/docs/v2/page.html",
        "http://a.test/docs/2.x/page.html",
        "http://a.test/openjdk-17.0/docs/page.html",
        "http://a.test/latest/docs/page.html",
        "http://a.test/docs/de/stable/page.html",
        "http://a.test/docs/page.fr.html",
        "http://a.test/docs/page.html.fr",
        "http://a.test/docs/page.zh-cn.html",
        "http://a.test/docs/page.html?lang=fr",
        "http://a.test/docs/page.html?hl=zh-TW",
        "http://a.test/docs/12/page.html",
    ],
)
def test_editions_of_a_page_have_one_address(other: str) -> None:
    """Host, language and version are no part of it, wherever they stand."""
    assert address_key(ONE) == address_key(other)


@pytest.mark.parametrize(
    "other",
    [
        "http://a.test/Docs/PAGE.html",
        "http://a.test/docs/other.html",
        "http://a.test/docs/",
        "http://a.test/page.html",
        "http://a.test/docs/page.html?id=1",
        "http://a.test/docs/page.html?lang=java",
        "http://a.test/docs/page.v2.html",
        "http://a.test/docs/2014/page.html",
        "http://a.test/12/docs/page.html",
        "http://a.test/docs/openjdk-17/page.html",
        "http://a.test/docs/en/fr/page.html",
    ],
)
def test_other_pages_have_other_addresses(other: str) -> None:
    """A name in another case, a number or a parameter more is another page."""
    assert address_key(ONE) != address_key(other)


def test_an_index_file_is_its_folder() -> None:
    """`/x/`, `/x` and `/x/index.html` are one address, and the root of a host is none."""
    folder = {"http://a.test/x/", "http://b.test/x", "http://a.test/x/index.html"}
    folder |= {"http://a.test/x/default.aspx", "http://a.test/fr/x/index.php"}
    assert len({address_key(url) for url in folder}) == 1
    for root in ("/", "/index.html", "/en/", "/latest/", "/?lang=de"):
        assert address_key(f"http://a.test{root}") is None


def test_the_last_name_of_a_path_is_never_taken_for_a_language() -> None:
    """`/words/it` is a page about a word, `/words/it/` the Italian words."""
    assert address("http://a.test/words/it").segments == ("words", "it")
    assert address("http://a.test/words/it/").segments == ("words",)


def test_the_language_of_an_address_is_known() -> None:
    """So that a translation can be told from another version."""
    written = "/zh-CN/x", "/x.fr.html", "/x?lang=de", "/docs/3.2/x"
    assert [address(f"http://a.test{of}").language for of in written] == ["zh-cn", "fr", "de", ""]


SEGMENT = st.sampled_from(
    ["docs", "en", "zh-cn", "3.2", "v1", "2014", "page.fr.html", "index.html"]
)
URL = st.builds(
    lambda host, path, tail, query: f"http://{host}.test/{'/'.join(path)}{tail}{query}",
    st.sampled_from("ab"),
    st.lists(SEGMENT, max_size=4),
    st.sampled_from(["", "/"]),
    st.sampled_from(["", "?a=1", "?lang=fr", "?a=1&hl=en", "?b=%00"]),
)


@given(URL, URL)
def test_one_address_is_one_key(one: str, other: str) -> None:
    """Which is positive and fits an SQLite integer."""
    first, second = ((of.segments, of.query) for of in map(address, (one, other)))
    if first[0] and second[0]:
        assert (address_key(one) == address_key(other)) == (first == second)
    key = address_key(one)
    assert key is None or 0 <= key < 2**63


@given(st.text(st.characters()))
def test_any_name_has_an_address(name: str) -> None:
    """Whatever a document is called, lone surrogates included."""
    address_key(f"file:///{name}#line=3")
    assert address(f"file:///{name}").host == ""


def test_documents_of_one_file_have_addresses_of_their_own() -> None:
    """By their lines; a file that is one document has that of its path, whatever its id is."""
    first, second, edition = (
        f"file:///{path}.jsonl#line={line}&id=7"
        for path, line in (("v1/texts", 1), ("v1/texts", 2), ("v2/texts", 1))
    )
    assert address_key(first) != address_key(second)
    assert address_key(first) == address_key(edition)
    pages = {address_key(f"file:///{path}/a.html#id={path}/a.html") for path in ("en", "fr")}
    assert len(pages) == 1
