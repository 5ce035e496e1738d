"""The files behind the command line's arguments, in a fixed order, whatever they are compressed by.

The store knows documents by URL, so each gets one that no other has: the `file:` URL of its file,
with its line in the fragment (RFC 5147) and its id, which need not be unique::

    file:///corpus/news.jsonl#line=3&id=17

Ids keep their JSON type: `17` is written `17`, the string `"17"` as `%2217%22`, any other string as
itself, percent-encoded. A file that is one document has its id alone, `#sub/page.html`. Documents
given to the judge of the library are named as if they were lines of one file, so they are judged
as those in a file are: `judge:#line=3&id=17`.

By what a file is compressed its first bytes say, not its name.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, BinaryIO, cast
from urllib.parse import quote, unquote, unquote_to_bytes

import zstandard

from crawler.console import Say, no_file
from crawler.errors import InputError, reason
from crawler.units import counted

DocumentId = int | str

_LOOKS_LIKE_JSON = re.compile(r'-?\d+\Z|"')
_SAFE = "/:@!$&'()*+,;~._-"
"""What an id keeps unescaped: no `=`, so that no id looks like a line."""
_LINE = re.compile(r"line=(\d+)(?:&id=|\Z)")


def file_url(path: Path) -> str:
    """Return the `file:` URL of a path, pure ASCII; bytes that are no UTF-8 are escaped."""
    return path.absolute().as_uri()


def file_in(url: str) -> Path:
    """Return the path of the file in a document's URL."""
    return Path(os.fsdecode(unquote_to_bytes(url.partition("#")[0].removeprefix("file://"))))


def document_url(file: str, line: int | None, id_: DocumentId | None) -> str:
    """Return the URL of a document: its file's URL, its line there, its id where that is known.

    `line` is None where the file is the document.
    """
    if isinstance(id_, int) or (id_ is not None and _LOOKS_LIKE_JSON.match(id_)):
        id_ = json.dumps(id_)
    name = "" if id_ is None else quote(id_, safe=_SAFE, errors="surrogatepass")
    if line is None:
        return f"{file}#{name}"
    return f"{file}#line={line}" + (f"&id={name}" if id_ is not None else "")


def line_in(url: str) -> int | None:
    """Return the line in a document's URL, or None where the file is the document."""
    found = _LINE.match(url.partition("#")[2])
    return int(found[1]) if found else None


def id_in(url: str) -> DocumentId | None:
    """Return the id in a document's URL, or None where it has none: a page of a crawl."""
    _, hash_, fragment = url.partition("#")
    if not hash_:
        return None
    text = unquote(_LINE.sub("", fragment), errors="replace")
    if not _LOOKS_LIKE_JSON.match(text):
        return text
    value = json.loads(text)
    return value if isinstance(value, int | str) else text


def document_name(url: str) -> str:
    """Return how people read a document's URL: its id, file and line; any other URL as it is."""
    if not url.startswith("file://"):
        return url
    name, line, id_ = file_in(url).name, line_in(url), id_in(url)
    if line is None:
        return name if id_ is None else str(id_)
    place = f"{name}:{line}"
    return place if id_ is None or id_ == line else f"{id_} ({place})"


_GZIP = b"\x1f\x8b"
_XZ = b"\xfd7zXZ\x00"
_ZSTD = (b"\x28\xb5\x2f\xfd", *(bytes((0x50 + n, 0x2A, 0x4D, 0x18)) for n in range(16)))
"""A frame, or a skippable one (RFC 8878 3.1.1, 3.1.2)."""

_PIECE_BYTES = 1 << 17
_INPUT_BYTES = 1 << 13
"""Of a compressed file at once: what they can become stays within 256 MB, with Zstandard."""
_GZIP_LEVEL, _ZSTD_LEVEL = 6, 3
"""Those of the programs gzip and zstd."""


def open_plain(path: Path | None) -> BinaryIO:
    """Open a file as it is; `tell` says how much of it was read. Raises OSError.

    None is standard input, by a buffer of its own: `sys.stdin` is closed at the interpreter's end,
    which aborts where a thread still waits in its buffer.
    """
    if path is None:
        return open(0, "rb", buffering=_PIECE_BYTES, closefd=False)
    return path.open("rb", buffering=_PIECE_BYTES)


