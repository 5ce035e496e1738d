"""What judging inline saved, rule by rule: requests never sent, bytes not stored, CPU not spent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from crawler.records import EXACT_PAYLOAD, EXACT_TEXT, NEAR, SIBLING
from crawler.report.figures import Saving

_NOT_ASKED = {
    "seen": "links to URLs that were seen before",
    "too-deep": "links deeper than limits.depth",
    "out-of-scope": "links out of scope",
    "trap": "links into what was cut as endless",
}
_NOT_STORED = {
    EXACT_PAYLOAD: "the same bytes as a stored page: not stored, and not read",
    EXACT_TEXT: "the same text as a stored page: not stored",
    NEAR: "copies with small differences: not stored",
    SIBLING: "pages alike but not the same: not stored (dedup.siblings: drop)",
}


def savings(summary: Mapping[str, Any], dropped_bytes: Counter[str]) -> list[Saving]:
    """Return what each rule saved; `dropped_bytes` are bytes of bodies by the verdict."""
    rows = [
        Saving(
            verdict,
            meaning,
            number,
            bytes=dropped_bytes[verdict],
            cpu_s=summary["saved"]["analysis_s"] if verdict == EXACT_PAYLOAD else None,
        )
        for verdict, meaning in _NOT_STORED.items()
        if (number := summary["duplicates"].get(verdict, 0))
    ]
    for cut in summary["traps"]:
        if cut["pending"]:
            meaning = f"cut as endless: {cut['subtree']}"
            rows.append(Saving("trap", meaning, cut["pending"], requests=cut["pending"]))
    for name, number in summary["dropped_links"].items():
        meaning = _NOT_ASKED.get(name, f"links refused: {name}")
        rows.append(Saving(f"links: {name}", meaning, number, requests=number))
    return rows
