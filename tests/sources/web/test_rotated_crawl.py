"""Commands over a crawl whose lines lie in many files: all of them read every file."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.crawling import command, loopback_job, write_job
from support.documents import dedup, text, write
from support.output import lines, summary_of
from support.restoring import check_whole, copied, crawl_that_drops, dropped
from support.shelf import shelf

from crawler.storage.directory import line_path
from crawler.storage.view import StoreView
from crawler.views.check import check_directory

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished crawl with dropped pages, whose stored pages lie in several files."""
    output = tmp_path_factory.mktemp("rotated") / "out"
    crawl_that_drops(output, storage={"rotate_bytes": 100_000}, extract={"markdown": True})
    with StoreView.read(output) as view:
        files = view.files()
    assert len(files["pages"]) > 2
    assert all("." in file for of_kind in files.values() for file in of_kind)
    assert not line_path(output, "pages").exists()
    return output


def test_a_rotated_crawl_is_whole(original: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All counts agree, a check reads every line, and so does the report."""
    assert summary_of(original)["identity_holds"]
    found = check_directory(original)
    assert found.problems == []
    stored = len(lines(original, "pages"))
    assert f"fingerprints of {stored:,} of {stored:,} pages" in found.looked_at
    assert command(capsys, "report", original)[0] == 0


def test_pages_of_every_file_are_found(
    original: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """By URL and by id, to be explained; an audit finds the lines of its sample; hosts are told."""
    first, *_, last = lines(original, "pages")
    code, out, err = command(capsys, "explain", first["url"], str(last["id"]), "--output", original)
    assert code == 0, err
    assert last["url"] in out
    page = tmp_path / "audit.html"
    assert command(capsys, "audit", original, "--output", page)[0] == 0
    assert "its line is not in" not in page.read_text()
    host = max((line["host"] for line in lines(original, "pages")), key=len)
    assert command(capsys, "templates", original, host)[0] in (0, 2)  # 2: it has learned nothing


def test_a_rotated_crawl_is_copied_restored_and_signed_again(
    original: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """What is written then goes on in the files as the job says, and the copy is whole."""
    output, copy = copied(original, tmp_path / "out"), tmp_path / "copy"
    every = dropped(output)
    assert command(capsys, "restore", output, *every)[0] == 0
    check_whole(output, set(every))
    assert command(capsys, "reindex", output)[0] == 0
    assert command(capsys, "backup", output, copy)[0] == 0
    with StoreView.read(copy) as view:
        sizes = [extent.bytes for extent in view.files()["pages"].values()]
    with StoreView.read(original) as view:
        assert len(sizes) >= len(view.files()["pages"])
    assert all(size >= 100_000 for size in sizes[:-1])
    assert check_directory(copy).problems == []


def test_every_command_that_writes_lines_rotates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A new crawl, a resumed one and a run over a corpus take the size from their jobs."""
    long = [text(seed, 30_000) for seed in (1, 2, 3)]
    size = {"rotate_bytes": 100_000}
    pages = {f"/{n}": f"<title>{n}</title><p>{words}" for n, words in enumerate(long)}
    with shelf(pages) as host:
        seeds = [host + path for path in pages]
        made = loopback_job(tmp_path / "out", seeds, limits={"pages": 2}, storage=size)
        job = write_job(made, tmp_path / "job.yaml")
        assert command(capsys, "--config", job)[0] == 0
        assert command(capsys, "resume", tmp_path / "out", "--pages", "9")[0] == 0
    corpus = write(tmp_path / "corpus.jsonl", [{"text": words} for words in long])
    job = write_job({"storage": size}, tmp_path / "judging.yaml")
    assert dedup(corpus, "--config", job, "--output", tmp_path / "judged") == 0
    for directory in (tmp_path / "out", tmp_path / "judged"):
        with StoreView.read(directory) as view:
            counts = [extent.lines for extent in view.files()["pages"].values()]
        assert counts == [1, 1, 1]


def test_damage_is_told_by_file_and_line(original: Path, tmp_path: Path) -> None:
    """A line is named as it stands in its own file, and what is lost by the file that lost it."""
    output = copied(original, tmp_path / "out")
    second = line_path(output, "pages.00002")
    whole = second.read_bytes()
    rows = whole.splitlines(keepends=True)
    second.write_bytes(b"".join([rows[0], b"?" + rows[1][1:], *rows[2:]]))
    told = {(p.file, p.place, p.what.partition(":")[0]) for p in check_directory(output).problems}
    assert ("pages.00002.jsonl", "line 2", "not JSON") in told
    second.write_bytes(whole[: -len(rows[-1])])
    [lost, *_] = [p for p in check_directory(output).problems if p.place == ""]
    assert lost.file == "pages.00002.jsonl"
    assert f"the last {len(rows[-1]):,} of {len(whole):,} bytes are missing" in lost.what
    second.write_bytes(whole)
    line_path(output, "pages.00009").write_text("torn")
    notes = check_directory(output).notes
    assert any("pages.00009.jsonl has 4 bytes that are not committed" in note for note in notes)
