"""What a text looks like but for its digits and white space.

The trap rule counts looks (`crawler.frontier.traps.novelty`). They tell no documents apart.
"""

from __future__ import annotations

import re
from hashlib import blake2b

LOOKED_AT = 100_000
"""Characters of a text that are looked at: some 5 ms. A longer text is like no other that differs
at all, as its digest tells."""

_DIGITS = re.compile(r"\d+")


def look(text: str, digest: bytes = b"") -> bytes:
    """Return 8 bytes that are equal for texts that differ in digits and white space only.

    Longer ones than LOOKED_AT look alike only where their `digest` is equal, too.
    """
    words = " ".join(_DIGITS.sub("#", text[:LOOKED_AT]).split())
    looked_at = blake2b(words.encode(errors="surrogatepass"), digest_size=8)
    if len(text) > LOOKED_AT:
        looked_at.update(digest)
    return looked_at.digest()
