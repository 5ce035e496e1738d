"""What a page asks for while a browser renders it: asked by this crawler, in the browser's place.

A browser of this crawler has no network (`crawler.fetch.browser`): each of its requests is answered
from here, so that nothing leaves the machine but by the transport and its address guard, and
robots.txt, time limits, caps and archives hold as they do for pages. A redirect is followed here,
hop by hop under the same rules, since a browser would follow it unseen.

A crawl asks for a resource once: what was answered is kept for the run, and told to all pages. So
an application's scripts cost its host one visit each, and two pages that show the same data show
the same state of it.

While a page is rendered its requests follow each other without a pause, as many at once as a host
may be asked (`politeness.per_host`): a page that waited a second for each of its scripts would
never be whole. They are paid for afterwards. `Visit.asked` counts them by host; the frontier leaves
those hosts alone for as many pauses (`Frontier.owes`), and the next rendering waits for hosts that
only serve resources.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from crawler import config
from crawler.fetch.addresses import SingleFlight
from crawler.fetch.exchange import Exchanges
from crawler.fetch.response import (
    BodyReader,
    Response,
    captured,
    is_redirect,
    resolve_location,
)
from crawler.fetch.robots_cache import BoundedCache, Robots
from crawler.fetch.trouble import Trouble, Unwanted
from crawler.frontier.failures import LASTING
from crawler.frontier.scope import HostOverrides
from crawler.models import Capture, Failure
from crawler.urls import Canonicaliser, host_key, origin

HELD_BYTES = 64 * 1024 * 1024
"""Of answers: the scripts of some fifty applications, or thirty thousand small answers."""

_ENTRY_BYTES = 2_000

_OF_TRAVEL = frozenset(
    {
        "connection",
        "content-encoding",
        "content-length",
        "keep-alive",
        "set-cookie",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Fields of a response that speak of how it travelled, and cookies, which nobody keeps here."""

_SAID = frozenset({"accept", "accept-language", "origin", "referer", "x-requested-with"})
"""Fields of a browser's request that are sent on, beside those that scripts have made up."""
_OWN = frozenset({"cookie", "host", "user-agent", "range", "priority", "upgrade-insecure-requests"})


_PASSING = frozenset({408, 429, *range(500, 600)})
"""What a server says of the moment, and not of what it was asked for."""


class Refused(Exception):
    """A request that is not made, and why."""


@dataclass(frozen=True, slots=True)
class Resource:
    """What a server answered, whatever its status, whole and with its codings undone."""

    status: int
    headers: dict[str, str]
    """Names in lower case; what speaks of the way it travelled is left out."""
    body: bytes


@dataclass(slots=True)
class Visit:
    """What one page may ask for while it is rendered, and what it has asked for."""

    most_requests: int
    bytes_left: int
    asked: Counter[str] = field(default_factory=Counter)
    """Requests to servers, by host key."""
    wire_bytes: int = 0
    captures: list[Capture] = field(default_factory=list)
    strangers: int = 0
    """Requests to other domains than the page's own, whatever came of them."""
    trouble: str | None = None
    """The first thing of the page's own domain that it went without, since no answer came."""

    @property
    def requests(self) -> int:
        """How many requests went to servers."""
        return self.asked.total()


