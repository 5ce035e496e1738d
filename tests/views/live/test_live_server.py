"""The live page over HTTP: what is answered, what is refused, and what it asks of the run."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from support.crawling import command
from support.live import FakeRun, served

from crawler.errors import CannotListen
from crawler.models import PageOutcome, UrlState
from crawler.observe.watching import Phase, is_own_name, may_steer
from crawler.views.live.ends import end_of
from crawler.views.live.server import LivePage, listening


async def test_every_answer_has_the_headers_that_keep_it_safe() -> None:
    """Page, style, script, data, errors: own sources only, no sniffing, no frame, no cache."""
    async with served() as client:
        for path, media_type in (
            ("/", "text/html"),
            ("/page.css", "text/css"),
            ("/page.js", "text/javascript"),
            ("/look", "application/json"),
            ("/nothing", "application/json"),
        ):
            status, response, body = await client.get(path)
            assert status == (404 if path == "/nothing" else 200)
            assert response.content_type == media_type
            policy = response.headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'self';")
            assert "frame-ancestors 'none'" in policy
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert response.headers["Cache-Control"] == "no-store"
            assert "Access-Control-Allow-Origin" not in response.headers
            assert path != "/" or client.page.token in body
            assert "<script>" not in body
            assert "style=" not in body


async def test_a_request_of_another_site_changes_nothing() -> None:
    """Without the token, with another one, from another origin, or by GET: refused."""
    async with served() as client:
        assert await client.post("/pause", token="") == 403
        assert await client.post("/pause", token="x") == 403
        assert await client.post("/pause", Origin="http://evil.example") == 403
        assert await client.post("/pause", Origin="null") == 403
        assert await client.post("/pause", **{"Sec-Fetch-Site": "cross-site"}) == 403
        for path in ("/pause", "/go-on", "/stop", "/stop-host", "/release-host"):
            assert (await client.get(path))[0] == 405
        async with client.session.options("/pause") as response:  # the browser asks first
            assert response.status == 405
        assert (client.run.phase, client.run.asked) == (Phase.RUNNING, [])


async def test_another_name_that_leads_here_is_refused() -> None:
    """After DNS rebinding the browser sends the other site's name, and learns no token."""
    async with served() as client:
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", ""):
            status, _, body = await client.get("/", Host=host)
            assert status in (400, 403)
            assert client.page.token not in body
        assert (await client.get("/", Host="localhost:8080"))[0] == 200
        assert await client.post("/pause", Host="evil.example", Origin="http://evil.example") == 403


@pytest.mark.parametrize(
    ("host", "bound", "own"),
    [
        ("127.0.0.1:9200", "127.0.0.1", True),
        ("[::1]:9200", "::1", True),
        ("LOCALHOST", "127.0.0.1", True),
        ("192.0.2.7:9200", "0.0.0.0", True),
        ("box.example:9200", "Box.example", True),
        ("evil.example", "0.0.0.0", False),
        ("", "", False),
        ("localhost@evil.example", "127.0.0.1", False),
        ("evil.example@localhost", "127.0.0.1", False),
        ("[::1", "127.0.0.1", False),
    ],
)
def test_names_that_are_ours(host: str, bound: str, own: bool) -> None:
    """Addresses, localhost and the bound name, whatever the port: nobody else's DNS answers."""
    assert is_own_name(host, bound) is own


def test_the_page_itself_may_steer() -> None:
    """With the token it is enough where no browser says more, and its own origin is allowed."""
    assert may_steer({"X-Live-Token": "t", "Host": "localhost:1"}, "t")
    own = {"X-Live-Token": "t", "Host": "localhost:1", "Origin": "http://localhost:1"}
    assert may_steer({**own, "Sec-Fetch-Site": "same-origin"}, "t")
    assert not may_steer({**own, "Origin": "http://localhost:2"}, "t")
    assert not may_steer({**own, "X-Live-Token": "é"}, "t")


async def test_the_page_pauses_and_goes_on() -> None:
    """Each is done, and seen in the next look at once, however fresh the last one was."""
    async with served() as client:
        for path, phase in (("/pause", "paused"), ("/go-on", "running")):
            assert await client.post(path, Origin=str(client.session._base_url).rstrip("/")) == 200
            assert f'"phase":"{phase}"' in (await client.get("/look"))[2]


