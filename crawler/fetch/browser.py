"""Chromium, which renders pages, over Playwright (extra `browser`): the only module that knows it.

The browser has no network. It is started with a proxy that nobody listens at, for loopback as well,
and without names, QUIC and WebRTC of its own; and each request of a page is taken from it before it
is sent, and answered by `crawler.fetch.resources`, or not at all. So what a page tries beside that
(sockets, beacons, redirects, workers, prefetching, names that change their address) leads nowhere,
whatever of it is not seen here. Not chosen: a proxy of our own for all of its traffic. What goes by
TLS it could only let pass as it is, without robots.txt, caps or archive, or read with a certificate
of its own; and a page's own answer, which the crawler has already, would be asked for twice.

Each page finds a browser without cookies and storage of another, a fixed window, time zone and
language, and random numbers that are always the same. Its time is virtual: it stands still
while an answer is under way, and leaps to the next timer where nothing else is to do. So the four
seconds that a page is given take as long as its scripts compute, and are the same on every machine.
It is ready when it shows the same for half a second more; what never settles is taken as it is.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shutil
import signal
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler.config import Job
from crawler.dedup.pictures import picture_of
from crawler.errors import ConfigError, NotInstalled
from crawler.fetch.resources import Refused, Resources, Visit
from crawler.fetch.trouble import Trouble, printable
from crawler.models import Failure, Picture
from crawler.urls import host_key, origin, registrable_domain, without_route

if TYPE_CHECKING:
    from playwright.async_api import (
        Browser,
        BrowserContext,
        CDPSession,
        Dialog,
        Page,
        Playwright,
        Request,
        Route,
    )

log = logging.getLogger(__name__)

PROGRAMS = (
    # These draw no window around a page, which takes a third of the time.
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
)
"""What the program is called on systems that have one."""

_GIVEN_MS = 4_000
"""Virtual time that a page has for what it does by timers: splash screens, debounced requests."""

_QUIET_MS = 500
"""A page that shows the same after so much more of it is ready."""

_MOST_LOOKS = 10
"""How often a page is looked at that goes on changing."""

PENDING_S = 5.0
"""An answer that a page waits for longer does not keep it from being ready: some never end."""

_SCROLLS = 4
"""How often its reader has scrolled down by then: a list without an end is read so far."""

_HANGS = 2
"""A browser that has not come to an end in so many times a page's time hangs, and is ended."""

_CHECKED_S = 0.5
"""How often it is seen whether an answer is such a one."""

_STARVED = 10_000
"""Tasks that a page may run without a timer before its time moves on nevertheless."""

_CLOSING_S = 5.0

HEAP_MB = 512
"""Memory for the scripts of a page."""

_LOOKS = frozenset({"font", "image", "stylesheet"})
"""What is asked for besides where a page's looks are compared."""

_ASKED = frozenset({"script", "xhr", "fetch"})
"""What is asked for: what can bring text. No pictures, fonts, films and documents in frames, which
are pages of their own; nothing that only reports to somebody."""

_SWITCHES = (
    "--disable-quic",
    # Each name is known to some versions; a page could else send to any address by UDP.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--dns-prefetch-disable",
    "--no-pings",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    f"--js-flags=--max-old-space-size={HEAP_MB}",
)

_NOWHERE = "http://127.0.0.1:9"
"""Its proxy: the discard port (RFC 863), at which nobody listens; no connection is ever wanted."""

