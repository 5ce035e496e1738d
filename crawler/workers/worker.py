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

from crawler.extract.text import clean
from crawler.models import Failure
from crawler.workers.messages import HEADER, AnalysisFailed, Question, Start, frame

_MAX_DETAIL = 500
"""Characters kept of an exception's message."""

PAGE_ROOM_BYTES = 32 * 1024 * 1024
"""Address space beyond what is loaded without which no page can be read: a tree of a usual page
takes a few MiB, and the allocators ask for whole arenas."""


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
    trouble = prepared.trouble or too_little(memory_bytes)
    if not trouble:
        _limit_memory(memory_bytes)
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


def too_little(memory_bytes: int) -> str:
    """Return what is wrong with a bound on a process that has what this one has, or nothing.

    The least it needs is computed: all that is loaded, and room for a page. A process that found
    out by itself would die of it, before or after it could say so as the machine will have it.
    Where the system does not tell what is loaded (macOS) any bound will do.
    """
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return ""
    least_bytes = int(statm.read_text().split()[0]) * resource.getpagesize() + PAGE_ROOM_BYTES
    bound_bytes = _bound(memory_bytes)
    if bound_bytes >= least_bytes:
        return ""
    return (
        f"analysis.memory_bytes: {bound_bytes:,} is too little: an analysis process needs "
        f"{least_bytes:,} for what it loads and one page"
    )


def _bound(memory_bytes: int) -> int:
    """Return the bound that holds: a stricter one of the system's stays."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    return memory_bytes if most == resource.RLIM_INFINITY else min(memory_bytes, most)


def _limit_memory(memory_bytes: int) -> None:
    """Bound the address space from now on.

    Where the system knows no bound (macOS refuses to set it) the process works without.
    """
    bound_bytes = _bound(memory_bytes)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (bound_bytes, bound_bytes))
