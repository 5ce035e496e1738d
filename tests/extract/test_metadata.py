"""What markup declares of a page's text is read, within bounds, and nothing is guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.page import MAX_JSON_BYTES, iso_date, page_metadata, parse
from crawler.models.pages import Metadata


def _read(html: str) -> Metadata:
    return page_metadata(parse(html, "text/html"))


def _json(body: str) -> str:
    return f'<script type="application/ld+json">{body}</script>'


def test_all_is_read_from_a_graph() -> None:
    """An article's JSON-LD tells dates, authors by reference, description and site."""
    graph = """{"@context": "https://schema.org", "@graph": [
        {"@type": "WebSite", "name": "The Site"},
        {"@type": "Person", "@id": "#ann", "name": "Ann &amp; Co"},
        {"@type": ["NewsArticle"], "datePublished": "2020-01-02T03:04:05Z",
         "dateModified": "2020-02-03", "author": [{"@id": "#ann"}, {"name": "Bo"}],
         "description": "A  day"}]}"""
    assert _read(f'<html lang="en_GB">{_json(graph)}') == Metadata(
        "en-GB", "2020-01-02T03:04:05+00:00", "2020-02-03", "Ann & Co; Bo", "A day", "The Site"
    )


def test_all_is_read_from_meta_elements() -> None:
    """Without JSON-LD, Open Graph, meta elements and marked times tell the same."""
    html = """<meta property="article:published_time" content="2020-01-02 03:04 +0800">
        <meta name="Author" content="Ann"><meta name="description" content="A day">
        <meta property="og:site_name" content="The Site">
        <time itemprop="dateModified" datetime="2020-02-03">then</time>"""
    assert _read(html) == Metadata(
        None, "2020-01-02T03:04:00+08:00", "2020-02-03", "Ann", "A day", "The Site"
    )


def test_what_is_no_value_is_passed_over() -> None:
    """Addresses and placeholders are no authors, phrases no dates, and other times are not ours."""
    html = """<html lang="{{ lang }}"><meta name="author" content="admin">
        <meta property="article:author" content="https://x.example/ann">
        <meta name="datePublished" content="yesterday"><meta name="description" content=" ">
        <time datetime="2020-01-01">of a comment</time>"""
    assert _read(html) == Metadata()


@pytest.mark.parametrize(
    ("html", "published"),
    [
        ("<article><h1>A</h1><time datetime=2020-01-02>", "2020-01-02"),
        ("<article><p>A</p><time datetime=2020-01-02>", "2020-01-02"),
        (
            "<article><h1>A</h1><time class='entry updated' datetime=2021-01-02></time>"
            "<time datetime=2020-01-02></time><article><time datetime=2019-01-02></article>",
            "2020-01-02",
        ),
        ("<article><h1>A</h1><article><time datetime=2019-01-02></article>", None),
        (
            "<article><h1>A</h1><time datetime=2020-01-02></article><article><p>B</article>",
            "2020-01-02",
        ),
        ("<article><p>A<time datetime=2020-01-02></article><article><p>B</article>", None),
        ("<article><h1>A</h1><time datetime=2020-01-02></article><article><h1>B</article>", None),
        ("<article><h1>A</h1><time datetime=yesterday>", None),
    ],
)
def test_the_time_of_the_article_is_that_of_its_publication(
    html: str, published: str | None
) -> None:
    """Where nothing else tells, and one article is the page's, by its heading or alone."""
    assert _read(html).published == published
    declared = '<meta property="article:published_time" content="1999-01-02">'
    assert _read(declared + html).published == "1999-01-02"


@pytest.mark.parametrize(
    "body",
    [
        "[" * 100_000,
        '{"@graph":' * 1_000 + "1" + "}" * 1_000,
        '{"@type": "Article", "author": {"name": {"name": []}}, "datePublished": 7}',
        '{"@type": [[], null, 3], "@id": [], "author": 1}',
        "[" + "{}," * 50_000 + '{"@type": "Article", "author": "Ann"}]',
        '{"@type": "Article", "author": "' + "A" * MAX_JSON_BYTES + '"}',
    ],
    ids=["open", "deep", "types", "lists", "many", "long"],
)
def test_hostile_json_says_nothing(body: str) -> None:
    """JSON-LD that is deep, long, broken or of wrong types is read as saying nothing."""
    assert _read(_json(body)) == Metadata()


@given(st.one_of(st.datetimes().map(str), st.text("0123456789-T:+WZ. ", max_size=30)))
def test_dates_are_stable(written: str) -> None:
    """Whatever is taken for a date is written so that it reads as itself."""
    told = iso_date(written)
    assert told is None or iso_date(told) == told
