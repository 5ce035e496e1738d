"""What one page says, made in the process pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class JudgedOn(StrEnum):
    """Which text the verdict speaks of."""

    MAIN = "main"
    """trafilatura's main text."""
    VISIBLE = "visible"
    """All visible text outside nav, header and footer: extraction covered too little of it."""


@dataclass(frozen=True, slots=True)
class Signature:
    """All that the judge needs to know of a text; a pure function of (text, settings, version)."""

    text_digest: bytes
    """32 bytes over the judged text, NFC and white space folded."""
    visible_digest: bytes
    """32 bytes over the visible text outside nav, header and footer, folded alike."""
    fingerprint: int
    """64-bit SimHash, unsigned."""
    tokens: int
    """Number of features counted with repetition; the measure of 'too short to judge'."""
    shingle_kind: str
    """`word3` or `char4`; texts of different kinds are never compared."""
    shingles: npt.NDArray[np.uint32]
    """Sorted unique shingle hashes, shape (n,)."""
    sketch: bytes
    """Fixed-size summary of `shingles` (`crawler.dedup.signing.sketch`)."""


@dataclass(frozen=True, slots=True)
class Document:
    """What one page says; made from bytes in the process pool, no parse tree in it."""

    title: str | None
    text: str
    """The judged text."""
    judged_on: JudgedOn
    charset: str
    """WHATWG name of the encoding that was used."""
    links: tuple[str, ...]
    """Canonical http(s) URLs in page order, unique; frames, meta refresh, rel=canonical too."""
    canonical_url: str | None
    """rel=canonical, canonicalised: a hint, never an identity."""
    refresh: str | None
    """Canonical target of a meta refresh, also in `links`."""
    noindex: bool
    nofollow: bool
    signature: Signature
    stage_s: Mapping[str, float] = field(default_factory=dict)
    """CPU seconds by stage: decode, parse, extract, fingerprint."""
    layout: bytes | None = None
    """Layout fingerprint (`crawler.dedup.signing.layout`); None for plain text, which has none."""
