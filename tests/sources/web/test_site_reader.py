"""A page is read by its site's template, and a second time where that made it like another one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from support.life_parts import NEAR, TASK, FakeStore, LifeWorld, document, signature
from support.teaching import ENOUGH, judged_new, lesson
from support.worlds import fetched, job

from crawler.engine.engine import Learners, SiteReader, Twins
from crawler.models import Document, Failure, JudgedOn, Listing, PageLinks
from crawler.workers.messages import AnalysisFailed, AnalysisRequest
from crawler.workers.pool import Planned, as_it_is

REQUEST = AnalysisRequest("http://a.test/", b"", "text/html", None)


def by_template(kept: str, visible: str, tokens: int = 100) -> Document:
    """Return a page that its template read."""
    digests: dict[str, Any] = {
        "text_digest": kept.encode() * 32,
        "visible_digest": visible.encode() * 32,
    }
    signed = replace(signature(tokens), **digests)
    return document(read_by="template", template=1, judged_on=JudgedOn.TEMPLATE, signature=signed)


@dataclass
class Pool:
    """Answers with the given pages, one after the other, and keeps what it was asked."""

    pages: list[Document | AnalysisFailed]
    asked: list[AnalysisRequest] = field(default_factory=list)

    async def analyse(
        self, request: AnalysisRequest, planned: Planned = as_it_is
    ) -> Document | AnalysisFailed:
        """See PagePool."""
        self.asked.append(planned(request))
        return self.pages.pop(0)

    async def links(self, request: AnalysisRequest) -> PageLinks:
        """See PagePool."""
        raise AssertionError("these pages are not known by their payload")

    async def listing(self, request: AnalysisRequest) -> Listing | AnalysisFailed | None:
        """See PagePool."""
        raise AssertionError("these pages are no sitemaps")


async def pages_read(pool: Pool, reads: int, **sections: Any) -> list[Document | AnalysisFailed]:
    """Read so many pages of one host, whose template was learned."""
    learners = Learners(FakeStore())
    for number in range(ENOUGH):
        learners.hear("a.test", learners.plan("a.test"), lesson(number), judged_new())
    reader = SiteReader(job(**sections), pool, learners)
    found = []
    for _ in range(reads):
        async with reader.reading(replace(REQUEST)) as (page, _):
            found.append(page)
    return found


async def test_a_page_like_another_that_shows_other_things_is_read_without_its_template() -> None:
    """It is read a second time, once, doubted and to teach."""
    again = document(read_by="trafilatura", judged_on=JudgedOn.VISIBLE, doubted=True)
    pool = Pool([by_template("k", "1"), by_template("k", "2"), again])
    first, second = await pages_read(pool, 2)
    assert [request.doubted for request in pool.asked] == [False, False, True]
    assert [request.teaches for request in pool.asked] == [False, False, True]
    assert all(request.template for request in pool.asked)
    assert isinstance(first, Document)
    assert not first.doubted
    assert second == again


@pytest.mark.parametrize(
    "second",
    [
        by_template("k", "1"),
        by_template("l", "2"),
        by_template("k", "2", tokens=5),
        document(read_by="trafilatura"),
        AnalysisFailed(Failure.ANALYSIS_TIMEOUT, "30 s"),
    ],
    ids=["a copy", "another text", "too short to be a copy", "read by itself", "not read"],
)
async def test_other_pages_are_read_once(second: Document | AnalysisFailed) -> None:
    """There is no doubt about them."""
    pool = Pool([by_template("k", "1"), second])
    assert (await pages_read(pool, 2))[1] == second
    assert len(pool.asked) == 2


async def test_a_crawl_that_does_not_learn_plans_nothing() -> None:
    """With `extract.learn: false` no page has a template or teaches, and none is doubted."""
    pool = Pool([by_template("k", str(number)) for number in range(ENOUGH + 1)])
    await pages_read(pool, ENOUGH + 1, extract={"learn": False})
    assert {(request.template, request.teaches) for request in pool.asked} == {(None, False)}


def test_twins_are_looked_for_on_one_host_and_among_its_latest_pages() -> None:
    """So many pages of each host are remembered, and so many hosts."""
    twins = Twins(pages=2, hosts=2)

    def digests(page: Document) -> tuple[bytes, bytes]:
        return page.signature.text_digest, page.signature.visible_digest

    one, other = digests(by_template("k", "1")), digests(by_template("k", "2"))
    assert not twins.doubts("a.test", *one)
    assert not twins.doubts("b.test", *other)
    assert twins.doubts("a.test", *other)
    for kept in "xy":
        assert not twins.doubts("a.test", *digests(by_template(kept, "3")))
    assert not twins.doubts("a.test", *other)
    assert not twins.doubts("c.test", *one)
    assert not twins.doubts("b.test", *one)


@pytest.mark.parametrize("dropped", [False, True])
async def test_a_page_that_is_judged_teaches(dropped: bool) -> None:
    """Stored or dropped, its end carries what its host's learner knows after it."""
    world = LifeWorld(fetched(TASK, b"<p>"), lesson(0), NEAR if dropped else None)
    batch = await world.run()
    assert batch is not None
    assert (batch.document is None) is dropped
    assert batch.learned is not None
    assert batch.learned.host == "a.test"
    assert list(world.learners.unsaved()) == []


@pytest.mark.parametrize(
    ("page", "changes"),
    [
        (AnalysisFailed(Failure.ANALYSIS_TIMEOUT, "30 s"), {}),
        (None, {"noindex": True}),
        (None, {"refresh": "http://a.test/elsewhere", "signature": signature(3)}),
    ],
    ids=["failed", "noindex", "refresh"],
)
async def test_a_page_that_comes_to_nothing_teaches_nothing(
    page: AnalysisFailed | None, changes: dict[str, Any]
) -> None:
    """Its plan is given back: the template is made when eight others have taught."""
    world = LifeWorld(fetched(TASK, b"<p>"), page or replace(lesson(0), **changes))
    batch = await world.run()
    assert batch is not None
    assert batch.learned is None
    for number in range(ENOUGH):
        plan = world.learners.plan("a.test")
        assert plan.template is None
        world.learners.hear("a.test", plan, lesson(number), judged_new())
    assert world.learners.plan("a.test").template is not None
