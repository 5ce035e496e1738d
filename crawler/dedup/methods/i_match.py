"""I-Match: one hash of the words that matter; two texts with the same hash are duplicates.

Chowdhury, Frieder, Grossman and McCabe (ACM TOIS 2002): of a text's distinct words those are kept
whose inverse document frequency lies in a middle band of a collection's (the lexicon), and the
sorted rest is hashed with SHA-1. Frequent words say nothing, rare ones are typing errors, names and
dates that change between versions. One hash a text, no comparison; but one lexicon word more or
less makes another hash.

Kolcz, Chowdhury and Alspector (KDD 2004) answer that brittleness with several lexicons, each the
first one without a random part of its words: two texts are duplicates if they agree in any of the
hashes. With d lexicon words differing, one lexicon that keeps a share p of words hides the
difference with probability q = (1 - p)^d, some of K with 1 - (1 - q)^K.
"""

from __future__ import annotations

import hashlib

import mmh3
import numpy as np

from crawler import config
from crawler.dedup.methods.document_frequencies import DocumentFrequencies, load
from crawler.dedup.methods.shared_keys import Keys, SharedKeys, pack_keys
from crawler.dedup.signing.text_parts import Sketcher, TextParts
from crawler.errors import ConfigError

RANDOM_LEXICONS = 10
"""Lexicons beside the first, as in the paper's experiments."""

LOWEST_IDF = 0.3
HIGHEST_IDF = 0.6
"""Which words a lexicon keeps: normalised inverse document frequencies, inclusive."""

KEPT_SHARE = 2 / 3
"""Share of the words that a random lexicon keeps."""

_SEED = 0x51A5_0100
_KEY_BYTES = 8


class Lexicons:
    """The words of middling frequency and random parts of them: one bit set (`members`) a word.

    Bit 0 stands for the whole lexicon. Deterministic: whether a random one keeps a word depends on
    the word and the lexicon's number only.
    """

    def __init__(self, frequencies: DocumentFrequencies, random_lexicons: int = 0) -> None:
        words = (
            word
            for word in frequencies.counts
            if LOWEST_IDF <= frequencies.normalised_idf(word) <= HIGHEST_IDF
        )
        self.members = {word: _membership(word, random_lexicons) for word in words}
        self._number = 1 + random_lexicons

    def keys(self, parts: TextParts) -> Keys:
        """Return one 64-bit key a lexicon, 0 where the text has none of its words."""
        words = sorted(parts.counts.keys() & self.members.keys())
        members = [self.members[word] for word in words]
        keys = [
            _hash([word for word, bits in zip(words, members, strict=True) if bits >> lexicon & 1])
            for lexicon in range(self._number)
        ]
        return np.array(keys, np.uint64)


def lexicon_sketcher(random_lexicons: int, settings: config.Dedup) -> Sketcher:
    """Return what makes sketches: the keys of the job's lexicon and of random parts of it.

    Raises ConfigError where there is no lexicon, or no word of middling frequency in it.
    """
    assert settings.lexicon is not None, "the configuration asks for one"
    lexicons = Lexicons(load(settings.lexicon), random_lexicons)
    if not lexicons.members:
        raise ConfigError(
            f"dedup.lexicon: {settings.lexicon} has no word of middling frequency; "
            "fit it on more documents"
        )
    return lambda parts: pack_keys(lexicons.keys(parts))


def shared_lexicon_hashes(
    random_lexicons: int, settings: config.Dedup, expected: int
) -> SharedKeys:
    """Return the proposer of texts that agree in the hash of any lexicon."""
    return SharedKeys(1 + random_lexicons, 1, expected)


def _membership(word: str, random_lexicons: int) -> int:
    bits = 1
    for lexicon in range(1, 1 + random_lexicons):
        kept = mmh3.hash(word, _SEED + lexicon, signed=False) < int(KEPT_SHARE * 2**32)
        bits |= kept << lexicon
    return bits


def _hash(words: list[str]) -> int:
    """Return the first 64 bits of SHA-1 over sorted words, 0 for none."""
    if not words:
        return 0
    digest = hashlib.sha1("\0".join(words).encode("utf-8", "surrogatepass"), usedforsecurity=False)
    return int.from_bytes(digest.digest()[:_KEY_BYTES], "little") or 1
