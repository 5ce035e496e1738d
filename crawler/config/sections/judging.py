"""What counts as a duplicate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from crawler.choices import (
    ALWAYS_VERIFIED,
    LEXICON_METHODS,
    FollowDuplicates,
    IndexDesign,
    Method,
    NearMode,
    PayloadHash,
    SiblingMode,
)
from crawler.config.sections.base import FilePath, Section, Whole
from crawler.printing import program


class Dedup(Section):
    """What counts as a duplicate."""

    near: NearMode = NearMode.DROP
    siblings: SiblingMode = SiblingMode.TAG
    """What becomes of pages that are as like as near duplicates, but other pages: of one template,
    with the few words of difference that matter."""
    keep_dropped: bool = True
    """Keep each page that is not stored as its difference from the page that it equals or is like:
    for `explain`, `audit` and `restore`. A copy to the byte has none."""
    method: Method = Method.VERIFIED
    """How near duplicates are recognised."""
    distance: Annotated[int, Field(ge=0, le=11)] = 3
    """Largest Hamming distance (inclusive) at which a fingerprint proposes a candidate. Where
    candidates are verified, sketches propose too, and farther pages may match."""
    index: IndexDesign = IndexDesign.BLOCKS
    """How near fingerprints are found; the verdicts are the same. MinHash, super-shingles, I-Match
    and `exact` have no fingerprint index and leave it unused."""
    index_memory_bytes: Annotated[Whole, Field(ge=1)] | None = None
    """What sorted tables of all fingerprints may take; None: the fastest design, whatever it takes.
    Where no design fits, the smallest is taken."""
    verify: Annotated[bool | None, Field(validate_default=True)] = None
    """Confirm the matches of a method on exact shingle similarity. None: as the method has it;
    `verified` and `exact` always do, no other does."""
    threshold: Annotated[float, Field(gt=0, le=1)] = 0.8
    """Smallest Jaccard similarity of a near duplicate."""
    min_tokens: Annotated[Whole, Field(ge=1)] = 6
    """Texts with fewer features are matched by payload only."""
    min_near_tokens: Annotated[Whole, Field(ge=1)] = 64
    """Texts with fewer features are copies on evidence only, punctuation included, and are never
    told as siblings. Where no evidence is asked for they are matched exactly only: a word more or
    less is news in them."""
    lexicon: Annotated[FilePath | None, Field(validate_default=True)] = None
    """Document frequencies of a sample of the language: what the I-Match methods keep words by, and
    `simhash-idf` weighs them by. Made by `python -m crawler lexicon`."""
    fold_chinese: bool = False
    """Compare traditional characters as simplified and full-width forms as ordinary ones; needs the
    package `opencc`."""
    against: tuple[Path, ...] = ()
    """Directories of earlier crawls and runs of `dedup`, and portable indexes: what they have is no
    news. Part of a crawl's identity."""
    payload_hash: PayloadHash = PayloadHash.SHA256
    follow_duplicates: FollowDuplicates = FollowDuplicates.DEFER

    @field_validator("verify")
    @classmethod
    def _is_possible(cls, verify: bool | None, info: ValidationInfo) -> bool | None:
        method = info.data.get("method")
        if verify is False and method in ALWAYS_VERIFIED:
            raise ValueError(
                f"method {method.value!r} always verifies; for SimHash alone say `method: simhash`"
            )
        return verify

    @field_validator("against")
    @classmethod
    def _lasts(cls, against: tuple[Path, ...]) -> tuple[Path, ...]:
        """Name each so that a resume from another directory finds it."""
        return tuple(path.absolute() for path in against)

    @field_validator("lexicon")
    @classmethod
    def _is_given(cls, lexicon: Path | None, info: ValidationInfo) -> Path | None:
        method = info.data.get("method")
        if lexicon is None and method in LEXICON_METHODS:
            raise ValueError(
                f"method {method.value!r} needs a lexicon (dedup.lexicon); make one from a sample "
                f"of texts with `{program()} lexicon FILE... --output lexicon.tsv`"
            )
        return lexicon
