"""Whole crawls through a bad minute of this machine, its network or the program: no URL is lost."""

from __future__ import annotations

import asyncio
import errno
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
import yarl
from support.crawling import finished, loopback_job, program, write_job
from support.name_server import name_server
from support.output import lines
from support.proxies import http_proxy, socks_proxy
from support.servers import Request, response, serve
from support.third_party import CALLS, Call, NeverHeardOfError, raising

from crawler.config import parse_job
from crawler.engine.identity import identity
from crawler.fetch import addresses, exchange, transport
from crawler.fetch.addresses import AddressGuard
from crawler.frontier import failures
from crawler.frontier import frontier as outcomes
from crawler.sources.web.crawl import Crawl
from crawler.storage.store import Store

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


async def tell(request: Request, writer: asyncio.StreamWriter) -> None:
    """Answer every host with pages of its own, each with a link to the next of three."""
    host = request.headers["host"].partition(":")[0]
    number = len(request.path)
    if request.path == "/robots.txt":
        writer.write(response(b"", status=404))
        return
    words = " ".join(f"{host}-{number}-{n}" for n in range(100))
    link = f'<a href="/{"x" * number}">on</a>' if number < 3 else ""
    writer.write(response(f"<html><title>{host}</title><p>{words}</p>{link}</html>".encode()))


def hosts_job(output: Path, port: int, hosts: int, **sections: Any) -> dict[str, Any]:
    """Return a job for so many names, which a name server has to tell."""
    seeds = [f"http://h{n}.test:{port}/" for n in range(hosts)]
    fetch = {"allow_addresses": ["127.0.0.0/8"], **sections.pop("fetch", {})}
    politeness = {"delay_s": 0.0, "per_address": 256}
    return loopback_job(output, seeds, fetch=fetch, politeness=politeness, **sections)


def mapped(hosts: int) -> dict[str, str]:
    """Return an address for each of these names."""
    return {f"h{n}.test": f"127.0.0.{n + 1}" for n in range(hosts)}


async def crawled(data: dict[str, Any]) -> tuple[dict[str, int], list[str]]:
    """Crawl in this loop; return how many lines each file has, and what was said.

    The accounts of the crawl are checked at its end.
    """
    said: list[str] = []
    job = parse_job(data, "test")
    await Crawl(job, Store.create(job.output, identity(job)), report=said.append).run()
    names = ("pages", "failures", "skipped")
    return {name: len(lines(job.output, name)) for name in names}, said


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the pauses after what went wrong, which are seconds and minutes."""
    monkeypatch.setattr(failures, "NO_ANSWER_PAUSE_S", 0.01)
    monkeypatch.setattr(failures, "_ASIDE_S", 0.05)
    monkeypatch.setattr(failures, "backoff_s", lambda *_: 0.01)
    monkeypatch.setattr(outcomes, "host_pause_s", lambda *_: 0.0)
    monkeypatch.setattr(outcomes, "_AFTER_ANOTHER_S", 0.01)
    monkeypatch.setattr(exchange, "_FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(addresses, "UNAVAILABLE_TTL_S", 0.0)


@pytest.mark.processes
async def test_few_open_files_cost_no_page(tmp_path: Path) -> None:
    """100 hosts, as many workers, and 80 files that may be open: all is fetched, and one line."""
    files = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (80, 80))
    async with serve(tell, host="0.0.0.0") as site:
        fetch = {"resolve": mapped(100), "workers": 100}
        data = hosts_job(tmp_path / "out", site.port, 100, fetch=fetch, progress_s=60)
        data["limits"] = {"depth": 0}
        job = write_job(data, tmp_path / "job.yaml")
        process = program("--config", job, preexec_fn=files)
        code, _, err = await asyncio.to_thread(finished, process)
    assert code == 0
    assert len(lines(tmp_path / "out", "pages")) == 100
    assert lines(tmp_path / "out", "failures") == []
    assert len([line for line in err.splitlines() if "ulimit -n" in line]) == 1


def test_too_few_open_files_are_refused(tmp_path: Path) -> None:
    """Where no crawl is possible, one line says what to raise, before anything is asked."""
    files = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (40, 40))
    data = loopback_job(tmp_path / "out", ["http://127.0.0.1:9/"])
    process = program("--config", write_job(data, tmp_path / "job.yaml"), preexec_fn=files)
    code, _, err = finished(process)
    assert code == 2
    assert "ulimit -n" in err.splitlines()[-1]
    assert "Traceback" not in err


def test_the_soft_limit_is_raised() -> None:
    """A process that may open few files, and may allow itself more, does so."""
    raised = """
