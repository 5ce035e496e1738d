"""The block index finds what brute force finds, in whatever way it was filled and is asked."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.judging import flipped
from support.sampling import sample

from crawler.dedup.columns import Integers, Probes, within
from crawler.dedup.index import BlockIndex, BucketTable, matched_blocks

pytestmark = pytest.mark.usefixtures("either_way")

ANY = st.integers(0, 2**64 - 1)
FEW_BITS = st.sets(st.integers(0, 63), max_size=14).map(lambda bits: sum(1 << b for b in bits))
ONE_BUCKET = st.integers(0, 2**48 - 1).map(lambda n: n << 16 | 0xBEEF)
FINGERPRINTS = st.lists(ANY | FEW_BITS | ONE_BUCKET | st.just(0), max_size=60)


def expected(stored: list[int], query: int, distance: int) -> list[tuple[int, int]]:
    """Find the pairs (id, distance) by looking at every fingerprint."""
    distances = [(n, (f ^ query).bit_count()) for n, f in enumerate(stored)]
    return [(n, d) for n, d in distances if d <= distance]


def found(index: BlockIndex, query: int) -> list[tuple[int, int]]:
    """Return an index's answer in the same form."""
    _, ids, distances = index.candidates_many(np.array([query], np.uint64))
    return list(zip(ids.tolist(), distances.tolist(), strict=True))


def probed(distance: int, expected_fingerprints: int = 0) -> BlockIndex:
    """Return an index that looks in buckets though it holds few fingerprints."""
    return BlockIndex(distance, expected_fingerprints, scanned=0)


@settings(max_examples=2 * settings().max_examples)
@given(
    distance=st.integers(0, 11),
    stored=FINGERPRINTS,
    queries=st.lists(ANY | FEW_BITS | ONE_BUCKET, max_size=5),
    scanned=st.sampled_from([0, 0, 20]),
)
def test_index_is_exact_to_its_distance(
    distance: int, stored: list[int], queries: list[int], scanned: int
) -> None:
    """The index answers what brute force answers, however it was filled and is searched."""
    half = len(stored) // 2
    index = BlockIndex(distance, 2**17 if queries else 0, scanned=scanned)
    index.insert_many(np.arange(half), np.array(stored[:half], np.uint64))
    for number, fingerprint in enumerate(stored[half:], half):
        index.insert(number, fingerprint)
    for query in queries + stored[:5]:
        assert found(index, query) == expected(stored, query, distance)
        assert index.rows(query).tolist() == [n for n, _ in found(index, query)]
        assert sorted(index.proposals(query).tolist()) == index.rows(query).tolist()


@pytest.mark.parametrize("distance", [0, 3, 4, 7, 8, 11])
def test_every_placement_of_the_differing_bits_is_found(distance: int) -> None:
    """Neighbours at exactly the distance are found, those one bit further never are."""
    rng = np.random.default_rng(distance)
    index = probed(distance)
    centre = 0x0123_4567_89AB_CDEF
    inside = [flipped(centre, rng, distance) for _ in range(700)]
    for number, fingerprint in enumerate(inside):
        index.insert(number, fingerprint)
        index.insert(-1, flipped(centre, rng, distance + 1))
    _, ids, distances = index.candidates_many(np.array([centre], np.uint64))
    assert ids.tolist() == list(range(700))
    assert set(distances.tolist()) == {distance}


def test_duplicates_of_a_fingerprint_all_come_back_oldest_first() -> None:
    """Thousands of equal fingerprints share four buckets and lose no id."""
    index = probed(3)
    for number in range(3000):
        index.insert(number * 7, 42)
    _, ids, distances = index.candidates_many(np.array([43], np.uint64))
    assert ids.tolist() == [number * 7 for number in range(3000)]
    assert not np.any(distances != 1)
    assert len(index) == 3000


@given(
    distance=st.integers(0, 11),
    stored=FINGERPRINTS,
    queries=st.lists(ANY | FEW_BITS | ONE_BUCKET, max_size=8),
)
def test_a_batch_answers_like_its_queries_one_by_one(
    distance: int, stored: list[int], queries: list[int]
) -> None:
    """Batches return the pairs of their queries in the same order, whatever the page size."""
    asked = queries + stored[:5]
    for expected_fingerprints in (0, 2**18):
        index = probed(distance, expected_fingerprints)
        index.insert_many(np.arange(len(stored)), np.array(stored, np.uint64))
        numbers, ids, distances = index.candidates_many(np.array(asked, np.uint64))
        pairs = list(zip(numbers.tolist(), ids.tolist(), distances.tolist(), strict=True))
        assert pairs == [(n, *pair) for n, q in enumerate(asked) for pair in found(index, q)]


