"""The script by which a shell completes this program's commands and flags."""

from __future__ import annotations

from argparse import Namespace

import shtab

from crawler.cli import whole_parser
from crawler.cli.parser import path

PROGRAM = "crawler"
"""A shell completes a program by its name; `python -m crawler` has none of its own."""


def completion(args: Namespace) -> int:
    """Print the script for a shell."""
    top, commands = whole_parser(PROGRAM)
    for parser in commands.values():
        for action in parser._actions:
            if action.type is path or action.dest == "files":
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    print(shtab.complete(top, args.shell))
    return 0
