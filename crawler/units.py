"""Sizes, durations and ports as people write them, in commands and job files.

And counts as they read them.
"""

from __future__ import annotations

import re

_SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,9})?) ?(?:([kKMGTP]i?)?B)?", re.ASCII)
_DURATION = re.compile(r"(\d{1,9}(?:\.\d+)?) ?(ms|[smhd])", re.ASCII)
_POWERS = " KMGTP"
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400}


def size(text: str) -> int:
    """Return a number of bytes: `10 GB`, `512MiB` or a plain number; ValueError for anything else.

    Units are those of IEC 80000-13: 1 GB is 1000 MB, 1 GiB is 1024 MiB.
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is no size: write 10 GB, 512MiB or a number of bytes")
    number, unit = found[1], (found[2] or " ").upper()
    factor = int((1024 if unit.endswith("I") else 1000) ** _POWERS.index(unit[0]))
    return int(number) * factor if number.isdigit() else int(float(number) * factor)


def duration(text: str) -> float:
    """Return the seconds of `500ms`, `90s`, `30m`, `6h` or `2d`; ValueError for anything else."""
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no duration: write 500ms, 90s, 30m, 6h or 2d")
    return float(found[1]) * _SECONDS[found[2]]


MOST_PORT = 65_535
"""RFC 9293 3.1: 16 bits."""
_PORT_OF = re.compile(r"(?:[^/?#]*:)?(\d{1,9})(?:[/?#]|\Z)", re.ASCII)


def fault_of_port(address: str) -> str | None:
    """Return what is wrong with the port of an address, `HOST:PORT` or `PORT`; None for nothing.

    A scheme may stand before it, and a path behind it.
    """
    found = _PORT_OF.match(address.rpartition("://")[2])
    if found is None or int(found[1]) <= MOST_PORT:
        return None
    return f"the port {found[1]} is too large, the last one is {MOST_PORT}"


def counted(number: int, noun: str) -> str:
    """Return `1 page`, `2,000 pages`: a number with its noun, of which an `s` makes the plural."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
