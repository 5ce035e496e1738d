"""Crawls with a browser: what is rendered and what is not, what it may ask for, how it fails."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import subprocess
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from support.apps import LINKS, app, carrying, escaping, few_words, page, text_of, watching
from support.browsing import CHROMIUM, needs_chromium
from support.crawling import (
    AS_USERS_READ,
    HANG_S,
    begun,
    finished,
    loopback_job,
    program,
    write_job,
)
from support.output import lines, summary_of
from support.processes import below, command_line
from support.proxies import http_proxy
from support.sampling import sample
from support.servers import Reply, Request, Site, redirect, response, serve
from support.sites import crawled, ends
from support.store_versions import make_version_13

from crawler.fetch.browser import Browsers, _Running
from crawler.frontier import Frontier
from crawler.storage.view import StoreView

playwright = pytest.importorskip("playwright.async_api", reason="needs the extra `browser`")
pytestmark = [
    needs_chromium,
    pytest.mark.asyncio(loop_scope="module"),  # what a driver has begun belongs to its loop
    pytest.mark.usefixtures("no_analysis_processes"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def driver() -> AsyncIterator[Any]:
    """What begins browsers, for several crawls: it takes half a second of CPU itself."""
    async with playwright.async_playwright() as begun:
        yield begun


@pytest.fixture
def one_driver(driver: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a crawl begin and end its browsers by that driver."""
    monkeypatch.setattr(playwright, "async_playwright", lambda: nullcontext(driver))


class Lent(_Running):
    """A browser that stays when a crawl ends, without the window that this had."""

    async def end(self) -> None:
        """Close the window."""
        if self._tab is not None:
            await self._tab.context.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(driver: Any) -> AsyncIterator[Any]:
    """A browser for several crawls."""
    assert CHROMIUM is not None
    running = await _Running.begun(driver, CHROMIUM)
    yield running.browser
    await running.end()