@pytest.mark.parametrize("distance", [3, 7])
def test_a_batch_over_crowded_buckets_is_cut_into_portions(distance: int) -> None:
    """Queries that meet more candidates than are compared at once lose none of them."""
    index = probed(distance)
    index.insert_many(np.arange(20_000), np.full(20_000, 42, np.uint64))
    numbers, ids, distances = index.candidates_many(np.array([42, 2**63, 43, 46], np.uint64))
    assert np.bincount(numbers, minlength=4).tolist() == [
        20_000,
        20_000 * (distance > 3),
        *[20_000] * 2,
    ]
    assert ids[-20_000:].tolist() == list(range(20_000))
    assert distances[-1] == 1


def test_a_batch_of_queries_that_compare_much_each_answers_like_brute_force() -> None:
    """Where the index asks one query after another, no pair is lost and none is in doubt."""
    rng = np.random.default_rng(1)
    stored, index = rng.integers(0, 2**64, 80_000, np.uint64), probed(11)
    stored[::2] &= np.uint64(0x0101_0101_0101_0101)
    index.insert_many(np.arange(len(stored)), stored)
    queries = np.append(stored[:4], np.uint64(2**64 - 1))
    numbers, ids, distances = index.candidates_many(queries)
    truth = [within(stored, query, 11) for query in queries.tolist()]
    assert numbers.tolist() == np.arange(5).repeat([len(near) for near in truth]).tolist()
    assert ids.tolist() == np.concatenate(truth).tolist()
    assert distances.tolist() == np.bitwise_count(stored[ids] ^ queries[numbers]).tolist()
    assert not len(index.candidates_many(queries[:0])[0])


@pytest.mark.parametrize("distance", [0, 3, 4, 9, 11])
def test_an_index_answers_alike_before_and_after_it_is_too_large_to_look_at_all(
    distance: int,
) -> None:
    """The insert that makes it look in buckets changes no answer, single or in a batch."""
    rng = np.random.default_rng(distance)
    centre = rng.integers(0, 2**64, dtype=np.uint64)
    stored = [flipped(int(centre), rng, n % 14) for n in range(301)]
    index, queries = BlockIndex(distance, 301, scanned=300), np.array([centre, 0], np.uint64)
    index.insert_many(np.arange(300), np.array(stored[:300], np.uint64))
    for size in (300, 301):
        truth = expected(stored[:size], int(centre), distance)
        assert found(index, int(centre)) == truth
        numbers, ids, distances = index.candidates_many(queries)
        pairs = list(zip(ids.tolist(), distances.tolist(), strict=True))
        assert [pair for n, pair in zip(numbers, pairs, strict=True) if n == 0] == truth
        index.insert(300, stored[300])


@pytest.mark.parametrize("distance", [3, 7, 11])
def test_an_index_that_outgrows_what_was_expected_stays_exact(distance: int) -> None:
    """Far more fingerprints than expected, by ones and by thousands, equal ones among them."""
    rng = np.random.default_rng(distance)
    centres = rng.integers(0, 2**64, 20, np.uint64).tolist()
    stored = [flipped(centres[n % 20], rng, n % 13) for n in range(4000)]
    index = probed(distance, 50)
    for number, fingerprint in enumerate(stored[:2000]):
        index.insert(number, fingerprint)
    index.insert_many(np.arange(2000, 4000), np.array(stored[2000:], np.uint64))
    numbers, ids, distances = index.candidates_many(np.array(centres, np.uint64))
    for number, centre in enumerate(centres):
        truth = expected(stored, centre, distance)
        assert found(index, centre) == truth
        mine = numbers == number
        assert list(zip(ids[mine].tolist(), distances[mine].tolist(), strict=True)) == truth


