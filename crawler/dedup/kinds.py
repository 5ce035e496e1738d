"""Kinds of duplicate: whether the content is the same, and whether the layout is.

The two questions are answered apart. Together they give the four types of duplicate page that
textbooks on search engines tell: an identical page, a reprint in another dress, another edition of
a page on the same site, and a page that borrowed a part.
"""

from __future__ import annotations

from crawler.dedup.catalog import Catalog
from crawler.dedup.signing import layout_similarity, shingle_similarity
from crawler.models import (
    EXACT_PAYLOAD,
    Document,
    DuplicateKind,
    ExactDuplicate,
    Likeness,
    NearDuplicate,
    Sibling,
)

SAME_CONTENT = 0.95
"""Content similarity from which two texts count as the same, inclusive. One word edited costs three
of a text's n shingles of three words, J = (n - 3) / (n + 3): the same from 120 words on. A sentence
of 20 words added to n is another J = n / (n + 20): the same from 380 words on."""

SAME_LAYOUT = 0.5
"""Layout similarity from which two pages count as of one template, inclusive. Two versions of one
page in one template have .73 at least, pages of two themes of one generator .40 at most, pages of
sites with nothing in common .23 (docs/judging.md)."""

_KINDS = {
    (True, True): DuplicateKind.SAME_CONTENT_SAME_LAYOUT,
    (True, False): DuplicateKind.SAME_CONTENT_OTHER_LAYOUT,
    (True, None): DuplicateKind.SAME_CONTENT,
    (False, True): DuplicateKind.PARTIAL_CONTENT_SAME_LAYOUT,
    (False, False): DuplicateKind.PARTIAL_CONTENT_OTHER_LAYOUT,
    (False, None): DuplicateKind.PARTIAL_CONTENT,
}


Alike = ExactDuplicate | NearDuplicate | Sibling
"""Verdicts that name a stored page."""


def likeness(verdict: Alike, document: Document | None, originals: Catalog) -> Likeness:
    """Return in what a page equals the stored one that its verdict names.

    `document` may be None for a copy of a stored payload: the same bytes, read in the same way, are
    the same page. Whatever the method claims or estimates, content is compared by the shingles.
    """
    of_layout = originals.layout(verdict.of.id)
    if isinstance(verdict, ExactDuplicate) and verdict.kind == EXACT_PAYLOAD:
        layout = None if of_layout is None else 1.0
        return Likeness(kind(1.0, layout), 1.0, layout)
    assert document is not None  # every other verdict was drawn from it
    content, layout = 1.0, None
    if document.layout is not None and of_layout is not None:
        layout = layout_similarity(document.layout, of_layout)
    if not isinstance(verdict, ExactDuplicate):
        content = shingle_similarity(document.signature, originals.shingles(verdict.of.id))
    return Likeness(kind(content, layout), content, layout)


def kind(content_similarity: float, layout_similarity: float | None) -> DuplicateKind:
    """Return what two similarities, 0..1, make of a duplicate; None where a page has no layout."""
    same_layout = None if layout_similarity is None else layout_similarity >= SAME_LAYOUT
    return _KINDS[content_similarity >= SAME_CONTENT, same_layout]
