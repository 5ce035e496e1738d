"""Our own check of lines says of every line what a general JSON Schema validator says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from crawler.engine import CORPUS_SCHEMAS, SCHEMAS, corpus_schema, schema
from crawler.engine.schema import KNOWN, faults

ALL = [schema(name) for name in SCHEMAS] + [corpus_schema(name) for name in CORPUS_SCHEMAS]
SCALARS = [None, True, False, 0, 1, -1, 2.0, 0.5, 1e300, 99, "", "x", "near", "new", "sibling"]
FORMED = ["2026-01-01T00:00:00.000Z", "0123456789abcdef", "0" * 64, "sha256:" + "A" * 52]
NESTED = [[], [1], [1, 1], ["a"], {}, {"id": 1, "url": "u"}, {"id": 0}, {"near": -1}]
VALUES = st.sampled_from([*SCALARS, *FORMED, *NESTED, "sha1:" + "A" * 32 + "\n", "same-text"])


def parts(part: Any) -> Iterator[dict[str, Any]]:
    """Yield a schema and all schemas in it."""
    if not isinstance(part, dict):
        return
    yield part
    for below in part.get("properties", {}).values():
        yield from parts(below)
    for keyword in ("additionalProperties", "propertyNames", "items", "if", "then"):
        yield from parts(part.get(keyword))
    for below in part.get("allOf", ()):
        yield from parts(below)


@pytest.mark.parametrize("whole", ALL, ids=lambda whole: str(whole["title"]))
def test_every_keyword_is_understood(whole: dict[str, Any]) -> None:
    """No schema says a thing that is passed over, nor a type that is not known."""
    assert {keyword for part in parts(whole) for keyword in part} <= KNOWN


def likely(part: Any) -> Any:
    """Return a strategy for values that come near to a schema, and for some that do not."""
    if not isinstance(part, dict) or "properties" not in part:
        enum = part.get("enum", []) if isinstance(part, dict) else []
        return st.sampled_from(enum) | VALUES if enum else VALUES
    fields = {name: likely(below) for name, below in part["properties"].items()}
    required = {name: fields.pop(name, VALUES) for name in part.get("required", ())}
    return st.fixed_dictionaries(required, optional=fields)


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, Any], Any]:
    """Draw a schema, and a value for it that may lack a field or have one too many."""
    whole = draw(st.sampled_from([*ALL, *(p for s in ALL for p in parts(s))]))
    value = draw(likely(whole) | VALUES)
    if isinstance(value, dict) and value:
        value = dict(value)
        for name in draw(st.lists(st.sampled_from(sorted(value)), max_size=2)):
            value.pop(name, None)
        value |= draw(st.dictionaries(st.sampled_from(["other", "verdict", "id"]), VALUES))
    return whole, value


@given(cases())
@example(({"type": "integer", "minimum": 1}, True))
@example(({"type": ["string", "null"]}, None))
@example(({"type": "array", "uniqueItems": True}, [[1], [1]]))
def test_it_agrees_with_a_general_validator(case: tuple[dict[str, Any], Any]) -> None:
    """Whatever the value, it is valid to both or to neither."""
    whole, value = case
    assert (not list(faults(value, whole))) == Draft202012Validator(whole).is_valid(value)


def test_a_fault_names_its_field() -> None:
    """Each sentence says where it is wrong and what is there instead, in little room."""
    line = {"url": 3, "fetched_at": "now", "reason": "x" * 500, "detail": "", "host": "", "odd": 1}
    told = list(faults(line | {"depth": -1, "referrer": None}, schema("skipped")))
    assert told[0] == "url: 3 is no string"
    assert told[1].startswith("fetched_at: 'now' does not have the form ^")
    assert told[2].endswith("xxx... is not one of those known")
    assert told[3:] == ["'odd' is no field of it", "depth: -1 is out of its range"]
    assert next(faults({}, schema("skipped"))) == "url is missing"
