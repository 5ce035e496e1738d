"""Sketches estimate Jaccard similarity, and their index proposes what is near."""

from functools import cache

import numpy as np
import pytest

from crawler.dedup import kernels, signing
from crawler.dedup.index import SketchIndex, band_buckets
from crawler.dedup.signing import CHAR4, WORD3, Hashes

pytestmark = pytest.mark.usefixtures("either_way")


def pair(rng: np.random.Generator, size: int, similarity: float) -> tuple[Hashes, Hashes]:
    """Return two sets of about `size` hashes with about this Jaccard similarity."""
    shared = round(2 * size * similarity / (1 + similarity))
    values = np.unique(rng.integers(0, 2**32, 2 * size - shared, np.uint64).astype(np.uint32))
    rng.shuffle(values)
    own = (len(values) - shared) // 2
    return np.sort(values[: shared + own]), np.sort(np.delete(values, slice(shared, shared + own)))


@cache
def pairs_of(size: int, similarity: float, number: int) -> list[tuple[Hashes, Hashes]]:
    """Return many such pairs, the same for either way."""
    rng = np.random.default_rng(size)
    return [pair(rng, size, similarity) for _ in range(number)]


def sketches(size: int, similarity: float, number: int) -> list[tuple[bytes, bytes]]:
    """Return the sketches of many such pairs."""
    pairs = pairs_of(size, similarity, number)
    return [(kernels.make_sketch(one), kernels.make_sketch(two)) for one, two in pairs]


@pytest.mark.parametrize("size", [40, 200, 1000])
@pytest.mark.parametrize("similarity", [0.3, 0.8])
def test_estimate_is_unbiased_and_as_sharp_as_promised(size: int, similarity: float) -> None:
    """Estimates scatter round the truth, within the promised error once bins are filled."""
    errors = []
    for one, two in sketches(size, similarity, 300):
        words, _ = signing.unpack(one)
        errors.append(signing.estimate(words, signing.unpack(two)[0][None])[0] - similarity)
    promised = signing.standard_error(similarity)
    assert abs(np.mean(errors)) < 0.015
    assert np.std(errors) < (1.2 if size >= 1000 else 2.5) * promised


def test_sketch_has_a_fixed_size_and_carries_the_count() -> None:
    """132 bytes whatever the text, equal for equal sets, zeros for none."""
    one, two = pair(np.random.default_rng(1), 100, 0.5)
    assert len(kernels.make_sketch(one)) == len(kernels.make_sketch(two)) == 132
    assert signing.unpack(kernels.make_sketch(one))[1] == len(one)
    assert kernels.make_sketch(one[:0]) == bytes(132)
    assert kernels.make_sketch(one) == kernels.make_sketch(one.copy())


def test_sketches_never_change() -> None:
    """Stored sketches stay comparable: the first bytes of one are written down."""
    hashes = np.arange(1, 2**32, 2**26 + 12345, dtype=np.int64).astype(np.uint32)
    assert kernels.make_sketch(hashes)[:8].hex() == "81ef4a20730f4c39"


@pytest.mark.parametrize("size", [1, 2, 14])
def test_the_smallest_texts_have_filled_bins(size: int) -> None:
    """Sets of a few shingles are equal to themselves and unlike others."""
    rng = np.random.default_rng(7)
    one, two = pair(rng, size, 0.0)
    words, _ = signing.unpack(kernels.make_sketch(one))
    own = signing.estimate(words, words[None])[0]
    assert own == 1.0
    assert signing.estimate(words, signing.unpack(kernels.make_sketch(two))[0][None])[0] < 0.5


@pytest.mark.parametrize(
    ("similarity", "least", "most"), [(0.9, 1, 1), (0.8, 0.98, 1), (0.3, 0, 0.1)]
)
def test_bands_find_what_the_formula_says(similarity: float, least: float, most: float) -> None:
    """Pairs share a band about as often as 1 - (1 - p^6)^16."""
    found = 0
    for one, two in sketches(800, similarity, 300):
        buckets = [band_buckets(signing.unpack(s)[0][None])[0] for s in (one, two)]
        found += bool((buckets[0] == buckets[1]).any())
    assert least <= found / 300 <= most


def test_index_proposes_and_rejects() -> None:
    """A similar text is proposed and likely; one of another kind, size or content is not."""
    rng = np.random.default_rng(3)
    one, two = pair(rng, 500, 0.9)
    index = SketchIndex(0.8, 0)
    index.insert_many([kernels.make_sketch(pair(rng, 500, 0.9)[0])], [WORD3])
    index.insert(kernels.make_sketch(one), WORD3)
    index.insert(kernels.make_sketch(one), CHAR4)
    index.insert(kernels.make_sketch(one[:300]), WORD3)
    assert {1, 2} <= set(index.proposals(kernels.make_sketch(two)).tolist())
    for kind, row in ((WORD3, 1), (CHAR4, 2)):
        rows, estimates = index.likely(
            np.arange(4, dtype=np.uint32), kernels.make_sketch(two), kind
        )
        assert rows.tolist() == [row]
        assert estimates[0] == pytest.approx(0.9, abs=0.08)


@pytest.mark.parametrize("expected_rows", [0, 1_000_000])
def test_twins_are_all_rows_with_the_very_same_sketch(expected_rows: int) -> None:
    """Equal sketches of one kind are found, ascending, among near ones; one bin apart is none."""
    rng = np.random.default_rng(5)
    index = SketchIndex(0.8, expected_rows)
    one, two = pair(rng, 500, 0.95)
    same, near = kernels.make_sketch(one), kernels.make_sketch(two)
    last_bin_differs = same[:127] + bytes([same[127] ^ 0x10]) + same[128:]
    for text in (near, same, last_bin_differs, *[same, near] * 40):
        index.insert(text, WORD3)
    index.insert(same, CHAR4)
    assert index.twins(same, WORD3).tolist() == [1, *range(3, 83, 2)]
    assert index.twins(same, CHAR4).tolist() == [83]
    assert index.twins(last_bin_differs, WORD3).tolist() == [2]
    assert not len(index.twins(kernels.make_sketch(pair(rng, 500, 0.5)[0]), WORD3))


def test_rejection_loses_fewer_than_one_in_a_thousand_at_the_threshold() -> None:
    """Of 1,500 pairs at a similarity of .8 the cascade rejects at most a handful."""
    rejected = 0
    for one, two in sketches(600, 0.801, 1500):
        index = SketchIndex(0.8, 0)
        index.insert(one, WORD3)
        rejected += not len(index.likely(np.zeros(1, np.uint32), two, WORD3)[0])
    assert rejected <= 6
