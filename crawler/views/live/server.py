"""The live page over HTTP.

Its files, what a reader looks at, and what may be asked of the crawl.
"""

from __future__ import annotations

import asyncio
import secrets
import signal
import socket
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
from aiohttp import web

from crawler.console import command, json_of, safe
from crawler.errors import CannotListen
from crawler.frontier.view import HostState
from crawler.models import EXACT_PAYLOAD, EXACT_TEXT, NEAR, SIBLING, PageOutcome, UrlState
from crawler.observe.health import HEALTHZ, READYZ, Health
from crawler.observe.watching import Phase, Sight, Steering, is_own_name, may_steer
from crawler.views.live.ends import End, Entry, end_of, shown
from crawler.views.render import packaged
from crawler.views.report.page import stylesheet

STRETCH_S = 5
"""Seconds of one bar of the chart."""
STRETCHES = 120
"""Bars: ten minutes."""
RATE_OVER = 3
"""Bars that the rate is taken over, the one that is not full among them."""

HOSTS_HEARD = 60
"""Hosts that are named because they ended something lately."""

VERDICTS = ("new", SIBLING, NEAR, EXACT_TEXT, EXACT_PAYLOAD, "unjudged")
"""Kinds of pages, as the chart stacks them; all other ends are `rest`."""
KINDS = (*VERDICTS, "rest")

_PAGES = (UrlState.STORED, UrlState.DUPLICATE)