from resource import RLIMIT_NOFILE, getrlimit, setrlimit
from crawler.fetch import raise_limit

for limits in ((100, 200), (100, 100)):
    setrlimit(RLIMIT_NOFILE, limits)
    raise_limit()
    print(getrlimit(RLIMIT_NOFILE)[0])
"""
    left = subprocess.check_output([sys.executable, "-c", raised], text=True)
    assert left.split() == ["200", "100"]


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENETUNREACH])
async def test_a_bad_minute_of_this_machine_costs_no_page(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hurried: None
) -> None:
    """No socket, or no network, when a crawl begins: it waits, says so in one line, and goes on."""
    make, broken = AddressGuard.socket_factory, [number] * 8

    def factory(guard: AddressGuard, address: tuple[Any, ...]) -> socket.socket:
        if broken:
            raise OSError(broken.pop(), "for a minute")
        return make(guard, address)

    monkeypatch.setattr(AddressGuard, "socket_factory", factory)
    async with serve(tell, host="0.0.0.0") as site:
        data = hosts_job(tmp_path / "out", site.port, 4, fetch={"resolve": mapped(4)})
        written, said = await crawled(data)
    assert written == {"pages": 12, "failures": 0, "skipped": 0}
    assert len([line for line in said if line.startswith("Waiting: ")]) == 1


async def test_a_bad_minute_of_the_name_server_costs_no_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hurried: None
) -> None:
    """Hosts never contacted before, whose names were not told at first, are fetched whole."""
    async with name_server(monkeypatch) as server, serve(tell) as site:
        server.failing = {f"h{n}.test": 4 for n in range(4)}
        written, _ = await crawled(hosts_job(tmp_path / "out", site.port, 4))
    assert written == {"pages": 12, "failures": 0, "skipped": 0}


async def test_names_that_are_never_told_stay_pending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hurried: None
) -> None:
    """Where DNS stays silent a host is left pending and named; the end of the crawl is near."""
    async with name_server(monkeypatch), serve(tell) as site:
        data = hosts_job(tmp_path / "out", site.port, 2)
        data["seeds"].append(f"http://servfail.test:{site.port}/")
        data["seeds"].append(f"http://none.test:{site.port}/")
        data["politeness"]["robots_wait_s"] = 0.5
        written, said = await crawled(data)
    assert written == {"pages": 6, "failures": 1, "skipped": 0}
    (failed,) = lines(tmp_path / "out", "failures")
    assert failed["failure"] == "dns"
    assert any(line.startswith(f"servfail.test:{site.port}: put aside") for line in said)


BROKEN = (
    "crawler.fetch.client.Fetcher._visit",
    "crawler.engine.engine.payload_digest",
    "crawler.dedup.judge.Judge.verdict",
    "crawler.engine.engine.shown",
    "crawler.engine.engine.page_end",
    "crawler.frontier.learning.UrlLearning.learn",
)


@pytest.mark.parametrize("where", BROKEN)
async def test_an_error_of_our_own_ends_one_url(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever step goes wrong with one page, that page is `internal-error` and all others go on.

    Its traceback is told, and what it had led to is not lost.
    """
    fail_once(where, monkeypatch)
    async with serve(tell, host="0.0.0.0") as site:
        data = hosts_job(tmp_path / "out", site.port, 3, fetch={"resolve": mapped(3)})
        written, said = await crawled(data)
    (failed,) = lines(tmp_path / "out", "failures")
    assert (failed["failure"], failed["detail"]) == ("internal-error", "ZeroDivisionError: a bug")
    linked = where.endswith(("page_end", "UrlLearning.learn"))
    assert written["pages"] == (8 if linked else 6)
    (told,) = [line for line in said if "internal error" in line]
    assert told.startswith(failed["url"])
    assert "Traceback" in told


