"""What a run says to who watches it, beside its progress."""

from __future__ import annotations

from collections.abc import Iterator

from crawler.frontier import Frontier, Subtree

MOST_ASIDE = 20
"""Hosts and sites that were put aside, told of one by one."""


def of_cut(cut: Subtree) -> str:
    """Return the line about a subtree that was just cut."""
    return (
        f"Cut as endless: {cut.name}: of its last {cut.streak:,} pages {cut.streak_new:,} were "
        f"new, and each page linked to {cut.streak_found / cut.streak:.1f} further URLs there; "
        "its other URLs stay pending"
    )


def of_what_is_left(frontier: Frontier) -> Iterator[str]:
    """Yield what was put aside and did not come back, and why."""
    aside = frontier.politeness.aside.reasons
    for name, why in aside[:MOST_ASIDE]:
        yield f"{name}: put aside, its URLs stay pending: {why}"
    if len(aside) > MOST_ASIDE:
        yield f"... and {len(aside) - MOST_ASIDE:,} more like these"
    for name in frontier.politeness.halted:
        yield f"{name}: stopped on the live page, its URLs stay pending"
