"""Which of the parts that may be exchanged are in use is said, since speed depends on them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.crawling import command
from support.documents import dedup, text, write
from support.output import summary_of

from crawler.dedup import kernels
from crawler.observe.parts import SLOW

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


@pytest.mark.parametrize("way", kernels.AVAILABLE)
def test_version_and_summary_say_what_is_used(
    way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The kernels in use are told by `--version` and `summary.json`, and slow ones at the start."""
    corpus = write(tmp_path / "c.jsonl", [{"text": text(1)}])
    with kernels.using(way):
        code, out, _ = command(capsys, "--version")
        assert code == 0
        parts = rf"kernels: {way}, event loop: (uvloop|asyncio), Chinese words: r?jieba"
        assert re.fullmatch(rf"crawler [\d.]+ \({parts}\)\n", out)
        assert dedup(corpus, "--output", tmp_path / "out") == 0
        assert (SLOW in capsys.readouterr().err) == (way == "numpy")
    parts_of = summary_of(tmp_path / "out")["parts"]
    assert parts_of["kernels"] == way
    assert parts_of["event_loop"] in ("uvloop", "asyncio")
