"""Pages of a small site change between visits, and a recrawl tells in what way."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from support.output import lines, summary_of
from support.paths import doc
from support.revisiting import DAY_S, Clock, Web, again, changes, first, job_for, page, run, sound
from support.servers import redirect, response, serve
from support.sites import ends

from crawler.config import parse_job
from crawler.engine.engine import SiteReader
from crawler.engine.identity import identity
from crawler.models import Failure
from crawler.storage.store import Store
from crawler.workers.messages import AnalysisFailed, AnalysisRequest

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

PATHS = ("same", "plain-same", "nonce", "around", "edited", "gone", "homed", "moved", "broken")


def begin(web: Web) -> None:
    """Put up the site as it is at first."""
    web.pages["/"] = page("home", *(f"/{name}" for name in PATHS), "/copy")
    for name in PATHS:
        web.pages[f"/{name}"] = page(name, words=240)
    web.pages["/copy"] = web.pages["/gone"]


def change(web: Web) -> None:
    """Change the site."""
    web.pages["/nonce"] = page("nonce", words=240, script="var nonce = 7")
    web.pages["/around"] = page("around", "/fresh", words=240, around="<p>Summer sale</p>")
    web.pages["/fresh"] = page("fresh", "/same", words=240)
    web.pages["/edited"] = web.pages["/edited"].replace(b"edited3x4 ", b"amended ")
    del web.pages["/gone"]
    web.other["/homed"] = redirect("/", 301)
    web.other["/moved"] = redirect("/moved-here", 301)
    web.pages["/moved-here"] = page("moved", words=240)
    web.other["/broken"] = response(b"", status=500)


@pytest.fixture
def web() -> Web:
    """A site that nobody has visited."""
    made = Web()
    begin(made)
    return made


async def test_each_change_is_told_for_what_it_is(tmp_path: Path, web: Web) -> None:
    """Every kind of change has its name; what is the same is not stored, what is new is."""
    clock = Clock()
    async with serve(web) as site:
        data = job_for(site, tmp_path)
        out = await first(data, clock)
        assert {line["etag"][0] for line in lines(out, "pages") if line["etag"]} == {'"'}
        before = {path.name: path.read_bytes() for path in out.glob("*.jsonl")}
        change(web)
        clock.now += DAY_S
        new = await again(data, out, clock)
    told = changes(new)
    kinds = {path: one["kind"] for path, one in told.items()}
    copy_of_gone = "/gone" if "/gone" in kinds else "/copy"
    assert kinds == {
        "/": "not-modified",
        "/same": "not-modified",
        "/plain-same": "unchanged",
        "/nonce": "markup",
        "/around": "surroundings",
        "/edited": "text",
        copy_of_gone: "gone",
        "/homed": "gone",
        "/moved": "redirected",
        "/broken": "failed",
    }
    edited = told["/edited"]
    assert 0.8 < edited["similarity"] < 1.0
    assert 0 < edited["characters_added"] < 200
    assert edited["characters_added"] < edited["characters_removed"] + 20
    (copy,) = told["/gone"]["copies"]
    assert copy.endswith("/copy")
    assert told["/gone"]["living_copy"] == copy
    assert "living_copy" not in told["/homed"]
    gone = copy.removesuffix("copy") + "gone"
    assert summary_of(new)["living_copies"] == [{"url": gone, "living_copy": copy}]
    stored = {path for path, line in ends(new).items() if line["file"] == "pages"}
    assert stored == {"/edited", "/fresh", "/moved-here", "/copy"}
    assert summary_of(new)["revisited"] == {
        **{"not-modified": 2, "unchanged": 1, "markup": 1, "surroundings": 1, "text": 1},
        **{"gone": 2, "redirected": 1, "failed": 1},
    }
    documented = set(re.findall(r"`(\w+)`", doc("recrawl")))
    assert {field for one in told.values() for field in one} <= documented
    assert {path.name: path.read_bytes() for path in out.glob("*.jsonl")} == before
    assert sound(out)
    assert sound(new)


async def test_a_count_that_moves_is_no_change_of_a_text(tmp_path: Path, web: Web) -> None:
    """Visit for visit, unless title or heading speaks of what is counted; a word then is one."""

    def counted(number: int) -> None:
        counter = f"<p>Updated {number} May 2026</p><p>Comments: {number}</p></article>".encode()
        for name in ("post", "comments"):
            body = page(name, words=240).replace(b"</article>", counter)
            web.pages[f"/{name}"] = body.replace(b"post3x4 ", b"amended ") if number == 4 else body

    clock = Clock()
    web.pages["/"] = page("home", "/post", "/comments")
    kinds = []
    async with serve(web) as site:
        counted(1)
        out = await first(data := job_for(site, tmp_path), clock)
        for number in (2, 3, 4):
            counted(number)
            clock.now += DAY_S
            out = await again(data, out, clock)
            kinds.append({path: one["kind"] for path, one in changes(out).items()})
            assert sound(out)
    same = {"/": "not-modified", "/comments": "text"}
    assert kinds == [{**same, "/post": kind} for kind in ("stamps", "stamps", "text")]
    post = changes(out)["/post"]
    assert (post["visits"], post["changes"]) == (3, 1)
    assert 0.8 < post["similarity"] < 1.0


async def test_a_copy_that_is_gone_as_well_is_none_that_lives(tmp_path: Path, web: Web) -> None:
    """Where no copy of a page that is gone is there any more, none is named."""
    clock = Clock()
    async with serve(web) as site:
        out = await first(job_for(site, tmp_path), clock)
        del web.pages["/gone"], web.pages["/copy"]
        clock.now += DAY_S
        new = await again(job_for(site, tmp_path), out, clock)
    (gone,) = (one for one in changes(new).values() if one["kind"] == "gone")
    assert gone["copies"]
    assert "living_copy" not in gone
    assert summary_of(new)["living_copies"] == []


async def test_a_recrawl_of_a_recrawl_knows_all_visits(tmp_path: Path, web: Web) -> None:
    """Histories, entity tags and where texts lie go on from directory to directory."""
    clock = Clock()
    async with serve(web) as site:
        data = job_for(site, tmp_path)
        out = await first(data, clock)
        change(web)
        clock.now += DAY_S
        once = await again(data, out, clock)
        web.asked.clear()
        del web.other["/homed"], web.other["/broken"]
        web.pages["/edited"] = web.pages["/edited"].replace(b"amended ", b"changed ")
        clock.now += DAY_S
        twice = await again(data, once, clock, due=True)
        tags = dict(web.asked)
        clock.now += DAY_S
        web.asked.clear()
        thrice = await again(data, twice, clock, due=True)
    assert twice.name == "out.r2"
    told = changes(twice)
    # Two days after a visit that found nothing new, one day after a change or a first fetch.
    assert {path: one["kind"] for path, one in told.items()} == {
        **{"/edited": "text", "/homed": "back", "/broken": "not-modified"},
        **{"/gone": "gone", "/moved": "redirected"},
        **{"/fresh": "not-modified", "/moved-here": "not-modified", "/copy": "not-modified"},
    }
    assert tags["/edited"] is not None
    assert told["/edited"]["of"]["directory"] == "../out.r1"
    assert (told["/edited"]["visits"], told["/edited"]["changes"]) == (2, 2)
    assert told["/broken"]["visits"] == 1
    assert told["/broken"]["watched_s"] == pytest.approx(2 * DAY_S, abs=60)
    assert {"/same", "/around", "/nonce", "/plain-same"} <= changes(thrice).keys()
    assert changes(thrice)["/nonce"]["kind"] == "not-modified"  # by the tag of the second visit
    assert sound(twice)
    assert sound(thrice)


async def test_no_new_url_is_asked_for_where_known_ones_are_wanted(
    tmp_path: Path, web: Web
) -> None:
    """`--known-only` leaves new links and the targets of redirects alone."""
    clock = Clock()
    async with serve(web) as site:
        data = job_for(site, tmp_path)
        out = await first(data, clock)
        change(web)
        web.asked.clear()
        await again(data, out, clock, known=True)
    assert not {"/fresh", "/moved-here"} & {path for path, _ in web.asked}
    assert "/edited" in {path for path, _ in web.asked}


async def test_what_is_stopped_goes_on_and_asks_for_nothing_twice(tmp_path: Path, web: Web) -> None:
    """A recrawl that was ended after some pages visits the others when it is resumed."""
    clock = Clock()
    async with serve(web) as site:
        data = job_for(site, tmp_path)
        out = await first(data, clock)
        change(web)
        clock.now += DAY_S
        web.asked.clear()
        part = {**data, "limits": {"pages": 1}}
        new = await again(part, out, clock)
        begun = [path for path, _ in web.asked]
        left = summary_of(new)["pending"]
        job = parse_job({**data, "output": str(new)}, "test")
        await run(job, Store.open(new, identity(job)), clock)
    asked = [path for path, _ in web.asked if path != "/robots.txt"]
    assert left
    assert len(begun) < len(asked)
    asked.remove("/broken")  # a 500 is asked for once more
    assert sorted(asked) == sorted(set(asked))
    assert len(changes(new)) == 10
    assert sound(new)


async def test_a_change_that_could_not_be_read_is_found_by_the_next_visit(
    tmp_path: Path, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the second reading fails the visit has failed: no new entity tag hides the change."""
    clock, reading = Clock(), SiteReader.reading

    @asynccontextmanager
    async def fails(self: SiteReader, request: AnalysisRequest) -> AsyncIterator[Any]:
        if request.url.endswith("/edited"):
            yield AnalysisFailed(Failure.ANALYSIS_TIMEOUT, "a slow machine"), None
            return
        async with reading(self, request) as read:
            yield read

    async with serve(web) as site:
        data = job_for(site, tmp_path)
        out = await first(data, clock)
        web.pages["/edited"] = web.pages["/edited"].replace(b"edited3x4 ", b"amended ")
        clock.now += DAY_S
        with monkeypatch.context() as patched:
            patched.setattr(SiteReader, "reading", fails)
            failed = await again(data, out, clock)
        clock.now += DAY_S
        found = await again(data, failed, clock)
    told = [changes(directory)["/edited"]["kind"] for directory in (failed, found)]
    assert told == ["failed", "text"]
    assert any("amended" in line["text"] for line in lines(found, "pages"))
