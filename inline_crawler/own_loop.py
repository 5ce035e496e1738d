"""An event loop for callers that have none, or one that is running, as in a notebook."""

from __future__ import annotations

import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Answer = TypeVar("Answer")


class OwnLoop:
    """An event loop that runs in a thread of its own until its `end`."""

    def __init__(self, name: str) -> None:
        import asyncio  # not before somebody needs a loop: it takes longer to load than all else

        self._submit = asyncio.run_coroutine_threadsafe
        self._loop = asyncio.new_event_loop()
        # A daemon: a program that forgets to end it still ends, as if it was killed.
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, Answer]) -> Answer:
        """Wait for what a coroutine returns or raises; an interrupt ends the waiting alone."""
        return self._submit(coroutine, self._loop).result()

    def end(self) -> None:
        """End loop and thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
