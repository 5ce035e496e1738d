"""A portable index: what is known of the pages of several sources, in one file.

::

    16 bytes   FORMAT
    8 bytes    length of the header
    32 bytes   SHA-256 of the header
    header     JSON with sorted keys: its `segments` in their order, each with its `name`, `kind`,
               `pages`, `settings` (how its pages were judged), `complete` (false: its source was
               stopped), `bytes`, `sha256`, and its `columns` (name -> [offset, bytes], offsets from
               the segment's beginning)
    segments   one after another, each from a multiple of 8 bytes (zeros before it)

Each source is a segment of its own, found by its name and taken out by it: its bytes depend on no
other one, so adding, removing and merging copy them as they are, and the same sources in the same
order give the same bytes. A file is written beside the old one and put in its place when it is
durable: whoever reads it, and whatever a kill interrupts, it is the old one or the new one.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, Any, Self

import orjson

from crawler.earlier.columns import ColumnWriter
from crawler.errors import InputError, StoreError, reason

FORMAT = b"crawl index 1\n\0\0"
"""Version 1; another one is another format."""

CRAWL, CORPUS, DIGESTS = "crawl", "corpus", "digests"
"""Kinds of segments: of a crawl's directory, of one of `dedup`, of a CDXJ file."""

_ALIGNED = 8
_MOST_HEADER_BYTES = 1 << 28
_PIECE_BYTES = 1 << 20
_HEAD_BYTES = len(FORMAT) + 8 + 32


@dataclass(frozen=True, slots=True)
class Segment:
    """What the header says of one source."""

    name: str
    kind: str
    pages: int
    settings: Mapping[str, Any]
    complete: bool
    began: str = ""
    """When the first run of its directory began: tells crawls apart that were given one name."""
    bytes: int = 0
    sha256: str = ""
    columns: Mapping[str, Sequence[int]] = field(default_factory=dict)


class IndexFile:
    """An index that is read. Its segments are mapped, not loaded. Closed by its context.

    Raises InputError for a file that is none, is damaged, or was cut short.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                head = file.read(_HEAD_BYTES)
                if len(head) < _HEAD_BYTES or not head.startswith(FORMAT):
                    raise InputError(f"{path} is no portable index of this version: {BUILD}")
                size = int.from_bytes(head[len(FORMAT) :][:8], "little")
                header = file.read(min(size, _MOST_HEADER_BYTES))
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise InputError(f"{path}: {reason(error)}") from None
        if hashlib.sha256(header).digest() != head[-32:]:
            raise self._damaged("its header")
        self.segments = [Segment(**one) for one in orjson.loads(header)["segments"]]
        self._begins: dict[str, int] = {}
        at = _HEAD_BYTES + size
        for segment in self.segments:
            self._begins[segment.name] = at = at + -at % _ALIGNED
            at += segment.bytes
        if at != len(self._map):
            raise self._damaged(f"its length, {len(self._map):,} bytes for {at:,},")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget the file; what still looks at its columns keeps them."""
        with suppress(BufferError):
            self._map.close()

    def data(self, segment: Segment) -> memoryview:
        """Return all bytes of a segment."""
        begin = self._begins[segment.name]
        return memoryview(self._map)[begin : begin + segment.bytes]

    def verify(self) -> None:
        """Read everything and hold it against the checksums: some 1 to 2 GB/s."""
        for segment in self.segments:
            if hashlib.sha256(self.data(segment)).hexdigest() != segment.sha256:
                raise self._damaged(f"its segment {segment.name}")

    def _damaged(self, what: str) -> InputError:
        return InputError(f"{self.path}: {what} is damaged: get a new copy, or {BUILD}")


BUILD = "build it anew with `index build`"


@dataclass(frozen=True, slots=True)
class NewSegment:
    """A segment that is to be written: from pages, or as it lies in another file."""

    segment: Segment
    """Of pages, without what its bytes tell."""
    source: ColumnWriter | memoryview


def write(path: Path, segments: Iterable[NewSegment]) -> list[Segment]:
    """Write an index, in place of one that may be there; return its segments as written.

    Raises StoreError where the disk is full or fails; then the old one is as it was.
    """
    try:
        with tempfile.TemporaryFile(dir=path.absolute().parent) as body:
            written = [_append(body, one) for one in segments]
            head = orjson.dumps({"segments": [asdict(one) for one in written]}, option=_SORTED)
            _replace(path, _whole(head, written, body))
        return written
    except OSError as error:
        raise StoreError(f"{path}: writing failed: {reason(error)}; it is as it was") from error


_SORTED = orjson.OPT_SORT_KEYS


def _append(body: IO[bytes], new: NewSegment) -> Segment:
    """Append a segment to a body; return it with what its bytes tell."""
    if isinstance(new.source, memoryview):
        body.write(new.source)
        return new.segment
    digest, at, columns = hashlib.sha256(), 0, dict[str, Sequence[int]]()
    for name, pieces in new.source.columns():
        begin = at + -at % _ALIGNED
        for piece in chain([bytes(begin - at)], pieces):
            body.write(piece)
            digest.update(piece)
            at += len(piece)
        columns[name] = [begin, at - begin]
    told = asdict(new.segment) | {"bytes": at, "sha256": digest.hexdigest(), "columns": columns}
    return Segment(**told)


def _whole(header: bytes, segments: Sequence[Segment], body: IO[bytes]) -> Iterator[bytes]:
    yield FORMAT + len(header).to_bytes(8, "little") + hashlib.sha256(header).digest() + header
    at = _HEAD_BYTES + len(header)
    body.seek(0)
    for segment in segments:
        yield bytes(-at % _ALIGNED)
        at += -at % _ALIGNED + segment.bytes
        left = segment.bytes
        while left:
            piece = body.read(min(left, _PIECE_BYTES))
            left -= len(piece)
            yield piece


def _replace(path: Path, pieces: Iterable[bytes]) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    directory = os.open(path.absolute().parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
