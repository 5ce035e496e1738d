"""Attacks on the event loop, all in one crawl: no page, link or header costs what it asks for."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from support.attacks.loop import ATTACKS, PAGES
from support.attacks.mixed import Mixed, crawl_beside
from support.output import lines

from crawler.extract.page import MAX_LINK_CHARACTERS
from crawler.models import Failure
from crawler.urls import hostname


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Mixed:
    """Crawl healthy hosts beside all attacks on the loop."""
    return asyncio.run(crawl_beside(ATTACKS, tmp_path_factory.mktemp("loop")))


def _host(record: dict[str, str]) -> str:
    return hostname(record["host"]).removesuffix(".test")


def test_no_innocent_is_lost(mixed: Mixed) -> None:
    """All pages of the hosts beside the attackers are stored, and all URLs are accounted for."""
    assert mixed.lost == frozenset()
    assert mixed.summary["identity_holds"]


def test_the_memory_given_is_enough(mixed: Mixed) -> None:
    """No page swells on its way through the crawl's own process: none is left for want of room."""
    assert mixed.summary["pending"] == 0
    assert "memory" not in mixed.err.lower()


def test_control_characters_are_no_text(mixed: Mixed) -> None:
    """10 MB of them leave the number that stands before them, and a line of one kilobyte."""
    texts = [page["text"] for page in lines(mixed.output, "pages")
             if _host(page) == "control-characters"]  # fmt: skip
    assert sorted(texts) == [str(number) for number in range(PAGES)]


def test_marks_are_text(mixed: Mixed) -> None:
    """What is text stays, however long: each of the marks can be read back from its line."""
    texts = [page["text"] for page in lines(mixed.output, "pages")
             if _host(page) == "direction-marks"]  # fmt: skip
    assert len(texts) == PAGES
    assert all(len(set(text)) == 2 and len(text) > 3_000_000 for text in texts)


@pytest.mark.parametrize("host", ["deep-base", "new-segments"])
def test_links_are_bounded_by_their_length(mixed: Mixed, host: str) -> None:
    """Of thousands of links of two thousand characters a page brings a megabyte."""
    offered = [len(skipped["url"]) for skipped in lines(mixed.output, "skipped")
               if _host(skipped) == host]  # fmt: skip
    assert MAX_LINK_CHARACTERS / 2 < sum(offered) <= PAGES * MAX_LINK_CHARACTERS


def test_heads_are_bounded(mixed: Mixed) -> None:
    """A head of four megabytes is refused, and so is a Location that leads nowhere."""
    failures = lines(mixed.output, "failures")
    ends = Counter((_host(failed), failed["failure"]) for failed in failures)
    floods = "robots-tag-flood", "cookie-attributes", "coding-flood"
    assert ends == {
        **{(host, Failure.PROTOCOL.value): PAGES for host in floods},
        ("long-location", Failure.REDIRECT_INVALID.value): PAGES,
    }
