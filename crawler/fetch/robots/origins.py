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

from crawler import config, urls
from crawler.fetch.flight import SingleFlight
from crawler.fetch.robots.asking import Moved, RobotsReader, Said, SharedAnswers
from crawler.fetch.robots.known import Found, KnownRules, RulesKeeper
from crawler.fetch.robots.rules import OLD_FORM
from crawler.fetch.robots.way import Hop, Way, is_file
from crawler.fetch.transport import Transport
from crawler.fetch.trouble import Trouble
from crawler.frontier.blocks import HostBlocks
from crawler.records import Failure, FetchTask, Postponed, RobotsAnswer

log = logging.getLogger(__name__)

_NOT_ASKED = frozenset({Failure.DNS, Failure.BLOCKED_ADDRESS})
"""Failures that come before anything is sent."""


class Robots:
    """The rules of every origin the crawl has met; concurrent refreshes share one request.

    Rules stay until newer ones replace them, since the frontier goes by `expires_at` and asks
    `allowed` without refreshing first. What is held of them in memory is bounded in bytes, if there
    is a `keeper`.
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
        self._wall = wall
        self._obeyed = job.politeness.robots
        max_delay_s = job.politeness.max_crawl_delay_s
        self._known = KnownRules(keeper, HostBlocks(job).agent, max_delay_s, clock)
        self._reader = RobotsReader(transport, job, clock, wall)
        self._shared = SharedAnswers(clock)
        self._ways: dict[str, Way] = {}
        self._flights: SingleFlight[str, RobotsAnswer] = SingleFlight()

    async def refresh(self, origin: str) -> RobotsAnswer:
        """Return the state of `origin` (`crawler.urls.origin`), fetching its rules if need be.

        Each call sends one request at most. A redirect to another host is part of the answer
        (`moved_to`), since that host's turn has to be waited for. Failures are part of the answer,
        and each call asks the origin again; only a place to which others are redirected too is not
        asked again within FAILURE_TTL_S.
        """
        if not self._obeyed:
            return RobotsAnswer(requested=False, known=True, expires_at=float("inf"))
        if self._known.stand(origin):
            return self._ready(origin, requested=False)
        return await self._flights.run(origin, lambda: self._search(origin))

    def allowed(self, url: str) -> bool:
        """Whether the rules allow a canonical URL; the last known ones, expired or not.

        Raises KeyError for an origin whose rules `refresh` never had.
        """
        return not self._obeyed or self._known.allow(url)

    def forbids(self, url: str) -> bool:
        """Whether rules are held and disallow the URL; for a hop within one page's fetch."""
        return self._known.of(urls.origin(url)) is not None and not self.allowed(url)

    def sitemaps(self, origin: str) -> tuple[str, ...]:
        """Return, once, the sitemaps that an origin's file names, where the job reads sitemaps."""
        return self._known.take_sitemaps(origin)

    async def close(self) -> None:
        """Cancel requests under way."""
        await self._flights.close()

    def _ready(self, origin: str, *, requested: bool) -> RobotsAnswer:
        standing = self._known.of(origin)
        assert standing is not None
        expires_at, delay_s = standing.expires_at, standing.crawl_delay_s
        return RobotsAnswer(requested, known=True, expires_at=expires_at, crawl_delay_s=delay_s)

    async def _search(self, origin: str) -> RobotsAnswer:
        """Go on with the search for an origin's file, up to the next request at another host."""
        way = self._ways.pop(origin, None) or Way(Hop.first(origin))
        asked, requested = urls.host_key(way.next.url), False
        while True:
            place = way.next
            said = self._said_by(place, origin) if way.led else None
            if said is None:
                if requested or urls.host_key(place.url) != asked:
                    self._ways[origin] = way
                    return self._moved(place, requested=requested)
                requested = True
                said = await self._reader.ask(place.url)
                if way.led:
                    self._share(place.url, said, origin)
            if isinstance(said, Trouble):
                return await self._unreachable(origin, place.url, said, requested=requested)
            onward = self._onward(way, said)
            if isinstance(onward, Found):
                self._known.keep(origin, onward)
                return self._ready(origin, requested=requested)
            way = onward

    def _onward(self, way: Way, said: Found | Moved) -> Way | Found:
        """Return how to go on after what was said, or what the search has come to."""
        if isinstance(said, Found):
            found, onward = said, None
        else:
            log.debug("%s: redirected to %s", way.next.url, said.target)
            found, onward = self._reader.no_file(), way.next.to(said.target)
        if onward is None:
            if way.probe is None:
                return found
            self._known.keep(urls.origin(way.hop.url), found)
            return self._with_leave(Way(way.hop))
        if way.probe is None:
            return self._with_leave(Way(onward))
        return Way(way.hop, onward) if onward.free else self._reader.no_file()

    def _with_leave(self, way: Way) -> Way | Found:
        """Return the way to a place that may be asked, or first to its rules, if those are unknown.

        A place that its own rules forbid is no place for a robots.txt: there is none.
        """
        if way.hop.free:
            return way
        if not self._known.stand(urls.origin(way.hop.url)):
            return way.probing()
        if self._known.allow(way.hop.url):
            return way
        log.debug("%s: no robots.txt, since its own rules forbid it", way.hop.url)
        return self._reader.no_file()

    def _moved(self, place: Hop, *, requested: bool) -> RobotsAnswer:
        standing = self._known.of(urls.origin(place.url))
        delay_s = standing.crawl_delay_s if standing else None
        to = urls.host_key(place.url)
        return RobotsAnswer(requested, moved_to=to, moved_to_delay_s=delay_s)

    def _said_by(self, place: Hop, origin: str) -> Said | None:
        """Return what is known of a place that the search for an origin's file was led to."""
        there = urls.origin(place.url)
        if is_file(place.url) and self._known.stand(there):
            return self._known.found(there)
        return self._shared.get(place.url) if _is_abroad(place.url, origin) else None

    def _share(self, url: str, said: Said, origin: str) -> None:
        """Keep what a place said for others who are led there."""
        if is_file(url) and isinstance(said, Found):
            self._known.keep(urls.origin(url), said)
        elif _is_abroad(url, origin):
            self._shared.put(url, said)

    async def _unreachable(
        self, origin: str, url: str, trouble: Trouble, *, requested: bool
    ) -> RobotsAnswer:
        if self._known.of(origin) is None:
            await self._recall(origin)
        held = self._known.of(origin)
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

    async def _recall(self, origin: str) -> None:
        """Take up the rules of an earlier run, which have to be asked for again."""
        kept = self._known.recall(origin)
        if kept is None:
            return
        found, text = Found(kept.packed, kept.crawl_delay_s, 0.0), zlib.decompress(kept.packed)
        if text.startswith(OLD_FORM):
            packed = (await self._reader.read(text, origin)).packed
            found = Found(packed, kept.crawl_delay_s, 0.0)
        self._known.keep(origin, found)


def _is_abroad(url: str, origin: str) -> bool:
    return urls.host_key(url) != urls.host_key(origin)
