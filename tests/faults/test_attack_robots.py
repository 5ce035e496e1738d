"""Attacks by robots.txt, all in one crawl, beside healthy hosts and the victim of errands."""

from __future__ import annotations

import asyncio

import pytest
from support.attacks.mixed import Mixed, crawl_beside
from support.attacks.robots import ATTACKS, CHECKED_URLS, READ_HOSTS, VICTIMS_PAGES, asked_of_victim
from support.output import lines


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Mixed:
    """Crawl once."""
    return asyncio.run(crawl_beside(ATTACKS, tmp_path_factory.mktemp("robots")))


def test_no_innocent_is_lost(mixed: Mixed) -> None:
    """Every page of the healthy hosts and of the victim is stored."""
    assert mixed.lost == frozenset()


def test_the_victim_is_asked_for_nothing_that_it_forbids(mixed: Mixed) -> None:
    """Two hundred redirects cost it its own robots.txt, once, and no page that is not its own."""
    assert asked_of_victim.pop("/robots.txt") == 1
    assert asked_of_victim == {f"/{number}": 1 for number in range(VICTIMS_PAGES)}


def test_who_sends_on_errands_is_read_as_if_there_were_no_file(mixed: Mixed) -> None:
    """A place that may not be asked is an unavailable file (RFC 9309 2.3.1.3)."""
    stored = {page["url"].partition(".")[2][:12] for page in lines(mixed.output, "pages")}
    alike = {page["url"].partition(".")[2][:12] for page in lines(mixed.output, "duplicates")}
    assert "errands.test" in stored | alike


def test_rules_without_end_bind_their_own_hosts(mixed: Mixed) -> None:
    """Hosts of too many rules are read by all of them, and skipped where those take too long."""
    skipped = [page["url"] for page in lines(mixed.output, "skipped")]
    assert sum("many-wildcards" in url for url in skipped) == READ_HOSTS * CHECKED_URLS
    stored = [page["url"] for name in ("pages", "duplicates") for page in lines(mixed.output, name)]
    assert sum("many-rules" in url for url in stored) == READ_HOSTS
