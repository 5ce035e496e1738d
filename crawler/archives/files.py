"""Which archives are read: the files behind the command line's arguments, in a fixed order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crawler.errors import InputError

SUFFIXES = tuple(f".{kind}{end}" for kind in ("warc", "wet") for end in ("", ".gz", ".zst"))
"""What is read of a directory; a file that is named is read whatever its name."""


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """One archive, as it lay there when the run began."""

    path: Path
    size_bytes: int
    modified_ns: int


def expand(arguments: Sequence[str]) -> tuple[ArchiveFile, ...]:
    """Return the archives behind arguments: in their order, a directory's sorted by path.

    Raises InputError for an argument that does not exist or holds no archive, and for a file that
    is given twice: its pages would be copies of themselves.
    """
    files: dict[Path, ArchiveFile] = {}
    for path in (path for argument in arguments for path in _paths(argument)):
        if (place := path.resolve()) in files:
            raise InputError(f"{path} is given twice")
        try:
            status = path.stat()
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from None
        files[place] = ArchiveFile(path, status.st_size, status.st_mtime_ns)
    return tuple(files.values())


def fingerprint_of(files: Iterable[ArchiveFile]) -> str:
    """Return a digest of names, sizes and times: what a run that goes on must find unchanged.

    Where the files lie is no part of it: they may be moved meanwhile.
    """
    digest = hashlib.sha256()
    for file in files:
        entry = (file.path.name, file.size_bytes, file.modified_ns)
        digest.update(repr(entry).encode("utf-8", "surrogateescape") + b"\n")
    return digest.hexdigest()


def _paths(argument: str) -> Iterator[Path]:
    path = Path(argument)
    if not argument or not path.exists():
        raise InputError(f"{argument or repr(argument)}: no such file or directory")
    if not path.is_dir():
        yield path
        return
    named = sorted(file for file in path.rglob("*") if file.name.lower().endswith(SUFFIXES))
    found = [file for file in named if not file.is_dir()]
    if not found:
        raise InputError(
            f"{argument}: no archives in this directory (looked for {', '.join(SUFFIXES)})"
        )
    yield from found
