"""Every URL ever accepted, what its page may write for it, and how near to a seed it was found.

`SeenSet` holds all of them as 127-bit keyed digests, `UrlBudget` what long ones cost the page that
leads to them, `Depths` the last ones with their depths, which may turn out to be smaller.
"""

from __future__ import annotations

import secrets
import zlib
from array import array
from collections import Counter, OrderedDict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from struct import Struct
from typing import Any

from crawler import urls
from crawler.models import FetchTask, Priority

_SHARDS = 1024
"""Tables grow one at a time, so that no growth stalls the event loop: at 10^7 URLs a shard of
10^4 entries is moved, not one table of 10^7."""

_HALVES = Struct("<QQ")
_COUNT = Struct("<Q")


class SeenSet:
    """A set of URLs that can be added to and asked for its size; some 30 bytes a URL.

    Exact but for a collision of keyed BLAKE2b (RFC 7693) digests: with a secret key nobody can
    craft a URL that hides another, and by chance 10^9 URLs collide with probability below 10^-20.
    """

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key or secrets.token_bytes(32)
        self._keyed = blake2b(digest_size=16, key=self._key)
        self._shards: list[_Shard | None] = [None] * _SHARDS  # each made for its first URL
        self._size = 0

    def add(self, url: str) -> bool:
        """Add a URL; True if it was not there. Test and insert are this one call."""
        low, high = self._words_of(url)
        shard = self._shards[low % _SHARDS]
        if shard is None:
            shard = self._shards[low % _SHARDS] = _Shard()
        if shard.add(low, high | 1):
            self._size += 1
            return True
        return False

    def __contains__(self, url: str) -> bool:
        low, high = self._words_of(url)
        shard = self._shards[low % _SHARDS]
        return shard is not None and shard.has(low, high | 1)

    def __len__(self) -> int:
        return self._size

    def parts(self) -> Iterator[bytes]:
        """Yield what `restore` makes this set of again, its secret key first.

        Where URLs are added between two parts, it is not said which of those are in them; all that
        were there at the first part are.
        """
        yield self._key
        for shard in self._shards:
            yield _EMPTY if shard is None else shard.packed()

    @classmethod
    def restore(cls, parts: Iterable[bytes]) -> SeenSet:
        """Undo `parts`. Raises ValueError for others; takes as long as reading them."""
        key, *packed = parts
        if len(packed) != _SHARDS:
            raise ValueError(f"{len(packed)} tables of seen URLs where {_SHARDS} belong")
        restored = cls(key)
        for number, data in enumerate(packed):
            if data != _EMPTY:
                shard = restored._shards[number] = _Shard()
                restored._size += shard.unpack(data)
        return restored

    def _words_of(self, url: str) -> tuple[int, int]:
        hasher = self._keyed.copy()  # begun with its key: that takes longer than to copy it
        hasher.update(url.encode())
        low, high = _HALVES.unpack(hasher.digest())
        return low, high


