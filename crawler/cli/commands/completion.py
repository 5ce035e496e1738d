"""The script by which a shell completes this program's commands and flags."""

from __future__ import annotations

from argparse import Namespace

import shtab

from crawler.cli import whole_parser
from crawler.cli.parser import path, setting

PROGRAM = "crawler"
"""A shell completes a program by its name; `python -m crawler` has none of its own."""


def completion(args: Namespace) -> int:
    """Print the script for a shell."""
    top, commands = whole_parser(PROGRAM)
    keys = {"bash": _KEYS, "preamble": {"bash": _keys_of_the_job()}}
    for parser in commands.values():
        for action in parser._actions:
            if action.type is setting:
                action.complete = keys  # type: ignore[attr-defined]
            if action.type is path or action.dest == "files":
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    print(shtab.complete(top, args.shell))
    return 0


_KEYS = "_crawler_keys"
"""The function of bash that completes keys behind `--set`."""


def _keys_of_the_job() -> str:
    from crawler.config import Job, keys_of  # which no other completion needs

    sections = {key.rpartition(".")[0] for key in keys_of(Job)}
    keys = (key for key in keys_of(Job) if key not in sections)
    return f"{_KEYS}() {{\n  compgen -W '{' '.join(keys)} help' -- \"$1\"\n}}"
