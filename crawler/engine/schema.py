"""The JSON Schemas (draft 2020-12) of the output files.

And whether a line is what its schema says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import orjson

# ---------------------------------------------------------------- validity
# Whether a line is what its schema says: the part of JSON Schema that our own schemas use.
#
# A general validator takes a millisecond a line, and would be needed at run time for nothing else;
# tests hold this one against it.


KNOWN = frozenset(
    {"$schema", "title", "description", "deprecated"}
    | {"type", "enum", "const", "pattern", "minimum", "maximum"}
    | {"required", "properties", "additionalProperties", "propertyNames", "items", "uniqueItems"}
    | {"allOf", "if", "then"}
)
"""The keywords that are understood, and those that say nothing of values."""

_SHOWN_CHARACTERS = 60
_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}

Schema = Mapping[str, Any] | bool


def faults(value: Any, schema: Schema, place: str = "") -> Iterator[str]:
    """Yield a sentence for each part of a parsed value that its schema does not allow.

    `place` is the field that it is, as in `counts.links`; empty for the whole line.
    """
    if isinstance(schema, bool):
        if not schema:
            yield f"{place or 'it'} must not be there"
        return
    named = f"{place}: " if place else ""
    if "type" in schema and not _has_type(value, schema["type"]):
        kinds = schema["type"] if isinstance(schema["type"], str) else " or ".join(schema["type"])
        yield f"{named}{_shown(value)} is no {kinds}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{named}{_shown(value)} is not one of those known"
    if "const" in schema and value != schema["const"]:
        yield f"{named}{_shown(value)} is not {schema['const']!r}"
    match value:
        case str():
            if "pattern" in schema and not re.search(schema["pattern"], value):
                yield f"{named}{_shown(value)} does not have the form {schema['pattern']}"
        case bool():
            pass
        case int() | float():
            if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
                yield f"{named}{_shown(value)} is out of its range"
        case list():
            if schema.get("uniqueItems") and any(item in value[:n] for n, item in enumerate(value)):
                yield f"{place}: the same value twice"
            for number, item in enumerate(value):
                yield from faults(item, schema.get("items", True), f"{place}[{number}]")
        case dict():
            known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
            inside = f"{place}." if place else ""
            for name in schema.get("required", ()):
                if name not in value:
                    yield f"{inside}{name} is missing"
            for name, field in value.items():
                if name not in known and others is False:
                    yield f"{inside}{_shown(name)} is no field of it"
                else:
                    yield from faults(field, known.get(name, others), inside + name)
                yield from faults(name, schema.get("propertyNames", True), inside + name)
    for part in schema.get("allOf", ()):
        yield from faults(value, part, place)
    if "if" in schema and next(faults(value, schema["if"]), None) is None:
        yield from faults(value, schema.get("then", True), place)


def _has_type(value: Any, types: str | list[str]) -> bool:
    for name in [types] if isinstance(types, str) else types:
        if isinstance(value, bool) and name != "boolean":
            continue
        if isinstance(value, _TYPES[name]):
            return True
        if name == "integer" and isinstance(value, float) and value.is_integer():
            return True
    return False


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."


# ---------------------------------------------------------------- schema files
# The JSON Schemas (draft 2020-12) of the output files, put together from parts.
#
# The parts lie beside this module as package data: `schemas/fetch.json` is what only a fetch knows,
# `judged.json` what every judged page and document has, `document.json` what only a document of a
# corpus has. A part is named like the function of `lines` that writes its fields, where there is
# one.
#
# A part says what a field is where it applies, and requires those that always do. A line leaves the
# others out; null, which lines of older programs have in their place, is allowed here.


_Recipes = Mapping[str, tuple[str, str]]
"""Output file -> what it holds, and its parts in the order of its fields."""

_CRAWL: _Recipes = {
    "pages": (
        "A stored page.",
        "page_id url final_url canonical_url host fetched_at status content by_template extracted "
        "leading encoding validators rendered way page_verdict restored mirrored archived revisit",
    ),
    "duplicates": (
        "A page that equals or resembles a stored one.",
        "url final_url host fetched_at encoding rendered duplicate_verdict by_template mirrored "
        "archived revisit",
    ),
    "redirects": ("A URL that leads to another page.", "url fetched_at redirect archived revisit"),
    "failures": ("A URL that gave no page.", "url fetched_at failure host way archived revisit"),
    "skipped": ("A URL left out on purpose.", "url decided_at skip host way archived revisit"),
    "summary": ("The whole crawl, over all its runs.", "summary"),
}
_CORPUS: _Recipes = {
    "pages": (
        "A document's line in pages.jsonl.",
        "document_id document_place canonical_url content page_verdict document_original "
        "document_sibling document_fields",
    ),
    "duplicates": (
        "A document's line in duplicates.jsonl.",
        "document_id document_place duplicate_verdict document_original",
    ),
    "failures": ("A document's line in failures.jsonl.", "document_place document_failure"),
    "skipped": ("A document's line in skipped.jsonl.", "document_place document_skip"),
    "summary": ("The whole crawl, over all its runs.", "summary document_outcomes"),
}

SCHEMAS = tuple(_CRAWL)
"""The files of a crawl."""
CORPUS_SCHEMAS = tuple(_CORPUS)
"""The files that a run over a corpus writes something into."""


def schema(name: str) -> dict[str, Any]:
    """Return the schema of a line of `name`.jsonl, or of summary.json; KeyError for other names."""
    return _compose(name, *_CRAWL[name])


def corpus_schema(name: str) -> dict[str, Any]:
    """Return the same of a run over a corpus."""
    return _compose(name, *_CORPUS[name])


@cache
def _written() -> dict[str, Any]:
    """Return all parts; nobody changes them."""
    known: dict[str, Any] = {}
    for file in ("fetch", "judged", "document", "summary"):
        known |= orjson.loads(files("crawler.engine").joinpath(f"schemas/{file}.json").read_bytes())
    return known


def _compose(name: str, description: str, parts: str) -> dict[str, Any]:
    """Put parts together; a later one may describe a field of an earlier one more closely."""
    required: list[str] = []
    properties: dict[str, Any] = {}
    conditions: list[Any] = []
    known = _written()
    for part in (known[name] for name in parts.split()):
        required += part.get("required", ())
        properties |= part["properties"]
        conditions += part.get("allOf", ())
    if name != "summary":  # what does not apply may be null, what a condition asks for may not
        for number, one in enumerate(conditions):
            then = one["then"]
            needed = {
                field: {"type": _types(properties[field])} for field in then.get("required", ())
            }
            told = {
                field: {"type": "null"} if described is False else described
                for field, described in then.get("properties", {}).items()
            }
            conditions[number] = {**one, "then": {**then, "properties": {**needed, **told}}}
        for field in properties.keys() - set(required):
            described = properties[field]
            nullable = {**described, "type": list(dict.fromkeys([*_types(described), "null"]))}
            if "enum" in described:
                nullable["enum"] = [*described["enum"], None]
            properties[field] = nullable
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{name}.json" if name == "summary" else f"{name}.jsonl",
        "description": description,
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": properties,
        **({"allOf": conditions} if conditions else {}),
    }


def _types(described: Mapping[str, Any]) -> list[str]:
    """Return the types of a field; where only its values are listed, they are strings."""
    kinds = described.get("type", "string")
    return [kinds] if isinstance(kinds, str) else list(kinds)
