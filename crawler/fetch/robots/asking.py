"""One request for a robots.txt, and the reading of what came; what a place said is shared."""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from crawler import config, urls
from crawler.choices import SitemapUse
from crawler.fetch.bounded import BoundedCache
from crawler.fetch.exchange import BodyReader, Exchange
from crawler.fetch.headers import NO_CONTENT, check_status, is_redirect
from crawler.fetch.redirects import resolve_location
from crawler.fetch.robots.file import MAX_BYTES, STEP_BYTES, RobotsFile
from crawler.fetch.robots.known import Found
from crawler.fetch.transport import Transport
from crawler.fetch.trouble import Trouble, Unwanted
from crawler.frontier.blocks import HostBlocks
from crawler.records import Failure, Obstacle

log = logging.getLogger(__name__)

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


@dataclass(frozen=True, slots=True)
class Moved:
    """A redirect; `target` is None where it leads nowhere."""

    target: str | None


Said = Found | Moved | Trouble


class SharedAnswers:
    """What places said that redirects led to: whoever is led there too need not ask again."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._held: BoundedCache[str, _Shared] = BoundedCache(SHARED_BYTES, lambda held: held.bytes)

    def get(self, url: str) -> Said | None:
        """Return what the place said, unless that is too long ago."""
        shared = self._held.get(url)
        return shared.said if shared is not None and shared.until > self._clock() else None

    def put(self, url: str, said: Said) -> None:
        """Share what a place said; trouble of our own says nothing of it."""
        if isinstance(said, Trouble) and isinstance(said.failure, Obstacle):
            return
        ttl_s = FAILURE_TTL_S if isinstance(said, Trouble) else TTL_S
        self._held.put(url, _Shared(said, self._clock() + ttl_s))


@dataclass(frozen=True, slots=True)
class _Shared:
    """What a place said, for others that are led there."""

    said: Said
    until: float

    @property
    def bytes(self) -> int:
        """About what it takes."""
        packed = self.said.packed if isinstance(self.said, Found) else b""
        return len(packed) + 2 * urls.MAX_URL_LENGTH


class RobotsReader:
    """Asks for robots.txt files and reads them: a large one while no other large one is read."""

    def __init__(
        self,
        transport: Transport,
        job: config.Job,
        clock: Callable[[], float],
        wall: Callable[[], float],
    ) -> None:
        self._transport = transport
        self._agent_of = HostBlocks(job).agent
        self._max_retry_after_s = job.politeness.max_retry_after_s
        self._clock = clock
        self._wall = wall
        self._canonicalise = urls.Canonicaliser(frozenset())
        self._wants_sitemaps = job.sitemaps.use is not SitemapUse.NONE
        self._reading = asyncio.Lock()

    def no_file(self) -> Found:
        """Return what is found where there is no file: everything is allowed."""
        return Found(_NO_RULES, None, self._clock() + TTL_S)

    async def ask(self, url: str) -> Said:
        """Send one request, and return what came of it."""
        try:
            said = await self._retrieve(url)
        except Trouble as trouble:
            log.debug("%s: failed, %s: %s", url, trouble.failure, trouble.detail)
            return trouble
        return said if isinstance(said, Moved) else await self.read(said, url)

    async def _retrieve(self, url: str) -> bytes | Moved:
        """Return the file in force, b"" where there is none, or a redirect. Raises Trouble."""
        async with self._transport.exchange(url) as exchange:
            if not is_redirect(exchange.status, exchange.headers):
                body = await self._body(exchange)
                log.debug("%s: %d bytes", url, len(body))
                return body
            location = exchange.headers.get("location")
        try:
            return Moved(self._canonicalise(resolve_location(location, url)))
        except Trouble:
            return Moved(None)

    async def _body(self, exchange: Exchange) -> bytes:
        try:
            check_status(exchange.status, exchange.headers, self._wall(), self._max_retry_after_s)
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

    async def read(self, body: bytes, url: str) -> Found:
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
                packed = await _packed(file.rules)
        return Found(packed, file.crawl_delay_s, until, self._sitemaps(file, url))

    def _sitemaps(self, file: RobotsFile, url: str) -> tuple[str, ...]:
        """Return what a file names, if that is wanted: unasked it would stay in memory."""
        named = file.sitemaps if self._wants_sitemaps else ()
        found = (self._canonicalise(written, url) for written in named)
        return tuple(dict.fromkeys(filter(None, found)))


async def _packed(text: str) -> bytes:
    """Return the text compressed, in small steps: fast, since a large one may be an attack."""
    packer, parts = zlib.compressobj(level=1), []
    for at in range(0, len(text), _PACKED_AT_ONCE):
        parts.append(packer.compress(text[at : at + _PACKED_AT_ONCE].encode()))
        await asyncio.sleep(0)
    return b"".join((*parts, packer.flush()))
