"""docs/configuration.md tells of each key what the model of a job knows of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field
from pydantic.fields import FieldInfo
from support.paths import doc

from crawler.config.job import Section, Whole
from crawler.models.enums import ScopeMode
from tools.keys import filled, values


def test_the_page_is_as_the_model_has_it() -> None:
    """Keys, order, defaults and values are the model's; if not, `make keys` makes them so."""
    assert filled(doc("configuration")) == doc("configuration")


def test_meanings_are_kept_and_what_is_missing_is_told_by_the_model() -> None:
    """A row without the column of values is completed; a key that is new has its docstring."""
    head = "| key | default | meaning |\n|---|---|---|\n"
    table = filled(f"# Job\n\n{head}| `seeds` | none | where it begins |\n")
    assert "| `seeds` | none | list | where it begins |\n" in table
    assert "| `limits.depth` | none | integer from 0, `null` | Links from a seed. |\n" in table
    assert filled(table + "\nMore.\n") == table + "\nMore.\n"


def test_a_key_that_is_gone_has_no_row() -> None:
    """What the model has not is not told."""
    page = doc("configuration").replace("| `seeds` |", "| `sources` |")
    assert filled(page).count("`sources`") == 0


def test_a_default_that_is_no_more_is_not_told() -> None:
    """What stands for a default is the model's, or words where the model has no value to show."""
    page = doc("configuration")
    assert filled(page.replace("| `limits.depth` | none |", "| `limits.depth` | 30 |")) == page
    assert filled(page.replace("| `seeds` | none |", "| `seeds` | `[a]` |")) == page
    assert "| `analysis.processes` | one for each core; for a crawl one more |" in page
    assert "| `urls.tracking_parameters` | a list |" in page


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (bool, "`true`, `false`"),
        (ScopeMode, "`host`, `domain`, `path`, `any`"),
        (Literal["one", "two"], "`one`, `two`"),
        (Annotated[float, Field(gt=0, le=1)], "number above 0 to 1"),
        (Annotated[Whole, Field(ge=100_000)] | None, "integer from 100,000, `null`"),
        (Annotated[Whole, Field(ge=1, le=9)], "integer from 1 to 9"),
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