_BEFORE = """(() => {
  try { sessionStorage.clear(); } catch (refused) { /* a document without an origin */ }
  globalThis.name = "";
  let reads = 0;
  const late = () => Math.floor(reads++ / 100), Real = Date, ran = performance.now;
  performance.now = () => ran.call(performance) + late();
  globalThis.Date = new Proxy(Real, {
    construct: (target, given, as) =>
      Reflect.construct(target, given.length ? given : [Real.now() + late()], as),
    apply: () => new Real(Real.now() + late()).toString(),
    get: (target, name) =>
      name === "now" ? () => Real.now() + late() : Reflect.get(target, name),
  });
  let state = 1;
  const next = () => (state = (state * 48271) % 2147483647);
  Math.random = () => (next() - 1) / 2147483646;
  crypto.getRandomValues = (array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = next();
    return array;
  };
  delete globalThis.RTCPeerConnection;
  delete globalThis.webkitRTCPeerConnection;
  const noted = {routes: new Set(), scrolls: false};
  const leads = (url) => noted.routes.add(String(new URL(url, location.href)));
  Object.defineProperty(globalThis, "__noted", {value: noted});
  for (const name of ["pushState", "replaceState"]) {
    const own = history[name];
    history[name] = function (state, unused, url) {
      if (url != null) leads(url);
      return own.apply(this, arguments);
    };
  }
  globalThis.open = (url) => {
    if (url) leads(url);
    return null;
  };
  const {open, close} = Document.prototype, {replaceState} = History.prototype;
  noted.leave = () => {
    try {
      open.call(document);
      close.call(document);
      replaceState.call(history, null, "", "?left");
      return true;
    } catch (isXml) { return false; }
  };
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (how) {
    return attach.call(this, {...how, mode: "open"});
  };
  const watched = new Map();
  globalThis.IntersectionObserver = class extends IntersectionObserver {
    constructor(tell, how) { super(tell, how); watched.set(this, [tell, new Set()]); }
    observe(target) { super.observe(target); watched.get(this)[1].add(target); }
    unobserve(target) { super.unobserve(target); watched.get(this)[1].delete(target); }
    disconnect() { super.disconnect(); watched.get(this)[1].clear(); }
  };
  noted.scroll = () => {
    if (noted.scrolls) {
      scrollTo(0, document.documentElement.scrollHeight);
      dispatchEvent(new Event("scroll"));
      document.dispatchEvent(new Event("scroll", {bubbles: true}));
    }
    for (const [observer, [tell, targets]] of watched) {
      const entries = [...targets].map((target) => {
        const at = target.getBoundingClientRect();
        return {target, time: performance.now(), isIntersecting: true, intersectionRatio: 1,
          boundingClientRect: at, intersectionRect: at, rootBounds: null};
      });
      try { if (entries.length) tell.call(observer, entries, observer); } catch (error) {
        reportError(error);
      }
    }
  };
  const listen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type) {
    if (type === "scroll") noted.scrolls = true;
    return listen.apply(this, arguments);
  };
})();"""
"""Run before a page's own scripts: chance stands still; routes are noted, and what is to happen as
readers scroll. The random numbers are those of Park and Miller ("minimal standard",
48271 and 2^31 - 1). Who asks for the time moves it on: virtual time would stand still for a script
that waits for it without a timer."""

_INSIDE = """
  const inside = (root) => [...root.querySelectorAll("*")].flatMap((element) => {
    if (element.shadowRoot) return [[element, element.shadowRoot]];
    if (element.tagName !== "IFRAME") return [];
    const frame = element.contentDocument
      || new DOMParser().parseFromString(element.srcdoc, "text/html");
    return frame.body && frame.body.childNodes.length ? [[element, frame.body]] : [];
  });
"""
"""What is shown within a page and is no part of its document: shadow roots, and frames whose text
has no address, since the page gave it to them; each with the element that shows it."""

_LOOK = (
    "(scrolls) => {"
    + _INSIDE
    + """
  const shown = (root) =>
    [root.innerText ?? root.textContent, ...inside(root).map(([, inner]) => shown(inner))].join();
  const text = document.body ? shown(document.body) : "";
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
  if (scrolls) globalThis.__noted?.scroll();
  return text.length + " " + hash;
}"""
)
"""Returns what a page shows, as a digest, and then does what it does as its reader scrolls down.

It is told so, and not made to see it: frames are drawn by the real clock."""

