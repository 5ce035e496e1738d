"""Two copies of a page that come to two partitions at one moment: exactly one of them is stored."""

from __future__ import annotations

import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from support.clustered import Domains, Local, domains_job, text
from support.crawling import HANG_S
from support.output import lines
from support.parts import check_parts, run_parts
from support.threaded import Reply

from crawler.cluster.root import Root

pytestmark = pytest.mark.usefixtures("no_analysis_processes")
ROUNDS, SOAK_ROUNDS = 30, 10_000


class Released(Domains):
    """Two sites whose pages are answered together: the same, each second one but for markup."""

    def __init__(self) -> None:
        super().__init__()
        self.domains = [self.domains[0], self.domains[2]]
        """Of two partitions."""
        self._barrier = threading.Barrier(2)

    def answer(self, url: str) -> Reply:
        """See Domains."""
        parts = urlsplit(url)
        if parts.path == "/robots.txt":
            return Reply("", 404)
        number = int(parts.path.strip("/"))
        self._barrier.wait(HANG_S)
        markup = f"<!-- {parts.hostname} -->" if number % 2 else ""
        return Reply(
            f"<html><head><title>{number}</title></head><body>{markup}<p>{text(number)}</p></body>"
            "</html>"
        )


async def test_one_of_two_copies_is_stored(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Copies of equal bytes and of equal text, both answered at one moment."""
    rounds = SOAK_ROUNDS if request.config.getoption("--soak") else ROUNDS
    web = Released()
    with domains_job(
        tmp_path / "out",
        web,
        seeds=[f"{site}/{number}" for number in range(rounds) for site in web.domains],
        politeness={"per_host": 1},
        cluster={"partitions": 2, "judge_shards": 2, "batch": 8, "linger_ms": 0},
    ) as (job, served):
        root = Root.create(job.output, job)
        assert {root.partition_of(urlsplit(site).hostname or "") for site in web.domains} == {0, 1}
        await run_parts(root, Local(root.path))
        assert len(served.asked) >= 2 * rounds
    check_parts(root)
    stored, dropped = (
        [line for number in root.partitions for line in lines(root.partition(number), kind)]
        for kind in ("pages", "duplicates")
    )
    assert sorted(int(line["title"]) for line in stored) == [*range(rounds)]
    assert len(dropped) == rounds
    ids = {line["id"]: line["url"] for line in stored}
    assert all(ids[line["duplicate_of"]["id"]] == line["duplicate_of"]["url"] for line in dropped)
