"""A whole export, in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crawler.choices import ExportFormat
from crawler.export.card import card
from crawler.export.columns import COLUMNS, MARKDOWN, Row
from crawler.export.formats import NEEDS_TEXT
from crawler.export.parts import PART_BYTES, Parts
from crawler.export.source import Source
from crawler.export.target import appearing
from crawler.export.where import parse
from crawler.printing import Say, progress
from crawler.storage import StoreView

EVERY_S = 5.0
"""Seconds between two lines that say how far it is."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be exported, and how."""

    format: ExportFormat = ExportFormat.PARQUET
    where: Sequence[str] = ()
    """Tests (`crawler.export.where`), all of which a row must pass."""
    markdown: bool = False
    dropped_text: bool = False
    dump: str | None = None
    """None: the name of the directory."""
    part_bytes: int = PART_BYTES

    @property
    def columns(self) -> list[str]:
        """The columns of every row, in order."""
        return [*COLUMNS, *([MARKDOWN] if self.markdown else [])]


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    rows: dict[str, int]
    """Folder -> documents."""
    without_text: int
    """Duplicates left out because nothing is kept of their text, and the format is of texts."""


def export_crawl(
    directory: Path,
    target: Path,
    asked: Asked,
    say: Say = lambda line: None,
    clock: Callable[[], float] = time.monotonic,
) -> Exported:
    """Write what the crawl in `directory` has committed into the new directory `target`.

    `target` is there when all is written, and not before. Raises ConfigError for a test that means
    nothing, a missing library and a target that exists; StoreMismatch, StoreError as `StoreView`.
    """
    passes = parse(asked.where)
    with StoreView.read(directory) as view, appearing(target) as made:
        dump = asked.dump or directory.resolve().name
        source = Source(view, dump, asked.markdown, asked.dropped_text)
        work = _Work(made, asked, passes, say, clock)
        rows = {
            "unique": work.folder("unique", source.pages(), source.lines["pages"]),
            "duplicates": work.folder(
                "duplicates", source.duplicates(), source.lines["duplicates"]
            ),
        }
        told = card(asked.format, rows, asked.columns, asked.where)
        (made / "README.md").write_text(told, encoding="utf-8")
    return Exported(rows, work.without_text)


class _Work:
    """Writes folders, and says how far it is."""

    def __init__(
        self,
        made: Path,
        asked: Asked,
        passes: Callable[[Row], bool],
        say: Say,
        clock: Callable[[], float],
    ) -> None:
        self._made, self._asked, self._passes = made, asked, passes
        self._say, self._clock = say, clock
        self.without_text = 0

    def folder(self, name: str, rows: Iterable[Row | None], lines: int) -> int:
        """Write the rows that pass; return how many."""
        asked = self._asked
        needs_text = asked.format in NEEDS_TEXT
        folder = self._made / name
        with Parts(folder, asked.format, asked.columns, asked.part_bytes) as parts:
            for row in self._told(name, rows, lines):
                if row is None or not self._passes(row):
                    continue
                if needs_text and row["text"] is None:
                    self.without_text += 1
                    continue
                parts.add(row)
        return parts.rows

    def _told(self, name: str, rows: Iterable[Row | None], lines: int) -> Iterator[Row | None]:
        begun = said = self._clock()
        for number, row in enumerate(rows, 1):
            yield row
            if number % 64 == 0 and (now := self._clock()) - said >= EVERY_S:
                said, speed = now, number / (now - begun)
                far = f"{name}: {number:,} of {lines:,} lines ({speed:,.0f}/s)"
                left = f"{100 * number // lines} %, {(lines - number) / speed:.0f} s left"
                self._say(progress(f"{far}  {left}"))