def decompressed(file: BinaryIO) -> BinaryIO:
    """Return the content of a buffered binary file.

    Reading may raise whatever a library does (see `damage_of`): EOFError where the file is cut off.
    """
    head = cast(io.BufferedReader, file).peek(len(_XZ))
    for magics, begin in _KINDS:
        if head.startswith(magics):
            return cast(BinaryIO, io.BufferedReader(_Streams(file, begin), _PIECE_BYTES))
    return file


def damage_of(error: Exception) -> str:
    """Return in words what is wrong with a file whose reading raised this.

    No library promises to raise nothing else than it says, so whatever one raises of a file is
    damage of that file. MemoryError is raised again: what is short of memory is this process.
    """
    if isinstance(error, MemoryError):
        raise error
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(said).splitlines()[0]


def damage_in(path: Path) -> str | None:
    """Read a compressed file to its end; return what is wrong with it, None if nothing is.

    Bytes that were changed often decompress to something: the checksum at the end tells.
    """
    try:
        with open_plain(path) as plain:
            content = decompressed(plain)
            if content is plain:
                return None
            while content.read(_PIECE_BYTES):
                pass
    except Exception as error:
        return damage_of(error)
    return None


_KINDS: tuple[tuple[bytes | tuple[bytes, ...], Callable[[], Any]], ...] = (
    (_GZIP, lambda: zlib.decompressobj(16 + zlib.MAX_WBITS)),
    (_XZ, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)),
    (_ZSTD, lambda: zstandard.ZstdDecompressor().decompressobj()),
)
"""What begins a stream of each kind, and what undoes it: all have `decompress`, `eof` and
`unused_data`."""


class _Streams(io.RawIOBase):
    """Streams one after another, with zeros between and behind them, and nothing else.

    The libraries' own readers differ in what they take for the end: a frame of Zstandard cut off in
    its middle, or anything behind a stream of xz.
    """

    def __init__(self, file: BinaryIO, begin: Callable[[], Any]) -> None:
        self._file = file
        self._begin = begin
        self._stream: Any = None
        self._input = b""
        self._output = b""
        self._streams = 0

    def readable(self) -> bool:
        """See RawIOBase."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """See RawIOBase; EOFError for a stream that is cut off."""
        while not self._output:
            data = self._input or self._file.read(_INPUT_BYTES)
            self._input = b""
            if not data:
                if self._stream is not None:
                    raise EOFError("it is cut off within its compressed data")
                return 0
            if self._stream is None:
                data = data.lstrip(b"\0") if self._streams else data
                if not data:
                    continue
                self._stream, self._streams = self._begin(), self._streams + 1
            self._output = self._stream.decompress(data)
            if self._stream.eof:
                self._input, self._stream = self._stream.unused_data, None
        size = min(len(buffer), len(self._output))
        buffer[:size] = self._output[:size]
        self._output = self._output[size:]
        return size


def compressing_like(source: Path, file: BinaryIO) -> BinaryIO:
    """Return what compresses into `file` as `source` is compressed; closing it ends the data.

    The same content gives the same bytes: nothing in them tells when they were written.
    """
    with open_plain(source) as plain:
        head = cast(io.BufferedReader, plain).peek(len(_XZ))
    if head.startswith(_GZIP):
        return cast(BinaryIO, gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0))
    if head.startswith(_XZ):
        return cast(BinaryIO, lzma.LZMAFile(file, "wb"))
    if head.startswith(_ZSTD):
        return cast(BinaryIO, zstandard.ZstdCompressor(_ZSTD_LEVEL).stream_writer(file))
    return file


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
_TOLD = 5
"""Kinds of files that are told of by name."""


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


def holds_many(name: str) -> bool:
    """Whether a file of this name has a document in each line or row."""
    return _kind(name) in (*_LINES, _PARQUET)


def expand(arguments: Sequence[str], say: Say = lambda line: None) -> tuple[InputFile, ...]:
    """Return the files behind arguments: in their order, a directory's files sorted by path.

    `say` hears which files of directories are left out, by how their names end.

    Raises InputError for an argument that does not exist or holds nothing that can be judged, and
    for a file that is given twice: its documents would be copies of themselves.
    """
    if list(arguments).count(STDIN) > 1:
        raise InputError("`-` is standard input, which can be read once only")
    files: dict[Path | None, InputFile] = {}
    for file in (file for argument in arguments for file in _expand(argument, say)):
        path = file.path and file.path.absolute()
        if path in files:
            raise InputError(
                f"{file.name} is given twice: as {files[path].source} and {file.source}"
            )
        files[path] = file
    return tuple(files.values())


def fingerprint_of(files: Iterable[InputFile]) -> str:
    """Return a digest of names, sizes and times: what a run that goes on must find unchanged."""
    return digest_of((f.name, f.media_type, f.size_bytes, f.modified_ns) for f in files)


def digest_of(entries: Iterable[tuple[object, ...]]) -> str:
    """Return a digest of what is said of each file."""
    digest = hashlib.sha256()
    for entry in entries:
        digest.update(repr(entry).encode("utf-8", "surrogateescape") + b"\n")
    return digest.hexdigest()


def media_type_of(name: str) -> str | None:
    """Return what a file's name says it is, compressed or not; None for lines and other names."""
    return _WHOLE_FILES.get(_kind(name))


