"""What is to be judged: the files behind the command line's arguments, in a fixed order."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from crawler.batch.names import file_url
from crawler.errors import InputError

STDIN = "-"
STDIN_PATH = Path("/dev/stdin")
"""What standard input is called in URLs."""

_WHOLE_FILES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".xht": "application/xhtml+xml",
    ".shtml": "text/html",
    ".txt": "text/plain",
    ".text": "text/plain",
}
_LINES = (".jsonl", ".ndjson", ".jsonlines")
_PARQUET = ".parquet"
_PACKED_LINES = ".json"
"""A kind of lines if it is compressed, as in the data of C4 and Dolma; else it is a description."""
_COMPRESSION = (".gz", ".zst", ".xz")


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file: lines of JSON, rows of Parquet, or one document."""

    path: Path | None
    """None: standard input."""
    source: str
    """The argument it came by, as the user gave it: what reports group documents by."""
    name: str
    """The file as messages name it."""
    id: str
    """The id of a file that is one document: its path below the directory that was given."""
    media_type: str | None
    """None: a JSON object a line, or a row of Parquet."""
    size_bytes: int
    """As it lies on the disk; 0 where that is not known."""
    modified_ns: int = 0

    @property
    def is_parquet(self) -> bool:
        """Whether each row is a document."""
        return self.path is not None and _kind(self.path.name) == _PARQUET


def expand(arguments: Sequence[str]) -> tuple[InputFile, ...]:
    """Return the files behind arguments: in their order, a directory's files sorted by path.

    Raises InputError for an argument that does not exist or holds nothing that can be judged, and
    for a file that is given twice: its documents would be copies of themselves.
    """
    if list(arguments).count(STDIN) > 1:
        raise InputError("`-` is standard input, which can be read once only")
    files: dict[Path | None, InputFile] = {}
    for file in (file for argument in arguments for file in _expand(argument)):
        path = file.path and file.path.absolute()
        if path in files:
            raise InputError(
                f"{file.name} is given twice: as {files[path].source} and {file.source}"
            )
        files[path] = file
    return tuple(files.values())


def fingerprint_of(files: Iterable[InputFile]) -> str:
    """Return a digest of names, sizes and times: what a run that goes on must find unchanged."""
    digest = hashlib.sha256()
    for file in files:
        entry = (file.name, file.media_type, file.size_bytes, file.modified_ns)
        digest.update(repr(entry).encode("utf-8", "surrogateescape") + b"\n")
    return digest.hexdigest()


def media_type_of(name: str) -> str | None:
    """Return what a file's name says it is, compressed or not; None for lines and other names."""
    return _WHOLE_FILES.get(_kind(name))


def recorded_source(file: InputFile) -> str:
    """Return the argument a file came by, fit for records: names are bytes on the disk."""
    return file.source.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class Sources:
    """The arguments of a run, found by the URLs of their documents."""

    def __init__(self, files: Iterable[InputFile]) -> None:
        self._of = {
            file_url(Path(file.source) if file.path else STDIN_PATH).rstrip("/"): source
            for source, file in {recorded_source(file): file for file in files}.items()
        }

    def find(self, url: str) -> str:
        """Return the argument that a document came by: its file, or a directory above it."""
        name = url.partition("#")[0]
        while name not in self._of:
            name = name.rpartition("/")[0]
        return self._of[name]


def total_bytes(files: Sequence[InputFile]) -> int | None:
    """Return the size of all files together, or None if one of them cannot be known before."""
    if any(file.path is None or not file.path.is_file() for file in files):
        return None
    return sum(file.size_bytes for file in files)


def _expand(argument: str) -> Iterator[InputFile]:
    if argument == STDIN:
        yield InputFile(None, STDIN, "standard input", STDIN, None, 0)
        return
    if not argument:
        raise InputError("the name of a file is empty: is a variable unset?")
    path = Path(argument)
    try:
        if path.is_dir():
            yield from _files_below(path, argument)
        else:
            yield _input(path, argument, argument, path.name)
    except OSError as error:
        raise InputError(f"{argument}: {error.strerror or error}") from None


def _files_below(top: Path, argument: str) -> Iterator[InputFile]:
    names = sorted(name for name in _walk(top) if _holds_documents(name))
    if not names:
        kinds = ", ".join((*_WHOLE_FILES, *_LINES, f"{_PACKED_LINES}.gz", _PARQUET))
        raise InputError(
            f"{argument}: no readable documents in this directory (looked for {kinds})"
        )
    for name in names:
        yield _input(top / name, argument, str(top / name), name)


def _holds_documents(name: str) -> bool:
    kind = _kind(name)
    if kind == _PACKED_LINES:
        return not name.lower().endswith(kind)
    return kind in _WHOLE_FILES or kind in _LINES or kind == _PARQUET


def _walk(top: Path) -> Iterator[str]:
    def fail(error: OSError) -> None:
        raise error

    for directory, _, files in os.walk(top, onerror=fail):
        below = Path(directory).relative_to(top)
        yield from ((below / file).as_posix() for file in files)


def _input(path: Path, argument: str, name: str, id_: str) -> InputFile:
    status = path.stat()
    return InputFile(
        path, argument, name, id_, media_type_of(id_), status.st_size, status.st_mtime_ns
    )


def _kind(name: str) -> str:
    """Return a file name's suffix in lower case, that of a compression left out."""
    path = PurePath(name.lower())
    return path.with_suffix("").suffix if path.suffix in _COMPRESSION else path.suffix
