"""Fetcher: a task in, an outcome out. The one way into the network.

A redirect of a page to itself (cookie, slash, tracking parameter) is followed, since asking again
is all that can be done. One to another page of the same origin is followed where the caller says
that it may lead on: it may set the cookie without which the first page is never shown (`Trail`).
What an archive keeps of an exchange is taken where it is read (`Recorder`).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import crawler
from crawler import config
from crawler.fetch import admission
from crawler.fetch.access import Access, ChainCookies
from crawler.fetch.addresses import AddressGuard, MappedNames, Resolver
from crawler.fetch.admission import ContentType, resolve_location
from crawler.fetch.exchange import BodyReader, Exchange
from crawler.fetch.request_slots import RequestSlots
from crawler.fetch.robots_cache import Robots, RulesKeeper
from crawler.fetch.transport import Transport
from crawler.fetch.trouble import Machine, Trouble, Unwanted
from crawler.frontier.scope import HostOverrides
from crawler.models import (
    Capture,
    Failed,
    Failure,
    Fetched,
    FetchOutcome,
    FetchTask,
    Postponed,
    Priority,
    Redirected,
    Skip,
    Skipped,
)
from crawler.urls import Canonicaliser, hostname, origin

log = logging.getLogger(__name__)


LeadsOn = Callable[[str, bool], bool]
"""(canonical URL of another page of the same origin, whether cookies would go with the request)
-> whether it may be asked within this fetch."""


def never(url: str, with_cookies: bool) -> bool:
    """Hand every redirect to another page back."""
    return False


@dataclass(frozen=True, slots=True)
class Hop:
    """The next request of one fetch."""

    url: str
    """Sent as it is: it may carry the tracking parameter that the server insists on."""
    final_url: str
    """Canonical form of `url`."""
    cookies: str = field(default="", repr=False)
    """Value of the Cookie header."""


@dataclass(frozen=True, slots=True)
class _Left:
    """A page that was asked on the way, and led elsewhere."""

    status: int
    at: float
    captures: tuple[Capture, ...]


class Trail:
    """The requests of one fetch, and the pages they stand for. Its cookies are kept nowhere else.

    All are of one origin, so that cookies reach nobody but who set them. A redirect back to a page
    that was asked on the way takes all that came after it for part of asking for that page.
    """

    def __init__(
        self,
        url: str,
        canonicalise: Canonicaliser,
        max_hops: int,
        leads_on: LeadsOn = never,
        forbids: Callable[[str], bool] = lambda url: False,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """Begin with a canonical URL; `forbids` is whether robots.txt forbids one as it is sent."""
        self._canonicalise = canonicalise
        self._max_hops = max_hops
        self._leads_on = leads_on
        self._forbids = forbids
        self._wall = wall
        self._cookies = ChainCookies()
        self._pages = [url]
        self._left: list[_Left] = []
        self._ever = {url}
        self._captures: list[Capture] = []
        self.hop = Hop(url, url)
        self._asked = {(url, "")}

    @property
    def page(self) -> str:
        """The page that is being asked for, as it would be queued."""
        return self._pages[-1]

    @property
    def captures(self) -> tuple[Capture, ...]:
        """What was kept of the exchanges that asked for this page."""
        return tuple(self._captures)

    def keep(self, capture: Capture) -> None:
        """Keep an exchange for the archive; before its redirect is followed."""
        self._captures.append(capture)

    def follow(
        self, location: str | None, set_cookies: Iterable[str], status: int = 302
    ) -> Hop | str:
        """Return the next hop, or the canonical URL of a page that is handed back.

        Raises Trouble for an unusable target or a loop.
        """
        target = resolve_location(location, self.hop.url)
        canonical = self._canonicalise(target)
        if canonical is None:
            raise Trouble(Failure.REDIRECT_INVALID, f"Location: {location}")
        self._cookies.keep(set_cookies, self.hop.url, self._wall())
        # A slash or parameter can make the difference in robots.txt: then the target is to be
        # judged as a page of its own.
        if origin(canonical) != origin(self.hop.final_url) or self._forbids(target):
            return canonical
        # Slashes at the end of a path make no other page.
        pages = [*map(_without_slash, self._pages[:-1]), _without_slash(self.hop.final_url)]
        if (wanted := _without_slash(canonical)) in pages:
            known = pages.index(wanted)
            before = [capture for left in self._left[known:] for capture in left.captures]
            self._captures = before + self._captures
            del self._pages[known + 1 :], self._left[known:]
            return self._step(target, canonical)
        if len(self._asked) > self._max_hops:
            if canonical in self._ever:
                raise Trouble(Failure.REDIRECT_LOOP, f"more than {self._max_hops} redirects")
            return canonical
        if not self._leads_on(canonical, bool(self._cookies.header(target))):
            return canonical
        self._left.append(_Left(status, self._wall(), self.captures))
        self._captures = []
        self._pages.append(canonical)
        self._ever.add(canonical)
        return self._step(target, canonical)

    def outcome(self, first: FetchTask, last: FetchOutcome) -> FetchOutcome:
        """Return how the fetch ended, given how the page that was asked last did."""
        for at in reversed(range(len(self._left))):
            left, target = self._left[at], self._pages[at + 1]
            task = self.task(first, at)
            last = Redirected(task, left.status, target, left.at, last, left.captures)
        return last

    def task(self, first: FetchTask, at: int = -1) -> FetchTask:
        """Return what a page of the way, the last one, would be queued as, without a number."""
        at = len(self._left) if at < 0 else at
        if not at:
            return first
        return FetchTask(
            url_id=0,
            url=self._pages[at],
            host=first.host,
            depth=first.depth,
            priority=first.priority,
            hops=first.hops + at,
            referrer=self._pages[at - 1],
            attempt=first.attempt,
            seed=first.seed,
        )

    def _step(self, target: str, canonical: str) -> Hop:
        cookies = self._cookies.header(target)
        if (target, cookies) in self._asked:
            raise Trouble(Failure.REDIRECT_LOOP, f"redirects to itself: {target}")
        if len(self._asked) > self._max_hops:
            raise Trouble(Failure.REDIRECT_LOOP, f"more than {self._max_hops} redirects")
        self._asked.add((target, cookies))
        self.hop = Hop(target, canonical, cookies)
        return self.hop


def _without_slash(url: str) -> str:
    path, mark, query = url.partition("?")
    return path.removesuffix("/") + mark + query


MAX_ERROR_BYTES = 100_000
"""Of the body of an error that are read for an archive: what says `not found` to people is smaller,
and nothing else reads them."""
_MAX_WIRE_BYTES = 1_000_000
"""The same as they travel: above what one read brings, so that there is a beginning to keep."""


class NoRecorder:
    """Lets exchanges pass: what a job without archives has."""

    def exchange(
        self, transport: Transport, hop: Hop, conditions: Mapping[str, str]
    ) -> AbstractAsyncContextManager[Exchange]:
        """Open the exchange of a hop."""
        return transport.exchange(hop.url, hop.cookies, conditions)

    def keep(self, exchange: Exchange) -> None:
        """Keep a response whose body is not read."""

    async def read(self, exchange: Exchange, reader: BodyReader) -> bytes:
        """Return the whole body."""
        return await reader.whole()


NO_RECORDER = NoRecorder()


class Recorder(NoRecorder):
    """Keeps one exchange, begun at Unix time `at`, with the trail that it belongs to."""

    def __init__(self, trail: Trail, at: float) -> None:
        self._trail = trail
        self._url = trail.hop.url
        self._at = at

    @asynccontextmanager
    async def exchange(
        self, transport: Transport, hop: Hop, conditions: Mapping[str, str]
    ) -> AsyncIterator[Exchange]:
        """Open the exchange of a hop; where its status is an error, read that one's body too.

        Whatever becomes of that body, the URL ends by its status, as it does without an archive.
        """
        by_status: Trouble | None = None
        try:
            async with transport.exchange(hop.url, hop.cookies, conditions) as exchange:
                try:
                    yield exchange
                except Trouble as trouble:
                    if trouble.status is None or admission.is_redirect(
                        exchange.status, exchange.headers
                    ):
                        raise
                    by_status = trouble
                    await self._read_error(exchange)
                    raise
        except Trouble as trouble:
            if by_status is None or trouble is by_status:
                raise
            raise by_status from trouble

    def keep(self, exchange: Exchange) -> None:
        """Keep a response whose body is not read."""
        has_none = exchange.status == admission.NOT_MODIFIED
        whole = has_none or admission.content_length(exchange.headers) == 0
        self._keep(exchange, b"", None if whole else "unspecified")

    async def read(self, exchange: Exchange, reader: BodyReader) -> bytes:
        """Return the whole body; of one that breaks off, what came is kept."""
        try:
            body = await reader.whole()
        except Unwanted:
            raise
        except BaseException as error:
            why = "disconnect"  # in the words of WARC/1.1 5.13
            if isinstance(error, asyncio.CancelledError):
                why = "time"
            elif isinstance(error, Trouble) and error.failure is Failure.CONTENT_ENCODING:
                why = "unspecified"
            self._keep(exchange, reader.so_far, why)
            raise
        self._keep(exchange, body)
        return body

    async def _read_error(self, exchange: Exchange) -> None:
        try:
            reader = BodyReader(exchange, _MAX_WIRE_BYTES, MAX_ERROR_BYTES)
        except Trouble:
            self._keep(exchange, b"", "unspecified")
            return
        try:
            await self.read(exchange, reader)
        except Unwanted:
            self._keep(exchange, reader.so_far[:MAX_ERROR_BYTES], "length")
        except Trouble:
            pass  # kept as far as it came

    def _keep(self, exchange: Exchange, body: bytes, truncated: str | None = None) -> None:
        self._trail.keep(exchange.capture(self._url, self._at, body, truncated))


MOST_PLAIN = 10_000
"""Pages noted as ends of redirects, the latest ones."""


def user_agent(agent: config.Agent, token: str | None = None) -> str:
    """Return the User-Agent header: product token, version, and the contact where one is given.

    Or what the job has in `full`. `token` is the product token, if that is not the job's.
    """
    if agent.full is not None:
        return agent.full
    product = f"{token or agent.name}/{crawler.__version__}"
    return f"{product} (+{agent.contact})" if agent.contact else product


class HostHeaders:
    """The header fields that only some hosts are sent."""

    def __init__(self, job: config.Job) -> None:
        self._overrides = HostOverrides(job)
        self._agents = {
            block.robots_agent: {"user-agent": user_agent(job.user_agent, block.robots_agent)}
            for block in job.hosts.values()
            if block.robots_agent is not None
        }

    def __call__(self, host: str) -> Mapping[str, str]:
        """Return those of a host key."""
        headers = self._overrides.headers(host)
        if not self._agents:
            return headers
        return {**self._agents.get(self._overrides.agent(host), {}), **headers}


class Fetcher:
    """Fetches pages and robots.txt of one job; open between `__aenter__` and `__aexit__`.

    `clock` is monotonic and `wall` Unix time; `sleep` waits before a redirect is followed within a
    fetch. Time limits of the network itself run on the event loop's own clock. A page that waits
    long gives its slot away (`slots`). Trouble of this machine is told to `machine`, and never
    the failure of a page. `rules` keeps what robots.txt files say over runs.
    """

    def __init__(
        self,
        job: config.Job,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[object]] | None = None,
        slots: RequestSlots | None = None,
        machine: Machine | None = None,
        rules: RulesKeeper | None = None,
        access: Access | None = None,
    ) -> None:
        """Raise ConfigError where a login, cookies or a certificate of the job cannot be used."""
        self._job = job
        self._slots = slots or RequestSlots(job.fetch.workers, aside=0)
        self._clock = clock
        self._wall = wall
        self._sleep = sleep or _sleep_no_less
        self._canonicalise = Canonicaliser(frozenset(job.urls.tracking_parameters))
        self._guard = AddressGuard(job.fetch.allow_addresses)
        self._mapped = MappedNames(job.fetch.resolve, self._guard, job.scope.include)
        access = access or Access(job)
        self._proxy = access.proxy
        proxy = access.proxy.host if access.proxy is not None else None
        self._resolver = Resolver(self._mapped, self._guard, job.fetch.dns_timeout_s, clock, proxy)
        agent = user_agent(job.user_agent)
        machine = machine or Machine(clock=clock, wall=wall)
        self._transport = Transport(
            job.fetch,
            agent,
            self._resolver,
            self._guard,
            machine,
            self._slots,
            access,
            addressed=job.storage.warc,
            headers_of=HostHeaders(job),
            wall=wall,
        )
        self.robots = Robots(self._transport, job, clock=clock, wall=wall, keeper=rules)
        self._plain: dict[str, None] = {}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Fetcher:
        self._stack.push_async_callback(self._resolver.close)
        await self._stack.enter_async_context(self._transport)
        self._stack.push_async_callback(self.robots.close)
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._stack.aclose()

    def admit_seed(self, url: str) -> None:
        """Admit a seed's own address and port if it names a local IP address or `localhost`.

        One with a name of `fetch.resolve` opens its port to that name.
        """
        self._guard.admit_seed(url)
        self._mapped.admit_seed(url)

    async def resolve(self, host: str) -> str | None:
        """Return the IP address a host key is likeliest reached at, or None where DNS has none.

        The connector uses the same cache and tries this address first. None also where others need
        the slot. Behind a proxy, which looks names up itself, each host stands for its own.
        """
        if self._proxy is not None:
            return host
        try:
            async with asyncio.timeout(None) as limit:
                with self._slots.waiting(host, lambda: limit.reschedule(0.0)):
                    answer = await self._resolver.lookup(hostname(host).strip("[]"))
        except TimeoutError:
            return None
        return answer.addresses[0] if answer.addresses else None

    async def fetch(
        self, task: FetchTask, delay_s: float, leads_on: LeadsOn = never
    ) -> FetchOutcome:
        """Fetch one page; never raises for what the network or a server does.

        Redirects to the page itself are followed after `delay_s` each, at most `limits.redirects`
        of them, and so are those to other pages of the same origin that robots.txt allows and
        `leads_on` says may be asked: what comes of them is in `Redirected.then`. Any other redirect
        is returned and not followed.
        """
        started = self._clock()
        limit = self._job.limits.redirects

        def may_go(url: str, with_cookies: bool) -> bool:
            if trail.task(task).hops + 1 > limit or self.robots.forbids(url):
                return False
            return not (with_cookies and url in self._plain) and leads_on(url, with_cookies)

        trail = Trail(task.url, self._canonicalise, limit, may_go, self.robots.forbids, self._wall)
        outcome = trail.outcome(task, await self._follow(task, trail, delay_s))
        if log.isEnabledFor(logging.DEBUG):
            _log_outcome(outcome, self._clock() - started)
        return outcome

    async def _follow(self, first: FetchTask, trail: Trail, delay_s: float) -> FetchOutcome:
        """Return how the page that was asked last ended."""
        while True:
            try:
                step = await self._visit(trail.task(first), trail)
            except Trouble as trouble:
                return trouble.failed(trail.task(first), self._wall(), trail.captures)
            except Unwanted as unwanted:
                task, reason = trail.task(first), unwanted.reason
                kept = trail.captures if reason is Skip.UNCHANGED else ()
                return Skipped(task, reason, unwanted.detail, self._wall(), kept)
            if not isinstance(step, Hop):
                if trail.hop.cookies and trail.page != first.url:
                    # A redirect to this page is no way through a cookie wall. Servers that set a
                    # cookie with every response and redirect many pages to one would be asked for
                    # that one again and again.
                    if len(self._plain) >= MOST_PLAIN:
                        self._plain.pop(next(iter(self._plain)))
                    self._plain[trail.page] = None
                return step
            log.debug("%s: followed in place to %s", first.url, step.url)
            await self._slots.rest(self._sleep(delay_s))

    async def _visit(self, task: FetchTask, trail: Trail) -> FetchOutcome | Hop:
        started, hop = self._clock(), trail.hop
        # An answer to cookies, or of another page on the way, is none to what was kept.
        asked_plainly = hop.url == task.url and not hop.cookies
        conditions = admission.conditions(task.validators) if asked_plainly else {}
        recorder = Recorder(trail, self._wall()) if self._job.storage.warc else NO_RECORDER
        async with recorder.exchange(self._transport, hop, conditions) as exchange:
            limit_s = self._job.politeness.max_retry_after_s
            admission.check_status(exchange.status, exchange.headers, self._wall(), limit_s)
            if admission.is_redirect(exchange.status, exchange.headers):
                recorder.keep(exchange)
                location = exchange.headers.get("location")
                cookies = exchange.headers.getall("set-cookie", ())
                step = trail.follow(location, cookies, exchange.status)
                if isinstance(step, Hop):
                    return step
                if task.hops + 1 > (limit := self._job.limits.redirects):
                    what = f"more than {limit} redirects"
                    raise Trouble(Failure.REDIRECT_LOOP, what, exchange.status)
                kept = trail.captures
                return Redirected(task, exchange.status, step, self._wall(), captures=kept)
            if conditions and exchange.status == admission.NOT_MODIFIED:
                recorder.keep(exchange)
                raise Unwanted(Skip.UNCHANGED, f"HTTP status {exchange.status}")
            if exchange.status in admission.NO_CONTENT:
                raise Unwanted(Skip.NO_CONTENT, f"HTTP status {exchange.status}")
            kind, reader = await self._admit_body(task, exchange)
            body = await recorder.read(exchange, reader)
        if not body and "refresh" not in exchange.headers:
            raise Unwanted(Skip.NO_CONTENT, "empty body")
        return Fetched(
            task=task,
            final_url=hop.final_url,
            status=exchange.status,
            media_type=kind.media_type or "",
            charset=kind.charset,
            headers=admission.kept(exchange.headers),
            asked_headers=admission.named(exchange.headers, self._job.extract.headers),
            body=body,
            wire_bytes=reader.wire_bytes,
            fetched_at=self._wall(),
            elapsed_s=self._clock() - started,
            unknown_encoding=reader.unknown_encoding,
            captures=trail.captures,
        )

    async def _admit_body(
        self, task: FetchTask, exchange: Exchange
    ) -> tuple[ContentType, BodyReader]:
        """Return type and reader of a body worth reading; raises Unwanted for any other."""
        limits = self._job.fetch
        kind = admission.content_type(exchange.headers)
        lists = lists_pages(task, kind.media_type or "")
        is_known = kind.media_type in admission.ACCEPTED_TYPES or lists
        if kind.media_type is not None and not is_known:
            raise Unwanted(Skip.CONTENT_TYPE, kind.media_type)
        announced = admission.content_length(exchange.headers)
        if announced is not None and announced > limits.max_wire_bytes:
            raise Unwanted(Skip.TOO_LARGE, f"{announced} bytes announced")
        reader = BodyReader(exchange, limits.max_wire_bytes, limits.max_body_bytes)
        if kind.media_type is None and not lists:
            sniffed = admission.sniff_media_type(await reader.at_least(admission.SNIFF_BYTES))
            if sniffed is None:
                raise Unwanted(
                    Skip.CONTENT_TYPE, "no content type declared, and the body is not text"
                )
            kind = ContentType(sniffed, None)
        return kind, reader


def lists_pages(task: FetchTask, media_type: str) -> bool:
    """Whether a response of this type is read as a sitemap or feed.

    So are those that were found as such, of whatever type, and seeds that may be one.
    """
    if task.priority is Priority.SITEMAP:
        return True
    return task.seed and media_type in admission.LISTING_TYPES


def _log_outcome(outcome: FetchOutcome, took_s: float) -> None:
    match outcome:
        case Fetched(status=status, body=body, wire_bytes=wire_bytes):
            said = f"{status}, {len(body)} bytes, {wire_bytes} sent"
        case Redirected(status=status, target=target, then=then):
            said = f"{status}, redirected to {target}"
            said += "" if then is None else ", asked at once"
        case Skipped(reason=reason, detail=detail):
            said = f"skipped, {reason}: {detail}"
        case Failed(failure=failure, detail=detail):
            said = f"failed, {failure}: {detail}"
        case Postponed(obstacle=obstacle, detail=detail):
            said = f"postponed, {obstacle}: {detail}"
    log.debug("%s: %s, %.3f s", outcome.task.url, said, took_s)


async def _sleep_no_less(seconds: float) -> None:
    """Sleep for a politeness delay: a loop's timers count milliseconds and may end one early."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:  # noqa: ASYNC110 - it waits for time alone
        await asyncio.sleep(left)
