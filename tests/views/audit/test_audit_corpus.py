"""The audit of a run of `dedup`: texts read again from where they lie, or why they cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.auditing import TEXT, audit
from support.crawling import command

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


def write_corpus(path: Path, *changes: str) -> Path:
    """Write documents: a text, and the same with its seventh sentence changed."""
    texts = [TEXT, *(TEXT.replace("Sentence 7", change) for change in changes)]
    rows = ({"id": n, "title": f"Title {n}", "text": text} for n, text in enumerate(texts))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def shown(capsys: pytest.CaptureFixture[str], directory: Path) -> str:
    """Return what the terminal shows."""
    code, out, err = audit(capsys, directory, "--terminal")
    assert code == 0, err
    return out


def test_documents_are_read_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Titles and differences are there as for a crawl; of a file that is gone it is said why."""
    corpus, output = write_corpus(tmp_path / "a.jsonl", "Phrase 7"), tmp_path / "judged"
    assert command(capsys, "dedup", corpus, "--output", output)[0] == 0
    out = shown(capsys, output)
    assert "1 of 1 dropped near duplicates" in out
    assert "[-Phrase-]{+Sentence+} 7 speaks" in out
    assert "Title 1" in out
    assert "judged by resemblance alone" in out
    corpus.unlink()
    out = shown(capsys, output)
    assert "No text of this page: it cannot be read again" in out
    assert "Sentence 0 speaks" in out


def test_originals_of_earlier_runs_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a document was judged against lies in another directory, or is said to be gone."""
    first, second = write_corpus(tmp_path / "a.jsonl"), tmp_path / "b.jsonl"
    row = {"id": 5, "text": TEXT.replace("Sentence 7", "Phrase 7")}
    second.write_text(json.dumps(row) + "\n")
    assert command(capsys, "dedup", first, "--output", tmp_path / "one")[0] == 0
    later = ("--output", tmp_path / "two", "--against", tmp_path / "one")
    assert command(capsys, "dedup", second, *later)[0] == 0
    assert "[-Phrase-]{+Sentence+} 7 speaks" in shown(capsys, tmp_path / "two")
    (tmp_path / "one").rename(tmp_path / "gone")
    assert "one: no such directory" in shown(capsys, tmp_path / "two")
