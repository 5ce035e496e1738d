"""Endless sites and their finite neighbours, crawled in a simulated world."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from crawler.dedup.signing import look
from crawler.frontier import Frontier, Wait
from crawler.models import (
    EXACT_TEXT,
    ExactDuplicate,
    Failure,
    FetchTask,
    New,
    NewUrl,
    PageOutcome,
    Priority,
    StoredRef,
    UrlState,
)
from support.trap_web import Page, Site, site_of
from support.worlds import World, job

PLAIN = re.compile(r"/(?![/.])[^#.]*$")
"""Links that only lack an origin: most are such, and `urljoin` was a quarter of the time."""


class TrapWorld(World):
    """A world whose pages have links and verdicts, and of which nothing is learned but cuts.

    Pages about the same thing are duplicates of the first of them that was fetched. `most` bounds
    the pages, where a crawl without the rule would never end.
    """

    def __init__(
        self,
        sites: Mapping[str, Site],
        traps: Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
        most: int = 20_000,
    ) -> None:
        plain = {"robots": False, "delay_s": 0.0}
        data = job(traps=dict(traps or {}), learn={"urls": False}, politeness=plain)
        super().__init__(Frontier(data, traps=state), {})
        self.sites = sites
        self.most = most
        self.originals: dict[str, int] = {}
        self.new: list[str] = []
        """URLs of new pages."""

    def crawl(self, *seeds: str) -> None:
        """Crawl from the seeds until nothing is left, or `most` pages were fetched."""
        for seed in seeds:
            self.offer(seed)
        while len(self.fetched) < self.most:
            turn = self.frontier.take(self.now, idle=not self.running)
            if not isinstance(turn, Wait):
                self.play(turn)
            elif not self.advance(turn.until):
                return

    @property
    def cuts(self) -> list[str]:
        """The names of the cut subtrees."""
        return [cut.name for cut in self.frontier.learning.cuts()]

    def outcome_of(self, task: FetchTask) -> PageOutcome:
        """Return how a task ended, its links offered."""
        parts = urlsplit(task.url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        page = site_of(self.sites, task.host)(path)
        return self.end_of(task, page)

    def end_of(self, task: FetchTask, page: Page | None) -> PageOutcome:
        """Return the end of a page, or of a dead link."""
        if page is None:
            return PageOutcome(task.url_id, UrlState.FAILED, end=Failure.HTTP_CLIENT_ERROR)
        first = self.originals.setdefault(page.about, task.url_id)
        copy = first != task.url_id
        new = tuple(self.new_urls(task, page, Priority.DEFERRED if copy else Priority.ORDINARY))
        if copy:
            verdict = ExactDuplicate(EXACT_TEXT, StoredRef(first, page.about))
            return PageOutcome(
                task.url_id, UrlState.DUPLICATE, end=verdict, duplicate_of=first, new_urls=new
            )
        self.new.append(task.url)
        shown = look(page.said(3))
        return PageOutcome(task.url_id, UrlState.STORED, end=New(), new_urls=new, look=shown)

    def new_urls(self, task: FetchTask, page: Page, priority: Priority) -> list[NewUrl]:
        """Offer a page's links and store those that are accepted."""
        origin = "/".join(task.url.split("/", 3)[:3])
        targets = [
            origin + link if PLAIN.match(link) else urljoin(task.url, link) for link in page.links
        ]
        answers = [self.offer(target, task.depth + 1, priority, task) for target in targets]
        return [answer for answer in answers if isinstance(answer, NewUrl)]
