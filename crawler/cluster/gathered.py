"""The judge of a cluster: the rules of one machine, over what shards told of a batch of pages.

What a `crawler.dedup.Judge` asks of its indexes and its catalogue is asked here of what was
gathered beforehand: for each page of the batch what each shard found, in one order by the numbers
of pages, then the pages of the batch itself that were kept before it. Whether a stored page is
proposed depends on it and the page alone, so together they say what one index of all would. What
was not gathered is `Missing`, and to be fetched before the page is judged again.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterable, Sequence, Set
from heapq import merge
from operator import attrgetter

from crawler import config
from crawler.cluster.protocol import Found, OriginalRow, PageAsk
from crawler.dedup import MemoryCatalog, represents
from crawler.dedup.copies import MOST_ADDRESSED, MOST_WEIGHED, Inquiry
from crawler.dedup.copies.inquiry import MOST_OTHERS, Told
from crawler.dedup.judge import Verdicts
from crawler.dedup.methods.matching import (
    Candidates,
    Match,
    NotCompared,
    VerifiedMatcher,
    merged,
    proposals,
)
from crawler.models import (
    AddressedPage,
    NearDuplicate,
    PayloadKey,
    Shingles,
    Signature,
    StoredDocument,
    StoredRef,
    Verdict,
)
from crawler.storage.rows import pack_shingles
from crawler.urls import host_of

MOST_ROWS = 8_192
"""Pages that are held after they were kept or fetched, some 8 kB each: those that the next pages of
their sites are compared with."""
MOST_PAGES = 256
"""Pages that are held as they are compared, some .1 MB each: pages of many sites take turns."""
MOST_HOSTS = 16_384
"""Hosts of which the latest pages are known."""


class Missing(Exception):
    """A stored page that was not fetched is asked for."""

    def __init__(self, document_id: int) -> None:
        super().__init__(document_id)
        self.document_id = document_id


class GatheredCatalog:
    """See `crawler.dedup.Catalog`: of one page at a time, as far as it was gathered."""

    def __init__(self) -> None:
        self.mates = MemoryCatalog()
        """Pages of this batch that are kept."""
        self._rows: OrderedDict[int, StoredDocument | OriginalRow] = OrderedDict()
        self._latest: OrderedDict[str, deque[int]] = OrderedDict()
        self.begin([])

    def begin(self, parts: Sequence[Found]) -> None:
        """Answer for a page of which shards have found this."""
        self._parts = parts

    def add(self, document: StoredDocument) -> None:
        """A page of this batch is kept."""
        self.mates.add(document)
        self._rows[document.id] = document
        if (latest := self._latest.get(host_of(document.url))) is not None:
            latest.appendleft(document.id)

    def take(self, rows: Iterable[StoredDocument | OriginalRow]) -> None:
        """Take in pages that were fetched, or shown."""
        self._rows.update((row.id, row) for row in rows)

    def take_latest(self, url: str, latest: Iterable[int]) -> None:
        """Take in the latest pages of a URL's host, in any order."""
        found = sorted(latest, reverse=True)[:MOST_OTHERS]
        self._latest[host_of(url)] = deque(found, MOST_OTHERS)

    def end_batch(self) -> None:
        """All pages of the batch lie at their shards."""
        self.mates = MemoryCatalog()
        for held, most in ((self._rows, MOST_ROWS), (self._latest, MOST_HOSTS)):
            while len(held) > most:
                held.popitem(last=False)

    def unknown(self, urls: Iterable[str]) -> list[str]:
        """Return a URL of each host whose latest pages are not known."""
        found = {host: url for url in urls if (host := host_of(url))}
        for host in found.keys() & self._latest.keys():
            self._latest.move_to_end(host)
        return [url for host, url in found.items() if host not in self._latest]

    def latest(self, url: str) -> list[int]:
        """Return the latest pages of a host of the batch, the latest first."""
        return list(self._latest.get(host_of(url), ()))

    @property
    def held(self) -> Set[int]:
        """The pages whose rows are held; all of a batch's are until it ends."""
        return self._rows.keys()

    def wanted(self, ask: PageAsk) -> set[int]:
        """Return the pages not held that judging a page is about to ask for."""
        wanted = set[int]()
        for part in self._parts:
            if part.payload:
                wanted.add(part.payload.id)
            wanted.update(ref.id for ref in part.visible)
            wanted.update(page.id for _, pages in part.addressed for page in pages)
            if part.candidates:
                some = (*part.candidates.twins, *part.candidates.likely)
                alike = sorted((-(one.similarity or 0.0), one.document_id) for one in some)
                wanted.update(id_ for less, id_ in alike[:MOST_WEIGHED] if less)
        if wanted:
            wanted.update(self.latest(ask.shown.url))
        return wanted - self._rows.keys()

    def original(self, document_id: int) -> OriginalRow:
        """Return what a copy's partition compares it with; Missing where that was not fetched."""
        row = self._row(document_id)
        if isinstance(row, OriginalRow):
            return row
        packed = pack_shingles(row.id, Shingles.of(row.signature))
        return OriginalRow(row.id, row.url, packed, row.layout, row.appearance)

    def candidates(self) -> list[Candidates]:
        """Return what shards have that the page may be like."""
        return [part.candidates for part in self._parts if part.candidates]

    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """See Catalog."""
        found = [part.payload for part in self._parts if part.payload]
        return min(found, key=attrgetter("id")) if found else self.mates.by_payload(key)

    def by_visible(self, digest: bytes, limit: int) -> list[StoredRef]:
        """See Catalog."""
        found = list(merge(*(part.visible for part in self._parts), key=attrgetter("id")))
        return (found + self.mates.by_visible(digest, limit))[:limit]

    def ref(self, document_id: int) -> StoredRef:
        """See Catalog."""
        return StoredRef(document_id, self._row(document_id).url)

    def shingles(self, document_id: int) -> Shingles:
        """See Catalog."""
        row = self._row(document_id)
        return row.shingles if isinstance(row, OriginalRow) else Shingles.of(row.signature)

    def layout(self, document_id: int) -> bytes | None:
        """See Catalog."""
        return self._row(document_id).layout

    def appearance(self, document_id: int) -> bytes | None:
        """See Catalog."""
        return self._row(document_id).appearance

    def by_address(self, address: int, limit: int) -> list[AddressedPage]:
        """See Catalog. Of the page's own address and of that of its canonical page."""
        found = list(
            merge(
                *(dict(part.addressed).get(address, ()) for part in self._parts),
                key=attrgetter("id"),
            )
        )
        return (found + self.mates.by_address(address, limit))[:limit]

    def of_host(self, url: str, limit: int) -> list[int]:
        """See Catalog. Of the hosts of the batch, MOST_OTHERS at most."""
        return self.latest(url)[:limit]

    def _row(self, document_id: int) -> StoredDocument | OriginalRow:
        row = self._rows.get(document_id)
        if row is None:
            raise Missing(document_id)
        return row


