"""The live page over HTTP: three files, what a reader looks at, and what may be asked of the crawl.

The address is bound before anything else begins, and served while the crawl's event loop runs. GET
changes nothing; `guard` says which requests are answered.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from importlib.resources import files

import orjson
from aiohttp import web

from crawler.errors import ConfigError
from crawler.live.page import LivePage
from crawler.observe.guard import is_own_name, may_steer
from crawler.observe.watching import Steering
from crawler.printing import json_of
from crawler.records import Batch
from crawler.report.page import stylesheet

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
def listening(host: str, port: int, page: LivePage) -> Iterator[LiveServer]:
    """Hold an address while the context lasts; ConfigError where nobody can listen there.

    `port` 0 is any that is free.
    """
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.create_server(where[:2], family=family)
    except (OSError, UnicodeError) as error:
        raise ConfigError(
            f"--live {host}:{port}: cannot listen there: {error}; choose another address"
        ) from None
    with bound:
        yield LiveServer(bound, host, page)


class LiveServer:
    """Serves the live page of one run, at a bound address."""

    def __init__(self, bound: socket.socket, host: str, page: LivePage) -> None:
        """`host` is what it was bound to, as its user wrote it."""
        self._bound = bound
        self._host = host
        self._page = page
        self.port = int(bound.getsockname()[1])
        self._told_end = asyncio.Event()

    def add(self, batch: Batch) -> None:
        """Hear of a URL's end."""
        self._page.add(batch)

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
        html = _file("page.html").replace("TOKEN", page.token)
        style = stylesheet() + _file("page.css")
        steer = {"pause": page.pause, "go-on": page.go_on, "stop": page.stop}
        hosts = {"stop-host": page.stop_host, "release-host": page.release_host}
        application.add_routes(
            [
                web.get("/", _serve(html, "text/html")),
                web.get("/page.css", _serve(style, "text/css")),
                web.get("/page.js", _serve(_file("page.js"), "text/javascript")),
                web.get("/look", self._look),
                *(web.post(f"/{name}", _steer(ask)) for name, ask in steer.items()),
                *(web.post(f"/{name}", _steer_host(ask)) for name, ask in hosts.items()),
            ]
        )
        return application

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer what may be answered, with the headers that every answer has."""
        if not is_own_name(request.headers.get("Host", ""), self._host):
            response: web.StreamResponse = _refused("this page is not served under that name")
        elif request.method == "POST" and not may_steer(request.headers, self._page.token):
            response = _refused("asked by another page; reload this one")
        else:
            try:
                response = await handler(request)
            except web.HTTPException as error:
                response = _json({"error": error.reason}, error.status)
        response.headers.update(HEADERS)
        self._drop_if_slow(request)
        return response

    @staticmethod
    def _drop_if_slow(request: web.Request) -> None:
        transport = request.transport
        if transport is not None and transport.get_write_buffer_size() > MOST_UNREAD_BYTES:
            transport.abort()

    async def _look(self, request: web.Request) -> web.Response:
        after = request.query.get("after", "0")
        number = int(after) if after.isascii() and after.isdigit() and len(after) < 16 else 0
        told = self._page.look(number)
        if self._page.all_told:
            self._told_end.set()
        return _json(told)


def _file(name: str) -> str:
    return files("crawler.live").joinpath(name).read_text(encoding="utf-8")


def _serve(text: str, media_type: str) -> Handler:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(text=text, content_type=media_type)

    return answer


def _steer(ask: Callable[[], bool]) -> Handler:
    """Return what answers a request for something that concerns the whole run."""

    async def answer(request: web.Request) -> web.Response:
        return _done(ask())

    return answer


def _steer_host(ask: Callable[[str], bool]) -> Handler:
    """Return the same for one host, which the body names: `{"host": "site.example"}`."""

    async def answer(request: web.Request) -> web.Response:
        try:
            asked = orjson.loads(await request.read())
        except orjson.JSONDecodeError:
            asked = None
        host = asked.get("host") if isinstance(asked, dict) else None
        if not isinstance(host, str):
            return _json({"error": 'the body must be {"host": NAME}'}, 400)
        return _done(ask(host))

    return answer


def _done(done: bool) -> web.Response:
    return _json({"done": True}) if done else _json({"error": "that cannot be done now"}, 409)


def _refused(why: str) -> web.Response:
    return _json({"error": why}, 403)


def _json(value: Mapping[str, object], status: int = 200) -> web.Response:
    return web.Response(body=json_of(value), status=status, content_type="application/json")
