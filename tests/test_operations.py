"""docs/operations.md against the program: classes, reasons, exit codes, messages, settings."""

from __future__ import annotations

import ast
import errno
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.paths import PACKAGE, ROOT, doc

from crawler import cli
from crawler.cli.commands.terminal import NO_PAGES
from crawler.config import Job
from crawler.errors import AnalysisUnavailable, CrawlerError, StoreError
from crawler.models import Failure, Skip
from crawler.storage.database import WAY_OUT

PAGE = doc("operations")
SOURCE = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}

SQLITE_SAYS = {
    "database or disk is full",
    "attempt to write a readonly database",
    "database is locked",
    "database disk image is malformed",
    "file is not a database",
}
"""https://www.sqlite.org/rescode.html, as `sqlite3_errstr` gives them."""
SYSTEM_SAYS = {os.strerror(n) for n in (errno.ENOSPC, errno.EFBIG, errno.EACCES, errno.EROFS)}


def rows(title: str) -> list[list[str]]:
    """Return the cells of the table below a heading, without its head."""
    section = re.split(rf"^#+ {re.escape(title)}\n", PAGE, flags=re.MULTILINE)[1]
    table = re.findall(r"^\|(.*)\|$", section.partition("\n#")[0], re.MULTILINE)
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)] for row in table[2:]]


def named(title: str) -> list[str]:
    """Return what stands in backticks in the first column of a table."""
    return [name for first, *_ in rows(title) for name in re.findall(r"`([^`]+)`", first)]


@pytest.mark.parametrize(
    ("title", "classes"), [("Failure classes", Failure), ("Skipped on purpose", Skip)]
)
def test_every_class_is_told_once_with_what_to_do(
    title: str, classes: type[Failure] | type[Skip]
) -> None:
    """The table has each class there is, no other, none twice; and no cell is empty."""
    assert sorted(named(title)) == sorted(member.value for member in classes)
    assert all(all(cells) and len(cells) == 3 for cells in rows(title))


def errors(kind: type[CrawlerError] = CrawlerError) -> Iterator[type[CrawlerError]]:
    """Yield a class of errors and all below it."""
    yield kind
    for below in kind.__subclasses__():
        yield from errors(below)


def test_every_exit_code_is_told() -> None:
    """The table has the codes that a program can end with; help and README have those of ours."""
    ours = {0, NO_PAGES, *(error.exit_code for error in errors())}
    ours |= {128 + signal.SIGHUP, 128 + signal.SIGINT, 128 + signal.SIGTERM}
    cells = rows("Signals and exit codes")
    assert {int(code) for first, *_ in cells for code in first.split(", ")} == {
        *ours,
        128 + signal.SIGKILL,
    }
    readme = re.search(r"^Exit codes: .*?\n\n", (ROOT / "README.md").read_text(), re.M | re.S)
    assert readme is not None
    for text in (readme[0], cli.__doc__ or ""):
        assert {int(code) for code in re.findall(r"\b\d+\b", text)} == ours


def test_the_service_restarts_after_crashes_only() -> None:
    """The unit takes a drain for success, and starts nothing again that needs somebody."""
    told = dict(re.findall(r"^(\w+)=(.+)$", PAGE, re.MULTILINE))
    assert told["SuccessExitStatus"] == str(128 + signal.SIGTERM)
    fatal = {NO_PAGES, *(error.exit_code for error in errors())}
    assert {int(code) for code in told["RestartPreventExitStatus"].split()} == fatal


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd")
def test_systemd_understands_the_service(tmp_path: Path) -> None:
    """`systemd-analyze verify` has nothing to say of the unit, but for where Python lies here."""
    unit = tmp_path / "crawler.service"
    [told] = re.findall(r"^```ini\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert "/srv/crawler/.venv/bin/python" in told
    unit.write_text(told.replace("/srv/crawler/.venv/bin/python", sys.executable))
    verify = ["systemd-analyze", "verify", "--man=no", str(unit)]
    said = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert "crawler.service" not in said.stdout + said.stderr


FATAL = re.compile(r"(StoreError|AnalysisUnavailable)\(")


def fatal_messages() -> Iterator[str]:
    """Yield the source of each message that ends the program with code 3."""
    raising = (text for text in SOURCE.values() if FATAL.search(text))
    for text in raising:
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Call(func=ast.Name(id="StoreError" | "AnalysisUnavailable")):
                    yield ast.unparse(node.args[0])


def test_every_fatal_message_is_told() -> None:
    """Each message of code 3 has its row, or hands on the words of the system or of SQLite."""
    assert StoreError.exit_code == AnalysisUnavailable.exit_code == 3
    told = named("Code 3, message by message")
    messages = list(fatal_messages())
    assert len(messages) > 10
    for message in messages:
        shown = message.replace("{WAY_OUT}", WAY_OUT)
        handed_on = re.search(r"\{(error|error\.strerror|self\._failure)[}!]", message)
        assert handed_on or any(words in shown for words in told), message


def test_no_message_is_told_that_there_is_not() -> None:
    """The words in the table are those of the program, of the system or of SQLite."""
    known = [*SOURCE.values(), *SQLITE_SAYS, *SYSTEM_SAYS]
    told = named("Code 3, message by message")
    assert [words for words in told if not any(words in text for text in known)] == []


@pytest.mark.parametrize("page", ["operations", "output", "politeness", "traps", "hostile-web"])
def test_settings_that_are_named_exist(page: str) -> None:
    """Every `section.key` is a key of a job file."""
    sections = {name: field.annotation for name, field in Job.model_fields.items()}
    keys = {
        f"{name}.{key}"
        for name, model in sections.items()
        for key in getattr(model, "model_fields", {})
    }
    text = doc(page)
    named = re.findall(rf"`((?:{'|'.join(sections)})\.[a-z_]+)", text)
    assert named
    assert set(named) <= keys
