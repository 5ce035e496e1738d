"""The verdict on a page, and the indexes it is drawn from. One owner, one thread.

Cheapest test first: payload, then all visible text, then nearness of the judged text. Each filter
or index only proposes; what decides is the catalogue of stored pages. See docs/judging.md for the
rules and their reasons.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from crawler import config
from crawler.config import NearMode, SiblingMode
from crawler.dedup.catalog import Catalog
from crawler.dedup.columns import SeenFilter, Sized
from crawler.dedup.copies import MOST_ADDRESSED, MOST_WEIGHED, Inquiry
from crawler.dedup.copies.inquiry import Told
from crawler.dedup.index import matched_blocks
from crawler.dedup.methods import make_matcher
from crawler.dedup.methods.matching import Candidates, Match, VerifiedMatcher
from crawler.errors import JudgeDamaged
from crawler.models import (
    EXACT_PAYLOAD,
    EXACT_TEXT,
    EditionCount,
    Evidence,
    ExactDuplicate,
    IndexRow,
    NearDuplicate,
    New,
    PayloadKey,
    ReadPage,
    Shown,
    Sibling,
    Signature,
    StoredRef,
    Unjudged,
    Verdict,
)

log = logging.getLogger(__name__)

_Alike = TypeVar("_Alike", NearDuplicate, Sibling)

Part = tuple[str, bytes]
"""Name and data."""
_ROWS, _PAYLOADS, _TEXTS = "rows", "payloads", "texts"

NO_TEXT = "no-text"
TOO_SHORT = "too-short"
SHORT = "short"


class Judged(NamedTuple):
    """What `Judge.decide` answers."""

    verdict: Verdict
    page_id: int | None
    """What the page is called from now on; None where it is dropped."""


class Verdicts(ABC):
    """Draws the verdict on a page, whoever proposes stored pages and remembers them.

    `Judge` does so in its own memory; the judge of a cluster asks those that have the pages.
    """

    def __init__(self, settings: config.Dedup, catalog: Catalog, inquiry: Inquiry) -> None:
        self._settings = settings
        self._catalog = catalog
        self._inquiry = inquiry

    @abstractmethod
    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """Return the oldest stored page with the same bytes, if any."""

    @abstractmethod
    def by_visible(self, digest: bytes) -> list[StoredRef]:
        """Return the oldest MOST_ADDRESSED stored pages whose visible text has this digest."""

    @abstractmethod
    def _matches(self, text: Signature, most: int) -> list[Match]:
        """See `crawler.dedup.methods.matching.Matcher`; none where the near stage is off."""

    def known_payload(self, key: PayloadKey) -> ExactDuplicate | None:
        """Return the stored page with the same bytes, if any; asked before a page is parsed."""
        stored = self.by_payload(key)
        return ExactDuplicate(EXACT_PAYLOAD, stored) if stored else None

    def verdict(
        self,
        key: PayloadKey,
        signature: Signature,
        shown: Shown | None,
        told: Told | None = None,
    ) -> Verdict:
        """Return the verdict on a page, and learn what it says of addresses.

        `shown` is what tells copies from siblings; without it, whatever is alike is a near
        duplicate, as where the settings ask for no siblings. Where the catalogue raises, nothing is
        learned: the page may be judged again. What was `told` before of comparing the page, by a
        judge that holds the same, is not found out again; the rest is added to it.
        """
        self._inquiry.begin(told)
        try:
            return self._verdict(key, signature, shown)
        except BaseException:
            self._inquiry.take_back()
            raise

    def forget(self) -> None:
        """Take back what the last verdict has taught of addresses."""
        self._inquiry.take_back()

    def observe(self, url: str, verdict: ExactDuplicate) -> None:
        """Learn what addresses mean from a page that ended by `known_payload`."""
        self._inquiry.observe(url, verdict.of.url)

    def take_editions(self) -> tuple[EditionCount, ...]:
        """Return, once, what was learned of addresses since this was last asked: to be stored."""
        return self._inquiry.editions.take_changed()

    def restore_editions(self, counted: Iterable[EditionCount]) -> None:
        """Take in what earlier runs have learned of addresses."""
        self._inquiry.editions.restore(counted)

    def keeps(self, verdict: Verdict) -> bool:
        """Whether a page with this verdict is stored: no duplicate, or one to be tagged."""
        if isinstance(verdict, NearDuplicate):
            return self._settings.near is NearMode.TAG
        if isinstance(verdict, Sibling):
            return self._settings.siblings is SiblingMode.TAG
        return not isinstance(verdict, ExactDuplicate)

    def _verdict(self, key: PayloadKey, signature: Signature, shown: Shown | None) -> Verdict:
        if known := self.known_payload(key):
            return known
        if not is_comparable(signature, self._settings):
            return Unjudged(TOO_SHORT if signature.tokens else NO_TEXT)
        if known := self._known_text(signature, shown):
            return known
        if self._settings.near is NearMode.KEEP:
            return New()
        return self._near(signature, shown)

    def _known_text(self, signature: Signature, shown: Shown | None) -> ExactDuplicate | None:
        """Return the stored page with the same visible text that shows all else, too."""
        found = self.by_visible(signature.visible_digest)
        if shown is None or self._settings.siblings is SiblingMode.IGNORE:
            stored = next(iter(found), None)
        else:
            stored = self._inquiry.same(shown, found)
        return ExactDuplicate(EXACT_TEXT, stored) if stored else None

    def _near(self, signature: Signature, shown: Shown | None) -> Verdict:
        """Look for what the page is like, and for evidence of whether it is that page again.

        A short page is told to be a copy only on evidence, and never to be a sibling: of one form
        nearly all are.
        """
        short = not is_near_comparable(signature, self._settings)
        if shown is None or self._settings.siblings is SiblingMode.IGNORE:
            return self._resembling(signature, shown, short=short)
        sibling = None
        leads = can_represent(signature, self._settings, has_evidence=shown.appearance is not None)
        alike = self._matches(signature, MOST_WEIGHED) if leads else []
        addressed = self._inquiry.addressed(signature, shown)
        for match, evidence in self._inquiry.weighed(shown, [*addressed, *alike], short=short):
            if evidence.is_copy:
                return self._alike(NearDuplicate, match, signature, evidence)
            if sibling is None and match in alike and not short:
                sibling = self._alike(Sibling, match, signature, evidence)
        return sibling or New(SHORT if short else None, represents=leads)

    def _resembling(self, signature: Signature, shown: Shown | None, *, short: bool) -> Verdict:
        """Look for what the page is like where no evidence is asked for."""
        if short:
            return New(SHORT, represents=False)
        is_plain = shown is None or shown.appearance is None
        alike = self._matches(signature, 1 if is_plain else MOST_WEIGHED)
        first = self._inquiry.shown_alike(shown, alike) if shown else next(iter(alike), None)
        return self._alike(NearDuplicate, first, signature) if first else New()

    def _alike(
        self,
        verdict: type[_Alike],
        match: Match,
        signature: Signature,
        evidence: Evidence | None = None,
    ) -> _Alike:
        return verdict(
            of=self._catalog.ref(match.document_id),
            distance=match.distance,
            similarity=match.similarity,
            fingerprint=signature.fingerprint,
            of_fingerprint=match.fingerprint,
            matched_blocks=matched_blocks(signature.fingerprint, match.fingerprint),
            evidence=evidence,
        )


class Judge(Verdicts, Sized):
    """Judges pages one after another; deterministic in the order of pages.

    `expected_documents` sizes filters and indexes; more are taken, at the price of slower filters
    and of copies while the indexes grow. In memory a stored page is a few rows of arrays.
    """

    def __init__(
        self,
        settings: config.Dedup,
        catalog: Catalog,
        expected_documents: int,
        next_id: int = 1,
    ) -> None:
        """`next_id` is what `decide` calls the first page that it lets be stored."""
        super().__init__(settings, catalog, Inquiry(catalog, settings.threshold))
        self._next_id = next_id
        self._payloads = SeenFilter(expected_documents)
        self._has_digests = False
        """Whether there may be payloads of which no charset was declared, or it is not known."""
        self._texts = SeenFilter(expected_documents)
        self._matcher = make_matcher(settings, catalog, expected_documents)
        log.debug("method %s, sized for %d documents", settings.method.value, expected_documents)

    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """See Verdicts."""
        known = _payload_bytes(key) in self._payloads
        # Of pages of portable indexes nothing may be known but the digest of their bytes.
        if not known and self._has_digests and key.declared:
            known = key.digest in self._payloads
        return self._catalog.by_payload(key) if known else None

    def by_visible(self, digest: bytes) -> list[StoredRef]:
        """See Verdicts."""
        return self._catalog.by_visible(digest, MOST_ADDRESSED) if digest in self._texts else []

    def _matches(self, text: Signature, most: int) -> list[Match]:
        return self._matcher.matches(text, most) if self._matcher else []

    def candidates(self, text: Signature, *, full: bool = False) -> Candidates:
        """Return what this judge's pages have that another one's page may be like.

        Of a text that may have near duplicates, by the default method (`VerifiedMatcher`).
        """
        if not isinstance(self._matcher, VerifiedMatcher):
            return Candidates()
        return self._matcher.candidates(text, MOST_WEIGHED, full=full)

    async def decide(
        self,
        key: PayloadKey,
        signature: Signature,
        shown: Shown | None = None,
        page: ReadPage | None = None,
    ) -> Judged:
        """Judge a page as `judge` does, and give it its id. To be awaited, but it never waits."""
        verdict = self.judge(key, signature, self._next_id, shown)
        if not self.keeps(verdict):
            return Judged(verdict, None)
        self._next_id += 1  # whatever goes wrong from here on: the page is known by that number
        return Judged(verdict, self._next_id - 1)

    def judge(
        self, key: PayloadKey, signature: Signature, next_id: int, shown: Shown | None = None
    ) -> Verdict:
        """Return the verdict on a page and remember the page, in one step.

        If the verdict lets the page be stored, the caller must put it into the catalogue with id
        `next_id` (higher than any before) before judging another, with `representative` as
        `represents(verdict)` says. The payload is tested again, since an equal page may have been
        stored while this one was analysed. Raises JudgeDamaged where a page was remembered by half.
        """
        verdict = self.verdict(key, signature, shown)
        if self.keeps(verdict):
            self.remember(key, signature, next_id, representative=represents(verdict))
        return verdict

    def remember(
        self, key: PayloadKey, signature: Signature, document_id: int, *, representative: bool
    ) -> None:
        """Remember a page that somebody judged. Raises JudgeDamaged as `judge` does."""
        try:
            self._add_payload(key)
            self._texts.add(signature.visible_digest)
            if self._matcher and representative:
                self._matcher.insert(document_id, signature)
        except Exception as error:
            raise JudgeDamaged(
                f"the indexes in memory are damaged ({type(error).__name__}: {error}); what is "
                "stored is not, and `resume` builds them anew"
            ) from error

    def restore(self, rows: Iterable[IndexRow]) -> None:
        """Take in the stored pages of an earlier run, oldest first; for a judge not yet used."""
        known = self._remembered(rows)
        if self._matcher:
            self._matcher.restore(known)
        deque(known, maxlen=0)  # to the filters only, where there is none
        log.debug("filters and indexes take %d bytes", self.nbytes)

    @property
    def kind(self) -> str:
        """Of what judges the `parts` make one like this: those with this kind."""
        stage = self._settings.method if self._matcher else NearMode.KEEP
        return stage.value

    def parts(self, last_id: int) -> Iterator[Part] | None:
        """Return what `take_part` makes a judge like this of; None where its method cannot.

        All that it remembers now of pages up to `last_id` is in the parts. Others, also those that
        it judges before all are taken, are remembered by filters at most, which costs a look-up.
        """
        rows: Iterable[bytes] = ()
        if isinstance(self._matcher, VerifiedMatcher):
            rows = self._matcher.packed(last_id)
        elif self._matcher is not None:
            return None
        return self._parts(rows)

    def _parts(self, rows: Iterable[bytes]) -> Iterator[Part]:
        for data in rows:
            yield _ROWS, data
        yield _PAYLOADS, self._payloads.packed()
        yield _TEXTS, self._texts.packed()

    def take_part(self, name: str, data: bytes) -> None:
        """Take in one part of `parts`, in their order; for a judge not yet used.

        They are of a judge of this `kind`. Raises ValueError for what is none of its parts. Then
        `restore` takes the pages that were stored since.
        """
        if name == _PAYLOADS:
            self._payloads.unpack(data)
            self._has_digests = True
        elif name == _TEXTS:
            self._texts.unpack(data)
        elif name == _ROWS and isinstance(self._matcher, VerifiedMatcher):
            self._matcher.insert_packed(data)
        else:
            raise ValueError(f"no part of a judge by this method: {name}")

    def _add_payload(self, key: PayloadKey) -> None:
        self._payloads.add(_payload_bytes(key))
        self._has_digests = self._has_digests or not key.declared

    def _remembered(self, rows: Iterable[IndexRow]) -> Iterator[IndexRow]:
        """Add each row to the filters; yield the representatives."""
        restored = representatives = 0
        for row in rows:
            self._add_payload(row.payload)
            self._texts.add(row.visible_digest)
            restored += 1
            if row.representative:
                representatives += 1
                yield row
        log.debug("restored %d stored pages, %d representatives", restored, representatives)


def represents(verdict: Verdict) -> bool:
    """Whether later pages may be near duplicates of a page with this verdict, by their texts."""
    if isinstance(verdict, Sibling):
        return True
    return isinstance(verdict, New) and verdict.represents


def is_comparable(text: Signature, settings: config.Dedup) -> bool:
    """Whether there is text enough to be compared: with no shingle nothing can be said."""
    return text.tokens >= settings.min_tokens and len(text.shingles) > 0


def is_near_comparable(text: Signature, settings: config.Dedup) -> bool:
    """Whether there is text enough for resemblance alone to say something."""
    return text.tokens >= settings.min_near_tokens and is_comparable(text, settings)


def can_represent(text: Signature, settings: config.Dedup, *, has_evidence: bool) -> bool:
    """Whether later pages may be near duplicates of a page with this text, if it is stored as new.

    `has_evidence` says whether what its reader sees is known: then a short text may have copies.
    """
    asks = settings.siblings is not SiblingMode.IGNORE and has_evidence
    return is_comparable(text, settings) if asks else is_near_comparable(text, settings)


def _payload_bytes(key: PayloadKey) -> bytes:
    return key.digest + key.declared.encode()
