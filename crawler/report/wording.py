"""What the codes of a report mean, in a few words: for its tables and for its page."""

from __future__ import annotations

from crawler.records import DuplicateKind, Evidence

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
    Evidence.SAME_ADDRESS: "the same path on another host, in another language or edition",
    Evidence.SAME_TEXT: "the same title and text on one host",
    Evidence.REPRINT: "the same text on another host",
    Evidence.OTHER_TITLE: "another title",
    Evidence.OTHER_CANONICAL: "another rel=canonical",
    Evidence.OTHER_LIST: "a list, and a part of what it lists",
    Evidence.OTHER_TEXT: "other words in the text, under one title",
    Evidence.OTHER_NAME: "another name throughout the text",
    Evidence.OTHER_NUMBERS: "other numbers in lines that are alike",
    Evidence.OTHER_SURROUNDINGS: "other lists, tables or comments around the text",
    Evidence.UNKNOWN: "too little is kept of the stored page to tell",
}
"""What each evidence means, in a few words."""

TOO_LITTLE = {
    "short": ("short", "stored, but near duplicates were not looked for: dedup.min_near_tokens"),
    "too-short": ("too short", "stored, compared by their bytes only: dedup.min_tokens"),
    "no-text": ("no text", "stored, compared by their bytes only"),
}
"""Name in the summary -> what the report calls it and says of it."""