@given(key_bits=st.sampled_from([8, 11, 16]), stored=ANY, flips=FEW_BITS)
def test_tags_differ_in_no_more_bits_than_the_fingerprints_outside_the_key(
    key_bits: int, stored: int, flips: int
) -> None:
    """So that no tag rejects a neighbour; one at a time and many at once give the same tags."""
    probes, query = Probes(11, key_bits), stored ^ flips
    tags = probes.tags_many(np.array([stored, query], np.uint64)).tolist()
    assert tags == [probes.tags(stored), probes.tags(query)]
    buckets = probes.of(stored), probes.of(query)
    assert probes.of_many(np.array([stored, query], np.uint64)).tolist() == list(map(list, buckets))
    for table in range(4):
        in_key = (buckets[0][table] ^ buckets[1][table]).bit_count()
        in_tag = (tags[0][table] ^ tags[1][table]).bit_count()
        assert in_tag <= flips.bit_count() - in_key


@given(st.lists(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9), max_size=5)))
def test_integers_keep_every_number(batches: list[list[int]]) -> None:
    """Numbers come back as they were put in, before and after one that needs 64 bits."""
    column, model = Integers(0), list[int]()
    for batch in batches:
        if len(batch) == 1:
            column.append(batch[0])
        else:
            column.extend(np.array(batch, np.int64))
        model += batch
        assert column.take(np.arange(len(model))).tolist() == model
    assert len(column) == len(model)
    assert column.nbytes == len(model) * (4 if all(0 <= n < 2**32 for n in model) else 8)


@pytest.mark.parametrize("distance", [-1, 12])
def test_a_distance_without_guarantee_is_refused(distance: int) -> None:
    """An index is never less exact than it says."""
    with pytest.raises(ValueError, match="not in"):
        BlockIndex(distance)


def test_matched_blocks_counts_from_the_lowest() -> None:
    """Blocks are named by their place, 0 for the lowest 16 bits."""
    assert matched_blocks(0x0001_0002_0003_0004, 0x0001_FFFF_0003_0004) == (0, 1, 3)
    assert matched_blocks(0, 2**64 - 1) == ()


@given(
    expected_rows=st.sampled_from([0, 20_000, 2**20]),
    batches=st.lists(
        st.tuples(st.booleans(), st.lists(st.integers(0, 5), min_size=1, max_size=20)), max_size=12
    ),
)
def test_bucket_table_keeps_every_row(
    expected_rows: int, batches: list[tuple[bool, list[int]]]
) -> None:
    """Whatever the mix of single and bulk inserts, buckets hold just what was put in.

    Also where neighbouring keys share the memory of a bucket, as they do where rows are few.
    """
    model, row = {b | t << 16: list[int]() for b in range(6) for t in (0, 1)}, 0
    table = BucketTable(2, expected_rows)
    for bulk, buckets in batches:
        if bulk:
            rows = np.arange(row, row + len(buckets), dtype=np.uint32)
            table.insert_many(np.array(buckets), rows)
            for bucket, number in zip(buckets, rows.tolist(), strict=True):
                model[bucket].append(number)
        for number, bucket in enumerate([] if bulk else buckets, row):
            both = [bucket, (5 - bucket) | 1 << 16]
            table.insert(np.array(both), number)
            for one in both:
                model[one].append(number)
        row += len(buckets)
    for bucket, held in model.items():
        assert table.find(np.array([bucket])).tolist() == held


def test_a_table_made_for_few_rows_refuses_a_row_it_cannot_tell_from_a_key() -> None:
    """A row number too long is an error and not another row."""
    table = BucketTable(2, 0)
    table.insert(np.array([5, 2**16 + 7]), 2**24 - 1)
    assert table.find(np.array([2**16 + 7, 2**16 + 6])).tolist() == [2**24 - 1]
    with pytest.raises(OverflowError, match="16,777,216"):
        table.insert(np.array([5, 2**16 + 7]), 2**24)
    with pytest.raises(OverflowError, match="16,777,216"):
        table.insert_many(np.array([5]), np.array([2**24], np.uint32))


@pytest.mark.parametrize("distance", [3, 7])
@pytest.mark.parametrize("size", sample([30_000, 100_000, 400_000], 2))
def test_memory_of_an_index_stays_below_fifty_bytes_a_fingerprint(distance: int, size: int) -> None:
    """Heads, half-full pages and page lists left behind stay within bounds on random ones."""
    fingerprints = np.random.default_rng(5).integers(0, 2**64, size, np.uint64)
    index = BlockIndex(distance, size)
    for start in range(0, size, 20_000):
        part = fingerprints[start : start + 20_000]
        index.insert_many(np.arange(start, start + len(part)), part)
    assert index.nbytes / size < 50
