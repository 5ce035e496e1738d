"""Which URLs failed, and where they are linked: what an owner of a site has to mend."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.crawling import command, crawl, loopback_job
from support.threaded import Reply, page, site

from crawler.storage.summary import MOST_FAILED
from crawler.views.report.tables import MOST

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


def test_dead_links_are_named_with_the_page_that_has_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At the end of a crawl, in the tables, on the page and as data; a seed has no such page."""
    pages = {"/": page("home", "/a"), "/a": page("first", "/gone")}
    out, html = tmp_path / "out", tmp_path / "report.html"
    with site(lambda path: pages.get(path, Reply(status=404))) as web:
        seeds = (f"{web.url}/", f"{web.url}/none")
        code, ended, _ = command(capsys, "crawl", *seeds, "--delay", "0", "--output", out)
        assert code == 0
    told = [f"{web.url}/none", f"{web.url}/gone", f"{web.url}/a"]
    for shown in (ended, command(capsys, "report", out)[1]):
        rows = shown.replace("\n", " ").partition("URLs that failed")[2]
        assert all(url in rows for url in told)
    as_data = json.loads(command(capsys, "report", out, "--json")[1])["summary"]["failed"]
    assert as_data == [
        {"url": told[0], "failure": "http-4xx", "referrer": None},
        {"url": told[1], "failure": "http-4xx", "referrer": told[2]},
    ]
    assert command(capsys, "report", out, "--html", html)[0] == 0
    section = html.read_text().partition("URLs that failed")[2]
    assert all(f">{url}</span>" in section for url in told)


def test_of_many_the_first_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A site with more dead links than a terminal or a page is for is told with their number."""
    dead = [f"/{number}" for number in range(MOST_FAILED + 5)]
    out, html = tmp_path / "out", tmp_path / "report.html"
    with site(lambda path: page("home", *dead) if path == "/" else Reply(status=410)) as web:
        assert crawl(loopback_job(out, [f"{web.url}/"])) == 0
    said = command(capsys, "report", out)[1]
    assert said.count(f"{web.url}/\n") + said.count(f"{web.url}/ ") == MOST
    assert f"the first of {len(dead)}" in said
    assert command(capsys, "report", out, "--html", html)[0] == 0
    assert html.read_text().count(f">{web.url}/</span>") == MOST_FAILED