class _Shard:
    """Open addressing with linear probing; a slot is two 64-bit words, the second never 0."""

    __slots__ = ("_mask", "_room", "_words")

    def __init__(self) -> None:
        self._resize(8)

    def add(self, low: int, high: int) -> bool:
        if not self._room:
            self._grow()
        slot = self._slot(low, high)
        if self._words[slot + 1]:
            return False
        self._words[slot] = low
        self._words[slot + 1] = high
        self._room -= 1
        return True

    def has(self, low: int, high: int) -> bool:
        return bool(self._words[self._slot(low, high) + 1])

    def packed(self) -> bytes:
        return _COUNT.pack(len(self._words) // 2 * 3 // 4 - self._room) + self._words.tobytes()

    def unpack(self, data: bytes) -> int:
        """Take over what was packed; return how many keys that are. ValueError for others."""
        used: int = _COUNT.unpack_from(data)[0]
        words = array("Q", data[_COUNT.size :])
        slots = len(words) // 2
        room = slots * 3 // 4 - used
        if len(words) % 2 or slots < 8 or slots & slots - 1 or room < 0:
            raise ValueError("a table of seen URLs has a wrong length")
        self._words, self._mask, self._room = words, slots - 1, room
        return used

    def _slot(self, low: int, high: int) -> int:
        """Index of the first word of the key's slot, or of the free slot where it belongs."""
        words, mask = self._words, self._mask
        slot = high >> 1 & mask  # bit 0 of `high` is always set, and `low` has chosen the shard
        while (there := words[2 * slot + 1]) and (there != high or words[2 * slot] != low):
            slot = slot + 1 & mask
        return 2 * slot

    def _grow(self) -> None:
        old = self._words
        self._resize(len(old))
        for at in range(0, len(old), 2):
            if old[at + 1]:
                self.add(old[at], old[at + 1])

    def _resize(self, slots: int) -> None:
        self._words = array("Q", bytes(16 * slots))
        self._mask = slots - 1
        self._room = slots * 3 // 4


_EMPTY = _Shard().packed()
"""What is kept of a table without a URL."""


MOST_URLS = 50_000
"""URLs that are remembered: what is found while a retry waits its minutes, at full speed."""
MOST_BYTES = 32_000_000
"""What their links may take, compressed; those of the oldest are forgotten first."""


@dataclass(frozen=True, slots=True)
class Nearer:
    """A URL that was found by a shorter path; what it had led to before, to be offered again."""

    task: FetchTask
    """With its new depth."""
    links: tuple[str, ...]
    priority: Priority
    step: int
    """How much deeper the links are: 1, or 0 for where a redirect leads."""
    budget: UrlBudget | None = None
    """What is left to the page to pay for its links with; None: they cost nothing."""

    @property
    def how(self) -> dict[str, Any]:
        """How its links are offered (`Frontier.offer`)."""
        task, leads_on = self.task, self.step == 0
        return {
            "depth": task.depth + self.step,
            "priority": self.priority,
            "hops": task.hops + 1 if leads_on else 0,
            "via": task,
            "seed": task.seed and leads_on,
            "budget": self.budget,
        }


@dataclass(slots=True)
class _Found:
    task: FetchTask
    packed: bytes = b""
    priority: Priority = Priority.ORDINARY
    step: int = 1
    budget: UrlBudget | None = None
    ended: bool = False


class Depths:
    """What is remembered of the URLs that were found last; nothing where depth is not `limited`.

    `limits.depth` speaks of the shortest path, and because of a retry a longer one may be found
    first. What was found lately is remembered with its depth, and with what it led to, in bounded
    memory: when a shorter path leads there, its links are offered again, and so on from those. A
    URL that was found long before is not: then its first depth stands.
    """

    def __init__(self, *, limited: bool = True) -> None:
        self._limited = limited
        self._found: OrderedDict[str, _Found] = OrderedDict()
        self._bytes = 0
        self._nearer: deque[_Found] = deque()
        self._lowered: dict[int, int] = {}

    def found(self, task: FetchTask) -> None:
        """A URL was accepted."""
        if not self._limited:
            return
        self._found[task.url] = _Found(task)
        while len(self._found) > MOST_URLS or self._bytes > MOST_BYTES:
            self._bytes -= len(self._found.popitem(last=False)[1].packed)

    def found_again(self, url: str, depth: int) -> None:
        """A URL that was accepted before is led to from another page."""
        found = self._found.get(url)
        if found is not None and depth < found.task.depth:
            found.task = replace(found.task, depth=depth)
            if found.ended:
                self._nearer.append(found)
                self._lowered[found.task.url_id] = depth

    def of(self, task: FetchTask) -> FetchTask:
        """Return a task with the smallest depth that is known of it: a shorter path may be."""
        found = self._found.get(task.url)
        if found is None or found.task.depth >= task.depth:
            return task
        return replace(task, depth=found.task.depth)

    def led_to(
        self,
        task: FetchTask,
        links: tuple[str, ...],
        priority: Priority,
        step: int,
        budget: UrlBudget | None = None,
    ) -> None:
        """A page's links were offered, `step` deeper than itself, in case it is found nearer."""
        found = self._found.get(task.url)
        if found is not None and links:
            self._bytes -= len(found.packed)
            found.packed = zlib.compress("\n".join(links).encode("utf-8", "surrogatepass"), 1)
            self._bytes += len(found.packed)
            found.priority, found.step, found.budget = priority, step, budget

    def ended(self, task: FetchTask) -> None:
        """A task has ended."""
        found = self._found.get(task.url)
        if found is not None:
            found.ended = True
            if found.task.depth < task.depth:
                self._lowered[task.url_id] = found.task.depth

    def take_lowered(self) -> dict[int, int]:
        """Return, once, smaller depths of URLs that have ended, by id: for the store."""
        lowered, self._lowered = self._lowered, {}
        return lowered

    @property
    def of_pending(self) -> dict[int, int]:
        """The depths of URLs that have not ended, by id, as far as they are remembered.

        For the store at the end of a run.
        """
        return {f.task.url_id: f.task.depth for f in self._found.values() if not f.ended}

    def take_nearer(self) -> Nearer | None:
        """Return, once, what has ended and was found by a shorter path since.

        Its links are to be offered again, which may bring more. None where nothing is left.
        """
        if not self._nearer:
            return None
        found = self._nearer.popleft()
        links: tuple[str, ...] = ()
        if found.packed:
            text = zlib.decompress(found.packed).decode("utf-8", "surrogatepass")
            links = tuple(text.split("\n"))
        return Nearer(found.task, links, found.priority, found.step, found.budget)


ORDINARY_LENGTH = 100
"""Characters of a URL that nobody pays for. Of 257,725 links on 779 pages (`shared/corpora`) 99 %
are no longer than 105."""
BYTES_A_BYTE = 16
"""What a page may have written for each byte that it sent, compressed as it was. Those 779 pages
ask for .22 at most, in the median for nothing."""


class UrlBudget:
    """What one page may have written for later: its long URLs in proportion to what it sent.

    A URL that is queued stands in the state file, and at its end in a line, beside the URL of the
    page that led to it. `<base>` makes two thousand characters out of every `<a href=1>`, so 24 KB
    of page once made 64 MB on disk. URLs of ordinary length cost nothing, however many a site has.

    Who pays is the page that leads there, since anybody can link to anybody. It has what it sent,
    and then what its registrable domain has left for the whole crawl: hosts and ports cost an
    attacker nothing, domains do. Where that has run out because of a neighbour, what the pages
    themselves send is still enough for links as they are found in practice.
    """

    __slots__ = ("_drawn_by", "_left", "_limit", "domain", "drawn", "refused")

    def __init__(self, host: str, sent_bytes: int, drawn_by: Counter[str], limit: int) -> None:
        """Of a page of this host key; `drawn_by` is what each domain has drawn of its `limit`."""
        self._left = BYTES_A_BYTE * sent_bytes
        self._drawn_by = drawn_by
        self._limit = limit
        self.domain = urls.registrable_domain(host)
        """The page's registrable domain."""
        self.drawn = 0
        """Bytes that this page took of what its domain had left, and that were not told."""
        self.refused = 0
        """Links that could not be paid for, and were not told."""

    def take_counts(self) -> tuple[int, int]:
        """Return, once, the bytes that were drawn and the links that were refused."""
        counts = self.drawn, self.refused
        self.drawn = self.refused = 0
        return counts

    def pay(self, cost: int) -> bool:
        """Pay for a URL; False where too little is left, then nothing is paid."""
        beyond = max(0, cost - self._left)
        if beyond and self._drawn_by[self.domain] + beyond > self._limit:
            self.refused += 1
            return False
        self._left -= cost - beyond
        if beyond:
            self.drawn += beyond
            self._drawn_by[self.domain] += beyond
        return True


def cost_of(url: str, via: FetchTask) -> int:
    """Return the bytes that a URL costs beyond one of ordinary length, found on such a page."""
    return max(0, len(url) + len(via.url) - 2 * ORDINARY_LENGTH)
