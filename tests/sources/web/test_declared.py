"""What pages declare, in which language they are and where they lead, by option in their lines."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from support.crawling import crawl, loopback_job
from support.declared import DECLARED
from support.output import lines
from support.shelf import shelf, written

from crawler.config import Extract, parse_job
from crawler.errors import ConfigError
from crawler.extract.installed import check_installed

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

FIELDS = ["declared_language", "published", "modified", "author", "description", "site_name"]
OPTIONS = {
    "metadata": True,
    "language": True,
    "outlinks": True,
    "headers": ["Server", "X-Nothing"],
}
CHINESE = "".join(f"<p>这是第{n}段文字，说的是天气和收成，还有村里的人。</p>" for n in range(20))
PAGES = {
    "/": written("Start", 1, below='<a href="/zh">a</a><a href="/2">b</a><a href="/2">c</a>')
    .replace("<html>", '<html lang="en">')
    .replace("<head>", f"<head>{DECLARED}"),
    "/zh": f"<html><head><title>天气</title><body><article>{CHINESE}</article></body></html>",
    "/2": "<html><title>2</title><body><p>1 2 3 4 5 6 7 8 9</p></body></html>",
}


def pages(output: Path, **extract: Any) -> dict[str, dict[str, Any]]:
    """Crawl the pages; return their lines by path."""
    with shelf(PAGES) as address:
        assert crawl(loopback_job(output, [f"{address}/"], extract=extract)) == 0
        return {line["url"].removeprefix(address): line for line in lines(output, "pages")}


def test_lines_have_what_the_job_asks_for(tmp_path: Path) -> None:
    """Each option fills its fields, with null where a page has nothing to say."""
    found = pages(tmp_path, **OPTIONS)
    first = [found["/"][name] for name in FIELDS]
    assert first == ["en", "2020-01-02", "2020-02-03", "Ann", "A day", "The Site"]
    assert [found["/zh"][name] for name in FIELDS] == [None] * 6
    assert found["/zh"]["language"] == "zh"
    assert found["/zh"]["language_score"] > 0.9
    assert (found["/2"]["language"], found["/2"]["language_score"]) == (None, None)
    links = [link.rpartition("/")[2] for link in found["/"]["outlinks"]]
    assert links == ["zh", "2"]
    assert found["/2"]["outlinks"] == []
    assert list(found["/"]["headers"]) == ["server"]


def test_nothing_is_told_that_is_not_asked_for(tmp_path: Path) -> None:
    """Without the options all these fields are null."""
    names = [*FIELDS, "language", "language_score", "outlinks", "headers"]
    for line in pages(tmp_path).values():
        assert [line[name] for name in names] == [None] * len(names)


def test_what_cannot_be_told_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A header that is none, and languages without the package, are errors with the way out."""
    with pytest.raises(ConfigError, match=r"extract\.headers"):
        parse_job({"extract": {"headers": ["a b"]}}, "job")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install '.*\[language\]'"):
        check_installed(Extract(language=True))
    check_installed(Extract())