async def test_what_cannot_be_done_is_said() -> None:
    """A run that is ending is not paused: 409."""
    async with served(Phase.CLOSING) as client:
        client.run.pause = lambda: None  # type: ignore[method-assign]
        assert await client.post("/pause") == 409


async def test_stop_is_one_signal_however_often_it_is_asked_for() -> None:
    """A second one would drop the pages under way."""
    async with served() as client:
        assert [await client.post("/stop") for _ in range(3)] == [200, 200, 200]
        assert client.run.asked == ["stop"]
    async with served(Phase.STOPPING) as client:
        assert await client.post("/stop") == 200
        assert client.run.asked == []


async def test_hosts_are_stopped_and_released_by_name() -> None:
    """An unknown one is a conflict, a body without a name a bad request, a long one too large."""
    async with served() as client:
        assert await client.post("/stop-host", {"host": "a.test"}) == 200
        assert await client.post("/release-host", {"host": "a.test"}) == 200
        assert await client.post("/stop-host", {"host": "b.test"}) == 409
        bad: tuple[Any, ...] = (None, [], {"host": 1}, "a.test")
        for body in bad:
            assert await client.post("/stop-host", body) == 400
        assert await client.post("/stop-host", {"host": "a" * 10_000}) == 413
        assert client.run.asked == ["stop a.test", "release a.test", "stop b.test"]


async def test_readers_share_one_look_and_get_what_is_new_to_them() -> None:
    """Numbers are made once in half a second for all readers; none are made where nobody looks."""
    async with served() as client:
        line = {"url": "http://a.test/", "host": "a.test", "title": "<script>alert(1)</script>"}
        for n in range(3):
            outcome = PageOutcome(n, UrlState.STORED, (("pages", line),), end="new")
            client.page.add(end_of(outcome))
        assert client.run.looks == 0
        for after, number in (("0", 3), ("2", 1), ("3", 0), ("x", 3), ("-1", 3), ("9" * 30, 3)):
            body = (await client.get(f"/look?after={after}"))[2]
            assert body.count('"number"') == number
            assert '"last":3' in body
        assert client.run.looks == 1


async def test_a_reader_hears_of_the_end() -> None:
    """Where somebody has looked a moment ago the page stays until they were told."""
    run, page = FakeRun(), LivePage(Path("crawl-out"))
    with listening("127.0.0.1", 0, page) as live:
        url = f"http://127.0.0.1:{live.port}/look"
        async with aiohttp.ClientSession() as session:
            watching = live.watching(run)
            await watching.__aenter__()
            async with session.get(url) as response:
                assert (await response.json())["phase"] == "running"
            page.end()
            async with session.get(url) as response:
                told = await response.json()
            await watching.__aexit__(None, None, None)
    assert told["phase"] == "ended"
    assert told["report"].endswith("report crawl-out")
    assert not page.ask("pause")
    assert not page.ask("stop")


def test_a_taken_address_ends_the_program_before_anything_is_begun(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, exit code 2, and no directory; so does a bad one."""
    out = tmp_path / "out"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, err = command(capsys, "http://127.0.0.1:9/", "--output", out, "--live", port)
    assert (code, out.exists(), err.count("Traceback")) == (2, False, 0)
    assert f"--live 127.0.0.1:{port}: cannot listen there: another program has port {port}" in err
    assert "Errno" not in err
    code, _, err = command(capsys, "http://127.0.0.1:9/", "--live=70000")
    assert code == 2
    assert "the port 70000 is too large" in err
    code, _, err = command(capsys, "http://127.0.0.1:9/", "--live=here")
    assert code == 2
    assert "write 9100 or 127.0.0.1:9100" in err


@pytest.mark.parametrize(
    ("number", "way_out"),
    [
        (errno.EADDRINUSE, "another program has port 80: stop it, or give another port"),
        (errno.EACCES, "port 80 is not for this user: give one above 1023"),
        (errno.EADDRNOTAVAIL, "a.test is no address of this machine: give one that is"),
        (errno.ENOBUFS, f"{os.strerror(errno.ENOBUFS)}: give another address"),
    ],
)
def test_each_reason_for_not_listening_has_its_way_out(number: int, way_out: str) -> None:
    """A flag, its address and what to do; never the number of an error."""
    told = str(CannotListen("--live", "a.test", 80, OSError(number, os.strerror(number))))
    assert told.startswith(f"--live a.test:80: cannot listen there: {way_out}")
