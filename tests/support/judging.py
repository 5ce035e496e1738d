"""What tests of judging share: a judge that stores, rows to rebuild one, like fingerprints."""

from __future__ import annotations

import numpy as np

from crawler import config
from crawler.dedup import Judge, MemoryCatalog, Signer
from crawler.models import IndexRow, StoredDocument


class JudgedPages:
    """A judge with its catalogue and what it let be stored; who inherits feeds it with pages."""

    def __init__(self, sign: Signer, **settings: object) -> None:
        self.sign = sign
        self.settings = config.Dedup.model_validate(settings)
        self.catalog = MemoryCatalog()
        self.stored: list[StoredDocument] = []
        self.judge = Judge(self.settings, self.catalog, 100)

    def store(self, document: StoredDocument) -> None:
        """Store a page: it can be found from now on."""
        self.stored.append(document)
        self.catalog.add(document)

    def restarted(self) -> None:
        """Replace the judge by one rebuilt from the stored rows."""
        self.judge = Judge(self.settings, self.catalog, 1)
        self.judge.restore(map(index_row, self.stored))


def index_row(document: StoredDocument) -> IndexRow:
    """Return the row that a store would give for a stored page."""
    text = document.signature
    return IndexRow(
        id=document.id,
        payload=document.payload,
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
