"""`recrawl` as a command: where its results lie, what it says, and what it refuses."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from support.crawling import command, crawl, loopback_job
from support.output import lines
from support.paths import doc
from support.threaded import Reply, page, site

from crawler.cli.commands.recrawl import next_directory
from crawler.sources.web.recrawl import FETCHED, interval_s, opened
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView

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
        assert f"recrawl {tmp_path / 'new'}" in error
        assert command(capsys, "check", tmp_path / "new")[0] == 0
        with StoreView.read(tmp_path / "new") as view:
            assert view.meta(Meta.RECRAWL)["of"] == ["../out"]


def night(script: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a script of bash whose `python` asks this process for commands, which has begun already.

    Return its exit code.
    """
    line = ["bash", str(script)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as bash:
        assert bash.stdin
        for asked in bash.stdout or ():
            directory, module, name, *words = shlex.split(asked)
            assert (module, name) == ("-m", "crawler")
            monkeypatch.chdir(directory)
            bash.stdin.write(f"{command(capsys, *words)[0]}\n")
            bash.stdin.flush()
    return bash.returncode


def test_the_script_for_every_night_goes_on_from_the_newest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It visits what is due, also after a night in which nothing was, and ends with code 0."""
    [script] = re.findall("```bash\n(.*?)```", doc("recrawl"), re.S)
    nightly = tmp_path / "nightly.sh"
    asking = """python() { printf "%q " "$PWD" "$@"; echo; read -r code; return "$code"; }"""
    nightly.write_text(f"{asking}\n{script}")
    with site(lambda path: page("home")) as web:
        assert crawl(loopback_job(tmp_path / "crawl-out", [f"{web.url}/"])) == 0
        for number, shortest in ((1, "72000"), (2, "72000"), (3, "0.001")):
            nightly.write_text(nightly.read_text().replace("72000", shortest))
            assert night(nightly, capsys, monkeypatch) == 0
            assert (tmp_path / f"crawl-out.r{number}" / "changes.jsonl").exists()
    assert len((tmp_path / "crawl-out.r3" / "changes.jsonl").read_bytes().splitlines()) == 1


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


def paths_of(output: Path, *kinds: str) -> set[str]:
    """Return the paths of URLs with such lines."""
    return {"/" + line["url"].split("/", 3)[3] for kind in kinds for line in lines(output, kind)}


@pytest.mark.parametrize("links_change", [False, True])
def test_what_failed_before_is_asked_for_and_what_is_pending_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], links_change: bool
) -> None:
    """A URL without an answer is no page of the past: no link leads there that is read again.

    What may have passed is asked for by every recrawl until there is an answer; what was left
    pending is told, with two ways out, and asked for where that is wanted; what is gone is told.
    """
    bad = Reply("bad", headers={"Content-Length": "9999"})  # and another one
    asked: list[str] = []
    links = ("/bad", "/none", "/a", *(f"/late/{n}" for n in range(5)))
    home = page("home", *links)

    def answer(path: str) -> Reply:
        asked.append(path)
        if path in ("/none", "/robots.txt"):
            return Reply(status=404)
        return {"/": home, "/bad": bad}.get(path) or page(path)

    with site(answer) as web:
        out = tmp_path / "out"
        job = loopback_job(out, [f"{web.url}/"], fetch={"retries": 0, "workers": 1})
        job["limits"] = {"pages": 2}
        assert crawl(job) == 0
        assert {"/bad", "/none"} <= paths_of(out, "failures")
        if links_change:
            home = page("new", *links)
        asked.clear()
        code, _, told = command(capsys, "recrawl", out, "--all")
        assert code == 0
        assert "/bad" in asked
        assert not [path for path in asked if path == "/none" or path.startswith("/late/")]
        assert (
            "Asking for URLs that earlier directories have no answer about: protocol-error 1"
            in told
        )
        [left] = [line for line in told.splitlines() if line.startswith("Not asking for URLs")]
        assert "http-4xx 1" in left
        assert f"resume {out}, or give --pending" in left
        assert f"retry {out} --class CLASS" in left
        asked.clear()
        bad = page("good")
        assert command(capsys, "recrawl", f"{out}.r1", "--known-only")[0] == 0
        assert "/bad" not in asked
        flags = ["--output", tmp_path / "all"]
        assert command(capsys, "recrawl", f"{out}.r1", "--pending", *flags)[0] == 0
        assert set(asked) >= {"/bad", *(f"/late/{n}" for n in range(5))}
        assert "/bad" in paths_of(tmp_path / "all", "pages")
        asked.clear()
        code, _, told = command(capsys, "recrawl", tmp_path / "all", "--output", tmp_path / "end")
        assert "/bad" not in asked
        assert "left before: http-4xx 1. " in told
        assert command(capsys, "check", tmp_path / "all")[0] == 0


def test_a_crawl_that_runs_is_not_visited_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor does one go on while it is: either says who is in the way, and changes nothing."""
    with site(lambda path: page(path, "/a")) as web:
        out = tmp_path / "out"
        assert crawl(loopback_job(out, [f"{web.url}/"])) == 0
        running = Store.open(out)
        code, _, error = command(capsys, "recrawl", out, "--all")
        assert (code, error.count("\n")) == (2, 1)
        assert f"{out} is in use by a crawl that this process (pid {os.getpid()}" in error
        assert not (tmp_path / "out.r1").exists()
        running.close()
        assert command(capsys, "recrawl", out, "--all", "--pages", "1")[0] == 0
        running = Store.open(out)
        assert command(capsys, "resume", f"{out}.r1", "--pages", "9")[0] == 2
        running.close()
        with opened([out]), opened([out]):
            code, _, error = command(capsys, "resume", out)
            assert code == 2
            assert "is in use by a recrawl of it: wait for it" in error
        assert command(capsys, "resume", f"{out}.r1", "--pages", "9")[0] == 0
        (out / "lock").unlink()  # as in a copy
        assert command(capsys, "recrawl", out, "--all", "--output", tmp_path / "copied")[0] == 0
