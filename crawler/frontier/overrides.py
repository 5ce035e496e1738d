"""What the job says of some hosts only: the block that fits a host, and how much it may still have.

A block is chosen once a host; a job without blocks costs a look at an empty mapping.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from crawler.models import Batch, UrlState
from crawler.urls import hostname

if TYPE_CHECKING:
    from crawler.config import Job
    from crawler.config.job import HostBlock, Politeness

_HELD = 65_536
"""Hosts whose block is remembered."""
_MANNERS = ("delay_s", "delay_factor", "per_host")
_PAGES = frozenset({UrlState.STORED, UrlState.DUPLICATE})

Had = Mapping[str, tuple[int, int]]
"""Host key -> pages and bytes that earlier runs fetched of it."""


class _Patterns(NamedTuple):
    include: Sequence[re.Pattern[str]]
    exclude: Sequence[re.Pattern[str]]
    follow_only: Sequence[re.Pattern[str]]


class HostBlocks:
    """The blocks of a job, by host key.

    A pattern with a port fits that port only; `*.name` fits `name`, and all names below it. Of
    several that fit a host those with its port come first, then the longest.
    """

    def __init__(self, job: Job) -> None:
        self._blocks = job.hosts
        self._politeness = job.politeness
        self._agent = job.user_agent.name
        self._of = lru_cache(_HELD)(self._find)
        self._manners = {
            pattern: job.politeness.model_copy(
                update={
                    name: value for name in _MANNERS if (value := getattr(block, name)) is not None
                }
            )
            for pattern, block in job.hosts.items()
        }
        self._scopes = {
            pattern: _Patterns(
                *(
                    [re.compile(text) for text in patterns]
                    for patterns in (block.include, block.exclude, block.follow_only)
                )
            )
            for pattern, block in job.hosts.items()
            if block.include or block.exclude or block.follow_only
        }

    def _find(self, host: str) -> str | None:
        """Return the pattern of a host's block, None where it has none."""
        name, _, port = _split(host)
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

    def headers(self, host: str) -> Mapping[str, str]:
        """Return the header fields that a host is sent beside the job's."""
        block = self.block(host)
        return {} if block is None else block.headers

    def agent(self, host: str) -> str:
        """Return the product token that a host knows us by."""
        block = self.block(host)
        return (block.robots_agent if block is not None else None) or self._agent

    def manners(self, host: str) -> Politeness:
        """Return how a host is to be asked."""
        pattern = self._of(host) if self._blocks else None
        return self._politeness if pattern is None else self._manners[pattern]

    def refusal(self, url: str, host: str, *, free: bool) -> str | None:
        """Return the rule by which the block of a URL's host refuses it, None where it does not.

        One that is `free` need not be included.
        """
        patterns = self._patterns(host)
        if patterns is None:
            return None
        if patterns.include and not free and not any(p.search(url) for p in patterns.include):
            return f"hosts: {self._of(host)}: include: none of its patterns matches"
        refusing = next((p.pattern for p in patterns.exclude if p.search(url)), None)
        return None if refusing is None else f"hosts: {self._of(host)}: exclude: {refusing}"

    def follows_only(self, url: str, host: str) -> bool:
        """Whether the block of a URL's host wants its links alone."""
        patterns = self._patterns(host)
        return patterns is not None and any(p.search(url) for p in patterns.follow_only)

    def _patterns(self, host: str) -> _Patterns | None:
        pattern = self._of(host) if self._scopes else None
        return None if pattern is None else self._scopes.get(pattern)


def _split(host: str) -> tuple[str, str, str]:
    """Return name and port of a host key; an IPv6 address keeps its brackets."""
    name = hostname(host)
    rest = host[len(name) :]
    return name, rest[:1], rest[1:]


class Quotas:
    """What hosts with a limit of pages or bytes have had, and whether they may have more."""

    def __init__(self, blocks: HostBlocks, had: Had) -> None:
        self._blocks = blocks
        self._pages: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()
        for host, (pages, size) in had.items():
            self._pages[host], self._bytes[host] = pages, size

    def is_spent(self, host: str, under_way: int) -> bool:
        """Whether a host has had all that it may have, with the pages of it that are under way."""
        block = self._blocks.block(host)
        if block is None:
            return False
        if block.pages is not None and self._pages[host] + under_way >= block.pages:
            return True
        return block.bytes is not None and self._bytes[host] >= block.bytes

    def counts(self, host: str, batch: Batch) -> tuple[int, int] | None:
        """Return pages and bytes that a URL's end brought, None where nobody limits its host."""
        block = self._blocks.block(host)
        if block is None or (block.pages is None and block.bytes is None):
            return None
        return int(batch.state in _PAGES), int(batch.counts.get("wire_bytes", 0))

    def learn(self, host: str, batch: Batch) -> None:
        """A URL of a host has ended."""
        if (counts := self.counts(host, batch)) is not None:
            self._pages[host] += counts[0]
            self._bytes[host] += counts[1]
