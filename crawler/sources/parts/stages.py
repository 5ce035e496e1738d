"""What is done to a corpus in parts, stage by stage: each a function from files to files.

A stage may be done on any machine that sees the directory, done again, and done twice at once: what
it leaves depends on nothing but its files. Memory is bounded by the size of a part (some 300 bytes
a document) in sign, of a group of keys in join, and of a bundle (some 700 bytes a stored document)
in judge; texts, shingles and appearances stay on the disk.
"""

from __future__ import annotations

import asyncio
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from os import SEEK_CUR, SEEK_END
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, Literal, NamedTuple

import numpy as np

from crawler import config
from crawler.config import Job
from crawler.dedup import Judge, MemoryCatalog
from crawler.models import (
    AddressedPage,
    PayloadKey,
    Shingles,
    Shown,
    Signature,
    StoredRef,
    Verdict,
)
from crawler.sources.documents import Fields, RawBatch, batches
from crawler.sources.inputs import InputFile
from crawler.sources.parts.files import GroupFile, frames, pack, publishing, write_groups
from crawler.sources.parts.keys import (
    COUNT,
    DIGESTED,
    FIRST_DIGEST,
    FIRST_SKETCH,
    SKETCHED,
    PartKeys,
    digest_edges,
    sketch_edges,
)
from crawler.sources.reader import Answers, CorpusReader, Reading
from crawler.workers.pool import WorkerPool

Kind = Literal["documents", "keys", "edges", "rows", "alone", "verdicts"]
"""What lies between the stages. By the number of a part: its `documents` as they were read and
signed, in order, a frame a batch; their `keys`, by group, written when the documents are; the
`rows` of them that are judged, by bundle; and verdicts on those that are joined with none (`alone`:
the part is the only group). By the number of a task: `edges`, pairs of documents that share keys of
some groups. By the number of a bundle: `verdicts` on its documents, by part."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """Where the files of all stages lie."""

    directory: Path

    def __call__(self, kind: Kind, number: int) -> Path:
        """Return the file of a kind with this number."""
        end = ".npy" if kind == "edges" else ""
        return self.directory / kind / f"{number:05}{end}"

    @property
    def bundles(self) -> Path:
        """The bundle of each document of the corpus."""
        return self.directory / "bundles.npy"


@dataclass(frozen=True, slots=True)
class Part:
    """Neighbouring documents of a corpus: of some files, or some rows of one Parquet file."""

    number: int
    files: tuple[InputFile, ...]
    passed: int = 0
    """Rows of the file that come before."""
    rows: int | None = None
    """How many belong to it; None: all."""
    bytes_before: int = 0
    """Of all files that come before."""

    def batches(self, fields: Fields) -> Iterator[RawBatch]:
        """Yield its documents."""
        left = self.rows
        for batch in batches(self.files, self.passed, fields):
            batch.read_bytes += self.bytes_before
            if left is not None:
                batch.documents = batch.documents[:left]
                left -= len(batch.documents)
            yield batch
            if left == 0:
                return


PART_BYTES = 8_000_000
PART_PAGES = 2_000
"""A part ends with the file or row group that brings it to so many bytes, or so many files that are
one document each: reading one takes some thirty times as long as reading a line."""

MOST_PARTS = 1_000
"""Of large corpora parts, and groups that are joined at once, are larger instead: each group of
keys is read from each part."""


def parts_of(files: Sequence[InputFile], part_bytes: int = PART_BYTES) -> list[Part]:
    """Cut a corpus into parts; the same files are cut alike.

    Who reads one may stand in another directory, so paths are absolute.
    """
    least = max(part_bytes, sum(file.size_bytes for file in files) // MOST_PARTS)
    parts: list[Part] = []
    waiting: list[InputFile] = []
    before = waiting_bytes = 0

    def end() -> None:
        nonlocal before, waiting_bytes
        if waiting:
            parts.append(Part(len(parts), tuple(waiting), bytes_before=before))
        before += waiting_bytes
        waiting.clear()
        waiting_bytes = 0

    for file in files:
        assert file.path is not None
        file = replace(file, path=file.path.absolute())
        if file.is_parquet and file.size_bytes > least:
            from crawler.sources.parquet import row_ranges  # needs pyarrow, which is an extra

            end()
            for passed, rows in row_ranges(file, least):
                parts.append(Part(len(parts), (file,), passed, rows, before))
            before += file.size_bytes
            continue
        waiting.append(file)
        waiting_bytes += file.size_bytes
        pages = sum(file.media_type is not None for file in waiting)
        if waiting_bytes >= least or pages >= PART_PAGES:
            end()
    end()
    return parts


def sign(scratch: Scratch, part: Part, job: Job, fields: Fields, keys: tuple[bytes, ...]) -> None:
    """Read and sign the documents of a part, in a process that is watched as anywhere else."""
    one = job.model_copy(update={"analysis": job.analysis.model_copy(update={"processes": 1})})
    asyncio.run(_sign(scratch, part, one, fields, keys))


async def _sign(
    scratch: Scratch, part: Part, job: Job, fields: Fields, keys: tuple[bytes, ...]
) -> None:
    found, count = PartKeys(job.dedup), 0
    async with WorkerPool(job, partial(CorpusReader, fields), keys) as pool:
        source, never = part.batches(fields), asyncio.Event()
        with publishing(scratch("documents", part.number)) as file:
            reading = pool.read_ahead(source, lambda batch: batch.documents, never)
            async with aclosing(reading) as read:
                async for batch, answers in read:
                    for number, answer in enumerate(answers, count):
                        if isinstance(answer, Reading):
                            document = answer.document
                            found.add(
                                *(number, answer.payload, document.signature),
                                has_evidence=document.appearance is not None,
                            )
                    count += len(answers)
                    # Of what was read nothing is needed any more but where it lies.
                    batch.documents = [replace(raw, body=b"") for raw in batch.documents]
                    file.write(pack((batch, answers)))
    counted = (COUNT, count.to_bytes(8, "little"))
    write_groups(scratch("keys", part.number), chain([counted], found.groups()))


def signed(scratch: Scratch, part: int) -> Iterator[tuple[RawBatch, Answers]]:
    """Yield a part's documents as they were read."""
    with scratch("documents", part).open("rb") as file:
        yield from frames(file)


