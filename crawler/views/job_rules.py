"""What a crawl of a job would do with URLs: which rule refuses one, before it is asked for."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cached_property
from typing import Self

from crawler.config import Job, Plugins, parse_job
from crawler.fetch.robots import OLD_FORM, RobotsRules
from crawler.frontier.learning import UrlLearning
from crawler.frontier.scope import HostOverrides, Quotas, ScopeFilter, UrlFilters, had
from crawler.models import KeptRules
from crawler.plugins import made
from crawler.sources.web.rescope import scope_of
from crawler.storage.database import reading_stored_values
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView
from crawler.urls import Canonicaliser, host_key, origin

ROBOTS = "robots.txt"
"""The rule of which each site has its own."""

Keeper = Callable[[str], KeptRules | None]
"""Returns what an origin's robots.txt said when it was last read, None where it never was."""


class JobRules:
    """What a crawl of a job would do with URLs; each answer is that of this moment.

    Depth, what was seen and the allowance for long URLs are not asked: they depend on the page that
    leads to a URL.
    """

    def __init__(self, job: Job, robots: Keeper = lambda origin: None) -> None:
        """Take the rules of a job whose crawl has not begun, with the robots.txt that are known."""
        self.canonicalise = Canonicaliser(
            frozenset(job.urls.tracking_parameters), routes=job.renders
        )
        self._obeys = job.politeness.robots
        self._robots = robots
        self.blocks = HostOverrides(job)
        self.quotas = Quotas(self.blocks, {})
        self.scope = ScopeFilter(job.scope, self.blocks)
        self._max_depth = job.limits.depth
        self._plugins = job.plugins
        self._learning = UrlLearning(traps=job.traps)
        for url in filter(None, map(self.canonicalise, job.seeds)):
            self.scope.widen(url)

    @classmethod
    def of_crawl(cls, view: StoreView) -> Self:
        """Take those of a crawl that has begun, with all that it knows."""
        with reading_stored_values(view.directory):
            job = parse_job(view.meta(Meta.JOB), str(view.directory))
            made = cls(job, view.rules)
            made.quotas = Quotas(made.blocks, had(view.totals))
            made.scope = scope_of(view, job)
            made._learning = UrlLearning(traps=job.traps, cuts=view.meta(Meta.TRAPS, {}))
        return made

    def scope_refusal(self, url: str) -> str | None:
        """Return the rule that refuses a canonical URL as a further seed, whose host is then in."""
        self.scope.widen(url)
        return self.scope.refusal(url, host_key(url), seed=True)

    def refusal(self, url: str, *, seed: bool = False) -> str | None:
        """Return the rule by which a canonical URL would not be fetched, None where it would be."""
        host = host_key(url)
        if refused := self.scope.refusal(url, host, seed=seed):
            return refused
        if held := self._learning.holder(url, host, seed=seed):
            return f"traps: cut as endless: {held.name}"
        return f"{ROBOTS} forbids it" if self.robots_allow(url) is False else None

    def link_refusal(self, url: str, depth: int, page: str) -> str | None:
        """Return the rule that refuses a link of a page, which leads to this depth."""
        if self._max_depth is not None and depth > self._max_depth:
            return f"limits.depth: {self._max_depth}"
        refused = self._filters.refused(url, depth, page)
        return None if refused is None else f"plugins.filters: {refused}"

    @cached_property
    def _filters(self) -> UrlFilters:
        """Made when they are asked: who only looks at a crawl need not have them installed."""
        return UrlFilters(made(Plugins(filters=self._plugins.filters)).filters)

    def robots_allow(self, url: str) -> bool | None:
        """Whether robots.txt allows a URL; None where its site's is not known to this agent."""
        if not self._obeys:
            return True
        kept = self._robots(origin(url))
        if kept is None or kept.agent != self.blocks.agent(host_key(url)):
            return None
        rules = zlib.decompress(kept.packed)
        return None if rules.startswith(OLD_FORM) else RobotsRules(rules.decode()).allowed(url)
