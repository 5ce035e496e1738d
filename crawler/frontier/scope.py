"""What a job wants: which URLs may be queued, and what it says of some hosts only.

`HostOverrides` finds the block of a host, `Quotas` counts what it may still have, `ScopeFilter`
admits URLs by both, `UrlFilters` asks the job's own plugins. The functions compare two jobs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from crawler import urls
from crawler.models import PageOutcome, Totals
from crawler.models.enums import BrowserUse, ScopeMode
from crawler.urls import hostname

if TYPE_CHECKING:
    from crawler.config import Job, Scope
    from crawler.config.job import HostBlock, Politeness
    from crawler.plugins import UrlFilter


_HELD = 65_536
"""Hosts whose block is remembered."""
_MANNERS = {"delay_s", "delay_factor", "per_host"}

Had = Mapping[str, tuple[int, int]]
"""Host key -> pages and bytes that earlier runs fetched of it."""


def had(totals: Totals) -> Had:
    """Return what totals say of hosts that have a limit."""
    return {
        host: (int(pages), int(totals.host_bytes[host]))
        for host, pages in totals.host_pages.items()
    }


class _Patterns:
    """The patterns of a job, or of one of its blocks; `where` begins the names of their rules."""

    def __init__(self, where: str, given: Scope | HostBlock) -> None:
        self._where = where
        self._include, self._exclude, self._follow_only = (
            [re.compile(pattern) for pattern in patterns]
            for patterns in (given.include, given.exclude, given.follow_only)
        )

    @classmethod
    def of(cls, where: str, given: Scope | HostBlock) -> _Patterns | None:
        """Return those that are given; None where there are none, as in most jobs."""
        return cls(where, given) if given.include or given.exclude or given.follow_only else None

    def refusal(self, url: str, *, free: bool) -> str | None:
        """Return the rule by which a URL is refused, None where it is not.

        One that is `free` need not be included.
        """
        if self._include and not free and not any(found.search(url) for found in self._include):
            return f"{self._where}include: none of its patterns matches"
        refusing = next((found.pattern for found in self._exclude if found.search(url)), None)
        return None if refusing is None else f"{self._where}exclude: {refusing}"

    def follows_only(self, url: str) -> bool:
        """Whether a URL is wanted for its links alone."""
        return any(pattern.search(url) for pattern in self._follow_only)


class HostOverrides:
    """The blocks of a job, by host key; one is chosen once a host. Without blocks it costs nothing.

    A pattern with a port fits that port only; `*.name` fits `name`, and all names below it. Of
    several that fit a host those with its port come first, then the longest.
    """

    def __init__(self, job: Job) -> None:
        self._blocks = job.hosts
        self._politeness = job.politeness
        self._agent = job.user_agent.name
        self._browser = job.fetch.browser
        self._of = lru_cache(_HELD)(self._find)
        self._manners = {
            pattern: job.politeness.model_copy(
                update=block.model_dump(include=_MANNERS, exclude_none=True)
            )
            for pattern, block in job.hosts.items()
        }
        self._scopes = {
            pattern: patterns
            for pattern, block in job.hosts.items()
            if (patterns := _Patterns.of(f"hosts: {pattern}: ", block)) is not None
        }

    def _find(self, host: str) -> str | None:
        name = hostname(host)  # an IPv6 address keeps its brackets
        port = host[len(name) + 1 :]
        labels = name.split(".")
        names = [name, *(f"*.{'.'.join(labels[n:])}" for n in range(len(labels)))]
        tried = [f"{name}:{port}" for name in names] if port else []
        return next((name for name in (*tried, *names) if name in self._blocks), None)

    def pattern(self, host: str) -> str | None:
        """Return the pattern of a host's block, None where it has none."""
        return self._of(host) if self._blocks else None

    def block(self, host: str) -> HostBlock | None:
        """Return what the job says of a host; None where it says nothing."""
        pattern = self.pattern(host)
        return None if pattern is None else self._blocks[pattern]

    def agent(self, host: str) -> str:
        """Return the product token that a host knows us by."""
        block = self.block(host)
        return (block.robots_agent if block is not None else None) or self._agent

    def browser(self, host: str) -> BrowserUse:
        """Return which of a host's pages a browser renders."""
        block = self.block(host)
        return (block.browser if block is not None else None) or self._browser

    def manners(self, host: str) -> Politeness:
        """Return how a host is to be asked."""
        pattern = self.pattern(host)
        return self._politeness if pattern is None else self._manners[pattern]

    def patterns(self, host: str) -> _Patterns | None:
        """Return what the job says of a host's URLs; None where it says nothing."""
        pattern = self._of(host) if self._scopes else None
        return None if pattern is None else self._scopes.get(pattern)


