"""The judge alone: documents in, verdicts out, from any program and thread."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from crawler.batch.names import DocumentId
from crawler.errors import InputError
from crawler.library.loop_thread import LoopThread
from crawler.library.session import Session
from crawler.library.verdicts import Verdict

_Answer = TypeVar("_Answer")


class Judge:
    """Tells of each document whether it is a copy of one seen before; made by `open`.

    What is kept lies in a directory like that of `dedup`: kept documents in `pages.jsonl`, copies
    with their evidence in `duplicates.jsonl`; `report`, `explain`, `export` and `--against` take
    it. The verdicts depend on the order of documents and on nothing else. After a kill everything
    up to some document is there, and `id in judge` tells which are.

    May be called from several threads: one document is judged at a time. Memory: some 200 bytes a
    kept document, and some 100 more for the id of each one seen.

    It belongs to the process that opened it: one that is forked from that (by `multiprocessing`, or
    `map(..., num_proc=4)` of datasets) can ask nothing of it, and closes nothing.
    """

    def __init__(self, session: Session, thread: LoopThread) -> None:
        self._session = session
        self._thread = thread
        self._calling = threading.Lock()
        self._open = True
        self._process = os.getpid()

    @classmethod
    def open(cls, directory: str | os.PathLike[str], **settings: Any) -> Self:
        """Open the judge in a directory, or begin one.

        `settings` are the keys of `dedup` in a job (docs/configuration.md): `threshold=0.8`,
        `method="verified"`, `against=["last-month"]` and so on. As for corpora, whatever is alike
        is a copy, unless `siblings="tag"` asks for titles and URLs to be compared. A directory that
        has begun keeps its settings: leave them out, or give the same.

        Raises ConfigError for settings that do not exist; StoreMismatch where the directory holds
        something else or has other settings; StoreInUse where another process has it; StoreError
        where it cannot be read or written. All are `crawler.errors.CrawlerError`, with the way out.
        """
        thread = LoopThread("judge")
        try:
            session = thread.call(Session.open(Path(directory), settings))
        except BaseException:
            thread.close()
            raise
        return cls(session, thread)

    def see(
        self, id: DocumentId, text: str, *, title: str | None = None, url: str | None = None
    ) -> Verdict:
        """Judge a document and remember it, in one step.

        It is durable within a second, or after `commit`. `title` and `url` are compared where the
        settings ask for siblings. Raises InputError for an id that was seen before, and for what is
        no text; StoreError where the directory cannot be written any more.
        """
        telling = {"title": title, "url": url}
        given = {"id": id, "text": text} | {k: v for k, v in telling.items() if v is not None}
        return self._call(lambda: self._session.see(given))

    def commit(self) -> None:
        """Wait until all that was seen is durable; raises StoreError where it cannot be."""
        self._call(self._session.commit)

    def close(self) -> None:
        """Commit, write `summary.json` and let the directory go; raises as `commit` does."""
        if self._is_elsewhere():
            return
        with self._calling:
            if not self._open:
                return
            self._open = False
            try:
                self._thread.call(self._session.close())
            finally:
                self._thread.close()

    def __contains__(self, id: DocumentId) -> bool:
        """Whether a document with this id was seen, in this run or an earlier one."""
        return id in self._session.ids

    def __len__(self) -> int:
        """How many documents were seen, copies included."""
        return len(self._session.ids)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _call(self, make: Callable[[], Coroutine[Any, Any, _Answer]]) -> _Answer:
        if self._is_elsewhere():
            raise InputError(
                "this judge was opened by another process, which alone can ask it: send the "
                "documents there, or open a directory of its own for each process"
            )
        with self._calling:
            if not self._open:
                raise InputError("this judge is closed: open its directory again")
            return self._thread.call(make())

    def _is_elsewhere(self) -> bool:
        """Whether this is a process forked from the judge's: its thread and its locks stayed there.

        To wait for either would be for ever.
        """
        return os.getpid() != self._process
