"""What each command does: a job in; a crawl, a judged corpus or an explanation out, and printed.

Every command is the function of its name in the module of its name; `resume` is in `crawl` and
`reread` in `read`. `jobs` finds the job of a crawl, `terminal` prints how a run ended; tables,
pages and JSON are made by `crawler.views.render`.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from crawler.console import command

if TYPE_CHECKING:
    from crawler.cli.commands import (
        add,
        audit,
        backup,
        check,
        crawl,
        dedup,
        demo,
        dry_run,
        explain,
        export,
        index,
        inspect,
        lexicon,
        purge,
        query,
        read,
        recrawl,
        reindex,
        report,
        restore,
        retry,
        templates,
        version,
    )

__all__ = ["add", "audit", "backup", "check", "crawl", "dedup", "demo", "dry_run", "explain"]
__all__ += ["export", "index", "inspect", "lexicon", "purge", "query", "read", "recrawl"]
__all__ += ["reindex", "report", "restore", "retry", "templates", "version"]

if not TYPE_CHECKING:  # a type checker would believe any name of a module that has this

    def __getattr__(name: str) -> ModuleType:
        """Load a module when it is asked for (PEP 562): no command waits for what another needs.

        All of them together take a second of CPU; `--help` or a misspelt flag needs none.
        """
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        with _interrupts_held():
            return import_module(f"{__name__}.{name}")


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let Ctrl-C take effect when a module is loaded, not in it.

    Some compiled libraries crash where an interrupt comes while they are loaded.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def resume_command(directory: Path) -> str:
    """Return the command line that goes on with a crawl."""
    return command("resume", directory)
