"""An event loop in a thread of its own, called from any other.

The store needs a loop, and who calls a judge may have one that is running, as in a notebook, or
none. Whoever calls waits for the answer.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

_Answer = TypeVar("_Answer")


class LoopThread:
    """A running loop; everything that is called runs in its one thread, in turns."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        # A daemon: a program that forgets to close its judge still ends, as if it was killed.
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def call(self, coroutine: Coroutine[Any, Any, _Answer]) -> _Answer:
        """Run a coroutine there; return what it returns, or raise what it raises."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def close(self) -> None:
        """End loop and thread; nothing may be under way."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
