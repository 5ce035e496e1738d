"""What tests of judging share: rows to rebuild a judge from, fingerprints that nearly agree."""

from __future__ import annotations

import numpy as np

from crawler.records import IndexRow, StoredDocument


def index_row(document: StoredDocument) -> IndexRow:
    """Return the row that a store would give for a stored page."""
    text = document.signature
    return IndexRow(
        id=document.id,
        payload=document.payload,
        text_digest=text.text_digest,
        visible_digest=text.visible_digest,
        fingerprint=text.fingerprint,
        tokens=text.tokens,
        shingle_kind=text.shingle_kind,
        sketch=text.sketch,
        representative=document.representative,
    )


def flipped(fingerprint: int, rng: np.random.Generator, bits: int) -> int:
    """Return a fingerprint with so many of its bits changed."""
    chosen = rng.choice(64, bits, replace=False)
    return fingerprint ^ sum(1 << int(bit) for bit in chosen)
