"""The output directory: what its files are called, who holds it, and how it is made.

One process at a time may write to a directory. The lock is the kernel's (`flock`), so it goes when
its holder goes, `kill -9` included; the text in the lock file only tells people who that is.
"""

from __future__ import annotations

import fcntl
import os
import socket
import time
from pathlib import Path

import orjson

from crawler.errors import StoreError, StoreInUse, StoreMismatch

STATE = "state.sqlite"
LOCK = "lock"
INPUTS = "inputs"
"""A digest of the files: only the identity of a run of `dedup` has it, a crawl's has not."""
SUMMARY = "summary.json"
LINE_FILES = ("pages", "duplicates", "redirects", "failures", "skipped")
"""The append-only files, without their `.jsonl`."""


def line_path(directory: Path, name: str) -> Path:
    """Return where the line file `name` lies."""
    return directory / f"{name}.jsonl"


def make_directory(directory: Path) -> None:
    """Create `directory` if need be, and make its name survive a power cut.

    Raises StoreMismatch where a file has the name, StoreError where it cannot be made.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        sync_directory(directory.absolute().parent)
    except (FileExistsError, NotADirectoryError):
        path = next((p for p in (directory, *directory.parents) if p.is_file()), directory)
        raise StoreMismatch(f"{path} is a file: name a directory for the output") from None
    except OSError as error:
        raise StoreError(f"{directory}: cannot create the output directory: {error}") from None


def sync_directory(directory: Path) -> None:
    """Make the names in `directory` durable; syncing a file does not sync its name."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def refuse_foreign_files(directory: Path) -> None:
    """Raise StoreMismatch if a file with one of our names is here and no state of ours explains it.

    Other files may lie in the directory: they are never touched.
    """
    names = [line_path(directory, name).name for name in LINE_FILES]
    for name in [*names, SUMMARY]:
        if (directory / name).exists():
            raise StoreMismatch(
                f"{directory / name} exists, but {STATE} in the same directory contains no crawl: "
                f"move {name} away, restore its state file, or choose another output directory"
            )


class DirectoryLock:
    """The right to write to one output directory, held until `release` or the process's end."""

    def __init__(self, directory: Path) -> None:
        """Take the lock at once; StoreInUse if another process has it."""
        self._path = directory / LOCK
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise StoreError(f"{directory}: cannot write to it: {error}") from None
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._sign()
        except StoreMismatch:
            os.close(self._descriptor)
            raise
        except BlockingIOError:
            holder = self._holder()
            os.close(self._descriptor)
            raise StoreInUse(
                f"{directory} is in use by another crawl ({holder}): wait for it or stop it, "
                "or choose another output directory"
            ) from None
        except OSError as error:
            os.close(self._descriptor)
            raise StoreError(f"{self._path}: cannot lock: {error}") from None

    def release(self) -> None:
        """Give the directory up. The file stays: deleting it would race with the next holder."""
        os.close(self._descriptor)

    def _sign(self) -> None:
        content = os.pread(self._descriptor, 4096, 0)
        if content and not content.startswith(b'{"pid":'):
            raise StoreMismatch(
                f"{self._path} is not a crawl's lock: move it away or choose another directory"
            )
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "started_at": time.time()}
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, orjson.dumps(holder), 0)

    def _holder(self) -> str:
        try:
            holder = orjson.loads(os.pread(self._descriptor, 4096, 0))
            return f"pid {holder['pid']} on {holder['host']}"
        except (ValueError, KeyError, TypeError):
            return "it has not written its process id yet"
