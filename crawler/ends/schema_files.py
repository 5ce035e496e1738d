"""The JSON Schemas (draft 2020-12) of the output files, as package data."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import orjson

from crawler.storage.directory import LINE_FILES

SCHEMAS = (*LINE_FILES, "summary")


def schema(name: str) -> dict[str, Any]:
    """Return the schema of a line of `name`.jsonl, or of summary.json; KeyError for other names."""
    if name not in SCHEMAS:
        raise KeyError(name)
    text = files("crawler.ends").joinpath("schemas", f"{name}.schema.json").read_bytes()
    loaded: dict[str, Any] = orjson.loads(text)
    return loaded
