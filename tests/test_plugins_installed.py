"""Plugins of an installed package and of docs/plugins.md, by the program and in its processes."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from support.crawling import finished, loopback_job, program, wait_until, write_job
from support.output import lines, summary_of
from support.paths import ROOT, doc
from support.shelf import shelf, written

from crawler.config import merge

MODULE = """
from crawler.plugins import Extracted

class Private:
    def admits(self, url, depth, referrer):
        return "/private/" not in url

class Length:
    def __init__(self, unit):
        self.unit = unit
    def extract(self, page):
        return Extracted(fields={self.unit: len(page.body)})

class Names:
    def open(self, directory):
        self.file = (directory / "names.txt").open("a")
    def write(self, kind, line):
        self.file.write(f"{kind} {line['url']}\\n")
    def flush(self):
        self.file.flush()
    def close(self):
        self.file.close()
"""
ENTRY_POINTS = """
[inline_crawler.filters]
private = tiny_plugins:Private
[inline_crawler.extractors]
length = tiny_plugins:Length
[inline_crawler.sinks]
names = tiny_plugins:Names
"""
LINKS = "".join(f'<a href="/{n}">{n}</a>' for n in range(40)) + '<a href="/private/1">p</a>'
PAGES = {
    "/": written("Start", 1, below=LINKS),
    **{f"/{n}": written(f"Page {n}", 100 + n) for n in range(40)},
    "/private/1": written("Private", 300),
}
PLUGINS = {
    "filters": ["private"],
    "extractors": [{"use": "length", "options": {"unit": "bytes"}}],
    "sinks": ["names"],
}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Install a package as pip leaves it; return an environment in which programs find it."""
    site = tmp_path / "site"
    about = site / "tiny_plugins-1.2.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-plugins\nVersion: 1.2\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    (site / "tiny_plugins.py").write_text(MODULE)
    paths = [str(site), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*paths, str(ROOT)])}


@pytest.fixture
def site() -> Iterator[str]:
    """Serve the pages."""
    with shelf(PAGES) as address:
        yield address


def test_a_package_s_plugins_are_named_in_yaml(
    site: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    """Each is found by its entry point, and the extractor runs in the processes that read."""
    out = tmp_path / "out"
    job = loopback_job(out, [f"{site}/"], plugins=PLUGINS)
    file = write_job(job, tmp_path / "job.yaml")
    code, _, err = finished(program("crawl", "--config", file, env=environment))
    assert code == 0, err
    assert "Plugins, filters: private (tiny-plugins 1.2)" in err
    pages = lines(out, "pages")
    assert len(pages) == 41
    for line in pages:
        assert line["extracted"] == {"bytes": line["counts"]["body_bytes"]}
        assert line["extracted_by"] == "length"
    assert (out / "names.txt").read_text().splitlines() == [f"pages {p['url']}" for p in pages]
    summary = summary_of(out)
    assert summary["dropped_links"] == {"filter:private": 1}
    assert summary["parts"]["plugins"]["sinks"] == ["names (tiny-plugins 1.2)"]


def test_an_unknown_name_is_answered_by_the_known_ones(
    site: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    """Exit code 2, one line, and no directory is made."""
    out = tmp_path / "out"
    job = loopback_job(out, [f"{site}/"], plugins={"filters": ["privat"]})
    file = write_job(job, tmp_path / "job.yaml")
    code, _, err = finished(program("crawl", "--config", file, env=environment))
    assert code == 2
    [line] = err.splitlines()
    assert "plugins.filters.0: there is no 'privat'" in line
    assert "(inline_crawler.filters): private." in line
    assert not out.exists()


def test_after_a_kill_every_line_is_given_at_least_once(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """Killed after its first flush and resumed, the file of the sink has each page."""
    out, asked = tmp_path / "out", list[str]()
    with shelf(PAGES, asked) as site:
        once_an_hour = {"delay_s": 3600, "robots": False}
        job = loopback_job(out, [f"{site}/"], plugins=PLUGINS, politeness=once_an_hour)
        file = write_job(job, tmp_path / "job.yaml")
        crawl = program("crawl", "--config", file, env=environment)
        names = out / "names.txt"
        wait_until(lambda: names.exists() and names.stat().st_size > 0, crawl)
        os.kill(crawl.pid, signal.SIGKILL)
        finished(crawl)
        before = names.read_text().count("\n")
        merge(job, {"politeness": {"delay_s": 0, "robots": True}})
        file = write_job(job, tmp_path / "job.yaml")
        code, _, err = finished(program("resume", out, "--config", file, env=environment))
    assert code == 0, err
    given = {name.removeprefix("pages ") for name in names.read_text().splitlines()}
    pages = [line["url"] for line in lines(out, "pages")]
    assert 0 < before < len(pages)
    assert given == set(pages)


LONG_QUERY = f'<a href="/cup?id=1&amp;{"x" * 20}">c</a>'
SHOP = {
    "/": written("Shop", 1, below=f'<a href="/cup?id=1">c</a>{LONG_QUERY}'),
    "/cup?id=1": written(
        "Cup",
        2,
        below='<script type="application/ld+json">'
        '{"@type": "Product", "offers": {"price": 12.5}}</script>',
    ),
}


def test_the_examples_of_the_documentation_work(tmp_path: Path) -> None:
    """File, job and command of docs/plugins.md as they stand, but for the address of the shop."""
    text = doc("plugins")
    blocks = re.findall(r"^```(python|yaml|bash)\n(.*?)^```$", text, re.M | re.S)
    parts = [code for kind, code in blocks if kind == "python"]
    (tmp_path / "my_plugins.py").write_text("\n\n".join(parts[:3]))
    [(_, written_job)] = [block for block in blocks if block[0] == "yaml"]
    [(_, line)] = [block for block in blocks if block[0] == "bash"]
    with shelf(SHOP) as site:
        job = yaml.safe_load(written_job)
        merge(job, {"seeds": [f"{site}/"], "politeness": {"delay_s": 0.0}})
        write_job(job, tmp_path / "shop.yaml")
        words = shlex.split(line)
        assert words[:3] == ["python", "-m", "crawler"]
        paths = os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(ROOT)])
        environment = {**os.environ, "PYTHONPATH": paths.strip(os.pathsep)}
        code, _, err = finished(program(*words[3:], cwd=tmp_path, env=environment))
    assert code == 0, err
    assert "failed at" not in err
    with closing(sqlite3.connect(tmp_path / "shop/prices.sqlite")) as table:
        rows = table.execute("SELECT title, prices FROM page ORDER BY title").fetchall()
    assert rows == [("Cup", "12.5"), ("Shop", "")]
    refused = summary_of(tmp_path / "shop")["dropped_links"]
    assert refused == {"filter:my_plugins:ShortQueries": 1}


def test_the_program_of_the_documentation_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints what its comment says."""
    code = re.findall(r"^```python\n(.*?)^```", doc("plugins"), re.M | re.S)[-1]
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    said = [line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")]
    assert capsys.readouterr().out.splitlines() == said == ["True"]
