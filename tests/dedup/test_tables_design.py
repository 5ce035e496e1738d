"""The arithmetic of table designs and the planner that uses it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup.tables import PAPER_DESIGNS, Plan, TableDesign, fitting_plan, plans
from crawler.errors import ConfigError

PAPER = [(4, 16, 2**18), (10, 25, 2**9), (16, 28, 2**6), (20, 31, 2**3)]
"""Section 3.1.1: tables, bits that must match, run length for 2^34 fingerprints."""


@pytest.mark.parametrize(("design", "figures"), list(zip(PAPER_DESIGNS, PAPER, strict=True)))
def test_the_papers_own_figures_come_out(
    design: TableDesign, figures: tuple[int, int, int]
) -> None:
    """Tables, matching bits and longest run for 2^34 pages are those the paper prints."""
    tables, prefix, run = figures
    assert (design.tables, design.prefix_bits) == (tables, prefix)
    assert 2 ** (34 - design.prefix_bits) == run
    assert run / 4 <= Plan(design, 2**34, 3).run_length <= run
    assert design.distance == 3


@pytest.mark.parametrize("design", PAPER_DESIGNS, ids=str)
@given(values=st.lists(st.integers(0, 2**64 - 1), max_size=20))
def test_permutations_only_move_bits(design: TableDesign, values: list[int]) -> None:
    """Moving the bits keeps their number, can be undone, and covers each bit once."""
    fingerprints = np.array(values, np.uint64)
    for table in design.layout():
        moved = table.apply(fingerprints)
        assert table.apply(moved, undo=True).tolist() == values
        assert np.bitwise_count(moved).tolist() == [value.bit_count() for value in values]
        assert sum(width for _, width in table.segments) == 64


def test_more_fingerprints_call_for_more_tables() -> None:
    """Long runs are shortened by more tables, as far as the memory goes."""
    chosen = [fitting_plan(2**bits, 3).design.tables for bits in (16, 22, 28, 34)]
    assert chosen == sorted(chosen)
    assert chosen[0] == 4
    assert chosen[-1] >= 16
    tight = fitting_plan(2**34, 3, memory_limit_bytes=2**34 * 100)
    assert tight.design.tables == 10
    assert tight.nbytes <= 2**34 * 100


def test_memory_that_no_design_fits_is_named() -> None:
    """A limit too small is refused with the least that would do."""
    with pytest.raises(ConfigError, match=f"at least {2**20 * 48:,}"):
        fitting_plan(2**20, 3, memory_limit_bytes=2**20 * 47)


@pytest.mark.parametrize("distance", range(12))
def test_every_plan_is_exact_to_its_distance(distance: int) -> None:
    """No plan proposes a design that would miss something."""
    for plan in plans(10**6, distance):
        assert plan.design.distance >= distance


def test_a_plan_prints_its_arithmetic() -> None:
    """The explanation names tables, matching bits, run length and memory."""
    text = fitting_plan(2**34, 3, memory_limit_bytes=2**34 * 48).explain()
    assert "4 tables" in text
    assert "must match  16 bits" in text
    assert "2^(34.0 - 16)" in text
    assert "262,144.00 on average" in text
    assert "824,633,720,832 bytes, 48 each" in text
