"""A generated web for `benchmarks.scale`: pages as analysis processes hand them over, made cheaply.

Nothing is parsed or signed: a page's shingles are drawn at random, a fifth of them from those of
its host's template, so that pages of one host crowd the indexes as real ones do. Of 100 pages 8 are
byte for byte a page that is stored already, 2 have its text in other bytes, 5 its text beside other
things, 5 its text with a few words changed. A page links to the ten pages that all pages of its
host link to (one of them at an address that every host has), to nine that nobody led to before
(four on hosts drawn by a power law), and to 21 that were found lately.
"""

from __future__ import annotations

import random
from array import array
from collections import deque
from dataclasses import dataclass, replace
from enum import Enum
from hashlib import blake2b
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from crawler.dedup import kernels
from crawler.dedup.copies import Appearance, pack
from crawler.dedup.signing import WORD3
from crawler.models import (
    BESIDE_LINE,
    TEXT_LINE,
    Document,
    Fetched,
    FetchTask,
    JudgedOn,
    PayloadKey,
    Signature,
)

SHINGLES, OF_TEMPLATE = 640, 128
"""Of a page, and how many of these its host's template brings: the mean of the crawled corpora."""
WORDS_A_LINE, LINES = 12, 45
OWN, CROSS, NAVIGATION, RECENT = 5, 4, 10, 21
"""Links of a page."""
CHANGED = 12
"""Shingles of a page with a few words changed: a similarity of .96."""
SKEW = 0.9
"""Of the power law that hosts of links are drawn by."""
BODY = bytes(12_000)
FETCHED_AT = 1_700_000_000.0

_VOCABULARY = [
    "".join(random.Random(n).choices("abcdefghijklmnopqrstuvwxyz", k=3 + n % 7))
    for n in range(2000)
]
Hashes = npt.NDArray[np.uint32]


class Kind(Enum):
    """What a page is beside those before it."""

    NEW = "new"
    SAME_BYTES = "same bytes"
    SAME_TEXT = "same text"
    SAME_BUT_BESIDE = "same but beside"
    FEW_WORDS = "few words"


SHARES = {
    Kind.NEW: 80,
    Kind.SAME_BYTES: 8,
    Kind.SAME_TEXT: 2,
    Kind.SAME_BUT_BESIDE: 5,
    Kind.FEW_WORDS: 5,
}
"""How many of 100 pages are such."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page, fetched and read."""

    key: PayloadKey
    fetched: Fetched
    document: Document


