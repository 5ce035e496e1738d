"""What strangers wrote is printed without control characters and without passwords."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.config import parse_job
from crawler.console import command, csv_cell, escape_json, safe, without_passwords
from crawler.fetch.response import resolve_location
from crawler.fetch.trouble import printable
from crawler.storage.journal import PIECE_CHARACTERS, encoded

OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(st.text(st.characters()))
def test_safe_texts_hold_nothing_that_is_obeyed(text: str) -> None:
    """Whatever comes in, no control, format or separator character comes out."""
    assert not {unicodedata.category(c) for c in safe(text)} & OBEYED
    assert safe(safe(text)) == safe(text)


@given(st.text(), st.text())
def test_escaped_lines_say_the_same(key: str, value: str) -> None:
    """A parser reads the escaped line as it would read the line as it was, and it is one line."""
    line = b"".join(encoded({key: value}))
    assert json.loads(line) == orjson.loads(line) == {key: value}
    assert line.decode().splitlines() == [line.decode().rstrip("\n")]


@pytest.mark.parametrize(
    "character", ["\x7f", "\x85", "\x9b", "\u061c", "\u200f", "\u2028", "\u202e", "\u2066"]
)
def test_unsafe_characters_are_escaped_in_json(character: str) -> None:
    """JSON lets these stand as they are, and a terminal or a line reader would obey them."""
    assert escape_json(orjson.dumps(f"\\{character}")) == f'"\\\\\\u{ord(character):04x}"'.encode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://user:secret@a.test/x", "http://***@a.test/x"),
        ("Location: //user:secret@a.test", "Location: //***@a.test"),
        ("https:user:secret@a.test", "https:***@a.test"),
        (r"http:\\user:secret@a.test", r"http:\\***@a.test"),
        ("http://user:s@cret@a.test", "http://***@a.test"),
        ("http://a.test/@user, mail a@b.test", "http://a.test/@user, mail a@b.test"),
    ],
)
def test_passwords_are_not_shown(text: str, shown: str) -> None:
    """User and password go, wherever browsers look for them; other at signs stay."""
    assert without_passwords(text) == shown
    assert printable(text) == shown


def test_jobs_and_redirects_hold_no_passwords() -> None:
    """A seed's password is dropped when the job is read, a redirect's before it is followed."""
    assert parse_job({"seeds": ["http://u:p@a.test/"]}, "test").seeds == ("http://a.test/",)
    assert resolve_location("http://u:p@a.test/x", "http://a.test/") == "http://a.test/x"


USER_INFO = re.compile(r"((?:https?:[/\\]*|[/\\]{2}))[^/\\?#\s'\"<>]*@", re.IGNORECASE)
"""What is replaced, as one expression; it takes quadratic time."""

PIECES = ("http:", "https:", "HTTP:", "/", "\\", "@", "a", "u:p", "?", "#", " ", "'", "x.test")


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_passwords_are_found_as_by_one_expression(text: str) -> None:
    """Whatever stands around it, user info is replaced just where the expression finds it."""
    assert without_passwords(text, "!@") == USER_INFO.sub(r"\1!@", text)


@settings(max_examples=settings().max_examples // 2)
@given(st.text(alphabet=st.sampled_from('a"\\\n\x7f\x85\u202e\ud800中😀'), max_size=40))
def test_a_long_text_is_encoded_in_pieces(text: str) -> None:
    """A line of a long text is the same as if it were made at once, and no piece of it is long."""
    whole = text * (3 * PIECE_CHARACTERS // (len(text) or 1))
    pieces = list(encoded({"id": 1, "title": '"text":""', "text": whole, "counts": {"text": 0}}))
    readable = whole.replace("\ud800", "\ufffd")
    told = {"id": 1, "title": '"text":""', "text": readable, "counts": {"text": 0}}
    assert b"".join(pieces) == escape_json(orjson.dumps(told)) + b"\n"
    assert max(map(len, pieces)) <= 6 * PIECE_CHARACTERS


def test_a_long_text_stands_in_its_own_place() -> None:
    """Also where another field holds an empty one of its name."""
    told = {"like": {"text": ""}, "text": "x" * (PIECE_CHARACTERS + 1)}
    assert orjson.loads(b"".join(encoded(told))) == told


WORDS = (
    *(
        "plain",
        "a b;$(x)'y",
        "`x`",
        '"',
        "*?[a]~#!{b,c}",
        "http://h/?a=1&b=$(x)'",
        "",
        "中文",
        "\\",
    ),
    *("line\nend", "\x1b[2J\x9b\u202e'", "\udcff", "tab\t"),
)
"""Words that a shell reads otherwise as they stand."""


@pytest.mark.skipif(shutil.which("bash") is None, reason="the words are read by bash")
def test_a_shell_reads_the_words_of_a_command_as_they_are() -> None:
    """Whatever stands in a path or URL, a hint that is copied names it, and shows no control."""
    line = command("resume", *WORDS, Path("-dash"))
    assert safe(line) == line
    echoed = subprocess.run(
        ["bash", "-c", line.replace("python -m crawler", "printf '%s\\0'", 1)],
        capture_output=True,
        check=True,
    )
    read = echoed.stdout.decode("utf-8", "surrogateescape").split("\0")
    assert read == ["resume", *WORDS, "./-dash", ""]


@pytest.mark.parametrize(
    ("called", "said"),
    [
        ("/env/bin/crawler", "crawler resume out"),
        ("/src/crawler/__main__.py", "python -m crawler resume out"),
        ("-c", "python -m crawler resume out"),
    ],
)
def test_commands_are_told_as_the_program_was_called(
    called: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever runs `crawler` is told to run `crawler`."""
    monkeypatch.setattr(sys, "argv", [called])
    assert command("resume", "out") == said


@given(st.text(alphabet="=+-@\t\r\n'＝a ;,\"1", max_size=6))
def test_no_cell_of_csv_is_a_formula_and_each_can_be_read_back(text: str) -> None:
    """What a spreadsheet would obey is marked, and the mark taken off gives the text again."""
    written = io.StringIO()
    csv.writer(written).writerow([csv_cell(text), csv_cell(-1), csv_cell(None), "x"])
    [[cell, number, empty, _]] = csv.reader(io.StringIO(written.getvalue(), newline=""))
    assert not cell.startswith(tuple("=+-@\t\r\n＝"))
    assert cell.removeprefix("'") == text
    assert (number, empty) == ("-1", "")
