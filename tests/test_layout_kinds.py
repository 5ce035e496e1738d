"""Kinds of duplicate: content and layout compared, each for itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from crawler.analysis import Analyser, AnalysisRequest, AnalysisSettings
from crawler.config import Job
from crawler.dedup import layout_fingerprint, likeness
from crawler.dedup.kinds import SAME_CONTENT, SAME_LAYOUT, kind
from crawler.dedup.layout import layout_similarity
from crawler.records import (
    Document,
    DuplicateKind,
    ExactDuplicate,
    JudgedOn,
    Likeness,
    NearDuplicate,
    Signature,
    StoredRef,
)

REF = StoredRef(1, "https://a.example/")
PAYLOAD, TEXT = ExactDuplicate("exact-payload", REF), ExactDuplicate("exact-text", REF)


def near(similarity: float | None) -> NearDuplicate:
    """Return a near verdict."""
    return NearDuplicate(REF, 2, similarity, 1, 2, (), 1)


def layout(*paths: str) -> bytes:
    """Return a layout fingerprint."""
    made = layout_fingerprint(dict.fromkeys(paths, 1))
    assert made is not None
    return made


NEWS, SHOP = layout("html>body", "body>article"), layout("html>frameset", "frameset>frame")


def document(layout: bytes | None, shingles: int = 0) -> Document:
    """Return a page with the first `shingles` whole numbers for shingles."""
    signature = Signature(b"", b"", 1, 99, "word3", np.arange(shingles, dtype=np.uint32), b"")
    text = JudgedOn.MAIN
    return Document(None, "", text, "utf-8", (), None, None, False, False, signature, layout=layout)


class Original:
    """The one stored page."""

    def __init__(self, layout: bytes | None, shingles: int = 0) -> None:
        self._layout = layout
        self._shingles = np.arange(shingles, dtype=np.uint32)

    def shingles(self, document_id: int) -> npt.NDArray[np.uint32]:
        """See Originals."""
        assert document_id == REF.id
        return self._shingles

    def layout(self, document_id: int) -> bytes | None:
        """See Originals."""
        assert document_id == REF.id
        return self._layout


@pytest.mark.parametrize(
    ("content", "layout", "expected"),
    [
        (SAME_CONTENT, SAME_LAYOUT, DuplicateKind.SAME_CONTENT_SAME_LAYOUT),
        (1.0, SAME_LAYOUT - 0.01, DuplicateKind.SAME_CONTENT_OTHER_LAYOUT),
        (SAME_CONTENT - 0.01, 1.0, DuplicateKind.PARTIAL_CONTENT_SAME_LAYOUT),
        (0.8, 0.0, DuplicateKind.PARTIAL_CONTENT_OTHER_LAYOUT),
        (1.0, None, DuplicateKind.SAME_CONTENT),
        (0.8, None, DuplicateKind.PARTIAL_CONTENT),
    ],
)
def test_kinds_by_both_similarities(
    content: float, layout: float | None, expected: DuplicateKind
) -> None:
    """Both thresholds are inclusive; without a layout the kind speaks of the content alone."""
    assert kind(content, layout) is expected


def test_the_same_bytes_are_the_same_page() -> None:
    """A copy of a payload is alike in both, analysed or not; of plain text only the content is."""
    same = Likeness(DuplicateKind.SAME_CONTENT_SAME_LAYOUT, 1.0, 1.0)
    assert likeness(PAYLOAD, None, Original(NEWS)) == same
    assert likeness(PAYLOAD, document(NEWS), Original(NEWS)) == same
    plain = Likeness(DuplicateKind.SAME_CONTENT, 1.0, None)
    assert likeness(PAYLOAD, None, Original(None)) == plain


def test_the_same_text_may_have_another_dress() -> None:
    """An exact text is the same content; its layout is compared."""
    assert likeness(TEXT, document(NEWS), Original(NEWS)).layout_similarity == 1.0
    other = likeness(TEXT, document(SHOP), Original(NEWS))
    assert other.kind is DuplicateKind.SAME_CONTENT_OTHER_LAYOUT
    assert other.content_similarity == 1.0
    assert other.layout_similarity == layout_similarity(SHOP, NEWS) < SAME_LAYOUT


def test_one_plain_text_is_enough_for_no_layout() -> None:
    """A text file that repeats an HTML page, or the other way round, has no layout similarity."""
    for own, of in ((None, NEWS), (NEWS, None)):
        found = likeness(near(0.97), document(own), Original(of))
        assert found == Likeness(DuplicateKind.SAME_CONTENT, 0.97, None)


def test_a_similarity_that_nobody_claimed_is_computed() -> None:
    """Where the verdict has none, the content similarity is that of the two sets of shingles."""
    found = likeness(near(None), document(NEWS, shingles=90), Original(NEWS, shingles=100))
    assert found == Likeness(DuplicateKind.PARTIAL_CONTENT_SAME_LAYOUT, 0.9, 1.0)
    claimed = likeness(near(0.99), document(NEWS, shingles=90), Original(NEWS, shingles=100))
    assert claimed.content_similarity == 0.99


@pytest.fixture(scope="module")
def analyser() -> Analyser:
    """Return the analyser of a default job."""
    return Analyser(AnalysisSettings.of(Job()))


def test_analysis_gives_html_a_layout_and_plain_text_none(analyser: Analyser) -> None:
    """Every HTML page has a layout fingerprint, also an empty one; a text file has none."""
    asked = AnalysisRequest("http://a.example/", b"<p>words", "text/html", "utf-8")
    read = analyser.analyse(asked)
    assert read.layout == layout_fingerprint({"html>body": 3, "body>p": 3})
    assert analyser.analyse(replace(asked, body=b"")).layout is not None
    assert analyser.analyse(replace(asked, media_type="text/plain")).layout is None
