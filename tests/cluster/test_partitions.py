"""A crawl in partitions, all in this process."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from support.clustered import Local, crawl_in_parts, domains_job
from support.life_parts import signature
from support.output import lines
from support.sites import crawled

from crawler.cluster.partition import MANY, RemoteJudge
from crawler.cluster.protocol import Answer, PageAsk, partition
from crawler.models import New, PayloadKey, ReadPage, Shown
from crawler.storage.exchange import Exchanged

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


async def test_a_crawl_in_partitions_ends_with_the_pages_of_one_crawl(tmp_path: Path) -> None:
    """The same URLs end in the same ways as in one crawl, by whichever partition."""
    with domains_job(tmp_path / "parts") as (job, _):
        engine = Local(job.output)
        watched = await crawl_in_parts(job, engine)
    print("\n".join(engine.said))
    print(watched.statuses)
    with domains_job(tmp_path / "one") as (job, _):
        data = job.model_dump(mode="json")
        del data["cluster"]
        await crawled(data)
    titles = {line["title"] for line in lines(tmp_path / "one", "pages")}
    parts = [line for p in sorted((tmp_path / "parts").glob("p*")) for line in lines(p, "pages")]
    assert {line["title"] for line in parts} == titles
    assert len(parts) == len(titles)


class Curious(Local):
    """Asks how a partition is doing whenever it says goodbye."""

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """See Carrier."""
        if method == "goodbye":
            status = await super().call(partition(args[0]), "status")
            assert not status.ended
        return await super().call(role, method, *args)


async def test_a_partition_that_is_closing_tells_how_it_was_in_the_end(tmp_path: Path) -> None:
    """Its store is closed then, which is no trouble of the crawl."""
    with domains_job(tmp_path / "parts") as (job, _):
        watched = await crawl_in_parts(job, Curious(job.output))
    assert all(status.ended for status in watched.statuses.values())


class Asked:
    """A store and a judge far away: what was asked of either, in order."""

    def __init__(self) -> None:
        self.heard: list[str | list[int]] = []
        self._told = 0
        self.may_answer = asyncio.Event()

    @contextmanager
    def exchanging(self, size: int) -> Iterator[Exchanged]:
        """See Store."""
        yield (told := Exchanged())
        [self._told] = told.asks

    async def flush(self) -> None:
        """See Store."""
        self.heard.append(f"durable to {self._told}")

    async def ask(self, asks: Sequence[PageAsk]) -> list[Answer]:
        """Answer when it may."""
        self.heard.append([one.number for one in asks])
        await self.may_answer.wait()
        self.may_answer.clear()
        return [Answer(one.number, one.number, New(), one.number, None) for one in asks]


async def test_pages_that_come_together_are_asked_about_together() -> None:
    """By one commit and one question: the first at once, others after the answer and company."""
    asked, over, many = Asked(), asyncio.Event(), list[asyncio.Event]()

    async def company(enough: asyncio.Event) -> None:
        many.append(enough)
        await over.wait()
        over.clear()

    store, pages_of_others = cast("Any", asked), cast("Any", None)
    judge = RemoteJudge(store, pages_of_others, asked.ask, lambda url: None, [], company)

    async def come(*numbers: int) -> None:
        for number in numbers:
            url = f"http://a.test/{number}"
            key, page = PayloadKey(b"k" * 32, "text/html"), ReadPage(number, partial(bytes, 1))
            decided = judge.decide(key, signature(tokens=100), Shown(url), page)
            pages.append(asyncio.ensure_future(decided))
        for _ in range(5):
            await asyncio.sleep(0)

    pages = list[asyncio.Future[Any]]()
    asking = asyncio.ensure_future(judge.asking())
    await come(1)
    assert asked.heard == ["durable to 1", [1]]
    await come(2, 3)
    asked.may_answer.set()
    await come(4)
    assert len(asked.heard) == 2
    assert not many[0].is_set()
    over.set()
    await come()
    assert asked.heard[2:] == ["durable to 4", [2, 3, 4]]
    asked.may_answer.set()
    await come()
    await come(*range(5, 5 + MANY))
    assert many[1].is_set()
    over.set()
    asked.may_answer.set()
    assert [(await page).page_id for page in pages] == [*range(1, 5 + MANY)]
    asking.cancel()
