"""The command line as a user meets it: commands, flags, mistakes, exit codes."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.crawling import (
    FEWER,
    HANG_S,
    QUICK,
    command,
    demo_web,
    finished,
    job_data,
    loopback_job,
    program,
    write_job,
)
from support.output import summary_of
from support.paths import ROOT
from support.sampling import sample
from support.threaded import Reply, page, site

from crawler.cli import COMMANDS, parsed
from crawler.cli.commands import demo
from crawler.config import Job, parse_job
from crawler.demo import DemoWeb, demo_job
from crawler.engine.identity import identity
from crawler.sources.web.crawl import Crawl

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


@pytest.fixture(scope="module")
def documentation() -> str:
    """Return the README and all of docs/."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_flag_is_documented(
    name: str, documentation: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The README or docs/ names each command and each of its flags."""
    _, shown, _ = command(capsys, name, "--help")
    flags = set(re.findall(r"--[a-z][a-z-]+", shown)) - {"--help"}
    assert f"python -m crawler {name}" in documentation
    assert {flag for flag in flags if flag not in documentation} == set()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seeds", "nowhere.txt"], ["nowhere.txt", "No such file"]),
        (["--config", "nowhere.yaml"], ["nowhere.yaml", "No such file"]),
        (["crawl"], ["no seeds", "--seeds FILE"]),
        (["--sedes", "x"], ["crawl: error", "did you mean --seeds for --sedes?", "crawl --help"]),
        (["--verson"], ["did you mean --version for --verson?"]),
        (["dedup", "x", "--outptu", "y"], ["did you mean --output for --outptu?"]),
        (["report", "x", "--to=5"], ["report: error", "did you mean --top for --to?"]),
        (["resume", "x", "--frobnicate"], ["unrecognized arguments: --frobnicate; see"]),
        (["reprot", "x"], ["reprot", "did you mean 'report'?"]),
        (["crwal", "--seeds", "x"], ["crwal", "did you mean 'crawl'?"]),
        (["version"], ["did you mean '--version'?"]),
        (["--seeds", "https://a.test/"], ["--seeds: this is a URL", "crawl https://a.test/"]),
        (["report", "https://a.test/"], ["DIR: this is a URL", "crawl https://a.test/"]),
        (["read", "https://a.test/b.warc"], ["b.warc: this is a URL", "crawl https://a.test/"]),
        ([str(ROOT)], [f"did you mean python -m crawler report {ROOT} ?"]),
        (["https:/a.test/b"], ["did you mean https://a.test/b ?"]),
        (["http//a.test"], ["did you mean http://a.test ?"]),
        ([""], ["the first word is empty: is a variable without a value?"]),
        ([__file__], ["did you mean --seeds ", "test_cli.py (a page), dedup "]),
        (["--seeds", __file__], ["test_cli.py:1: ", "or did you mean extract "]),
        (["cluster", "start", "http://127.0.0.1:1/"], ["cluster start: --partitions N, or "]),
        (["--pages", "ten"], ["--pages: 'ten' is no whole number"]),
        (["stop"], ["unknown command 'stop'; crawl: Ctrl-C", "`resume` goes on; see"]),
        (["pause"], ["unknown command 'pause'; crawl: Ctrl-C"]),  # and not purge
        (["status"], ["unknown command 'status'; crawl: `report` shows its status"]),
        (["continue"], ["unknown command 'continue'; resume: Continue the crawl"]),
        (["--delay_s", "0"], ["did you mean --delay for --delay_s?"]),
        (["--depth-limit", "3"], ["did you mean --depth for --depth-limit?"]),
        (["--robots", "off"], ["did you mean --set politeness.robots=... for --robots?"]),
        (["--set", "scope=any"], ["scope: ", "known keys: exclude, ", ", mode (got 'any')"]),
        (["frobnicate"], ["frobnicate", "commands: crawl, resume"]),
        (["--seeds", str(ROOT / "seeds.txt"), "--output", ""], ["--output", "path is empty"]),
        (["--seeds", str(ROOT / "seeds.txt"), "--output", __file__], ["test_cli.py is a file"]),
        (["--config", ""], ["--config", "path is empty"]),
        (["report", "nowhere"], ["crawler: nowhere: no such directory\n"]),
        (["resume", "nowhere"], ["crawler: nowhere: no such directory\n"]),
        (["backup", "nowhere", "copy"], ["crawler: nowhere: no such directory\n"]),
        (["report", str(ROOT / "docs")], ["docs holds no crawl", "check the path\n"]),
        (
            ["resume", str(ROOT / "docs")],
            ["docs holds no crawl that has begun", "repeat the command"],
        ),
        (["demo", "--articles", "9"], ["--articles 9", "10 or more"]),
        (["--seeds", str(ROOT / "seeds.txt"), "--pages", "0"], ["limits.pages", "0"]),
        (["--seeds", str(ROOT / "seeds.txt"), "--time", "0s"], ["limits.time_s", "0"]),
        (["--seeds", str(ROOT / "seeds.txt"), "--time", "6"], ["--time", "90s, 30m, 6h or 2d"]),
        (["--seeds", str(ROOT / "seeds.txt"), "--near", "maybe"], ["--near", "maybe"]),
    ],
)
def test_a_mistake_is_one_clear_message_and_exit_code_2(
    arguments: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Bad input names what is wrong, shows no traceback and leaves nothing behind."""
    code, out, err = command(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert "Traceback" not in err
    for word in words:
        assert word in err


@pytest.mark.parametrize(
    ("job", "words"),
    [
        ({"output": ""}, ["output: the path is empty"]),
        ({"fetch": {"headers": {"Cookie": "a=b"}}}, ["fetch.headers", "'cookie'", "fetch.cookies"]),
        ({"fetch": {"headers": {"Range": "bytes=1-"}}}, ["'range' is set by the program itself"]),
        (
            {"fetch": {"headers": {"X-A": "a\r\nb: c"}}},
            ["fetch.headers.X-A: must be one line"],
        ),
        (
            {"fetch": {"headers": {"X-A": "b", "x-a": "c"}}},
            ["a name is there twice"],
        ),
        ({"fetch": {"headers": {"X-A": " b"}}}, ["fetch.headers.X-A: must not begin or end"]),
        ({"user_agent": {"full": "Mozilla/5.0"}}, ["user_agent.full", "InlineCrawler"]),
        ({"scope": {"include": ["("]}}, ["scope.include: '(' is not a regular expression"]),
    ],
)
def test_a_job_file_is_complained_of_in_our_words(
    job: dict[str, object], words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What our own checks say of a job file comes without the marks of the library below."""
    code, _, err = command(capsys, "--config", str(write_job(job, tmp_path / "job.yaml")))
    assert code == 2
    assert "Value error" not in err
    for word in words:
        assert word in err


def test_a_log_is_written_where_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], impatient: None
) -> None:
    """CRAWLER_LOG brings lines with level and package on stderr, and no password; else none."""
    seeds, config = tmp_path / "seeds.txt", tmp_path / "job.yaml"
    seeds.write_text("http://127.0.0.1:1/\n")
    config.write_text("scope: {exclude: ['http://user:se-cret@a.test/']}\n")
    flags = ("--seeds", seeds, "--config", config, "--output")
    logged = {**os.environ, "CRAWLER_LOG": "debug"}
    loud = program(*flags, tmp_path / "a", "--time", "0.1s", env=logged)
    code, out, err = finished(loud, 30.0)
    assert code == 1
    told = r"^\S+ \S+ DEBUG crawler\.cli\.commands\.jobs: job from .*//\*\*\*@a\.t"
    assert re.search(told, err, re.M)
    assert re.search(r"^\S+ \S+ INFO crawler\.sources\.event_loop: ", err, re.M)
    assert "se-cret" not in out + err
    _, _, err = command(capsys, *flags, tmp_path / "b")
    assert "DEBUG" not in err
    assert "INFO" not in err


@pytest.mark.parametrize("closed", sample(["<&- >&- 2>&-", ">&-"], 1))
def test_a_crawl_runs_without_standard_streams(tmp_path: Path, closed: str) -> None:
    """What was closed before the program began costs neither its processes nor its end."""
    seeds, output = tmp_path / "seeds.txt", tmp_path / "out"
    seeds.write_text("http://127.0.0.1:1/\n")
    command = f'exec "$0" -m crawler --seeds "$1" --output "$2" --time 0.1s {closed}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, str(seeds), str(output)],
        stderr=subprocess.PIPE,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert summary_of(output)["pending"] == 1


def test_a_log_level_that_is_none_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A misspelt CRAWLER_LOG is bad input, and the levels are named."""
    monkeypatch.setenv("CRAWLER_LOG", "loud")
    code, _, err = command(capsys, "report", "nowhere")
    assert code == 2
    assert "CRAWLER_LOG=loud: give DEBUG, INFO, WARNING or ERROR" in err


def test_no_arguments_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    """`python -m crawler` alone lists the commands."""
    code, out, _ = command(capsys)
    assert code == 0
    for name in COMMANDS:
        assert name in out


def test_unreachable_seeds_end_within_seconds_with_a_line_each(tmp_path: Path) -> None:
    """Where no seed can be reached each is named with its reason, and the exit code is 1.

    Also where only errors are wanted.
    """
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    seeds = tmp_path / "seeds.txt"
    seeds.write_text(f"http://127.0.0.1:{port}/\nhttp://name.invalid/\n")
    code, _, err = finished(
        program("-q", "--seeds", seeds, "--output", tmp_path / "out", "--contact", "x@y.test"), 30.0
    )
    assert code == 1
    said = [line for line in err.splitlines() if "no page (" in line]
    assert [line.split(":")[0] for line in said] == ["http", "http"]
    assert "connect" in said[0]
    assert "dns" in said[1]


def test_the_usual_directory_is_named_where_none_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who says `report` alone means the crawl that is there; without one nothing is guessed."""
    monkeypatch.chdir(tmp_path)
    assert "did you mean" not in command(capsys, "report")[2]
    Path("crawl-out").mkdir()
    assert "did you mean python -m crawler report crawl-out ?" in command(capsys, "report")[2]


def test_a_public_crawl_without_contact_warns_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], impatient: None
) -> None:
    """The warning names the flag; a contact or local seeds silence it."""
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("http://name.invalid/\n")
    _, _, err = command(capsys, "--seeds", seeds, "--output", tmp_path / "a")
    assert err.count("--contact") == 1
    _, _, err = command(capsys, "--seeds", seeds, "--output", tmp_path / "b", "--contact", "x@y.z")
    assert "--contact" not in err


def test_a_seeds_password_is_dropped_with_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], impatient: None
) -> None:
    """Seeds with user and password, from a list or a job file, are named, and no secret is."""
    urls = [f"http://user:se-cret@{name}.invalid/" for name in "ab"]
    seeds, quiet = tmp_path / "seeds.txt", tmp_path / "quiet.txt"
    seeds.write_text("\n".join(["http://c.invalid/", *urls]))
    quiet.write_text("http://c.invalid/\n")
    config = write_job({"seeds": urls[1:]}, tmp_path / "job.yaml")
    started = {
        "--seeds": (seeds, "http://a.invalid/ and 1 more"),
        "--config": (config, "http://b."),
    }
    for n, (flag, (path, named)) in enumerate(started.items()):
        _, out, err = command(capsys, flag, path, "--output", tmp_path / str(n))
        [warning] = [line for line in err.splitlines() if "and password" in line]
        assert f"left out of {named}" in warning
        written = b"".join(file.read_bytes() for file in (tmp_path / str(n)).iterdir())
        assert "se-cret" not in out + err
        assert b"se-cret" not in written
    _, _, err = command(capsys, "--seeds", quiet, "--output", tmp_path / "quiet")
    assert "and password" not in err


def test_a_used_directory_is_refused_before_a_demo_web_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`demo --output USED` says so at once; the directory is taken by what the demo's job says."""

    def no_web(*_: object) -> None:
        raise AssertionError("a web was made for nothing")

    web = DemoWeb(articles=10)
    assert identity(parse_job(demo_job(web, tmp_path), "demo")) == identity(Job())
    monkeypatch.setattr(demo, "DemoWeb", no_web)
    (tmp_path / "pages.jsonl").write_text("mine")
    code, out, err = command(capsys, "demo", "--output", tmp_path)
    assert (code, out) == (2, "")
    assert "pages.jsonl exists" in err
    assert "Serving" not in err


@pytest.mark.parametrize("name", COMMANDS)
def test_help_ends_with_examples_that_are_valid(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each example is a command line that the parser takes."""
    _, shown, _ = command(capsys, name, "--help")
    _, colon, examples = re.split(r"^(examples?:)\n", shown, flags=re.MULTILINE)
    lines = examples.strip().splitlines()
    assert (colon == "examples:") == (len(lines) > 1)
    for line in lines:
        words = shlex.split(line)
        assert words[:4] == ["python", "-m", "crawler", name]
        begins = words[3:5] == ["cluster", "start"]
        assert parsed(words[3:]).command == ("crawl" if begins else name)


@pytest.mark.parametrize(
    "line",
    [
        "dedup a --output d b c",
        "dedup --output d a b c",
        "dedup a b c --output d",
        "dedup a b --output d -- c",
        "dedup a --skip-bad b --output=d c",
    ],
)
def test_files_are_taken_before_and_behind_flags(line: str) -> None:
    """Wherever a flag stands among them, all files are meant, in their order."""
    args = parsed(line.split())
    assert (args.files, str(args.output)) == (["a", "b", "c"], "d")


def test_a_directory_holds_one_crawl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beginning a crawl where one is names `resume` as the way on and harms nothing."""
    with demo_web(articles=2) as (web, _):
        job = write_job(
            job_data(web, tmp_path / "out", QUICK, {"limits": {"pages": 5}}), tmp_path / "job"
        )
        code, _, err = command(capsys, "--config", job)
        assert code == 0
        before = (tmp_path / "out" / "pages.jsonl").read_bytes()
        refused, _, refusal = command(capsys, "--config", job)
    assert re.search(r"Page limit 5 reached, \d+ URLs are pending; .* resume .* --pages 10\n", err)
    assert "Stopped" not in err
    assert refused == 2
    assert "resume" in refusal
    assert (tmp_path / "out" / "pages.jsonl").read_bytes() == before


def test_a_time_limit_ends_a_run_like_a_page_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages in progress are finished, the exit code is 0, and a resume goes on with the rest.

    The time begins with the first page under way, which is answered when it is over.
    """
    output, asked, over = tmp_path / "out", threading.Event(), threading.Event()
    finish, end_turns = Crawl._finish, Crawl._end_turns

    def answer(path: str) -> Reply:
        if path == "/robots.txt":
            return Reply(status=404)
        asked.set()
        assert over.wait(HANG_S)
        return page(path, "/1", "/2")

    async def finishing(crawl: Crawl, turns: asyncio.Task[None]) -> None:
        await asyncio.to_thread(asked.wait)
        await finish(crawl, turns)

    def ending(crawl: Crawl) -> None:
        end_turns(crawl)
        over.set()

    monkeypatch.setattr(Crawl, "_finish", finishing)
    monkeypatch.setattr(Crawl, "_end_turns", ending)
    with site(answer) as server:
        job = write_job(loopback_job(output, [f"{server.url}/"]), tmp_path / "job")
        code, _, err = command(capsys, "--config", job, "--time", "0.2s")
        summary = summary_of(output)
        assert code == 0
        assert re.search(r"Time limit of 0.2 s reached, 2 URLs are pending; .* resume ", err)
        assert summary["stored"] == 1
        assert summary["pending"] == 2
        assert summary["identity_holds"]
        assert not summary["stopped"]
        assert not summary["failures"]
        code, _, err = command(capsys, "resume", output, "--time", "1d", "--pages", 2)
    assert code == 0
    assert "Page limit 2 reached" in err


def test_a_byte_limit_ends_a_crawl_and_counts_over_its_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pages in progress are finished; a resume under the same limit asks for no page."""
    output = tmp_path / "out"
    with demo_web(articles=2) as (web, _):
        one = {"fetch": {"workers": 1}, "seeds": [web.url("quiet.demo.test", "/")]}
        data = job_data(web, output, QUICK, one)
        job = write_job(data, tmp_path / "job")
        assert command(capsys, "--config", job, "--pages", 3)[0] == 0
        sent = summary_of(output)["totals"]["wire_bytes"]
        for limit, pages in ((sent, 3), (sent + 1, 4)):
            flags = ("--bytes", limit, "--pages", 100)
            code, _, err = command(capsys, "resume", output, *flags)
            assert code == 0
            told = rf"Byte limit {limit:,} reached, \d+ URLs are pending; .* --bytes \d+\n"
            assert re.search(told, err)
            summary = summary_of(output)
            assert summary["stored"] + sum(summary["duplicates"].values()) == pages
            assert summary["identity_holds"]


def test_an_end_with_nothing_left_names_no_way_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where no URL is pending the last lines tell of no resume."""
    with demo_web(articles=2) as (web, _):
        seeds = {"seeds": [web.url("quiet.demo.test", "/")], "limits": {"depth": 0}}
        job = write_job(job_data(web, tmp_path / "out", seeds), tmp_path / "job")
        code, _, err = command(capsys, "--config", job)
    assert code == 0
    assert "go on" not in err


def test_a_report_can_be_read_while_the_crawl_runs_and_afterwards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`report DIR` prints the tables and `summary.json` is not touched by it."""
    with demo_web(articles=2) as (web, _):
        job = write_job(job_data(web, tmp_path / "out", FEWER), tmp_path / "job")
        assert command(capsys, "--config", job)[0] == 0
    written = (tmp_path / "out" / "summary.json").read_bytes()
    code, out, _ = command(capsys, "report", tmp_path / "out", "--top", "3")
    assert code == 0
    for title in ("Where every URL ended", "Verdicts by host", "Largest clusters", "Failures"):
        assert title in out
    assert (tmp_path / "out" / "summary.json").read_bytes() == written


def test_a_reader_that_leaves_changes_no_end(tmp_path: Path) -> None:
    """With both pipes closed a crawl is whole, and exit codes are what they would have been."""
    output = tmp_path / "out"
    often = {"progress_s": 0.01, "limits": {"pages": 5}}
    with demo_web(articles=4) as (web, _):
        config = write_job(job_data(web, output, FEWER, often), tmp_path / "job")
        process = program("--config", config)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stderr.close()
        assert process.wait(HANG_S) == 0
    assert summary_of(output)["identity_holds"]
    for arguments, code in ((("report", output), 0), (("report", tmp_path / "none"), 2)):
        process = program(*arguments)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stderr.close()
        assert process.wait(HANG_S) == code