@pytest.mark.parametrize(
    "where", ["crawler.frontier.seen.Depths.ended", "crawler.fetch.client.Fetcher.resolve"]
)
async def test_an_error_of_our_own_beside_a_page_ends_none(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the page has its end already, or is not asked for yet, the error is only told."""
    fail_once(where, monkeypatch)
    async with serve(tell, host="0.0.0.0") as site:
        data = hosts_job(tmp_path / "out", site.port, 2, fetch={"resolve": mapped(2)})
        written, said = await crawled(data)
    assert written == {"pages": 6, "failures": 0, "skipped": 0}
    assert len([line for line in said if "Traceback" in line]) == 1


async def test_an_error_of_our_own_in_robots_txt_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules that we cannot read for once hold up their host alone, and not for good."""
    fail_once("crawler.fetch.robots_cache.RobotsFile", monkeypatch)
    async with serve(tell, host="0.0.0.0") as site:
        data = hosts_job(tmp_path / "out", site.port, 2, fetch={"resolve": mapped(2)})
        data["politeness"]["robots_wait_s"] = 1
        written, said = await crawled(data)
    assert written == {"pages": 6, "failures": 0, "skipped": 0}
    assert len([line for line in said if "robots.txt: internal error" in line]) == 1


async def test_no_memory_for_a_page_leaves_it_pending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hurried: None
) -> None:
    """MemoryError is no page's fault: one line says so, and the crawl goes on."""
    fail_once("crawler.engine.engine.payload_digest", monkeypatch, MemoryError)
    async with serve(tell, host="0.0.0.0") as site:
        data = hosts_job(tmp_path / "out", site.port, 2, fetch={"resolve": mapped(2)})
        written, said = await crawled(data)
    assert written == {"pages": 3, "failures": 0, "skipped": 0}
    assert len([line for line in said if line.startswith("Waiting: no memory")]) == 1


CRAWLED = [call for call in CALLS if call.way == "http"]


@pytest.mark.parametrize("call", CRAWLED, ids=str)
async def test_what_a_library_raises_for_a_while_costs_no_page(
    call: Call, tmp_path: Path, hurried: None
) -> None:
    """Nine calls fail in a way that no table knows: all pages come, in the same run."""
    async with serve(tell, host="0.0.0.0") as site:
        data = hosts_job(tmp_path / "out", site.port, 3, fetch={"resolve": mapped(3)})
        with raising(call, NeverHeardOfError, 9) as raised:
            written, said = await crawled(data)
    assert len(raised) == 9
    assert written == {"pages": 9, "failures": 0, "skipped": 0}
    assert not any("internal error" in line for line in said)


@pytest.mark.parametrize("error", [NeverHeardOfError, EOFError, KeyError, RecursionError])
async def test_what_a_library_raises_at_one_page_leaves_that_pending(
    error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hurried: None
) -> None:
    """However often it is asked for: the run ends with all others, and a later one has it."""
    real = yarl.URL

    def failing(url: str, **named: Any) -> Any:
        if url.endswith(f"h0.test:{site.port}/xx"):
            raise error("always")
        return real(url, **named)

    async with serve(tell, host="0.0.0.0") as site:
        data = hosts_job(tmp_path / "out", site.port, 3, fetch={"resolve": mapped(3)})
        data["politeness"]["robots_wait_s"] = 0.5
        with monkeypatch.context() as patched:
            patched.setattr(transport, "URL", failing)
            written, said = await crawled(data)
        assert written == {"pages": 8, "failures": 0, "skipped": 0}
        assert any(line.startswith(f"h0.test:{site.port}: put aside") for line in said), said
        job = parse_job(data, "test")
        await Crawl(job, Store.open(job.output, identity(job)), report=said.append).run()
    assert len(lines(tmp_path / "out", "pages")) == 9
    assert lines(tmp_path / "out", "failures") == []


async def test_a_bad_second_of_a_socks_proxy_costs_no_page(tmp_path: Path, hurried: None) -> None:
    """It closes twenty connections within the handshake: all pages come, in the same run."""
    async with serve(tell) as site:
        led = {f"h{n}.test:{site.port}": site.port for n in range(4)}
        async with socks_proxy(led, bad=[b"", b"\x05", b"\x05\x00", b"\x05\x00\x05"] * 5) as proxy:
            data = hosts_job(tmp_path / "out", site.port, 4, fetch={"proxy": proxy.url})
            written, said = await crawled(data)
    assert written == {"pages": 12, "failures": 0, "skipped": 0}
    assert len([line for line in said if line.startswith("Waiting: the proxy")]) == 1


