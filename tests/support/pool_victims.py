"""Pages that misbehave, for tests of the pool: a body is `command argument`.

`Victim` runs in real analysis processes; run as a program, this opens a pool, says the pids of a
hung and an idle process, and waits to be killed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import numpy as np

from crawler.config import Job
from crawler.models import Document, JudgedOn, PageLinks, Signature
from crawler.workers.messages import AnalysisFailed, AnalysisRequest, AnalysisSettings
from crawler.workers.pool import AnalysisPool

MEMORY_BYTES = 600_000_000
SIGNATURE = Signature(b"", b"", 0, 0, "word3", np.zeros(0, np.uint32), b"")


def job(processes: int, timeout_s: float, memory_bytes: int = MEMORY_BYTES) -> Job:
    """Return a job that reads pages under these limits, also such as no job file may ask for."""
    limits = {"processes": processes, "timeout_s": timeout_s, "memory_bytes": memory_bytes}
    return Job(analysis=Job().analysis.model_copy(update=limits))


def page(command: str, argument: object = "") -> AnalysisRequest:
    """Return a request that makes a Victim do something, of a domain that does nothing else."""
    return AnalysisRequest(f"http://{command}.test/", f"{command} {argument}".encode(), "x", None)


def fifo_pid(path: Path) -> int:
    """Wait until a page says through a FIFO that it hangs; return its process."""
    return int(path.read_text())


async def pid_of(pool: AnalysisPool) -> int:
    """Return the process that answers next."""
    answer = await pool.analyse(page("pid"))
    assert isinstance(answer, Document), answer
    return int(answer.text)


class Victim:
    """An analyser that does as its page says."""

    def __init__(self, settings: AnalysisSettings) -> None:
        self.settings = settings

    def warm(self) -> None:
        """Nothing to load."""

    def links(self, request: AnalysisRequest) -> PageLinks:
        """Follow the command and return its words as links."""
        return PageLinks(tuple(self.analyse(request).text.split()))

    def analyse(self, request: AnalysisRequest) -> Document:
        """Follow the command and return a document whose text is the answer."""
        command, _, argument = request.body.decode().partition(" ")
        text = getattr(self, f"_{command}")(argument)
        return Document(None, text, JudgedOn.MAIN, "utf-8", (), None, None, False, False, SIGNATURE)

    def _echo(self, argument: str) -> str:
        return argument

    def _pid(self, _: str) -> str:
        return str(os.getpid())

    def _print(self, argument: str) -> str:
        print(argument, flush=True)
        return argument

    def _hang(self, fifo: str) -> str:
        if fifo:
            Path(fifo).write_text(str(os.getpid()))
        while True:
            signal.pause()

    def _crash(self, _: str) -> str:
        os.kill(os.getpid(), signal.SIGSEGV)
        return ""

    def _crash_once(self, marker: str) -> str:
        if not Path(marker).exists():
            Path(marker).touch()
            self._crash("")
        return "second attempt"

    def _eat(self, _: str) -> str:
        hoard = [b"x"]
        while True:
            hoard.append(bytes(20_000_000))

    def _raise(self, argument: str) -> str:
        raise ValueError(argument)


class Unwarmable(Victim):
    """Cannot work at all."""

    def warm(self) -> None:
        """Fail."""
        raise FileNotFoundError("no dictionary at /nowhere")


class Stillborn(Victim):
    """Ends its process while it warms up."""

    def warm(self) -> None:
        """End."""
        os._exit(7)


async def be_killed(fifo: Path) -> None:
    """Open a pool, hang one of its processes, print both pids, wait."""
    async with AnalysisPool(job(2, 600), Victim) as pool:
        hung = asyncio.create_task(pool.analyse(page("hang", fifo)))
        pids = await asyncio.to_thread(fifo_pid, fifo), await pid_of(pool)
        print(*pids, flush=True)
        assert isinstance(await hung, AnalysisFailed)


if __name__ == "__main__":
    # Under its own name: an analysis process has another __main__.
    from support import pool_victims

    asyncio.run(pool_victims.be_killed(Path(sys.argv[1])))
