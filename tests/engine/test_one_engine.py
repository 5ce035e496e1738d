"""One engine behind every source: what becomes of a text does not depend on where it came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.archives import Archive
from support.crawling import command
from support.documents import dedup, edited, text, write
from support.output import lines

from inline_crawler import Judge

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

TEXTS = [text(1), text(2), edited(1), text(1), text(2).upper(), "few words", edited(2), text(3)]
EVIDENCE = (
    *("verdict", "kind", "content_similarity", "similarity", "distance", "matched_blocks"),
    *("fingerprint", "of_fingerprint", "reason", "evidence"),
)


def ends(output: Path, number: str) -> dict[int, dict[str, Any]]:
    """Return, by the number of each text, where its line is and on what evidence it was judged."""
    return {
        int(str(line[number]).rpartition("/")[2]): {"file": name}
        | {field: line.get(field) for field in EVIDENCE}
        for name in ("duplicates", "pages")
        for line in lines(output, name)
    }


@pytest.mark.parametrize("near", ["drop", "tag", "keep"])
def test_a_text_ends_alike_from_every_source(
    near: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a line of a corpus, a record of an archive and a document given to the library's judge."""
    archive = Archive()
    for number, body in enumerate(TEXTS, 1):
        archive.record("conversion", f"http://a.test/{number}", body.encode())
    (tmp_path / "a.wet.gz").write_bytes(archive.data)
    flags = ("--near", near, "--siblings", "ignore", "--output")
    code, _, said = command(capsys, "read", tmp_path / "a.wet.gz", *flags, tmp_path / "read")
    assert code == 0, said
    rows = [{"id": number, "text": body} for number, body in enumerate(TEXTS, 1)]
    assert dedup(write(tmp_path / "c.jsonl", rows), *flags, tmp_path / "dedup") == 0
    with Judge.open(tmp_path / "judged", near=near) as judge:
        for number, body in enumerate(TEXTS, 1):
            judge.see(number, body)
    found = ends(tmp_path / "dedup", "id")
    assert len(found) == len(TEXTS)
    assert {end["verdict"] for end in found.values()} >= {"new", "unjudged", "exact-payload"}
    assert found == ends(tmp_path / "judged", "id") == ends(tmp_path / "read", "url")