_TAKE = (
    "([most, leads]) => {"
    + _INSIDE
    + """
  const inline = (root) => {
    for (const [element, inner] of inside(root)) {
      inline(inner);
      if (inner === element.shadowRoot) {
        const given = [...element.childNodes];
        for (const slot of inner.querySelectorAll("slot")) {
          const own = given.filter((node) => (node.slot || "") === (slot.name || ""));
          if (own.length) slot.replaceWith(...own);
        }
        element.replaceChildren(...inner.childNodes);
      } else {
        for (const link of inner.querySelectorAll("a[href]")) link.href = link.href;
        const shown = document.createElement("div");
        for (const {name, value} of element.attributes) shown.setAttribute(name, value);
        shown.append(...inner.childNodes);
        element.replaceWith(shown);
      }
    }
  };
  const covering = () => {
    const middle = (root) => root.elementFromPoint(innerWidth / 2, innerHeight / 2);
    let at = middle(document);
    for (let inner; (inner = at?.shadowRoot && middle(at.shadowRoot)) && inner !== at;) at = inner;
    for (; at && at !== document.body; at = at.parentElement || at.getRootNode().host) {
      const modal = at.matches("dialog[open], [aria-modal=true], [role=dialog]");
      if (!modal && getComputedStyle(at).position !== "fixed") continue;
      const words = at.innerText.trim();
      if (words && at.querySelector("button, [role=button], input, a[href]")) return words;
    }
    return null;
  };
  const overlay = covering();
  inline(document);
  const left = "script:not([type='application/ld+json' i]), noscript, style, template";
  for (const element of document.querySelectorAll(left)) element.remove();
  for (const url of [...(globalThis.__noted?.routes || []), ...leads]) {
    const link = document.createElement("a");
    link.href = url;
    link.hidden = true;
    document.body.append(link);
  }
  const html = "<!doctype html>" + document.documentElement.outerHTML;
  return [html.length <= most ? html : null, overlay];
}"""
)
"""Returns the page as it stands. What stands in shadow roots and frames is put where it is shown,
routes become links that nobody sees; scripts and what is there for readers without them are left
out."""

_MOST_OF_OVERLAY = 200


def program(job: Job) -> str:
    """Return the path of the browser's program. Raises ConfigError where there is none."""
    given = job.browser.path
    if given is not None:
        if not os.access(given, os.X_OK) or given.is_dir():
            raise ConfigError(f"browser.path: {given} is no program")
        return str(given)
    for name in PROGRAMS:
        if (found := shutil.which(name)) is not None:
            return found
    raise ConfigError(
        f"fetch.browser: no Chromium is installed (looked for {', '.join(PROGRAMS)}); install the "
        "system's (`apt-get install chromium`), or name it in browser.path"
    )


