"""Attacks of one host, or of many, on everybody else in the crawl.

`ATTACKS` has them all; tests crawl healthy hosts beside those of a topic, and
`python -m benchmarks.attacks` measures what each costs the healthy ones.
"""

from __future__ import annotations

from support.attacks import (
    analysis,
    costly_documents,
    disk,
    forged,
    loop,
    robots,
    traps,
    waiting,
)
from support.attacks.attack import Attack

ATTACKS: tuple[Attack, ...] = (
    *analysis.ATTACKS,
    *costly_documents.ATTACKS,
    *loop.ATTACKS,
    *robots.ATTACKS,
    *waiting.ATTACKS,
    *forged.ATTACKS,
    *traps.ATTACKS,
    *disk.ATTACKS,
)
