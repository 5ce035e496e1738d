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
from collections.abc import Awaitable, Callable, Container, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace

from crawler import config
from crawler.fetch.access import Access, ChainCookies
from crawler.fetch.addresses import Resolver
from crawler.fetch.exchange import Exchanges, Machine, Transport
from crawler.fetch.request_slots import RequestSlots
from crawler.fetch.resources import Resources
from crawler.fetch.response import (
    LISTING_TYPES,
    NO_CONTENT,
    NOT_MODIFIED,
    BodyReader,
    Response,
    accepted_types,
    captured,
    check_status,
    conditions_of,
    content_length,
    content_type,
    is_redirect,
    kept_headers,
    named_headers,
    resolve_location,
    type_of,
)
from crawler.fetch.robots_cache import Robots, RulesKeeper
from crawler.fetch.trouble import Trouble, Unwanted
from crawler.models import (
    SNIFF_BYTES,
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
from crawler.urls.editions import Latest

log = logging.getLogger(__name__)


LeadsOn = Callable[[str, bool], bool]
"""(canonical URL of another page of the same origin, whether cookies would go with the request)
-> whether it may be asked within this fetch."""


@dataclass(frozen=True, slots=True)
class Hop:
    """The next request of one fetch."""

    url: str
    """Sent as it is: it may carry the tracking parameter that the server insists on."""
    final_url: str
    """Canonical form of `url`."""
    cookies: str = field(default="", repr=False)
    """Value of the Cookie header."""


@dataclass(eq=False, repr=False)
class Trail:
    """The requests of one fetch, and the pages they stand for. Its cookies are kept nowhere else.

    All are of one origin, so that cookies reach nobody but who set them. A redirect back to a page
    that was asked on the way takes all that came after it for part of asking for that page.
    """

    task: FetchTask
    """The page that is being asked for; one that was led to as it would be queued, without a
    number."""
    canonicalise: Canonicaliser
    max_hops: int
    leads_on: LeadsOn
    forbids: Callable[[str], bool]
    """Whether robots.txt forbids a URL as it is sent."""
    plain: Container[str]
    """Pages that are not asked with cookies: they were ends of redirects before."""
    wall: Callable[[], float]
    captures: tuple[Capture, ...] = ()
    """What was kept of the exchanges that asked for this page."""
    ended_by: Trouble | None = None
    """The status that ends the page, while the body of that response is read for an archive."""
    _left: list[Redirected] = field(default_factory=list)
    """The pages that were asked on the way, and led elsewhere."""
    _cookies: ChainCookies = field(default_factory=ChainCookies)

    def __post_init__(self) -> None:
        self.hop = Hop(self.task.url, self.task.url)
        self._ever = {self.task.url}
        self._asked = {(self.task.url, "")}

    def follow(self, location: str, set_cookies: Iterable[str], status: int) -> Hop | str:
        """Return the next hop, or the canonical URL of a page that is handed back.

        Raises Trouble for an unusable target or a loop.
        """
        target = resolve_location(location, self.hop.url)
        canonical = self.canonicalise(target)
        if canonical is None:
            raise Trouble(Failure.REDIRECT_INVALID, f"Location: {location}")
        self._cookies.keep(set_cookies, self.hop.url, self.wall())
        # A slash or parameter can make the difference in robots.txt: then the target is to be
        # judged as a page of its own.
        if origin(canonical) != origin(self.hop.final_url) or self.forbids(target):
            return canonical
        # Slashes at the end of a path make no other page.
        pages = [*(left.task.url for left in self._left), self.hop.final_url]
        same = [_without_slash(page) == _without_slash(canonical) for page in pages]
        if any(same):
            if back := self._left[same.index(True) :]:
                self.task = back[0].task
                before = [capture for left in back for capture in left.captures]
                self.captures = (*before, *self.captures)
                del self._left[-len(back) :]
            return self._step(target, canonical)
        if len(self._asked) > self.max_hops:
            if canonical in self._ever:
                raise Trouble(Failure.REDIRECT_LOOP, f"more than {self.max_hops} redirects")
            return canonical
        with_cookies = bool(self._cookies.header(target))
        if self.task.hops + 1 > self.max_hops or self.forbids(canonical):
            return canonical
        if (with_cookies and canonical in self.plain) or not self.leads_on(canonical, with_cookies):
            return canonical
        left = Redirected(self.task, status, canonical, self.wall(), captures=self.captures)
        self._left.append(left)
        self.captures = ()
        self.task = replace(
            self.task,
            url_id=0,
            url=canonical,
            hops=self.task.hops + 1,
            referrer=self.task.url,
            refused=0,
            validators=None,
            rule=None,
        )
        self._ever.add(canonical)
        return self._step(target, canonical)

    def outcome(self, last: FetchOutcome) -> FetchOutcome:
        """Return how the fetch ended, given how the page that was asked last did."""
        for left in reversed(self._left):
            last = replace(left, then=last)
        return last

    def _step(self, target: str, canonical: str) -> Hop:
        cookies = self._cookies.header(target)
        if (target, cookies) in self._asked:
            raise Trouble(Failure.REDIRECT_LOOP, f"redirects to itself: {target}")
        if len(self._asked) > self.max_hops:
            raise Trouble(Failure.REDIRECT_LOOP, f"more than {self.max_hops} redirects")
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


@dataclass(frozen=True, slots=True)
class Recorder:
    """Keeps one exchange with the trail whose hop it is."""

    trail: Trail
    at: float
    """Unix time when it began."""
    secret: frozenset[str]
    """Lower-case names of header fields that no archive may have."""

    def keep(self, response: Response, body: bytes = b"", truncated: str | None = None) -> None:
        """Keep a response with what was read of its body, as it was really asked for and sent."""
        url = self.trail.hop.url
        capture = captured(response, url, self.at, self.secret, body, truncated)
        self.trail.captures = (*self.trail.captures, capture)

    def keep_unread(self, response: Response) -> None:
        """Keep a response whose body is not read."""
        has_none = response.status == NOT_MODIFIED or content_length(response.headers) == 0
        self.keep(response, truncated=None if has_none else "unspecified")

    async def read(self, response: Response, reader: BodyReader) -> bytes:
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
            self.keep(response, bytes(reader.body), why)
            raise
        self.keep(response, body)
        return body

    async def read_error(self, response: Response) -> None:
        """Read and keep the body of an error, as far as it comes."""
        try:
            reader = BodyReader(response, _MAX_WIRE_BYTES, MAX_ERROR_BYTES)
        except Trouble:
            self.keep(response, truncated="unspecified")
            return
        try:
            await self.read(response, reader)
        except Unwanted:
            self.keep(response, bytes(reader.body[:MAX_ERROR_BYTES]), "length")
        except Trouble:
            pass  # kept as far as it came


MOST_PLAIN = 10_000
"""Pages noted as ends of redirects, the latest ones."""

_BEAT_S = 1.0
"""How often this machine is looked at while no request begins or ends."""


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
        transport: Transport,
        resolver: Resolver,
        access: Access,
        *,
        slots: RequestSlots,
        machine: Machine,
        rules: RulesKeeper,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[object]] | None = None,
    ) -> None:
        """`transport`, opened and closed here, connects as `resolver` says and its guard admits."""
        self._job = job
        self._accepted = accepted_types(pdf=job.extract.pdf)
        self._transport = transport
        self._resolver = resolver
        self._access = access
        self._slots = slots
        self._clock = clock
        self._wall = wall
        self._sleep = sleep or _sleep_no_less
        self._canonicalise = Canonicaliser(frozenset(job.urls.tracking_parameters))
        self._machine = machine
        self._exchanges = Exchanges(
            job.fetch, transport, access, slots, machine, resolver.has_ipv4, wall
        )
        self.robots = Robots(self._exchanges, job, clock=clock, wall=wall, keeper=rules)
        # A page's scripts ask for whatever they like: it says nothing of this machine's network.
        apart = replace(
            self._exchanges,
            slots=RequestSlots(job.browser.requests, aside=0),
            machine=Machine(clock=clock, wall=wall),
        )
        self.resources = Resources(
            job, apart, self.robots, clock, wall, self._sleep, access.secret_names
        )
        """What pages ask for while a browser renders them."""
        self.admit_seed = resolver.admit_seed
        self._plain = Latest[str, None](MOST_PLAIN)
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Fetcher:
        self._stack.push_async_callback(self._resolver.close)
        await self._stack.enter_async_context(self._transport)
        self._stack.push_async_callback(self.robots.close)
        self._stack.push_async_callback(self.resources.close)
        self._stack.callback(asyncio.create_task(self._beat()).cancel)
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._stack.aclose()

    async def _beat(self) -> None:
        while True:
            self._machine.beat()
            await asyncio.sleep(_BEAT_S)

    async def resolve(self, host: str) -> str | None:
        """Return the IP address a host key is likeliest reached at, or None where DNS has none.

        The connector uses the same cache and tries this address first. None also where others need
        the slot. Behind a proxy, which looks names up itself, each host stands for its own.
        """
        if self._access.proxy_of(host) is not None:
            return host
        try:
            async with asyncio.timeout(None) as limit:
                with self._slots.waiting(host, lambda: limit.reschedule(0.0)):
                    answer = await self._resolver.lookup(hostname(host).strip("[]"))
        except TimeoutError:
            return None
        return answer.addresses[0] if answer.addresses else None

    async def fetch(
        self, task: FetchTask, delay_s: float, leads_on: LeadsOn = lambda url, with_cookies: False
    ) -> FetchOutcome:
        """Fetch one page; never raises for what the network or a server does.

        Redirects to the page itself are followed after `delay_s` each, at most `limits.redirects`
        of them, and so are those to other pages of the same origin that robots.txt allows and
        `leads_on` says may be asked: what comes of them is in `Redirected.then`. Any other redirect
        is returned and not followed.
        """
        started, limit, forbids = self._clock(), self._job.limits.redirects, self.robots.forbids
        trail = Trail(task, self._canonicalise, limit, leads_on, forbids, self._plain, self._wall)
        while True:
            try:
                last = await self._visit(trail)
            except Trouble as trouble:
                ended_by = trail.ended_by or trouble
                last = ended_by.failed(trail.task, self._wall(), trail.captures)
            except Unwanted as unwanted:
                kept = trail.captures if unwanted.reason is Skip.UNCHANGED else ()
                last = Skipped(trail.task, unwanted.reason, unwanted.detail, self._wall(), kept)
            else:
                if not isinstance(last, Hop) and trail.hop.cookies and trail.task is not task:
                    # A redirect to this page is no way through a cookie wall. Servers that set a
                    # cookie with every response and redirect many pages to one would be asked for
                    # that one again and again.
                    self._plain[trail.task.url] = None
            if not isinstance(last, Hop):
                break
            log.debug("%s: followed in place to %s", task.url, last.url)
            await self._slots.rest(self._sleep(delay_s))
        outcome = trail.outcome(last)
        if log.isEnabledFor(logging.DEBUG):
            _log_outcome(outcome, self._clock() - started)
        return outcome

    async def _visit(self, trail: Trail) -> FetchOutcome | Hop:
        """Ask for the next hop of a page, and return the page's end, or the hop that follows.

        Raises Trouble where there is no page, Unwanted where it is left out.
        """
        started, task, hop, limits = self._clock(), trail.task, trail.hop, self._job.fetch
        # An answer to cookies, or of another page on the way, is none to what was kept.
        asked_plainly = hop.url == task.url and not hop.cookies
        conditions = conditions_of(task.validators) if asked_plainly else {}
        recorder = None
        if self._job.storage.warc:
            recorder = Recorder(trail, self._wall(), self._access.secret_names)
        async with self._exchanges.open(hop.url, hop.cookies, conditions) as response:
            status, headers = response.status, response.headers
            try:
                limit_s = self._job.politeness.max_retry_after_s
                check_status(status, headers, self._wall(), limit_s)
            except Trouble as by_status:
                if recorder is not None:
                    trail.ended_by = by_status  # whatever becomes of its body
                    await recorder.read_error(response)
                raise
            if is_redirect(status, headers):
                if recorder is not None:
                    recorder.keep_unread(response)
                step = trail.follow(headers.first("location"), headers.all("set-cookie"), status)
                if isinstance(step, Hop):
                    return step
                if task.hops + 1 > (limit := self._job.limits.redirects):
                    raise Trouble(Failure.REDIRECT_LOOP, f"more than {limit} redirects", status)
                return Redirected(task, status, step, self._wall(), captures=trail.captures)
            if conditions and status == NOT_MODIFIED:
                if recorder is not None:
                    recorder.keep_unread(response)
                raise Unwanted(Skip.UNCHANGED, f"HTTP status {status}")
            if status in NO_CONTENT:
                raise Unwanted(Skip.NO_CONTENT, f"HTTP status {status}")
            kind = content_type(headers)
            lists = lists_pages(task, kind.media_type or "")
            if not (kind.media_type is None or kind.media_type in self._accepted or lists):
                raise Unwanted(Skip.CONTENT_TYPE, kind.media_type)
            announced = content_length(headers)
            if announced is not None and announced > limits.max_wire_bytes:
                raise Unwanted(Skip.TOO_LARGE, f"{announced} bytes announced")
            reader = BodyReader(response, limits.max_wire_bytes, limits.max_body_bytes)
            if kind.media_type is None and not lists:  # before all of it is loaded
                kind = type_of(kind, await reader.at_least(SNIFF_BYTES), self._accepted)
            body = await (recorder.read(response, reader) if recorder else reader.whole())
            if not lists:
                kind = type_of(kind, body, self._accepted)
        if not body and "refresh" not in headers:
            raise Unwanted(Skip.NO_CONTENT, "empty body")
        return Fetched(
            task=task,
            final_url=hop.final_url,
            status=status,
            media_type=kind.media_type or "",
            charset=kind.charset,
            headers=kept_headers(headers),
            asked_headers=named_headers(headers, self._job.extract.headers),
            body=body,
            wire_bytes=reader.wire_bytes,
            fetched_at=self._wall(),
            elapsed_s=self._clock() - started,
            unknown_encoding=reader.unknown_encoding,
            captures=trail.captures,
        )


def lists_pages(task: FetchTask, media_type: str) -> bool:
    """Whether a response of this type is read as a sitemap or feed.

    So are those that were found as such, of whatever type, and seeds that may be one.
    """
    return task.priority is Priority.SITEMAP or (task.seed and media_type in LISTING_TYPES)


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