def check_browser(job: Job) -> None:
    """Raise ConfigError where a job asks for a browser, and package or program are missing."""
    if not job.renders:
        return
    for package in ("playwright", *(("imagehash", "PIL") if job.dedup.visual else ())):
        if find_spec(package) is None:
            instead = "say `fetch.browser: never`"
            raise NotInstalled("fetch.browser", package, "browser", instead)
    program(job)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page as a browser shows it."""

    html: str
    settled: bool
    overlay: str | None
    """See `Rendered.overlay`."""
    seconds: float
    visit: Visit
    """What it has asked for."""
    picture: Picture | None
    """Of its first screen, where the job compares by eye and there is something on it."""


class Browsers:
    """Renders pages, each in one of a few browsers; open in a block.

    A browser is begun when a page comes for it, and ended after `browser.pages` of them, or with
    the first that it breaks on. `kill -9` of this process ends them as well: they live as long as
    the pipe to it.
    """

    def __init__(
        self,
        job: Job,
        resources: Resources,
        agent: Callable[[str], str],
        owes: Callable[[Mapping[str, int]], None],
        wall: Callable[[], float],
    ) -> None:
        """`agent` gives the User-Agent that a host is told.

        `owes` hears how many requests each host was sent for a page, its own among them, whatever
        came of it.
        """
        self._job = job
        self._program = program(job)
        self._resources = resources
        self._agent = agent
        self._owes = owes
        self._wall = wall
        self._stack = AsyncExitStack()
        self._playwright: Playwright | None = None
        self._starting = asyncio.Lock()
        processes = job.browser.processes or os.cpu_count() or 1
        self._slots = asyncio.Semaphore(processes)
        self._idle: list[_Running | None] = [None] * processes

    async def __aenter__(self) -> Browsers:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        while self._idle:
            if (running := self._idle.pop()) is not None:
                await running.end()
        await self._stack.aclose()

    async def render(
        self, url: str, html: bytes, content_type: str, *, strangers: bool = True
    ) -> Snapshot:
        """Return what becomes of a page whose answer was `html`.

        Without `strangers` nothing is asked for at other domains than its own.

        Raises Trouble(RENDER) where the browser breaks on it, or hangs.
        """
        loop = asyncio.get_running_loop()
        bounds, looks = self._job.browser, self._job.dedup.visual
        visit, host = Visit(bounds.requests, bounds.bytes), host_key(url)
        try:
            async with self._browser(host) as running:
                begun_at = loop.time()
                page = _Rendering(self._resources, visit, url, html, content_type, looks, strangers)
                async with asyncio.timeout(_HANGS * bounds.timeout_s):
                    tab = await running.tab(host, self._agent(host), self._wall())
                    most_bytes = self._job.fetch.max_body_bytes
                    shown = await page.show(tab, bounds.timeout_s, most_bytes)
                    await tab.clear(url)
        except TimeoutError:
            raise Trouble(Failure.RENDER, "the browser did not answer") from None
        finally:
            self._resources.left(visit)
            if visit.asked:
                self._owes({**visit.asked, host: visit.asked[host] + 1})
        taken, settled, overlay, screen = shown
        if visit.trouble is not None:
            raise Trouble(Failure.RENDER, visit.trouble)
        picture = None if screen is None else await asyncio.to_thread(picture_of, screen)
        return Snapshot(taken, settled, overlay, loop.time() - begun_at, visit, picture)

    @asynccontextmanager
    async def _browser(self, host: str) -> AsyncIterator[_Running]:
        """Lend a browser, if may be one that had a page of that host.

        One on which something went wrong is ended.
        """
        from playwright.async_api import Error

        await self._slots.acquire()
        self._idle.sort(key=lambda it: it is not None and it.host == host)
        running = self._idle.pop()
        try:
            if running and (
                not running.browser.is_connected() or running.pages >= self._job.browser.pages
            ):
                await running.end()
                running = None
            if running is None:
                running = await self._start()
            running.pages += 1
            yield running
        except BaseException as error:
            if running is not None:
                await asyncio.shield(running.end())
                running = None
            if isinstance(error, Error):
                why = printable(str(error).partition("\n")[0])
                raise Trouble(Failure.RENDER, why) from error
            raise
        finally:
            self._idle.insert(0, running)
            self._slots.release()

    async def _start(self) -> _Running:
        from playwright.async_api import async_playwright

        async with self._starting:
            if self._playwright is None:
                self._playwright = await self._stack.enter_async_context(async_playwright())
        return await _Running.begun(self._playwright, self._program)


@dataclass(eq=False)
class _Running:
    """One browser."""

    browser: Browser
    name: str
    """Among the arguments of its processes."""
    pages: int = 0
    _tab: _Tab | None = None

    @classmethod
    async def begun(cls, playwright: Playwright, path: str) -> _Running:
        name = f"--crawler-browser={secrets.token_hex(8)}"
        browser = await playwright.chromium.launch(
            executable_path=path,
            headless=True,
            chromium_sandbox=os.geteuid() != 0,  # root's cannot be had
            proxy={"server": _NOWHERE, "bypass": "<-loopback>"},
            args=[*_SWITCHES, name],
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
        return cls(browser, name)

    @property
    def host(self) -> str | None:
        """Of which its last page was."""
        return None if self._tab is None else self._tab.host

    async def tab(self, host: str, agent: str, at: float) -> _Tab:
        """Return a window for a page of a host, whose clock shows `at` or little more, Unix time.

        To open one costs as much as to render a page, so it is kept for the next one of the host.
        """
        if self._tab is None or self._tab.host != host:
            if self._tab is not None:
                await self._tab.context.close()
                self._tab = None
            context = await self.browser.new_context(
                user_agent=agent,
                viewport={"width": 1280, "height": 1024},
                locale="en-US",
                timezone_id="UTC",
                service_workers="block",
                accept_downloads=False,
                permissions=[],
                reduced_motion="reduce",
            )
            self._tab = await _Tab.opened(context, host, at)
        return self._tab

    async def end(self) -> None:
        """End it, if need be without asking; one that hangs does not answer."""
        with suppress(Exception):
            async with asyncio.timeout(_CLOSING_S):
                await self.browser.close()
        _kill(self.name)


def _kill(name: str) -> None:
    """Kill the processes that have `name` among their arguments, where the system tells of these.

    Playwright does not tell the id of what it has begun, and a browser that hangs ends by no other
    means.
    """
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if name.encode() in (process / "cmdline").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)


@dataclass(eq=False)
class _Tab:
    """A window, for one page of a host after the other: each finds it as if it were new.

    Its time is virtual (`Emulation.setVirtualTimePolicy` of the DevTools protocol).
    """

    host: str
    context: BrowserContext
    page: Page
    session: CDPSession
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the time that was given has passed, or the page is gone."""
    rendering: _Rendering | None = None
    """What it shows now."""

    @classmethod
    async def opened(cls, context: BrowserContext, host: str, at: float) -> _Tab:
        """Open one, whose clock stands still and shows `at`, Unix time."""
        await context.add_init_script(_BEFORE)
        page = await context.new_page()
        tab = cls(host, context, page, await context.new_cdp_session(page))
        tab.session.on("Emulation.virtualTimeBudgetExpired", lambda _: tab.over.set())
        for end in ("close", "crash"):
            page.on(end, lambda _: tab.over.set())
        await tab.stop(initialVirtualTime=at)
        await context.route("**/*", tab._answer)
        await context.route_web_socket("**/*", lambda socket: socket.close())
        page.on("dialog", lambda dialog: asyncio.ensure_future(_dismiss(dialog)))
        page.on("popup", lambda popup: asyncio.ensure_future(popup.close()))
        return tab

    async def stop(self, **given: float) -> None:
        """Let no more time pass."""
        await self.session.send("Emulation.setVirtualTimePolicy", {"policy": "pause", **given})

    async def go(self, ms: int, *, waits: bool) -> None:
        """Let so much time pass, which stands still while an answer is under way if it `waits`."""
        self.over.clear()
        policy = "pauseIfNetworkFetchesPending" if waits else "advance"
        given = {"policy": policy, "budget": ms, "maxVirtualTimeTaskStarvationCount": _STARVED}
        await self.session.send("Emulation.setVirtualTimePolicy", given)

    async def _answer(self, route: Route, request: Request) -> None:
        if self.rendering is not None:
            await self.rendering.answer(route, request)
        else:
            await route.abort("blockedbyclient")

    async def clear(self, url: str) -> None:
        """Leave the page of that URL, and what it has stored.

        Opened anew, its document has neither content nor anything that listens for its end; and
        another address, or a fragment of its own would not be loaded next. A blank page in its
        place takes as long as the next one; only documents of XML need it.
        """
        self.rendering = None
        await self.stop()
        if not await self.page.evaluate("globalThis.__noted.leave()"):
            await self.page.goto("about:blank")
        await self.context.clear_cookies()
        await self.session.send(
            "Storage.clearDataForOrigin", {"origin": origin(url), "storageTypes": "all"}
        )


