"""Scope: which URLs a crawl may queue, from the seeds, the mode and the job's patterns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crawler import urls
from crawler.choices import ScopeMode

if TYPE_CHECKING:
    from crawler.config import Scope


class ScopeFilter:
    """Admits URLs by host or registrable domain of the seeds, and by pattern.

    Exclusion beats inclusion, and patterns beat seeds: a seed that the job excludes is not crawled.
    """

    def __init__(self, scope: Scope) -> None:
        self._mode = scope.mode
        self._include = [re.compile(pattern) for pattern in scope.include]
        self._exclude = [re.compile(pattern) for pattern in scope.exclude]
        self._places: set[str] = set()
        self.kept: set[str] = set()
        """Host keys of redirects of seeds that the patterns refuse: no stored URL tells of them."""

    def widen(self, url: str) -> bool:
        """Count a URL's host (or domain) among the seeds'; return whether it was not before."""
        return self._widen(urls.host_key(url))

    def keep(self, host: str) -> None:
        """Count a host key (or its domain) among the seeds', and keep it for a later run."""
        self.kept.add(host)
        self._widen(host)

    def _widen(self, host: str) -> bool:
        known = len(self._places)
        self._places.add(self._place(host))
        return len(self._places) > known

    def admits(self, url: str, host: str) -> bool:
        """Whether this canonical URL of this host key may be queued."""
        if self._mode is not ScopeMode.ANY and self._place(host) not in self._places:
            return False
        # Asked of every link, where most jobs have no patterns.
        if self._include and not any(pattern.search(url) for pattern in self._include):
            return False
        return not (self._exclude and any(pattern.search(url) for pattern in self._exclude))

    def _place(self, host: str) -> str:
        return urls.registrable_domain(host) if self._mode is ScopeMode.DOMAIN else host
