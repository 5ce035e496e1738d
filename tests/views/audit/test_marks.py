"""The file of marks: what is wrong with it is told with file and line, and nothing is mixed."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from support.auditing import audit, leave_crawl

from crawler.errors import InputError
from crawler.views.audit.marks import Mark, Marked, read_marks, write_marks
from crawler.views.audit.sample import Stratum


def line(number: int, **changes: Any) -> Marked:
    """Return a mark."""
    values: dict[str, Any] = {
        "url": f"http://a.test/{number}",
        "of": "http://a.test/",
        "verdict": "near",
        "evidence": None,
        "mark": Mark.COPY,
        "seed": 1,
        "stratum": Stratum.DROPPED,
        "population": 9,
        "crawl": "2026-01-01T00:00:00.000Z",
    }
    return Marked(**(values | changes))


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    """Marked and unmarked pairs come back as they were; nothing else is left behind."""
    marks = [
        line(1),
        line(2, mark=None),
        line(3, stratum=Stratum.SIBLINGS, population=4),
        line(4, verdict="exact-text", stratum=Stratum.SAME_TEXT, population=5),
    ]
    write_marks(tmp_path / "marks.jsonl", marks)
    assert read_marks(tmp_path / "marks.jsonl") == marks
    assert [path.name for path in tmp_path.iterdir()] == ["marks.jsonl"]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("{", ["marks.jsonl:2", "damaged", "not JSON"]),
        ("[]", ["marks.jsonl:2", "no JSON object"]),
        ('{"url": "x"}', ["marks.jsonl:2", "no field 'of'"]),
        ({"mark": "maybe"}, ["marks.jsonl:2", "'maybe'"]),
        ({"population": "many"}, ["marks.jsonl:2", "population", "'many'"]),
        ({"population": 0}, ["marks.jsonl:2", "population"]),
        ({"seed": True}, ["marks.jsonl:2", "seed"]),
        ({"stratum": "all"}, ["marks.jsonl:2", "'all'"]),
        ({"seed": 2}, ["marks.jsonl:2", "another sample", "seed 2, before 1"]),
        ({"crawl": "2025"}, ["marks.jsonl:2", "another sample", "crawl 2025"]),
        ({"population": 8}, ["marks.jsonl:2", "another sample", "population 8, before 9"]),
        ({"url": "http://a.test/1"}, ["marks.jsonl:2", "has a line already, line 1"]),
    ],
)
def test_a_damaged_line_is_named(
    damage: str | dict[str, Any], words: list[str], tmp_path: Path
) -> None:
    """File, line and what is wrong there."""
    path = tmp_path / "marks.jsonl"
    write_marks(path, [line(1), line(2)])
    first, second = path.read_text().splitlines()
    bad = damage if isinstance(damage, str) else json.dumps(json.loads(second) | damage)
    path.write_text(f"{first}\n{bad}\n")
    with pytest.raises(InputError) as caught:
        read_marks(path)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("name", ["empty.jsonl", "nowhere.jsonl", "."])
def test_a_file_without_marks_is_bad_input(name: str, tmp_path: Path) -> None:
    """An empty file, none, or a directory: one error that names it."""
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(InputError, match=str(tmp_path / name)):
        read_marks(tmp_path / name)


async def test_marks_of_another_crawl_or_seed_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, and the message says of what they are."""
    await leave_crawl(tmp_path / "out")
    path = tmp_path / "marks.jsonl"
    write_marks(path, [line(1)])
    code, _, err = audit(capsys, tmp_path / "out", "--marks", path)
    assert code == 2
    assert "of a crawl that began at 2026-01-01T00:00:00.000Z" in err
    pairs = exported(capsys, tmp_path)
    path.write_text(json.dumps(pairs[0] | {"url": "http://elsewhere.test/"}))
    code, _, err = audit(capsys, tmp_path / "out", "--marks", path)
    assert code == 2
    assert "http://elsewhere.test/ was never seen" in err
    path.write_text("\n".join(map(json.dumps, pairs)))
    code, _, err = audit(capsys, tmp_path / "out", "--marks", path, "--seed", "2")
    assert code == 2
    assert "seed 1, not 2" in err
    assert audit(capsys, tmp_path / "out", "--marks", path, "--seed", "1")[0] == 0


def exported(capsys: pytest.CaptureFixture[str], home: Path) -> list[dict[str, Any]]:
    """Return the lines that the page of the crawl in `home` exports before anything is marked."""
    assert audit(capsys, home / "out", "--output", home / "audit.html")[0] == 0
    source = (home / "audit.html").read_text(encoding="utf-8")
    return [json.loads(unescape(data)) for data in re.findall(r'data-line="([^"]*)"', source)]


async def test_marks_of_the_page_give_the_estimate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the page exports is what the command reads: shares, counts, and what is left to mark."""
    await leave_crawl(tmp_path / "out", near=6, siblings=4)
    pairs = exported(capsys, tmp_path)
    dropped = [pair for pair in pairs if pair["stratum"] == "dropped"]
    for pair, mark in zip(dropped, ("copy", "copy", "other page", "unsure"), strict=False):
        pair["mark"] = mark
    path = tmp_path / "marks.jsonl"
    path.write_text("\n".join(map(json.dumps, pairs)))
    code, out, _ = audit(capsys, tmp_path / "out", "--marks", path)
    assert code == 0
    assert "4 of 10 marked" in out
    assert "1 of 3 dropped pages are other pages: 33.3%" in out
    assert "Of 6 dropped near duplicates between 1 and 4 were dropped wrongly" in out
    assert "Unsure, left out: 1." in out
    assert "No sibling is marked yet: of 4 siblings" in out


async def test_pairs_in_order_of_doubt_give_no_estimate_until_all_are_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The most doubtful of each group come first, in turn; a part of them is no random sample."""
    directory, file = tmp_path / "out", tmp_path / "audit.html"
    await leave_crawl(directory, near=3, siblings=2, alike=(0.8, 0.95, 0.7))
    code, out, err = audit(capsys, directory, "--by-doubt", "--output", file)
    assert code == 0, err
    assert "(seed 1), the most doubtful first" in out
    page = file.read_text(encoding="utf-8")
    rows = [json.loads(unescape(row)) for row in re.findall(r'data-line="([^"]*)"', page)]
    assert [row["verdict"] for row in rows] == ["near", "sibling", "near", "sibling", "near"]
    ends = [int(row["url"].rpartition("/")[2]) for row in rows if row["verdict"] == "near"]
    assert ends == [4, 2, 3], "the least alike first"
    assert "The most doubtful pairs come first" in page
    assert "(seed 1), the most doubtful first.</p>" in page
    assert "until" not in page.partition("The order is random")[2]
    marks = tmp_path / "marks.jsonl"
    rows[0]["mark"] = rows[1]["mark"] = "copy"
    marks.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, out, _ = audit(capsys, directory, "--marks", marks)
    assert (code, out.count("told once all pairs are marked"), "%" in out) == (0, 2, False)
    for row in rows:
        row["mark"] = "copy"
    marks.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, out, _ = audit(capsys, directory, "--marks", marks)
    assert (code, "0 of 3 dropped pages are other pages" in out) == (0, True)
