"""A recrawl of a crawl in partitions: each visits the pages of the same one again."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from support.clustered import Domains, Local, domains_job
from support.crawling import command
from support.parts import check_parts, ends_in, run_parts
from support.threaded import Reply

from crawler.cluster.root import Root
from crawler.sources.web.recrawl import CHANGES, Plan

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


class Later(Domains):
    """One page says something else later, and links to another domain's new page and redirect."""

    later = False

    def answer(self, url: str) -> Reply:
        """See Domains."""
        reply = super().answer(url)
        if self.later and url == f"{self.domains[1]}/1":
            told = "Quite another text by now. " * 30
            links = (f'<a href="{self.domains[3]}/{name}">{name}</a>' for name in ("99", "moved"))
            return replace(reply, body=f"<p>{told}</p>{' '.join(links)}")
        return reply


@pytest.fixture
async def web(tmp_path: Path) -> AsyncIterator[Later]:
    """Have a crawl of it in `out` ended, whose sites have changed since."""
    web = Later(pages=4)
    with domains_job(tmp_path / "out", web) as (job, _):
        await run_parts(Root.create(job.output, job), Local(job.output))
        web.later = True
        yield web


async def visited(earlier: Root, output: Path) -> list[dict[str, object]]:
    """Visit all pages again, in as many partitions; return what was found of each."""
    which = {"due_only": False, "known_only": False}
    plan = Plan.after(earlier.path, earlier.plan.recrawl, output, 0.0, **which)
    job = earlier.job.model_copy(update={"output": output})
    root = Root.create(output, job, plan.record())
    await run_parts(root, Local(output))
    check_parts(root)
    files = [root.partition(number) / CHANGES for number in root.partitions]
    return [orjson.loads(line) for path in files for line in path.read_bytes().splitlines()]


async def test_a_recrawl_visits_every_page_by_its_partition(web: Later, tmp_path: Path) -> None:
    """What has changed is stored and what is new is found, in whichever partition it is."""
    earlier = Root.open(tmp_path / "out")
    changes = await visited(earlier, tmp_path / "out.r1")
    assert len(changes) == ends_in(earlier).titles.total()
    kinds = Counter(change["kind"] for change in changes)
    assert kinds == {"unchanged": len(changes) - 1, "text": 1}
    [changed] = (change for change in changes if change["kind"] == "text")
    assert changed["url"] == f"{web.domains[1]}/1"
    assert changed["of"]["directory"].startswith("../../out/p")  # type: ignore[index]
    asked = ends_in(Root.open(tmp_path / "out.r1")).urls.keys()
    assert asked - {change["url"] for change in changes} == {f"{web.domains[3]}/99"}
    again = await visited(Root.open(tmp_path / "out.r1"), tmp_path / "out.r2")
    assert len(again) == len(changes) + 1


async def test_a_recrawl_is_not_changed_by_what_belongs_to_the_first_crawl(
    web: Later, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Seeds and hosts are added to that and purged from that."""
    await visited(Root.open(tmp_path / "out"), tmp_path / "out.r1")
    for words in (["add", "http://a.test/"], ["purge", "--host", "site1.test", "--yes"]):
        code, _, err = command(capsys, words[0], tmp_path / "out.r1", *words[1:])
        assert code == 2
        assert "holds a recrawl" in err
