"""The files of lines: append, sync, and cut back to what the state file vouches for.

They are as long as they may be after a crash (`crawler.storage.appending`); a file that is not
recorded at all is, as a whole, such a rest as the end of a longer one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crawler.errors import StoreError
from crawler.printing import escape_json, json_of
from crawler.storage.appending import Appending
from crawler.storage.directory import line_path, sync_directory
from crawler.storage.lines import Extent, by_kind, check_length, next_part, on_disk, part_name

log = logging.getLogger(__name__)

PIECE_CHARACTERS = 16_384
"""Of a long text that are encoded at once: .1 ms, and 2 ms where each is escaped. No other thread
runs meanwhile; after 5 ms of such pieces it is the event loop's turn (sys.setswitchinterval)."""
PIECE_BYTES = 1 << 20
"""Of lines that are gathered for one write."""

_LONG = "text"
"""The field of a line that is encoded piece by piece."""
_TEXTS: Mapping[str, Any] = {"text": None, "markdown": None}
"""Fields that are nothing but a text, which can be encoded whatever it says, and long."""
_LONG_ITS_PLACE = b'"text":""'
"""An empty one in JSON. No string has this in it: a quote within a string is escaped."""


class Journal(Appending):
    """The files of lines of a directory, owned by the writer once it runs: of each kind one grows.

    Where `rotate_bytes` is given, a file ends with the line by which it reaches that size, and the
    next line of its kind begins another file. A file that is not recorded yet, as after a kill, is
    like lines that are not: it goes.
    """

    def __init__(
        self, directory: Path, extents: Mapping[str, Extent], rotate_bytes: int | None = None
    ) -> None:
        """Open the files at their committed `extents`.

        Cuts longer files back. Raises StoreMismatch for a shorter or missing one, StoreError where
        the files cannot be written; nothing is changed before all lengths are checked.
        """
        super().__init__(directory)
        recorded = by_kind(extents)
        self.extents = {file: extents[file] for files in recorded.values() for file in files}
        self._rotate_bytes = rotate_bytes
        for file, extent in self.extents.items():
            check_length(line_path(directory, file), extent.bytes)
        first = 0 if rotate_bytes is None else 1
        self._growing = {
            kind: next(reversed(files), part_name(kind, first)) for kind, files in recorded.items()
        }
        try:
            self._remove_unrecorded(recorded)
            for file in self._growing.values():
                self._descriptors[file] = self._open_at_extent(file)
            sync_directory(directory)
        except OSError as error:
            self.close()
            raise StoreError(f"{directory}: cannot write the line files: {error}") from None

    def path(self, file: str) -> Path:
        """Return where a file of lines lies."""
        return line_path(self.directory, file)

    def append(self, records: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, Extent]:
        """Write and sync (kind, record) pairs; return the new extent of each file written.

        Raises OSError naming the file, LinesLost as `check` does; what was written by then lies
        beyond the recorded extents.
        """
        waiting: dict[str, bytearray] = {}
        for kind, record in records:
            file = self._growing[kind]
            buffer = waiting.setdefault(file, bytearray())
            if self._is_full(file, len(buffer)):
                self._write_all(file, buffer)
                file = self._rotate(kind)
                buffer = waiting.setdefault(file, bytearray())
            for piece in encoded(record):
                buffer += piece
                if len(buffer) >= PIECE_BYTES:
                    self._write(file, buffer)
            self._count(file, 0, lines=1)
        for file, buffer in waiting.items():
            if file in self._descriptors:  # else it was full, and is all on the disk
                self._write_all(file, buffer)
        return {file: self.extents[file] for file in waiting}

    def _remove_unrecorded(self, recorded: Mapping[str, Mapping[str, Extent]]) -> None:
        """Remove what a run that was killed began after the last file that is recorded."""
        for kind, found in by_kind(on_disk(self.directory)).items():
            files = list(found)
            known = [number for number, file in enumerate(files, 1) if file in recorded[kind]]
            for file in files[max(known, default=0) :]:
                if file != self._growing[kind]:
                    path = line_path(self.directory, file)
                    log.info("removing %s, of which nothing was ever committed", path)
                    path.unlink()

    def _is_full(self, file: str, waiting: int) -> bool:
        size = self.extents[file].bytes + waiting
        return self._rotate_bytes is not None and size >= self._rotate_bytes

    def _rotate(self, kind: str) -> str:
        """End the file that grows, all of which is on the disk; begin the next and return it."""
        ended = self._growing[kind]
        self._end(ended)
        begun = next_part(ended)
        self._begin(begun)
        self._growing[kind] = begun
        log.debug("%s is full, going on with %s", ended, begun)
        return begun


def encoded(record: Mapping[str, Any]) -> Iterator[bytes]:
    r"""Yield a record as one line of UTF-8 JSON with its `\n`, in pieces made in a short time each.

    What a terminal obeys, or other tools take for a line end, is escaped. Raises TypeError for what
    JSON cannot hold: no line that `confirm_encodable` has seen.

    Encoding takes no break in which other threads could run: the text of a page of 10 MB, made in
    one piece, would stop the event loop for a tenth of a second.
    """
    text = record.get(_LONG)
    if not isinstance(text, str) or len(text) <= PIECE_CHARACTERS:
        yield escape_json(json_of(record) + b"\n")
        return
    frame = json_of({**record, _LONG: ""})
    if frame.count(_LONG_ITS_PLACE) != 1:  # nested somewhere, where it is not known which is which
        yield escape_json(json_of(record) + b"\n")
        return
    head, _, tail = frame.partition(_LONG_ITS_PLACE)
    yield escape_json(head + _LONG_ITS_PLACE[:-1])
    for start in range(0, len(text), PIECE_CHARACTERS):
        yield escape_json(json_of(text[start : start + PIECE_CHARACTERS])[1:-1])
    yield escape_json(b'"' + tail + b"\n")


def confirm_encodable(record: Mapping[str, Any]) -> None:
    """Raise TypeError for a line that cannot be written, nor kept as a difference."""
    json_of({**record, **_TEXTS}, room=1)