async def _dismiss(dialog: Dialog) -> None:
    """Say no to what a page asks; but not that it would be left."""
    await (dialog.accept() if dialog.type == "beforeunload" else dialog.dismiss())


@dataclass(eq=False)
class _Rendering:
    """One page in a browser."""

    resources: Resources
    visit: Visit
    url: str
    html: bytes
    content_type: str
    looks: bool
    asks_strangers: bool
    """Whether other domains than its own are asked."""
    pending: dict[Any, float] = field(default_factory=dict)
    """Requests of scripts that are not answered yet, with when they came."""
    was_given: bool = False
    leads: list[str] = field(default_factory=list)
    """Where scripts would have led the window to: pages of their own."""
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)

    async def show(
        self, tab: _Tab, limit_s: float, most_bytes: int
    ) -> tuple[str, bool, str | None, bytes | None]:
        """Return the page when it is ready, whether it had settled, what covers it, its screen."""
        page, tab.rendering = tab.page, self
        until = self.loop.time() + limit_s
        await page.goto(self.url, wait_until="commit", timeout=limit_s * 1000)
        settled = await self._settle(tab, until)
        screen = None
        if self.looks:
            await page.evaluate("void scrollTo(0, 0)")
            screen = await page.screenshot(animations="disabled", timeout=limit_s * 1000)
        html, overlay = await page.evaluate(_TAKE, [most_bytes, self.leads])
        if html is None:
            raise Trouble(Failure.RENDER, f"scripts make more than {most_bytes} characters of it")
        return html, settled, overlay and printable(overlay)[:_MOST_OF_OVERLAY], screen

    async def _settle(self, tab: _Tab, until: float) -> bool:
        """Wait until nothing changes any more, or time is over; return which."""
        before, given_ms = "", _GIVEN_MS
        for number in range(_MOST_LOOKS):
            if not await self._passes(tab, given_ms, until):
                return False
            shown = await tab.page.evaluate(_LOOK, number < _SCROLLS)
            if shown == before:
                return True
            before, given_ms = shown, _QUIET_MS
        return False

    async def _passes(self, tab: _Tab, ms: int, until: float) -> bool:
        """Let virtual time pass; return False where the page has no more of ours."""
        waits = self._has_to_wait()
        await tab.go(ms, waits=waits)
        while self.loop.time() < until:
            with suppress(TimeoutError):
                async with asyncio.timeout(_CHECKED_S):
                    await tab.over.wait()
                return True
            if waits and not self._has_to_wait():
                waits = False
                await tab.go(ms, waits=False)
        return False

    def _has_to_wait(self) -> bool:
        """Whether time is to stand still for answers: not where all have been awaited for long."""
        now = self.loop.time()
        waited = [now - begun_at for begun_at in self.pending.values()]
        return not waited or min(waited) < PENDING_S

    async def answer(self, route: Route, request: Request) -> None:
        """Answer one request of the page, or refuse it."""
        from playwright.async_api import Error

        kind, asked = request.resource_type, _ASKED | _LOOKS if self.looks else _ASKED
        with suppress(Error):  # the page may be gone by now
            if kind == "document":
                await self._answer_document(route, request)
            elif kind == "stylesheet" and not self.looks:
                # What it looks like is no matter; some applications wait until one is loaded.
                await route.fulfill(status=200, content_type="text/css", body="")
            elif request.method in ("GET", "HEAD") and kind in asked:
                await self._answer_script(route, request)
            else:
                await route.abort("blockedbyclient")

    async def _answer_document(self, route: Route, request: Request) -> None:
        leads = request.frame.parent_frame is None and request.method == "GET"
        if leads and not self.was_given and request.url == without_route(self.url):
            self.was_given = True
            await route.fulfill(status=200, content_type=self.content_type, body=self.html)
        else:
            if leads:
                self.leads.append(request.url)
            await route.fulfill(status=204)  # the window stays where it is; refused, it would not

    async def _answer_script(self, route: Route, request: Request) -> None:
        if not self._is_own(request.url):
            self.visit.strangers += 1
            if not self.asks_strangers:
                await route.abort("blockedbyclient")
                return
        self.pending[request] = self.loop.time()
        try:
            found = await self.resources.get(self.visit, request.url, request.headers)
        except Refused as refused:
            log.debug("%s: %s is not asked for: %s", self.url, request.url, refused)
            await route.abort("blockedbyclient")
        except Trouble as trouble:
            self._goes_without(request.url, f"{trouble.failure}: {trouble.detail}")
            await route.abort("failed")
        else:
            if found.status == 429 or found.status >= 500:
                self._goes_without(request.url, f"HTTP status {found.status}")
            await route.fulfill(status=found.status, headers=found.headers, body=found.body)
        finally:
            del self.pending[request]

    def _goes_without(self, url: str, why: str) -> None:
        """Note that a page is not whole; what other domains bring is not its own."""
        if self.visit.trouble is None and self._is_own(url):
            self.visit.trouble = printable(f"{url}: {why}")

    def _is_own(self, url: str) -> bool:
        """Whether a URL is of the page's own domain; what is no address on the web is."""
        if not url.startswith(("http:", "https:")):
            return True
        return registrable_domain(host_key(url)) == registrable_domain(host_key(self.url))
