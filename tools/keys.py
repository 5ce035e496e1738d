"""The table of the job's keys: what the model knows of each is filled in.

    make keys

Keys, their order, default and values are those of `crawler.config.Job`. What a key means is written
by hand, in the last column of `crawler/config/keys.txt`, and kept as it is; a key that the table
has not yet gets what the page says, else its docstring. Rows of keys that are gone go. `--set help`
shows that table, and docs/configuration.md has a copy. A test holds both to this.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import types
from collections.abc import Iterator
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BeforeValidator
from pydantic.fields import FieldInfo

from crawler.config import Job
from crawler.config.job import Section, as_size

ROOT = Path(__file__).resolve().parents[1]
TABLE, PAGE = ROOT / "crawler/config/keys.txt", ROOT / "docs/configuration.md"
HEAD = "| key | default | values | meaning |\n|---|---|---|---|\n"
EXACT = 2**53
"""The bound of every whole number; the page tells it once."""
NAMES = {str: "text", int: "integer", float: "number", Path: "path"}
_TABLE = re.compile(r"^\| key \| default .*\n(?:^\|.*\n)+", re.MULTILINE)
_CELLS = re.compile(r"(?<!\\)\|")


def filled(*tables: str) -> str:
    """Return the table as it must be, by what these say of keys; the last one that does counts."""
    told = dict(row for table in tables for row in _rows(table))
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for row in _table(told))


def placed(page: str, table: str) -> str:
    """Return the page with this table for its own."""
    return _TABLE.sub(lambda _: table, page, count=1)


def _rows(table: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield key -> its default and its meaning as they stand, with or without a column between."""
    for line in table.splitlines()[2:]:
        key, default, *_, meaning = (cell.strip() for cell in _CELLS.split(line)[1:-1])
        yield key.strip("*`"), (default, meaning)


def _table(
    told: dict[str, tuple[str, str]], section: type[Section] = Job, prefix: str = ""
) -> Iterator[tuple[str, str, str, str]]:
    """Yield the rows of a section: its own keys, then each section in it with its keys."""
    docstrings = _docstrings(section)
    below = {}
    for name, field in section.model_fields.items():
        kind, key = field.annotation, prefix + name
        if isinstance(kind, type) and issubclass(kind, Section):
            below[key] = kind
            continue
        default, meaning = told.get(key, ("none", docstrings.get(name, "")))
        yield f"`{key}`", _default(field, default), values(field), meaning
    for key, kind in below.items():
        _, meaning = told.get(key, ("", inspect.cleandoc(kind.__doc__ or "")))
        yield f"**`{key}`**", "", "", meaning
        yield from _table(told, kind, f"{key}.")


@cache
def _docstrings(section: type[Section]) -> dict[str, str]:
    """Return field -> the docstring below it, on one line."""
    found = {}
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(section))).body
    assert isinstance(tree, ast.ClassDef)
    for field, below in zip(tree.body, tree.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
        ):
            found[field.target.id] = " ".join(str(below.value.value).split())
    return found


def _default(field: FieldInfo, told: str) -> str:
    """Return a key's default as JSON has it; where there is none to show, the page's words for it.

    Such words are `one for each core` or `a list`; a value that once stood there is none of them.
    """
    value = field.get_default(call_default_factory=True)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, Enum):
        return f"`{value.value}`"
    if isinstance(value, str | Path):
        return f"`{value}`"
    words = told if re.match(r"[a-z]{1,4} \w", told) else "none"
    return f"`[{', '.join(map(str, value))}]`" if value and words == "none" else words


def values(field: FieldInfo) -> str:
    """Return which values a key takes."""
    return _of(field.annotation, list(field.metadata))


def _of(kind: Any, bounds: list[Any]) -> str:
    if hasattr(kind, "__metadata__"):  # Annotated, within another type
        return _of(kind.__origin__, [*bounds, *_flat(kind.__metadata__)])
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        ways = [_of(part, bounds) for part in parts if part is not type(None)]
        return ", ".join([*ways, "`null`"] if type(None) in parts else ways)
    if kind is bool:
        return "`true`, `false`"
    if origin is Literal:
        return ", ".join(f"`{part}`" for part in parts)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return ", ".join(f"`{member.value}`" for member in kind)
    if origin in (tuple, list, set, frozenset):
        return "list"
    if origin is dict or (isinstance(kind, type) and issubclass(kind, Section)):
        return "mapping"
    is_size = any(isinstance(one, BeforeValidator) and one.func is as_size for one in bounds)
    return _bounded("size" if is_size else NAMES.get(kind, "text"), bounds)


def _flat(metadata: Any) -> Iterator[Any]:
    """Yield bounds, those that a `Field` holds too."""
    for one in metadata:
        yield from one.metadata if isinstance(one, FieldInfo) else (one,)


def _bounded(name: str, bounds: list[Any]) -> str:
    """Return the name of a type with its bounds; the tightest is told where there are several."""
    least = [f"from {number(bound.ge)}" for bound in bounds if isinstance(bound, Ge)]
    least += [f"above {number(bound.gt)}" for bound in bounds if isinstance(bound, Gt)]
    tops: list[Any] = [bound.le for bound in bounds if isinstance(bound, Le)]
    tops = [top for top in tops if top != EXACT]
    most = [f"to {number(min(tops))}"] if tops else []
    most += [f"below {number(bound.lt)}" for bound in bounds if isinstance(bound, Lt)]
    return " ".join([name, *least[-1:], *most])


def number(value: Any) -> str:
    """Return a number with commas between thousands, from 10,000 on."""
    whole = int(value) if float(value).is_integer() else value
    return f"{whole:,}" if abs(value) >= 10_000 else str(whole)


def main() -> None:
    """Write table and page anew."""
    page = PAGE.read_text(encoding="utf-8")
    shown = _TABLE.search(page)
    assert shown is not None, f"{PAGE} has no table"
    table = filled(shown[0], TABLE.read_text(encoding="utf-8"))
    TABLE.write_text(table, encoding="utf-8")
    PAGE.write_text(placed(page, table), encoding="utf-8")


if __name__ == "__main__":
    main()
