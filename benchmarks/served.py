"""Servers of a benchmark in a process of their own, so that their CPU is not the crawl's."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass
class Served(Generic[T]):
    """A process that serves."""

    web: T
    """What the servers' context yielded: who is where."""
    cpu_s: float = 0.0
    """What the process took while it served; known when it has ended."""


@contextmanager
def served(stage: Callable[[], AbstractAsyncContextManager[T]]) -> Iterator[Served[T]]:
    """Run servers in another process while the context lasts.

    `stage` and what its context yields pass between processes: both must be picklable.
    """
    ours, theirs = multiprocessing.Pipe()
    spawn = multiprocessing.get_context("spawn")
    process = spawn.Process(target=_serve, args=(theirs, stage))
    # Ctrl-C is this process's to hear; who is started now inherits that it is ignored.
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)
    process.start()
    signal.signal(signal.SIGINT, heard)
    theirs.close()
    servers: Served[T] | None = None
    try:
        servers = Served(ours.recv())
        yield servers
    finally:
        if servers is None:
            process.terminate()
        else:
            ours.send("end")
            servers.cpu_s = ours.recv()
        process.join()


def _serve(pipe: Connection, stage: Callable[[], AbstractAsyncContextManager[Any]]) -> None:
    """Serve until something comes through the pipe, or its other end is gone."""

    async def serve() -> None:
        async with stage() as web:
            begun_s = time.process_time()
            pipe.send(web)
            await asyncio.to_thread(pipe.poll, None)
            pipe.send(time.process_time() - begun_s)

    asyncio.run(serve())
