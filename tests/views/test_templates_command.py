"""`templates`: what a crawl has learned of its sites, told as tables, as JSON and as a page."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest
from support.analysing import no_processes
from support.crawling import AS_USERS_READ, crawl, loopback_job
from support.shelf import shelf
from support.site_pages import site

from crawler.cli import main

PAGES = 26


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Crawl a site of one template; return the directory and the host."""
    output = tmp_path_factory.mktemp("learned")
    with shelf(site(PAGES)) as address, no_processes():
        assert (
            crawl(loopback_job(output, [address + "/"], fetch={"workers": 1}, **AS_USERS_READ)) == 0
        )
    return output, address.removeprefix("http://")


def out(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """Run the command and return what it prints."""
    assert main(["templates", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """Run the command, which must refuse; return its one line."""
    assert main(["templates", *map(str, arguments)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    return line


def test_hosts_are_listed_with_what_came_of_them(
    learned: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """One row for each host: pages that taught, pages that were read so, audits."""
    directory, host = learned
    [head, row] = out(capsys, directory).splitlines()
    assert head.split() == [
        *("host", "version", "taught", "served", "audits", "precision", "recall", "revoked")
    ]
    assert row.split()[:4] == [host, "1", "8", str(PAGES - 8)]
    [data] = json.loads(out(capsys, directory, "--json"))
    assert (data["host"], data["taught"], data["served"]) == (host, 8, PAGES - 8)
    assert data["template_bytes"] > 0


def test_zones_of_a_host_are_told_with_examples(
    learned: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Each zone says what becomes of it, how much of the site it is, and shows a line."""
    directory, host = learned
    data = json.loads(out(capsys, directory, host, "--json"))
    assert data["version"] == 1
    fates = {zone["fate"]: zone for zone in data["zones"]}
    assert {"kept", "left out"} <= set(fates)
    assert "Menu item" in fates["left out"]["example"] or "sidebar" in fates["left out"]["example"]
    assert all(zone["example"] for zone in data["zones"])
    assert sum(zone["share"] for zone in data["zones"]) == pytest.approx(1)
    printed = out(capsys, directory, host)
    assert f"{PAGES - 8} pages were read by what was learned from 8" in printed
    assert "left out" in printed


def test_stored_pages_are_painted(
    learned: tuple[Path, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The page shows stored pages line by line, with what is kept and what is left out."""
    directory, host = learned
    file = tmp_path / "template.html"
    out(capsys, directory, host, "--html", file)
    page = file.read_text(encoding="utf-8")
    assert page.count('<div class="page">') == 3
    gone = [html.unescape(line) for line in re.findall(r"<del[^>]*>(.*?)</del>", page)]
    assert any("Menu item" in line or "sidebar" in line for line in gone)
    assert '<div class="line kept"><span' in page
    assert "<script" not in page
    assert "Alarm" not in page


def test_a_page_that_is_all_text_is_an_alarm(
    learned: tuple[Path, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A page of which nothing is left out may hold menus in its text: that is said above it."""
    directory, host = learned
    saved, file = tmp_path / "saved.html", tmp_path / "template.html"
    said = "".join(f"<p>Line {n} of a page of another make, with words.</p>" for n in range(9))
    saved.write_text(f"<body><section class=x>{said}</section>")
    out(capsys, directory, host, "--html", file, "--page", saved)
    assert "Alarm: all of this page is taken for text" in file.read_text(encoding="utf-8")


def test_a_file_is_painted_zone_by_zone(
    learned: tuple[Path, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A page that was saved is read by the host's template; its paths stand beside its lines."""
    directory, host = learned
    saved, file = tmp_path / "<saved>.html", tmp_path / "template.html"
    saved.write_text(site(PAGES)["/3"])
    out(capsys, directory, host, "--html", file, "--page", saved)
    page = file.read_text(encoding="utf-8")
    assert "the template reads this page" in page
    assert html.escape(saved.name) in page
    assert "body&gt;" in page
    saved.write_text("<body><section class=x><p>Of another site, in other boxes.</p></section>")
    out(capsys, directory, host, "--html", file, "--page", saved)
    assert "does not fit this page" in file.read_text(encoding="utf-8")


def test_what_cannot_be_shown_is_one_line(
    learned: tuple[Path, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """An unknown host, flags without a host and a place that cannot be written name the way out."""
    directory, host = learned
    assert "nothing was learned of this host" in refused(capsys, directory, "b.test")
    assert "name it after DIR" in refused(capsys, directory, "--html", tmp_path / "x.html")
    assert "add --html FILE" in refused(capsys, directory, host, "--page", tmp_path / "x.html")
    assert "cannot write the page" in refused(capsys, directory, host, "--html", tmp_path)
    missing = tmp_path / "missing.html"
    line = refused(capsys, directory, host, "--html", tmp_path / "x.html", "--page", missing)
    assert "missing.html" in line
    assert not (tmp_path / "x.html").exists()


def test_where_nothing_was_learned_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With `extract.learn: false` there are no templates to show."""
    with shelf(site(3)) as address, no_processes():
        job = loopback_job(tmp_path, [address + "/"], extract={"learn": False})
        assert crawl(job) == 0
    capsys.readouterr()
    assert main(["templates", str(tmp_path)]) == 0
    assert "no template was learned there" in capsys.readouterr().err
