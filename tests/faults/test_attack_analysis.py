"""Attacks on the processes that read pages, beside healthy hosts: those are read all the while."""

from __future__ import annotations

import asyncio

import pytest
from support.attacks.analysis import ATTACKS, SLOW_DOMAIN, SLOW_PAGES
from support.attacks.mixed import Mixed, crawl_beside
from support.output import lines

from crawler.storage.directory import LINE_FILES


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Mixed:
    """Crawl beside the attacks, each page of which may take hours, until the others are stored."""
    home = tmp_path_factory.mktemp("patient")
    hours = {"timeout_s": 36_000.0}
    return asyncio.run(crawl_beside(ATTACKS, home, till_stored=True, analysis=hours, grace_s=0.2))


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Mixed:
    """Crawl beside all attacks of this topic, to the end of each."""
    return asyncio.run(crawl_beside(ATTACKS, tmp_path_factory.mktemp("mixed")))


def details(mixed: Mixed) -> list[str]:
    """Return what is said of the attacker's pages."""
    failures = [line for line in lines(mixed.output, "failures") if SLOW_DOMAIN in line["url"]]
    assert [line["failure"] for line in failures] == ["analysis-timeout"] * SLOW_PAGES
    return [line["detail"] for line in failures]


def test_no_page_of_a_healthy_host_is_lost(mixed: Mixed) -> None:
    """Whoever else takes all the time he can get, each of their pages is stored."""
    assert mixed.lost == frozenset()


def test_healthy_hosts_do_not_wait_for_an_attacker(patient: Mixed) -> None:
    """All their pages are stored while the attacker's, which came first, are still in line."""
    assert patient.lost == frozenset()
    ended = [line for name in LINE_FILES for line in lines(patient.output, name)]
    assert sum(SLOW_DOMAIN in line["url"] for line in ended) < SLOW_PAGES


def test_an_attacker_has_less_and_less_time(mixed: Mixed) -> None:
    """Subdomains and ports are no help: two pages have all of the time, and the others say why."""
    said = details(mixed)
    assert said.count("no answer within 1 s") == 2
    shortened = f"no answer within 0.5 s, not 1: earlier pages of {SLOW_DOMAIN} took too long"
    assert sum(detail.startswith(shortened) for detail in said) == SLOW_PAGES - 2
