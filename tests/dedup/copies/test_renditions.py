"""A PDF and the page of the same text: copies where the stored one says all that the other says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.dedup.copies import Appearance, pack, unpack
from crawler.dedup.copies.agreement import Page
from crawler.dedup.copies.rules import Site, weigh
from crawler.models import Evidence
from crawler.urls.editions import Editions

LINES = (
    "Of lights",
    "The keeper of the lighthouse wrote down which ships he saw pass in the night.",
    "He sent what he had written to the harbour master every morning at eight.",
    "The lamp burns for 40 hours, the spare one for 25 hours and no longer than that.",
    "Whoever finds it dark is asked to tell the keeper at once by the bell below.",
)
MENU = ("Home", "All our manuals")
AS_PDF = (
    "1 Of lights",
    "The keeper of the lighthouse wrote down which ships he saw",
    "pass in the night. He sent what he had written to the harbourmaster every morning at eight.",
    "The lamp burns for 40 hours, the spare one for 25 hours and no longer than that.",
    "2 Of bells",
    "3 Of bread",
    "Whoever finds it dark is asked to tell the keeper at once by the bell below.",
)
WHOLE = (*LINES[:4], "Of bells", "Of bread", LINES[4])


def page(*lines: str, **parts: object) -> Page:
    """Return a page with a menu beside its text."""
    marks = "T" * len(lines) + "l" * len(MENU)
    shown = Appearance("Lights", text=lines, links=MENU, order=marks)
    return Page(replace(shown, **parts), "http://a.test/lights.html")  # type: ignore[arg-type]


def as_pdf(*lines: str) -> Page:
    """Return a PDF with this text."""
    shown = Appearance("Lights", text=lines, order="T" * len(lines), is_pdf=True)
    return Page(shown, "http://a.test/lights.pdf")


def told(one: Page, stored: Page) -> Evidence:
    """Return what is said of two pages that are alike."""
    return weigh(one, stored, Site(Editions())).evidence


def test_one_text_in_two_formats_is_one_page() -> None:
    """However it is cut into lines, hyphenated and numbered; menus are no part of it."""
    assert told(as_pdf(*AS_PDF), page(*WHOLE)) is Evidence.RENDITION
    assert told(page(*WHOLE), as_pdf(*AS_PDF)) is Evidence.RENDITION


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("But never ring that bell while a ship can be seen from it.", Evidence.OTHER_TEXT),
        ("Call 5550123", Evidence.OTHER_NUMBERS),
    ],
)
def test_what_has_more_is_kept(more: str, why: Evidence) -> None:
    """Whichever format it is in: a sentence, or a number."""
    assert told(as_pdf(*AS_PDF, more), page(*WHOLE)) is why
    assert told(page(*WHOLE, more), as_pdf(*AS_PDF)) is why
    assert told(page(*WHOLE), as_pdf(*AS_PDF, more)) is Evidence.RENDITION


def test_other_numbers_are_another_text() -> None:
    """Also where both have the same ones, for other things."""
    changed = tuple(line.replace("40", "60") for line in AS_PDF)
    swapped = tuple(
        line.replace("40", "x").replace("25", "40").replace("x", "25") for line in AS_PDF
    )
    for lines in (changed, swapped):
        assert told(as_pdf(*lines), page(*WHOLE)) is Evidence.OTHER_NUMBERS
        assert told(page(*WHOLE), as_pdf(*lines)) is Evidence.OTHER_NUMBERS


def test_amounts_that_lines_begin_with_are_no_numbering() -> None:
    """Only what counts up from 1 over three lines and more counts them."""
    one, other = (
        tuple(f"{n} cups of flour for the bread of the {k}th day" for k, n in enumerate(amounts))
        for amounts in ((12, 14, 13), (12, 15, 13))
    )
    assert told(as_pdf(*AS_PDF, *one), page(*WHOLE, *other)) is Evidence.OTHER_NUMBERS


def test_what_a_page_embeds_is_not_in_its_pdf() -> None:
    """So it is kept."""
    held = page(*WHOLE, apart=("efilm.mp4",))
    assert told(held, as_pdf(*AS_PDF)) is Evidence.OTHER_SURROUNDINGS
    assert told(as_pdf(*AS_PDF), held) is Evidence.RENDITION


def test_two_of_one_format_are_compared_as_before() -> None:
    """And what is kept of pages says which they are, of others it is what it was."""
    assert told(as_pdf(*AS_PDF), as_pdf(*AS_PDF)) is Evidence.SAME_TEXT
    for one in (as_pdf(*AS_PDF), page(*WHOLE)):
        assert unpack(pack(one.appearance)) == one.appearance
