"""A function of a test in a process that it ends by SIGKILL: `python -m support.victim`.

The process is forked where the tests fork what they start: it has loaded the crawler, and so has
the fork server of its pool.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable
from typing import Any

from support.crawling import HANG_S
from support.forking import PATHS, VICTIM, Forked


def killed(call: Callable[..., Any], *given: Any) -> None:
    """Call a function there, and assert that the process was killed."""
    told = pickle.dumps((call, given)).hex()
    paths = os.pathsep.join(filter(None, sys.path))
    line = [sys.executable, "-m", VICTIM, told]
    with Forked(line, env=os.environ | {PATHS: paths}) as victim:
        try:
            assert victim.wait(HANG_S) == -signal.SIGKILL
        finally:
            victim.kill()


if __name__ == "__main__":
    call, given = pickle.loads(bytes.fromhex(sys.argv[1]))
    call(*given)
