"""A sibling that is dropped leaves nothing behind in the judge."""

from __future__ import annotations

import numpy as np

from crawler.config import Dedup
from crawler.dedup import Judge, MemoryCatalog, Signer, represents
from crawler.models import PayloadKey, Shown, Sibling, StoredDocument


def test_what_is_like_a_dropped_sibling_is_held_against_stored_pages_only() -> None:
    """It represents nothing: its id is the next stored page's, and nothing is called like it."""
    settings = Dedup.model_validate({"siblings": "drop"})
    sign, catalog = Signer(settings), MemoryCatalog()
    judge = Judge(settings, catalog, 10)
    text = " ".join(f"w{n}" for n in np.random.default_rng(1).integers(0, 5000, 300))
    for number, added in enumerate(("", " and this", " and this too"), 1):
        key, signature = PayloadKey(bytes([number] * 32), "text/html"), sign(text + added)
        verdict = judge.judge(key, signature, 1 if number == 1 else 2, Shown(f"http://h/{number}"))
        if judge.keeps(verdict):
            leads = represents(verdict)
            catalog.add(StoredDocument(number, number, f"http://h/{number}", key, signature, leads))
            assert number == 1
            continue
        assert isinstance(verdict, Sibling)
        assert verdict.of.id == 1
