"""Attacks of one host, or of many, on everybody else in the crawl.

`ATTACKS` has them all, by topic; tests crawl healthy hosts beside those of a topic, and
`python -m benchmarks.attacks` measures what each costs the healthy ones.
"""

from __future__ import annotations

from support.attacks.attack import Attack

ATTACKS: tuple[Attack, ...] = ()
