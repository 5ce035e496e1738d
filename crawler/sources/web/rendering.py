"""Which pages a browser renders: tried part of a site by part of a site, judged by what it brings.

To render a page takes thirty times as long as to read it, so whether to is the whole question. A
page is under suspicion where scripts run and it shows little, or leads nowhere, or what it shows
stood at more addresses of the site than one page has (`crawler.extract.scripts`): an application's
shell does either. What loads the same scripts and is suspicious in the same way is one part of a
site: short pages that bring nothing say nothing of a shell beside them. Of a part's first pages up
to `TRIALS` are rendered, one after the other, and both readings compared as the judge compares
pages: what does either show that the other does not, and where does it lead besides? Once most of
them bring something, all pages of the part are rendered from then on; once most do not, none. One
in `AUDIT_EVERY` is compared again, and where that speaks against what was found, the part is on
trial once more.

What a page asks of other domains than its own may be its text, or watch its readers. So pages that
do are rendered without it, too: once `LEAST_ALONE` of a part read the same, nothing is asked there
any more; once one does not, everything is. Audits try it again. No list of names is needed.

A browser that fails says nothing of a part. What is known is a few sums for each part
(`Totals.rendering`), kept in the transaction of the end that changed them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from enum import Enum

from crawler.config import Job
from crawler.dedup.copies import unpack
from crawler.dedup.copies.agreement import Agreement, Page
from crawler.dedup.signing import format_digest
from crawler.extract.text import words_in
from crawler.fetch.browser import Browsers
from crawler.fetch.trouble import Trouble
from crawler.frontier.failures import RENDER_RETRIES
from crawler.frontier.scope import HostOverrides
from crawler.models import (
    Document,
    Failed,
    Failure,
    Fetched,
    FetchOutcome,
    Redirected,
    Rendered,
    Shell,
)
from crawler.models.enums import BrowserUse
from crawler.urls import host_key, registrable_domain, without_route
from crawler.workers.messages import AnalysisRequest
from crawler.workers.pool import AnalysisPool

log = logging.getLogger(__name__)

TRIALS = 3
AUDIT_EVERY = 100

LITTLE_WORDS = 64
"""A page that shows fewer words shows little: that of a manual or an article has hundreds, one line
of waiting or of asking for JavaScript a dozen."""

LEAST_WORDS = 16
"""Words that a rendered page must show beyond the other one to bring a text: as few make a page
(`crawler.engine.engine.REFRESH_TOKENS`), and a label or a date that a script fills in has less."""

LEAST_ALONE = 2
"""Pages of a part that have to read the same without what other domains bring."""

MOST_PARTS = 64
"""Of one host, under trial or decided: of further ones nothing is rendered."""

SPELLINGS = 2
"""Addresses at which static sites show one page of many words: /docs and /docs/index.html. Those at
which a shell shows what stands around its text have no end."""

MOST_SHOWN = 1_024
"""What pages with the same scripts showed, the latest of them."""

_REPEATS = "="
"""Ends the name of a part of pages that show the words of others."""

_RENDERED_TYPES = frozenset({"text/html", "application/xhtml+xml"})

_READ = (
    *("title", "text", "links", "canonical_url", "refresh", "noindex", "nofollow"),
    *("appearance", "metadata", "language"),
)
"""What of a page is compared to tell whether two ways to make it are one: attributes of `Document`.
The appearance holds all that is visible."""


class Mode(Enum):
    """What becomes of a part's suspicious pages."""

    ON_TRIAL = "on trial"
    PLAIN = "plain"
    RENDERED = "rendered"