def recorded_source(file: InputFile) -> str:
    """Return the argument a file came by, fit for records: names are bytes on the disk."""
    return file.source.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def source_of(files: Iterable[InputFile]) -> Callable[[str], str]:
    """Return what finds the argument that a document came by, by its URL, for records."""
    of = {
        file_url(Path(file.source) if file.path else STDIN_PATH).rstrip("/"): source
        for source, file in {recorded_source(file): file for file in files}.items()
    }

    def find(url: str) -> str:
        name = url.partition("#")[0]
        while name not in of:  # a file, or a directory above it
            name = name.rpartition("/")[0]
        return of[name]

    return find


def total_bytes(files: Sequence[InputFile]) -> int | None:
    """Return the size of all files together, or None if one of them cannot be known before."""
    if any(file.path is None or not file.path.is_file() for file in files):
        return None
    return sum(file.size_bytes for file in files)


def _expand(argument: str, say: Say) -> Iterator[InputFile]:
    if argument == STDIN:
        yield InputFile(None, STDIN, "standard input", STDIN, None, 0)
        return
    if not argument:
        raise InputError("the name of a file is empty: is a variable unset?")
    path = Path(argument)

    def fail(error: OSError) -> None:
        raise error

    try:
        if not path.is_dir():
            yield _input(path, argument, argument, path.name)
            return
        folders = os.walk(path, onerror=fail)
        files = (Path(folder, file) for folder, _, files in folders for file in files)
        below = (file.relative_to(path).as_posix() for file in files)
        every = sorted(below)
        names = list(filter(_holds_documents, every))
        if not names:
            kinds = ", ".join((*_WHOLE_FILES, *_LINES, f"{_PACKED_LINES}.gz", _PARQUET))
            raise InputError(
                f"{argument}: no readable documents in this directory (looked for {kinds})"
            )
        if others := Counter(_kind(name) or name for name in every if not _holds_documents(name)):
            kinds = ", ".join(f"{number:,} {kind}" for kind, number in others.most_common(_TOLD))
            say(f"{argument}: left out {counted(others.total(), 'file')} of other kinds ({kinds})")
        for name in names:
            yield _input(path / name, argument, str(path / name), name)
    except OSError as error:
        raise InputError(f"{argument}: {no_file(argument, reason(error))}") from None


def _holds_documents(name: str) -> bool:
    kind = _kind(name)
    if kind == _PACKED_LINES:
        return not name.lower().endswith(kind)
    return kind in _WHOLE_FILES or kind in _LINES or kind == _PARQUET


def _input(path: Path, argument: str, name: str, id_: str) -> InputFile:
    status = path.stat()
    return InputFile(
        path, argument, name, id_, media_type_of(id_), status.st_size, status.st_mtime_ns
    )


def _kind(name: str) -> str:
    """Return a file name's suffix in lower case, that of a compression left out."""
    path = PurePath(name.lower())
    return path.with_suffix("").suffix if path.suffix in _COMPRESSION else path.suffix
