"""`crawl --resume-if-begun`: the one command for a service begins, goes on, and begins again."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.crawling import FEWER, command, demo_web, job_data, write_job
from support.output import lines, summary_of

from crawler.storage.store import Store
from crawler.storage.tables import Meta

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


def service(capsys: pytest.CaptureFixture[str], job: Path, *more: object) -> tuple[int, str]:
    """Run the command of the unit file; return exit code and what it told."""
    code, out, err = command(capsys, "--config", job, "--resume-if-begun", *more)
    return code, out + err


def test_the_same_command_begins_goes_on_and_is_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second run continues the first with the job given, a third finds nothing to do."""
    output = tmp_path / "out"
    with demo_web(articles=4) as (web, _):
        data = job_data(web, output, FEWER)
        job = write_job(data, tmp_path / "job.yaml")
        assert service(capsys, job, "--pages", 5)[0] == 0
        first = summary_of(output)
        assert (first["runs"], first["pending"] > 0) == (1, True)
        assert service(capsys, job)[0] == 0
        done = summary_of(output)
        assert (done["runs"], done["pending"], done["identity_holds"]) == (2, 0, True)
        assert lines(output, "pages")[0]["id"] == 1
        assert service(capsys, job)[0] == 0
        again = summary_of(output)
    assert again["runs"] == 3
    assert {key: again[key] for key in ("seen", "stored")} == {
        key: done[key] for key in ("seen", "stored")
    }
    assert not [line for line in lines(output, "skipped") if line["reason"] == "out-of-scope"]


def nothing(output: Path) -> None:
    """Killed before its first act."""


def bare(output: Path) -> None:
    """Killed when the directory and the lock were made."""
    output.mkdir()
    (output / "lock").write_text('{"pid": 1, "host": "x", "started_at": 0}')


def blank(output: Path) -> None:
    """Killed before the tables were made."""
    bare(output)
    (output / "state.sqlite").write_bytes(b"")


def tables(output: Path) -> None:
    """Killed before the seeds were stored; the line files are there."""
    Store.create(output, {"of": "another version"}).close()


def marked(output: Path) -> None:
    """Killed when the run had been noted, but no URL."""
    tables(output)
    with closing(sqlite3.connect(output / "state.sqlite")) as connection, connection:
        connection.execute("INSERT INTO meta VALUES (?, '[{\"started_at\": 0}]')", (Meta.RUNS,))


def half_written(output: Path) -> None:
    """Killed within the transaction that makes the tables: its journal is still there."""
    bare(output)
    with closing(sqlite3.connect(output / "state.sqlite", isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_spill = 1")
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN")
        connection.execute("CREATE TABLE t (a)")
        connection.executemany("INSERT INTO t VALUES (?)", [("x" * 4000,)] * 50)
        torn = {
            name: (output / name).read_bytes() for name in ("state.sqlite", "state.sqlite-journal")
        }
    for name, data in torn.items():
        (output / name).write_bytes(data)


@pytest.mark.parametrize("killed", [nothing, bare, blank, tables, marked, half_written])
def test_a_crawl_killed_before_it_began_is_begun_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], killed: Any
) -> None:
    """Whatever a kill at start-up left, the same command begins, and the crawl is whole."""
    output = tmp_path / "out"
    killed(output)
    with demo_web(articles=2) as (web, _):
        job = write_job(job_data(web, output, FEWER), tmp_path / "job.yaml")
        code, told = service(capsys, job, "--pages", 3)
    assert code == 0, told
    summary = summary_of(output)
    assert (summary["runs"], summary["stored"] > 0, summary["identity_holds"]) == (1, True, True)


INTERRUPTED = """
import sys
from crawler.cli import main
from crawler.sources.web.crawl import Crawl

def interrupt(*_, **__):
    raise KeyboardInterrupt

Crawl.__init__ = interrupt
sys.exit(main(["crawl", "--config", sys.argv[1]]))
"""
"""A crawl, and Ctrl-C pressed when its directory is made and its loop is not."""


def test_a_crawl_interrupted_before_it_began_is_to_be_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By Ctrl-C while it loads: it says so, so does `resume`, and the same command begins."""
    way_out = "repeat the command that was to begin it"
    with demo_web(articles=2) as (web, _):
        job = write_job(job_data(web, tmp_path / "out", FEWER), tmp_path / "job.yaml")
        line = [sys.executable, "-c", INTERRUPTED, str(job)]
        ended = subprocess.run(line, capture_output=True, text=True, check=False)
        assert ended.returncode == 130
        assert ended.stderr.endswith(f"Stopped before anything was stored; {way_out}.\n")
        code, _, told = command(capsys, "resume", tmp_path / "out")
        assert code == 2
        assert way_out in told
        code, _, told = command(capsys, "crawl", "--config", job, "--pages", 3)
    assert code == 0, told


def test_a_crawl_stopped_before_its_seeds_were_stored_is_to_be_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a signal that its loop has heard already: `resume` is not promised."""

    def stopped(_: object, store: Store, *__: object) -> int:
        store.close()
        return 130

    monkeypatch.setattr("crawler.cli.commands.crawl.run_crawl", stopped)
    code, _, told = command(capsys, "crawl", "http://127.0.0.1:1/", "--output", tmp_path / "out")
    assert code == 130
    assert "before anything was stored; repeat the command that was to begin it" in told
    assert "continue with" not in told


def test_what_is_not_this_crawl_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another program's file, the results of `dedup`, other settings: code 2, nothing harmed."""
    with demo_web(articles=2) as (web, _):
        theirs = tmp_path / "theirs"
        theirs.mkdir()
        (theirs / "state.sqlite").write_bytes(b"no database at all, but long enough to be read")
        job = write_job(job_data(web, theirs, FEWER), tmp_path / "theirs.yaml")
        code, told = service(capsys, job)
        assert (code, "is not a crawl's state file" in told) == (2, True)
        judged = tmp_path / "judged"
        text = tmp_path / "one.txt"
        text.write_text("a text of some words that is judged by itself")
        assert command(capsys, "dedup", text, "--output", judged)[0] == 0
        job = write_job(job_data(web, judged, FEWER), tmp_path / "judged.yaml")
        code, told = service(capsys, job)
        assert (code, "the results of `dedup`" in told) == (2, True)
        output = tmp_path / "out"
        job = write_job(job_data(web, output, FEWER), tmp_path / "job.yaml")
        assert service(capsys, job, "--pages", 3)[0] == 0
        other = {"dedup": {"payload_hash": "sha1"}}
        job = write_job(job_data(web, output, FEWER, other), tmp_path / "other.yaml")
        code, told = service(capsys, job)
        assert (code, "payload_hash" in told) == (2, True)
        assert summary_of(output)["runs"] == 1


def test_seeds_that_are_added_later_are_crawled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The job is the one that is given, its seeds included."""
    output, seeds = tmp_path / "out", tmp_path / "seeds.txt"
    with demo_web(articles=2) as (web, _):
        data = job_data(web, output, FEWER, {"limits": {"depth": 0}})
        first, *others = data.pop("seeds")
        job = write_job(data, tmp_path / "job.yaml")
        seeds.write_text(f"{first}\n")
        assert service(capsys, job, "--seeds", seeds)[0] == 0
        before = summary_of(output)["seen"]
        seeds.write_text("\n".join([first, *others]))
        assert service(capsys, job, "--seeds", seeds)[0] == 0
    assert summary_of(output)["seen"] > before
