"""What partitions, the sequencer and shards say to each other, and who carries it.

All of it can be pickled.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from crawler.dedup.copies.inquiry import ADDRESS, Told
from crawler.dedup.methods.matching import Candidates
from crawler.models import (
    AddressedPage,
    PayloadKey,
    Shingles,
    Shown,
    Signature,
    StoredDocument,
    StoredRef,
    Verdict,
)
from crawler.storage.rows import unpack_shingles

SEQUENCER = "sequencer"
"""The name of a role; others are `shard(k)` and `partition(p)`."""


def shard(number: int) -> str:
    """Return the name of a shard, from 0."""
    return f"shard-{number}"


def partition(number: int) -> str:
    """Return the name of a partition, from 0."""
    return f"partition-{number}"


class Carrier(Protocol):
    """Calls methods of roles, wherever these are."""

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """Call a method of a role, and return or raise what it does.

        Raises Gone where the role cannot be reached, or the call may or may not have run: methods
        may be called again. A call that was given up for gone may yet run, and later than others.
        """


class Gone(Exception):
    """A role cannot be reached, or a call may or may not have run: call again."""


class Fenced(Exception):
    """The caller was opened again elsewhere, by a higher epoch than its own: it has to end."""


@dataclass(slots=True, eq=False)
class PageAsk:
    """A page to be judged."""

    number: int
    """Id of its URL in its partition, where a URL is judged once."""
    key: PayloadKey
    signature: Signature
    shown: Shown
    address: int | None
    """Key of its address (`crawler.urls.editions.address_key`)."""
    _packed: bytes = field(default=b"", repr=False)
    """The page as bytes, once it has been packed: it is passed on as it came."""

    def __reduce__(self) -> tuple[Callable[[bytes], PageAsk], tuple[bytes]]:
        # Field by field: pickled as the values that they are, they take four times as long.
        if not self._packed:
            text, shown = self.signature, self.shown
            arrays = text.shingles.tobytes(), text.sketch, [one.tobytes() for one in text.marks]
            digests = text.text_digest, text.visible_digest, text.fingerprint
            of_text = *digests, text.tokens, text.shingle_kind, *arrays
            of_shown = shown.url, shown.appearance, shown.layout, shown.canonical_address
            key = self.key.digest, self.key.declared
            fields = self.number, key, of_text, of_shown, self.address
            self._packed = pickle.dumps(fields, pickle.HIGHEST_PROTOCOL)
        return _unpacked, (self._packed,)

    @property
    def told(self) -> Told:
        """What is known of it before it is compared."""
        return {ADDRESS: self.address}

    def document(self, seq: int, *, representative: bool, addressed: bool) -> StoredDocument:
        """Return what is kept of the page, by its number; `addressed` says whether its address."""
        shown = self.shown
        return StoredDocument(
            *(seq, seq, shown.url, self.key, self.signature, representative),
            layout=shown.layout,
            address=self.address if addressed else None,
            appearance=shown.appearance,
        )


def _unpacked(packed: bytes) -> PageAsk:
    number, key, text, shown, address = pickle.loads(packed)
    *before, shingles, sketch, marks = text
    hashes = np.frombuffer(shingles, np.uint32)
    of_keys = [np.frombuffer(one, np.uint8) for one in marks]
    values: tuple[Any, ...] = (*before, hashes, sketch, tuple(of_keys))
    signature = Signature(*values)
    return PageAsk(number, PayloadKey(*key), signature, Shown(*shown), address, packed)


class OriginalRow(NamedTuple):
    """What is kept of a stored page, for those that are compared with it."""

    id: int
    url: str
    hashes: bytes
    """Its shingles, packed (`crawler.storage.rows`)."""
    layout: bytes | None
    appearance: bytes | None

    @property
    def shingles(self) -> Shingles:
        """Its shingles. Raises ValueError where they are damaged."""
        return unpack_shingles(self.id, self.hashes)


class Answer(NamedTuple):
    """What a page was judged to be."""

    number: int
    """Of the ask."""
    seq: int
    """1 was judged first. Every judged page has one."""
    verdict: Verdict
    """A page that it names has its `seq` for an id."""
    page_id: int | None
    """`seq` where the page is to be kept, else None."""
    original: OriginalRow | None
    """The page that the verdict names, if it names one."""


class Found(NamedTuple):
    """What a shard has that a page may be like: what `crawler.dedup.Judge` would ask of it."""

    payload: StoredRef | None = None
    """The oldest page with the same bytes; then nothing else is looked for."""
    visible: tuple[StoredRef, ...] = ()
    """The oldest pages with the same visible text, MOST_ADDRESSED at most."""
    addressed: tuple[tuple[int, tuple[AddressedPage, ...]], ...] = ()
    """The oldest pages at its address, and at that of its canonical page, as many each."""
    candidates: Candidates | None = None


class Ahead(NamedTuple):
    """What was found out of a page before its turn to be judged."""

    told: Told
    of: int | None
    """The page that its verdict names, if it is judged to be what it seems."""


class Looked(NamedTuple):
    """What a shard found for a batch."""

    found: list[Found | None]
    """For each page of it; None where there is nothing."""
    latest: list[list[int]]
    """For each host that was asked for, the latest pages of it, the latest first."""


class Kept(NamedTuple):
    """A page that its shard is to keep."""

    seq: int
    ask: PageAsk
    representative: bool
    """Whether others may be near duplicates of it."""
    addressed: bool
    """Whether it is found by its address: no copy is."""
