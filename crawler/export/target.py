"""The directory that is made: under another name until it is whole, so that it is there or not.

A killed export leaves the directory with that other name, and the next one to the same place
removes it. It is ours if it holds our mark, which is also the lock against a second export.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from crawler.errors import ConfigError, StoreError, StoreInUse
from crawler.storage.directory import sync_directory

ENDING = ".exporting"
"""What the name of an unfinished export ends with."""
_MARK = ".unfinished"


def refuse_existing(target: Path) -> None:
    """Raise ConfigError where something has the name already, but an empty directory."""
    with suppress(FileNotFoundError):
        if not target.is_dir():
            target.lstat()
            raise ConfigError(f"{target} is a file: name a directory that does not exist")
        if any(target.iterdir()):
            raise ConfigError(f"{target} is not empty: name a directory that does not exist")


@contextmanager
def appearing(target: Path) -> Iterator[Path]:
    """Yield a directory to write into, which is called `target` once the block has ended.

    Raises ConfigError where there is something already, StoreInUse where another process writes
    it, StoreError where the disk is full or fails.
    """
    target = target.absolute()
    refuse_existing(target)
    made = target.with_name(target.name + ENDING)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _locked(made):
            yield made
            _sync_below(made)
            (made / _MARK).unlink()
            made.rename(target)
            sync_directory(target.parent)
    except OSError as error:
        raise StoreError(
            f"{target}: the export failed: {error.strerror or error}. The crawl is unharmed; put "
            "it right (free space, permissions), then repeat the command"
        ) from None


@contextmanager
def _locked(made: Path) -> Iterator[None]:
    """Hold an unfinished directory, emptied of what a killed export left there."""
    mark = made / _MARK
    if made.exists() and not mark.exists() and any(made.iterdir()):
        raise ConfigError(
            f"{made} is no unfinished export: move it away, or choose another --output"
        )
    made.mkdir(exist_ok=True)
    with mark.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreInUse(f"{made} is being written by another export: wait for it") from None
        for path in made.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path != mark:
                path.unlink()
        try:
            yield
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise


def _sync_below(made: Path) -> None:
    for folder in (*(path for path in made.iterdir() if path.is_dir()), made):
        sync_directory(folder)
