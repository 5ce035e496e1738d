"""`--version`: which program this is, and which parts do its work."""

from __future__ import annotations

from crawler import __version__
from crawler.observe.parts import parts_in_use


def version() -> str:
    """Return the line that `--version` prints."""
    parts = parts_in_use()
    told = f"kernels: {parts['kernels']}, event loop: {parts['event_loop']}"
    return f"crawler {__version__} ({told}, Chinese words: {parts['chinese']})"
