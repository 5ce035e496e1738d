"""How JavaScript spells values in the crawler's browser."""

from __future__ import annotations

from typing import Any

import pytest

from crawler.extract.spellings import ALL, IN_ADDRESSES, IN_TEXT, spelled


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (1234567, {"1234567", "1,234,567", "1,234,567.00"}),
        (1234.5, {"1234.5", "1,234.50"}),
        (1.005, {"1.005"}),  # rounded up or down, by the way it is shown
        (True, set()),
        (None, set()),
        ("a b", {"a b"}),
        (
            "2024-01-31T23:30:00-02:00",
            {"2024-01-31T23:30:00-02:00", "2024", "February", "Feb", "2", "02", "1", "01"}
            | {"Thursday", "Thu"},
        ),
        ("2024-02-30", {"2024-02-30"}),
    ],
)
def test_a_value_is_spelled_as_it_may_be_shown(value: Any, texts: set[str]) -> None:
    """Grouped, as money, as parts of a date in UTC; not where it would be rounded."""
    assert {spelled(value, how) for how in IN_TEXT} - {None} == texts


def test_addresses_have_strings_as_they_are_or_quoted() -> None:
    """And no dates."""
    assert {spelled("a b/2024-01-31", how) for how in IN_ADDRESSES} == {
        "a b/2024-01-31",
        "a%20b%2F2024-01-31",
    }
    assert set(ALL) == IN_ADDRESSES | IN_TEXT
