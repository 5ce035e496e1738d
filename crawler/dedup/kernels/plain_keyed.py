"""Functions of a secret key, which nobody can aim at who does not know it: `keyed.h`.

A key is KEY_SIZE bytes: 16 of SipHash, then 8 of a point, all little-endian.

**Words** become values of polynomials at the point, modulo the prime 2^61 - 1 (Carter, Wegman,
1979; Horner's rule): the coefficients of a word are its length and its UTF-8 bytes, seven in each.
For any two different words of up to n bytes, at most n / 7 + 1 of the 2^61 points give one value.
No word can be chosen so that more do.

**Shingles** are marked by SipHash-1-3 (Aumasson, Bernstein, INDOCRYPT 2012; with these rounds also
Python's own for its dictionaries) of their words' values, or of their characters: to whoever does
not know the key, marks of different shingles are independent random numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

KEY_SIZE = 24
_PRIME = (1 << 61) - 1
_CHUNK = 7

Numbers = npt.NDArray[np.uint64]

_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def residues(words: Sequence[str], key: bytes) -> Numbers:
    """Return the value of every word, below 2^61."""
    point = int.from_bytes(key[16:], "little") % _PRIME
    return np.fromiter((_residue(word, point) for word in words), np.uint64, len(words))


@lru_cache(maxsize=1 << 16)
def _residue(word: str, point: int) -> int:
    encoded = word.encode("utf-8", "surrogatepass")
    value = len(encoded)
    for start in range(0, len(encoded), _CHUNK):
        part = int.from_bytes(encoded[start : start + _CHUNK], "little")
        value = (value * point + part) % _PRIME
    return value


def siphash(words: Sequence[Numbers], length: int, key: bytes) -> Numbers:
    """Return SipHash-1-3 of many messages of `length` bytes, fewer than 256.

    `words` are the first 64-bit words of all messages, their second words, and so on; the last of
    less than 8 bytes, which may be none.
    """
    low, high = (np.uint64(int.from_bytes(key[at : at + 8], "little")) for at in (0, 8))
    halves = zip((low, high) * 2, map(np.uint64, _START), strict=True)
    v = [np.full(len(words[0]), half ^ start) for half, start in halves]
    last = words[-1] | np.uint64(length << 56)
    for word in (*words[:-1], last):
        v[3] ^= word
        _round(v)
        v[0] ^= word
    v[2] ^= np.uint64(0xFF)
    for _ in range(3):
        _round(v)
    return np.asarray(v[0] ^ v[1] ^ v[2] ^ v[3])


def _round(v: list[Numbers]) -> None:
    v[0] += v[1]
    v[2] += v[3]
    v[1] = _rotated(v[1], 13) ^ v[0]
    v[3] = _rotated(v[3], 16) ^ v[2]
    v[0] = _rotated(v[0], 32) + v[3]
    v[2] += v[1]
    v[3] = _rotated(v[3], 21) ^ v[0]
    v[1] = _rotated(v[1], 17) ^ v[2]
    v[2] = _rotated(v[2], 32)


def _rotated(numbers: Numbers, bits: int) -> Numbers:
    return np.asarray(numbers << np.uint64(bits) | numbers >> np.uint64(64 - bits))
