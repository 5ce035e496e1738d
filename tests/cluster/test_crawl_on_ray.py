"""A crawl in partitions on a private Ray cluster, whose processes are killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import yaml
from support.clustered import Domains, domains_job
from support.crawling import HANG_S
from support.parts import check_parts, ends_in, ends_of
from support.processes import below, command_line
from support.sites import crawled
from support.threaded import Reply

from crawler.cluster.root import Root

pytest.importorskip("ray", reason="Ray is an extra: pip install 'inline-crawler[cluster]'")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are told by /proc")

PAGES_BEFORE_A_KILL = 20


class Watched(Domains):
    """Says when some pages were asked for."""

    def __init__(self) -> None:
        super().__init__(domains=6, pages=20)
        self.asked = 0
        self.enough = threading.Event()

    def answer(self, url: str) -> Reply:
        """Answer a request to a proxy."""
        self.asked += 1
        if self.asked == PAGES_BEFORE_A_KILL:
            self.enough.set()
        return super().answer(url)


def test_a_crawl_by_ray_whose_processes_are_all_killed_loses_nothing(tmp_path: Path) -> None:
    """`crawl --partitions` ends with the pages of one crawl, though each role was killed once."""
    web = Watched()
    with domains_job(tmp_path / "one", Watched()) as (job, _):
        data = job.model_dump(mode="json")
        del data["cluster"]
        asyncio.run(crawled(data))
    with domains_job(tmp_path / "parts", web) as (job, _):
        (tmp_path / "job.yaml").write_text(yaml.safe_dump(job.model_dump(mode="json")))
        command = [sys.executable, "-m", "crawler", "crawl", "--config", str(tmp_path / "job.yaml")]
        crawl = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert web.enough.wait(HANG_S)
        killed = [pid for pid in below(crawl.pid) if b"ray::Host" in command_line(pid)]
        for process in killed:
            os.kill(process, signal.SIGKILL)
        said = crawl.communicate(timeout=HANG_S)[1].decode()
    assert len(killed) == 6, said  # three partitions, two shards, the sequencer
    assert crawl.returncode == 0, said
    root = Root.open(tmp_path / "parts")
    check_parts(root)
    assert ends_in(root) == ends_of(tmp_path / "one")
