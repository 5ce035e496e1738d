"""`recrawl` as a command: where its results lie, what it says, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.crawling import command, crawl, loopback_job
from support.output import lines
from support.threaded import page, site

from crawler.commands.recrawl import next_directory
from crawler.recrawl import interval_s
from crawler.recrawl.history import FETCHED
from crawler.storage import Meta, StoreView

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


def test_the_command_visits_and_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A recrawl lies beside its crawl, tells what it found, and is refused a second time there."""
    pages = {"/": page("home", "/a"), "/a": page("first")}
    with site(lambda path: pages.get(path, page("none"))) as web:
        out = tmp_path / "out"
        assert crawl(loopback_job(out, [f"{web.url}/"])) == 0
        code, _, told = command(capsys, "recrawl", out)  # nothing is due within a day
        assert code == 0
        assert "No page is due" in told
        assert lines(tmp_path / "out.r1", "skipped") == []
        pages["/a"] = page("second")
        code, said, _ = command(capsys, "recrawl", out, "--all", "--output", tmp_path / "new")
        assert code == 0
        assert "Visited again" in said
        assert [line["revisit"]["kind"] for line in lines(tmp_path / "new", "pages")] == ["text"]
        assert (tmp_path / "new" / "changes.jsonl").read_bytes().count(b"\n") == 2
        code, _, error = command(capsys, "recrawl", out, "--all", "--output", tmp_path / "new")
        assert code == 2
        assert str(tmp_path / "new") in error
        assert command(capsys, "check", tmp_path / "new")[0] == 0
        with StoreView.read(tmp_path / "new") as view:
            assert view.meta(Meta.RECRAWL)["of"] == ["../out"]


def test_what_is_no_crawl_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A directory without a crawl, one of `dedup`, and one without a page: code 2 and one line."""
    assert command(capsys, "recrawl", tmp_path / "none")[0] == 2
    assert crawl(loopback_job(tmp_path / "empty", ["http://127.0.0.1:1/"])) == 0
    capsys.readouterr()
    code, _, error = command(capsys, "recrawl", tmp_path / "empty")
    assert (code, error.count("\n")) == (2, 1)
    assert "no stored page" in error
    assert not (tmp_path / "empty.r1").exists()
    (tmp_path / "a.txt").write_text("some words of a text " * 20)
    assert command(capsys, "dedup", tmp_path / "a.txt", "--output", tmp_path / "judged")[0] == 0
    code, _, error = command(capsys, "recrawl", tmp_path / "judged")
    assert code == 2
    assert "Traceback" not in error


def test_directories_are_numbered_and_a_first_visit_has_an_interval() -> None:
    """`crawl-out`, `crawl-out.r1`, `crawl-out.r2`; who was never visited again waits `min_s`."""
    assert next_directory(Path("x/crawl-out")) == Path("x/crawl-out.r1")
    assert next_directory(Path("x/crawl-out.r9")) == Path("x/crawl-out.r10")
    assert interval_s(FETCHED, 60.0, 600.0) == 60.0


def test_a_recrawl_lies_beside_its_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the directory is named: by its name, as `.`, or as a recrawl."""
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path / "out")
    assert next_directory(tmp_path / "out") == tmp_path / "out.r1"
    assert next_directory(Path()) == tmp_path / "out.r1"
    assert next_directory(tmp_path / "out.r1") == tmp_path / "out.r2"
    assert next_directory(Path("../out.r9")) == Path("../out.r10")