class Web:
    """Endless pages on so many hosts; what is asked for decides, with `seed`, what it is."""

    def __init__(self, hosts: int, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._names = hosts
        self._weights = list(accumulate((rank + 1) ** -SKEW for rank in range(hosts)))
        self._contents = array("I")
        """Host of each content so far."""
        self._recent: deque[str] = deque(maxlen=10_000)
        self._pool = np.random.default_rng(seed).integers(0, 1 << 32, 50_000, np.uint32)
        self._prose = [
            " ".join(self._random.choices(_VOCABULARY, k=WORDS_A_LINE)) for _ in range(5_000)
        ]
        self._fresh = 0

    def seeds(self) -> list[str]:
        """Return a first URL of each host, by its number."""
        return [f"https://{self._host(number)}/" for number in range(self._names)]

    def go_on(self, pages: int, fresh: int) -> None:
        """Go on where a web was that had so many pages; no fresh URL has a lower number."""
        self._contents.extend(number % self._names for number in range(pages))
        self._fresh = 10 * fresh

    def answer(self, task: FetchTask) -> Page:
        """Return what a task brings."""
        links = self._links(task)
        key, document = self.next(host_number(task.host))
        document = replace(document, links=links)
        fetched = Fetched(
            *(task, task.url, 200, "text/html", "utf-8", {}, BODY, len(BODY) // 4, FETCHED_AT, 0.1)
        )
        return Page(key, fetched, document)

    def _kind(self) -> Kind:
        return self._random.choices(list(SHARES), list(SHARES.values()))[0]

    def _host(self, number: int) -> str:
        return f"www.h{number}.test"

    def _links(self, task: FetchTask) -> tuple[str, ...]:
        number, home = host_number(task.host), f"https://{task.host}"
        fresh = [url for _, url in self.fresh(number)]
        recent = self._random.sample(self._recent, min(RECENT, len(self._recent)))
        self._recent.extend(fresh)
        navigation = (f"{home}/topic-{number}/{n}.html" for n in range(NAVIGATION - 1))
        return (f"{home}/about/us.html", *navigation, *fresh, *recent)

    def fresh(self, number: int) -> list[tuple[str, str]]:
        """Return (host key, URL) of links of a host's page that nobody led to before."""
        drawn = self._random.choices(range(self._names), cum_weights=self._weights, k=CROSS)
        found = []
        for host in map(self._host, (*[number] * OWN, *drawn)):
            self._fresh += 1
            words = _VOCABULARY[self._fresh % 2000], _VOCABULARY[self._fresh // 2000 % 2000]
            path = f"section-{self._fresh % 7}/{'-'.join(words)}-{self._fresh:x}.html"
            found.append((host, f"https://{host}/{path}"))
        return found

    def next(self, number: int) -> tuple[PayloadKey, Document]:
        """Return the next page of a host, new or not, without links."""
        kind = self._kind() if self._contents else Kind.NEW
        if kind is Kind.NEW:
            return self.new(number)
        content = self._random.randrange(len(self._contents))
        salt = 0 if kind is Kind.SAME_BYTES else 1 + self._fresh
        key = PayloadKey(_digest(b"payload", content, salt), "text/html")
        return key, self._document(kind, content, salt, ())

    def stored(self, content: int) -> tuple[PayloadKey, Document]:
        """Return a page that was new, by its number from 0."""
        key = PayloadKey(_digest(b"payload", content, 0), "text/html")
        return key, self._document(Kind.NEW, content, 0, ())

    def new(self, number: int) -> tuple[PayloadKey, Document]:
        """Return a page of a host that is like no other, without links."""
        self._contents.append(number)
        return self.stored(len(self._contents) - 1)

    def _document(self, kind: Kind, content: int, salt: int, links: tuple[str, ...]) -> Document:
        host = self._contents[content]
        hashes, fingerprint = self._shingles(host, content), _fingerprint(host, content)
        lines = [f"The page of number {content} on host {host}", *self._lines(content)]
        beside: tuple[str, ...] = ()
        if kind is Kind.FEW_WORDS:
            hashes = hashes.copy()
            hashes[salt % OF_TEMPLATE : salt % OF_TEMPLATE + CHANGED] ^= salt & 0xFFFF
            hashes.sort()
            fingerprint ^= 1 << salt % 64
            lines[1 + salt % LINES] = f"in this line only word {salt} was changed"
        elif kind is Kind.SAME_BUT_BESIDE:
            beside = (f"{salt} visitors",)
        title, order = f"Page {content}", TEXT_LINE.upper() * len(lines) + BESIDE_LINE * len(beside)
        signature = Signature(
            text_digest=_digest(b"text", content, salt if kind is Kind.FEW_WORDS else 0),
            visible_digest=_digest(b"visible", content, 0 if kind is Kind.SAME_TEXT else salt),
            fingerprint=fingerprint,
            tokens=WORDS_A_LINE * LINES,
            shingle_kind=WORD3,
            shingles=hashes,
            sketch=kernels.make_sketch(hashes),
            marks=((hashes & 255).astype(np.uint8),),
        )
        return Document(
            title=title,
            text="\n".join(lines),
            judged_on=JudgedOn.VISIBLE,
            charset="UTF-8",
            links=links,
            canonical_url=None,
            refresh=None,
            noindex=False,
            nofollow=False,
            signature=signature,
            stage_s={"parse": 0.001, "extract": 0.002, "fingerprint": 0.0005},
            layout=_digest(b"layout", host, 0),
            appearance=pack(
                Appearance(title, title, text=tuple(lines), beside=beside, order=order)
            ),
        )

    def _shingles(self, host: int, content: int) -> Hashes:
        """Return the sorted hashes of a page; which they are follows from its number."""
        template = self._pool[host % 1000 : host % 1000 + OF_TEMPLATE] ^ np.uint32(host)
        start = content % (len(self._pool) - SHINGLES)
        own = self._pool[start : start + SHINGLES - OF_TEMPLATE] * np.uint32(2 * content + 1)
        hashes = np.concatenate([template, own])
        hashes.sort()
        return hashes

    def _lines(self, content: int) -> list[str]:
        start = content % (len(self._prose) - LINES)
        return self._prose[start : start + LINES]


def host_number(host: str) -> int:
    """Return the number of a host of the web."""
    return int(host.split(".")[1][1:])


def _digest(what: bytes, content: int, salt: int) -> bytes:
    return blake2b(b"%s %d %d" % (what, content, salt), digest_size=32).digest()


def _fingerprint(host: int, content: int) -> int:
    """Return a host's own bits, a third of them changed."""
    base = random.Random(host).getrandbits(64)
    draw = random.Random(content)
    return base ^ (draw.getrandbits(64) & draw.getrandbits(64))