async def test_a_page_that_says_407_by_http_ends_no_run_late(tmp_path: Path, hurried: None) -> None:
    """Behind a proxy of HTTP it may be the proxy's word: the page stays pending, the run ends."""

    async def refuse(request: Request, writer: asyncio.StreamWriter) -> None:
        if request.path == "/xx" and request.headers["host"].startswith("h0."):
            writer.write(response(b"", status=407))
        else:
            await tell(request, writer)

    async with serve(refuse) as site:
        led = {f"h{n}.test:{site.port}": site.port for n in range(3)}
        async with http_proxy(led) as proxy:
            data = hosts_job(tmp_path / "out", site.port, 3, fetch={"proxy": proxy.url})
            written, _ = await crawled(data)
    assert written == {"pages": 8, "failures": 0, "skipped": 0}


async def test_407_for_one_host_by_a_proxy_holds_up_no_other(tmp_path: Path, hurried: None) -> None:
    """All others come, that one stays pending and is named once, and a later run has its pages."""
    async with serve(tell) as site:
        led = {f"h{n}.test:{site.port}": site.port for n in range(3)}
        async with http_proxy(led, refused="h0.test") as proxy:
            data = hosts_job(tmp_path / "out", site.port, 3, fetch={"proxy": proxy.url})
            data["politeness"]["robots_wait_s"] = 0.5
            written, said = await crawled(data)
        assert written == {"pages": 6, "failures": 0, "skipped": 0}
        assert len([line for line in said if line.startswith("h0.test:")]) == 1
        async with http_proxy(led) as proxy:
            data["fetch"]["proxy"] = proxy.url
            job = parse_job(data, "test")
            await Crawl(job, Store.open(job.output, identity(job)), report=said.append).run()
    assert len(lines(tmp_path / "out", "pages")) == 9


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_that_refuses_everything_lets_the_run_end(
    scheme: str, tmp_path: Path, hurried: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tries are bounded over time as for other trouble of the way; all stays pending, said once."""
    monkeypatch.setattr(exchange, "_LONGEST_PAUSE_S", 0.05)
    async with http_proxy({}, login="a:b") as proxy:
        data = hosts_job(tmp_path / "out", 9, 3, fetch={"proxy": proxy.url})
        data["seeds"] = [seed.replace("http:", f"{scheme}:") for seed in data["seeds"]]
        data["politeness"]["robots_wait_s"] = 0.5
        written, said = await crawled(data)
    assert written == {"pages": 0, "failures": 0, "skipped": 0}
    assert len([line for line in said if line.startswith("Waiting: ")]) == 1
    aside = [line for line in said if "put aside, its URLs stay pending: the proxy" in line]
    assert len(aside) == 3
    assert len(proxy.heads) < 100


def fail_once(
    where: str, monkeypatch: pytest.MonkeyPatch, kind: type[Exception] = ZeroDivisionError
) -> None:
    """Let a function fail at its first call."""
    owner, _, name = where.rpartition(".")
    real: Callable[..., Any] = getattr(resolve_name(owner), name)
    errors = [kind("a bug")]

    def failing(*args: Any, **named: Any) -> Any:
        if errors:
            raise errors.pop()
        return real(*args, **named)

    monkeypatch.setattr(where, failing)


@pytest.mark.processes
@pytest.mark.parametrize("ignored", [False, True])
async def test_a_closed_terminal_drains(ignored: bool, tmp_path: Path) -> None:
    """SIGHUP stops a crawl as SIGTERM does, with code 129; under `nohup` it goes on to its end."""
    asked, answer = asyncio.Event(), asyncio.Event()

    async def wait(request: Request, writer: asyncio.StreamWriter) -> None:
        if request.path == "/":
            asked.set()
            await answer.wait()
        await tell(request, writer)

    hangup = partial(signal.signal, signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)
    async with serve(wait) as site:
        data = loopback_job(tmp_path / "out", [f"{site.url}/"])
        job = write_job(data, tmp_path / "job.yaml")
        process: subprocess.Popen[str] = program("--config", job, preexec_fn=hangup)
        await asked.wait()
        process.send_signal(signal.SIGHUP)
        if not ignored:
            assert process.stderr is not None
            await asyncio.to_thread(_read_until, process.stderr, "Stopping")
        answer.set()
        code, _, _ = await asyncio.to_thread(finished, process)
    assert code == (0 if ignored else 128 + signal.SIGHUP)
    assert len(lines(tmp_path / "out", "pages")) == (3 if ignored else 1)


def _read_until(stream: Any, word: str) -> None:
    assert any(word in line for line in stream)
