"""What the codes of a report mean, in a few words: for its tables and for its page."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from crawler.models import DuplicateKind, Evidence
from crawler.units import counted


@dataclass(frozen=True, slots=True)
class Words:
    """What a report calls the things that it counts, in the singular; an `s` makes the plural."""

    page: str
    url: str
    """What ends: each is seen, and accounted for."""
    host: str
    """What pages lie on."""
    address: str
    """What a page is found by."""
    stored: str
    """What became of a page that is no copy."""


OF_A_CRAWL = Words("page", "URL", "host", "URL", "stored")
OF_A_CORPUS = Words("document", "document", "file", "name", "kept")


def ran(seconds: float, runs: int, digits: int = 1) -> str:
    """Return how long all runs took together."""
    return f"{seconds:,.{digits}f} s in {counted(runs, 'run')}"


KINDS = (
    (DuplicateKind.SAME_CONTENT_SAME_LAYOUT, "same", "same"),
    (DuplicateKind.SAME_CONTENT_OTHER_LAYOUT, "same", "other"),
    (DuplicateKind.SAME_CONTENT, "same", "none"),
    (DuplicateKind.PARTIAL_CONTENT_SAME_LAYOUT, "partly the same", "same"),
    (DuplicateKind.PARTIAL_CONTENT_OTHER_LAYOUT, "partly the same", "other"),
    (DuplicateKind.PARTIAL_CONTENT, "partly the same", "none"),
)
"""Kind, its content, its layout; the most alike first."""

JUDGED_ON = {
    "template": ("site's template", "what the crawl learned of the page's site"),
    "main": ("main text", "extraction found the content, or the page is plain text"),
    "visible": ("visible text", "neither template nor extraction could be trusted"),
    "bytes": ("bytes alone", "same bytes as a stored page, not read"),
}

EVIDENCE = {
    Evidence.CANONICAL: "a page names the other as the same (rel=canonical, hreflang)",
    Evidence.SAME_ADDRESS: "another edition, as pages of the site have proven",
    Evidence.SAME_TEXT: "the stored page shows all that it shows",
    Evidence.RENDITION: "the same as PDF and as a page",
    Evidence.REPRINT: "the same text on another host",
    Evidence.OTHER_TITLE: "another title",
    Evidence.OTHER_CANONICAL: "another rel=canonical",
    Evidence.OTHER_LIST: "a list, and a part of what it lists",
    Evidence.OTHER_TEXT: "other words in the text",
    Evidence.OTHER_NAME: "another name throughout the text",
    Evidence.OTHER_NUMBERS: "other numbers in lines that are alike",
    Evidence.OTHER_SURROUNDINGS: "other things beside the text: header or footer, facts, pictures",
    Evidence.UNKNOWN: "too little is kept of the stored page to tell",
}
"""What each evidence means, in a few words."""

TOO_LITTLE = {
    "short": (
        "short",
        "stored; no siblings of it are told: dedup.min_near_tokens",
    ),
    "too-short": ("too short", "stored, compared by their bytes only: dedup.min_tokens"),
    "no-text": ("no text", "stored, compared by their bytes only"),
}
"""Name in the summary -> what the report calls it and says of it."""


def misread(pages: int) -> str:
    """Return what became of pages that a wrong template read."""
    told = f"{counted(pages, 'page')} {'was' if pages == 1 else 'were'}"
    return f"{told} read by a template that was found wrong and given up later"


def ways_out() -> dict[str, tuple[str, str]]:
    """Return failure class or reason of skipping -> what it means, what to do if there are many.

    `ways_out.txt` has the tables of docs/operations.md, word by word.
    """
    table = files(__package__).joinpath("ways_out.txt").read_text(encoding="utf-8")
    rows = (line.strip("| ").split(" | ") for line in table.splitlines()[2:])
    return {name: (meaning, way) for names, meaning, way in rows for name in names.split()}
