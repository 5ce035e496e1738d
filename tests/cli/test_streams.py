"""Where messages and results go: ASCII locales, closed pipes, full devices, terminals, logs."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import orjson
import pytest
import yaml
from support.analysing import no_processes
from support.crawling import FEWER, command, crawl, demo_web, job_data, write_job
from support.forking import Forked, forking_in
from support.output import lines

from crawler.cli import COMMANDS
from crawler.cluster.root import Root
from crawler.config import load_job
from crawler.views.live.panel import REDRAWN_S

ASCII = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}

COMMAND_LINES = {
    "crawl": "crawl --config {job} --output {new} --pages 2",
    "completion": "completion bash",
    "resume": "resume {dir}",
    "cluster": "cluster status {new}",
    "dry-run": "dry-run --config {job} --sample 1",
    "add": "add {dir} http://localhost/",
    "purge": "purge {dir} --host {host} --dry-run",
    "inspect": "inspect {dir} 1",
    "recrawl": "recrawl {dir} --output {new} --due",
    "retry": "retry {dir} --dry-run",
    "restore": "restore {dir} --evidence same-text --dry-run",
    "reindex": "reindex {dir}",
    "backup": "backup {dir} {new}",
    "check": "check {dir}",
    "report": "report {dir}",
    "query": "query {dir} --csv",
    "search": "search {dir} the",
    "templates": "templates {dir} --json",
    "rules": "rules {dir} --json",
    "export": "export {dir} --output {new} --format csv",
    "demo": "demo --help",
    "dedup": "dedup {dir}/pages.jsonl --output {new} --processes 1",
    "extract": "extract {job}",
    "read": "read {dir} --output {new} --processes 1",
    "reread": "reread {dir} --output {new} --processes 1",
    "index": "index build {dir} --output {new}",
    "explain": "explain 1 2 --output {dir}",
    "audit": "audit {dir} --terminal",
    "lexicon": "lexicon {dir}/pages.jsonl --output {new}",
}
"""For each command a line that prints a result, and ends by code 0."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """Crawl a demo web that goes on being served; return the directory, and the job."""
    path = tmp_path_factory.mktemp("made")
    with demo_web(articles=2) as (web, _), no_processes(), forking_in(ASCII):
        archived = {"storage": {"warc": True}}
        data = job_data(web, path / "out", FEWER, archived)
        assert crawl(data) == 0
        yield path / "out", write_job(data, path / "job.yaml")


def arguments(name: str, made: tuple[Path, Path], new: Path) -> list[str]:
    """Return a command line for this command."""
    host = lines(made[0], "pages")[0]["host"]
    if name == "cluster":
        Root.create(new, load_job(made[1], {"cluster": {"partitions": 2}, "output": str(new)}))
    words = {"dir": made[0], "job": made[1], "host": host, "new": new}
    return [word.format(**words) for word in COMMAND_LINES[name].split()]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_device_is_told_in_one_line(
    name: str, made: tuple[Path, Path], tmp_path: Path
) -> None:
    """What was to be printed is made in full, in ASCII; the exit code is 3."""
    with Path("/dev/full").open("wb") as full:
        filled = run(arguments(name, made, tmp_path / "a"), full.fileno())
    assert filled.returncode == 3
    told = "crawler: the result cannot be printed: No space left on device"
    assert filled.stderr.splitlines().count(told) == 1
    check_messages(filled)


@pytest.mark.parametrize("name", ["crawl", "report", "query", "explain", "inspect", "audit"])
def test_ascii_is_printed_where_nothing_else_can_be(
    name: str, made: tuple[Path, Path], tmp_path: Path
) -> None:
    """Of a crawl with Chinese titles, by every way of printing: tables, lines, diffs, facts."""
    with (tmp_path / "result").open("wb") as result:
        printed = run(arguments(name, made, tmp_path / "a"), result.fileno())
    assert printed.returncode == 0, printed.stderr
    assert (tmp_path / "result").read_bytes().isascii()
    check_messages(printed)


@pytest.mark.parametrize("name", ["crawl", "report", "query", "lexicon", "templates"])
def test_a_reader_that_has_gone_is_no_trouble(
    name: str, made: tuple[Path, Path], tmp_path: Path
) -> None:
    """What is left is not printed, whether tables, lines or JSON, and the exit code is 0."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        unread = run(arguments(name, made, tmp_path / "a"), writer)
    finally:
        os.close(writer)
    assert unread.returncode == 0
    check_messages(unread)


def check_messages(ended: subprocess.CompletedProcess[str]) -> None:
    """Assert that messages are lines for people."""
    assert "Traceback" not in ended.stderr
    assert "Exception" not in ended.stderr
    assert "\x1b" not in ended.stderr


def run(words: list[str], stdout: int) -> subprocess.CompletedProcess[str]:
    """Run the program in an ASCII locale with its result going there."""
    line = [sys.executable, "-m", "crawler", *words]
    with Forked(line, stdout=stdout, stderr=subprocess.PIPE, text=True, env=ASCII) as process:
        _, err = process.communicate()
    return subprocess.CompletedProcess(line, process.returncode, None, err)


