"""Endless places that would have their neighbours cut, beside healthy hosts."""

from __future__ import annotations

import asyncio

import pytest
from support.attacks.mixed import Mixed, crawl_beside
from support.attacks.traps import ATTACKS


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Mixed:
    """Crawl healthy hosts beside all endless places."""
    return asyncio.run(crawl_beside(ATTACKS, tmp_path_factory.mktemp("endless")))


def test_nobody_else_loses_a_page(mixed: Mixed) -> None:
    """Healthy hosts, and the neighbours below the attackers' own domains, are stored whole."""
    assert mixed.lost == frozenset()
    assert mixed.summary["identity_holds"]


def test_what_is_endless_is_cut_all_the_same(mixed: Mixed) -> None:
    """All ports of one host are cut as one, and many endless hosts with their domain."""
    cut = {trap["subtree"] for trap in mixed.summary["traps"]}
    assert "evil.shared.test/" in cut
    assert "*.shared.test" not in cut
    assert "*.blogs.test" in cut
    held = sum(trap["pending"] for trap in mixed.summary["traps"])
    assert held == mixed.summary["pending"] > 0


def test_endless_places_cost_little(mixed: Mixed) -> None:
    """Twenty-eight of them are asked for fewer pages together than their neighbours have twice."""
    duplicates = sum(mixed.summary["duplicates"].values())
    assert duplicates < 2 * len(mixed.innocents)
