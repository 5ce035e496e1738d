"""An analysis process: answers questions from its socket, one at a time, until that ends.

`messages` is what is said. It is forked by a `nursery`, a program of its own rather than a child of
the crawl's process: it has the readers of pages and nothing of the crawler around them, its state
is a local variable, and there is no queue, thread or semaphore to leak when it is killed.
"""

from __future__ import annotations

import pickle
import resource
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from crawler.analysis.messages import HEADER, AnalysisFailed, Question, Start, frame
from crawler.extract.text import clean
from crawler.records import Failure

_MAX_DETAIL = 500
"""Characters kept of an exception's message."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What answers, warm; or why nothing can, which is empty if it can."""

    analyser: Any
    trouble: str


def prepare(start: Start) -> Prepared:
    """Make and warm up what a crawler wants to run."""
    try:
        analyser = start.make(start.settings)
        analyser.warm()
    except Exception as error:
        return Prepared(None, _describe(error))
    return Prepared(analyser, "")


def serve(prepared: Prepared, memory_bytes: int, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Answer frames until `incoming` ends or memory runs out.

    The first one, whatever it says, is answered by why the process cannot work.
    """
    if receive(incoming) is None:
        return
    trouble = prepared.trouble or _limit_memory(memory_bytes)
    _send(outgoing, frame(trouble))
    while not trouble and (question := receive(incoming)) is not None:
        answer, exhausted = _answer(prepared.analyser, question)
        _send(outgoing, answer)
        if exhausted:
            return


def _answer(analyser: Any, question: Question) -> tuple[bytes, bool]:
    """Return the framed answer, and whether memory ran out: then this process is worn out."""
    try:
        return frame(getattr(analyser, question.asks)(question.request)), False
    except MemoryError as error:
        return frame(AnalysisFailed(Failure.ANALYSIS_CRASH, _describe(error))), True
    except Exception as error:
        return frame(AnalysisFailed(Failure.ANALYSIS_ERROR, _describe(error))), False


def _describe(error: Exception) -> str:
    message = clean(str(error))[:_MAX_DETAIL]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def receive(incoming: BinaryIO) -> Any:
    """Return the next message, or None at the end."""
    header = incoming.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    (length,) = HEADER.unpack(header)
    body = incoming.read(length)
    return pickle.loads(body) if len(body) == length else None


def _send(outgoing: BinaryIO, framed: bytes) -> None:
    outgoing.write(framed)
    outgoing.flush()


def _limit_memory(limit_bytes: int) -> str:
    """Bound the address space from now on; return what is wrong with the bound, or nothing.

    A stricter bound of the system's stays. Where the system knows none (macOS refuses to set it)
    the process works without.
    """
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        limit_bytes = min(limit_bytes, most)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
    statm = Path("/proc/self/statm")
    used_bytes = int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0
    if used_bytes < limit_bytes:
        return ""
    return (
        f"analysis.memory_bytes: {limit_bytes:,} is too little: an analysis process needs "
        f"{used_bytes:,} even before its first page"
    )
