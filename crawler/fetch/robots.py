"""robots.txt by origin: fetched when asked for, cached, shared, and failing closed.

Status rules of RFC 9309 section 2.3.1: success is read, 4xx allows everything, and where the
server or the network fails (5xx, 429, no answer) nothing may be fetched, unless older rules are
held: of this run, or kept from an earlier one (section 2.4). How long an unreachable robots.txt is
waited for is the caller's to decide.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from crawler import config, urls
from crawler.fetch.flight import SingleFlight
from crawler.fetch.headers import NO_CONTENT, check_status, is_redirect
from crawler.fetch.redirects import resolve_location
from crawler.fetch.robotstxt import MAX_BYTES, RobotsRules, relevant_text
from crawler.fetch.transport import BodyReader, Exchange, Transport
from crawler.fetch.trouble import Trouble, Unwanted
from crawler.records import Failure, FetchTask, KeptRules, Postponed, RobotsAnswer

log = logging.getLogger(__name__)

TTL_S = 24 * 3600.0
"""RFC 9309 section 2.4: a cached version is not used for more than 24 hours."""
MAX_REDIRECTS = 5
"""RFC 9309 section 2.3.1.2: at least five are followed, and beyond that the file is unavailable."""
PARSED_CAPACITY = 5_000
"""Rules held parsed, one for all origins that say the same; the least recently used leave."""
_CAP_BYTES = 4 * MAX_BYTES
"""Leaves the decoder room beyond the MAX_BYTES that are read."""

_NOT_ASKED = frozenset({Failure.DNS, Failure.BLOCKED_ADDRESS})
"""Failures that come before anything is sent."""


class RulesKeeper(Protocol):
    """Where rules outlive a run."""

    def rules(self, origin: str) -> KeptRules | None:
        """Return what was kept of an origin's robots.txt."""

    def keep_rules(self, origin: str, rules: KeptRules) -> None:
        """Keep it."""


@dataclass(frozen=True, slots=True)
class _Hop:
    """Where an origin's file is to be asked for, after so many redirects."""

    url: str
    redirects: int = 0


@dataclass(frozen=True, slots=True)
class _Entry:
    packed: bytes
    """`relevant_text`, compressed."""
    crawl_delay_s: float | None
    expires_at: float