@pytest.fixture
def one_browser(browser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lend it to a crawl that is not about how browsers begin and end: a second of CPU each."""

    async def start(self: Browsers) -> _Running:
        return Lent(browser, "")

    monkeypatch.setattr(Browsers, "_start", start)


def job(output: Path, site: Site, use: str = "auto", **browser: Any) -> dict[str, Any]:
    """Return a job that renders with one browser."""
    sections = {"fetch": {"browser": use}, "browser": {"processes": 1, **browser}}
    return loopback_job(output, [f"{site.url}/"], **sections)


def counted(output: Path) -> Counter[str]:
    """Return what is known of rendering, the parts of all hosts together."""
    sums: Counter[str] = Counter()
    with StoreView.read(output) as view:
        for name, number in view.totals.rendering.items():
            sums[name.rpartition(" ")[2]] += int(number)
    return sums


async def says(*arguments: str | Path) -> str:
    """Return what a command prints that ends well."""
    code, printed, err = await asyncio.to_thread(finished, program(*arguments))
    assert code == 0, err
    return printed


def browsers() -> dict[int, bytes]:
    """Return the browsers that this process and those below it have begun, by process id."""
    told = {process: command_line(process) for process in below(os.getpid())}
    return {
        process: line
        for process, line in told.items()
        if b"--crawler-browser=" in line and b"--type=" not in line
    }


async def test_an_application_is_read_as_its_readers_see_it(tmp_path: Path) -> None:
    """Every page is found, by path, fragment and route, and has its text and title.

    What its scripts load is asked for once; nothing is posted, no picture is loaded, and what
    robots.txt forbids is not asked for either. Its archive is sound, and is read as the same pages.
    """
    others = browsers()
    async with app() as site:
        told = job(tmp_path / "out", site) | AS_USERS_READ  # as archives are read below
        told["storage"] = {"warc": True}
        await crawled(told)
    found = ends(tmp_path / "out", "pages")
    assert found.keys() == {"/", "/one", "/two", "/#/three", "/four", "/five"}
    for name in LINKS:
        line = found[{"home": "/", "three": "/#/three"}.get(name, f"/{name}")]
        assert text_of(name) in line["text"]
        assert "enable JavaScript" not in line["text"]
        assert line["title"] == f"The {name}"
        assert line["transport"] == "browser"
        assert line["rendered"]["settled"]
        assert line["rendered"]["plain_digest"] == found["/"]["rendered"]["plain_digest"]
    asked = site.targets
    assert asked.count("/app.js") == 1
    assert sorted(path for path in asked if path.startswith("/api/")) == [
        f"/api/{name}" for name in sorted(LINKS)
    ]
    assert {"/count", "/pixel.png", "/app.css"}.isdisjoint(asked)
    sums = counted(tmp_path / "out")
    assert sums["pages"] == 6
    await says("check", tmp_path / "out")
    await says("read", tmp_path / "out" / "warc", "--output", tmp_path / "read")
    read = {path: line["text"] for path, line in ends(tmp_path / "read", "pages").items()}
    assert read == {path: line["text"] for path, line in found.items()}
    told_of = json.loads(await says("inspect", "--json", tmp_path / "out", f"{site.url}/#/three"))
    assert told_of["url"] == f"{site.url}/#/three"
    assert sums["tried"] == sums["brought"] == 3  # the first one shows little, others the same
    assert browsers() == others


@pytest.mark.usefixtures("one_browser")
async def test_what_scripts_only_decorate_is_not_rendered(tmp_path: Path) -> None:
    """Of a site of short pages two are tried, however many wait for what these tell.

    Verdicts and texts are those without a browser.
    """
    told = {}
    for use in ("never", "auto"):
        async with serve(few_words(12)) as site:
            changed = job(tmp_path / use, site, use)
            changed["politeness"]["per_host"] = 8
            await crawled(changed)
            told[use] = {
                path: (line["file"], line["text"], line["transport"])
                for path, line in ends(tmp_path / use, "pages").items()
            }
    assert told["auto"] == told["never"]
    sums = counted(tmp_path / "auto")
    assert (sums["tried"], sums["brought"], sums["pages"]) == (2, 0, 2)


@pytest.mark.usefixtures("one_browser")
async def test_pages_that_carry_their_data_are_rendered(tmp_path: Path) -> None:
    """All of them, as where every page is; what a server has made of its data is not.

    So a crawl goes on in which an earlier version made some pages without a browser.
    """
    told = {}
    for use in ("always", "auto"):
        async with serve(carrying(8)) as site:
            changed = job(tmp_path / use, site, use)
            if use == "auto":
                await crawled({**changed, "limits": {"pages": 4}})
                make_version_13(tmp_path / use)
            await crawled(changed, resumed=use == "auto")
        told[use] = {
            path: [line[name] for name in ("file", "title", "text", "links")]
            for path, line in ends(tmp_path / use).items()
        }
    assert told["auto"] == told["always"]
    made = {path for path, line in ends(tmp_path / "auto").items() if "rendered" in line}
    assert made == told["auto"].keys() - {"/about"}
    assert counted(tmp_path / "auto")["pages"] == len(made) == 8
    await says("check", tmp_path / "auto")


@pytest.mark.usefixtures("one_browser")
@pytest.mark.parametrize("brings", [False, True])
async def test_other_domains_are_asked_only_where_they_bring_something(
    tmp_path: Path, brings: bool
) -> None:
    """Of pages that a stranger watches two more are tried without, once they are to be rendered.

    No page loses anything by it.
    """
    async with serve(watching(brings=brings), host="127.0.0.7") as stranger:
        replies: dict[str, Reply] = {
            f"/p{n}" if n else "/": page(
                f"<div id=root></div><script src={stranger.url}/watch.js></script>",
                f"root.innerHTML = '<p>{text_of(f'own {n}')}</p><a href=/p{n + 1}>on</a>'",
            )
            for n in range(8)
        }
        async with serve(replies) as site:
            told = job(tmp_path / "out", site)
            told["fetch"]["allow_addresses"] = ["127.0.0.7/32"]
            await crawled(told)
    found = ends(tmp_path / "out", "pages")
    assert len(found) == 8
    for n in range(8):
        line = found[f"/p{n}" if n else "/"]
        assert text_of(f"own {n}") in line["text"]
        assert (text_of("theirs") in line["text"]) is brings
    watched = sum(target.startswith("/seen") for target in stranger.targets)
    # The first page is a part of its own, of the second two are on trial.
    assert watched == (8 if brings else 1 + 2 + 2)


@pytest.mark.usefixtures("one_browser")
async def test_what_rendering_brings_is_asked_of_each_kind_of_page(tmp_path: Path) -> None:
    """Short pages of the same scripts say nothing of the shells beside them.

    A shell of many words that leads nowhere is tried, too; Chinese is counted by characters; and
    where scripts take a text away, the page stays as it was sent.
    """
    load = "fetch('/api' + location.pathname).then((a) => a.text()).then((t) => { %s = t; })"
    put = load % "document.getElementById('root').innerHTML"
    chinese = "网络爬虫按照一定的规则自动地抓取万维网信息的程序或者脚本。" * 3

    def data(text: str) -> bytes:
        return response(f"<p>{text}</p>".encode(), content_type="text/plain; charset=utf-8")

    links = "".join(f"<a href=/short{n}>a</a><a href=/long{n}>b</a>" for n in range(4))
    mixed: dict[str, Reply] = {
        "/": page(f"<p>{text_of('home')}</p>{links}", f"if (location.pathname > '/m') {put}")
    }
    script = "if (location.pathname.startsWith('/long')) " + put
    for n in range(4):
        mixed[f"/short{n}"] = page(f"<p>{text_of(f'short {n}', 27)}</p><div id=root></div>", script)
        mixed[f"/long{n}"] = page("<div id=root></div>", script)
        mixed[f"/api/long{n}"] = data(text_of(f"long {n}"))
    replies: list[dict[str, Reply]] = [
        mixed,
        {"/": page(f"<p>{text_of('foot')}</p><div id=root>", put), "/api/": data(text_of("dead"))},
        {"/": page("<div id=root></div>", put), "/api/": data(chinese)},
        {"/": page(f"<p>{text_of('own', 45)}</p>", f"document.body.innerText = '{'pay ' * 30}'")},
    ]
    async with AsyncExitStack() as servers:
        sites = [await servers.enter_async_context(serve(each)) for each in replies]
        told = job(tmp_path / "out", sites[0])
        told["seeds"] = [f"{site.url}/" for site in sites]
        await crawled(told)
    text = {line["url"]: line["text"] for line in lines(tmp_path / "out", "pages")}
    assert [text_of(f"long {n}") in text[f"{sites[0].url}/long{n}"] for n in range(1, 4)] == [
        True
    ] * 3
    for site, shown in zip(sites[1:], (text_of("dead"), chinese, text_of("own", 45)), strict=True):
        assert shown in text[f"{site.url}/"]


@pytest.mark.usefixtures("one_browser")
async def test_a_page_is_read_when_its_scripts_have_shown_it(tmp_path: Path) -> None:
    """After seconds of timers, by scripts that look at the clock, where readers scroll to.

    So are shadow roots and frames whose text is at no other address. What its scripts store, be it
    as they are left, no other page finds; windows that they open are links; what is declared stays;
    a wall before a page is told; and none of these seconds is waited for. All comes by the proxy.
    """
    show = "document.body.insertAdjacentHTML('beforeend', '<p>%s</p>');"
    leads = (
        *("timer", "until", "busy", "scroll", "closed", "stores", "declares", "asks"),
        *("given", "written", "sandboxed", "within", "xhtml", "walled"),
        *("routes#/one", "routes#/two"),
    )
    put = "<p>{}</p><a href=in-{}>a</a>"
    replies: dict[str, Reply] = {
        "/": page("".join(f"<a href=/{name}>{name}</a>" for name in leads)),
        "/timer": page("", f"setTimeout(() => {{ {show % text_of('timer')} }}, 3500)"),
        "/until": page(
            "",
            "const at = Date.now(); (function look() { if (Date.now() - at < 900) "
            f"return setTimeout(look, 50); {show % text_of('until')} }})()",
        ),
        "/busy": page(
            "",
            f"const at = Date.now(); while (Date.now() - at < 200); {show % text_of('busy')}",
        ),
        "/scroll": page(
            "<i id=end style='display:block;margin-top:5000px'>end</i>",
            "new IntersectionObserver((seen) => { if (seen[0].isIntersecting) "
            f"end.innerText = '{text_of('scroll')}'; }}).observe(end)",
        ),
        "/closed": page(
            "<div id=host></div>",
            f"host.attachShadow({{mode: 'closed'}}).innerHTML = '<p>{text_of('closed')}</p>'",
        ),
        "/stores": page(
            "<a href=/finds>on</a>",
            "document.cookie = 'a=1'; localStorage.a = sessionStorage.a = window.name = 'found';"
            + "window.open('/opened'); onpagehide = onunload = () => { localStorage.a = 'late'; };"
            + show % text_of("stores"),
        ),
        "/finds": page(
            "",
            "document.body.append(['stored', document.cookie, localStorage.a, sessionStorage.a,"
            f"name].join('|')); {show % text_of('finds')}",
        ),
        "/opened": page(f"<p>{text_of('opened')}</p>"),
        "/given": page(f"<iframe srcdoc='{put.format(text_of('given'), 'given')}'></iframe>"),
        "/written": page(
            "<iframe id=f></iframe>",
            f"f.contentDocument.write('{put.format(text_of('written'), 'written')}')",
        ),
        "/sandboxed": page(f"<iframe sandbox srcdoc='<p>{text_of('sandboxed')}</p>'></iframe>"),
        "/within": page(
            "<div id=host></div>",
            "host.attachShadow({mode: 'open'}).innerHTML = "
            f"\"<iframe srcdoc='<p>{text_of('within')}</p>'></iframe><iframe src=/framed>\"",
        ),
        "/framed": page(f"<p>{text_of('framed')}</p>"),
        "/walled": page(
            f"<p>{text_of('walled')}</p><div id=host></div>",
            "host.attachShadow({mode: 'open'}).innerHTML = `<div style='position:fixed;inset:0'>"
            "We use cookies <button>Agree</button></div>`",
        ),
        "/routes": page(
            "",
            f"document.body.innerText = {{'#/one': '{text_of('routes#/one')}',"
            f" '#/two': '{text_of('routes#/two')}'}}[location.hash]",
        ),
        "/xhtml": response(
            "<html xmlns='http://www.w3.org/1999/xhtml'><body><p>"
            f"{text_of('xhtml')}</p></body></html>".encode(),
            content_type="application/xhtml+xml",
        ),
        "/declares": page(
            '<script type="application/ld+json">{"@type": "Article", "author": '
            '{"@type": "Person", "name": "Ada Writer"}}</script>',
            show % text_of("declares"),
        ),
        "/asks": page("", f"onbeforeunload = () => 'stay'; alert(1); {show % text_of('asks')}"),
    }
    async with serve(replies) as site, http_proxy({"pages.example:80": site.port}) as proxy:
        told = job(tmp_path / "out", site, "always")
        told["seeds"] = ["http://pages.example/"]
        told["fetch"]["proxy"] = proxy.url
        told["extract"]["metadata"] = True
        await crawled(told)
    found = ends(tmp_path / "out", "pages")
    assert {"/in-given", "/in-written"} < ends(tmp_path / "out").keys()
    for name in (*leads, "finds", "opened", "framed"):
        assert text_of(name) in " ".join(found[f"/{name}"]["text"].split()), name
        assert found[f"/{name}"]["rendered"]["settled"], name
    assert found["/walled"]["rendered"]["overlay"] == "We use cookies Agree"
    assert "stored||||" in found["/finds"]["text"]
    assert found["/declares"]["author"] == "Ada Writer"


@asynccontextmanager
async def listening(host: str) -> AsyncIterator[tuple[int, list[str]]]:
    """Listen at a port, by TCP and UDP, and note whatever comes."""
    heard: list[str] = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(repr(await reader.read(1000)))
        writer.close()

    class Datagrams(asyncio.DatagramProtocol):
        def datagram_received(self, data: bytes, address: Any) -> None:
            heard.append(repr(data))

    server = await asyncio.start_server(connected, host, 0)
    port = server.sockets[0].getsockname()[1]
    loop = asyncio.get_running_loop()
    datagrams, _ = await loop.create_datagram_endpoint(Datagrams, local_addr=(host, port))
    try:
        yield port, heard
    finally:
        datagrams.close()
        server.close()


@pytest.mark.usefixtures("one_browser")
async def test_a_page_reaches_nothing_but_what_the_crawler_asks_for(tmp_path: Path) -> None:
    """It tries every way into this machine: requests, redirects, sockets, workers, frames, forms.

    Nothing comes, by TCP or UDP, at a port that the crawl may not ask; and its own server gets no
    request but for its pages and what is allowed.
    """
    async with listening("127.0.0.1") as (inside, heard):
        replies: dict[str, Reply] = {
            "/": page("<div id=root></div>", escaping(inside)),
            "/redirect": redirect(f"http://127.0.0.1:{inside}/"),
        }
        async with serve(replies) as site:
            await crawled(job(tmp_path / "out", site, "always"))
    (line,) = lines(tmp_path / "out", "pages")
    assert text_of("tried") in line["text"]
    assert heard == []
    assert set(site.targets) == {"/", "/robots.txt", "/redirect"}


@pytest.mark.usefixtures("one_driver")
async def test_pages_that_never_settle_or_end_cost_themselves_alone(tmp_path: Path) -> None:
    """One that changes for ever is taken when its time is over; one that hangs fails alone."""
    replies: dict[str, Reply] = {
        "/": page(f"<p>{text_of('home')}</p><a href=/clock>a</a><a href=/loop>b</a>"),
        "/clock": page(
            f"<p>{text_of('clock')}</p><i id=i>",
            "let n = 0; setInterval(() => { i.innerText = n++; }, 50)",
        ),
        "/loop": page("<p>loop</p>", "setTimeout(() => { for (;;); }, 0)"),
    }
    others = browsers()
    async with serve(replies) as site:
        told = job(tmp_path / "out", site, "always", timeout_s=3.0)
        told["fetch"]["retries"] = 0
        await crawled(told)
    found = ends(tmp_path / "out")
    assert text_of("clock") in found["/clock"]["text"]
    assert not found["/clock"]["rendered"]["settled"]
    assert (found["/loop"]["file"], found["/loop"]["failure"]) == ("failures", "render")
    assert browsers() == others


@pytest.mark.usefixtures("one_driver")
async def test_a_browser_that_is_killed_costs_one_attempt(tmp_path: Path) -> None:
    """The page that it had is tried again in another one, and all are stored."""
    killed: list[int] = []
    others = browsers()

    async def kill(request: Request, writer: asyncio.StreamWriter) -> None:
        if not killed:
            killed.extend(browsers().keys() - others)
            for process in killed:
                os.kill(process, signal.SIGKILL)
        writer.write(response(b"{}", content_type="application/json"))

    script = f"fetch('/data').then(() => root.innerText = {text_of('data')!r})"
    replies: dict[str, Reply] = {"/": page("<div id=root></div>", script), "/data": kill}
    async with serve(replies) as site:
        await crawled(job(tmp_path / "out", site, "always"))
    (line,) = lines(tmp_path / "out", "pages")
    assert len(killed) == 1
    assert text_of("data") in line["text"]
    assert site.targets.count("/") == 2


@pytest.mark.usefixtures("one_browser")
async def test_a_page_whose_data_does_not_come_is_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where its own host answers a script by an error, it fails and is tried again.

    Its host is left alone for all requests of either attempt, the page's own among them.
    """
    owed: list[dict[str, int]] = []
    monkeypatch.setattr(Frontier, "owes", lambda self, asked, now: owed.append(dict(asked)))
    script = f"fetch('/data').then((a) => a.ok && (root.innerText = {text_of('data')!r}))"
    answers = iter([response(b"", status=503), response(b"{}")])

    async def data(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(next(answers))

    replies: dict[str, Reply] = {"/": page("<div id=root></div>", script), "/data": data}
    async with serve(replies) as site:
        await crawled(job(tmp_path / "out", site, "always"))
    (line,) = lines(tmp_path / "out", "pages")
    assert text_of("data") in line["text"]
    assert summary_of(tmp_path / "out")["failures"] == {}
    host = site.url.removeprefix("http://")
    assert owed == [{host: 2}, {host: 2}]


@pytest.mark.parametrize("number", sample([6, 3], 1))
async def test_a_killed_crawl_leaves_no_browser(tmp_path: Path, number: int) -> None:
    """Killed as its server hears its n-th request, it ends with its browser; all is resumed."""
    crawl: list[subprocess.Popen[str]] = []
    others = browsers()
    left: dict[int, int] = {}
    """Its browsers at that moment: id -> descriptor, by which to wait for the end."""

    async def kill(request: Request) -> None:
        if len(served.requests) == number and crawl:
            left.update({each: os.pidfd_open(each) for each in browsers().keys() - others})
            crawl.pop().kill()

    async with app(kill) as served:
        told = write_job(job(tmp_path / "out", served), tmp_path / "job.yaml")
        process = program("crawl", "--config", told, "--quiet")
        crawl.append(process)
        code, _, _ = await asyncio.to_thread(finished, process)
        assert code == -signal.SIGKILL
        for ended in left.values():
            ready, _, _ = await asyncio.to_thread(select.select, [ended], [], [], HANG_S)
            os.close(ended)
            assert ready
        await crawled(job(tmp_path / "out", served), resumed=begun(tmp_path / "out"))
    assert len(lines(tmp_path / "out", "pages")) == len(LINKS)


@pytest.mark.usefixtures("one_browser")
async def test_pages_are_compared_by_eye(tmp_path: Path) -> None:
    """Pages of a picture alone are stored, and say which stored one looks the same.

    So do those of a later run. A copy in another dress is one of another layout.
    """
    drawing = "<svg width=900 height=700 style='background:{}'><circle r=250 cx=300 cy=300 /></svg>"
    text = f"<h1>Text</h1><p>{text_of('text')}</p>"
    replies: dict[str, Reply] = {
        "/": page("".join(f"<a href=/{name}>a</a>" for name in ("a", "light", "dark"))),
        "/a": page(drawing.format("white")),
        "/b": page(drawing.format("#fffffe")),
        "/light": page(text),
        "/dark": page(f"<div style='background:#000;color:#fff;height:1000px'>{text}</div>"),
    }
    async with serve(replies) as site:
        told = job(tmp_path / "out", site, "always")
        told["dedup"] = {"visual": True}
        await crawled(told)
        told["seeds"].append(f"{site.url}/b")
        await crawled(told, resumed=True)
    found = ends(tmp_path / "out")
    assert {found[path]["file"] for path in ("/a", "/b", "/light")} == {"pages"}
    assert "like" not in found["/a"]["visual"]
    seen = found["/b"]["visual"]
    assert (seen["like"]["url"], seen["evidence"]) == (f"{site.url}/a", "same-picture")
    assert "evidence" not in found["/light"]["visual"]
    assert found["/dark"]["kind"] == "same-content-other-layout"
    with StoreView.read(tmp_path / "out") as view:
        url_id, *_ = view.database.rows("SELECT id FROM urls WHERE url = ?", (f"{site.url}/b",))[0]
        assert (view.picture(url_id) or b"").startswith(b"\xff\xd8")
