"""The two sides that are explained: what each is called, what it says, how its text was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crawler.dedup.copies import Appearance
from crawler.dedup.signing.digests import format_digest, text_digest
from crawler.explain.finding import Line
from crawler.records import TEMPLATE, Document, JudgedOn, PayloadKey

PLAIN = "text/plain"
_CHOICES = {
    JudgedOn.TEMPLATE.value: "what its site's template holds for text",
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


def content_of(page: Document, media_type: str) -> Mapping[str, Any]:
    """Return of a page that was just read what `choice_of` takes from a line."""
    return {
        "content_type": media_type,
        "judged_on": page.judged_on,
        "read_by": page.read_by,
        "template": page.template,
        "text_digest": format_digest(page.signature.text_digest),
    }


def choice_of(content: Mapping[str, Any], judged: str) -> str:
    """Return in words which text of a page was judged, and which is stored if that is another.

    `content` are the fields of its line, `judged` is the judged text.
    """
    if content["content_type"] == PLAIN:
        return _WHOLE
    told, by = _CHOICES[content["judged_on"]], content.get("read_by")
    if content["judged_on"] == JudgedOn.TEMPLATE:
        told += f" (version {content['template']})"
    if by == TEMPLATE:
        by = f"version {content['template']} of its site's template"
    if content["text_digest"] != format_digest(text_digest(judged)):
        return f"{told}; stored is another text{f', read by {by}' if by else ''}"
    return told
