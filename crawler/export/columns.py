"""The columns of an exported row, and a line of the crawl as such a row; pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

Row = dict[str, Any]
"""Column -> value, with every column; None for what is not known."""

COLUMNS: Mapping[str, type] = {
    "id": str,
    "text": str,
    "url": str,
    "date": str,
    "language": str,
    "language_score": float,
    "title": str,
    "author": str,
    "published": str,
    "modified": str,
    "description": str,
    "site_name": str,
    "source": str,
    "dump": str,
    "content_digest": str,
    "warc_filename": str,
    "warc_offset": int,
    "verdict": str,
    "duplicate_of": str,
    "sibling_of": str,
    "similarity": float,
    "cluster_id": str,
    "cluster_size": int,
    "fields": str,
}
"""Column -> the type of its values, in order. One schema for all corpora, so that exports can be
read together."""

MARKDOWN = "markdown"
"""One column more, at the end, by option."""

_RENAMED = {"date": "fetched_at", "content_digest": "payload_digest"}
"""Column -> the field of a line that it has its value from, where the names differ."""
_OWN = ("url", "verdict", "similarity", "content_digest")
"""Columns that only a line's own fields say, whatever a user's JSON calls so."""
_COMPUTED = {
    *("id", "text", "source", "dump", "duplicate_of", "sibling_of"),
    *("cluster_id", "cluster_size", "fields"),
}
_COPIED = tuple(name for name in COLUMNS if name not in _COMPUTED)


def row_of(line: Mapping[str, Any], id_: str, dump: str) -> Row:
    """Return a line of pages.jsonl or duplicates.jsonl as a row; its cluster is added by others.

    What a run of `dedup` was given beside a text (`fields`) fills the columns of its names, where
    it is of their type; the rest is kept as JSON.
    """
    beside = dict(line.get("fields") or {})
    row: Row = dict.fromkeys(COLUMNS)
    for name in _COPIED:
        value = line.get(_RENAMED.get(name, name))
        if value is None and name in beside and name not in _OWN:
            value = _fitting(beside, name)
        row[name] = value
    row["id"], row["dump"] = id_, dump
    row["text"] = line.get("text")
    row["source"] = line.get("host") or line.get("source")
    row["duplicate_of"] = reference(line.get("duplicate_of"))
    row["sibling_of"] = reference(line.get("sibling_of"))
    row["fields"] = orjson.dumps(beside).decode() if beside else None
    return row


def reference(of: Mapping[str, Any] | None) -> str | None:
    """Return how a row names another: its id, or its URL where it lies in another directory."""
    if of is None:
        return None
    return str(of["url"]) if "against" in of else str(of["id"])


def _fitting(beside: dict[str, Any], name: str) -> Any:
    """Take a user's field if it fits the column of its name."""
    value, kind = beside[name], COLUMNS[name]
    if isinstance(value, int) and kind is float and not isinstance(value, bool):
        value = float(value)
    if kind is int and isinstance(value, int) and not -(2**63) <= value < 2**63:
        return None  # it stays among the others, as JSON: no table has room for it
    return beside.pop(name) if type(value) is kind else None
