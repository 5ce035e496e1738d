"""docs/recipes.md: every command, job and program in it runs as it stands, one after another."""

from __future__ import annotations

import random
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import orjson
import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]
import pytest
import yaml
from support.analysing import no_processes
from support.archives import Archive
from support.documents import text
from support.output import lines
from support.paths import doc
from support.shelf import shelf

from crawler.cli import main
from crawler.config import merge

WORDS = (
    "the of and a to in is was that for on with as by at from this have they were which people "
    "water town harbour storm year house school river mayor council night market street boat "
    "after before against between because when where under over found closed opened built said "
    "would could should many more most other first second long small great new old young early"
).split()
"""Enough English for its language to be told."""


def english(title: str, seed: int, below: str = "") -> str:
    """Return a page of 200 words."""
    words = random.Random(seed).choices(WORDS, k=200)
    prose = "".join(f"<p>{' '.join(words[n : n + 20])}.</p>" for n in range(0, 200, 20))
    head = f"<!doctype html><html><head><title>{title}</title></head>"
    return f"{head}<body><article><h1>{title}</h1>{prose}</article>{below}</body></html>"


LINKS = "".join(f'<a href="/{n}">{n}</a>' for n in range(8))
PAGES = {
    "/": english("Start", 1, LINKS),
    **{f"/{n}": english(f"Page {n}", 100 + n) for n in range(6)},
    "/6": english("Page 3", 103),
    "/7": english("Page 4", 104).replace(" mayor ", " major ", 1),
}
QUICKLY = {"politeness": {"delay_s": 0.0}, "analysis": {"processes": 1}}
"""What the tests need beside the jobs."""

_BLOCK = re.compile(r"^## (\d+)\. [^\n]*$|^```(yaml|bash|python)\n(.*?)^```$", re.M | re.S)
_NEEDED = ("jq", "zstd")


def _segment(path: Path) -> None:
    """Write an archive as Common Crawl has them: responses, one of them a page of the site."""
    archive = Archive()
    for number, body in enumerate([PAGES["/2"], english("Else", 300), english("Other", 301)]):
        archive.response(f"http://segment.example/{number}", body.encode())
    path.write_bytes(archive.data)


def _dataset(folder: Path) -> None:
    """Write a folder of data with nested fields, two rows of it alike."""
    (folder / "data").mkdir(parents=True)
    rows = [{"text": text(n % 9), "metadata": {"url": f"https://x.example/{n}"}} for n in range(10)]
    pq.write_table(pa.Table.from_pylist(rows), folder / "data/train-00000-of-00001.parquet")


class Kitchen:
    """A directory in which recipes are cooked in their order; what each said is kept."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.said: dict[str, list[str]] = {}
        """Number of a recipe, empty before the first -> what its blocks printed."""

    def cook(self, kind: str, block: str, capsys: pytest.CaptureFixture[str]) -> str:
        """Run a block; return what it printed. Fails where one of its commands does."""
        capsys.readouterr()
        if kind == "yaml":
            name = block.splitlines()[0].removeprefix("# ")
            job = yaml.safe_load(block)
            merge(job, QUICKLY)
            (self.home / name).write_text(yaml.safe_dump(job))
            return name
        if kind == "python":
            exec(block, {})
            return capsys.readouterr().out
        told = ""
        for line in block.splitlines():
            if line.startswith("python -m crawler "):
                arguments = shlex.split(line)[3:]
                assert main(arguments) == 0, line
                told += capsys.readouterr().out
            else:
                done = subprocess.run(["bash", "-ec", line], capture_output=True, text=True)
                assert not done.returncode, f"{line}: {done.stderr}"
                told += done.stdout
        return told


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Serve the site, and lay out what recipes take as given."""
    monkeypatch.chdir(tmp_path)
    _segment(tmp_path / "segment.warc.gz")
    _dataset(tmp_path / "dataset")
    with shelf(PAGES) as address, no_processes():
        (tmp_path / "seeds.txt").write_text(f"{address}/\n")
        yield


@pytest.mark.usefixtures("site")
def test_every_recipe_can_be_cooked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No block fails, each program says something, and what recipes promise is there."""
    if missing := [name for name in _NEEDED if shutil.which(name) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    kitchen, recipe, seen = Kitchen(tmp_path), "", []
    for found in _BLOCK.finditer(doc("recipes")):
        if found[1]:
            recipe = found[1]
            seen.append(recipe)
            continue
        told = kitchen.cook(found[2], found[3], capsys)
        kitchen.said.setdefault(recipe, []).append(told)
        assert told or found[2] == "bash", f"recipe {recipe} says nothing:\n{found[3]}"
    assert seen == [str(number) for number in range(1, 11)]
    said = {name: "".join(told) for name, told in kitchen.said.items()}
    assert said["1"].endswith("8 ['id', 'text', 'url', 'date', 'language']\n")
    assert re.match(r"\d Page \d\n", said["3"])
    assert said["4"].endswith("True 200\n")
    assert {line["kind"] for line in map(orjson.loads, _changes(tmp_path))} == {"unchanged"}
    against = [line["duplicate_of"] for line in lines(tmp_path / "segment-news", "duplicates")]
    assert [of["url"].rpartition("/")[2] for of in against] == ["2"]
    assert said["9"].endswith("9\n")
    assert len(lines(tmp_path / "reread", "pages")) == len(lines(tmp_path / "news", "pages"))


def _changes(home: Path) -> list[bytes]:
    return (home / "news-week-2/changes.jsonl").read_bytes().splitlines()
