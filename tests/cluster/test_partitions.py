"""A crawl in partitions, all in this process."""

from pathlib import Path
from typing import Any

import pytest
from support.clustered import Local, crawl_in_parts, domains_job
from support.output import lines
from support.sites import crawled

from crawler.cluster.carrier import partition

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
