"""What the robots.txt of each origin says, as far as it is known: little of it in memory at once.

How long it stands and its Crawl-delay are held for every origin. The rules themselves are held as
far as they fit into a bound in bytes, and beyond that taken from the keeper again.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from crawler import urls
from crawler.fetch.bounded import BoundedCache
from crawler.fetch.robots.rules import RobotsRules
from crawler.records import KeptRules

PARSED_BYTES = 32 * 1024 * 1024
"""Rules held ready, one for all origins that say the same: some 20,000 usual ones, or seven of the
largest."""
PACKED_BYTES = 32 * 1024 * 1024
"""Rules held compressed, by origin: of some 50,000 usual ones, or of 400 of the largest."""
SITEMAPS_BYTES = 16 * 1024 * 1024
"""Sitemaps that files name, until the first page of their site comes, which never may: of 10,000
usual sites, or of a dozen files full of long names."""
_ENTRY_BYTES = 300
"""What an entry takes beyond its rules."""


class RulesKeeper(Protocol):
    """Where rules outlive a run, and what does not fit into memory."""

    def rules(self, origin: str) -> KeptRules | None:
        """Return what was kept of an origin's robots.txt."""

    def keep_rules(self, origin: str, rules: KeptRules) -> None:
        """Keep it."""


class _Forgetful:
    """A keeper for a few origins: in memory, and not for longer than this process lasts."""

    def __init__(self) -> None:
        self._kept: dict[str, KeptRules] = {}

    def rules(self, origin: str) -> KeptRules | None:
        """See RulesKeeper."""
        return self._kept.get(origin)

    def keep_rules(self, origin: str, rules: KeptRules) -> None:
        """See RulesKeeper."""
        self._kept[origin] = rules


@dataclass(frozen=True, slots=True)
class Found:
    """What a file says, or that there is none."""

    packed: bytes
    """`RobotsFile.rules`, compressed."""
    crawl_delay_s: float | None
    until: float
    """For how long it stands."""
    sitemaps: tuple[str, ...] = ()
    """The sitemaps that it names, canonical."""


@dataclass(frozen=True, slots=True)
class Standing:
    """For how long an origin's rules stand."""

    crawl_delay_s: float | None
    expires_at: float


class KnownRules:
    """The rules that stand, or did: they stay until newer ones replace them."""

    def __init__(
        self,
        keeper: RulesKeeper | None,
        agent_of: Callable[[str], str],
        max_crawl_delay_s: float,
        clock: Callable[[], float],
    ) -> None:
        """Begin with what the keeper has, asked for one by one.

        `agent_of` gives the product token that a host key knows us by.
        """
        self._keeper = keeper or _Forgetful()
        self._agent_of = agent_of
        self._max_crawl_delay_s = max_crawl_delay_s
        self._clock = clock
        self._standing: dict[str, Standing] = {}
        self._sitemaps: BoundedCache[str, tuple[str, ...]] = BoundedCache(
            SITEMAPS_BYTES, lambda named: sum(map(len, named)) + _ENTRY_BYTES * len(named)
        )
        """Those that nobody has asked for."""
        self._packed: BoundedCache[str, bytes] = BoundedCache(
            PACKED_BYTES, lambda packed: len(packed) + _ENTRY_BYTES
        )
        self._parsed: BoundedCache[bytes, RobotsRules] = BoundedCache(
            PARSED_BYTES, lambda rules: rules.bytes
        )

    def of(self, origin: str) -> Standing | None:
        """Return for how long an origin's rules stand or stood, if they were ever known."""
        return self._standing.get(origin)

    def stand(self, origin: str) -> bool:
        """Whether an origin's rules are known and need not be read again."""
        standing = self._standing.get(origin)
        return standing is not None and standing.expires_at > self._clock()

    def allow(self, url: str) -> bool:
        """Whether the last known rules allow a canonical URL. KeyError where none were known."""
        packed = self._rules_of(urls.origin(url))
        rules = self._parsed.get(packed)
        if rules is None:
            rules = RobotsRules(zlib.decompress(packed).decode())
            self._parsed.put(packed, rules)
        return rules.allowed(url)

    def found(self, origin: str) -> Found:
        """Return what was found for an origin. KeyError where nothing was."""
        standing = self._standing[origin]
        return Found(self._rules_of(origin), standing.crawl_delay_s, standing.expires_at)

    def keep(self, origin: str, found: Found) -> None:
        """From now on this is what an origin's robots.txt says."""
        delay_s = found.crawl_delay_s
        if delay_s is not None:
            delay_s = min(delay_s, self._max_crawl_delay_s)
        self._standing[origin] = Standing(delay_s, found.until)
        if found.sitemaps:
            self._sitemaps.put(origin, found.sitemaps)
        self._packed.put(origin, found.packed)
        agent = self._agent_of(urls.host_key(origin))
        self._keeper.keep_rules(origin, KeptRules(found.packed, agent, found.crawl_delay_s))

    def take_sitemaps(self, origin: str) -> tuple[str, ...]:
        """Return, once, the sitemaps that an origin's file names, if it was read lately."""
        named = self._sitemaps.get(origin) or ()
        self._sitemaps.discard(origin)
        return named

    def recall(self, origin: str) -> KeptRules | None:
        """Return what an earlier run kept; what was kept for another product token is not ours."""
        kept = self._keeper.rules(origin)
        agent = self._agent_of(urls.host_key(origin))
        return kept if kept is not None and kept.agent == agent else None

    def _rules_of(self, origin: str) -> bytes:
        if origin not in self._standing:
            raise KeyError(origin)
        packed = self._packed.get(origin)
        if packed is None:
            kept = self._keeper.rules(origin)
            assert kept is not None  # what stands was kept, and is never removed
            packed = kept.packed
            self._packed.put(origin, packed)
        return packed
