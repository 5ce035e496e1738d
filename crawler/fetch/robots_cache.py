"""robots.txt of all origins: fetched when asked for, cached, shared, and failing closed.

Status rules of RFC 9309 section 2.3.1: success is read, 4xx allows everything, and where the
server or the network fails (5xx, 429, no answer) nothing may be fetched, unless older rules are
held: of this run, or kept from an earlier one (section 2.4). How long an unreachable robots.txt is
waited for is the caller's to decide.
"""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from crawler import config, urls
from crawler.fetch.addresses import SingleFlight
from crawler.fetch.exchange import Exchanges
from crawler.fetch.response import (
    NO_CONTENT,
    BodyReader,
    check_status,
    is_redirect,
    resolve_location,
)
from crawler.fetch.robots import MAX_BYTES, OLD_FORM, STEP_BYTES, RobotsFile, RobotsRules
from crawler.fetch.trouble import Trouble, Unwanted
from crawler.frontier.scope import HostOverrides
from crawler.models import Failure, FetchTask, KeptRules, Obstacle, Postponed, RobotsAnswer
from crawler.models.enums import SitemapUse

log = logging.getLogger(__name__)


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Holds what was used last, as much as fits into `limit` bytes; `size` tells a value's.

    A single value may be larger than the limit: then nothing is held beside it.
    """

    def __init__(self, limit: int, size: Callable[[V], int]) -> None:
        self._limit = limit
        self._size = size
        self._held: OrderedDict[K, V] = OrderedDict()
        self.bytes = 0
        """What is held together."""

    def get(self, key: K) -> V | None:
        """Return what is held, which counts as use."""
        if key not in self._held:
            return None
        self._held.move_to_end(key)
        return self._held[key]

    def put(self, key: K, value: V) -> None:
        """Hold a value, in place of an older one, and let go of those that were not used lately."""
        self.discard(key)
        self._held[key] = value
        self.bytes += self._size(value)
        while self.bytes > self._limit and len(self._held) > 1:
            self.discard(next(iter(self._held)))

    def discard(self, key: K) -> None:
        """Let go of a value, if it is held."""
        if (value := self._held.pop(key, None)) is not None:
            self.bytes -= self._size(value)


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


TTL_S = 24 * 3600.0
"""RFC 9309 section 2.4: a cached version is not used for more than 24 hours."""
FAILURE_TTL_S = 60.0
"""For how long a place that failed counts as failing for all whose robots.txt redirects to it."""
SHARED_BYTES = 4 * 1024 * 1024
"""What places answered that a robots.txt redirects to."""
_CAP_BYTES = 4 * MAX_BYTES
"""Leaves the decoder room beyond the MAX_BYTES that are read."""
_PACKED_AT_ONCE = 64 * 1024
"""Characters; a millisecond's work."""
_NO_RULES = zlib.compress(b"")
_NOT_ASKED = frozenset({Failure.DNS, Failure.BLOCKED_ADDRESS})
"""Failures that come before anything is sent."""


MAX_REDIRECTS = 5
"""RFC 9309 section 2.3.1.2: at least five are followed, and beyond that the file is unavailable."""


@dataclass(frozen=True, slots=True)
class Hop:
    """A place where the file is to be asked for, after so many redirects."""

    url: str
    redirects: int = 0
    free: bool = True
    """Whether its host's rules need not be asked."""

    def to(self, target: str | None) -> Hop | None:
        """Return the next place, None where there is none (an invalid target) or one too many."""
        if target is None or self.redirects == MAX_REDIRECTS:
            return None
        within = self.free and urls.host_key(target) == urls.host_key(self.url)
        return Hop(target, self.redirects + 1, within or is_file(target))


@dataclass(frozen=True, slots=True)
class Way:
    """The search for one origin's file.

    RFC 9309 2.3.1.2 has at least five redirects followed, "even across authorities". Where that
    leads to another host, its operator has a say: a redirect is followed freely to a file that is
    called `/robots.txt`, and from there within its host; to any other place only if the rules of
    that place's own origin allow it. They are asked for first, if need be, in the same way and
    freely only: whose rules lie elsewhere themselves is left alone.
    """

    hop: Hop
    """Where the file is to be asked for."""
    probe: Hop | None = None
    """Where before that the rules are asked for which that place's own origin has."""

    @property
    def next(self) -> Hop:
        """What is asked for next."""
        return self.probe or self.hop

    @property
    def led(self) -> bool:
        """Whether a redirect led there: it is not where the origin's own file ought to be."""
        return self.probe is not None or self.hop.redirects > 0


