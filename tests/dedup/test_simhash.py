"""SimHash: the bits of its definition, whatever the order of features, and stable for ever."""

import mmh3
from hypothesis import given
from hypothesis import strategies as st

from crawler.dedup.columns import hamming
from crawler.dedup.signing import simhash, weight

COUNTS = st.dictionaries(st.text(max_size=8), st.integers(1, 50), max_size=30)


def reference(counts: dict[str, int]) -> int:
    """Compute a fingerprint bit by bit, as the definition reads."""
    fingerprint = 0
    for bit in range(64):
        total = 0
        for feature, count in counts.items():
            digest = mmh3.hash_bytes(feature, 0x51A5_0001)
            is_set = int.from_bytes(digest[:8], "little") >> bit & 1
            total += weight(count) if is_set else -weight(count)
        fingerprint |= (total > 0) << bit
    return fingerprint


@given(COUNTS)
def test_fingerprint_follows_the_definition(counts: dict[str, int]) -> None:
    """The vectorised form gives the definition's bits, ties included."""
    assert simhash(counts) == reference(counts)


def test_fingerprints_never_change() -> None:
    """Stored fingerprints stay comparable: this one is written down."""
    assert simhash({"crawler": 3, "page": 1, "网页": 2}) == 0x033AE5447A8F9DD7
    assert simhash({}) == 0


@given(COUNTS)
def test_order_does_not_matter(counts: dict[str, int]) -> None:
    """A fingerprint depends on which features there are, not on which came first."""
    assert simhash(dict(reversed(counts.items()))) == simhash(counts)


def test_hamming_counts_differing_bits() -> None:
    """Distance is between 0 and 64."""
    assert hamming(0b1011, 0b0010) == 2
    assert hamming(0, (1 << 64) - 1) == 64
