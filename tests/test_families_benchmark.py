"""The benchmark of families judges made sites as a crawl does, and says what became of them."""

from __future__ import annotations

import re
import sys

import pytest

from benchmarks.families.__main__ import main

WORK, HELD = ("plate-guide", "hupo-biji"), ("stampready", "torvale-docs")
"""Of each half one family in which no page is a copy, and one in which some are."""


def test_families_of_either_half_are_judged_and_no_page_is_lost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In their own order and in a random one no page is lost, and most copies are found."""
    monkeypatch.setattr(sys, "argv", ["families", "--orders", "1", *WORK, *HELD])
    main()
    out = capsys.readouterr().out
    row = re.compile(r"^(\S.*?) +(\d+) +(\d+) +[\d.]+% +(\d+) +(\d+) +[\d.]+%$", re.MULTILINE)
    told = {name: tuple(map(int, rest)) for name, *rest in row.findall(out)}
    assert set(told) == {*WORK, *HELD, "all of 4"}
    for name, (pages, lost, copies, kept) in told.items():
        assert (pages > 0, lost) == (True, 0), out
        assert (copies > 0) == (name not in (WORK[0], HELD[0]))
        assert kept <= copies / 2
