"""What verdicts, evidence, failures and other codes mean: in a few words, and in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from crawler.models import EXACT_PAYLOAD, EXACT_TEXT, NEAR, SIBLING, DuplicateKind, Evidence
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


VERDICTS = {
    "new": "new",
    "unjudged": "not judged",
    EXACT_PAYLOAD: "exact duplicate",
    EXACT_TEXT: "exact duplicate",
    NEAR: "near duplicate",
    SIBLING: "sibling",
}
"""What verdicts are called, by their names in lines."""

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
    Evidence.OTHER_TEXT: "other words in the text",
    Evidence.OTHER_NAME: "another name throughout the text",
    Evidence.OTHER_NUMBERS: "other numbers in lines that are alike",
    Evidence.OTHER_SURROUNDINGS: "other things beside the text: header or footer, facts, pictures",
    Evidence.UNKNOWN: "too little is kept of the stored page to tell",
}
"""What each evidence means, in a few words."""
EVIDENCE_TOLD: Mapping[Evidence, str] = {
    Evidence.CANONICAL: "one names the other as the page that it is, or both name one "
    "(rel=canonical)",
    Evidence.SAME_ADDRESS: "the same address, but for the host, language or edition that it names",
    Evidence.SAME_TEXT: "the stored page shows all that it shows, stamps and what the site's pages "
    "have in common left out",
    Evidence.RENDITION: "one is a PDF, the other none, and the stored one shows all that it shows",
    Evidence.REPRINT: "the same text on another host; sentences may be missing, none is changed",
    Evidence.OTHER_TITLE: "the titles differ",
    Evidence.OTHER_TEXT: "words or numbers in the text of one are not on the other",
    Evidence.OTHER_NAME: "all through the text, another name stands where one has its own",
    Evidence.OTHER_NUMBERS: "lines that are otherwise alike have different numbers in them",
    Evidence.OTHER_SURROUNDINGS: "the texts are the same, but not what else the pages show",
    Evidence.UNKNOWN: "too little was kept of the stored page to tell",
}
"""The same in a sentence about two pages that are alike."""

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


def evidence_in_words(code: str) -> str:
    """Return what evidence says; a code of a later version of this program stands for itself."""
    return EVIDENCE_TOLD[Evidence(code)] if code in EVIDENCE_TOLD else code
