"""A run over a corpus in parts: its stages, then lines and state as one machine writes them.

All that is decided is decided when the first line is written. From there on this is the run of one
machine over the same documents, with a judge that knows every verdict: it writes all of the output,
in the order of the input, by the same code, in memory that does not grow with the texts.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import shutil
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from heapq import merge
from itertools import accumulate, chain
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from crawler.config import Method
from crawler.console import Say, progress
from crawler.dedup import Judged
from crawler.dedup.kinds import Alike
from crawler.errors import ConfigError, CrawlerError, StoreError
from crawler.models import (
    EditionCount,
    ExactDuplicate,
    PayloadKey,
    ReadPage,
    Shown,
    Signature,
    StoredRef,
)
from crawler.ray_cluster import ray_cluster
from crawler.sources.corpus import CorpusJob, CorpusRun
from crawler.sources.documents import RawBatch
from crawler.sources.parts.files import GroupFile, publishing
from crawler.sources.parts.keys import COUNT, Components
from crawler.sources.parts.stages import (
    Decision,
    Scratch,
    join,
    joins_of,
    judge,
    parts_of,
    route,
    sign,
    signed,
)
from crawler.sources.reader import Answers
from crawler.storage.store import Store
from crawler.storage.tables import Meta

log = logging.getLogger(__name__)

SCRATCH = "parts"
"""The directory below that of the output where all lies between the stages."""
_PLAN = "plan"
_VERSION = 1
"""Of the files between the stages."""

BUNDLE_DOCUMENTS = 20_000
MOST_BUNDLES = 1_000
"""Of large corpora bundles are larger instead: each has its rows in the file of each part."""


Task = Callable[[], None]
Executor = Callable[[Sequence[Task]], AsyncGenerator[None, None]]
"""Does the tasks of a stage, anywhere the directory is seen: they can be pickled.

