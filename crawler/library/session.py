"""A judge at work over its directory; all of it runs on one event loop."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Any, Self

import orjson

from crawler.analysis import AnalysisSettings
from crawler.batch.ends import Known, Place
from crawler.batch.fields import Fields
from crawler.batch.inputs import InputFile
from crawler.batch.judging import CorpusJudge
from crawler.batch.names import id_in
from crawler.batch.raw import MAX_DOCUMENT_BYTES, RawDocument
from crawler.batch.reader import CorpusReader, Reading
from crawler.config import Job
from crawler.crawl.summary import write_summary
from crawler.earlier.opening import open_layers
from crawler.errors import InputError
from crawler.library.directory import open_directory
from crawler.library.verdicts import Verdict, told
from crawler.observe.parts import parts_in_use
from crawler.storage import Store

SOURCE = "judge"
"""What documents come by, as reports name it."""
URL = "judge:"
"""What the URL of a document begins with. Its place among all and its id follow as the fragment, as
those of a line do in a file: by its place no two documents are at one address."""
_FILE = InputFile(None, SOURCE, "the judge", SOURCE, None, 0)


class _OnlySource:
    def find(self, url: str) -> str:
        """Return what every document of a judge came by."""
        return SOURCE


class Session:
    """The judge in one directory; made by `open`, committed and released by `close`."""

    def __init__(self, job: Job, store: Store, known: Known, stack: AsyncExitStack) -> None:
        self.ids = {id_ for url in store.seen_urls() if (id_ := id_in(url)) is not None}
        """Of all documents seen, in this run or an earlier one."""
        self._store = store
        self._known = known
        self._stack = stack
        self._judge = CorpusJudge(job, store, known)
        settings = AnalysisSettings.of(job, known.pages.keys)
        self._reader = CorpusReader(Fields(id="id"), settings)
        self._ended = store.next_url_id - 1

    @classmethod
    async def open(cls, directory: Path, settings: Mapping[str, Any]) -> Self:
        """Open the judge in `directory`, or begin one; raises as `open_directory` does."""
        job, opened, identity = open_directory(directory, settings)
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(opened)
            store.begin_run(job.model_dump(mode="json"), parts_in_use())
            earlier = stack.enter_context(ExitStack())
            pages = open_layers(job.dedup.against, store, identity, earlier)
            return cls(job, store, Known(pages, _OnlySource()), stack.pop_all())

    async def see(self, document: Mapping[str, Any]) -> Verdict:
        """Judge a document of `id`, `text` and, where known, `title` and `url`."""
        reading, place = self._read(document)
        verdict, batch = self._judge.end(place, reading)
        self._store.submit(batch)
        self._ended += 1
        self.ids.add(reading.id)
        await self._store.room()
        return told(verdict, batch.document is not None, self._known)

    async def commit(self) -> None:
        """Wait until all that was seen is durable."""
        self._store.mark_run(stopped=True)
        await self._store.flush()

    async def close(self) -> None:
        """Commit, and let the directory go; its summary is written."""
        async with self._stack:
            self._store.mark_run(stopped=False)
        write_summary(self._store.directory)

    def _read(self, document: Mapping[str, Any]) -> tuple[Reading, Place]:
        id_ = document["id"]
        try:
            body = orjson.dumps(document)
        except TypeError as error:
            raise InputError(f"document {id_!r}: {error}") from None
        if len(body) > MAX_DOCUMENT_BYTES:
            raise InputError(f"document {id_!r}: longer than {MAX_DOCUMENT_BYTES:,} bytes")
        number = self._ended + 1
        raw = RawDocument(_FILE, URL, number, body)
        [reading] = self._reader.analyse([raw])
        if not isinstance(reading, Reading):
            raise InputError(f"document {id_!r}: {reading.detail}")
        if reading.id in self.ids:
            raise InputError(
                f"document {id_!r} was seen before: ask `id in judge` first, or give each version "
                "of a document an id of its own"
            )
        return reading, Place(number, raw)
