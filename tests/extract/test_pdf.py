"""A PDF becomes a page: what is drawn, in reading order, with what belongs to the text alone."""

from __future__ import annotations

import re

import pytest
from support.pdfs import Drawn, encrypted, lines, pdf

from crawler.config import Extract, Job
from crawler.errors import ConfigError
from crawler.extract import pdf as reader
from crawler.extract.installed import check_installed
from crawler.extract.page import parse
from crawler.extract.pdf import PdfUnreadable, read_pdf
from crawler.models import PDF, Document, Failure
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

pytest.importorskip("pypdfium2")

FULL = "The keeper of the lighthouse wrote down which ships he saw pass in the night, all of them"
PARAGRAPH = (
    FULL,
    "and sent what he had written to the harbour master every morning at eight of the clock, by a",
    "boat that brought him bread.",
)


def blocks(data: bytes) -> list[tuple[str, str]]:
    """Return the blocks of a PDF: tag and text."""
    body = parse(read_pdf(data).html, "text/html").body
    assert body is not None
    return [(one.tag or "", one.text()) for one in body.css("h1, h2, h3, h4, h5, h6, li, p")]


def document(data: bytes, **extract: bool) -> Document:
    """Return what an analyser makes of a PDF."""
    job = Job.model_validate({"extract": {"pdf": True, **extract}})
    request = AnalysisRequest("http://a.test/manual/one.pdf", data, PDF, None)
    return Analyser(AnalysisSettings.of(job)).analyse(request)


def test_lines_are_joined_to_paragraphs_under_headings_by_size() -> None:
    """A paragraph ends with a line that had room for more; what is larger is a heading."""
    page = [
        *lines("A Manual", top=740, size=24),
        *lines("Of lights", top=700, size=16),
        *lines(*PARAGRAPH, "A second paragraph begins here."),
        *lines("Of ships", top=640, size=16),
        *lines("One line about ships.", top=610),
    ]
    assert blocks(pdf(page)) == [
        ("h1", "A Manual"),
        ("h2", "Of lights"),
        ("p", " ".join(PARAGRAPH)),
        ("p", "A second paragraph begins here."),
        ("h2", "Of ships"),
        ("p", "One line about ships."),
    ]


def test_hyphens_at_ends_of_lines_are_undone_unless_they_belong_to_the_word() -> None:
    """As the document writes the word elsewhere; between small letters where it does not."""
    one = [
        "Each of them wrote down the names of all ships that he had seen pass before the light-",
        "house on that night, and he did so by the light of one well-known lamp and of the well-",
        "known moon above the sea; whatever he could not read stayed unwritten, as in US-",
        "ASCII.",
    ]
    [(_, text)] = blocks(pdf(lines(*one)))
    assert "before the lighthouse on" in text
    assert "of the well-known moon" in text
    assert text.endswith("as in US-ASCII.")


def test_running_heads_and_page_numbers_are_left_out() -> None:
    """Also where they differ: what stands at their height is one; the text goes on behind them."""
    pages = [
        [
            Drawn(f"Chapter {chapter}. Named so", 760),
            *lines(f"{FULL} {number}", f"and this is the last line that is found on page {number}"),
            Drawn(f"{number}", 40, x=300),
        ]
        for number, chapter in enumerate((1, 1, 1, 2, 2, 2, 3), 1)
    ]
    text = " ".join(text for _, text in blocks(pdf(*pages)))
    assert "Chapter" not in text
    assert len(re.findall(r"\d", text)) == 2 * len(pages)


def test_a_table_of_contents_has_names_without_page_numbers() -> None:
    """Told by leaders, or by links to pages; they are links within the page, as on the web."""
    contents = [
        Drawn("1 Of lights . . . . . . . . . . 2", 700),
        Drawn("2 Of ships      2", 688, link=1),
        Drawn("3 Of bread      2", 676, link=1),
    ]
    assert blocks(pdf(contents, lines(*PARAGRAPH)))[:3] == [
        ("p", "1 Of lights"),
        ("p", "2 Of ships"),
        ("p", "3 Of bread"),
    ]


