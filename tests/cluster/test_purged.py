"""What changes a crawl in partitions between runs: all directories agree, as after one crawl."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest
from support.analysing import no_processes
from support.clustered import Domains, Local, domains_job
from support.crawling import command
from support.output import lines
from support.parts import check_parts, ends_in, ends_of, run_parts
from support.sites import crawled

from crawler.cluster import purging
from crawler.cluster.root import Root
from crawler.config import parse_job
from crawler.errors import StoreError, StoreMismatch
from crawler.storage.database import Database
from crawler.storage.directory import STATE
from crawler.storage.exchange import JUDGE, Exchange, unpack_urls

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

HOST = "site0.test"
"""Of the seed; others have copies of its pages."""


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the root of a crawl that has ended, whose sites are served still."""
    output = tmp_path_factory.mktemp("changed") / "out"
    with domains_job(output, DOMAINS) as (job, _), no_processes():
        asyncio.run(run_parts(root := Root.create(output, job), Local(output)))
        check_parts(root)
        yield output


DOMAINS = Domains()


@pytest.fixture
def root(over: Path, tmp_path: Path) -> Root:
    """Return a copy of it, of one's own."""
    return Root.open(copytree(over, tmp_path / "out"))
