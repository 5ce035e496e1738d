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

A segment is one column after another, for files that are mapped. All numbers are little-endian; n
is the number of pages, in their order::

    ids           4 bytes a page: its id in the source
    payload       20 or 32 bytes a page: SHA-1 or SHA-256 of its body
    by_payload    4 bytes a page: rows in ascending order of these digests, then of rows
    url_ends      8 bytes a page: where its URL ends in `urls`, all URLs one after another (UTF-8)

and of pages whose text is known too::

    declared      4 bytes a page: row in `declarations` (JSON), what its server declared
    visible       32 bytes a page: SHA-256 of its visible text; `by_visible` as `by_payload`
    address       8 bytes a page, 0 for none: key of its address (63 bits); `by_address` has no
                  rows without one
    fingerprint   8 bytes a page; `tokens` 4; `sketch` 132
    flags         1 byte a page: REPRESENTATIVE, CHARACTERS
    shingle_ends  8 bytes a page: where its row ends in `shingles` (`crawler.storage.rows`,
                  without marks), where they are kept
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import mmap
import os
import shutil
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, takewhile, zip_longest
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
import numpy.typing as npt
import orjson

from crawler.dedup.signing import CHAR4, WORD3
from crawler.errors import InputError, StoreError, StoreMismatch, reason
from crawler.models import AddressedPage, IndexRow, PayloadKey, Shingles, StoredRef
from crawler.observe.summary import format_time
from crawler.storage.catalog import (
    EarlierPages,
    LayeredCatalog,
    SqliteCatalog,
    directory_pages,
)
from crawler.storage.directory import INPUTS, durably
from crawler.storage.rows import pack_shingles, unpack_shingles
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView

REPRESENTATIVE, CHARACTERS = 1, 2
"""Bits of `flags`: other pages may be like it; its shingles are of characters."""

IN_MEMORY_BYTES = 4_000_000
"""Of each column; what is beyond waits in a temporary file."""

MOST_PAGES = 2**31
"""Of one source: rows have four bytes."""


