"""Lines that a command says beside its result."""

from __future__ import annotations

import sys
from contextlib import suppress

from crawler.printing import safe_lines


def say(line: str) -> None:
    """Print a line for whoever listens; a closed pipe or terminal stops no work."""
    with suppress(OSError):
        print(safe_lines(line), file=sys.stderr, flush=True)
