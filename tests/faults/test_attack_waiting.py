"""Hosts that make others wait hurt nobody but themselves, in whole crawls over real sockets."""

from __future__ import annotations

import asyncio

import pytest
from support.attacks.mixed import Mixed, crawl_beside
from support.attacks.waiting import BUSY, INNER, STALLING, URLS_OF_THE_BUSY, WAY_IN
from support.output import lines


@pytest.fixture(scope="module")
def stalled(tmp_path_factory: pytest.TempPathFactory) -> Mixed:
    """Crawl beside 750 hosts that stall for hours, until the healthy hosts' pages are stored."""
    home = tmp_path_factory.mktemp("stalled")
    return asyncio.run(crawl_beside(STALLING, home, till_stored=True))


@pytest.fixture(scope="module")
def waited(tmp_path_factory: pytest.TempPathFactory) -> Mixed:
    """Crawl beside a host that is busy for ever, and a page that leads into this machine."""
    return asyncio.run(crawl_beside((BUSY, WAY_IN), tmp_path_factory.mktemp("waited")))


def test_stalling_hosts_keep_nobody_waiting(stalled: Mixed) -> None:
    """Every page of the healthy hosts is stored, and no stall, of hours each, has ended before."""
    assert stalled.lost == frozenset()
    assert stalled.summary["stopped"]
    assert stalled.summary["failures"] == {}


def test_a_stall_that_gives_way_says_nothing_of_its_url(stalled: Mixed) -> None:
    """No URL of a stalling host has failed for being asked to make room: all are pending."""
    assert stalled.summary["failures"] == {}
    assert stalled.summary["pending"] >= 675
    assert stalled.summary["identity_holds"]


def test_a_host_that_is_busy_for_ever_is_put_aside_in_sight(waited: Mixed) -> None:
    """The crawl ends without waiting for it; its URLs are pending, told with reason and time."""
    assert waited.lost == frozenset()
    ((place),) = waited.summary["aside"]
    assert place["place"].startswith("busy.test:")
    assert place["pending"] == waited.summary["pending"] == URLS_OF_THE_BUSY
    assert place["not_before"] > place["tried_at"]
    assert "429" in place["why"]
    assert "asks to wait for 3,600 s" in place["why"]
    assert "put aside, its URLs stay pending" in waited.err
    assert ", 1 put aside" in waited.err


def test_a_mapped_name_is_no_way_in(waited: Mixed) -> None:
    """The service that a page links to sees no connection, and the line tells the way out."""
    (failure,) = lines(waited.output, "failures")
    assert failure["failure"] == "blocked-address"
    assert INNER in failure["url"]
    assert "a seed at" in failure["detail"]