def file_of(origin: str) -> str:
    """Return the URL of an origin's robots.txt."""
    return f"{origin}/robots.txt"


def is_file(url: str) -> bool:
    """Whether a canonical URL is that of a robots.txt."""
    return url == file_of(urls.origin(url))


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
class Moved:
    """A redirect; `target` is None where it leads nowhere."""

    target: str | None


Said = Found | Moved | Trouble


@dataclass(frozen=True, slots=True)
class _Standing:
    """For how long an origin's rules stand: held for every origin."""

    crawl_delay_s: float | None
    expires_at: float


class Robots:
    """The rules of every origin the crawl has met; concurrent refreshes share one request.

    Rules stay until newer ones replace them, since the frontier goes by `expires_at` and asks
    `allowed` without refreshing first. What is held of them in memory is bounded in bytes: beyond
    that they are taken from the `keeper` again.
    """

    def __init__(
        self,
        exchanges: Exchanges,
        job: config.Job,
        *,
        clock: Callable[[], float],
        wall: Callable[[], float],
        keeper: RulesKeeper,
    ) -> None:
        self._exchanges = exchanges
        self._clock = clock
        self._wall = wall
        self._keeper = keeper
        self._politeness = job.politeness
        self._wants_sitemaps = job.sitemaps.use is not SitemapUse.NONE
        self._canonicalise = urls.Canonicaliser(frozenset())
        self._agent_of = HostOverrides(job).agent
        self._standing: dict[str, _Standing] = {}
        self._packed: BoundedCache[str, bytes] = BoundedCache(
            PACKED_BYTES, lambda packed: len(packed) + _ENTRY_BYTES
        )
        self._parsed: BoundedCache[bytes, RobotsRules] = BoundedCache(
            PARSED_BYTES, lambda rules: rules.bytes
        )
        self._sitemaps: BoundedCache[str, tuple[str, ...]] = BoundedCache(
            SITEMAPS_BYTES, lambda named: sum(map(len, named)) + _ENTRY_BYTES * len(named)
        )
        """Those that nobody has asked for."""
        self._shared: BoundedCache[str, tuple[Said, float]] = BoundedCache(
            SHARED_BYTES,
            lambda it: (
                2 * urls.MAX_URL_LENGTH + (len(it[0].packed) if isinstance(it[0], Found) else 0)
            ),
        )
        """What a place said, and until when it holds for others that are led there."""
        self._is_ours: Callable[[str], bool] = lambda host: True
        self._ways: dict[str, Way] = {}
        self._flights: SingleFlight[str, RobotsAnswer] = SingleFlight()
        self._reading = asyncio.Lock()
        """Held while a large file is read: one at a time."""

    def ask_only(self, is_ours: Callable[[str], bool]) -> None:
        """Ask these hosts alone: what others say, to which a redirect leads, is to be `told`."""
        self._is_ours = is_ours

    async def look(self, url: str) -> tuple[Said, bool]:
        """Return what a place of a host of ours says, and whether a request was sent for that.

        For who may not ask that host: `until` is in seconds from now, as `told` takes it.
        """
        place, said = Hop(url), self._said_by(Hop(url), "")
        if requested := said is None:
            said = await self._ask(place.url)
            self._share(place.url, said, "")
        if isinstance(said, Found):
            said = replace(said, until=said.until - self._clock(), sitemaps=())
        return said, requested

    def told(self, url: str, said: Said) -> None:
        """Somebody else has had a `look` at a place to which a redirect has led."""
        if isinstance(said, Found):
            said = replace(said, until=said.until + self._clock())
        self._share(url, said, "")

    async def refresh(self, origin: str) -> RobotsAnswer:
        """Return the state of `origin` (`crawler.urls.origin`), fetching its rules if need be.

        Each call sends one request at most. A redirect to another host is part of the answer
        (`moved_to`), since that host's turn has to be waited for. Failures are part of the answer,
        and each call asks the origin again; only a place to which others are redirected too is not
        asked again within FAILURE_TTL_S.
        """
        if not self._politeness.robots:
            return RobotsAnswer(requested=False, known=True, expires_at=float("inf"))
        if self._stand(origin):
            return self._ready(origin, requested=False)
        return await self._flights.run(origin, lambda: self._search(origin))

    def allowed(self, url: str) -> bool:
        """Whether the rules allow a canonical URL; the last known ones, expired or not.

        Raises KeyError for an origin whose rules `refresh` never had.
        """
        if not self._politeness.robots:
            return True
        packed = self._rules_of(urls.origin(url))
        rules = self._parsed.get(packed)
        if rules is None:
            rules = RobotsRules(zlib.decompress(packed).decode())
            self._parsed.put(packed, rules)
        return rules.allowed(url)

    def forbids(self, url: str) -> bool:
        """Whether rules are held and disallow the URL; for a hop within one page's fetch."""
        return urls.origin(url) in self._standing and not self.allowed(url)

    def sitemaps(self, origin: str) -> tuple[str, ...]:
        """Return, once, the sitemaps that an origin's file names, where the job reads sitemaps."""
        named = self._sitemaps.get(origin) or ()
        self._sitemaps.discard(origin)
        return named

    async def close(self) -> None:
        """Cancel requests under way."""
        await self._flights.close()

    def _stand(self, origin: str) -> bool:
        """Whether an origin's rules are known and need not be read again."""
        standing = self._standing.get(origin)
        return standing is not None and standing.expires_at > self._clock()

    def _ready(self, origin: str, *, requested: bool) -> RobotsAnswer:
        standing = self._standing[origin]
        expires_at, delay_s = standing.expires_at, standing.crawl_delay_s
        return RobotsAnswer(requested, known=True, expires_at=expires_at, crawl_delay_s=delay_s)

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

    def _keep(self, origin: str, found: Found) -> None:
        """From now on this is what an origin's robots.txt says."""
        delay_s = found.crawl_delay_s
        if delay_s is not None:
            delay_s = min(delay_s, self._politeness.max_crawl_delay_s)
        self._standing[origin] = _Standing(delay_s, found.until)
        if found.sitemaps:
            self._sitemaps.put(origin, found.sitemaps)
        self._packed.put(origin, found.packed)
        agent = self._agent_of(urls.host_key(origin))
        self._keeper.keep_rules(origin, KeptRules(found.packed, agent, found.crawl_delay_s))

    async def _search(self, origin: str) -> RobotsAnswer:
        """Go on with the search for an origin's file, up to the next request at another host."""
        way = self._ways.pop(origin, None) or Way(Hop(file_of(origin)))
        asked, requested = urls.host_key(way.next.url), False
        while True:
            place = way.next
            said = self._said_by(place, origin) if way.led else None
            if said is None:
                host = urls.host_key(place.url)
                if requested or host != asked or not self._is_ours(host):
                    self._ways[origin] = way
                    there = self._standing.get(urls.origin(place.url))
                    delay_s = there.crawl_delay_s if there else None
                    return RobotsAnswer(
                        requested,
                        moved_to=host,
                        moved_to_url=place.url,
                        moved_to_delay_s=delay_s,
                    )
                requested = True
                said = await self._ask(place.url)
                if way.led:
                    self._share(place.url, said, origin)
            if isinstance(said, Trouble):
                return await self._unreachable(origin, place.url, said, requested=requested)
            onward = None
            if isinstance(said, Moved):
                log.debug("%s: redirected to %s", place.url, said.target)
                onward, said = place.to(said.target), self._no_file()
            step: Way | Found = said
            if way.probe is None:
                step = said if onward is None else self._with_leave(onward)
            elif onward is None:  # these are the rules that were asked for first
                self._keep(urls.origin(way.hop.url), said)
                step = self._with_leave(way.hop)
            elif onward.free:
                step = Way(way.hop, onward)
            if isinstance(step, Found):
                self._keep(origin, step)
                return self._ready(origin, requested=requested)
            way = step

    def _with_leave(self, hop: Hop) -> Way | Found:
        """Return the way to a place that may be asked, or first to its rules, if those are unknown.

        A place that its own rules forbid is no place for a robots.txt: there is none.
        """
        there = urls.origin(hop.url)
        if not hop.free and not self._stand(there):
            return Way(hop, probe=Hop(file_of(there)))
        if hop.free or self.allowed(hop.url):
            return Way(hop)
        log.debug("%s: no robots.txt, since its own rules forbid it", hop.url)
        return self._no_file()

    def _no_file(self) -> Found:
        """Return what is found where there is no file: everything is allowed."""
        return Found(_NO_RULES, None, self._clock() + TTL_S)

    def _said_by(self, place: Hop, origin: str) -> Said | None:
        """Return what is known of a place that the search for an origin's file was led to."""
        there = urls.origin(place.url)
        if is_file(place.url) and self._stand(there):
            standing = self._standing[there]
            return Found(self._rules_of(there), standing.crawl_delay_s, standing.expires_at)
        if _is_abroad(place.url, origin) and (shared := self._shared.get(place.url)) is not None:
            said, until = shared
            return said if until > self._clock() else None
        return None

    def _share(self, url: str, said: Said, origin: str) -> None:
        """Keep what a place said for others who are led there; trouble of our own says nothing."""
        failed = isinstance(said, Trouble)
        if is_file(url) and isinstance(said, Found):
            self._keep(urls.origin(url), said)
        elif _is_abroad(url, origin) and not (
            isinstance(said, Trouble) and isinstance(said.failure, Obstacle)
        ):
            until = self._clock() + (FAILURE_TTL_S if failed else TTL_S)
            self._shared.put(url, (said, until))

    async def _ask(self, url: str) -> Said:
        """Send one request; return the file in force, a redirect, or what went wrong."""
        try:
            async with self._exchanges.open(url) as response:
                status, headers = response.status, response.headers
                if is_redirect(status, headers):
                    try:
                        target = resolve_location(headers.first("location"), url)
                    except Trouble:
                        return Moved(None)
                    return Moved(self._canonicalise(target))
                body = b""
                try:
                    limit_s = self._politeness.max_retry_after_s
                    check_status(status, headers, self._wall(), limit_s)
                    if status not in NO_CONTENT:
                        reader = BodyReader(response, _CAP_BYTES, _CAP_BYTES)
                        body = await reader.at_least(MAX_BYTES + 1)
                except Unwanted as unwanted:
                    raise Trouble(Failure.CONTENT_ENCODING, unwanted.detail) from unwanted
                except Trouble as trouble:
                    if trouble.failure is not Failure.HTTP_CLIENT_ERROR:
                        raise
        except Trouble as trouble:
            log.debug("%s: failed, %s: %s", url, trouble.failure, trouble.detail)
            return trouble
        log.debug("%s: %d bytes", url, len(body))
        return await self._read(body, url)

    async def _read(self, body: bytes, url: str) -> Found:
        """Read the file of a URL for the token that its host knows us by.

        The event loop goes on between the steps of a large one.
        """
        agent = self._agent_of(urls.host_key(url))
        file, until = RobotsFile(body, agent), self._clock() + TTL_S
        if len(body) <= STEP_BYTES:
            packed = zlib.compress(file.all().rules.encode())
        else:
            async with self._reading:
                for _ in file.steps():
                    await asyncio.sleep(0)
                # Fast, since a large one may be an attack.
                text, packer, packed = file.rules, zlib.compressobj(level=1), b""
                for at in range(0, len(text), _PACKED_AT_ONCE):
                    packed += packer.compress(text[at : at + _PACKED_AT_ONCE].encode())
                    await asyncio.sleep(0)
                packed += packer.flush()
        # Unasked, what a file names would stay in memory.
        named = file.sitemaps if self._wants_sitemaps else ()
        found = filter(None, (self._canonicalise(written, url) for written in named))
        return Found(packed, file.crawl_delay_s, until, tuple(dict.fromkeys(found)))

    async def _unreachable(
        self, origin: str, url: str, trouble: Trouble, *, requested: bool
    ) -> RobotsAnswer:
        """Return the answer for a file that cannot be read: older rules stand, if there are any.

        What an earlier run kept for another product token is not ours.
        """
        kept = self._keeper.rules(origin) if origin not in self._standing else None
        if kept is not None and kept.agent == self._agent_of(urls.host_key(origin)):
            packed, text = kept.packed, zlib.decompress(kept.packed)
            if text.startswith(OLD_FORM):
                packed = (await self._read(text, origin)).packed
            self._keep(origin, Found(packed, kept.crawl_delay_s, 0.0))
        held = self._standing.get(origin)
        task = FetchTask(url_id=0, url=url, host=urls.host_key(url), depth=0)
        failed = trouble.failed(task, self._wall())
        if isinstance(failed, Postponed):
            return RobotsAnswer(requested=False, postponed=failed)
        return RobotsAnswer(
            requested=requested and trouble.failure not in _NOT_ASKED,
            known=held is not None,
            crawl_delay_s=held.crawl_delay_s if held else None,
            failure=failed,
        )


def _is_abroad(url: str, origin: str) -> bool:
    """Whether a place is on another host than an origin; "" is an origin of another process."""
    return not origin or urls.host_key(url) != urls.host_key(origin)