def test_lines_of_chinese_are_joined_without_spaces() -> None:
    """And compared as any Chinese text."""
    one, other = (
        "灯塔看守人每天夜里记下经过的所有船只并且把它们的名字写在一本书里然后",
        "每天早上交给港务长。",
    )
    assert blocks(pdf(lines(one, other))) == [("p", one + other)]


def test_a_page_has_title_links_language_and_number_of_pages() -> None:
    """All that a page of HTML has; what the file says of itself as what markup declares."""
    page = [
        *lines("A Manual", top=740, size=24),
        *lines(*PARAGRAPH),
        Drawn("our other manual", 600, link="../other.html"),
        Drawn("See http://b.test/found and more.", 580),
    ]
    said = {"Title": "A Manual", "Author": "A. Keeper", "ModDate": "D:20240131160855+01'00'"}
    found = document(pdf(page, page, said=said, language="en-GB"), metadata=True, markdown=True)
    assert found.title == "A Manual"
    assert set(found.links) == {"http://a.test/other.html", "http://b.test/found"}
    assert found.metadata is not None
    assert found.metadata.declared_language == "en-GB"
    assert found.metadata.author == "A. Keeper"
    assert found.metadata.modified == "2024-01-31T16:08:55+01:00"
    assert (found.pages, found.pages_read, found.read_by, found.layout) == (2, 2, "pdf", None)
    assert (found.markdown or "").startswith("# A Manual\n\nThe keeper of")


@pytest.mark.parametrize("declared", ["Microsoft Word - manual.doc", "untitled", ""])
def test_a_title_that_no_page_shows_is_none(declared: str) -> None:
    """Programs write such ones unasked; the largest heading of the first page is better."""
    page = [*lines(*PARAGRAPH), *lines("Of the lights", top=650, size=20)]
    assert document(pdf(page, said={"Title": declared})).title == "Of the lights"


def test_a_scanned_one_has_no_text() -> None:
    """Its pages are counted all the same."""
    found = document(pdf([], []))
    assert (found.text, found.signature.tokens, found.pages) == ("", 0, 2)


@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (encrypted(pdf(lines(*PARAGRAPH))), Failure.PDF_ENCRYPTED),
        (b"%PDF-1.7\nnothing of one", Failure.PDF_BROKEN),
        (b"", Failure.PDF_BROKEN),
        (b"<!doctype html><p>Not found", Failure.PDF_BROKEN),
    ],
)
def test_what_cannot_be_opened_says_why(data: bytes, failure: Failure) -> None:
    """Each has a class of its own."""
    with pytest.raises(PdfUnreadable) as error:
        read_pdf(data)
    assert error.value.failure is failure


def test_pages_that_are_counted_and_not_there_cost_nothing() -> None:
    """A million of them; at most MOST_PAGES are looked for."""
    read = read_pdf(pdf(lines(*PARAGRAPH), count=1_000_000))
    assert read.pages >= 1
    assert read.read <= reader.MOST_PAGES
    assert FULL in read.html


def test_what_is_beyond_the_bounds_is_left_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of pages and of characters."""
    whole = pdf(*(lines(f"This is page {n} of them, and it says so.") for n in range(5)))
    monkeypatch.setattr(reader, "MOST_PAGES", 3)
    found = document(whole)
    assert (found.pages, found.pages_read) == (5, 3)
    assert "page 2" in found.text
    assert "page 3" not in found.text
    monkeypatch.setattr(reader, "MOST_CHARACTERS", 50)
    assert document(whole).pages_read == 2


def test_where_the_package_is_missing_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is written."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    check_installed(Extract())
    with pytest.raises(ConfigError, match=r"extract\.pdf needs pypdfium2, which .*\[pdf\]"):
        AnalysisSettings.of(Job.model_validate({"extract": {"pdf": True}}))
