"""A cache that is bounded by the bytes of what it holds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.fetch.robots_cache import BoundedCache


def test_what_was_used_last_stays() -> None:
    """Room is made by letting go of what was used least lately; asking for it is use."""
    cache: BoundedCache[str, bytes] = BoundedCache(10, len)
    cache.put("a", b"1234")
    cache.put("b", b"1234")
    assert cache.get("a") == b"1234"
    cache.put("c", b"1234")
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (b"1234", None, b"1234")


def test_a_value_beyond_the_limit_is_held_alone() -> None:
    """It would have to be made again at once."""
    cache: BoundedCache[str, bytes] = BoundedCache(10, len)
    cache.put("a", b"1234")
    cache.put("b", b"1" * 99)
    assert (cache.get("a"), cache.bytes, cache.get("b")) == (None, 99, b"1" * 99)


@given(st.lists(st.tuples(st.integers(0, 5), st.binary(max_size=12)), max_size=60))
def test_the_bound_holds(puts: list[tuple[int, bytes]]) -> None:
    """Whatever is put in, and put in again: the bytes are counted, and no more than the limit."""
    cache: BoundedCache[int, bytes] = BoundedCache(20, len)
    for key, value in puts:
        cache.put(key, value)
        held = [found for known in range(6) if (found := cache.get(known)) is not None]
        assert cache.bytes == sum(map(len, held)) <= 20
        assert value in held
