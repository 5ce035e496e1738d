"""Flags that several commands share, and what they say in the shape of a job file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from crawler.choices import Method, NearMode

MOST_ROWS = 1_000_000
"""More than a report has use for; a number of any size is no error."""


def rows(text: str) -> int:
    """Return a number of rows, cut to what a table can hold."""
    try:
        return min(int(text), MOST_ROWS)
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid int value: {text!r}") from None


def path(text: str) -> Path:
    """Return an argument as a path; an empty one, as an unset variable leaves it, is none."""
    if not text:
        raise argparse.ArgumentTypeError("the path is empty")
    return Path(text)


def size(text: str) -> int:
    """Return a number of bytes: a whole number, maybe with a unit."""
    units = {"": 1, "B": 1}
    for power, letter in enumerate("KMGT", 1):
        units |= {f"{letter}B": 1000**power, f"{letter}iB": 1024**power}
    unit = text.lstrip("0123456789")
    number = text.removesuffix(unit)
    if not number or unit not in units:
        raise argparse.ArgumentTypeError(f"{text!r} is no size: write 4GB, 512MiB or bytes")
    return int(number) * units[unit]


def job_flags(command: argparse.ArgumentParser, *, begun: bool = False) -> None:
    """Add the flags of a crawl's job; where that has `begun` it keeps what no flag says."""
    pages, depth = "fetch at most N pages", "follow at most N links from a seed"
    workers = "pages under way at once"
    command.add_argument("--pages", type=int, metavar="N", help=_help(pages, "no limit", begun))
    command.add_argument("--depth", type=int, metavar="N", help=_help(depth, "no limit", begun))
    command.add_argument("--workers", type=int, metavar="N", help=_help(workers, "32", begun))
    command.add_argument("--contact", metavar="URL", help="where site owners can reach you")
    command.add_argument(
        "--no-traps",
        dest="traps",
        action="store_const",
        const=False,
        help="cut no endless subtree (docs/traps.md)",
    )
    near_flag(command, begun=begun)


def judging_flags(command: argparse.ArgumentParser, *, begun: bool = False) -> None:
    """Add how near duplicates are recognised."""
    command.add_argument(
        "--method",
        choices=[method.value for method in Method],
        help=_help("how near duplicates are recognised", "verified", begun),
    )
    near_flag(command, begun=begun)
    threshold = _help("smallest similarity of near duplicates", "0.8", begun)
    command.add_argument("--threshold", type=float, metavar="J", help=threshold)


def near_flag(command: argparse.ArgumentParser, *, begun: bool = False) -> None:
    """Add what becomes of near duplicates."""
    command.add_argument(
        "--near",
        choices=[mode.value for mode in NearMode],
        help=f"near duplicates: report only (drop{'' if begun else ', the default'}), store as "
        "well (tag), do not look for (keep)",
    )


def _help(text: str, default: str, begun: bool) -> str:
    return text if begun else f"{text} ({default})"


def processes_flag(command: argparse.ArgumentParser) -> None:
    """Add how many processes read and sign."""
    command.add_argument("--processes", type=int, metavar="N", help="processes (one a core)")


def text_field_flag(command: argparse.ArgumentParser) -> None:
    """Add where JSON keeps a text."""
    command.add_argument(
        "--text-field", default="text", metavar="NAME", help="where JSON keeps the text (text)"
    )


def overrides(args: argparse.Namespace) -> dict[str, Any]:
    """Return the given flags in the shape of a job file."""
    places = {
        "output": ("output",),
        "pages": ("limits", "pages"),
        "depth": ("limits", "depth"),
        "workers": ("fetch", "workers"),
        "contact": ("user_agent", "contact"),
        "traps": ("traps", "enabled"),
        "near": ("dedup", "near"),
        "method": ("dedup", "method"),
        "threshold": ("dedup", "threshold"),
        "processes": ("analysis", "processes"),
        "distance": ("dedup", "distance"),
        "index": ("dedup", "index"),
        "memory": ("dedup", "index_memory_bytes"),
    }
    given: dict[str, Any] = {}
    for flag, place in places.items():
        value = getattr(args, flag, None)
        if value is not None:
            section = given
            for name in place[:-1]:
                section = section.setdefault(name, {})
            section[place[-1]] = value
    return given
