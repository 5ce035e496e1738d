"""The command that crawls the demo web: what it says and how it exits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.crawling import command

from crawler.demo import Comparison, Truth

NOWHERE = "http://nowhere.demo.test/"


def test_a_url_that_ends_otherwise_than_is_known_makes_the_demo_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The URLs are named, wrong and never met ones, with both ends; the exit code is 1."""
    compare = Truth.compare
    moved: list[str] = []

    def another(truth: Truth, *records: Any) -> Comparison:
        compared = compare(truth, *records)
        moved.extend(url for url, kind in compared.got.items() if kind == "redirect")
        expected = {**compared.expected, moved[0]: "stored", NOWHERE: "stored"}
        return Comparison(expected, compared.got)

    monkeypatch.setattr(Truth, "compare", another)
    code, _, err = command(capsys, "demo", "--output", tmp_path / "out", "--articles", 10)
    assert code == 1
    assert err.endswith(f"{moved[0]}: redirect, not stored\n{NOWHERE}: not met, not stored\n")
