"""A judge alone: documents in, from any thread, and what each is beside those before it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from crawler.console import given_directory
from crawler.errors import InputError
from inline_crawler.own_loop import OwnLoop
from inline_crawler.results import Verdict

if TYPE_CHECKING:
    from crawler.sources.inputs import DocumentId
    from inline_crawler.judging import Judging

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

    def __init__(self, judging: Judging) -> None:
        if isinstance(judging, str | os.PathLike):
            raise InputError(f"a judge is made by Judge.open({os.fspath(judging)!r})")
        self._judging = judging
        # The store needs a loop: all runs on this one, in turns.
        self._loop = OwnLoop("judge")
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

        The first one that a program opens loads what judges, within a second.

        Raises InputError for what is no path, ConfigError for settings that do not exist;
        StoreMismatch where the directory holds something else or has other settings; StoreInUse
        where another process has it; StoreError where it cannot be read or written. All are
        `crawler.errors.CrawlerError`, with the way out.
        """
        from inline_crawler.judging import Judging

        judge = cls(Judging(given_directory(directory), settings))
        try:
            judge._loop.run(judge._judging.begin())
        except BaseException:
            judge._loop.end()
            raise
        return judge

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
        [verdict] = self._call(self._judging.see, [given])
        return verdict

    def see_many(self, documents: Iterable[Mapping[str, Any]]) -> list[Verdict]:
        """Judge documents one after another; return a verdict for each, in order.

        Each is a mapping like a line of `dedup`: `id`, `text`, and `title` and `url` if they are to
        be compared; what else is in it is kept in its line. The verdicts are those of as many calls
        of `see`. All are read before the first one is judged, so give some thousand at a time:
        where one raises InputError, as by `see`, none of them was seen.
        """
        if isinstance(documents, Mapping | str | bytes) or not isinstance(documents, Iterable):
            raise InputError(
                f"see_many takes a list of documents, each a mapping of `id` and `text`, not "
                f"{type(documents).__name__}"
            )
        return self._call(self._judging.see, list(documents))

    def commit(self) -> None:
        """Wait until all that was seen is durable; raises StoreError where it cannot be."""
        self._call(self._judging.commit)

    def close(self) -> None:
        """Commit, write `summary.json` and let the directory go; raises as `commit` does."""
        if self._is_elsewhere():
            return
        with self._calling:
            if not self._open:
                return
            self._open = False
            try:
                self._loop.run(self._judging.close())
            finally:
                self._loop.end()

    def __contains__(self, id: DocumentId) -> bool:
        """Whether a document with this id was seen, in this run or an earlier one."""
        return id in self._judging.ids

    def __len__(self) -> int:
        """How many documents were seen, copies included."""
        return len(self._judging.ids)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, ask: Callable[..., Coroutine[Any, Any, _Answer]], *given: Any) -> _Answer:
        if self._is_elsewhere():
            raise InputError(
                "this judge was opened by another process, which alone can ask it: send the "
                "documents there, or open a directory of its own for each process"
            )
        with self._calling:
            if not self._open:
                raise InputError("this judge is closed: open its directory again")
            return self._loop.run(ask(*given))

    def _is_elsewhere(self) -> bool:
        """Whether this is a process forked from the judge's: its thread and its locks stayed there.

        To wait for either would be for ever.
        """
        return os.getpid() != self._process
