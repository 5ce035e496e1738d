"""The first sentence of an explanation: each rule of the judge in words, and what must be added."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.explaining import side

from crawler.config import Dedup, SiblingMode
from crawler.models import Evidence
from crawler.views.explain.evidence import Explanation, explain
from crawler.views.explain.subjects import Line, Subject
from crawler.views.wording import EVIDENCE_TOLD

LINES = [
    f"Paragraph {n} speaks of matter {n * 7} and of place {n * 3} at length." for n in range(30)
]
CHANGED = [*LINES[:15], "This is told in quite other words than on the first page.", *LINES[16:]]
ONE, TWO = "http://one.example/a", "http://two.example/b"
OTHER_LAYOUTS = bytes(32), bytes([255]) * 32


def page(url: str = ONE, lines: list[str] | None = None, **known: object) -> Subject:
    """Return a page of many lines."""
    return side(url, LINES if lines is None else lines, **known)  # type: ignore[arg-type]


NAMED = [line.replace("matter", "Acme") for line in LINES]
RENAMED = [line.replace("matter", "Zeta") for line in LINES[:3]] + NAMED[3:]
LONG_LISTS = [
    [f"A {name} that stands in a long list, number {n}" for n in range(60)] for name in "xy"
]

PAIRS: dict[Evidence, tuple[Subject, Subject]] = {
    Evidence.CANONICAL: (page(), page("http://one.example/b", LINES[:-1], canonical=ONE)),
    Evidence.SAME_TEXT: (page(beside=["A footer"]), page("http://one.example/b")),
    Evidence.REPRINT: (page(), page(TWO, LINES[:-1], title="Elsewhere")),
    Evidence.OTHER_TITLE: (
        page(),
        page("http://one.example/b", title="Another title", beside=["x"]),
    ),
    Evidence.OTHER_TEXT: (page(), page("http://one.example/b", CHANGED)),
    Evidence.OTHER_NAME: (page(lines=NAMED, title="Acme"), page(TWO, RENAMED, title="Zeta")),
    Evidence.OTHER_NUMBERS: (
        page(),
        page(TWO, [*LINES[:-1], LINES[-1].replace("203", "204")], title="Elsewhere"),
    ),
    Evidence.OTHER_SURROUNDINGS: (
        page(beside=LONG_LISTS[0]),
        page("http://one.example/b", beside=LONG_LISTS[1]),
    ),
}
"""Two pages for each kind of evidence that two pages alone can give: a SAME_ADDRESS is earned by
other pages, UNKNOWN is said of pages of which too little is kept."""


@pytest.mark.parametrize("evidence", PAIRS)
def test_each_rule_has_its_sentence(evidence: Evidence) -> None:
    """A pair made for a rule is decided by it, and the sentence says so, with its code."""
    first, second = PAIRS[evidence]
    if evidence in (Evidence.REPRINT, Evidence.OTHER_NAME, Evidence.OTHER_NUMBERS):
        first, second = (
            replace(subject, layout=layout)
            for subject, layout in zip((first, second), OTHER_LAYOUTS, strict=True)
        )
    told = explain(first, second, Dedup()).data
    verdict = "near duplicate, dropped" if evidence.is_copy else "sibling, stored"
    assert told["sentence"] == f"{verdict}: {EVIDENCE_TOLD[evidence]} ({evidence})"
    assert told["notes"] == ["So B would be judged by the current settings, if only A were stored."]
    assert told["decision"]["evidence"] == evidence.value
    assert told["decision"]["on"] == "b"
    assert not told["decision"]["recorded"]


def test_all_evidence_has_a_sentence() -> None:
    """None is missing, none is said in the words of another."""
    assert set(EVIDENCE_TOLD) == set(Evidence)
    assert len(set(EVIDENCE_TOLD.values())) == len(EVIDENCE_TOLD)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://one.example/docs/2.0/a", "the same path, but for the language or edition that it"),
        ("http://two.example/docs/1.0/a", "the same path on another host"),
        ("http://two.example/docs/2.0/a", EVIDENCE_TOLD[Evidence.SAME_ADDRESS]),
    ],
)
def test_what_is_said_of_one_address_is_true_of_the_two(address: str, told: str) -> None:
    """Another host, another edition and both are said in other words."""
    of = {"url": "http://one.example/docs/1.0/a"}
    line = {"verdict": "near", "evidence": "same-address", "duplicate_of": of}
    second = recorded(page(address, CHANGED), "duplicates", **line)
    said = explain(page("http://one.example/docs/1.0/a"), second, Dedup()).data["sentence"]
    assert said.startswith(f"near duplicate, dropped: {told}")


def recorded(subject: Subject, file: str, **fields: object) -> Subject:
    """Return a page with a line."""
    return replace(subject, line=Line(file, fields, Path()))


def sentence_and_notes(explained: Explanation) -> tuple[str, list[str]]:
    """Return what is said first."""
    return explained.data["sentence"], explained.data["notes"]


def test_what_a_crawl_recorded_comes_first() -> None:
    """It is told instead of what would be decided now, and the latter if that is not the same."""
    of = {"url": TWO, "id": 1}
    first = recorded(
        page(), "pages", verdict="sibling", evidence="unknown", sibling_of=of, similarity=1.0
    )
    said, added = sentence_and_notes(explain(first, page(TWO, title="Elsewhere"), Dedup()))
    assert said == f"sibling, stored: {EVIDENCE_TOLD[Evidence.UNKNOWN]} (unknown)"
    assert added == [
        "The crawl recorded this of A.",
        "By the current settings, if only A were stored, B would be: exact duplicate, dropped: "
        "the text is the same (exact-text).",
    ]
    same = recorded(PAIRS[Evidence.OTHER_TITLE][1], "pages", verdict="sibling", sibling_of=of)
    of["url"], record = ONE, same.line.record if same.line else {}
    same = recorded(same, "pages", **record, evidence="other-title")
    assert explain(page(), same, Dedup()).data["notes"] == ["The crawl recorded this of B."]


def test_what_was_recorded_of_a_third_page_is_not_of_the_two() -> None:
    """A duplicate of another page is judged anew; its record is among the numbers."""
    of = {"url": "http://three.example/", "id": 1}
    line = {"verdict": "near", "evidence": "reprint", "duplicate_of": of}
    second = recorded(page(TWO, title="Elsewhere"), "duplicates", **line)
    told = explain(page(), second, Dedup()).data
    assert not told["decision"]["recorded"]
    [kept] = told["recorded"]
    assert (kept["on"], kept["of"], kept["concerns_both"]) == ("b", of["url"], False)
    assert (kept["evidence"], kept["stored"]) == ("reprint", False)


def test_records_without_evidence_are_told() -> None:
    """Where none was asked for, the similarity is the rule, or the digest was."""
    of = {"url": ONE, "id": 1}
    line = {"verdict": "near", "similarity": 0.9, "duplicate_of": of}
    second = recorded(page(TWO), "duplicates", **line)
    assert explain(page(), second, Dedup()).data["sentence"] == (
        "near duplicate, dropped: the texts are alike: similarity 0.9000; no evidence of a copy "
        "was asked for"
    )
    second = recorded(page(TWO), "duplicates", verdict="exact-payload", duplicate_of=of)
    assert explain(page(), second, Dedup()).data["sentence"] == (
        "exact duplicate, dropped: the bytes are the same (exact-payload)"
    )
    second = recorded(page(TWO), "pages", verdict="near", evidence="moon", duplicate_of=of)
    assert explain(page(), second, Dedup()).data["sentence"] == "near duplicate, stored: moon"


def test_what_is_not_known_of_a_page_is_said() -> None:
    """Without what stands beside a text, or without title and lines, the verdict may be another."""
    first, second = page(), page("http://one.example/b", CHANGED)
    partly = replace(second, is_whole=False)
    said, added = sentence_and_notes(explain(first, partly, Dedup()))
    assert said.startswith(f"sibling, stored: {EVIDENCE_TOLD[Evidence.OTHER_TEXT]}")
    assert added[1].startswith("Judged without what stands beside the texts")
    bare = replace(second, appearance=None)
    said, added = sentence_and_notes(explain(first, bare, Dedup()))
    assert said.startswith("near duplicate, dropped: similarity 0.9")
    assert added[1].startswith("Judged by the texts alone: title and lines of one of the two")
    settings = Dedup(siblings=SiblingMode.IGNORE)
    said, added = sentence_and_notes(explain(first, second, settings))
    assert said.startswith("near duplicate, dropped: similarity 0.9")
    assert added[1].endswith("(dedup.siblings: ignore).")


def test_a_job_says_what_becomes_of_a_sibling() -> None:
    """With `dedup.siblings: drop` it would be dropped."""
    first, second = PAIRS[Evidence.OTHER_TITLE]
    said = explain(first, second, Dedup(siblings=SiblingMode.DROP)).data["sentence"]
    assert said == "sibling, dropped: the titles differ (other-title)"
