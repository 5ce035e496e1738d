"""A state file that holds what this program never wrote, told as one clear error.

SQLite notices a damaged page, not a damaged value: a number where a text was, JSON cut short. Code
that reads back what was stored trusts its types, and where that trust fails the file is to blame.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from crawler.errors import CrawlerError, StoreError
from crawler.storage.directory import STATE, line_path
from crawler.storage.journal import Extent

WAY_OUT = (
    "it was damaged outside this program; restore the whole directory from a backup, or crawl anew "
    "into another one"
)


@contextmanager
def reading(directory: Path) -> Iterator[None]:
    """Turn what unreadable values raise into StoreError; only for code that reads them back."""
    try:
        yield
    except CrawlerError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise StoreError(
            f"{directory / STATE} cannot be read back ({type(error).__name__}: {error}): {WAY_OUT}"
        ) from error


def check_extents(directory: Path, extents: Mapping[str, Extent]) -> None:
    """Raise StoreError unless every recorded length can be one: lines would be cut off by it."""
    for name, extent in extents.items():
        path = line_path(directory, name)
        sound = all(type(number) is int and number >= 0 for number in (extent.bytes, extent.lines))
        if not sound or (extent.bytes and not _ends_a_line(path, extent.bytes)):
            raise StoreError(
                f"{directory / STATE} says that {path.name} has {extent.lines} lines in "
                f"{extent.bytes} bytes, which is not so: {WAY_OUT}"
            )


def _ends_a_line(path: Path, size: int) -> bool:
    """Whether a line ends at `size`; a shorter file is told of by who opens it."""
    if not path.exists() or path.stat().st_size < size:
        return True
    with path.open("rb") as file:
        file.seek(size - 1)
        return file.read(1) == b"\n"
