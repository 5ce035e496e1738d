"""The lexicon command: a sample of texts in, a small file for a job out."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from crawler import config
from crawler.cli import main
from crawler.dedup import Signer
from crawler.dedup.methods import rivals


def test_a_sample_becomes_a_lexicon_that_a_job_can_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON lines, compressed or not, and text files are counted by document."""
    texts = ["the frontier of a crawl", "a crawl of 网页 and 网页", "the page", "crawl 网页"]
    packed, plain = tmp_path / "sample.jsonl.gz", tmp_path / "last.txt"
    with gzip.open(packed, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps({"body": text}) + "\n" for text in texts[:3])
    plain.write_text(texts[3], encoding="utf-8")
    output = tmp_path / "lexicon.tsv"
    arguments = ["lexicon", str(packed), str(plain), "--text-field", "body"]
    assert main([*arguments, "--output", str(output)]) == 0
    assert "2 words of 4 documents" in capsys.readouterr().out
    fitted = rivals.load(output)
    assert fitted.counts == {"crawl": 3, "网页": 2}
    signer = Signer(config.Dedup(method=config.Method.I_MATCH, lexicon=output))
    assert signer("crawl 网页", "").sketch == signer("the 网页, the crawl", "").sketch


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.jsonl", '{"text": "good"}\n{"other": 1}\n', ["a.jsonl:2", "'text'", "--text-field"]),
        ("a.jsonl", '{"text": 5}\n', ["a.jsonl:1", "must be a string"]),
        ("a.jsonl", "{\n", ["a.jsonl:1", "not valid JSON"]),
        ("a.txt", b"\xff\xfe\xff", ["a.txt", "not valid UTF-8"]),
        ("a.html", "<p>text", ["a.html", "pages.jsonl"]),
    ],
)
def test_bad_samples_are_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: str | bytes,
    words: list[str],
) -> None:
    """What cannot be read ends in one line with file, line and way out, and writes nothing."""
    path, output = tmp_path / name, tmp_path / "lexicon.tsv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert main(["lexicon", str(path), "--output", str(output)]) == 2
    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1
    assert all(word in complaint for word in words)
    assert not output.exists()


def test_a_lexicon_that_cannot_be_written_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A directory in its place is one clear error."""
    sample = tmp_path / "a.jsonl"
    sample.write_text('{"text": "words"}\n' * 2)
    assert main(["lexicon", str(sample), "--output", str(tmp_path)]) == 2
    assert "cannot write the lexicon" in capsys.readouterr().err


def test_a_sample_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An --output that is one of the samples is refused, however it is written."""
    sample = tmp_path / "a.jsonl"
    sample.write_text('{"text": "words"}\n' * 2)
    other = tmp_path / "link"
    other.symlink_to(sample)
    for output in (sample, other):
        assert main(["lexicon", str(tmp_path), "--output", str(output)]) == 2
        assert "is one of the files to be read" in capsys.readouterr().err
    assert sample.read_text() == '{"text": "words"}\n' * 2


def test_a_lexicon_without_words_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sample in which no two documents share a word says nothing about rarity."""
    sample = tmp_path / "a.jsonl"
    for content in ("", '{"text": "words"}\n'):
        sample.write_text(content)
        assert main(["lexicon", str(sample), "--output", str(tmp_path / "out.tsv")]) == 2
        assert "use a larger sample" in capsys.readouterr().err
