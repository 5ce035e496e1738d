"""What is known of a URL, ready for JSON."""

from __future__ import annotations

from typing import Any

from crawler.inspection.history import Inspection
from crawler.observe.summary import format_time
from crawler.storage import Known


def as_data(found: Inspection) -> dict[str, Any]:
    """Return an inspection; every key is there for every URL, null or empty where nothing is."""
    return {
        "url": found.url,
        "known": None if found.known is None else _known(found.known),
        "way": [_known(step) for step in found.way],
        "file": None if found.line is None else f"{found.line.kind}.jsonl",
        "line": None if found.line is None else dict(found.line.record),
        "page": None if found.page is None else _page(found),
        "alike": [{"url": each.url, "verdict": each.detail} for each in found.alike],
        "robots_allow": found.robots,
        "refused_by": found.refusal,
        "trouble": [
            {
                "place": row.place,
                "why": row.why,
                "tries": row.tries,
                "tried_at": format_time(row.tried_at),
            }
            for row in found.trouble
        ],
        "similar": list(found.similar),
    }


def _known(step: Known) -> dict[str, Any]:
    return {
        "url": step.url,
        "state": step.state.name.lower(),
        "detail": step.detail or None,
        "depth": step.depth,
        "hops": step.hops,
        "seed": step.seed,
    }


def _page(found: Inspection) -> dict[str, Any]:
    assert found.page is not None
    return {"id": found.page.record["id"], "url": found.page.record["url"]}
