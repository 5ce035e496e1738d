"""Whether a line is what its schema says: the part of JSON Schema that our own schemas use.

A general validator takes a millisecond a line, and would be needed at run time for nothing else;
tests hold this one against it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

KNOWN = frozenset(
    {"$schema", "title", "description", "type", "enum", "const", "pattern", "minimum", "maximum"}
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
            yield from _faults_of_items(value, schema, place)
        case dict():
            yield from _faults_of_fields(value, schema, place)
    yield from _faults_of_conditions(value, schema, place)


def _faults_of_items(value: list[Any], schema: Mapping[str, Any], place: str) -> Iterator[str]:
    if schema.get("uniqueItems") and any(item in value[:n] for n, item in enumerate(value)):
        yield f"{place}: the same value twice"
    for number, item in enumerate(value):
        yield from faults(item, schema.get("items", True), f"{place}[{number}]")


def _faults_of_fields(
    value: dict[str, Any], schema: Mapping[str, Any], place: str
) -> Iterator[str]:
    known = schema.get("properties", {})
    inside = f"{place}." if place else ""
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{inside}{name} is missing"
    for name, field in value.items():
        if name in known:
            yield from faults(field, known[name], inside + name)
        elif (others := schema.get("additionalProperties", True)) is False:
            yield f"{inside}{_shown(name)} is no field of it"
        else:
            yield from faults(field, others, inside + name)
        yield from faults(name, schema.get("propertyNames", True), inside + name)


def _faults_of_conditions(value: Any, schema: Mapping[str, Any], place: str) -> Iterator[str]:
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
