"""Which of the parts that may be exchanged do the work here: results are the same, speed is not."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from crawler import __version__
from crawler.dedup import kernels

SLOW = (
    "The compiled kernels are not there, so signing and comparing take about twice as long: "
    "install with a C compiler, in the directory of the sources by `pip install -e '.[fast]'`."
)
"""Said at the start of a run with numpy's kernels."""


def parts_in_use(plugins: Mapping[str, Sequence[str]] | None = None) -> dict[str, Any]:
    """Return what is used for `kernels` (`C` or `numpy`), `event_loop` and `chinese` words.

    And the `plugins` of a run, by kind, where it has any.
    The loop is the running one, or where none runs what a command would take.
    """
    event_loop = "uvloop" if importlib.util.find_spec("uvloop") else "asyncio"
    if asyncio := sys.modules.get("asyncio"):  # no loop runs that nobody has loaded
        with suppress(RuntimeError):
            event_loop = type(asyncio.get_running_loop()).__module__.partition(".")[0]
    return {
        "kernels": kernels.IN_USE,
        "event_loop": event_loop,
        "chinese": next(filter(importlib.util.find_spec, ("rjieba", "jieba")), "none"),
        **({"plugins": plugins} if plugins else {}),
    }


def version_line() -> str:
    """Return the version of this program, and what it would use, in one line."""
    parts = parts_in_use()
    told = f"kernels: {parts['kernels']}, event loop: {parts['event_loop']}"
    return f"crawler {__version__} ({told}, Chinese words: {parts['chinese']})"