It yields when one is done: once each, in any order; it raises what a task raises. To be closed by
whoever does not wait for all: then what is under way is dropped."""


async def in_process(tasks: Sequence[Task]) -> AsyncGenerator[None, None]:
    """Do one task after another, here; see Executor."""
    for task in tasks:
        await asyncio.to_thread(task)
        yield


AHEAD = 2
"""Tasks under way a processor: one in it, one that waits for it."""


@contextmanager
def on_ray(address: str | None = None, processes: int | None = None) -> Iterator[Executor]:
    """Yield who does tasks on the cluster at an address, or on a private one (`ray_cluster`).

    A task has one of the processors. One whose process or machine is lost is done again, three
    times by default. What a task raised is raised as it was, what happened to Ray as StoreError.
    """
    with ray_cluster(address, "--engine ray", processes) as ray:
        remote = ray.remote(num_cpus=1)(_do)
        most = AHEAD * int(ray.cluster_resources().get("CPU", 1))

        async def done(tasks: Sequence[Task]) -> AsyncGenerator[None, None]:
            waiting = deque(tasks)
            running: dict[asyncio.Future[None], Any] = {}
            try:
                while waiting or running:
                    while waiting and len(running) < most:
                        reference = remote.remote(waiting.popleft())
                        running[asyncio.wrap_future(reference.future())] = reference
                    ended, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                    for one in ended:
                        del running[one]
                        one.result()
                        yield
            except ray.exceptions.RayTaskError as error:
                cause = error.cause
                raise cause if isinstance(cause, CrawlerError) else error from None
            except ray.exceptions.RayError as error:
                raise StoreError(f"a task was lost: {error}; the same command goes on") from None
            finally:
                for future, reference in running.items():
                    future.cancel()
                    ray.cancel(reference)

        yield done


def _do(task: Task) -> None:
    task()


def check(corpus: CorpusJob) -> None:
    """Raise ConfigError for a corpus that cannot be judged in parts."""
    if (method := corpus.job.dedup.method) is not Method.VERIFIED:
        raise ConfigError(
            f"--engine ray judges by the method verified, not by {method.value}: what else may "
            "matter to a document is not known of others; leave --engine out"
        )
    if corpus.against:
        raise ConfigError("--engine ray takes no --against yet: leave one of them out")
    if any(file.path is None for file in corpus.files):
        raise ConfigError("--engine ray reads files, and no standard input: name the files")


def is_judged(store: Store) -> bool:
    """Whether a run in a store has come to its end: the same command has nothing to do."""
    runs = store.meta(Meta.RUNS, [])
    return bool(runs) and not runs[-1]["stopped"]


class Decided:
    """A judge that knows the verdict on each document, and hands them out in their order."""

    def __init__(self, stored: Iterable[tuple[int, int]], next_id: int) -> None:
        """`stored` are the ids and numbers of documents that are stored already, ascending."""
        self.decisions: Iterator[Decision] = iter(())
        self._ids = array("q")
        self._numbers = array("q")
        for id_, number in stored:
            self._ids.append(id_)
            self._numbers.append(number)
        self._next_id = next_id

    def known_payload(self, key: PayloadKey) -> ExactDuplicate | None:
        """See `crawler.engine.ports.PageJudge`."""
        return None

    async def decide(
        self,
        key: PayloadKey,
        signature: Signature,
        shown: Shown | None = None,
        page: ReadPage | None = None,
    ) -> Judged:
        """See `crawler.engine.ports.PageJudge`. To be awaited, but it never waits."""
        number, verdict, is_kept = next(self.decisions)
        if isinstance(verdict, Alike):
            original = self._ids[bisect_left(self._numbers, verdict.of.id)]
            verdict = replace(verdict, of=StoredRef(original, verdict.of.url))
        if not is_kept:
            return Judged(verdict, None)
        self._ids.append(self._next_id)
        self._numbers.append(number)
        self._next_id += 1
        return Judged(verdict, self._next_id - 1)

    def observe(self, url: str, verdict: ExactDuplicate) -> None:
        """See `crawler.engine.ports.PageJudge`."""

    def take_editions(self) -> tuple[EditionCount, ...]:
        """See `crawler.engine.ports.PageJudge`. Documents of files are at no address."""
        return ()


class PartsRun(CorpusRun):
    """One run over a corpus in parts. What it finds of earlier ones is not done again."""

    def __init__(
        self,
        corpus: CorpusJob,
        store: Store,
        executor: Executor,
        *,
        say: Say = lambda line: None,
        part_bytes: int | None = None,
        bundle_documents: int | None = None,
    ) -> None:
        """`part_bytes` and `bundle_documents` are least sizes; None: the usual ones."""
        super().__init__(corpus, store, say=say)
        self._executor = executor
        self._scratch = Scratch(store.directory.absolute() / SCRATCH)
        self._parts = parts_of(corpus.files, *([part_bytes] if part_bytes else []))
        self._bundle_documents = bundle_documents or BUNDLE_DOCUMENTS
        self._was_judged = is_judged(store)
        stored = store.database.stream("SELECT id, url_id FROM documents ORDER BY id")
        self._decided = Decided(stored, store.next_document_id)
        self.judge = self._decided

    def _readers(self, keys: tuple[bytes, ...]) -> AbstractAsyncContextManager[Any]:
        return nullcontext(keys)

    async def _read_all(self, pool: Any) -> None:
        if self._was_judged:
            return
        await super()._read_all(pool)
        if not self._stop.is_set():
            await self._store.flush()
            shutil.rmtree(self._scratch.directory, ignore_errors=True)

    async def _read(self, pool: Any, number: int) -> AsyncGenerator[tuple[RawBatch, Answers], None]:
        """Do all stages, then yield the documents, each with its decision to be handed out."""
        keys: tuple[bytes, ...] = pool
        self._take_up(keys)
        scratch, parts, job = self._scratch, self._parts, self._job
        signing = {
            scratch("keys", part.number): partial(
                sign, scratch, part, job, self._corpus.fields, keys
            )
            for part in parts
        }
        if not await self._stage("parts read", signing):
            return
        files = [GroupFile(scratch("keys", part.number)) for part in parts]
        counts = [int.from_bytes(file.between(COUNT, COUNT + 1), "little") for file in files]
        offsets = [0, *accumulate(counts)][:-1]
        joins = {
            scratch("edges", task): partial(join, scratch, task, groups, offsets, job.dedup)
            for task, groups in enumerate(joins_of(files))
        }
        if not await self._stage("keys joined", joins):
            return
        if not scratch.bundles.exists():
            await asyncio.to_thread(self._bundle, list(joins), sum(counts))
        bundles = np.load(scratch.bundles, mmap_mode="r")
        sizes = np.bincount(bundles[bundles >= 0]).tolist()
        routing = {
            scratch("alone", part.number): partial(route, scratch, part, offset, job.dedup, count)
            for part, offset, count in zip(parts, offsets, counts, strict=True)
        }
        if not await self._stage("parts sorted", routing):
            return
        judged = {
            scratch("verdicts", bundle): partial(
                judge, scratch, bundle, len(parts), job.dedup, size
            )
            for bundle, size in enumerate(sizes)
        }
        if not await self._stage("bundles judged", judged):
            return
        verdicts = [GroupFile(path) for path in judged]
        passed = number
        for part, count in zip(parts, counts, strict=True):
            if passed >= count:
                passed -= count
                continue
            alone = GroupFile(scratch("alone", part.number))
            found = (chain.from_iterable(file.frames(part.number)) for file in (alone, *verdicts))
            in_order = merge(*found, key=attrgetter("number"))
            self._decided.decisions = (one for one in in_order if one.number > number)
            for batch, answers in signed(scratch, part.number):
                left = max(0, len(answers) - passed)
                passed -= len(answers) - left
                if left:
                    batch.documents = batch.documents[-left:]
                    yield batch, answers[-left:]

    def _take_up(self, keys: tuple[bytes, ...]) -> None:
        """Keep what an earlier run left for the same documents, settings and key, and no other."""
        told = {
            "version": _VERSION,
            "identity": self._store.meta(Meta.IDENTITY),
            "extract": self._job.extract.model_dump(mode="json"),
            "keys": [hashlib.sha256(key).hexdigest() for key in keys],
            "parts": [(len(part.files), part.passed, part.rows) for part in self._parts],
            "bundles": self._bundle_documents,
        }
        plan, path = orjson.dumps(told), self._scratch.directory / _PLAN
        if not path.exists() or path.read_bytes() != plan:
            shutil.rmtree(self._scratch.directory, ignore_errors=True)
            with publishing(path) as file:
                file.write(plan)
        for left in self._scratch.directory.glob("**/*.part"):  # of those that were killed
            left.unlink(missing_ok=True)

    async def _stage(self, what: str, tasks: Mapping[Path, Task]) -> bool:
        """Have the tasks done whose files are not there yet; return whether all are."""
        left = [task for path, task in tasks.items() if not path.exists()]
        log.info("%s: %d of %d are to be done", what, len(left), len(tasks))
        done = len(tasks) - len(left)
        async with aclosing(self._executor(left)) as ended:
            async for _ in ended:
                done += 1
                self._say(progress(f"{what}: {done:,} of {len(tasks):,}"))
                if self._stop.is_set():
                    break
        return done == len(tasks) and not self._stop.is_set()

    def _bundle(self, edges: Sequence[Path], documents: int) -> None:
        """Join all edges, and write the bundle of each document."""
        components = Components(documents)
        for path in edges:
            components.join(np.load(path))
        least = max(self._bundle_documents, documents // MOST_BUNDLES)
        with publishing(self._scratch.bundles) as file:
            np.save(file, components.bundles(least))
