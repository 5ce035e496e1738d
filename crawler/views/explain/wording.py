"""What the verdicts and the evidence of a crawl say, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from crawler.models import EXACT_PAYLOAD, EXACT_TEXT, NEAR, SIBLING, Evidence

VERDICTS = {
    "new": "new",
    "unjudged": "not judged",
    EXACT_PAYLOAD: "exact duplicate",
    EXACT_TEXT: "exact duplicate",
    NEAR: "near duplicate",
    SIBLING: "sibling",
}
"""What verdicts are called, by their names in lines."""
EVIDENCE: Mapping[Evidence, str] = {
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
"""What each kind of evidence says of two pages that are alike."""


def evidence_in_words(code: str) -> str:
    """Return what evidence says; a code of a later version of this program stands for itself."""
    return EVIDENCE[Evidence(code)] if code in EVIDENCE else code
