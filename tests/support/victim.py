"""A function of a test in a process of its own: `python -m support.victim`.

The process is forked where the tests fork what they start: it has loaded the crawler, and so has
the fork server of its pool.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from support.crawling import HANG_S
from support.forking import PATHS, Forked


@contextmanager
def begun(
    call: Callable[..., Any], *given: Any, stdout: int | None = None, stderr: int | None = None
) -> Iterator[Forked]:
    """Call a function there; what runs still when the context ends is killed."""
    told = pickle.dumps((call, given)).hex()
    paths = os.pathsep.join(filter(None, sys.path))
    line = [sys.executable, "-m", "support.victim", told]
    with Forked(
        line, stdout=stdout, stderr=stderr, text=True, env=os.environ | {PATHS: paths}
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def killed(call: Callable[..., Any], *given: Any) -> None:
    """Call a function there that ends its process by SIGKILL."""
    with begun(call, *given) as victim:
        assert victim.wait(HANG_S) == -signal.SIGKILL


if __name__ == "__main__":
    call, given = pickle.loads(bytes.fromhex(sys.argv[1]))
    sys.exit(call(*given))