class Robots:
    """The rules of every origin the crawl has met; concurrent refreshes share one request.

    Rules stay until newer ones replace them, since the frontier goes by `expires_at` and asks
    `allowed` without refreshing first. They are kept as a few compressed lines an origin; only a
    bounded number is held parsed.
    """

    def __init__(
        self,
        transport: Transport,
        job: config.Job,
        *,
        clock: Callable[[], float],
        wall: Callable[[], float],
        keeper: RulesKeeper | None = None,
    ) -> None:
        self._transport = transport
        self._keeper = keeper
        self._agent = job.user_agent.name
        self._politeness = job.politeness
        self._clock = clock
        self._wall = wall
        self._canonicalise = urls.Canonicaliser(frozenset())
        self._entries: dict[str, _Entry] = {}
        self._hops: dict[str, _Hop] = {}
        self._parsed = lru_cache(PARSED_CAPACITY)(self._parse)
        self._flights: SingleFlight[str, RobotsAnswer] = SingleFlight()

    async def refresh(self, origin: str) -> RobotsAnswer:
        """Return the state of `origin` (`crawler.urls.origin`), fetching its rules if need be.

        Each call sends one request at most. A redirect is part of the answer (`moved_to`), since it
        may lead to another host, whose turn it has to wait for. Failures are part of the answer and
        are not cached: each call asks again.
        """
        if not self._politeness.robots:
            return RobotsAnswer(requested=False, known=True, expires_at=float("inf"))
        entry = self._entries.get(origin)
        if entry is not None and entry.expires_at > self._clock():
            return _ready(entry, requested=False)
        return await self._flights.run(origin, lambda: self._fetch(origin))

    def allowed(self, url: str) -> bool:
        """Whether the rules allow a canonical URL; the last known ones, expired or not.

        Raises KeyError for an origin whose rules `refresh` never had.
        """
        if not self._politeness.robots:
            return True
        return self._parsed(self._entries[urls.origin(url)].packed).allowed(url)

    def forbids(self, url: str) -> bool:
        """Whether rules are held and disallow the URL; for a hop within one page's fetch."""
        return urls.origin(url) in self._entries and not self.allowed(url)

    def _parse(self, packed: bytes) -> RobotsRules:
        return RobotsRules(zlib.decompress(packed).decode(), self._agent)

    async def close(self) -> None:
        """Cancel requests under way."""
        await self._flights.close()

    async def _fetch(self, origin: str) -> RobotsAnswer:
        hop = self._hops.pop(origin, None) or _Hop(f"{origin}/robots.txt")
        try:
            body = await self._retrieve(hop)
        except Trouble as trouble:
            log.debug("%s: failed, %s: %s", hop.url, trouble.failure, trouble.detail)
            return self._unreachable(origin, hop.url, trouble)
        if isinstance(body, _Hop):
            log.debug("%s: redirected to %s", hop.url, body.url)
            self._hops[origin] = body
            return RobotsAnswer(requested=True, moved_to=urls.host_key(body.url))
        text = relevant_text(body, self._agent)
        log.debug("%s: %d bytes, %d of rules for us", hop.url, len(body), len(text))
        packed = zlib.compress(text.encode())
        delay_s = self._parsed(packed).crawl_delay_s
        if delay_s is not None:
            delay_s = min(delay_s, self._politeness.max_crawl_delay_s)
        entry = _Entry(packed, delay_s, self._clock() + TTL_S)
        self._entries[origin] = entry
        if self._keeper is not None:
            self._keeper.keep_rules(origin, KeptRules(packed, self._agent, delay_s))
        return _ready(entry, requested=True)

    async def _retrieve(self, hop: _Hop) -> bytes | _Hop:
        """Return the file in force, b"" where there is none, or the next place to ask.

        Raises Trouble where none of that can be known.
        """
        async with self._transport.exchange(hop.url) as exchange:
            if not is_redirect(exchange.status, exchange.headers):
                return await self._body(exchange)
            location = exchange.headers.get("location")
        try:
            target = self._canonicalise(resolve_location(location, hop.url))
        except Trouble:
            target = None
        if target is None or hop.redirects == MAX_REDIRECTS:
            return b""
        return _Hop(target, hop.redirects + 1)

    async def _body(self, exchange: Exchange) -> bytes:
        try:
            check_status(
                exchange.status, exchange.headers, self._wall(), self._politeness.max_retry_after_s
            )
        except Trouble as trouble:
            if trouble.failure is Failure.HTTP_CLIENT_ERROR:
                return b""
            raise
        if exchange.status in NO_CONTENT:
            return b""
        try:
            return await BodyReader(exchange, _CAP_BYTES, _CAP_BYTES).at_least(MAX_BYTES + 1)
        except Unwanted as unwanted:
            raise Trouble(Failure.CONTENT_ENCODING, unwanted.detail) from unwanted

    def _unreachable(self, origin: str, url: str, trouble: Trouble) -> RobotsAnswer:
        held = self._entries.get(origin) or self._recall(origin)
        task = FetchTask(url_id=0, url=url, host=urls.host_key(url), depth=0)
        failed = trouble.failed(task, self._wall())
        if isinstance(failed, Postponed):
            return RobotsAnswer(requested=False, postponed=failed)
        return RobotsAnswer(
            requested=trouble.failure not in _NOT_ASKED,
            known=held is not None,
            crawl_delay_s=held.crawl_delay_s if held else None,
            failure=failed,
        )

    def _recall(self, origin: str) -> _Entry | None:
        """Take up the rules of an earlier run; those for another product token are none of ours."""
        kept = self._keeper.rules(origin) if self._keeper is not None else None
        if kept is None or kept.agent != self._agent:
            return None
        delay_s = kept.crawl_delay_s
        if delay_s is not None:
            delay_s = min(delay_s, self._politeness.max_crawl_delay_s)
        entry = self._entries[origin] = _Entry(kept.packed, delay_s, 0.0)
        return entry


def _ready(entry: _Entry, requested: bool) -> RobotsAnswer:
    return RobotsAnswer(
        requested, known=True, expires_at=entry.expires_at, crawl_delay_s=entry.crawl_delay_s
    )
