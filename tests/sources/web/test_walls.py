"""Crawls through cookie walls, refreshes and made-up codings: no page is lost to its redirect."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.crawling import loopback_job
from support.output import summary_of
from support.servers import Handler, Reply, redirect, response, serve
from support.sites import crawled, ends, files

from crawler.engine import schema
from crawler.frontier import failures
from crawler.storage.directory import LINE_FILES

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


def page(name: str, *links: str, head: str = "") -> bytes:
    """A page with enough text to be one of its own, and links."""
    words = " ".join(f"{name}{n} says something of {n * 7}" for n in range(30))
    anchors = "".join(f'<a href="{link}">on</a>' for link in links)
    html = f"<html><head>{head}<title>{name}</title></head><body><p>{words}</p>{anchors}</body>"
    return html.encode()


def short(refresh: str, *links: str, head: str = "") -> bytes:
    """A page that says nothing but that it has moved, and where else one can go."""
    anchors = "".join(f'<a href="{link}">here</a>' for link in links)
    meta = f'<meta http-equiv="refresh" content="{refresh}">' if refresh else ""
    return f"<html><head>{meta}{head}</head><body>Moved {anchors}</body>".encode()


def behind(wall: str, body: bytes) -> Handler:
    """A page for who has the cookie; all others are sent to the wall, `{}` of it being the path."""

    async def handler(request: Any, writer: asyncio.StreamWriter) -> None:
        passed = "ok=1" in request.headers.get("cookie", "")
        writer.write(response(body) if passed else redirect(wall.format(request.path)))

    return handler


async def gate(request: Any, writer: asyncio.StreamWriter) -> None:
    """Set the cookie and send back to where the query says."""
    writer.write(redirect(request.target.partition("?")[2], 302, "ok=1; Path=/; HttpOnly"))


def written(output: Path) -> bytes:
    """Return all that the crawl left on the disk."""
    return b"".join(path.read_bytes() for path in output.iterdir())


@pytest.mark.parametrize("first_hop_sets_one", [False, True])
async def test_every_page_behind_a_wall_ends_as_a_page(
    tmp_path: Path, first_hop_sets_one: bool
) -> None:
    """Each is stored under its own URL, whether its wall is its own URL or one for all pages."""
    names = [f"/{name}" for name in ("one", "two", "three")]
    routes: dict[str, Reply] = {"/": response(page("start", *names, "/lone")), "/gate": gate}
    for name in names:
        routes[name] = behind("/gate?{}", page(name))
    routes["/lone"] = behind("/check", page("lone"))
    routes["/check"] = redirect("/lone", 302, "ok=1; Path=/")
    if first_hop_sets_one:
        routes["/one"] = redirect("/two", 302, "session=5; Path=/")
    async with serve(routes) as site:
        await crawled(loopback_job(tmp_path, [f"{site.url}/"]))
        told = files(tmp_path)
        shown = {"/": "pages", "/lone": "pages", **dict.fromkeys(names, "pages")}
        if first_hop_sets_one:
            shown["/one"] = "redirects"
        assert told == shown
        summary = summary_of(tmp_path)
        assert (summary["identity_holds"], summary["pending"], summary["failures"]) == (True, 0, {})
        for request in site.requests:
            assert request.path != "/robots.txt" or "cookie" not in request.headers
    assert b"ok=1" not in written(tmp_path)
    assert b"session=5" not in written(tmp_path)


async def test_a_wall_is_passed_again_after_a_bad_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the check fails for a moment, the whole way is tried again, not the check alone."""
    monkeypatch.setattr(failures, "backoff_s", lambda *_: 0.01)
    troubles = iter([503, 503])

    async def check(request: Any, writer: asyncio.StreamWriter) -> None:
        if status := next(troubles, None):
            writer.write(response(b"", status=status, headers={"Retry-After": "0"}))
        else:
            writer.write(redirect("/page", 302, "ok=1; Path=/"))

    routes = {"/page": behind("/check", page("page")), "/check": check}
    async with serve(routes) as site:
        await crawled(loopback_job(tmp_path, [f"{site.url}/page"]))
    assert files(tmp_path) == {"/page": "pages"}