def test_full_and_closed_errors_stop_no_work(made: tuple[Path, Path], tmp_path: Path) -> None:
    """The result is printed, and the exit code is its own, whoever hears the messages."""
    line = [sys.executable, "-m", "crawler", "backup", str(made[0])]
    with (
        Path("/dev/full").open("wb") as full,
        Forked([*line, str(tmp_path / "a")], stdout=subprocess.PIPE, stderr=full) as deaf,
    ):
        printed, _ = deaf.communicate()
    # A Python of its own, since a forked one has its streams; of a command that loads little.
    closing = ["sh", "-c", '"$@" 2>&-', "sh", *line, str(tmp_path / "b")]
    closed = subprocess.run(closing, stdout=subprocess.PIPE, check=False)
    assert (deaf.returncode, closed.returncode) == (0, 0)
    assert b"continue it with" in printed
    assert b"continue it with" in closed.stdout


@pytest.mark.usefixtures("no_analysis_processes")
def test_a_log_begins_and_ends(
    made: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --log-json each line is an object: begin, the job, progress, the summary, the end."""
    line = ["crawl", "--config", made[1], "--output", tmp_path / "new", "--pages", 3]
    code, out, err = command(capsys, *line, "--log-json", "--verbose")
    records = [orjson.loads(line) for line in err.splitlines()]
    events = [record["event"] for record in records]
    assert code == 0
    assert "Where every URL ended" in out
    assert events[:2] == ["begin", "job"]
    assert events[-1] == "end"
    assert {"progress", "page", "summary", "message"} <= set(events)
    assert all({"time", "level", "event", "message"} <= record.keys() for record in records)
    assert records[1]["limits"]["pages"] == 3
    assert records[-1]["exit_code"] == 0
    [summary] = [record for record in records if record["event"] == "summary"]
    assert summary["stored"] + summary["duplicates"] >= 3
    assert summary["agrees"] is True


def test_errors_are_records_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong with a directory or a flag is in the log, with the exit code."""
    code, _, err = command(capsys, "report", tmp_path / "nowhere", "--log-json")
    begin, error, end = map(orjson.loads, err.splitlines())
    assert (begin["event"], begin["command"]) == ("begin", "report")
    assert (error["level"], code, end["exit_code"]) == ("error", 2, 2)
    code, _, err = command(capsys, "report", "--frobnicate", "--log-json")
    assert code == 2
    assert orjson.loads(err)["level"] == "error"


def test_quiet_leaves_the_end(made: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """No progress and no banner; what was found is printed all the same."""
    code, out, err = command(capsys, "check", made[0], "--quiet")
    assert (code, err) == (0, "")
    assert "is sound" in out


@pytest.mark.usefixtures("no_analysis_processes")
@pytest.mark.parametrize("flag", ["-q", "--quiet"])
def test_a_quiet_run_is_one_line(
    flag: str, made: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What became of a crawl, on stderr, without what is 0; nothing else, on neither stream."""
    new = tmp_path / "new"
    code, out, err = command(capsys, "crawl", "--config", made[1], "-o", new, "--pages", 3, flag)
    assert (code, out) == (0, "")
    [line] = err.splitlines()
    assert line.startswith(f"{new}/: 3 stored, ")
    assert " 0 " not in line
    code, out, err = command(capsys, "resume", tmp_path / "none", flag)
    assert (code, out, len(err.splitlines())) == (2, "", 1)


def terminal_run(words: list[str], columns: int, **environment: str) -> tuple[int, str]:
    """Run the program in a terminal so wide; return its exit code and all that it wrote there."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    line = [sys.executable, "-m", "crawler", *words]
    environ = os.environ | {"TERM": "xterm", "NO_COLOR": "1", **environment}
    process = Forked(line, stdin=slave, stdout=slave, stderr=slave, env=environ)
    os.close(slave)
    written = b""
    with suppress(OSError):  # on Linux that is how the other side's end is told (EIO)
        while some := os.read(master, 65536):
            written += some
    os.close(master)
    return process.wait(), written.decode()


@pytest.mark.parametrize("columns", [60, 100])
def test_a_crawl_is_drawn_in_a_terminal(
    columns: int, made: tuple[Path, Path], tmp_path: Path
) -> None:
    """Rows fit its width, are erased before the tables, and the banner comes first."""
    slow = yaml.safe_load(made[1].read_text())  # eight pauses: it is drawn meanwhile
    slow["seeds"], slow["scope"]["mode"] = slow["seeds"][:1], "host"
    slow["politeness"]["delay_s"] = 2 * REDRAWN_S / 8
    job = write_job(slow, tmp_path / "job.yaml")
    line = ["crawl", "--config", str(job), "--output", str(tmp_path / "new"), "--pages", "9"]
    code, written = terminal_run(line, columns)
    assert code == 0
    assert written.index("Crawl into") < written.index("queue ") < written.index("Where every URL")
    rows = [row for row in written.split("\r\n") if row.startswith("queue ")]
    assert rows
    assert max(map(len, rows)) < columns
    assert not re.search(r"\x1b\[\d*[FJ]", written[written.index("Where every URL") :])


def test_a_dumb_terminal_gets_lines(made: tuple[Path, Path]) -> None:
    """Where the cursor cannot be moved nothing tries to."""
    code, written = terminal_run(["check", str(made[0])], 80, TERM="dumb")
    assert code == 0
    assert "\x1b" not in written


INTERRUPTED = """
import sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
sys.argv = ["crawler", "report", "nowhere"]
from crawler.__main__ import main
sys.exit(main())
"""
"""The program, and Ctrl-C pressed as it loads a module."""


@pytest.mark.parametrize(
    "module",
    ["crawler.cli", "crawler.cli.parser", "crawler.cli.commands.report", "crawler.storage"],
)
def test_an_interrupt_while_the_program_loads_is_silent(module: str) -> None:
    """It ends by code 130, without a traceback."""
    line = [sys.executable, "-c", INTERRUPTED.format(module=module)]
    ended = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
