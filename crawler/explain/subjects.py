"""The two sides that are explained: what each is called, what it says, how its text was chosen."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.dedup.copies import Appearance
from crawler.explain.finding import Line
from crawler.records import JudgedOn, PayloadKey

PLAIN = "text/plain"
_CHOICES = {
    JudgedOn.MAIN.value: "main text: extraction found the page's content",
    JudgedOn.VISIBLE.value: "visible text outside nav, header and footer: "
    "extraction covered too little of it",
}
_WHOLE = "the whole text"


@dataclass(frozen=True, slots=True)
class Subject:
    """One side."""

    name: str
    """The URL, or the file as it was given."""
    url: str
    """Its URL; of a file, where it lies (`file:`)."""
    text: str | None
    """The judged text; None for a near duplicate that was dropped and is not kept."""
    choice: str
    """Which text that is, and why; or why there is none."""
    payload: PayloadKey
    title: str | None = None
    """None also where it is not known."""
    appearance: Appearance | None = None
    """What evidence is taken from; None where too little is known of the page."""
    is_whole: bool = False
    """Whether its appearance holds what stands beside the text, too."""
    visible_digest: str | None = None
    """Of all visible text; None where it is not known."""
    layout: bytes | None = None
    """Layout fingerprint; None for plain text, or where it is not known."""
    line: Line | None = None
    """Its line in the crawl's output; None for a file."""

    @property
    def can_be_fetched(self) -> bool:
        """Whether its text is missing and the web may still have it."""
        return self.text is None and self.line is not None and not self.line.is_document

    @property
    def is_of_the_web(self) -> bool:
        """Whether it is a page of a crawl."""
        return not self.url.startswith("file:")


def choice_of(judged_on: str, media_type: str) -> str:
    """Return in words which text of a document was judged."""
    return _WHOLE if media_type == PLAIN else _CHOICES[judged_on]
