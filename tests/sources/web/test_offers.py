"""What pages lead to, offered by the real frontier to a store that only listens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from support.life_parts import FakeStore
from support.worlds import job

from crawler.frontier import Frontier
from crawler.models import FetchTask, NewUrl, PageOutcome, UrlState
from crawler.models.enums import FollowDuplicates
from crawler.sources.web.pipeline import Offers

SENT_BYTES = 10_000
LONG = tuple(f"http://a.test/{'x' * 700}/{number}" for number in range(300))
"""They cost more than ten thousand bytes may lead to."""


class Crawled:
    """Pages that are crawled one by one, up to two links from the seed."""

    def __init__(self) -> None:
        self.frontier = Frontier(job(limits={"depth": 2}, frontier={"long_url_bytes": 0}))
        self.store = FakeStore()
        self.offers = Offers(self.frontier, self.store, FollowDuplicates.DEFER)
        self.queued: list[str] = []
        self.counts: Counter[str] = Counter()

    def page(self, url: str, depth: int, links: Sequence[str]) -> PageOutcome:
        """Fetch a page that was found at a depth, and end it with its links."""
        taken = self.frontier.offer(url, depth=depth)
        assert isinstance(taken, NewUrl)
        task = FetchTask(taken.url_id, url, "a.test", depth)
        self.offers.open(task, SENT_BYTES)
        outcome = PageOutcome(taken.url_id, UrlState.STORED)
        self.offers.links(outcome, task, links, follow=True)
        self.frontier.settle(task, outcome)
        self.queued += [new.url for new in outcome.new_urls]
        self.counts.update(dict(outcome.totals.rows()))
        return outcome


def test_links_found_nearer_are_paid_for_by_what_their_page_sent() -> None:
    """A page that was too deep first has as much for its links, and what is refused is counted."""
    near = Crawled()
    near.page("http://a.test/page", 1, LONG)
    affordable = len(near.queued)
    assert 0 < affordable < len(LONG)

    deep = Crawled()
    deep.page("http://a.test/page", 2, LONG)
    assert not deep.queued
    deep.page("http://a.test/list", 0, ["http://a.test/page"])
    again = [new.url for new in deep.store.urls]
    assert again == list(LONG[:affordable])
    refused = len(LONG) - affordable
    assert deep.counts["over-budget:a.test"] == refused
    assert deep.counts["dropped-link:over-budget"] == refused
