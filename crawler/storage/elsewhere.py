"""Where else a page is: trees of the web that show the same, and living copies of what is gone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import orjson

from crawler.frontier.learning import hash_of
from crawler.models import RESTORED_SIBLING, SIBLING, Failure, Skip, UrlState
from crawler.observe.summary import wilson
from crawler.storage.database import reading_stored_values
from crawler.storage.journal import reading_line
from crawler.storage.view import StoreView
from crawler.urls.editions import LEAST, Claim, Tree, UrlParts, parts_of, side_of, trees_of

# ------------------------------------------------------------------------------------------ mirrors
# Which trees are compared is said by the judge, who counts pages that show the same at addresses
# that differ in one place (`crawler.urls.editions`). He does not count all that differ there, so
# the degree is counted anew: over all paths at which both trees have a page, or an even sample.

PAIRS = 8
"""Paths at which both trees have a page before anything is said of them."""
MIRROR, EDITION = 0.9, 0.5
"""Share of these at which both show one page: from the first on one tree is a mirror of the other,
from the second on an edition of it."""
MOST_TREES, MOST_PATHS = 200, 20_000
"""Pairs of trees that are compared, and paths of each: of more, those with the lowest hashes."""
MOST_DECLARED = 2_000
"""Lines of stored pages, the first ones, that are read for canonical links between trees."""
MOST_DIFFER = 3
"""Examples of paths at which the trees differ."""


@dataclass(frozen=True, slots=True)
class Mirror:
    """A tree that shows page by page what another one shows, by the pages that were fetched."""

    original: str
    mirror: str
    by_canonical: bool
    """Whether canonical links say which is the original; else it is the one seen first."""
    agree: int
    against: int
    """Paths at which both have a page: the same one, or two."""
    waiting: int
    """URLs of the mirror that were not asked for."""
    differ: tuple[tuple[str, str], ...]
    """Examples of two pages at one path, that of the original first."""
    dead: tuple[tuple[str, str], ...]
    """URLs that answered 4xx, with that of the page at the same path of the other tree."""

    @property
    def degree(self) -> float:
        """The share of paths at which both show one page."""
        return self.agree / (self.agree + self.against)

    def record(self) -> dict[str, Any]:
        """Return it JSON-ready."""
        low, high = wilson(self.agree, self.agree + self.against)
        return {
            "original": self.original,
            "mirror": self.mirror,
            "kind": "mirror" if self.degree >= MIRROR else "edition",
            "degree": round(self.degree, 4),
            "degree_low": round(low, 4),
            "degree_high": round(high, 4),
            "agree": self.agree,
            "against": self.against,
            "waiting": self.waiting,
            "told_by": "canonical" if self.by_canonical else "first-seen",
            "differ": [list(pair) for pair in self.differ],
        }


class _End(NamedTuple):
    id: int
    """Of the URL: URLs are numbered as they were first seen."""
    url: str
    page: int | None
    """URL id of the page that it led to: its own, or the one it copies; None: 4xx."""


class _Pair:
    """Two trees, and what was found at the paths of both."""

    def __init__(self, one: Tree, other: Tree) -> None:
        self.trees = one, other
        self._ends: dict[int, dict[int, _End]] = {}
        self._limit = 1 << 63
        self.waiting = [0, 0]
        self.declared = [0, 0]

    def place(self, of: UrlParts) -> tuple[int, int] | None:
        """Return in which tree a URL is, and a hash of its path there; None: in neither."""
        side = side_of(self.trees, of)
        return None if side is None else (side, hash_of(self.trees[side].path(of)))

    def add(self, side: int, path: int, end: _End) -> None:
        """Note an end, if its path is in the sample: half of it goes where it grows too large."""
        if path < self._limit:
            self._ends.setdefault(path, {}).setdefault(side, end)
            while len(self._ends) > MOST_PATHS:
                self._limit >>= 1
                self._ends = {at: ends for at, ends in self._ends.items() if at < self._limit}

    def told(self) -> Mirror | None:
        """Return what was found; None where the trees have little in common."""
        both = [(ends[0], ends[1]) for ends in self._ends.values() if len(ends) > 1]
        pages = [pair for pair in both if None not in (pair[0].page, pair[1].page)]
        same = [pair for pair in pages if pair[0].page == pair[1].page]
        if len(pages) < PAIRS or len(same) < EDITION * len(pages):
            return None
        by_canonical = self.declared[0] != self.declared[1]
        seen_later = sum(one.id > other.id for one, other in same)
        is_later = seen_later > len(same) / 2
        first = int(self.declared[1] > self.declared[0] if by_canonical else is_later)
        differ = sorted((pair for pair in pages if pair[0].page != pair[1].page), key=_by_id)
        dead = [(pair, side) for pair in both for side in (0, 1) if pair[side].page is None]
        return Mirror(
            self.trees[first].name,
            self.trees[1 - first].name,
            by_canonical,
            len(same),
            len(pages) - len(same),
            self.waiting[1 - first],
            tuple((pair[first].url, pair[1 - first].url) for pair in differ[:MOST_DIFFER]),
            tuple(
                (pair[side].url, pair[1 - side].url)
                for pair, side in sorted(dead, key=lambda one: _by_id(one[0]))
                if pair[1 - side].page is not None
            ),
        )


def _by_id(pair: tuple[_End, _End]) -> int:
    return min(pair[0].id, pair[1].id)


def mirrors(view: StoreView) -> list[Mirror]:
    """Return the trees of a crawl that show the same, what matters most first.

    Hosts come before folders of one host: years of a calendar are many, and who drops a host drops
    a site. Of either those with most pages come first, asked for or not.

    Nothing but one look at what the judge counted, where he met no two such trees; else one pass
    over the URLs of their hosts, some 10 µs each. Trees of more than two hosts are pairs of two.
    """
    earned = sorted((one for one in view.editions() if one.agree >= LEAST), key=lambda one: -one[3])
    found = (trees_of(Claim(*one[:3])) for one in earned)
    pairs = [_Pair(*trees) for trees in islice(filter(None, found), MOST_TREES)]
    by_host: dict[str, list[_Pair]] = defaultdict(list)
    for pair in pairs:
        for host in {tree.host for tree in pair.trees}:
            by_host[host].append(pair)
    if not pairs:
        return []
    with reading_stored_values(view.directory):
        for end, state in _ends(view, list(by_host)):
            of = parts_of(end.url)
            for pair in by_host[of.host]:
                if (place := pair.place(of)) is None:
                    continue
                if state is UrlState.PENDING:
                    pair.waiting[place[0]] += 1
                else:
                    pair.add(*place, end)
    # Canonical links from one tree to the same path of the other count for that.
    for line in islice(view.lines("pages"), MOST_DECLARED):
        if b'"canonical_url":"' not in line.data:
            continue
        with reading_line(line.place):
            record = orjson.loads(line.data)
        of, canonical = parts_of(record["url"]), parts_of(record.get("canonical_url") or "")
        for pair in by_host.get(of.host, ()):
            here, there = pair.place(of), pair.place(canonical)
            if here and there and here[0] != there[0] and here[1] == there[1]:
                pair.declared[there[0]] += 1
    told = filter(None, (pair.told() for pair in pairs))
    return sorted(told, key=by_weight)


def by_weight(one: Mirror) -> tuple[bool, int, str, str]:
    """Return what the order of `mirrors` is by."""
    of_one_host = one.original.partition("/")[0] == one.mirror.partition("/")[0]
    return of_one_host, -(one.agree + one.waiting), one.original, one.mirror


_ENDS = """
SELECT u.id, u.url, u.state, u.detail, d.url_id FROM hosts AS h
JOIN urls AS u ON u.host_id = h.id LEFT JOIN documents AS d ON d.id = u.duplicate_of
WHERE h.name IN ({hosts}) AND u.state IN ({states}) ORDER BY u.id
"""


def _ends(view: StoreView, hosts: Sequence[str]) -> Iterator[tuple[_End, UrlState]]:
    """Yield the URLs of hosts that have a page here, are gone or wait, in order of id."""
    states = UrlState.PENDING, UrlState.STORED, UrlState.DUPLICATE, UrlState.FAILED
    query = _ENDS.format(
        hosts=", ".join("?" * len(hosts)), states=", ".join(str(int(state)) for state in states)
    )
    for id_, url, number, detail, like in view.database.stream(query, hosts):
        state, is_sibling = UrlState(number), detail in (SIBLING, RESTORED_SIBLING)
        page = id_ if is_sibling or (like is None and state is UrlState.STORED) else like
        if page is not None or state is UrlState.PENDING or detail == Failure.HTTP_CLIENT_ERROR:
            yield _End(id_, url, page), state


# ------------------------------------------------------------------------------------ living copies


def living_copies(view: StoreView, found: Sequence[Mirror]) -> Iterator[tuple[str, str]]:
    """Yield each URL whose page is gone and a copy of it that is there, both by this crawl.

    Of a recrawl first what was gone (`copies_of_gone`), then what answered 4xx in a tree that is
    `found` to show the same as another one.
    """
    gone = copies_of_gone(view)
    yield from gone.items()
    told = set(gone)
    for mirror in found:
        for url, copy in mirror.dead:
            if url not in told:
                told.add(url)
                yield url, copy


def copies_of_gone(view: StoreView) -> dict[str, str]:
    """Return for each page that a recrawl found gone the first copy that it found there, by URL.

    Pages without one are left out. Copies are those that an earlier crawl dropped; one is there
    where it is stored here, a duplicate, or unchanged.
    """
    if not view.totals.revisit.get("gone"):
        return {}
    copies: dict[str, list[str]] = {}
    for kind in ("failures", "redirects"):
        for line in view.lines(kind):
            with reading_line(line.place):
                record = orjson.loads(line.data)
            visit = record.get("revisit") or {}
            if visit.get("copies"):
                copies[record["url"]] = visit["copies"]
    wanted = {url for urls in copies.values() for url in urls}
    with reading_stored_values(view.directory):
        there = {url for (url,) in view.database.stream(_THERE, _IS_THERE) if url in wanted}
    living = ((url, next(filter(there.__contains__, of), None)) for url, of in copies.items())
    return {url: copy for url, copy in living if copy is not None}


_THERE = "SELECT url FROM urls WHERE state IN (?, ?) OR (state = ? AND detail = ?)"
_IS_THERE = (
    int(UrlState.STORED),
    int(UrlState.DUPLICATE),
    int(UrlState.SKIPPED),
    Skip.UNCHANGED.value,
)