async def test_an_ordinary_redirect_costs_no_request_more(tmp_path: Path) -> None:
    """Targets are asked once, be they found by several redirects, links or both; all have lines."""
    moved = {f"/old{n}": redirect("/new") for n in range(3)}
    routes = {
        **moved,
        "/": response(page("start", *moved, "/new", "/to404", "/chain")),
        "/new": response(page("new", "/")),
        "/to404": redirect("/nothing", 301),
        "/chain": redirect("/link"),
        "/link": redirect("/end"),
        "/end": response(page("end")),
    }
    async with serve(routes) as site:
        await crawled(loopback_job(tmp_path, [f"{site.url}/"], limits={"pages": 100}))
        asked = [target for target in site.targets if target != "/robots.txt"]
    assert sorted(asked) == sorted({*routes, "/nothing"})
    told = ends(tmp_path)
    assert files(tmp_path) == {
        **dict.fromkeys([*moved, "/to404", "/chain", "/link"], "redirects"),
        **dict.fromkeys(["/", "/new", "/end"], "pages"),
        "/nothing": "failures",
    }
    assert [told[path]["hops"] for path in ("/chain", "/link")] == [1, 2]
    assert told["/end"]["referrer"].endswith("/link")
    assert summary_of(tmp_path)["pending"] == 0


async def test_a_ring_without_cookies_is_a_loop(tmp_path: Path) -> None:
    """It ends as redirect-loop, within as many requests as it has pages."""
    async with serve({"/a": redirect("/b"), "/b": redirect("/a")}) as site:
        await crawled(loopback_job(tmp_path, [f"{site.url}/a"]))
        assert site.targets == ["/robots.txt", "/a", "/b"]
    assert ends(tmp_path)["/a"]["failure"] == "redirect-loop"


async def test_robots_scope_and_pauses_hold_on_the_way(tmp_path: Path) -> None:
    """A hop that robots.txt or the job forbids is not asked, and each waits for the pause."""
    moments: list[float] = []

    async def noted(request: Any, writer: asyncio.StreamWriter) -> None:
        moments.append(asyncio.get_running_loop().time())
        to = {"/a": "/b", "/b": "/c", "/c": "/hidden", "/x": "/private"}.get(request.path)
        if request.path == "/robots.txt":
            rules = b"User-agent: *\nDisallow: /hidden"
            writer.write(response(rules, content_type="text/plain"))
        else:
            writer.write(redirect(to, 302, "ok=1; Path=/") if to else response(page("any")))
        await writer.drain()
        moments[-1] = asyncio.get_running_loop().time()

    async with serve(noted) as site:
        changes: dict[str, Any] = {"politeness": {"delay_s": 0.2}}
        job = loopback_job(
            tmp_path, [f"{site.url}/a", f"{site.url}/x"], scope={"exclude": ["private"]}, **changes
        )
        await crawled(job)
        assert set(site.targets) == {"/robots.txt", "/a", "/b", "/c", "/x"}
    told = ends(tmp_path)
    assert told["/hidden"]["reason"] == "robots"
    assert told["/x"]["offered"] == "out-of-scope"
    pauses = [later - sooner for sooner, later in pairwise(moments)]
    assert min(pauses) > 0.19