class Resources:
    """Asks for what pages need to be rendered. `clock` is monotonic, `sleep` waits for seconds."""

    def __init__(
        self,
        job: config.Job,
        exchanges: Exchanges,
        robots: Robots,
        clock: Callable[[], float],
        wall: Callable[[], float],
        sleep: Callable[[float], Awaitable[object]],
        secret: frozenset[str],
    ) -> None:
        """`secret` are names of header fields that no archive may have, in lower case."""
        self._job = job
        self._secret = secret
        self._exchanges = exchanges
        self._robots = robots
        self._manners = HostOverrides(job).manners
        self._clock = clock
        self._wall = wall
        self._sleep = sleep
        self._canonicalise = Canonicaliser(frozenset())
        self._held: BoundedCache[str, Resource | Refused] = BoundedCache(
            HELD_BYTES,
            lambda it: _ENTRY_BYTES + (len(it.body) if isinstance(it, Resource) else 0),
        )
        self._flights: SingleFlight[str, Resource | Trouble | Refused] = SingleFlight()
        self._slots: dict[str, asyncio.Semaphore] = {}
        self._due: dict[str, float] = {}
        """When hosts may be asked again that only serve resources."""
        self._delays: dict[str, float] = {}
        """Their Crawl-delay."""

    async def close(self) -> None:
        """Cancel requests under way."""
        await self._flights.close()

    def left(self, visit: Visit) -> None:
        """A page has been rendered: the hosts that it had asked are owed their pauses."""
        now = self._clock()
        for host, count in visit.asked.items():
            delay_s = max(self._manners(host).delay_s, self._delays.get(host, 0.0))
            until = now + count * delay_s
            self._due[host] = max(self._due.get(host, 0.0), until)
        for host in [host for host, until in self._due.items() if until <= now]:
            del self._due[host]

    async def get(self, visit: Visit, url: str, headers: Mapping[str, str]) -> Resource:
        """Return what a server answers to a request of a page.

        Raises Refused for what is not asked for, Trouble where no answer came.
        """
        target = self._canonicalise(url)
        if target is None:
            raise Refused("not an http(s) URL")
        sent = {
            name: value
            for name, value in headers.items()
            if name in _SAID or not (name in _OWN or name.startswith(("sec-", ":", "accept-")))
        }
        # By which page it is asked for first does not matter.
        told = sorted(sent.items() - {("referer", sent.get("referer", ""))})
        key = "\n".join([target, *map(": ".join, told)])
        found = self._held.get(key)
        if found is None:
            if visit.requests >= visit.most_requests:
                raise Refused(f"more than {visit.most_requests} requests")
            answer = await self._flights.run(key, lambda: self._ask(target, sent, visit))
            if isinstance(answer, Trouble):
                raise answer  # the next page may be told more
            if isinstance(answer, Refused) or answer.status not in _PASSING:
                self._held.put(key, answer)
            found = answer
        if isinstance(found, Refused):
            raise Refused(*found.args)  # the kept one would gather tracebacks
        if (left := visit.bytes_left - len(found.body)) < 0:
            raise Refused(f"more than {self._job.browser.bytes} bytes")
        visit.bytes_left = left
        return found

    async def _ask(
        self, url: str, headers: Mapping[str, str], visit: Visit
    ) -> Resource | Trouble | Refused:
        """Ask for a resource and follow its redirects; what fails is a value, for all who wait."""
        try:
            for _ in range(self._job.limits.redirects + 1):
                answer = await self._once(url, headers, visit)
                if isinstance(answer, Resource):
                    return answer
                url = answer
            return Refused("too many redirects")
        except (Trouble, Refused) as error:
            return error
        except Unwanted as unwanted:
            return Refused(unwanted.detail)

    async def _once(self, url: str, headers: Mapping[str, str], visit: Visit) -> Resource | str:
        """Send one request; return what it brought, or where a redirect leads."""
        host, place = host_key(url), origin(url)
        per_host = asyncio.Semaphore(self._manners(host).per_host)
        async with self._slots.setdefault(host, per_host):
            if host not in visit.asked and (due := self._due.get(host, 0.0)) > self._clock():
                await self._sleep(due - self._clock())
            await self._obey(place, visit)
            if not self._robots.allowed(url):
                raise Refused("disallowed by robots.txt")
            visit.asked[host] += 1
            async with self._exchanges.open(url, conditions=headers) as response:
                limits = self._job.fetch
                reader = BodyReader(response, limits.max_wire_bytes, limits.max_body_bytes)
                at = self._wall()
                if is_redirect(response.status, response.headers):
                    self._keep(visit, url, at, response, b"")
                    led = resolve_location(response.headers.first("location"), url)
                    if (target := self._canonicalise(led)) is None:
                        raise Refused("redirected to no http(s) URL")
                    return target
                body = await reader.whole()
                visit.wire_bytes += reader.wire_bytes
                self._keep(visit, url, at, response, body)
                came = response.headers
                told = {name: came.joined(name) for name in came if name not in _OF_TRAVEL}
                return Resource(response.status, told, body)

    async def _obey(self, place: str, visit: Visit) -> None:
        """Have the robots.txt of an origin known, which is asked for if need be.

        Raises Refused where its host can never be asked, Trouble where it may be later.
        """
        host = host_key(place)
        for _ in range(self._job.limits.redirects + 1):
            rules = await self._robots.refresh(place)
            visit.asked[host] += rules.requested
            self._delays[host] = rules.crawl_delay_s or 0.0
            if rules.known:
                return
            if rules.failure is not None and rules.failure.failure in LASTING:
                raise Refused(f"its host cannot be asked: {rules.failure.detail}")
            if rules.moved_to is None:
                break
        raise Trouble(Failure.RENDER, f"the robots.txt of {place} cannot be read")

    def _keep(self, visit: Visit, url: str, at: float, response: Response, body: bytes) -> None:
        if self._job.storage.warc:
            visit.captures.append(captured(response, url, at, self._secret, body))
