"""Sizes and durations as people write them, in commands and job files; counts as they read them."""

from __future__ import annotations

import re

_SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,9})?) ?(?:([kKMGTP]i?)?B)?", re.ASCII)
_DURATION = re.compile(r"(\d{1,9}(?:\.\d+)?) ?([smhd])", re.ASCII)
_POWERS = " KMGTP"
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


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
    """Return a duration in seconds: `90s`, `30m`, `6h` or `2d`; ValueError for anything else."""
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no duration: write 90s, 30m, 6h or 2d")
    return float(found[1]) * _SECONDS[found[2]]


def counted(number: int, noun: str) -> str:
    """Return `1 page`, `2,000 pages`: a number with its noun, of which an `s` makes the plural."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
