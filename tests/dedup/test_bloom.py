"""The Bloom filter loses no key, is rarely wrong about others, and keeps to its memory."""

import pytest

from crawler.dedup.columns import QuickFilter, SeenFilter


def _keys(prefix: str, count: int) -> list[bytes]:
    return [f"{prefix}{number}".encode() for number in range(count)]


@pytest.mark.parametrize("capacity", [1, 1023, 1025, 3001, 4999])
def test_error_rate_holds_at_odd_sizes(capacity: int) -> None:
    """A filter filled to its size claims at most 3 in 1,000 keys it never saw (1 expected)."""
    seen = SeenFilter(capacity)
    for key in _keys("in", max(capacity, 1000)):
        seen.add(key)
    assert sum(key in seen for key in _keys("out", 10_000)) <= 30


def test_no_key_is_ever_lost() -> None:
    """A filter far past its size still knows every key and is still mostly right about others."""
    seen = SeenFilter(1)
    keys = _keys("in", 8000)
    for key in keys:
        seen.add(key)
    assert all(key in seen for key in keys)
    assert sum(key in seen for key in _keys("out", 5000)) <= 25


def test_a_key_added_again_is_still_known() -> None:
    """Keys added over and over are known, keys that differ in case are not, and all others stay."""
    seen = SeenFilter(1)
    for _ in range(3000):
        seen.add(b"\x00key")
    seen.add(b"other")
    assert b"\x00key" in seen
    assert b"other" in seen
    assert b"\x00KEY" not in seen


def test_memory_follows_the_expected_size() -> None:
    """A filter takes about two bytes an expected key."""
    seen = SeenFilter(100_000)
    seen.add(b"first")
    assert 1.5 < seen.nbytes / 100_000 < 2.5


def test_the_quick_filter_loses_no_key_and_is_mostly_right() -> None:
    """A filter of the right size claims a tenth of strange keys at most; a full one only claims."""
    seen, keys = QuickFilter(4000), _keys("in", 4000)
    for key in keys:
        seen.add(key)
    assert all(key in seen for key in keys)
    assert sum(key in seen for key in _keys("out", 5000)) <= 500
    assert seen.nbytes <= 4 * 4000
    for key in _keys("more", 100_000):
        seen.add(key)
    assert all(key in seen for key in keys)
