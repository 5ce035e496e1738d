"""Links and refresh targets: found, resolved and left out as browsers and nofollow have it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.directives import refresh_target
from crawler.extract.page import (
    MAX_LINK_CHARACTERS,
    MAX_LINKS,
    PageHints,
    Resolver,
    page_links,
    parse,
    read_page,
)
from crawler.urls import MAX_REFERENCE_LENGTH, MAX_URL_LENGTH, Canonicaliser

URL = "http://site.test/dir/page"


def links(html: str, url: str = URL) -> tuple[str, ...]:
    """Return the links of a page."""
    return page_links(parse(html, "text/html"), url, Canonicaliser(), "Bot").links


def hints(html: str) -> PageHints:
    """Return what a page says of itself."""
    return read_page(parse(html, "text/html"), URL, Canonicaliser(), "Bot")[0]


def refresh(html: str) -> str | None:
    """Return the refresh target of a page."""
    return hints(html).refresh


def canonical(html: str) -> str | None:
    """Return the rel=canonical of a page."""
    return hints(html).canonical_url


def test_links_in_page_order() -> None:
    """Every element that leads somewhere counts, in page order, hidden or not, once each."""
    html = """
        <meta http-equiv=Refresh content="9; url=m"><iframe src="f"></iframe>
        <a href="b">b</a> <map><area href="c"></map> <div hidden><a href="a">a</a></div>
        <noscript><a href="n">n</a></noscript> <a href="b#part">b again</a> <a>no href</a>
        <link rel=stylesheet href="s.css"> <img src="i.png"> <template><a href="t">t</a></template>
    """
    expected = tuple(f"http://site.test/dir/{name}" for name in ("m", "f", "b", "c", "a", "n"))
    assert links(html) == expected


def test_links_of_a_frameset() -> None:
    """A page of frames has no body and leads to its frames."""
    assert links("<frameset><frame src=/a><frame src=/b></frameset>") == (
        "http://site.test/a",
        "http://site.test/b",
    )


@pytest.mark.parametrize(
    "href",
    ["", "#top", "page", "page#x", "?", "http://SITE.test:80/dir/./page?utm_source=x"],
)
def test_the_page_itself_is_no_link(href: str) -> None:
    """However it is written, a link to the page it stands on is left out."""
    assert links(f'<a href="{href}">self</a>') == ()


@pytest.mark.parametrize(
    "href",
    ["mailto:a@b.test", "javascript:void(0)", "data:,x", "ftp://h/", "http://[", "tel:1", "//"],
)
def test_links_that_cannot_be_crawled(href: str) -> None:
    """Other schemes and what does not parse are no links."""
    assert links(f'<a href="{href}">x</a><a href="/ok">y</a>') == ("http://site.test/ok",)


def test_white_space_and_entities_in_an_href() -> None:
    """An attribute is read as browsers read it."""
    html = '<a href=" \n/a\tb?x=1&amp;y=2 ">x</a>'
    assert links(html) == ("http://site.test/ab?x=1&y=2",)


@pytest.mark.parametrize(
    ("bases", "expected"),
    [
        ('<base href="/other/">', "http://site.test/other/a"),
        ('<base href="http://cdn.test/x/y">', "http://cdn.test/x/a"),
        ('<base target=_top><base href="/1/"><base href="/2/">', "http://site.test/1/a"),
        ('<base href="javascript:0">', "http://site.test/dir/a"),
        ('<base href="http://[">', "http://site.test/dir/a"),
        ('<base href="">', "http://site.test/dir/a"),
    ],
)
def test_base(bases: str, expected: str) -> None:
    """The first base with an href counts, resolved against the page; a useless one does not."""
    assert links(f"{bases}<a href=a>a</a>") == (expected,)


def test_an_empty_href_leads_to_the_base() -> None:
    """With a base, an empty href or bare fragment leads to the base and not to the page."""
    assert links('<base href="/b/"><a href="">x</a><a href="#y">y</a>') == ("http://site.test/b/",)


def test_nofollow_links() -> None:
    """rel=nofollow takes a link out, in any case and company."""
    html = '<a rel="external NoFollow" href=a>a</a><a rel=nofollower href=b>b</a>'
    assert links(html) == ("http://site.test/dir/b",)


def test_a_link_is_followed_if_one_of_its_elements_may_be() -> None:
    """The same target with and without nofollow is followed."""
    assert len(links("<a rel=nofollow href=a>a</a><a href=a>a</a>")) == 1


def test_links_are_bounded() -> None:
    """Of a link farm the first MAX_LINKS different targets are kept."""
    html = "".join(f"<a href=/{n // 2}>x</a>" for n in range(3 * MAX_LINKS))
    found = links(html)
    assert len(found) == MAX_LINKS
    assert found[-1] == f"http://site.test/{MAX_LINKS - 1}"


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/x", "/x"),
        ("5;URL='/x'", "/x"),
        ('5 ; Url = "/x"y', "/x"),
        ("0,/x", "/x"),
        ("0 /x", "/x"),
        ("  0.5;/x", "/x"),
        (".5; /x", "/x"),
        ("1..2.3;url=/x", "/x"),
        ("0;'/x'y", "/x"),
        ("0;url='/x", "/x"),
        ("0; url /x", "url /x"),
        ("0; ur", "ur"),
        ("0;;/x", ";/x"),
        ("0; url=url=/x", "url=/x"),
        ("5", None),
        ("5;", None),
        ("5; url=", None),
        ("5; url=''", None),
        ("", None),
        ("url=/x", None),
        ("; url=/x", None),
        ("x5; url=/x", None),
        ("5x; url=/x", None),
        ("-1; url=/x", None),
    ],
)
def test_refresh_steps(content: str, target: str | None) -> None:
    """A refresh is parsed by the steps of the HTML standard, with every oddity they allow."""
    assert refresh_target(content) == target


@given(st.text(alphabet="0123. \t;,url='\"x=/", max_size=30))
def test_refresh_never_fails(content: str) -> None:
    """Whatever stands in a refresh, its target is a part of it or none."""
    target = refresh_target(content)
    assert target is None or (target and target in content)


def test_a_refresh_for_readers_without_scripts_moves_no_page() -> None:
    """In `noscript` it is a link like others: manuals send such readers to a notice."""
    head = "<head><noscript><meta http-equiv=refresh content='0; url=/notice'></noscript></head>"
    html = f"<!doctype html><html>{head}<body><p>A page."
    assert refresh(html) is None
    assert links(html) == ("http://site.test/notice",)


def test_refresh_takes_the_first_that_leads_elsewhere() -> None:
    """A reload of the page itself is no refresh target; the base applies."""
    html = """
        <base href="/b/"><meta http-equiv=refresh content=30>
        <meta http-equiv=refresh content="0;url=http://site.test/dir/page">
        <meta http-equiv=refresh content="0;url=next"><meta http-equiv=refresh content="0;url=x">
    """
    assert refresh(html) == "http://site.test/b/next"
    assert refresh("<meta http-equiv=refresh content=30>") is None
    assert refresh('<meta http-equiv=other content="0;url=/x">') is None


def test_canonical_is_the_last_link() -> None:
    """The rel=canonical is a link too, after all others, unless it is one or the page itself."""
    hint = "<link rel=canonical href=/c>"
    assert links(f"{hint}<a href=/a>") == ("http://site.test/a", "http://site.test/c")
    assert links(f"{hint}<a href=/c><a href=/a>") == ("http://site.test/c", "http://site.test/a")
    assert links("<link rel=canonical href=page>") == ()


def test_canonical() -> None:
    """The first rel=canonical counts, resolved and canonical, wherever broken markup put it."""
    noscript = "<noscript><img src=pixel></noscript>"
    html = f'{noscript}<link rel="alternate" href=/x><link rel="Canonical" href="/c?utm_id=1#f">'
    assert canonical(html) == "http://site.test/c"
    assert canonical("<link rel=canonical href='mailto:x'>") is None
    assert canonical("<link rel=canonical>") is None


def test_links_have_a_bounded_length_together() -> None:
    """A long base makes no more of many short links than many links of ordinary length."""
    base = f"http://site.test/{'a/' * 900}"
    found = links(f"<base href={base}>{''.join(f'<a href={n}>' for n in range(5_000))}")
    assert sum(map(len, found)) <= MAX_LINK_CHARACTERS < sum(map(len, found)) + len(base) + 4
    assert found == tuple(f"{base}{n}" for n in range(len(found)))


PIECES = (
    *(
        "../",
        "./",
        "..",
        ".",
        "/",
        "//",
        "\\",
        "?q=1",
        "#f",
        ":",
        "@",
        " ",
        "\n",
        "%2e",
        "%41",
        "é",
    ),
    *("a", "B.html", ".a", "a.", "..a", "~x", "-", "_", "1.2", "x" * 300),
    *("http://", "https://", "HTTP://", "h.test", "h.test.", "xn--a", "y" * 64),
)
LONG = (MAX_URL_LENGTH, MAX_REFERENCE_LENGTH)
BASES = (
    "http://h.test/",
    "http://h.test/a/b/c?x=1/2",
    "https://h.test/a/%41/b/",
    f"http://h.test{'/d' * 900}/x",
    f"http://h.test/{'../' * MAX_REFERENCE_LENGTH}",
    "mailto:nobody",
)


@given(
    st.lists(st.lists(st.sampled_from(PIECES), max_size=6).map("".join), max_size=4),
    st.sampled_from(BASES),
)
def test_references_of_a_page_resolve_as_each_alone(references: list[str], base: str) -> None:
    """What is remembered from one reference to the next changes none of their canonical forms."""
    canonicalise = Canonicaliser()
    alone = [canonicalise(reference, base) for reference in references]
    assert list(map(Resolver(canonicalise, base), references)) == alone


@pytest.mark.parametrize("repeated", ["a", "../", "b/"])
@pytest.mark.parametrize("length", [most + more for most in LONG for more in (-1, 0, 1)])
def test_long_references_resolve_as_each_alone(repeated: str, length: int) -> None:
    """The bounds of references and of URLs hold for what is put together, too."""
    canonicalise = Canonicaliser()
    for reference in (repeated * (length // len(repeated)), f"{'../' * (length // 3)}x"):
        known = Resolver(canonicalise, BASES[1])
        assert [known("../y"), known(reference)] == [
            canonicalise(each, BASES[1]) for each in ("../y", reference)
        ]


@pytest.mark.parametrize("element", ["a", "area", "link rel=alternate hreflang=en", "meta"])
def test_an_element_with_all_attributes_counts_once(element: str) -> None:
    """It tells one thing, whichever of the attributes are looked for."""
    html = f"<{element} href=b src=c content=d><img src=e content=f><script src=g></script>"
    told = [*links(html), *hints(html).alternates]
    assert told == ([] if element == "meta" else ["http://site.test/dir/b"])
