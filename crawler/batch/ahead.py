"""Reading ahead: a few batches are under way at once, their answers come in the input's order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Sequence

from crawler.analysis import AnalysisFailed
from crawler.analysis.messages import Question
from crawler.batch.raw import Bad, RawBatch, RawDocument
from crawler.batch.reader import Reading
from crawler.pool import WorkerPool

AHEAD_PER_PROCESS = 3
"""Batches under way a process: one in it, one on its way, one in reserve."""

Answer = Reading | Bad | AnalysisFailed
"""What became of a document; AnalysisFailed if it hung or ended its process."""


async def read_ahead(
    source: Iterator[RawBatch], pool: WorkerPool
) -> AsyncGenerator[tuple[RawBatch, Sequence[Answer]], None]:
    """Yield batches with their answers, in order, while the next ones are being read.

    To be closed by whoever stops before the end: then what is under way is dropped.
    """
    under_way: deque[tuple[RawBatch, asyncio.Task[Sequence[Answer]]]] = deque()
    try:
        while True:
            while len(under_way) < AHEAD_PER_PROCESS * pool.processes:
                # In a thread: decompression must not keep the judge from its work.
                batch = await asyncio.to_thread(next, source, None)
                if batch is None:
                    break
                under_way.append((batch, asyncio.create_task(_ask(pool, batch.documents))))
            if not under_way:
                return
            batch, answers = under_way.popleft()
            yield batch, await answers
    finally:
        for _, answers in under_way:
            answers.cancel()
        await asyncio.gather(*(answers for _, answers in under_way), return_exceptions=True)


async def _ask(pool: WorkerPool, documents: Sequence[RawDocument]) -> Sequence[Answer]:
    """Return an answer a document. Where a batch is lost, each is tried alone, to blame one."""
    answer: Sequence[Answer] | AnalysisFailed = await pool.ask(
        Question(documents, links_only=False)
    )
    if not isinstance(answer, AnalysisFailed):
        return answer
    if len(documents) == 1:
        return [answer]
    return [(await _ask(pool, [document]))[0] for document in documents]
