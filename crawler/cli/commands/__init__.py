"""What each command does: arguments in; a crawl, a judged corpus or an explanation out, printed.

Every command is the function of its name in the module of its name; `resume` is in `crawl` and
`reread` in `read`. `jobs` finds the job of a crawl, `running` is what stands around a run
that fetches, `terminal` prints how any run ended; tables, pages and JSON are made by
`crawler.views.render`.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from importlib import import_module

from crawler.errors import needed_by

_MODULES = {"resume": "crawl", "reread": "read"}
"""Commands that are told in the module of another."""


def load(name: str) -> Callable[[Namespace], int]:
    """Return the function of a command, from its module.

    It is loaded when it is asked for: no command waits for what another needs. All of them together
    take a second of CPU; `--help` or a misspelt flag needs none. Raises NotInstalled where the
    program was installed without what the command needs, such as the judge alone.
    """
    function = name.replace("-", "_")
    with needed_by(f"`{name}`"):
        module = import_module(f"{__name__}.{_MODULES.get(function, function)}")
    run: Callable[[Namespace], int] = getattr(module, function)
    return run