class Rates:
    """Counts ends by kind, for ten minutes. Times are monotonic, in seconds."""

    def __init__(self, begun_at: float) -> None:
        self._begun_at = begun_at
        self._bars: deque[tuple[int, Counter[str]]] = deque(maxlen=STRETCHES)

    def add(self, outcome: PageOutcome | End, at: float) -> None:
        """Count an end."""
        stretch = int(at) // STRETCH_S
        if not self._bars or self._bars[-1][0] != stretch:
            self._bars.append((stretch, Counter()))
        known = outcome.state in _PAGES and outcome.detail in VERDICTS
        self._bars[-1][1][outcome.detail if known else "rest"] += 1

    def bars(self, now: float) -> list[list[int]]:
        """Return the counts of each stretch up to now, oldest first, in the order of `KINDS`."""
        by_stretch = dict(self._bars)
        last = int(now) // STRETCH_S
        first = max(int(self._begun_at) // STRETCH_S, last - STRETCHES + 1)
        nothing = Counter[str]()
        counts = (by_stretch.get(stretch, nothing) for stretch in range(first, last + 1))
        return [[count[kind] for kind in KINDS] for count in counts]

    def pages_a_second(self, now: float) -> float:
        """Return how many pages were judged a second, over the last 10 to 15 seconds."""
        since = max(self._begun_at, float((int(now) // STRETCH_S - RATE_OVER + 1) * STRETCH_S))
        pages = sum(sum(bar[:-1]) for bar in self.bars(now)[-RATE_OVER:])
        return pages / max(now - since, 1.0)


class Hosts:
    """The hosts that ended something last, with what; the latest `HOSTS_HEARD` of them."""

    def __init__(self) -> None:
        self._counts: OrderedDict[str, list[int]] = OrderedDict()

    def add(self, host: str, outcome: PageOutcome | End) -> None:
        """Count an end of a host."""
        counts = self._counts.setdefault(host, [0, 0, 0])
        self._counts.move_to_end(host)
        if outcome.state in _PAGES:
            counts[outcome.state is UrlState.DUPLICATE] += 1
        else:
            counts[2] += outcome.state is UrlState.FAILED
        if len(self._counts) > HOSTS_HEARD:
            self._counts.popitem(last=False)

    @property
    def latest(self) -> list[str]:
        """Their names, the last one first."""
        return list(reversed(self._counts))

    def of(self, host: str) -> tuple[int, int, int]:
        """Return (stored, duplicates, failed) of a host since it was first among the latest."""
        stored, duplicates, failed = self._counts.get(host, (0, 0, 0))
        return stored, duplicates, failed


MOST_KEPT = 200
"""Ends that a reader can be given: some minutes of a polite crawl, seconds of a fast one."""
FRESH_S = 0.5
"""How old the numbers may be that a reader is given: they are made once for all readers."""

OTHER_HOSTS = 40
"""Hosts shown beside those that ended something lately and the stopped ones."""

READING_S = 3.0
"""Who has asked within this time is still there."""

ENDED = "ended"
"""The phase after the last one of a run."""


class LivePage:
    """Keeps what is shown of one run, and hands on what is asked of it.

    `stop` ends the run as Ctrl-C does; `clock` is monotonic. Belongs to the run's event loop, like
    the run.
    """

    def __init__(
        self,
        directory: Path,
        stop: Callable[[], object] = lambda: signal.raise_signal(signal.SIGINT),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory = directory
        self._stop = stop
        self._clock = clock
        self._begun_at = clock()
        self._feed: deque[Entry] = deque(maxlen=MOST_KEPT)
        """The last ends by number, from 1 on: words, and nothing of a page's text."""
        self._ends = 0
        self._rates = Rates(self._begun_at)
        self._hosts = Hosts()
        self._run: Steering | None = None
        self._last: tuple[float, dict[str, Any]] | None = None
        self._asked_at: float | None = None
        self._stopping = False
        self.ended = False
        """Whether the run is over."""
        self.all_told = False
        """Whether a reader has been told so."""
        self.token = secrets.token_urlsafe(24)
        """What a request must have that asks for something."""
        self.name = secrets.token_hex(4)
        """Of this run: a reader that sees another one begins anew."""

    def begin(self, run: Steering) -> None:
        """Show this run."""
        self._run = run

    def end(self) -> None:
        """The run is over: what it was last is what is shown from now on."""
        self._numbers(anew=True)
        self.ended = True

    def add(self, end: End) -> None:
        """Hear of a URL's end."""
        self._rates.add(end, self._clock())
        if end.entry is not None:
            self._ends += 1
            self._feed.append({"number": self._ends, "at": time.time(), **end.entry})
            self._hosts.add(end.host, end)

    @property
    def is_read(self) -> bool:
        """Whether somebody has looked a moment ago."""
        return self._asked_at is not None and self._clock() - self._asked_at < READING_S

    def look(self, after: int) -> dict[str, Any]:
        """Return the page's data, with the ends after this number; JSON-ready."""
        self._asked_at = self._clock()
        self.all_told = self.ended
        feed = [end for end in self._feed if end["number"] > after]
        return {**self._numbers(), "run": self.name, "last": self._ends, "feed": feed}

    def _numbers(self, *, anew: bool = False) -> dict[str, Any]:
        now = self._clock()
        stale = anew or self._last is None or now - self._last[0] >= FRESH_S
        if stale and self._run is not None and not self.ended:
            sight = self._run.look(self._hosts.latest, OTHER_HOSTS)
            self._last = now, self._told(sight, now)
        numbers = self._last[1] if self._last else {}
        return {**numbers, "phase": ENDED} if self.ended else numbers

    def _told(self, sight: Sight, now: float) -> dict[str, Any]:
        # By name, those that are stopped first: rows that move are pressed by mistake.
        hosts = sorted(
            sight.hosts, key=lambda host: (host.state is not HostState.STOPPED, host.name)
        )
        ends = ("stored", "duplicates", "failed")
        queue = "seen pending in_memory known_hosts aside unread reading".split()
        return {
            "name": safe(self._directory.name),
            "phase": sight.phase.value,
            "elapsed_s": round(now - self._begun_at, 1),
            "pages_a_second": round(self._rates.pages_a_second(now), 2),
            "ends": {state.name.lower(): number for state, number in sight.ends.items()},
            "wire_bytes": sight.wire_bytes,
            "queue": {name: getattr(sight, name) for name in queue},
            "stall_p99_s": sight.stall_p99_s,
            "hosts": [
                asdict(host) | dict(zip(ends, self._hosts.of(host.name), strict=True))
                for host in hosts
            ],
            "rules": {
                "count": sight.rules.number,
                "urls": sight.rules.urls,
                "waiting": [(shown(rule), urls) for rule, urls in sight.rules.waiting],
                "turns": [
                    {"rule": shown(rule), "came": came, "ago_s": round(ago_s, 1)}
                    for rule, came, ago_s in sight.rules.turns
                ],
                "released": [*map(shown, sight.rules.released)],
            },
            "kinds": KINDS,
            "stretch_s": STRETCH_S,
            "bars": self._rates.bars(now),
            "report": command("report", self._directory),
            "resume": command("resume", self._directory),
        }

    def ask(self, what: str, *host: str) -> bool:
        """Ask something of the run; return whether it could be done, which the next look shows.

        Nothing can of a run that has not begun, or has ended. A host that is stopped is asked for
        nothing more in this run; a run ends as by one Ctrl-C, not by a second one, which would drop
        what is under way.
        """
        run = self._run
        if run is None or self.ended:
            return False
        self._last = None
        match what:
            case "pause":
                run.pause()
                return run.look((), 0).phase is Phase.PAUSED
            case "go-on":
                run.go_on()
                return run.look((), 0).phase is Phase.RUNNING
            case "stop":
                is_ending = run.look((), 0).phase in (Phase.STOPPING, Phase.CLOSING)
                if not (self._stopping or is_ending):
                    self._stopping = True
                    self._stop()
                return True
            case "stop-host":
                return run.stop_host(*host)
            case _:
                return run.release_host(*host)


# The live page over HTTP: three files, what a reader looks at, and what may be asked of the crawl.
#
# The address is bound before anything else begins, and served while the crawl's event loop runs.
# GET changes nothing; `guard` says which requests are answered.

LINGER_S = 2.5
"""How long the end of a crawl waits for who has looked a moment ago to hear of it."""

MOST_UNREAD_BYTES = 1_000_000
"""What may wait for one slow reader; then it is dropped. A look has some 100 kB at most."""

MOST_ASKED_BYTES = 4_096
"""The longest body of a request: it names a host."""

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@contextmanager
def listening(
    host: str, port: int, page: LivePage, health: Health | None = None
) -> Iterator[LiveServer]:
    """Hold an address while the context lasts; CannotListen where nobody can.

    `port` 0 is any that is free. With `health` probes are answered, too.
    """
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.create_server(where[:2], family=family)
    except (OSError, UnicodeError) as error:
        raise CannotListen("--live", host, port, error) from None
    with bound:
        yield LiveServer(bound, host, page, health)


class LiveServer:
    """Serves the live page of one run, at a bound address."""

    def __init__(
        self, bound: socket.socket, host: str, page: LivePage, health: Health | None = None
    ) -> None:
        """`host` is what it was bound to, as its user wrote it."""
        self._health = health
        self._bound = bound
        self._host = host
        self._page = page
        self.port = int(bound.getsockname()[1])
        self._told_end = asyncio.Event()

    def add(self, outcome: PageOutcome) -> None:
        """Hear of a URL's end."""
        self._page.add(end_of(outcome))

    def hear(self, end: End) -> None:
        """Hear of the end of a URL in another process."""
        self._page.add(end)

    @asynccontextmanager
    async def watching(self, run: Steering) -> AsyncIterator[None]:
        """Serve the page of a run while the context lasts, and for a moment to tell its end."""
        self._page.begin(run)
        runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        try:
            await web.SockSite(runner, self._bound).start()
            try:
                yield
            finally:
                self._page.end()
            if self._page.is_read:
                with suppress(TimeoutError):
                    async with asyncio.timeout(LINGER_S):
                        await self._told_end.wait()
        finally:
            await runner.cleanup()

    def _application(self) -> web.Application:
        page, guarded = self._page, self._guarded
        application = web.Application(middlewares=[guarded], client_max_size=MOST_ASKED_BYTES)
        html = packaged(__package__, "page.html").replace("TOKEN", page.token)
        style = stylesheet() + packaged(__package__, "page.css")
        application.add_routes(
            [
                web.get("/", _serve(html, "text/html")),
                web.get("/page.css", _serve(style, "text/css")),
                web.get("/page.js", _serve(packaged(__package__, "page.js"), "text/javascript")),
                web.get("/look", self._look),
                web.get(HEALTHZ, self._probed),
                web.get(READYZ, self._probed),
                *(web.post(f"/{what}", self._steer) for what in ("pause", "go-on", "stop")),
                *(web.post(f"/{what}", self._steer) for what in ("stop-host", "release-host")),
            ]
        )
        return application

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer what may be answered, with the headers that every answer has."""
        if not is_own_name(request.headers.get("Host", ""), self._host):
            why = "this page is not served under that name"
            response: web.StreamResponse = _json({"error": why}, 403)
        elif request.method == "POST" and not may_steer(request.headers, self._page.token):
            response = _json({"error": "asked by another page; reload this one"}, 403)
        else:
            try:
                response = await handler(request)
            except web.HTTPException as error:
                response = _json({"error": error.reason}, error.status)
        response.headers.update(HEADERS)
        transport = request.transport
        if transport is not None and transport.get_write_buffer_size() > MOST_UNREAD_BYTES:
            transport.abort()
        return response

    async def _steer(self, request: web.Request) -> web.Response:
        """Ask for what the path says; the body names a host: `{"host": "site.example"}`."""
        what, named = request.path.strip("/"), list[str]()
        if what.endswith("-host"):
            host = None
            with suppress(orjson.JSONDecodeError, AttributeError):  # no JSON, or no object
                host = orjson.loads(await request.read()).get("host")
            if not isinstance(host, str):
                return _json({"error": 'the body must be {"host": NAME}'}, 400)
            named.append(host)
        if self._page.ask(what, *named):
            return _json({"done": True})
        return _json({"error": "that cannot be done now"}, 409)

    async def _probed(self, request: web.Request) -> web.Response:
        if self._health is None:
            raise web.HTTPNotFound
        status, text = self._health.answer(request.path)
        return web.Response(text=text, status=status)

    async def _look(self, request: web.Request) -> web.Response:
        after = request.query.get("after", "0")
        number = int(after) if after.isascii() and after.isdigit() and len(after) < 16 else 0
        told = self._page.look(number)
        if self._page.all_told:
            self._told_end.set()
        return _json(told)


def _serve(text: str, media_type: str) -> Handler:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(text=text, content_type=media_type)

    return answer


def _json(value: Mapping[str, object], status: int = 200) -> web.Response:
    return web.Response(body=json_of(value), status=status, content_type="application/json")
