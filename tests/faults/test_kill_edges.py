"""A crawl killed with SIGKILL as it begins, resumes and stops loses nothing and doubles nothing.

Six kills; six more are in `test_kill`.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.killing import check_kills

STARTS = ["start-up"] * 2
LATER = ["resume", "shutdown"] * 2
SEED = 21


def test_kills_at_its_edges_leave_the_crawl_of_an_undisturbed_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Killed before it has begun, while it resumes and on its way out, a crawl loses no page."""
    later = random.Random(SEED).sample(LATER, len(LATER))
    check_kills(tmp_path, STARTS + later, SEED)
    assert "and the output files agree" in capsys.readouterr().out
