"""The table of keys, and its copy in the docs, tell of each key what the model of a job knows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field
from pydantic.fields import FieldInfo
from support.paths import doc

from crawler.config.job import Section, Size, Whole
from crawler.models.enums import ScopeMode
from tools.keys import TABLE, filled, placed, values


@pytest.fixture(scope="module")
def table() -> str:
    """Return the table that `--set help` shows."""
    return TABLE.read_text(encoding="utf-8")


def test_table_and_page_are_as_the_model_has_it(table: str) -> None:
    """Keys, order, defaults and values are the model's; if not, `make keys` makes them so."""
    assert filled(table) == table
    assert table in doc("configuration")


def test_meanings_are_kept_and_what_is_missing_is_told_by_the_model() -> None:
    """A row without the column of values is completed; a key that is new has its docstring."""
    head = "| key | default | meaning |\n|---|---|---|\n"
    made = filled(f"{head}| `seeds` | none | where it begins |\n")
    assert "| `seeds` | none | list | where it begins |\n" in made
    assert "| `limits.depth` | none | integer from 0, `null` | Links from a seed. |\n" in made
    assert filled(made) == made


def test_only_the_pages_table_is_replaced(table: str) -> None:
    """What stands around it stays; a backslash in it means itself."""
    around = "# Job\n\n| a |\n|---|\n| b |\n\n{}\nMore.\n"
    old = "| key | default | meaning |\n|---|---|---|\n| `seeds` | none | gone |\n"
    assert placed(around.format(old), table) == around.format(table)


def test_a_key_that_is_gone_has_no_row(table: str) -> None:
    """What the model has not is not told."""
    assert filled(table.replace("| `seeds` |", "| `sources` |")).count("`sources`") == 0


def test_a_default_that_is_no_more_is_not_told(table: str) -> None:
    """What stands for a default is the model's, or words where the model has no value to show."""
    assert filled(table.replace("| `limits.depth` | none |", "| `limits.depth` | 30 |")) == table
    assert filled(table.replace("| `seeds` | none |", "| `seeds` | `[a]` |")) == table
    assert "| `analysis.processes` | one for each core; for a crawl one more |" in table
    assert "| `urls.tracking_parameters` | a list |" in table


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (bool, "`true`, `false`"),
        (ScopeMode, "`host`, `domain`, `path`, `any`"),
        (Literal["one", "two"], "`one`, `two`"),
        (Annotated[float, Field(gt=0, le=1)], "number above 0 to 1"),
        (Annotated[Whole, Field(ge=100_000)] | None, "integer from 100,000, `null`"),
        (Annotated[Whole, Field(ge=1, le=9)], "integer from 1 to 9"),
        (Annotated[Size, Field(ge=1)] | None, "size from 1, `null`"),
        (tuple[str, ...], "list"),
        (dict[str, str], "mapping"),
        (Section, "mapping"),
        (Path | None, "path, `null`"),
        (str, "text"),
    ],
)
def test_values_are_told_in_words(kind: type, told: str) -> None:
    """Each type that a key has is told with its bounds, the tightest of several."""
    assert values(FieldInfo.from_annotation(kind)) == told
