"""docs/coming-from.md: our side of its tables, and how the other side is looked up."""

from __future__ import annotations

import re

import pytest
from support.paths import doc

from tools.settings import PROGRAMS, Row, faults, rows

ROWS = list(rows(doc("coming-from")))


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_key_that_is_named_is_ours(program: str) -> None:
    """What stands in the third column is a key of the job file."""
    keys = set(re.findall(r"^\| `([a-z_.]+)` \|", doc("configuration"), re.MULTILINE))
    named = [key for row in ROWS if row.program == program for key in row.ours]
    assert len(named) > 5
    assert [key for key in named if key not in keys] == []


@pytest.mark.parametrize(
    ("names", "default", "wrong"),
    [
        (["DELAY"], "0", []),
        (["SIZE"], "1,024", []),
        (["DELAY"], "", []),
        (["DELAY"], "1", ["it: DELAY is 0, not 1"]),
        (["DELAY", "LATE"], "0", ["it has no LATE"]),
    ],
)
def test_a_name_or_default_that_is_not_so_is_told(
    names: list[str], default: str, wrong: list[str]
) -> None:
    """A row is held against what its program has."""
    row = Row("it", names, default, [])
    assert list(faults(row, {"DELAY": 0, "SIZE": 1024})) == wrong
