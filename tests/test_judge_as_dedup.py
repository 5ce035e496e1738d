"""The judge of the library against the command `dedup`: one verdict on the same documents."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.documents import dedup, edited, text, write
from support.output import lines
from support.sampling import sample

from crawler.views.check import check_directory
from inline_crawler import Judge

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

Told = tuple[Any, ...]
MODES = ("tag", "drop", "ignore")
PLACES = ("/2023/report", "/2024/report", "/en/report", "/report", "/a/1", "/a/2", "/")


def form(name: str, dose: int) -> str:
    """Return a page from one form: all are alike, and each is about something else."""
    return f"The leaflet of {name}. Take {dose} mg a day. {text(77, 120)}. Keep {name} dry."


def documents(seed: int) -> Iterator[dict[str, Any]]:
    """Yield documents with copies, siblings and short ones; some have a title or a URL."""
    dice = random.Random(seed)
    for number in range(90):
        body = dice.choice([text, edited])(dice.randrange(6))
        if dice.random() < 0.4:
            body = form(dice.choice(["Alpha", "Beta", "Gamma"]), dice.choice([10, 50, 100]))
        document: dict[str, Any] = {"id": number, "text": dice.choice([body, body + "\n", "hi"])}
        if seed % 2 and dice.random() < 0.7:
            document["title"] = dice.choice(["Leaflet", "Report", "Report 2024"])
        if seed % 2 and dice.random() < 0.7:
            host = dice.choice(["a", "b"])
            document["url"] = f"https://{host}.example{dice.choice(PLACES)}"
        yield document


def by_dedup(rows: list[dict[str, Any]], siblings: str, home: Path) -> list[Told]:
    """Return what the command says of each row, in their order."""
    corpus = write(home / "rows.jsonl", rows)
    assert dedup(corpus, "--output", home / "out", "--siblings", siblings) == 0
    told = {}
    for name in ("duplicates", "pages"):
        for line in lines(home / "out", name):
            of = line.get("duplicate_of") or line.get("sibling_of") or {}
            found = line["verdict"], name == "pages", of.get("id"), line["similarity"]
            told[line["id"]] = (*found, line["distance"], line["evidence"])
    return [told[row["id"]] for row in rows]


def by_judge(rows: list[dict[str, Any]], siblings: str, home: Path) -> list[Told]:
    """Return what the library says of each."""
    told = []
    with Judge.open(home / "seen", siblings=siblings) as judge:
        for row in rows:
            found = judge.see(**row)
            exact = found.kind.startswith("exact")
            similarity = None if exact else found.similarity  # lines of copies do not say 1.0
            given = found.kind, found.keep, found.of, similarity, found.distance, found.evidence
            told.append(given)
    return told


@pytest.mark.parametrize("siblings", MODES)
@pytest.mark.parametrize("seed", sample(range(6), 2))
def test_each_verdict_is_that_of_dedup(seed: int, siblings: str, tmp_path: Path) -> None:
    """Whoever asks, with or without titles and URLs: kind, original, numbers, evidence agree."""
    rows = list(documents(seed))
    told = by_judge(rows, siblings, tmp_path)
    assert told == by_dedup(rows, siblings, tmp_path)
    kinds = {one[0] for one in told}
    assert kinds >= {"new", "unjudged", "exact-payload", "exact-text"}
    assert "near" in kinds or siblings != "ignore"
    assert "sibling" in kinds or siblings == "ignore"
    assert not check_directory(tmp_path / "seen", every_page=True).problems


def test_documents_without_a_url_are_at_no_common_address(tmp_path: Path) -> None:
    """Two pages of one form are siblings; that both were given to one judge is no evidence."""
    with Judge.open(tmp_path, siblings="tag") as judge:
        judge.see("a", form("Alpha", 10))
        verdict = judge.see("b", form("Beta", 100))
    assert (verdict.kind, verdict.of, verdict.keep) == ("sibling", "a", True)
    assert verdict.evidence != "same-address"
