"""Sizes, durations and ports as people write them, and counts as they read them."""

from __future__ import annotations

import pytest

from crawler.units import counted, duration, fault_of_port


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0 pages"), (1, "1 page"), (2, "2 pages"), (2000, "2,000 pages")]
)
def test_one_of_a_thing_has_no_plural(number: int, told: str) -> None:
    """All other numbers have, and commas between thousands."""
    assert counted(number, "page") == told


@pytest.mark.parametrize(("text", "seconds"), [("500ms", 0.5), ("90s", 90.0), ("2 d", 172_800.0)])
def test_a_duration_is_so_many_seconds(text: str, seconds: float) -> None:
    """From milliseconds to days, with a blank before the unit or without."""
    assert duration(text) == seconds


@pytest.mark.parametrize(
    ("address", "is_told"),
    [
        ("65535", False),
        ("65536", True),
        ("h.test:65536", True),
        ("[::1]:65536/x", True),
        ("http://h.test:70000?a", True),
        ("http://h.test/70000", False),
        ("http://h.test/a:70000", False),
        ("h.test", False),
        ("[::70000]", False),
    ],
)
def test_a_port_is_at_most_16_bits(address: str, is_told: bool) -> None:
    """What stands in the place of a port is looked at, whatever stands around it."""
    assert (fault_of_port(address) is not None) == is_told
