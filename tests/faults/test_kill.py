"""A crawl killed with SIGKILL in the midst of its pages loses nothing and doubles nothing.

Six kills; six more are in `test_kill_edges`.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.killing import check_kills

PHASES = ["fetch", "pool work", "commit"] * 2
SEED = 20


def test_kills_among_pages_leave_the_crawl_of_an_undisturbed_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Killed while it fetches, reads and commits pages, a crawl ends with the same, once each."""
    check_kills(tmp_path, random.Random(SEED).sample(PHASES, len(PHASES)), SEED)
    assert "and the output files agree" in capsys.readouterr().out
