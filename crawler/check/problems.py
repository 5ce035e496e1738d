"""What a check finds, with the way out; and what it says while it looks."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from crawler.errors import StoreError
from crawler.printing import Say, progress
from crawler.storage import STATE, is_damage
from crawler.storage.database import WAY_OUT

MOST_SHOWN = 20
"""Problems of one file that are kept; others are counted."""
EVERY_S = 5.0
"""How often is said how far a check is."""

RESTORE = WAY_OUT.rpartition("; ")[2]
"""What can be done about most damage."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One damage."""

    file: str
    """Its name in the directory."""
    place: str
    """Where in it, such as `line 7`; empty for the whole file."""
    what: str
    way_out: str = RESTORE


class Numbering:
    """The lines of a kind, numbered through all of its files: which is which line of its own."""

    def __init__(self, kind: str) -> None:
        self._files = [f"{kind}.jsonl"]
        self._before = [0]

    def begin(self, file: str, before: int) -> None:
        """Note that a file begins after `before` lines of its kind."""
        if not before:
            self._files, self._before = [], []
        self._files.append(file)
        self._before.append(before)

    def place(self, number: int) -> tuple[str, str]:
        """Return a line's file, and where in that it is, as in a Problem."""
        at = bisect_left(self._before, number) - 1
        return self._files[at], f"line {number - self._before[at]:,}"


class Findings:
    """The problems found so far, at most MOST_SHOWN of a file; the rest is counted."""

    def __init__(
        self, directory: Path, say: Say, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.directory = directory
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        """What could not be looked at, and what is no damage though it may look so."""
        self.counts: Counter[str] = Counter()
        """File -> its problems."""
        self.looked_at = ""
        """What was looked at, in a few words."""
        self._numbered: dict[str, Numbering] = {}
        self._say = say
        self._clock = clock
        self._said_at = clock()

    def add(self, file: str, place: str, what: str, way_out: str = RESTORE) -> None:
        """Note a problem."""
        self.counts[file] += 1
        if self.counts[file] <= MOST_SHOWN:
            self.problems.append(Problem(file, place, what, way_out))

    def add_line(self, kind: str, number: int, what: str, way_out: str = RESTORE) -> None:
        """Note a problem of a line, numbered through all files of its kind."""
        self.add(*self.files_of(kind).place(number), what, way_out)

    def files_of(self, kind: str) -> Numbering:
        """Return how the lines of a kind are numbered."""
        return self._numbered.setdefault(kind, Numbering(kind))

    def note(self, line: str) -> None:
        """Note what the user should know besides."""
        self.notes.append(line)

    def begin(self, line: str) -> None:
        """Say what is looked at now."""
        self._said_at = self._clock()
        self._say(progress(line))

    def beat(self, line: str, *values: object) -> None:
        """Say how far it is, every few seconds; `values` go into the line (`str.format`)."""
        if self._clock() - self._said_at >= EVERY_S:
            self.begin(line.format(*values))

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Turn a damaged state file into a problem, so that the rest is looked at all the same."""
        try:
            yield
        except StoreError as error:
            if not is_damage(error):
                raise
            self.add(STATE, "", without_path(error, self.directory))


def without_path(error: StoreError, directory: Path) -> str:
    """Return what an error says of the state file, without its name and the way out."""
    said = str(error).removeprefix(f"{directory / STATE}").removesuffix(f": {WAY_OUT}")
    return said.lstrip(": ")
