"""What a rival does with a page beyond crawling: text, fingerprint, verdict, a line of JSON.

The extractor and its options are ours (crawler/extract/readings.py). The rest is what our
job does too, by the cheapest means that Python has for it: 64-bit SimHash (Charikar, STOC 2002) of
words, summed up by numpy, and a block index that finds every fingerprint within distance 3 (Manku,
Jain, Das Sarma, WWW 2007). It verifies nothing, learns nothing and keeps nothing but the lines.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass

import mmh3
import numpy as np
import trafilatura
from trafilatura.settings import Document

DISTANCE = 3
"""As our `dedup.distance`."""
_BLOCKS = DISTANCE + 1
_BLOCK_BITS = 64 // _BLOCKS
_WORDS = re.compile(r"[^\W\u3040-\u9fff]+|[\u3040-\u9fff]")
"""Words; of scripts without spaces single characters, the cheapest features there are."""


@dataclass(frozen=True, slots=True)
class Read:
    """A page's text and its fingerprint."""

    text: str
    fingerprint: int


def read(html: str) -> Read:
    """Return what a page's HTML holds."""
    found = text(html)
    return Read(found, fingerprint(found))


def text(html: str) -> str:
    """Return a page's main text; empty where trafilatura finds none."""
    found = trafilatura.bare_extraction(
        html, fast=True, include_comments=False, include_tables=True, deduplicate=False
    )
    return (found.text or "") if isinstance(found, Document) else ""


def fingerprint(text: str) -> int:
    """Return the 64-bit SimHash of a text's words, each weighted by how often it comes."""
    counts = Counter(_WORDS.findall(text.lower()))
    if not counts:
        return 0
    hashes = np.fromiter((mmh3.hash64(word, signed=False)[0] for word in counts), np.uint64)
    bits = np.unpackbits(hashes.view(np.uint8).reshape(-1, 8), axis=1)
    weights = np.fromiter(counts.values(), np.int64)
    ones = weights @ bits
    return int.from_bytes(np.packbits(2 * ones > weights.sum()).tobytes(), "little")


class Judge:
    """Which page a page repeats: fingerprints by blocks of 16 bits."""

    def __init__(self) -> None:
        self._blocks: list[dict[int, list[int]]] = [defaultdict(list) for _ in range(_BLOCKS)]
        self._urls: dict[int, str] = {}

    def judge(self, url: str, found: int) -> str | None:
        """Return the URL of a page within the distance; None for a page that is new, and kept."""
        keys = [(found >> _BLOCK_BITS * n) & 0xFFFF for n in range(_BLOCKS)]
        for block, key in zip(self._blocks, keys, strict=True):
            for known in block.get(key, ()):
                if (known ^ found).bit_count() <= DISTANCE:
                    return self._urls[known]
        self._urls[found] = url
        for block, key in zip(self._blocks, keys, strict=True):
            block[key].append(found)
        return None


def line(url: str, page: Read, judge: Judge) -> dict[str, str | None]:
    """Judge a page and return what its line of JSON holds."""
    return {
        "url": url,
        "text": page.text,
        "fingerprint": f"{page.fingerprint:016x}",
        "duplicate_of": judge.judge(url, page.fingerprint),
    }
