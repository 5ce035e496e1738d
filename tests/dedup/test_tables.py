"""Manku's tables: every design finds what brute force finds."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.judging import flipped
from support.loading import loaded

from crawler.dedup.columns import hamming, within
from crawler.dedup.tables import PAPER_DESIGNS, Split, TableDesign, TableIndex

search = loaded(Path(__file__).resolve().parents[2] / "benchmarks" / "index_search.py")

DESIGNS = (
    *PAPER_DESIGNS,
    TableDesign((Split(1, 1),)),
    TableDesign((Split(2, 1), Split(3, 2), Split(2, 1))),
    TableDesign((Split(8, 1),)),
    TableDesign((Split(9, 2),)),
)
ANY = st.integers(0, 2**64 - 1)
FEW_BITS = st.sets(st.integers(0, 63), max_size=12).map(lambda bits: sum(1 << b for b in bits))
MANY_BITS = FEW_BITS.map(lambda bits: bits ^ 2**64 - 1)
ONE_BLOCK = st.integers(0, 2**16 - 1).map(lambda n: n << 48 | 0xBEEF_BEEF_BEEF)
FINGERPRINTS = ANY | FEW_BITS | MANY_BITS | ONE_BLOCK | st.sampled_from([0, 2**64 - 1])


def expected(stored: list[int], query: int, distance: int) -> list[tuple[int, int]]:
    """Find the pairs (id, distance) by looking at every fingerprint; ids count in sevens."""
    places = within(np.array(stored, np.uint64), query, distance).tolist()
    return [(7 * n, hamming(stored[n], query)) for n in places]


def build(design: TableDesign, stored: list[int], distance: int) -> TableIndex:
    """Return an index of some fingerprints with ids 0, 7, 14 and so on."""
    ids = 7 * np.arange(len(stored))
    return TableIndex(design, ids, np.array(stored, np.uint64), distance)


@settings(max_examples=3 * settings().max_examples)
@given(design=st.sampled_from(DESIGNS), data=st.data(), stored=st.lists(FINGERPRINTS, max_size=60))
def test_every_design_answers_what_brute_force_answers(
    design: TableDesign, data: st.DataObject, stored: list[int]
) -> None:
    """Single and batch queries are exact at every distance a design is for."""
    distance = data.draw(st.integers(0, design.distance))
    queries = data.draw(st.lists(FINGERPRINTS, max_size=5)) + stored[:5]
    index = build(design, stored, distance)
    numbers, ids, found = index.candidates_many(np.array(queries, np.uint64))
    for number, query in enumerate(queries):
        truth = expected(stored, query, distance)
        single = index.candidates(query)
        mine = numbers == number
        assert list(zip(single[0].tolist(), single[1].tolist(), strict=True)) == truth
        assert list(zip(ids[mine].tolist(), found[mine].tolist(), strict=True)) == truth
    assert numbers.tolist() == sorted(numbers.tolist())


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_no_placement_of_differing_bits_escapes(design: TableDesign) -> None:
    """Fingerprints at exactly the design's distance are all found, those a bit further never."""
    rng = np.random.default_rng(design.tables)
    centre = 0x0123_4567_89AB_CDEF
    stored = [flipped(centre, rng, design.distance + n % 2) for n in range(1000)]
    index = build(design, stored, design.distance)
    ids, found = index.candidates(centre)
    assert ids.tolist() == list(range(0, 7 * 1000, 14))
    assert set(found.tolist()) == {design.distance}


def test_equal_fingerprints_all_come_back_and_are_compared_once() -> None:
    """A template's thousand equal fingerprints lie in the tables once and lose no id."""
    index = build(PAPER_DESIGNS[0], [42] * 1000, 3)
    assert index.candidates(43)[0].tolist() == list(range(0, 7000, 7))
    assert [len(table) for table in index.tables] == [1, 1, 1, 1]


def test_a_distance_the_design_would_miss_is_refused() -> None:
    """An index is never less exact than it says."""
    with pytest.raises(ValueError, match="distance 4"):
        build(PAPER_DESIGNS[0], [1], 4)


@given(st.lists(FINGERPRINTS, max_size=80), st.lists(FINGERPRINTS, max_size=20))
def test_interpolation_finds_the_places_that_bisection_finds(
    values: list[int], keys: list[int]
) -> None:
    """Both searches agree on any keys, present or not, however uneven the array."""
    ordered = np.sort(np.array(values, np.uint64))
    asked = np.array(keys + values, np.uint64)
    assert (
        search.interpolation(ordered, asked).tolist() == search.bisection(ordered, asked).tolist()
    )
