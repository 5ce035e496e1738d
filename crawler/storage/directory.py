"""The output directory: what its files are called, who holds it, and how it is made.

One process at a time may write to a directory. The lock is the kernel's (`flock`), so it goes when
its holder goes, `kill -9` included; the text in the lock file only tells people who that is.
"""

from __future__ import annotations

import errno
import os
import re
import socket
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from crawler.errors import StoreError, StoreInUse, StoreMismatch

if sys.platform != "win32":  # the command line refuses it before it comes here; a library may not
    import fcntl

STATE = "state.sqlite"
LOCK = "lock"
INPUTS = "inputs"
"""A digest of the files: only the identity of a run of `dedup` has it, a crawl's has not."""
GIVEN = "documents given to a judge"
"""What stands there for a judge of the library: no run of `dedup` over files takes that up."""
ARCHIVES = "archives"
"""A digest of the files: only the identity of a run of `read` has it."""
SUMMARY = "summary.json"
SEARCH = "search.sqlite"
"""Which words are in which stored page, if somebody searched (`crawler.storage.search`)."""
PARTITIONS = "cluster.json"
"""In the directory of a crawl of several partitions, whose directories lie in it: p000, p001 ..."""
_ARCHIVE = re.compile(r"crawl-[0-9]{17}-([0-9]{5,})\.warc\.gz")
_OUT_OF_ORDER = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE))
"""What passes, or is to be repaired, in a directory that is the right one."""
LINE_FILES = ("pages", "duplicates", "redirects", "failures", "skipped")
"""The kinds of lines: those of one lie in a file of its name, or in parts
(`crawler.storage.journal`)."""


def is_root(path: Path) -> bool:
    """Whether a directory holds a crawl of several partitions."""
    return (path / PARTITIONS).is_file()


def crawls_in(directory: Path) -> list[Path]:
    """Return the directories of a crawl's partitions that are there; itself where it has none."""
    if not (directory / PARTITIONS).is_file():
        return [directory]
    return sorted(path.parent for path in directory.glob(f"p[0-9]*/{STATE}"))


def line_path(directory: Path, file: str) -> Path:
    """Return where a file of lines lies: a kind of lines, or a part (`crawler.storage.journal`)."""
    return directory / f"{file}.jsonl"


def archive_path(directory: Path, file: str) -> Path:
    """Return where an archive lies, or the index beside it (`crawler.storage.archive`)."""
    return directory / "warc" / file


def archive_number(file: str) -> int:
    """Return the number in the name of an archive; 0 for names of other files."""
    found = _ARCHIVE.fullmatch(file)
    return int(found[1]) if found else 0


def named(directory: Path) -> Path:
    """Return a directory by a path that ends in its name, which `.` and `..` have not.

    Links keep theirs.
    """
    whole = Path(os.path.normpath(directory.absolute()))
    return directory if directory.name == whole.name else whole


def make_directory(directory: Path) -> None:
    """Create `directory` if need be, and make its name survive a power cut.

    Raises StoreMismatch where a file has the name or nothing can be written there, StoreError where
    the disk is full or fails.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        sync_directory(directory.absolute().parent)
    except (FileExistsError, NotADirectoryError):
        path = next((p for p in (directory, *directory.parents) if p.is_file()), directory)
        what = "a link that leads nowhere" if path.is_symlink() and not path.exists() else "a file"
        raise StoreMismatch(f"{path} is {what}: name a directory for the output") from None
    except OSError as error:
        if error.errno in _OUT_OF_ORDER:
            raise StoreError(
                f"{directory}: cannot create the output directory: {error.strerror}"
            ) from None
        raise _not_writable(directory, error.strerror) from None
    if not os.access(directory, os.W_OK | os.X_OK):
        raise _not_writable(directory, "permission denied")


def _not_writable(directory: Path, why: str | None) -> StoreMismatch:
    what = f"{directory}: cannot create the output directory: {why}"
    return StoreMismatch(f"{what}: name a directory that can be written to")


def sync_directory(directory: Path) -> None:
    """Make the names in `directory` durable; syncing a file does not sync its name."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def durably(part: Path, path: Path) -> Iterator[BinaryIO]:
    """Yield the new file `part`; once it is durable it takes the name of `path`, in one step.

    It is gone where anything fails. Raises OSError.
    """
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_directory(path.absolute().parent)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield where to write a file that takes the place of `path` in one step, whole or not at all.

    Raises StoreError where it cannot be written; what is beside the lines is made again of them.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        yield part
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise StoreError(
            f"{path}: cannot be written: {error.strerror}. The state and all lines are safe; put "
            "it right (free space, permissions), then the same again or `resume` writes it"
        ) from None