@dataclass(slots=True)
class Part:
    """What is known of the pages of a host that load the same scripts and show as little."""

    host: str
    name: str
    tried: float = 0
    """Pages of which both readings were compared since the part is on trial, at most TRIALS."""
    brought: float = 0
    """Of these, rendering brought something."""
    suspicious: float = 0
    """Pages since the last comparison."""
    alone: float = 0
    """Pages that read the same without what other domains bring."""
    needs: float = 0
    """Pages that did not."""
    trial: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by the page that is on trial; the others wait for what it tells."""

    @property
    def repeats(self) -> bool:
        """Whether it is of pages that show the words of others."""
        return self.name.endswith(_REPEATS)

    @property
    def asks_strangers(self) -> bool:
        """Whether its pages may ask at other domains than their own."""
        return self.needs > 0 or self.alone < LEAST_ALONE

    @property
    def mode(self) -> Mode:
        """What becomes of its pages."""
        if 2 * self.brought > TRIALS:
            return Mode.RENDERED
        return Mode.PLAIN if 2 * (self.tried - self.brought) > TRIALS else Mode.ON_TRIAL


class Parts:
    """The parts of all hosts; `sums` are what earlier runs have kept of them."""

    def __init__(self, sums: Mapping[str, float]) -> None:
        self._parts: dict[tuple[str, str], Part] = {}
        self._of_host: dict[str, int] = {}
        self._shown: dict[tuple[str, str], OrderedDict[bytes, set[str]]] = {}
        """Host and scripts -> digest of what a page showed -> its URLs, SPELLINGS + 1 at most."""
        self._changes: dict[str, float] = {}
        for name, number in sums.items():
            host, part, what = name.split(" ")
            if what in ("tried", "brought", "alone", "needs"):
                setattr(self._part(host, part), what, number)

    def _part(self, host: str, name: str) -> Part:
        key = host, name
        if key not in self._parts:
            self._parts[key] = Part(host, name)
            self._of_host[host] = self._of_host.get(host, 0) + 1
        return self._parts[key]

    def suspect(self, host: str, shell: Shell, url: str) -> Part | None:
        """Return the part that a page belongs to, if it is under suspicion."""
        if not shell.app:
            return None
        shows_little = shell.words < LITTLE_WORDS or not shell.leads_on
        repeats = self._addresses(host, shell, url) > (1 if shows_little else SPELLINGS)
        if not (repeats or shows_little):
            return None
        name = shell.app + _REPEATS * repeats
        if (host, name) not in self._parts and self._of_host.get(host, 0) >= MOST_PARTS:
            return None
        part = self._part(host, name)
        part.suspicious += 1
        return part

    def _addresses(self, host: str, shell: Shell, url: str) -> int:
        """Note what a page shows; return at how many addresses just that was seen, this one too."""
        key = host, shell.app
        if key not in self._shown and self._of_host.get(host, 0) >= MOST_PARTS:
            return 1
        shown = self._shown.setdefault(key, OrderedDict())
        addresses = shown.setdefault(shell.digest, set())
        if len(addresses) <= SPELLINGS:
            addresses.add(url)
        if len(shown) > MOST_SHOWN:
            shown.popitem(last=False)
        return len(addresses | {url})

    def heard(self, part: Part, *, brought: bool) -> None:
        """Both readings of a page were compared."""
        before = part.tried, part.brought
        if part.mode is not Mode.ON_TRIAL:
            if brought is (part.mode is Mode.RENDERED):
                return
            part.tried = part.brought = 0
        part.tried += 1
        part.brought += brought
        tried, brings = part.tried - before[0], part.brought - before[1]
        self.add(part.host, part.name, tried=tried, brought=brings)

    def heard_alone(self, part: Part, *, alike: bool) -> None:
        """A page was read with what other domains bring and without."""
        part.alone += alike
        part.needs += not alike
        self.add(part.host, part.name, **{"alone" if alike else "needs": 1})

    def add(self, host: str, name: str, **numbers: float) -> None:
        """Count what rendering took and brought, by the name of a part."""
        for what, number in numbers.items():
            key = f"{host} {name} {what}"
            self._changes[key] = self._changes.get(key, 0.0) + number

    def take_changes(self) -> dict[str, float]:
        """Return, once, what has changed since: to be stored with the next end."""
        changes, self._changes = self._changes, {}
        return changes


class Rendering:
    """Has pages rendered on their way from the fetch to the engine, where that is worth it."""

    def __init__(
        self,
        job: Job,
        pool: AnalysisPool,
        browsers: Browsers,
        sums: Mapping[str, float],
        aside: Callable[[str, int], AbstractContextManager[None]],
        wall: Callable[[], float],
    ) -> None:
        """`sums` are what earlier runs have kept (`Totals.rendering`).

        A page waits `aside`, by its host and size (`ReadingRoom.aside`).
        """
        self._use = HostOverrides(job).browser
        self._retries = min(job.fetch.retries, RENDER_RETRIES)
        self._pool = pool
        self._browsers = browsers
        self._aside = aside
        self._wall = wall
        self._parts = Parts(sums)
        self.take_changes = self._parts.take_changes

    async def of(self, outcome: FetchOutcome) -> FetchOutcome:
        """Return what a fetch ended as, its page as a browser shows it where that is to be."""
        match outcome:
            case Redirected(then=then) if then is not None:
                return replace(outcome, then=await self.of(then))
            case Fetched(task=task, media_type=media_type) if media_type in _RENDERED_TYPES:
                if (use := self._use(task.host)) is not BrowserUse.NEVER:
                    with self._aside(task.host, len(outcome.body)):
                        return await self._page(outcome, use)
        return outcome

    async def _page(self, fetched: Fetched, use: BrowserUse) -> Fetched | Failed:
        request = _request(fetched)
        shell = await self._pool.shell(request)
        if not isinstance(shell, Shell):
            return fetched
        part = self._parts.suspect(fetched.task.host, shell, fetched.task.url)
        if use is BrowserUse.ALWAYS:
            return await self._shown(fetched, shell, part)
        if part is None:
            return fetched
        async with AsyncExitStack() as turn:
            if part.mode is Mode.ON_TRIAL:
                await turn.enter_async_context(part.trial)
            mode = part.mode
            if mode is not Mode.ON_TRIAL:
                await turn.aclose()
            is_audit = part.suspicious >= AUDIT_EVERY
            if mode is Mode.PLAIN and not is_audit:
                return fetched
            compares = mode is Mode.ON_TRIAL or is_audit
            if compares:
                part.suspicious = 0
            is_known = mode is Mode.RENDERED
            made = await self._shown(fetched, shell, part, alone=is_known, is_audit=is_audit)
            if isinstance(made, Failed):
                is_last = fetched.task.attempt >= self._retries
                goes_without = mode is Mode.PLAIN or (mode is Mode.ON_TRIAL and is_last)
                return fetched if goes_without else made
            brings = not compares or await self._compare(part, request, made)
            return made if brings or is_known else replace(fetched, wire_bytes=made.wire_bytes)

    async def _shown(
        self,
        fetched: Fetched,
        shell: Shell,
        part: Part | None,
        *,
        alone: bool = False,
        is_audit: bool = False,
    ) -> Fetched | Failed:
        """Return the page as a browser shows it, counted as one of its part.

        Without what other domains bring, if it may be `alone` and its part needs nothing of that.
        """
        host, name = fetched.task.host, part.name if part else shell.app or "none"
        asks = part is None or not alone or is_audit or part.asks_strangers
        try:
            made, strangers = await self._render(fetched, shell, strangers=asks)
            if part and alone and asks and strangers and not part.needs:
                alike = False
                with suppress(Trouble):  # a browser that breaks without them needs them
                    bare, _ = await self._render(fetched, shell, strangers=False)
                    alike = await self._reads_alike(made, bare.body)
                self._parts.heard_alone(part, alike=alike)
        except Trouble as trouble:
            self._parts.add(host, name, failed=1)
            why, at = trouble.detail, self._wall()
            return Failed(fetched.task, Failure.RENDER, why, at, fetched.status)
        assert made.rendered is not None
        self._parts.add(host, name, pages=1, seconds=made.rendered.seconds)
        return made

    async def _render(
        self, fetched: Fetched, shell: Shell, *, strangers: bool
    ) -> tuple[Fetched, int]:
        """Return the page as a browser shows it, and what it asked at other domains."""
        declared = fetched.media_type
        if fetched.charset:
            declared += f"; charset={fetched.charset}"
        url = fetched.final_url
        snapshot = await self._browsers.render(url, fetched.body, declared, strangers=strangers)
        visit = snapshot.visit
        body = snapshot.html.encode("utf-8", "replace")
        captures = fetched.captures
        if captures:
            *before, last = captures
            route = url[len(without_route(url)) :]
            captures = (*visit.captures, *before, replace(last, rendered=body, route=route))
        # What the server says of the shell's age says nothing of the page.
        kept = {k: v for k, v in fetched.headers.items() if k not in ("etag", "last-modified")}
        made = replace(
            fetched,
            body=body,
            media_type="text/html",
            charset="utf-8",
            headers=kept,
            wire_bytes=fetched.wire_bytes + visit.wire_bytes,
            elapsed_s=fetched.elapsed_s + snapshot.seconds,
            captures=captures,
            picture=snapshot.picture,
            rendered=Rendered(
                format_digest(shell.digest),
                visit.requests,
                visit.wire_bytes,
                round(snapshot.seconds, 3),
                snapshot.settled,
                snapshot.overlay,
            ),
        )
        return made, visit.strangers

    async def _reads_alike(self, made: Fetched, body: bytes) -> bool:
        """Whether a page says the same as the rendered one, whatever is read of either."""
        one = await self._pool.analyse(_request(made))
        other = await self._pool.analyse(_request(replace(made, body=body)))
        return (
            isinstance(one, Document)
            and isinstance(other, Document)
            and all(getattr(one, name) == getattr(other, name) for name in _READ)
        )

    async def _compare(self, part: Part, request: AnalysisRequest, made: Fetched) -> bool:
        """Compare both readings of a page; return whether the rendered one brings something.

        More than it takes away: some scripts put a wall before a text, or an error in its place.
        Where the page showed the words of another there was nothing of its own to lose.
        """
        plain = await self._pool.analyse(request)
        rendered = await self._pool.analyse(_request(made))
        if not (isinstance(plain, Document) and isinstance(rendered, Document)):
            return False
        url = made.final_url
        both = Agreement(*(Page(unpack(each.appearance or b""), url) for each in (rendered, plain)))
        gained, lost = (
            " ".join(one.sentence for one in left if one.is_visible)
            for left in (both.left, both.left_of_other)
        )
        domain = registrable_domain(part.host)
        links, gone = (
            sum(registrable_domain(host_key(link)) == domain for link in some)
            for some in (
                set(rendered.links) - set(plain.links),
                set(plain.links) - set(rendered.links),
            )
        )
        words = words_in(gained)
        if not part.repeats:
            words -= words_in(lost)
        brought = words >= LEAST_WORDS or (links > gone and words > -LEAST_WORDS)
        self._parts.add(part.host, part.name, compared=1, characters=len(gained), links=links)
        self._parts.heard(part, brought=brought)
        log.debug("%s: rendered, %d words and %d links more", url, words, links)
        return brought


def _request(fetched: Fetched) -> AnalysisRequest:
    return AnalysisRequest(
        fetched.final_url,
        fetched.body,
        fetched.media_type,
        fetched.charset,
        routes=fetched.rendered is not None,
    )
