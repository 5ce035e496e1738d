"""How messages reach who watches: lines on a pipe, a terminal with a part that is redrawn, JSON.

One of them is chosen as a command begins (`speaking_as`); `crawler.console.say` speaks by it.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate
from typing import Any, TextIO

from crawler.console import Level, Message, Say, safe, safe_lines, speaking, write_error

_DEFAULT_SIZE = (80, 24)
"""Columns and rows of a terminal that does not tell."""
_CLEAR_BELOW = "\r\x1b[J"
_UP = "\x1b[{}F"
"""ECMA-48: CPL, to the beginning of the line so many lines up; ED, erase to the end."""

_JSON_LEVELS = {
    Level.RECORD: "info",
    Level.DETAIL: "debug",
    Level.PROGRESS: "info",
    Level.NOTICE: "info",
    Level.WARNING: "warning",
    Level.END: "info",
    Level.ERROR: "error",
}


class Lines:
    """A line for each message of a level or above: what suits a pipe, a file, a journal."""

    def __init__(self, least: Level) -> None:
        self.least = least

    def __call__(self, line: str) -> None:
        """Print a message."""
        if Message.of(line).level >= self.least:
            write_error(f"{safe_lines(line)}\n")


class JsonLines:
    """A JSON object a line for each message: time, level, event, message, and its fields."""

    def __init__(self, least: Level, wall: Callable[[], float] = time.time) -> None:
        """`wall` is Unix time."""
        self.least = least
        self._wall = wall

    def __call__(self, line: str) -> None:
        """Print a message."""
        told = Message.of(line)
        if self.least > told.level > Level.RECORD:
            return
        from crawler.console import escape_json, json_of
        from crawler.observe.summary import format_time

        record = {
            "time": format_time(self._wall()),
            "level": _JSON_LEVELS[told.level],
            "event": told.event,
            "message": safe_lines(told),
            **told.fields,
        }
        write_error(escape_json(json_of(record, default=str)).decode() + "\n")


class Terminal:
    """Messages that scroll, above some rows that are drawn anew in their place.

    A message of progress is such a row by itself, unless somebody else draws (`hold`). Rows are cut
    to the width that the terminal has when they are drawn. Any thread may speak.
    """

    def __init__(self, least: Level, size: Callable[[], tuple[int, int]] | None = None) -> None:
        """`size` returns columns and rows."""
        self.least = least
        self._size = size or terminal_size
        self._drawn: Sequence[str] = ()
        self._held = False
        self._lock = threading.RLock()

    def __call__(self, line: str) -> None:
        """Print a message above what is drawn, or draw it."""
        told = Message.of(line)
        if told.level < self.least:
            return
        if told.level is not Level.PROGRESS or told.event != "progress":
            with self._lock:
                rows = self._drawn
                write_error(f"{self._clearing()}{safe_lines(line)}\n{self._drawing(rows)}")
        elif not self._held:
            self.draw([safe(told)])

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows that can be drawn on: one less than there are, so that none wraps."""
        columns, rows = self._size()
        return max(10, columns - 1), max(2, rows - 1)

    def draw(self, rows: Sequence[str]) -> None:
        """Show these rows below all messages, in place of those that were shown."""
        with self._lock:
            write_error(self._clearing() + self._drawing(rows))

    def clear(self) -> None:
        """Take the rows away."""
        with self._lock:
            if self._drawn:
                write_error(self._clearing())

    def hold(self) -> None:
        """Draw no message of progress until `release`."""
        self._held = True

    def release(self) -> None:
        """Take the rows away, and draw messages of progress again."""
        self.clear()
        self._held = False

    def _clearing(self) -> str:
        """Return what erases the rows, as they lie in a terminal that may be narrower by now."""
        if not self._drawn:
            return ""
        columns = max(1, self._size()[0])
        lying = sum(max(1, -(-_width(row) // columns)) for row in self._drawn)
        self._drawn = ()
        return _UP.format(lying) + _CLEAR_BELOW

    def _drawing(self, rows: Sequence[str]) -> str:
        columns, most = self.size
        self._drawn = [cut(row, columns) for row in rows[:most]]
        return "".join(f"{row}\n" for row in self._drawn)


class _Results:
    """Standard output on a terminal that has drawn rows: these go before anything is printed."""

    def __init__(self, stream: TextIO, terminal: Terminal) -> None:
        self._stream = stream
        self._terminal = terminal

    def __getattr__(self, name: str) -> Any:
        if name in ("write", "writelines", "buffer"):
            self._terminal.clear()
        return getattr(self._stream, name)


def cut(text: str, columns: int) -> str:
    """Return as much of a text as so many columns hold; East Asian characters may take two."""
    if text.isascii():
        return text[:columns]
    return text[: sum(wide <= columns for wide in accumulate(map(_width, text)))]


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def terminal_size() -> tuple[int, int]:
    """Return columns and rows of the terminal that stderr is, now."""
    with suppress(OSError, ValueError):
        columns, rows = os.get_terminal_size(sys.stderr.fileno())
        if columns and rows:
            return columns, rows
    return _DEFAULT_SIZE


def is_terminal(stream: TextIO | None) -> bool:
    """Whether rows can be drawn there: `TERM=dumb` says that they cannot."""
    with suppress(ValueError):
        return bool(stream and stream.isatty()) and os.environ.get("TERM", "dumb") != "dumb"
    return False


@contextmanager
def speaking_as(*, quiet: bool, verbose: bool, log_json: bool) -> Iterator[None]:
    """Speak as these flags say while the context lasts: by default as stderr can bear it."""
    least = Level.END if quiet else Level.DETAIL if verbose else Level.PROGRESS
    if log_json or quiet or not is_terminal(sys.stderr):
        said: Say = JsonLines(least) if log_json else Lines(least)
        with speaking(said):
            yield
        return
    terminal, out = Terminal(least), sys.stdout
    if is_terminal(out):
        sys.stdout = _Results(out, terminal)
    try:
        with speaking(terminal):
            yield
    finally:
        terminal.release()
        sys.stdout = out