def refuse_foreign_files(directory: Path, files: Iterable[str]) -> None:
    """Raise StoreMismatch if a file with one of our names is here and no state of ours explains it.

    `files` are those with names of ours that hold lines. Others may lie in the directory: they are
    never touched.
    """
    for path in (*(line_path(directory, file) for file in files), directory / SUMMARY):
        if path.exists():
            raise StoreMismatch(
                f"{path} exists, but {STATE} in the same directory contains no crawl: move "
                f"{path.name} away, restore its state file, or choose another output directory"
            )


CHANGE = "a command that changes it"
"""Who holds a directory for a moment: `retry`, `restore`, `purge` and the like."""


def run_of(identity: Mapping[str, Any]) -> str:
    """Return what kind of run has an identity, as who holds its directory."""
    if INPUTS in identity:
        return "a Judge" if identity[INPUTS] == GIVEN else "a run of `dedup`"
    return "a run of `read`" if ARCHIVES in identity else "a crawl"


def lock(directory: Path, holder: str) -> int:
    """Take the right to write to a directory; return the descriptor that holds it until closed.

    `holder` says what takes it, to those who are refused meanwhile. StoreInUse, which names that
    and its process, if somebody has it, be it this process. The file stays behind: deleting it
    would race with the next holder.
    """
    path = directory / LOCK
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except IsADirectoryError:
        raise _no_lock(path) from None
    except OSError as error:
        raise StoreError(f"{directory}: cannot write to it: {error}") from None
    with ExitStack() as undo:
        undo.callback(os.close, descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
            content = os.pread(descriptor, 4096, 0) if is_file else b"?"
            if content and not content.startswith(b'{"pid":'):
                raise _no_lock(path)
            own = {"pid": os.getpid(), "host": socket.gethostname()}
            signed = orjson.dumps({**own, "started_at": time.time(), "holder": holder})
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, signed, 0)
        except BlockingIOError:
            user = f"a recrawl of it: {_WAIT}"  # which reads it: many may
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                user = _holder(descriptor)
            raise StoreInUse(f"{directory} is in use by {user}") from None
        except OSError as error:
            raise StoreError(f"{path}: cannot lock: {error}") from None
        undo.pop_all()
    return descriptor


@contextmanager
def kept_still(directory: Path) -> Iterator[None]:
    """Keep everybody from writing to a directory that is read, while the context lasts.

    StoreInUse where somebody writes to it. Many may read one. A directory without a lock, or whose
    lock may not be opened, is one that was copied, or that nobody here can write to.
    """
    try:
        descriptor = os.open(directory / LOCK, os.O_RDONLY)
    except OSError:
        yield
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreInUse(
                f"its pages are not all there yet: {directory} is in use by {_holder(descriptor)}"
            ) from None
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(descriptor)


def _no_lock(path: Path) -> StoreMismatch:
    return StoreMismatch(f"{path} is not a crawl's lock: move it away or choose another directory")


_WAIT = "wait for it or stop it"


def _holder(descriptor: int) -> str:
    try:
        signed = orjson.loads(os.pread(descriptor, 4096, 0))
        pid, host = signed["pid"], signed["host"]
    except (ValueError, KeyError, TypeError):
        return f"a process that has not written its id yet: {_WAIT}"
    holder = signed.get("holder", "another program")  # of an older version
    if (pid, host) == (os.getpid(), socket.gethostname()):
        return f"{holder} that this process (pid {pid}) has opened: close that first"
    return f"{holder} (pid {pid} on {host}): {_WAIT}"
