"""Hosts of small documents that take long to read are read, and hold up nobody."""

from __future__ import annotations

from pathlib import Path

from support.attacks.costly_documents import ATTACKS
from support.attacks.mixed import crawl_beside


async def test_costly_documents_are_read_like_others(tmp_path: Path) -> None:
    """Each page of each host is stored, as those of the healthy hosts are, and none times out."""
    mixed = await crawl_beside(ATTACKS, tmp_path, hosts=2, pages=5)
    assert mixed.lost == frozenset()
    assert mixed.summary["failures"] == {}
