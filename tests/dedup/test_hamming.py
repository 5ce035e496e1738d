"""Hamming distances: the reference loop, one pair, and one against many agree."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.loading import loaded

from crawler.dedup.columns import distances, hamming, within

kernighan = loaded(Path(__file__).resolve().parents[2] / "benchmarks" / "hamming.py").kernighan

FINGERPRINTS = st.integers(0, 2**64 - 1)


@given(st.integers(0, 2**200))
def test_kernighan_counts_ones(number: int) -> None:
    """The loop of the book counts what the digits show, for numbers of any length."""
    assert kernighan(number) == f"{number:b}".count("1")


@given(st.lists(FINGERPRINTS, max_size=50), FINGERPRINTS)
def test_all_three_ways_agree(fingerprints: list[int], query: int) -> None:
    """One pair, one against many and the reference loop give the same distances."""
    expected = [kernighan(other ^ query) for other in fingerprints]
    assert [hamming(other, query) for other in fingerprints] == expected
    assert distances(np.array(fingerprints, np.uint64), query).tolist() == expected


@given(st.lists(FINGERPRINTS, max_size=50), FINGERPRINTS, st.integers(0, 64))
def test_within_is_inclusive(fingerprints: list[int], query: int, distance: int) -> None:
    """Brute force names the places of all fingerprints at the distance or below it."""
    found = within(np.array(fingerprints, np.uint64), query, distance).tolist()
    assert found == [n for n, f in enumerate(fingerprints) if hamming(f, query) <= distance]


def test_a_negative_number_is_refused() -> None:
    """The loop never runs for ever on the endless ones of a negative number."""
    with pytest.raises(ValueError, match="negative"):
        kernighan(-1)