class Quotas:
    """What hosts with a limit of pages or bytes have had, and whether they may have more."""

    def __init__(self, overrides: HostOverrides, had: Had) -> None:
        self._overrides = overrides
        self._pages: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()
        for host, (pages, size) in had.items():
            self._pages[host], self._bytes[host] = pages, size

    def is_spent(self, host: str, under_way: int) -> bool:
        """Whether a host has had all that it may have, with the pages of it that are under way."""
        block = self._overrides.block(host)
        if block is None:
            return False
        if block.pages is not None and self._pages[host] + under_way >= block.pages:
            return True
        return block.bytes is not None and self._bytes[host] >= block.bytes

    def spend(self, host: str, outcome: PageOutcome) -> None:
        """Count in a URL's end the pages and bytes that it brought, where its host has a limit."""
        block = self._overrides.block(host)
        if block is None or (block.pages is None and block.bytes is None):
            return
        totals = outcome.totals
        totals.host_pages = {host: int(outcome.is_page)}
        totals.host_bytes = {host: int(totals.sums.get("wire_bytes", 0))}

    def learn(self, outcome: PageOutcome) -> None:
        """A URL of a host has ended, as was counted in it."""
        for host, pages in outcome.totals.host_pages.items():
            self._pages[host] += int(pages)
            self._bytes[host] += int(outcome.totals.host_bytes[host])


SITE_BEGINS = len("https://")
"""In no canonical URL the path begins before: after `http://` comes one character at least."""

_OF_NO_SEED = {
    ScopeMode.HOST: "no seed is of its host",
    ScopeMode.DOMAIN: "no seed is of its domain",
    ScopeMode.PATH: "it lies below no seed's directory",
}


class ScopeFilter:
    """Admits URLs by host, registrable domain or directory of the seeds, and by pattern.

    Exclusion beats all else: a seed that the job excludes is not crawled. A seed need not be
    included: it is where the way to what is included begins.
    """

    def __init__(self, scope: Scope, overrides: HostOverrides) -> None:
        self._overrides = overrides
        self._mode = scope.mode
        # Most links of a page lead elsewhere: they are told why from here.
        self._of_no_seed = f"scope.mode: {scope.mode}: {_OF_NO_SEED.get(scope.mode, '')}"
        self._patterns = _Patterns.of("scope.", scope)
        self._places: set[str] = set()
        self.kept: set[str] = set()
        """Directories of redirects of seeds that the patterns refuse: no stored URL tells of them.
        Each begins with its host key."""

    def widen(self, url: str) -> bool:
        """Count a URL's host (domain, directory) among the seeds'; tell if it was not before."""
        return self._widen(_directory(url, urls.host_key(url)))

    def keep(self, url: str) -> None:
        """Count a URL's place among the seeds', and keep it for a later run."""
        self.keep_directory(_directory(url, urls.host_key(url)))

    def keep_directory(self, directory: str) -> None:
        """Take over one that an earlier run `kept`."""
        self.kept.add(directory)
        self._widen(directory)

    def _widen(self, directory: str) -> bool:
        known = len(self._places)
        host, _, path = directory.partition("/")
        self._places.add(f"{host}/{path}" if self._mode is ScopeMode.PATH else self._place(host))
        return len(self._places) > known

    def admits(self, url: str, host: str, *, seed: bool = False, sitemap: bool = False) -> bool:
        """Whether this canonical URL of this host key may be queued.

        A sitemap lies at the root of its site, wherever the pages lie that are included.
        """
        return self.refusal(url, host, seed=seed, sitemap=sitemap) is None

    def refusal(
        self, url: str, host: str, *, seed: bool = False, sitemap: bool = False
    ) -> str | None:
        """Return the rule of the job by which a URL may not be queued; None where it may be."""
        if not self._is_of_place(url, host, sitemap=sitemap):
            return self._of_no_seed
        free = seed or sitemap
        if self._patterns and (refused := self._patterns.refusal(url, free=free)) is not None:
            return refused
        of_host = self._overrides.patterns(host)
        return None if of_host is None else of_host.refusal(url, free=free)

    def _is_of_place(self, url: str, host: str, *, sitemap: bool) -> bool:
        """Whether a URL lies where the seeds are, as the mode counts it."""
        if self._mode is ScopeMode.ANY:
            return True
        if self._mode is not ScopeMode.PATH:
            return self._place(host) in self._places
        if sitemap:
            return any(place.partition("/")[0] == host for place in self._places)
        # Each directory above is looked for: the time follows the depth, however many seeds are.
        directory = _directory(url, host)
        end = directory.find("/")
        while end >= 0:
            if directory[: end + 1] in self._places:
                return True
            end = directory.find("/", end + 1)
        return False

    def follows_only(self, url: str) -> bool:
        """Whether a canonical URL is wanted for its links alone."""
        both = self._patterns, self._overrides.patterns(urls.host_key(url))
        return any(patterns.follows_only(url) for patterns in both if patterns is not None)

    def _place(self, host: str) -> str:
        return urls.registrable_domain(host) if self._mode is ScopeMode.DOMAIN else host