Fetch = Callable[[Set[int]], Awaitable[None]]
"""Has the judge take in rows of pages."""


class GatheredJudge(Verdicts):
    """See `Verdicts`. Of pages of the batch it remembers what a `Judge` would.

    `verdict` raises Missing, and NotCompared where what shards have told is not all that is needed.
    """

    def __init__(self, settings: config.Dedup) -> None:
        self.gathered = GatheredCatalog()
        inquiry = Inquiry(self.gathered, settings.threshold, MOST_PAGES)
        super().__init__(settings, self.gathered, inquiry)
        self._matcher: VerifiedMatcher | None = None
        self._seq = 0
        """The number of the page that is judged."""
        self.likes = dict[int, bool]()
        """Numbers of pages of this batch that others of it may be like, in its order, and whether
        an earlier one is among these."""

    def begin_batch(self, first_seq: int, texts: Sequence[Signature]) -> None:
        """Begin with pages that are to be numbered from this on.

        Few pages of a batch are like another of it. Which may be is found for all at once, so the
        others need neither be put into indexes nor looked up in any.
        """
        self.likes = {}
        if self._settings.near is config.NearMode.KEEP or len(texts) == 1:
            return
        first, second = proposals(texts, self._settings)
        self.likes = dict.fromkeys((first_seq + first).tolist(), False)
        self.likes |= dict.fromkeys((first_seq + second).tolist(), True)

    async def decided(
        self, seq: int, ask: PageAsk, parts: Sequence[Found], told: Told, fetch: Fetch
    ) -> Verdict:
        """Return the verdict on the next page, and remember the page where it is kept.

        `parts` are what shards have found, `told` is as in `verdict`. Raises NotCompared.
        """
        self._seq = seq
        while True:
            self.gathered.begin(parts)
            try:
                verdict = self.verdict(ask.key, ask.signature, ask.shown, told)
                break
            except Missing as missing:
                await fetch({missing.document_id, *self.gathered.wanted(ask)})
        if self.keeps(verdict):
            self.remember(seq, ask, verdict)
        return verdict

    def by_payload(self, key: PayloadKey) -> StoredRef | None:
        """See Verdicts."""
        return self.gathered.by_payload(key)

    def by_visible(self, digest: bytes) -> list[StoredRef]:
        """See Verdicts."""
        return self.gathered.by_visible(digest, MOST_ADDRESSED)

    def _matches(self, text: Signature, most: int) -> list[Match]:
        parts = self.gathered.candidates()
        if self._matcher is None or not self.likes.get(self._seq):
            return merged(parts, text, most, self._settings.threshold) if parts else []
        try:
            own = self._matcher.candidates(text, most)
            return merged([*parts, own], text, most, self._settings.threshold)
        except NotCompared:
            own = self._matcher.candidates(text, most, full=True)
            return merged([*parts, own], text, most, self._settings.threshold)

    def remember(self, seq: int, ask: PageAsk, verdict: Verdict) -> None:
        """A page of this batch is kept."""
        leads = represents(verdict)
        is_copy = isinstance(verdict, NearDuplicate)
        self.gathered.add(ask.document(seq, representative=leads, addressed=not is_copy))
        if leads and seq in self.likes:
            if self._matcher is None:
                self._matcher = VerifiedMatcher(self._settings, self.gathered, len(self.likes))
            self._matcher.insert(seq, ask.signature)

    def end_batch(self) -> None:
        """All pages of the batch lie at their shards."""
        self._matcher = None
        self.gathered.end_batch()
