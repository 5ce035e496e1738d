"""What a judge does on its event loop: documents read, judged and kept in their directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from crawler.config import Job, parse_job
from crawler.engine.identity import identity
from crawler.errors import InputError, StoreMismatch
from crawler.models import NearDuplicate, New, PageOutcome, Sibling, Unjudged, VerdictKind
from crawler.observe.parts import parts_in_use
from crawler.sources.corpus import (
    FREE,
    CorpusJob,
    believing,
    corpus_identity,
    document_end,
    named,
)
from crawler.sources.documents import MAX_DOCUMENT_BYTES, Fields, RawDocument
from crawler.sources.inputs import DocumentId, InputFile, id_in
from crawler.sources.reader import CorpusReader, Reading
from crawler.sources.run import judging
from crawler.storage.directory import GIVEN, INPUTS
from crawler.storage.store import Store
from crawler.storage.summary import write_summary
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView, begun
from crawler.workers.messages import AnalysisSettings
from inline_crawler.results import Verdict

SOURCE = "judge"
"""What documents come by, as reports name it."""
URL = "judge:"
"""What the URL of a document begins with. Its place among all and its id follow as the fragment, as
those of a line do in a file: by its place no two documents are at one address."""
_FILE = InputFile(None, SOURCE, "the judge", SOURCE, None, 0)


class Judging:
    """The judge of a directory, from `begin` to `close`; one coroutine at a time."""

    def __init__(self, directory: Path, settings: Mapping[str, Any]) -> None:
        """Take a directory and its settings; raises what `Judge.open` says, changes nothing."""
        held = dict[str, Any]()
        self._goes_on = directory.exists() and begun(directory)
        if self._goes_on:
            with StoreView.read(directory) as view:
                stored = view.meta(Meta.IDENTITY, {})
            if stored.get(INPUTS) != GIVEN:
                raise StoreMismatch(
                    f"{directory} holds a crawl or the results of `dedup`: give Judge.open a "
                    f'directory of its own, and this one as against=["{directory}"]'
                )
            held = {**stored["dedup"], "against": stored["against"]}
        self._job = _job(directory, {**held, **settings})
        if self._goes_on:
            before = _job(directory, held)
            then, now = (
                one.dedup.model_dump(mode="json", exclude=FREE) for one in (before, self._job)
            )
            differing = [f"{k}: {then[k]!r}, now {now[k]!r}" for k in then if then[k] != now[k]]
            if differing:
                raise StoreMismatch(
                    f"{directory} was begun with other settings:\n  "
                    + "\n  ".join(differing)
                    + "\nLeave them out to go on as it was begun, or choose another directory"
                )
        self.ids: set[DocumentId] = set()
        """Of all documents seen, in this run or an earlier one."""

    async def begin(self) -> None:
        """Open the directory, with all that is known in it."""
        job = self._job
        against = job.dedup.against
        wanted = corpus_identity(CorpusJob(job, (), against=against), identity(job))
        wanted[INPUTS] = GIVEN
        async with AsyncExitStack() as stack:
            opened = Store.open if self._goes_on else Store.create
            store = opened(job.output, wanted, rotate_bytes=job.storage.rotate_bytes)
            self._store = await stack.enter_async_context(store)
            store.begin_run(job.model_dump(mode="json"), parts_in_use())
            by_url = partial(named, lambda url: SOURCE)
            self._engine, pages = stack.enter_context(judging(job, store, against, by_url))
            self._reader = CorpusReader(Fields(id="id"), AnalysisSettings.of(job, pages.keys))
            self._ended = store.next_url_id - 1
            self.ids.update(id_ for url in store.seen_urls() if (id_ := id_in(url)) is not None)
            self._opened = stack.pop_all()

    async def see(self, documents: Sequence[Mapping[str, Any]]) -> list[Verdict]:
        """Judge documents, see `Judge.see_many`."""
        read, ids = [], set[DocumentId]()
        for number, document in enumerate(documents, 1):
            raw, reading = self._read(document, self._ended + number)
            if reading.id in self.ids or reading.id in ids:
                raise InputError(
                    f"document {reading.id!r} was seen before: ask `id in judge` first, or give "
                    "each version of a document an id of its own"
                )
            ids.add(reading.id)
            read.append((raw, reading))
        verdicts = []
        for raw, reading in read:
            outcome = await document_end(self._engine, self._ended + 1, raw, reading)
            self._store.submit(outcome)
            self._ended += 1
            self.ids.add(reading.id)
            await self._store.room()
            verdicts.append(_told(outcome))
        return verdicts

    def _read(self, document: Mapping[str, Any], number: int) -> tuple[RawDocument, Reading]:
        """Read and sign a document that would be the one of this number."""
        if not isinstance(document, Mapping):
            told = f"a mapping of `id` and `text`, not {type(document).__name__}"
            raise InputError(f"document {number} must be {told}")
        for key in ("id", "text"):
            if key not in document:
                raise InputError(f"document {document.get('id', number)!r} has no {key!r}")
        given = document["id"]
        try:
            body = orjson.dumps(dict(document))
        except TypeError as error:
            why: object = error
            if isinstance(document["text"], bytes | bytearray | memoryview):
                why = "'text' must be a string, not bytes: decode it"
            raise InputError(f"document {given!r}: {why}") from None
        if len(body) > MAX_DOCUMENT_BYTES:
            raise InputError(f"document {given!r}: longer than {MAX_DOCUMENT_BYTES:,} bytes")
        raw = RawDocument(_FILE, URL, number, body)
        [reading] = self._reader.analyse([raw])
        if not isinstance(reading, Reading):
            raise InputError(f"document {given!r}: {reading.detail}")
        return raw, reading

    async def commit(self) -> None:
        """Wait until all that was seen is durable."""
        self._store.mark_run(stopped=True)
        await self._store.flush()

    async def close(self) -> None:
        """Commit, write the summary and let the directory go."""
        async with self._opened:
            self._store.mark_run(stopped=False)
        write_summary(self._store.directory)


def _job(path: Path, dedup: Mapping[str, Any]) -> Job:
    return believing(parse_job({"output": path, "dedup": dict(dedup)}, "Judge.open"))


def _told(outcome: PageOutcome) -> Verdict:
    found, of = outcome.end, outcome.original
    told = Verdict(VerdictKind(outcome.detail), outcome.document is not None)
    if isinstance(found, New | Unjudged):
        return replace(told, reason=found.reason)
    assert of is not None  # every other verdict rests on a kept document
    url = None if "source" in of else of["url"]
    told = replace(told, of=of["id"], against=of.get("against"), url=url, similarity=1.0)
    if isinstance(found, NearDuplicate | Sibling):
        return replace(
            told,
            similarity=found.similarity,
            distance=found.distance,
            evidence=found.evidence,
        )
    return told
