"""Kinds of duplicate: content and layout compared, each for itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crawler.config import Job
from crawler.dedup import Judge, MemoryCatalog, layout_fingerprint, likeness
from crawler.dedup.kinds import SAME_CONTENT, SAME_LAYOUT, kind
from crawler.dedup.signing import Hashes, layout_similarity
from crawler.models import (
    Document,
    DuplicateKind,
    ExactDuplicate,
    JudgedOn,
    Likeness,
    NearDuplicate,
    PayloadKey,
    Shingles,
    Signature,
    StoredDocument,
    StoredRef,
)
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisRequest, AnalysisSettings

REF = StoredRef(1, "https://a.example/")
PAYLOAD, TEXT = ExactDuplicate("exact-payload", REF), ExactDuplicate("exact-text", REF)


def near(similarity: float | None) -> NearDuplicate:
    """Return a near verdict."""
    return NearDuplicate(REF, 2, similarity, 1, 2, ())


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


class Original(MemoryCatalog):
    """The one stored page, with the first `shingles` whole numbers for shingles, or with these."""

    def __init__(self, layout: bytes | None, shingles: int | Hashes = 0) -> None:
        super().__init__()
        self._layout = layout
        if isinstance(shingles, int):
            shingles = np.arange(shingles, dtype=np.uint32)
        self._shingles = Shingles(shingles)

    def shingles(self, document_id: int) -> Shingles:
        """See Catalog."""
        assert document_id == REF.id
        return self._shingles

    def layout(self, document_id: int) -> bytes | None:
        """See Catalog."""
        assert document_id == REF.id
        return self._layout


@pytest.fixture(scope="module")
def analyser() -> Analyser:
    """Return the analyser of a default job."""
    return Analyser(AnalysisSettings.of(Job()))


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
        found = likeness(near(0.97), document(own, shingles=97), Original(of, shingles=100))
        assert found == Likeness(DuplicateKind.SAME_CONTENT, 0.97, None)


@pytest.mark.parametrize("claimed", [None, 0.99, 0.8])
def test_the_kind_rests_on_the_texts(claimed: float | None) -> None:
    """Content similarity is that of the shingles, whatever a method estimates or leaves open."""
    found = likeness(near(claimed), document(NEWS, shingles=90), Original(NEWS, shingles=100))
    assert found == Likeness(DuplicateKind.PARTIAL_CONTENT_SAME_LAYOUT, 0.9, 1.0)


def test_a_verified_similarity_is_the_content_similarity(analyser: Analyser) -> None:
    """With the default method the judge's number and the kind's are one and the same."""
    words = [f"word{n}" for n in range(400)]
    texts = " ".join(words), " ".join([*words[:200], "edited", *words[201:]])
    first, second = (
        analyser.analyse(AnalysisRequest("http://a.example/", text.encode(), "text/plain", "utf-8"))
        for text in texts
    )
    catalog = MemoryCatalog()
    judge = Judge(Job().dedup, catalog, expected_documents=16)
    for number, page in enumerate((first, second), 1):
        key = PayloadKey(str(number).encode(), "text/plain")
        verdict = judge.judge(key, page.signature, number)
        catalog.add(StoredDocument(number, number, REF.url, key, page.signature, number == 1))
    assert isinstance(verdict, NearDuplicate)
    original = Original(None, shingles=first.signature.shingles)
    assert likeness(verdict, second, original).content_similarity == verdict.similarity


def test_analysis_gives_html_a_layout_and_plain_text_none(analyser: Analyser) -> None:
    """Every HTML page has a layout fingerprint, also an empty one; a text file has none."""
    asked = AnalysisRequest("http://a.example/", b"<p>words", "text/html", "utf-8")
    read = analyser.analyse(asked)
    assert read.layout == layout_fingerprint({"html>body": 3, "body>p": 3})
    assert analyser.analyse(replace(asked, body=b"")).layout is not None
    assert analyser.analyse(replace(asked, media_type="text/plain")).layout is None
