"""What the line of a page has added to the running totals, for who takes it back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from crawler.observe.summary import EVIDENCE, JUDGED_ON, KIND, READ_BY, REASON

_LIKE = {KIND: "kind", EVIDENCE: "evidence"}
_READ = {JUDGED_ON: "judged_on", READ_BY: "read_by", REASON: "reason"}


def counted(record: Mapping[str, Any], *, likeness_alone: bool = False) -> dict[str, float]:
    """Return how a page was judged, as `page_end` counted it; only what it is like, if asked for.

    `record` is its line in pages.jsonl, or in duplicates.jsonl where it has no other.
    """
    return _counted(record, _LIKE if likeness_alone else _LIKE | _READ)


def recounted(record: Mapping[str, Any], duplicate: Mapping[str, Any]) -> dict[str, float]:
    """Return what to add to the totals where a page that was dropped gets the line `record`.

    What was counted as it was dropped is told by its line in duplicates.jsonl, `duplicate`; by
    `record` it is taken back. The two say otherwise how a copy to the byte was read, if it was.
    """
    sums = Counter(_counted(record, _READ))
    sums.subtract(_counted(duplicate, _READ))
    return {name: number for name, number in sums.items() if number}


def _counted(record: Mapping[str, Any], named: Mapping[str, str]) -> dict[str, float]:
    found = ((prefix, record.get(field)) for prefix, field in named.items())
    return {f"{prefix}{value}": 1.0 for prefix, value in found if value}