class ColumnWriter:
    """Takes pages in, one after another; `columns` then yields their columns.

    In memory are IN_MEMORY_BYTES of each column, and as columns are made those of one key at a
    time: 44 bytes a page.
    """

    def __init__(self) -> None:
        self.pages = 0
        self._files: dict[str, IO[bytes]] = {}
        self._declarations: dict[str, int] = {}
        self._ends: dict[str, int] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add(self, page_id: int, digest: bytes, url: str) -> None:
        """Begin a page. Its digest has as many bytes as all others."""
        self.pages += 1
        self._put("ids", page_id.to_bytes(4, "little"))
        self._put("payload", digest)
        self._put_text("urls", "url_ends", url.encode(errors="surrogatepass"))

    def add_text(self, row: IndexRow, address: int | None) -> None:
        """Add what is known of the text of the page that was begun last."""
        rows = self._declarations
        declared = rows.setdefault(row.payload.declared, len(rows))
        flags = REPRESENTATIVE * row.representative | CHARACTERS * (row.shingle_kind == CHAR4)
        self._put("declared", declared.to_bytes(4, "little"))
        self._put("visible", row.visible_digest)
        self._put("address", (address or 0).to_bytes(8, "little"))
        self._put("fingerprint", row.fingerprint.to_bytes(8, "little"))
        self._put("tokens", row.tokens.to_bytes(4, "little"))
        self._put("sketch", row.sketch)
        self._put("flags", bytes([flags]))

    def add_shingles(self, packed: bytes) -> None:
        """Add the shingles of the page that was begun last."""
        self._put_text("shingles", "shingle_ends", packed)

    def columns(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Yield (name, its bytes in pieces), always in the same order."""
        for name in sorted(self._files):
            yield name, self._pieces(name)
        for name in ("payload", "visible", "address"):
            if name in self._files:
                yield f"by_{name}", iter([self._order(name)])
        if self._declarations:
            yield "declarations", iter([orjson.dumps(list(self._declarations))])

    def _put(self, name: str, data: bytes) -> None:
        if name not in self._files:
            spooled = tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115 (the stack does)
            self._files[name] = self._open.enter_context(spooled)
        self._files[name].write(data)

    def _put_text(self, name: str, ends: str, data: bytes) -> None:
        self._ends[name] = self._ends.get(name, 0) + len(data)
        self._put(name, data)
        self._put(ends, self._ends[name].to_bytes(8, "little"))

    def _pieces(self, name: str) -> Iterator[bytes]:
        file = self._files[name]
        file.seek(0)
        while piece := file.read(1 << 20):
            yield piece

    def _order(self, name: str) -> bytes:
        """Return the rows in ascending order of a column, oldest first; none without a value."""
        data = b"".join(self._pieces(name))
        keys: npt.NDArray[np.bytes_] | npt.NDArray[np.uint64]
        if name == "address":
            keys = np.frombuffer(data, "<u8")
            order = np.argsort(keys, kind="stable")
            order = order[keys[order] != 0]
        else:
            order = np.argsort(np.frombuffer(data, f"S{len(data) // self.pages}"), kind="stable")
        return order.astype("<u4").tobytes()


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
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with tempfile.TemporaryFile(dir=path.absolute().parent) as body:
            written: list[Segment] = []
            for one in segments:
                body.write(bytes(-body.tell() % _ALIGNED))
                if isinstance(one.source, memoryview):
                    body.write(one.source)
                    written.append(one.segment)
                    continue
                digest, at, columns = hashlib.sha256(), 0, dict[str, Sequence[int]]()
                for name, pieces in one.source.columns():
                    begin = at + -at % _ALIGNED
                    for piece in chain([bytes(begin - at)], pieces):
                        body.write(piece)
                        digest.update(piece)
                        at += len(piece)
                    columns[name] = [begin, at - begin]
                sha256 = digest.hexdigest()
                written.append(replace(one.segment, bytes=at, sha256=sha256, columns=columns))
            told = {"segments": [asdict(one) for one in written]}
            header = orjson.dumps(told, option=orjson.OPT_SORT_KEYS)
            head = FORMAT + len(header).to_bytes(8, "little") + hashlib.sha256(header).digest()
            with durably(part, path) as file:
                file.write(head + header)
                if written:
                    file.write(bytes(-file.tell() % _ALIGNED))
                body.seek(0)
                shutil.copyfileobj(body, file, _PIECE_BYTES)
        return written
    except OSError as error:
        raise StoreError(f"{path}: writing failed: {reason(error)}; it is as it was") from error


ANY_DECLARATION = ""
"""What is declared of pages of which only the digest is known."""


class SegmentCatalog:
    """See `crawler.dedup.Catalog`: pages by their rows, from 1.

    A look-up reads some 20 entries of a column that is mapped. Layouts and appearances are not
    kept, and shingles without marks: a file that is handed on must not hold the key of the crawl.
    """

    def __init__(self, index: IndexFile, segment: Segment) -> None:
        data, digest = index.data(segment), segment.columns.get("payload", (0, 0))[1]
        kinds = {**_KINDS, "payload": f"V{digest // max(1, segment.pages)}"}
        self._columns = {
            name: np.frombuffer(data[begin : begin + size], kinds.get(name, "u1"))
            for name, (begin, size) in segment.columns.items()
        }
        self.pages = segment.pages

    @property
    def has_texts(self) -> bool:
        """Whether more is known than digests of bodies."""
        return "sketch" in self._columns

    @property
    def has_shingles(self) -> bool:
        """Whether shingles are kept, not their sketches alone."""
        return "shingles" in self._columns

    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """See Catalog. Where nothing is declared of pages, their bytes alone decide."""
        rows = self._equal("payload", key.digest)
        declared = (ANY_DECLARATION, key.declared)
        row = next((row for row in rows if self._declared(row) in declared), None)
        return None if row is None else self.ref(row + 1)

    def by_visible(self, digest: bytes, limit: int) -> list[StoredRef]:
        """See Catalog."""
        rows = self._equal("visible", digest)
        return [self.ref(row + 1) for row, _ in zip(rows, range(limit), strict=False)]

    def of_host(self, url: str, limit: int) -> list[int]:
        """See Catalog: an index does not know which pages a host has."""
        return []

    def by_address(self, address: int, limit: int) -> list[AddressedPage]:
        """See Catalog."""
        rows = self._equal("address", address)
        return [
            AddressedPage(row + 1, self._cell("fingerprint", row), self._kind(row))
            for row, _ in zip(rows, range(limit), strict=False)
        ]

    def ref(self, document_id: int) -> StoredRef:
        """See Catalog."""
        url = self._text("urls", "url_ends", document_id - 1)
        return StoredRef(document_id, url.decode("utf-8", "surrogatepass"))

    def shingles(self, document_id: int) -> Shingles:
        """See Catalog. Without shingles, the sketch that stands for them."""
        if self.has_shingles:
            row = self._text("shingles", "shingle_ends", document_id - 1)
            return unpack_shingles(document_id, row)
        return Shingles(np.empty(0, np.uint32), sketch=self._cell("sketch", document_id - 1))

    def layout(self, document_id: int) -> None:
        """See Catalog: none is kept."""

    def appearance(self, document_id: int) -> None:
        """See Catalog: none is kept."""

    def page_id(self, document_id: int) -> int:
        """Return what a page was called in its source."""
        return int(self._cell("ids", document_id - 1))

    def index_rows(self) -> Iterator[IndexRow]:
        """Yield what the judge's indexes need, in order of rows."""
        for row in range(self.pages):
            payload = PayloadKey(self._cell("payload", row), self._declared(row))
            if not self.has_texts:
                yield IndexRow(row + 1, payload, b"", 0, 0, WORD3, b"", representative=False)
                continue
            yield IndexRow(
                row + 1,
                payload,
                self._cell("visible", row),
                self._cell("fingerprint", row),
                self._cell("tokens", row),
                self._kind(row),
                self._cell("sketch", row),
                bool(self._cell("flags", row) & REPRESENTATIVE),
            )

    def _equal(self, name: str, key: bytes | int) -> Iterator[int]:
        """Return the rows whose cell in a column is a key, oldest first."""
        order = self._columns.get(f"by_{name}")
        if order is None or (isinstance(key, bytes) and len(key) != self._columns[name].itemsize):
            return iter(())
        cell = partial(self._cell, name)
        begin = bisect_left(order, key, key=cell)
        return map(int, takewhile(lambda row: cell(row) == key, order[begin:]))

    def _cell(self, name: str, row: int) -> Any:
        """Return a number, or bytes."""
        return self._columns[name].item(row)

    def _text(self, name: str, ends: str, row: int) -> bytes:
        if not 0 <= row < self.pages:
            raise KeyError(row + 1)
        begin = self._cell(ends, row - 1) if row else 0
        return self._columns[name][begin : self._cell(ends, row)].tobytes()

    def _kind(self, row: int) -> str:
        return CHAR4 if self._cell("flags", row) & CHARACTERS else WORD3

    def _declared(self, row: int) -> str:
        if not self.has_texts:
            return ANY_DECLARATION
        number: int = self._cell("declared", row)
        return self._declarations[number]

    @cached_property
    def _declarations(self) -> list[str]:
        found: list[str] = orjson.loads(self._columns["declarations"].tobytes())
        return found


SKETCH_BYTES = 132
_KINDS = {
    **dict.fromkeys(("ids", "declared", "tokens", "by_payload", "by_visible", "by_address"), "<u4"),
    **dict.fromkeys(("url_ends", "shingle_ends", "address", "fingerprint"), "<u8"),
    "visible": "V32",
    "sketch": f"V{SKETCH_BYTES}",
}
"""What the cells of columns are; of others, bytes."""


def segment_pages(name: str, index: IndexFile, segment: Segment) -> EarlierPages:
    """Return the pages of a segment; no source of theirs is kept but the segment's."""
    catalog = SegmentCatalog(index, segment)
    by = "unmarked-shingles" if catalog.has_shingles else "sketch"
    told = {"segment": segment.name, "compared_by": by if catalog.has_texts else "digest"}
    return EarlierPages(
        name=name,
        documents=segment.pages,
        catalog=catalog,
        key=b"",
        mark=segment.sha256[:16],
        index_rows=catalog.index_rows,
        source_of=lambda page_id: segment.name,
        about=lambda page_id: {"id": catalog.page_id(page_id), **told},
    )


COMPARABLE = (
    *("payload_hash", "tokenizer", "fingerprint", "shingles", "sketch"),
    *("method", "lexicon", "fold_chinese"),
)
"""What must be the same for two runs' pages to be compared. The extractor need not: a text that
another version extracted is a text."""


def check_comparable(
    name: str,
    theirs: Mapping[str, Any],
    ours: Mapping[str, Any],
    keys: Iterable[str] = COMPARABLE,
) -> None:
    """Raise StoreMismatch where pages judged by one identity cannot be compared with another's."""
    differing = [key for key in keys if theirs.get(key) != ours.get(key)]
    if differing:
        values = (f"{key} ({theirs.get(key)}, now {ours.get(key)})" for key in differing)
        raise StoreMismatch(
            f"{name}: its pages cannot be compared with new ones, since these settings differ: "
            + ", ".join(values)
        )


EVERY_PAGES = 10_000
"""After so many, progress is told: a second or two."""

_NAMES = {20: "sha1", 32: "sha256"}


def of_directory(
    directory: Path, writer: ColumnWriter, told: Callable[[int], None], *, shingles: bool
) -> NewSegment:
    """Return the pages that a directory has now, with their shingles if these are asked for.

    Raises StoreMismatch where there is no crawl, InputError where its method keeps other sketches.
    """
    with StoreView.read(directory) as view:
        identity, catalog = view.meta(Meta.IDENTITY, {}), SqliteCatalog(view.database)
        settings = {key: identity.get(key) for key in COMPARABLE}
        addresses = view.database.stream(
            "SELECT u.url, d.address FROM documents AS d JOIN urls AS u ON u.id = d.url_id "
            "ORDER BY d.id"
        )
        for row, (url, address) in zip(view.index_rows(), addresses, strict=False):
            if len(row.sketch) != SKETCH_BYTES:
                method = settings["method"]
                raise InputError(
                    f"{directory}: its pages were judged by the method {method}, and an index "
                    "holds sketches of `verified`: give the directory itself to --against"
                )
            writer.add(row.id, row.payload.digest, url)
            writer.add_text(row, address)
            if shingles:
                hashes = Shingles(catalog.shingles(row.id).hashes)
                writer.add_shingles(pack_shingles(writer.pages, hashes))
            if writer.pages % EVERY_PAGES == 0:
                told(writer.pages)
        runs = view.meta(Meta.RUNS, [])
        complete = bool(runs) and not runs[-1].get("stopped", True)
        kind = CORPUS if INPUTS in identity else CRAWL
        began = format_time(runs[0]["started_at"]) if runs else ""
        segment = Segment(str(directory), kind, writer.pages, settings, complete, began)
        return NewSegment(segment, writer)


def of_cdxj(
    name: str, lines: Iterable[bytes], writer: ColumnWriter, told: Callable[[int], None]
) -> NewSegment:
    """Return the payload digests of a CDXJ file's captures with status 200 or none.

    Lines are `SURT timestamp {"url": ..., "digest": ...}` (the CDXJ of pywb and Common Crawl);
    those that begin with `!` are the file's own header. Raises InputError, which names the line,
    for what is none of these.
    """
    kinds: set[str] = set()
    for number, line in enumerate(lines, 1):
        found = (
            None if line.isspace() or line.startswith(b"!") else _capture(f"{name}:{number}", line)
        )
        if found is None:
            continue
        url, digest = found
        kinds.add(_NAMES[len(digest)])
        if len(kinds) > 1:
            raise InputError(f"{name}:{number}: SHA-1 and SHA-256 in one file: split it by them")
        if writer.pages >= MOST_PAGES:
            raise InputError(f"{name}:{number}: more than {MOST_PAGES:,} captures: split the file")
        writer.add(min(number, 2**32 - 1), digest, url)
        if writer.pages % EVERY_PAGES == 0:
            told(writer.pages)
    if not kinds:
        raise InputError(f"{name}: no capture with status 200 has a digest, so there is no index")
    return NewSegment(
        Segment(name, DIGESTS, writer.pages, {"payload_hash": kinds.pop()}, True), writer
    )


def _capture(place: str, line: bytes) -> tuple[str, bytes] | None:
    """Return URL and digest of a capture; None for one that is no page, or has no digest."""
    try:
        fields: Any = orjson.loads(line[line.index(b"{") :])
        if str(fields.get("status") or 200) != "200" or not fields.get("digest"):
            return None
        return str(fields["url"]), _digest(fields["digest"])
    except (ValueError, KeyError, AttributeError, binascii.Error):
        raise InputError(
            f'{place}: no line of CDXJ with url and digest: SURT timestamp {{"url": ..., "digest": '
            '"sha1:..."}'
        ) from None


def _digest(text: str) -> bytes:
    """Return a digest in base32 or hexadecimal, with its algorithm's name before it or without."""
    value = text.rpartition(":")[2]
    if len(value) in (40, 64):
        digest = bytes.fromhex(value)
    else:
        value = value.rstrip("=")
        digest = base64.b32decode(value.upper() + "=" * (-len(value) % 8))
    if len(digest) not in _NAMES:
        raise ValueError("neither SHA-1 nor SHA-256")
    return digest


def resolved(against: Sequence[Path]) -> list[str]:
    """Return directories and files as a run's identity names them, under the key `against`."""
    return [str(path.resolve()) for path in against]


def check_layers(identity: Mapping[str, Any]) -> None:
    """Raise what `open_layers` would over what a run of `identity` is to be judged against.

    To be called before anything of the run is made. The columns of an index are not read.
    """
    for path in map(Path, identity.get("against", ())):
        with ExitStack() as stack:
            for _ in _opened(path, identity, stack, whole=False):
                pass


def open_layers(
    against: Sequence[Path], store: Store, identity: Mapping[str, Any], stack: ExitStack
) -> LayeredCatalog:
    """Open all that a run of `identity` is judged against, until the stack closes.

    A run that goes on sees each as it was at its beginning. Raises StoreMismatch for what is no
    crawl, cannot be compared, or is not any more what it was then.
    """
    opened = [pages for path in against for pages in _opened(path, identity, stack)]
    began: list[Any] = store.meta(Meta.AGAINST, [])
    for pages, then in zip_longest(opened, began) if began else ():
        if pages is None or then is None:
            raise StoreMismatch(f"an index that this run is judged against {_CHANGED}")
        replaced = then["mark"] and pages.mark and then["mark"] != pages.mark
        if replaced or pages.documents < then["documents"]:
            raise StoreMismatch(f"{pages.name} {_CHANGED}")
        pages.documents = then["documents"]  # no more are looked at than there were
    store.set_meta(Meta.AGAINST, [{"documents": p.documents, "mark": p.mark} for p in opened])
    return LayeredCatalog(store.catalog, store.key, opened)


def _opened(
    path: Path, identity: Mapping[str, Any], stack: ExitStack, *, whole: bool = True
) -> Iterator[EarlierPages]:
    """Yield the pages of a directory, or of each segment of an index, read `whole` first."""
    if not path.is_file():
        view = stack.enter_context(StoreView.read(path))
        check_comparable(str(path), view.meta(Meta.IDENTITY, {}), identity)
        yield directory_pages(view)
        return
    index = stack.enter_context(IndexFile(path))
    if whole:
        index.verify()
    for segment in index.segments:
        name = f"{path} (segment {segment.name})"
        check_comparable(name, segment.settings, identity, segment.settings.keys())
        yield segment_pages(str(path), index, segment)


_CHANGED = (
    "is not what this run has been judged against so far: put back what was there when it began, "
    "or begin anew in another directory"
)
