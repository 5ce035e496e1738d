"""The JSON Schemas of a judged corpus: a crawl's, without the fetch and with the user's ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crawler import ends
from crawler.batch.ends import OF_A_FETCH
from crawler.batch.raw import BadReason
from crawler.records import Failure

SCHEMAS = ("pages", "duplicates", "failures", "skipped", "summary")
"""The files that a run writes something into."""

_NEVER = (*OF_A_FETCH, "attempts")
_BLAMED = (Failure.ANALYSIS_TIMEOUT, Failure.ANALYSIS_CRASH, Failure.ANALYSIS_ERROR)
_FAILURES = [failure.value for failure in _BLAMED]
_REASONS = [reason.value for reason in BadReason]
_ID = ["integer", "string"]
_DUPLICATE_OF = {
    "type": "object",
    "description": "The kept document: the oldest with the same payload or text, or the cluster's "
    "representative.",
    "additionalProperties": False,
    "required": ["id", "url"],
    "properties": {
        "id": {"type": _ID, "description": "Its `id`."},
        "url": {"type": "string", "description": "Its `url`, which no other document has."},
        "source": {"type": "string", "description": "Its `source`; a crawl's page has none."},
        "line": {
            "type": ["integer", "null"],
            "minimum": 1,
            "description": "Its `line`; a crawl's page has none.",
        },
        "against": {
            "type": "string",
            "description": "The `--against` directory, where it lies there.",
        },
    },
}
_PLACE = {
    "url": {"type": "string", "description": "Names the document and no other: `file:` and more."},
    "source": {"type": "string", "description": "The FILE it came by, as it was given."},
    "line": {
        "type": ["integer", "null"],
        "minimum": 1,
        "description": "Its line in the file; null where the file is the document.",
    },
}
_READ = {
    "id": {"type": _ID, "description": "The user's own id; may occur more than once."},
    **_PLACE,
    "duplicate_of": _DUPLICATE_OF,
    "cluster": {
        "type": _ID,
        "description": "Near: the cluster joined, named by the `id` of its representative.",
    },
}
_CHANGED: Mapping[str, Mapping[str, Any]] = {
    "pages": _READ
    | {"fields": {"type": "object", "description": "What else the JSON object held."}},
    "duplicates": _READ,
    "failures": _PLACE
    | {
        "failure": {
            "enum": _FAILURES,
            "description": "What became of the process that read it.",
        }
    },
    "skipped": _PLACE
    | {
        "reason": {
            "enum": _REASONS,
            "description": "Why it could not be read.",
        }
    },
}
_ALWAYS = ("id", "url", "source", "line")


def schema(name: str) -> dict[str, Any]:
    """Return the schema of a line of `name`.jsonl, or of summary.json; KeyError for other names."""
    if name not in SCHEMAS:
        raise KeyError(name)
    found = ends.schema(name)
    if name == "summary":
        for file, classes in (("failures", _FAILURES), ("skipped", _REASONS)):
            found["properties"][file]["propertyNames"] = {"enum": classes}
        return found
    changed = _CHANGED[name]
    kept = {key: value for key, value in found["properties"].items() if key not in _NEVER}
    required = [key for key in found["required"] if key in kept and key not in _ALWAYS]
    return found | {
        "description": f"A document's line in {found['title']}.",
        "required": [*(key for key in _ALWAYS if key in changed), *required],
        "properties": {**kept, **changed},
    }
