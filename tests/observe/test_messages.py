"""Messages as they reach a pipe, a terminal, a log collector."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from crawler.console import Level, Message, counted, progress, say, warning
from crawler.observe.messages import JsonLines, Lines, Terminal, cut, speaking_as


class Screen:
    """A terminal as an emulator keeps it: rows of text, a cursor at the beginning of one."""

    def __init__(self) -> None:
        self.rows = [""]

    def feed(self, text: str) -> None:
        """Obey what is written: lines, CPL (up) and ED (erase below)."""
        while text:
            if text.startswith("\x1b["):
                end = next(n for n, char in enumerate(text[2:], 2) if char.isalpha())
                number, kind = int(text[2:end] or 1), text[end]
                if kind == "F":
                    self.cursor -= number
                else:
                    assert kind == "J"
                    self.rows[self.cursor :] = [""]
                text = text[end + 1 :]
                continue
            char, text = text[0], text[1:]
            if char == "\n":
                self.rows.append("")
            elif char != "\r":
                self.rows[-1] += char

    _cursor: int | None = None

    @property
    def cursor(self) -> int:
        """The row in which it is."""
        return len(self.rows) - 1 if self._cursor is None else self._cursor

    @cursor.setter
    def cursor(self, row: int) -> None:
        # What goes up erases from there at once.
        self.rows = [*self.rows[:row], ""]


def shown(capsys: pytest.CaptureFixture[str], screen: Screen) -> list[str]:
    """Return the rows that a terminal shows after what was written now."""
    screen.feed(capsys.readouterr().err)
    return [row for row in screen.rows if row]


def test_a_pipe_gets_lines_by_level(capsys: pytest.CaptureFixture[str]) -> None:
    """Quiet leaves out progress and details, the default details; warnings always come."""
    told = [Message("a", Level.DETAIL), progress("b"), "c", warning("d"), Message("e", Level.ERROR)]
    for least, expected in [
        (Level.NOTICE, "cde"),
        (Level.PROGRESS, "bcde"),
        (Level.DETAIL, "abcde"),
    ]:
        for line in told:
            Lines(least)(line)
        assert capsys.readouterr().err == "".join(f"{letter}\n" for letter in expected)


def test_nothing_on_a_pipe_moves_a_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    """What is said where stderr is no terminal has no control character, whatever is in it."""
    with speaking_as(quiet=False, verbose=True, log_json=False):
        say(progress("12 of 13"))
        say("from the web: \x1b[31mred")
    assert capsys.readouterr().err == "12 of 13\nfrom the web: \\x1b[31mred\n"


def test_a_log_collector_gets_an_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Time, level, event, message and fields; records come whatever the level, passwords never."""
    spoken = JsonLines(Level.NOTICE, wall=lambda: 1714557600.5)
    spoken(Message("begins", Level.RECORD, "begin", command="crawl"))
    spoken(progress("half", pages=5))
    spoken("http://user:secret@a.test/\x1b is odd")
    spoken("Warning: two\nlines")
    records = [orjson.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [record["event"] for record in records] == ["begin", "message", "message"]
    assert [record["level"] for record in records] == ["info", "info", "warning"]
    assert records[0] == {
        "time": "2024-05-01T10:00:00.500Z",
        "level": "info",
        "event": "begin",
        "message": "begins",
        "command": "crawl",
    }
    assert records[1]["message"] == "http://***@a.test/\\x1b is odd"
    assert records[2]["message"] == "Warning: two\nlines"


def test_a_log_collector_gets_what_is_no_unicode(capsys: pytest.CaptureFixture[str]) -> None:
    """What a server sent as a redirect's target, say, breaks neither the line nor the crawl."""
    JsonLines(Level.DETAIL)(Message("a page", target="/\udcff", seen=[{"\ud800": Path("a")}]))
    told = orjson.loads(capsys.readouterr().err)
    assert (told["target"], told["seen"]) == ("/\ufffd", [{"\ufffd": "a"}])


def test_fields_of_progress_are_in_its_object(capsys: pytest.CaptureFixture[str]) -> None:
    """Counters are numbers for machines, beside the line for people."""
    JsonLines(Level.PROGRESS)(progress("half", pages=5))
    record = orjson.loads(capsys.readouterr().err)
    assert (record["event"], record["pages"], record["message"]) == ("progress", 5, "half")


def test_rows_are_drawn_anew_and_messages_scroll_above(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Rows stay below all messages, take the place of those before, and go without a trace."""
    terminal, screen = Terminal(Level.PROGRESS, lambda: (40, 24)), Screen()
    terminal.hold()
    terminal.draw(["one", "two"])
    terminal("a message")
    terminal(progress("nobody draws this"))
    assert shown(capsys, screen) == ["a message", "one", "two"]
    terminal.draw(["three"])
    assert shown(capsys, screen) == ["a message", "three"]
    terminal.release()
    terminal(progress("half"))
    assert shown(capsys, screen) == ["a message", "half"]
    terminal(progress("all"))
    terminal("the end")
    terminal.clear()
    assert shown(capsys, screen) == ["a message", "the end"]


def test_rows_fit_a_terminal_that_changes(capsys: pytest.CaptureFixture[str]) -> None:
    """Rows are cut to the width, their number to the height; made narrower, all are erased."""
    size = (30, 4)
    terminal = Terminal(Level.PROGRESS, lambda: size)
    terminal.draw(["x" * 50] * 9)
    drawn = capsys.readouterr().err.splitlines()
    assert drawn == ["x" * 29] * 3
    size = (10, 4)
    terminal.clear()
    assert capsys.readouterr().err == "\x1b[9F\r\x1b[J"  # each lies in three rows by now


def test_text_is_cut_by_columns() -> None:
    """A Chinese character takes two of them."""
    assert cut("abcdef", 4) == "abcd"
    assert cut("走进金泉县", 5) == "走进"


def test_what_takes_a_moment_is_told() -> None:
    """Items pass as they are; who waits longer than a moment hears how many there were."""
    times = iter([0.0, 1.0, 3.0, 4.0, 5.5])
    said: list[str] = []
    assert list(counted("abcd", "letters", said.append, lambda: next(times))) == [*"abcd"]
    assert said == ["2 letters ...", "4 letters ..."]
