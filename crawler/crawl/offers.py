"""What pages lead to, offered to the frontier: links, targets of redirects, and what they unlock.

The frontier takes a URL at once; the store has it with the end of the page that led there, in one
synchronous stretch. What goes wrong in between must not lose it: what is not handed over is kept.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from crawler.config import FollowDuplicates
from crawler.crawl.parts import PageQueue, PageStore
from crawler.ends import NOTHING_OFFERED, Offered
from crawler.frontier import Allowance, Refusal
from crawler.observe.summary import DRAWN, OVER_BUDGET
from crawler.records import FetchTask, NewUrl, Priority, Redirected

LINKS_A_SLICE = 500
"""Offered at once: some 20 ms."""


@dataclass(slots=True)
class _Page:
    """A page that is not at its end."""

    allowance: Allowance | None = None
    """What it pays for its links with; None: they cost nothing."""
    early: int = 0
    """How many of its links, from the first, were offered."""
    refused: Counter[str] = field(default_factory=Counter)

    def counts(self) -> dict[str, float]:
        """Return what its links cost its domain, as running totals."""
        if self.allowance is None:
            return {}
        counts = {DRAWN: self.allowance.drawn, OVER_BUDGET: self.allowance.refused}
        return {prefix + self.allowance.domain: n for prefix, n in counts.items() if n}


class Offers:
    """Offers URLs; `mode` says what becomes of the links of duplicates."""

    def __init__(self, frontier: PageQueue, store: PageStore, mode: FollowDuplicates) -> None:
        self._frontier = frontier
        self._store = store
        self._mode = mode
        self._pages: dict[int, _Page] = {}
        """By the id of a page that is not at its end."""
        self._unsaved: list[NewUrl] = []
        """What the frontier took and the store has not, within one synchronous stretch."""

    def open(self, task: FetchTask, sent_bytes: int) -> None:
        """A page is read, which was so many bytes as they travelled."""
        self._pages[task.url_id] = _Page(self._frontier.allowance(task, sent_bytes))

    def links(
        self, task: FetchTask, links: Iterable[str], *, follow: bool, copied: bool = False
    ) -> Offered:
        """Offer the links of a page that comes to its end now; `copied`: of a duplicate."""
        if not follow or self._ignores(copied):
            return NOTHING_OFFERED
        links, priority = tuple(links), self._priority(copied)
        page = self._pages.pop(task.url_id, _Page())
        answers = self._answers(task, links[page.early :], priority, page.allowance)
        self._frontier.led_to(task, links, priority, step=1)
        self._offer_again()
        return Offered(_accepted(answers), page.refused + _refused(answers), page.counts())

    async def early(
        self, task: FetchTask, links: Sequence[str], *, follow: bool, copied: bool = False
    ) -> None:
        """Offer the links of a page that has very many in slices, all but the last before its end.

        Where the crawl is killed in between, the page is pending still and is asked for again. What
        it is found to be comes too late for these links: they count as those of a page that is new,
        unless its bytes were `copied`.
        """
        if not follow or self._ignores(copied) or len(links) <= LINKS_A_SLICE:
            return
        page, priority = self._pages.setdefault(task.url_id, _Page()), self._priority(copied)
        while len(links) - page.early > LINKS_A_SLICE:
            some = links[page.early : page.early + LINKS_A_SLICE]
            answers = self._answers(task, some, priority, page.allowance)
            self.keep()
            page.early += len(some)
            page.refused += _refused(answers)
            await asyncio.sleep(0)

    def target(self, redirected: Redirected) -> NewUrl | Refusal:
        """Offer where a redirect leads."""
        task = redirected.task
        answer = self._take(
            redirected.target,
            depth=self._frontier.depth_of(task),
            priority=task.priority,
            hops=task.hops + 1,
            via=task,
            seed=task.seed,
            asked=redirected.then is not None,
        )
        self._frontier.led_to(task, (redirected.target,), task.priority, step=0)
        self._offer_again()
        return answer

    def keep(self) -> None:
        """Store what the frontier took from a page that is not at its end."""
        if self._unsaved:
            self._store.submit_urls(self._unsaved)
            self._unsaved = []

    def handed_over(self) -> None:
        """What was taken was stored with the end of its page."""
        self._unsaved = []

    def forget(self, task: FetchTask) -> None:
        """A page is not read any more, whether it came to its end or not."""
        self._pages.pop(task.url_id, None)

    def _ignores(self, copied: bool) -> bool:
        return copied and self._mode is FollowDuplicates.IGNORE

    def _priority(self, copied: bool) -> Priority:
        deferred = copied and self._mode is FollowDuplicates.DEFER
        return Priority.DEFERRED if deferred else Priority.ORDINARY

    def _take(self, url: str, **how: Any) -> NewUrl | Refusal:
        answer = self._frontier.offer(url, **how)
        if isinstance(answer, NewUrl):
            self._unsaved.append(answer)
        return answer

    def _answers(
        self,
        task: FetchTask,
        links: Iterable[str],
        priority: Priority,
        allowance: Allowance | None,
    ) -> list[NewUrl | Refusal]:
        how = {"depth": self._frontier.depth_of(task) + 1, "priority": priority, "via": task}
        return [self._take(link, **how, allowance=allowance) for link in links]

    def _offer_again(self) -> None:
        """Offer the links of what was found by a shorter path just now, and so on from there."""
        while found := self._frontier.nearer():
            unsaved = len(self._unsaved)
            answers = [
                self._take(
                    link,
                    depth=page.task.depth + page.step,
                    priority=page.priority,
                    hops=0 if page.step else page.task.hops + 1,
                    via=page.task,
                    seed=page.task.seed and not page.step,
                    allowance=self._frontier.allowance(page.task, 0),
                )
                for page in found
                for link in page.links
            ]
            self._store.submit_urls(_accepted(answers))
            del self._unsaved[unsaved:]
        if lowered := self._frontier.take_lowered():
            self._store.submit_depths(lowered)


def _accepted(answers: Iterable[NewUrl | Refusal]) -> tuple[NewUrl, ...]:
    return tuple(answer for answer in answers if isinstance(answer, NewUrl))


def _refused(answers: Iterable[NewUrl | Refusal]) -> Counter[str]:
    return Counter(answer.value for answer in answers if not isinstance(answer, NewUrl))