def _directory(url: str, host: str) -> str:
    """Return host key and path up to the last slash, which is where relative links lead from.

    (RFC 3986 5.2.3.) http and https are one place, as they are one host.
    """
    path = url[url.find("/", SITE_BEGINS) :].partition("?")[0].partition("#")[0]
    return host + path[: path.rfind("/") + 1]


_WIDTH = {ScopeMode.PATH: 0, ScopeMode.HOST: 1, ScopeMode.DOMAIN: 2, ScopeMode.ANY: 3}


def is_deeper(before: Job, job: Job) -> bool:
    """Whether a job follows links to a greater depth than the one before."""
    least, most = before.limits.depth, job.limits.depth
    return least is not None and (most is None or most > least)


def is_wider(before: Job, job: Job) -> bool:
    """Whether a job may admit URLs that were out of the scope of the one before.

    A new seed makes none wider: it begins its own site, and services add seeds every day.
    """
    if _WIDTH[job.scope.mode] > _WIDTH[before.scope.mode] or _admits(before.scope, job.scope):
        return True
    return any(
        block.include or block.exclude
        for pattern, block in before.hosts.items()
        if _admits(block, job.hosts.get(pattern))
    )


def stores_more(before: Job, job: Job) -> bool:
    """Whether pages may be stored that the job before wanted for their links alone."""
    if set(before.scope.follow_only) - set(job.scope.follow_only):
        return True
    return any(
        set(block.follow_only) - set(now.follow_only if (now := job.hosts.get(pattern)) else ())
        for pattern, block in before.hosts.items()
    )


def speaks_more(before: Job, job: Job) -> bool:
    """Whether pages may be stored that were in a language that the job before did not want.

    So they may where their language is found out in another way.
    """
    was, now = before.scope.languages, job.scope.languages
    if not was:
        return False
    if not now or set(now) - set(was):
        return True
    return before.extract.language != job.extract.language


def _admits(before: Scope | HostBlock, now: Scope | HostBlock | None) -> bool:
    """Whether these patterns may admit what those before did not; None: there are none now.

    Patterns cannot be compared by what they match, so any that is new among those that include
    counts as farther, and any that is gone among those that exclude.
    """
    include, exclude = (now.include, now.exclude) if now is not None else ((), ())
    included = bool(before.include) and (not include or bool(set(include) - set(before.include)))
    return included or bool(set(before.exclude) - set(exclude))


FILTER, FAILED = "filter:", "filter-failed:"
"""What a link is refused by, before the name of the filter; FAILED where that raised."""


class UrlFilters:
    """Asks each filter in turn; the first that refuses a link is why it is not queued.

    `failed` hears of what a filter raises: its name, the URL and the exception.
    """

    def __init__(
        self,
        filters: Sequence[tuple[str, UrlFilter]] = (),
        failed: Callable[[str, str, Exception], None] = lambda name, url, error: None,
    ) -> None:
        self._filters = tuple(filters)
        self._failed = failed

    def __bool__(self) -> bool:
        """Whether there is one to be asked."""
        return bool(self._filters)

    def refused(self, url: str, depth: int, referrer: str) -> str | None:
        """Return by what a link is refused, as it is counted; None where all admit it.

        One at which a filter fails is not queued: it may be what the filter is there for.
        """
        for name, each in self._filters:
            try:
                if not each.admits(url, depth, referrer):
                    return FILTER + name
            except Exception as error:
                self._failed(name, url, error)
                return FAILED + name
        return None
