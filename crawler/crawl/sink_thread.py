"""The thread of one sink: its ordinary functions wait for disks and servers there, in their turn.

One thread and always the same: connections of databases may be bound to the one that made them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue

_Call = tuple[Callable[[], object], "Future[object]"]


class SinkThread:
    """Runs calls one after the other; begins with the first one, ends after `end`."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        # A daemon: a sink that hangs must not keep the process.
        self._thread = threading.Thread(target=self._run, name=f"sink-{name}", daemon=True)
        self._begun = False

    def submit(self, call: Callable[[], object]) -> Future[object]:
        """Run a call after those before it; one whose future is cancelled by then is left out."""
        if not self._begun:
            self._begun = True
            self._thread.start()
        future: Future[object] = Future()
        self._calls.put((call, future))
        return future

    def end(self) -> None:
        """Nothing more is submitted."""
        self._calls.put(None)

    def _run(self) -> None:
        while (given := self._calls.get()) is not None:
            call, future = given
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:
                future.set_exception(error)