async def test_a_refresh_leads_on_with_its_links(tmp_path: Path) -> None:
    """By element or header, the target is a redirect's and the other links are links."""
    refresh = {"Refresh": "0; url='/by-header?utm_source=x'"}
    routes = {
        "/": response(page("start", "/meta", "/header", "/empty", "/long", "/self")),
        "/meta": response(short("0; url=/by-meta", "/other", "/by-meta")),
        "/header": response(short("", "/more"), headers=refresh),
        "/empty": response(b"", headers={"Refresh": "0;/by-empty"}),
        "/long": response(page("long"), headers={"Refresh": "9; url=/by-long"}),
        "/self": response(b"", headers={"Refresh": "0; url=/self"}),
        **{f"/{n}": response(page(n)) for n in ("by-meta", "by-header", "by-empty", "by-long")},
        **{f"/{n}": response(page(n)) for n in ("other", "more")},
    }
    async with serve(routes) as site:
        await crawled(loopback_job(tmp_path, [f"{site.url}/"]))
    told = ends(tmp_path)
    assert {path for path in told if told[path]["file"] == "redirects"} == {
        "/meta",
        "/header",
        "/empty",
    }
    assert told["/self"]["reason"] == "no-content"
    assert {p for p in told if told[p]["file"] == "pages"} == {*routes} - {
        "/meta", "/header", "/empty", "/self",
    }  # fmt: skip
    depths = {path: told[path].get("depth") for path in ("/by-meta", "/by-header", "/other")}
    assert depths == {"/by-meta": 1, "/by-header": 1, "/other": 2}
    assert told["/by-long"]["depth"] == 2


async def test_bounds_hold_for_refreshes(tmp_path: Path) -> None:
    """limits.redirects ends an endless refresh, limits.depth its links, nofollow both."""

    async def web(request: Any, writer: asyncio.StreamWriter) -> None:
        path = request.path
        if path == "/robots.txt":
            writer.write(response(b"", status=404))
        elif path.startswith("/r"):
            writer.write(response(short(f"0; url={path}r", f"/deep{path}")))
        elif path == "/nofollow":
            robots = '<meta name="robots" content="nofollow">'
            writer.write(response(short("0; url=/never", "/never-either", head=robots)))
        elif path == "/tagged":
            tag = {"X-Robots-Tag": "nofollow", "Refresh": "0; url=/never"}
            writer.write(response(short(""), headers=tag))
        else:
            writer.write(response(page(path.replace("/", "x"), f"/deeper{path}")))

    async with serve(web) as site:
        seeds = [f"{site.url}/{name}" for name in ("r", "nofollow", "tagged")]
        await crawled(loopback_job(tmp_path, seeds, limits={"redirects": 3, "depth": 1}))
        asked = set(site.targets) - {"/robots.txt"}
    chain = {"/r", "/rr", "/rrr", "/rrrr"}
    assert asked == chain | {f"/deep{path}" for path in chain} | {"/nofollow", "/tagged"}
    told = ends(tmp_path)
    assert told["/rrrr"]["failure"] == "redirect-loop"
    assert [told[path]["offered"] for path in ("/nofollow", "/tagged")] == ["nofollow"] * 2


async def test_a_made_up_coding_is_told_on_the_line(tmp_path: Path) -> None:
    """Page and duplicate say which coding was taken for none; what is no text fails."""
    jsonschema = pytest.importorskip("jsonschema")
    odd = {"Content-Encoding": "utf-8"}
    routes = {
        "/": response(page("start", "/odd", "/copy", "/bad", "/plain")),
        "/odd": response(page("odd"), headers=odd),
        "/copy": response(page("odd"), headers={"Content-Encoding": "UTF8, none"}),
        "/bad": response(b"\x1f\x9d\x90\0\1\2" * 20, headers={"Content-Encoding": "compress"}),
        "/plain": response(page("plain"), headers={"Content-Encoding": "identity"}),
    }
    async with serve(routes) as site:
        await crawled(loopback_job(tmp_path, [f"{site.url}/"]))
    told = ends(tmp_path)
    pair = {told[path]["file"]: told[path].get("unknown_encoding") for path in ("/odd", "/copy")}
    assert pair.keys() == {"pages", "duplicates"}
    assert set(pair.values()) == {"utf-8", "UTF8, none"}
    assert told["/bad"]["failure"] == "content-encoding"
    assert told["/plain"]["unknown_encoding"] is None
    for name in LINE_FILES:
        for line in ends(tmp_path, name).values():
            line.pop("file")
            jsonschema.validate(line, schema(name))
