"""An analysis process: answers questions from stdin on stdout, one at a time, until stdin ends.

Run as `python -m crawler.analysis.worker` by `crawler.pool` only; `messages` is what they say. A
separate program rather than a multiprocessing child: it imports the readers of pages and nothing of
the crawler around them, its state is a local variable, and there is no queue, thread or semaphore
to leak when it is killed.
"""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from crawler.analysis.messages import HEADER, AnalysisFailed, Question, frame
from crawler.extract.text import clean
from crawler.records import Failure

_MAX_DETAIL = 500
"""Characters kept of an exception's message."""

_PR_SET_PDEATHSIG = 1
"""prctl(2): the signal this process gets when its parent dies, even in the midst of a page."""


def serve(incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Answer frames until `incoming` ends or memory runs out."""
    start = _receive(incoming)
    if start is None:
        return
    try:
        analyser = start.make(start.settings)
        analyser.warm()
        # Pages leave cycles; what was loaded before them is not looked through for those each time.
        gc.freeze()
        trouble = _limit_memory(start.memory_bytes)
    except Exception as error:
        trouble = _describe(error)
    _send(outgoing, frame(trouble))
    while not trouble and (question := _receive(incoming)) is not None:
        answer, exhausted = _answer(analyser, question)
        _send(outgoing, answer)
        if exhausted:
            return


def _answer(analyser: Any, question: Question) -> tuple[bytes, bool]:
    """Return the framed answer, and whether memory ran out: then this process is worn out."""
    try:
        if question.links_only:
            return frame(analyser.links(question.request)), False
        return frame(analyser.analyse(question.request)), False
    except MemoryError as error:
        return frame(AnalysisFailed(Failure.ANALYSIS_CRASH, _describe(error))), True
    except Exception as error:
        return frame(AnalysisFailed(Failure.ANALYSIS_ERROR, _describe(error))), False


def _describe(error: Exception) -> str:
    message = clean(str(error))[:_MAX_DETAIL]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _receive(incoming: BinaryIO) -> Any:
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


def main() -> None:
    """Run the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        # Elsewhere it ends after the page it is at: stdin has ended by then.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print goes to stderr
    try:
        serve(incoming, outgoing)
    except BrokenPipeError:
        os._exit(1)  # the parent is gone; a flush at exit would only complain again


if __name__ == "__main__":
    main()