JOIN_BYTES = 150_000_000
"""Keys that are joined at once, a bound on memory: three times as much of it."""


def joins_of(files: Sequence[GroupFile]) -> list[tuple[int, int]]:
    """Return the ranges of groups that are joined at once: (first, end), `end` left out."""
    sizes: dict[int, int] = {}
    for file in files:
        for group, size in file.sizes.items():
            sizes[group] = sizes.get(group, 0) + size
    most = max(JOIN_BYTES, sum(sizes.values()) // MOST_PARTS)
    ranges: list[tuple[int, int]] = []
    total = 0
    for group in sorted(sizes.keys() - {COUNT}):
        if not ranges or total + sizes[group] > most or group >= FIRST_SKETCH > ranges[-1][0]:
            ranges.append((group, group + 1))
            total = 0
        ranges[-1] = (ranges[-1][0], group + 1)
        total += sizes[group]
    return ranges


def join(
    scratch: Scratch,
    task: int,
    groups: tuple[int, int],
    offsets: Sequence[int],
    settings: config.Dedup,
) -> None:
    """Write the edges between documents that share keys of some groups.

    `offsets` are the numbers of each part's first document.
    """
    kind = SKETCHED if groups[0] >= FIRST_SKETCH else DIGESTED
    found = [GroupFile(scratch("keys", part)).between(*groups) for part in range(len(offsets))]
    rows = np.frombuffer(b"".join(found), kind)
    counts = [len(data) // kind.itemsize for data in found]
    numbers = np.repeat(np.array(offsets, np.int64), counts) + rows["number"]
    if groups[0] >= FIRST_SKETCH:
        edges = sketch_edges(rows, numbers, settings.threshold)
    else:
        assert groups[0] >= FIRST_DIGEST
        edges = digest_edges(rows, numbers)
    with publishing(scratch("edges", task)) as file:
        np.save(file, edges)


class Row(NamedTuple):
    """What is judged of a document."""

    number: int
    """Its place in the corpus, from 1; what it is called in its bundle."""
    payload: PayloadKey
    text: Signature
    shown: Shown


class Decision(NamedTuple):
    """What was decided on a document."""

    number: int
    verdict: Verdict
    """It names an original by its number."""
    is_kept: bool


_AT_ONCE = 1_000
"""Decisions in a frame."""
_ROWS_AT_ONCE = 16
"""Rows of a bundle in a frame: with a thousand bundles some 60 MB wait for their frames."""


def route(
    scratch: Scratch, part: Part, offset: int, settings: config.Dedup, documents: int
) -> None:
    """Write the rows of a part by bundle, and judge the documents that are joined with none.

    `offset` is the number of its first document, `documents` how many it has.
    """
    bundles = np.load(scratch.bundles, mmap_mode="r")[offset : offset + documents].tolist()
    judge = Judge(settings, MemoryCatalog(), documents)
    decided: list[Decision] = []
    scratch("rows", part.number).parent.mkdir(parents=True, exist_ok=True)
    # By way of a file rows are brought into the order of their bundles.
    with TemporaryFile(dir=scratch.directory) as spool:
        waiting: dict[int, list[Row]] = {}
        spooled: list[tuple[int, int, int]] = []  # bundle, start and size of each frame

        def write(bundle: int) -> None:
            start, frame = spool.tell(), pack(waiting.pop(bundle), compressed=False)
            spooled.append((bundle, start, spool.write(frame)))

        def groups() -> Iterator[tuple[int, bytes]]:
            for bundle in list(waiting):
                write(bundle)
            for bundle, start, size in sorted(spooled):
                spool.seek(start)
                yield bundle, spool.read(size)

        answers = chain.from_iterable(answers for _, answers in signed(scratch, part.number))
        for number, answer in enumerate(answers, 1):
            if not isinstance(answer, Reading):
                continue
            document, bundle = answer.document, bundles[number - 1]
            shown = Shown(answer.url, document.appearance, document.layout)
            row = Row(offset + number, answer.payload, document.signature, shown)
            if bundle < 0:
                verdict = judge.judge(row.payload, row.text, row.number, shown)
                decided.append(Decision(row.number, verdict, judge.keeps(verdict)))
                continue
            waiting.setdefault(bundle, []).append(row)
            if len(waiting[bundle]) == _ROWS_AT_ONCE:
                write(bundle)
        write_groups(scratch("rows", part.number), groups())
    write_groups(scratch("alone", part.number), ((part.number, f) for f in _packed(decided)))


def _packed(decided: Sequence[Decision]) -> Iterator[bytes]:
    for start in range(0, len(decided), _AT_ONCE):
        yield pack(decided[start : start + _AT_ONCE])


def judge(
    scratch: Scratch, bundle: int, parts: int, settings: config.Dedup, documents: int
) -> None:
    """Judge the documents of a bundle in the order of the input: `documents`, of so many parts."""

    def decided() -> Iterator[tuple[int, bytes]]:
        with TemporaryFile(dir=scratch.directory) as spool:
            catalog = SpilledCatalog(spool)
            judge = Judge(settings, catalog, documents)
            for part in range(parts):
                found: list[Decision] = []
                for row in chain.from_iterable(GroupFile(scratch("rows", part)).frames(bundle)):
                    verdict = judge.judge(row.payload, row.text, row.number, row.shown)
                    if is_kept := judge.keeps(verdict):
                        catalog.add(row)
                    found.append(Decision(row.number, verdict, is_kept))
                for frame in _packed(found):
                    yield part, frame

    write_groups(scratch("verdicts", bundle), decided())


class SpilledCatalog:
    """See `crawler.dedup.catalog.Catalog`: what is stored of a bundle, on the disk but for keys.

    In memory a document has some 400 bytes. Documents of files are at no address and of no host.
    """

    def __init__(self, spool: BinaryIO) -> None:
        self._file = spool
        self._numbers = array("q")
        self._starts = array("q")
        """Where what is kept of a document begins: its hashes, then their marks, then the rest."""
        self._counts = array("i")
        """How many hashes; negative where they have no marks."""
        self._payloads: dict[PayloadKey, int] = {}
        self._visible: dict[bytes, array[int]] = {}

    def add(self, row: Row) -> None:
        """Remember a document; the first of equal keys stays the original."""
        self._payloads.setdefault(row.payload, row.number)
        self._visible.setdefault(row.text.visible_digest, array("q")).append(row.number)
        kept = Shingles.of(row.text)
        marks = b"" if kept.marks is None else kept.marks.tobytes()
        self._numbers.append(row.number)
        self._starts.append(self._file.seek(0, SEEK_END))
        self._counts.append(len(kept.hashes) if kept.marks is not None else -len(kept.hashes))
        self._file.write(kept.hashes.tobytes() + marks + pack(row.shown, compressed=False))

    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """See Catalog."""
        number = self._payloads.get(key)
        return None if number is None else self.ref(number)

    def by_visible(self, digest: bytes, limit: int) -> list[StoredRef]:
        """See Catalog."""
        return [self.ref(number) for number in self._visible.get(digest, ())[:limit]]

    def ref(self, document_id: int) -> StoredRef:
        """See Catalog."""
        return StoredRef(document_id, self._shown(document_id).url)

    def shingles(self, document_id: int) -> Shingles:
        """See Catalog."""
        count, size = self._find(document_id)
        data = self._file.read(size)
        hashes = np.frombuffer(data, np.uint32, abs(count))
        return Shingles(
            hashes, np.frombuffer(data, np.uint8, count, 4 * count) if count > 0 else None
        )

    def layout(self, document_id: int) -> bytes | None:
        """See Catalog."""
        return self._shown(document_id).layout

    def appearance(self, document_id: int) -> bytes | None:
        """See Catalog."""
        return self._shown(document_id).appearance

    def by_address(self, address: int, limit: int) -> list[AddressedPage]:
        """See Catalog."""
        return []

    def of_host(self, url: str, limit: int) -> list[int]:
        """See Catalog."""
        return []

    def _shown(self, document_id: int) -> Shown:
        _, size = self._find(document_id)
        self._file.seek(size, SEEK_CUR)
        shown: Shown = next(frames(self._file))
        return shown

    def _find(self, document_id: int) -> tuple[int, int]:
        """Go to a document; return the number of its hashes, as it is kept, and bytes with marks.

        KeyError if there is none.
        """
        place = bisect_left(self._numbers, document_id)
        if place == len(self._numbers) or self._numbers[place] != document_id:
            raise KeyError(document_id)
        self._file.seek(self._starts[place])
        count = self._counts[place]
        return count, 5 * count if count > 0 else -4 * count
