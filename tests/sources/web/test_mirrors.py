"""A made mirror on a second host: its degree is told, it is asked last, no page of it is lost."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support import mirrored
from support.analysing import no_processes
from support.crawling import loopback_job
from support.output import lines, summary_of
from support.servers import Request, response, serve
from support.shelf import written
from support.sites import crawled

from crawler.cli import main
from crawler.engine.schema import faults, schema
from crawler.storage.elsewhere import PAIRS, Mirror, by_weight, mirrors
from crawler.storage.view import StoreView
from crawler.urls.editions import Claim, Tree, trees_of

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

PAGES = 60
DIFFER, MISSING = (53, 55, 57, 59), (20, 50)
"""Pages that show something else at the mirror, and that are gone there."""
STEPS = 16
"""Lists that lead to the mirror's pages, one after another: its original is found earlier."""


class Made:
    """An original and its mirror, by the names of their hosts."""

    def __init__(self, original: str, mirror: str, differ: Sequence[int] = DIFFER) -> None:
        self.original, self.mirror, self._differ = original, mirror, differ
        self.canonical = False
        self.asked: list[tuple[bool, str]] = []
        """Whether the mirror was asked, and for which path, page by page."""

    async def __call__(self, request: Request, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        host, _, port = request.headers["host"].partition(":")
        at_mirror = host == self.mirror
        folder, _, name = request.path.rpartition("/")
        if folder == "/doc":
            self.asked.append((at_mirror, request.path))
            reply = self._page(int(name), at_mirror, port)
        elif folder == "/list" or not name:
            reply = self._list(int(name or 0), at_mirror)
        else:
            reply = response(b"none", status=404)
        writer.write(reply)
        await writer.drain()

    def _list(self, step: int, at_mirror: bool) -> bytes:
        if at_mirror and step < STEPS:
            link = f'<a href="/list/{step + 1}">on</a>'
            return response(written(f"List {step}", 1000 + step, below=link).encode())
        links = "".join(f'<a href="/doc/{n}">{n}</a>' for n in range(PAGES))
        return response(f"<html><body>{links}</body></html>".encode())

    def _page(self, number: int, at_mirror: bool, port: str) -> bytes:
        if at_mirror and number in MISSING:
            return response(b"none", status=404)
        other = at_mirror and number in self._differ
        page = written(f"Page {number}", number + PAGES * other)
        if self.canonical:
            link = f'<link rel="canonical" href="http://{self.original}:{port}/doc/{number}">'
            page = page.replace("<head>", f"<head>{link}")
        return response(page.encode())


async def crawl_of(made: Made, output: Path, *first: str, **limits: Any) -> int:
    """Crawl both hosts, beginning at `first`; return the port that they are at."""
    async with serve(made) as site:
        hosts = first or (made.original, made.mirror)
        names = {made.original: "127.0.0.1", made.mirror: "127.0.0.1"}
        data = loopback_job(
            output,
            [f"http://{host}:{site.port}/" for host in hosts],
            fetch={"workers": 1, "resolve": names, "retries": 0},
            # Whose rules come first is asked first, and taken for the original.
            politeness={"robots": False},
            limits=limits,
            # Else what all its pages have in common has some of them wait before it is a mirror.
            learn={"without": [f"{made.mirror}:{site.port}/doc/*"]},
        )
        await crawled(data)
        return site.port


@pytest.fixture
def made() -> Made:
    """Two hosts of one site."""
    return Made("www.site.test", "old.site.test")


class Whole(NamedTuple):
    """A crawl of such hosts to its end, its directory, and the port that they were at."""

    made: Made
    output: Path
    port: int


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Crawl them once; a limit that is not come to has copies wait for what other hosts have."""
    made, output = Made("www.site.test", "old.site.test"), tmp_path_factory.mktemp("whole") / "out"
    with no_processes():
        return Whole(made, output, asyncio.run(crawl_of(made, output, pages=9 * PAGES)))


def test_a_mirror_waits_for_its_original_and_loses_no_page(whole: Whole) -> None:
    """Its degree is that of all pages, those that differ are stored, and most are asked last.

    Where pages are limited, other hosts come before one that has only predicted copies left.
    """
    made, output, port = whole
    (told,) = summary_of(output)["mirrors"]
    same = PAGES - len(DIFFER) - len(MISSING)
    assert (told["agree"], told["against"], told["waiting"]) == (
        same,
        len(DIFFER) + 1,
        0,
    )  # the home page differs, too
    assert (told["original"], told["mirror"]) == (
        f"{made.original}:{port}/",
        f"{made.mirror}:{port}/",
    )
    assert told["kind"] == "mirror"
    assert told["degree_low"] < told["degree"] == round(same / (same + 5), 4) < told["degree_high"]
    assert told["told_by"] == "first-seen"
    assert [one.rpartition("/")[2] for _, one in told["differ"]] == ["", "53", "55"]
    stored = [line["url"].rpartition("/doc/")[2] for line in lines(output, "pages")]
    wanted = [str(n) for n in (*range(PAGES), *DIFFER)]
    assert sorted(filter(str.isdigit, stored)) == sorted(wanted)
    before = [path for at_mirror, path in made.asked[:PAGES] if at_mirror]
    assert len(before) < PAGES / 3
    assert len(made.asked) == 2 * PAGES


async def test_what_waits_of_a_mirror_is_counted(
    tmp_path: Path, made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    """A crawl that ends before its mirror says how many of its URLs it has not asked for."""
    port = await crawl_of(made, tmp_path / "out", pages=PAGES + 15)
    summary = summary_of(tmp_path / "out")
    (told,) = summary["mirrors"]
    assert summary["pending"] >= told["waiting"] > PAGES / 2
    assert not [*faults(summary, schema("summary"))]
    assert main(["rules", str(tmp_path / "out"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["mirrors"] == summary["mirrors"]
    (same,) = (one["same"] for one in found["rules"] if one["same"])
    assert same["original"] == f"{made.original}:{port}"
    for command in (["rules"], ["report"]):
        assert main([*command, str(tmp_path / "out")]) == 0
        assert "Mirrors and editions" in capsys.readouterr().out
    page = tmp_path / "report.html"
    assert main(["report", str(tmp_path / "out"), "--html", str(page)]) == 0
    texts = re.split("<[^>]*>", page.read_text().partition('id="mirrors"')[2])
    assert f"{told['kind']} of {told['original']}, which was seen first" in texts
    sure = f"{told['degree_low']:.1%} to {told['degree_high']:.1%}"
    assert {sure, f"of {told['agree'] + told['against']} paths", str(told["waiting"])} <= {*texts}


def test_hosts_come_before_folders_of_one_host() -> None:
    """However many years of a calendar show the same, the mirror of a host is told first."""
    years = Mirror("a.test/2001/", "a.test/2002/", False, 5_000, 0, 9_000, (), ())
    more = replace(years, original="b.test/", mirror="c.test/", agree=40, waiting=0)
    most = replace(more, mirror="d.test/", agree=10, waiting=900)
    assert sorted([years, more, most], key=by_weight) == [most, more, years]


async def test_canonical_links_say_which_is_the_original(tmp_path: Path) -> None:
    """Across domains too, and where the mirror was crawled first."""
    made = Made("real.test", "copy.example")
    made.canonical = True
    port = await crawl_of(made, tmp_path / "out", made.mirror, made.original)
    (told,) = summary_of(tmp_path / "out")["mirrors"]
    assert (told["original"], told["told_by"]) == (f"{made.original}:{port}/", "canonical")


async def test_a_place_with_many_other_pages_is_an_edition(tmp_path: Path) -> None:
    """Where a fifth of the paths show something else, it is no mirror."""
    made = Made("www.site.test", "old.site.test", range(2, PAGES, 5))
    await crawl_of(made, tmp_path / "out")
    (told,) = summary_of(tmp_path / "out")["mirrors"]
    assert told["kind"] == "edition"
    assert told["against"] == 1 + len(range(2, PAGES, 5))  # the home page, too


def test_what_a_mirror_no_longer_has_is_found_at_its_original(
    whole: Whole, capsys: pytest.CaptureFixture[str]
) -> None:
    """URLs that answer 4xx are told with the page at the same path of the other host.

    Their lines tell it too, where it was known by then: here the mirror is asked last.
    """
    made, output, port = whole
    copies = summary_of(output)["living_copies"]
    failed = {line["url"]: line["living_copy"] for line in lines(output, "failures")}
    wanted = {
        f"http://{made.mirror}:{port}/doc/{n}": f"http://{made.original}:{port}/doc/{n}"
        for n in MISSING
    }
    assert {one["url"]: one["living_copy"] for one in copies} == failed == wanted
    url = next(iter(wanted))
    assert main(["inspect", str(output), url, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["living_copy"] == wanted[url]


def test_trees_are_told_from_names_and_parameters() -> None:
    """Hosts and folders are trees; ends of names, what lies below pages, parameters are not."""
    two = trees_of(Claim("//", "a.test", "b.test/x"))
    assert two == (Tree("a.test", ()), Tree("b.test", ("x",)))
    two = trees_of(Claim("a.test/docs/", "", "old/1"))
    assert two == (Tree("a.test", ("docs",)), Tree("a.test", ("docs", "old", "1")))
    for slot in ("a.test/*", "a.test/*/", "a.test?sid", "a.test?"):
        assert trees_of(Claim(slot, "", "x")) is None


def test_of_large_trees_an_even_sample_is_compared(
    whole: Whole, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The paths that are kept are the same ones of both trees."""
    monkeypatch.setattr("crawler.storage.elsewhere.MOST_PATHS", PAGES * 2 // 3)
    with StoreView.read(whole.output) as view:
        (told,) = mirrors(view)
    assert PAIRS <= told.agree + told.against <= PAGES * 2 // 3
    assert told.degree > 0.8


def test_lines_say_what_was_known_of_a_mirror_as_they_were_written(whole: Whole) -> None:
    """Each says just what the ends before it tell who hears them anew.

    Those of the original say nothing, and of the mirror those of before it was known as one.
    """
    made, output, port = whole
    told = mirrored.told(output)
    assert told == mirrored.heard(output, told)
    assert {url.split("/")[2] for url, mirror in told.items() if mirror} == {
        f"{made.mirror}:{port}"
    }
    last = [*filter(None, told.values())][-1]
    assert last["of"] == f"{made.original}:{port}/"
    assert last["agree"] > 0.9
    assert last["pages"] > PAGES / 2
    assert len([*filter(None, told.values())]) < PAGES


def test_a_restored_copy_says_of_its_own_url_what_it_mirrors(tmp_path: Path, whole: Whole) -> None:
    """What was known as it was dropped, not what the line of the page says that has its bytes."""
    output = Path(shutil.copytree(whole.output, tmp_path / "out"))
    told = mirrored.told(output)
    copy = next(
        line["url"]
        for line in lines(output, "duplicates")
        if line["mirror"] and line["verdict"] == "exact-payload"
    )
    assert main(["restore", str(output), copy]) == 0
    assert lines(output, "pages")[-1]["mirror"] == told[copy]
