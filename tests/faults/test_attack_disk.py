"""Small pages that would make the crawl write much, beside healthy hosts."""

from __future__ import annotations

import asyncio
import time

import pytest
from support.attacks.disk import ATTACKS, LINKS, LINKS_A_PAGE, ORDINARY, PAGES
from support.attacks.mixed import Mixed, crawl_beside
from support.crawling import command
from support.output import lines

from crawler.config import parse_job
from crawler.frontier import SeenSet
from crawler.models import FetchTask
from crawler.sources.web.checkpoint import Checkpoint
from crawler.storage.directory import STATE, line_path
from crawler.storage.store import Store

MOST_STATE, MOST_LINES = 6_000_000, 5_000_000
"""Bytes, of both attacks: a megabyte for each domain, twice where SQLite keeps one URL a page, and
the healthy hosts. Without the limit they were 42 MB and 47 MB."""


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Mixed:
    """Crawl healthy hosts beside all attacks on the disk."""
    return asyncio.run(crawl_beside(ATTACKS, tmp_path_factory.mktemp("disk")))


def test_nobody_else_loses_a_page(mixed: Mixed) -> None:
    """Every page of the healthy hosts is stored, and the accounts add up."""
    assert mixed.lost == frozenset()
    assert mixed.summary["identity_holds"]


def test_the_disk_holds_little_of_what_small_pages_blow_up(mixed: Mixed) -> None:
    """State and failure lines are a small part of what the links would have taken."""
    assert (mixed.output / STATE).stat().st_size < MOST_STATE
    assert line_path(mixed.output, "failures").stat().st_size < MOST_LINES


def test_links_that_were_not_queued_are_counted_by_domain(mixed: Mixed) -> None:
    """Each link of the attackers has failed or is counted, and both domains are named."""
    refused = {row["domain"]: row["links"] for row in mixed.summary["over_budget"]}
    assert refused.keys() == {"amplifier.test", "referrer.test"}
    assert sum(refused.values()) == mixed.summary["dropped_links"]["over-budget"]
    failed = sum(mixed.summary["failures"].values())
    linked = LINKS + PAGES * LINKS_A_PAGE + 2 * len(ORDINARY)
    assert failed + sum(refused.values()) == linked


def test_links_of_ordinary_length_are_queued_all_the_same(mixed: Mixed) -> None:
    """Those that stand after the long ones come to their end like others."""
    failed = [line["url"] for line in lines(mixed.output, "failures")]
    for path in ORDINARY:
        assert sum(url.endswith(path) and "//down.amplifier" in url for url in failed) == 1


async def test_a_resume_begins_with_what_was_left(mixed: Mixed) -> None:
    """What a domain has drawn stands in the store: stopping and going on brings it nothing."""
    store = Store.open(mixed.output)
    try:
        checkpoint = Checkpoint(parse_job({}, "test"), store, time.monotonic)
        frontier = await checkpoint.frontier(0, SeenSet(), asyncio.Event())
    finally:
        store.close()
    for host, able in (("amplifier.test", False), ("referrer.test:81", False), ("b.test", True)):
        paying = frontier.url_budget(FetchTask(1, f"http://{host}/", host, 0), sent_bytes=0)
        assert paying is not None
        assert paying.pay(10_000) is able


def test_the_report_names_the_domains(mixed: Mixed, capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each, and the key that would have allowed more."""
    code, out, _ = command(capsys, "report", mixed.output)
    assert code == 0
    assert "frontier.long_url_bytes" in out
    assert "amplifier.test" in out
    assert "referrer.test" in out
