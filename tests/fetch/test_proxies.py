"""Requests through proxies: http with and without TLS, SOCKS; and what a proxy's trouble means."""

from __future__ import annotations

import ssl
from math import inf
from pathlib import Path

import pytest
import trustme
from support.fetching import PAGE, fetch, job, over_http, task
from support.proxies import ProxyServer, http_proxy, socks_proxy
from support.servers import response, serve, stall

from crawler.fetch import Machine
from crawler.fetch.access import LOGIN_WANTED
from crawler.models import Failed, Failure, Fetched, Obstacle, Postponed

LOGIN = "anna:geheim"
ENV = "G_TEST_PROXY"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """Return an authority of the test's own."""
    return trustme.CA()


@pytest.fixture
def ca_file(authority: trustme.CA, tmp_path: Path) -> Path:
    """Return a file with its certificate."""
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return path


def server_context(authority: trustme.CA, *names: str) -> ssl.SSLContext:
    """Return what a server of these names is set up with."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return context


def with_login(proxy: ProxyServer, monkeypatch: pytest.MonkeyPatch, login: str = LOGIN) -> str:
    """Put a proxy's URL with its login into the environment; return the variable."""
    monkeypatch.setenv(ENV, proxy.url.replace("://", f"://{login}@"))
    return ENV


async def test_a_page_comes_through_a_proxy() -> None:
    """The proxy is sent the whole URL and looks the name up itself."""
    async with (
        serve({"/page": response(PAGE)}) as site,
        http_proxy({"site.example:80": site.port}) as proxy,
    ):
        outcome = await fetch("http://site.example/page", job(proxy=proxy.url))
    assert isinstance(outcome, Fetched), outcome
    assert outcome.body == PAGE
    assert proxy.heads[0].startswith("GET http://site.example/page HTTP/1.1")
    assert site.targets == ["/page"]


async def test_tls_goes_through_a_tunnel(authority: trustme.CA, ca_file: Path) -> None:
    """By https the proxy sees a host and a port, and the certificate is that of the server."""
    tls = server_context(authority, "site.example")
    async with (
        serve({"/page": response(PAGE)}, tls=tls) as site,
        http_proxy({"site.example:443": site.port}) as proxy,
    ):
        settings = job(proxy=proxy.url, ca_file=ca_file)
        outcome = await fetch("https://site.example/page", settings)
        strict = await fetch("https://site.example/page", job(proxy=proxy.url))
    assert isinstance(outcome, Fetched), outcome
    assert proxy.heads[0].startswith("CONNECT site.example:443 ")
    assert "/page" not in "".join(proxy.heads)
    assert isinstance(strict, Failed)
    assert strict.failure is Failure.TLS


async def test_the_way_to_a_proxy_may_be_tls(authority: trustme.CA, ca_file: Path) -> None:
    """An https proxy is spoken to by TLS, and a tunnel in it has TLS of its own."""
    site_tls, proxy_tls = (server_context(authority, n) for n in ("site.example", "127.0.0.1"))
    async with serve({"/": response(PAGE)}, tls=site_tls) as site:
        led = {"site.example:443": site.port}
        async with http_proxy(led, tls=proxy_tls) as proxy:
            settings = job(proxy=proxy.url, ca_file=ca_file)
            outcome = await fetch("https://site.example/", settings)
    assert isinstance(outcome, Fetched), outcome


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_only_the_proxy_hears_its_login(
    scheme: str, authority: trustme.CA, ca_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """User and password of the environment reach the proxy, and no server behind it."""
    tls = server_context(authority, "site.example") if scheme == "https" else None
    async with serve({"/": response(PAGE)}, tls=tls) as site:
        led = {"site.example:80": site.port, "site.example:443": site.port}
        async with http_proxy(led, login=LOGIN) as proxy:
            settings = job(proxy_env=with_login(proxy, monkeypatch), ca_file=ca_file)
            async with over_http(settings) as fetcher:
                for _ in range(2):
                    outcome = await fetcher.fetch(task(f"{scheme}://site.example/"), 0.0)
                    assert isinstance(outcome, Fetched), outcome
    assert all("proxy-authorization" not in request.headers for request in site.requests)


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_that_wants_a_login_costs_no_page(scheme: str) -> None:
    """407 is the proxy's answer, so the URL stays pending, and the way out is told."""
    async with http_proxy({}, login=LOGIN) as proxy:
        outcome = await fetch(f"{scheme}://site.example/", job(proxy=proxy.url))
    assert isinstance(outcome, Postponed), outcome
    assert outcome.obstacle is Obstacle.NETWORK
    assert "fetch.proxy_env" in outcome.detail


async def test_a_proxy_that_is_not_there_pauses_the_crawl() -> None:
    """Nothing is lost to a dead proxy: all wait, one line says for what."""
    async with http_proxy({}) as proxy:
        pass
    said: list[str] = []
    machine = Machine(said.append, clock=lambda: 100.0, wall=lambda: 100.0)
    async with over_http(job(proxy=proxy.url), machine=machine) as fetcher:
        outcome = await fetcher.fetch(task("http://site.example/"), 0.0)
        answer = await fetcher.robots.refresh("http://site.example")
    assert isinstance(outcome, Postponed), outcome
    assert answer is not None
    assert machine.until > 100.0
    assert len(said) == 1
    assert proxy.url in said[0]
    assert "No URL is lost" in said[0]


async def test_a_name_that_the_proxy_does_not_reach_is_a_failure_of_it() -> None:
    """The proxy works, so it is the server that cannot be reached; it is tried again."""
    async with http_proxy({}) as proxy, socks_proxy({}) as socks:
        for url in (proxy.url, socks.url):
            outcome = await fetch("https://nowhere.example/", job(proxy=url))
            assert isinstance(outcome, Failed), outcome
            assert outcome.failure is Failure.CONNECT


@pytest.mark.parametrize(
    "url", ["http://10.0.0.1/", "https://169.254.169.254/", "http://localhost:9/", "http://[::1]/"]
)
async def test_private_addresses_are_refused_before_the_proxy(url: str) -> None:
    """What a URL names by address is judged as without a proxy: that sees no request."""
    async with http_proxy({}) as proxy, socks_proxy({}) as socks:
        for through in (proxy, socks):
            outcome = await fetch(url, job(proxy=through.url, allow_addresses=()))
            assert isinstance(outcome, Failed), outcome
            assert outcome.failure is Failure.BLOCKED_ADDRESS
            assert not through.asked


@pytest.mark.parametrize("login", ["", LOGIN])
async def test_socks(
    login: str, authority: trustme.CA, ca_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A SOCKS proxy is given names, with and without TLS behind it, and its login alone."""
    tls = server_context(authority, "safe.example")
    async with serve({"/": response(PAGE)}) as site, serve({"/": response(PAGE)}, tls=tls) as safe:
        led = {"site.example:80": site.port, "safe.example:443": safe.port}
        async with socks_proxy(led, login=login) as proxy:
            settings = job(proxy_env=with_login(proxy, monkeypatch, login), ca_file=ca_file)
            if not login:
                settings = job(proxy=proxy.url, ca_file=ca_file)
            async with over_http(settings) as fetcher:
                for url in ("http://site.example/", "https://safe.example/") * 2:
                    outcome = await fetcher.fetch(task(url), 0.0)
                    assert isinstance(outcome, Fetched), outcome
    assert proxy.asked == ["site.example:80", "safe.example:443"]


async def test_a_wrong_login_is_trouble_of_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A SOCKS proxy that refuses the login, or wants one, keeps all URLs pending."""
    async with socks_proxy({}, login=LOGIN) as proxy:
        wrong = job(proxy_env=with_login(proxy, monkeypatch, "anna:falsch"))
        for settings in (wrong, job(proxy=proxy.url)):
            outcome = await fetch("http://site.example/", settings)
            assert isinstance(outcome, Postponed), outcome
            assert "falsch" not in repr(outcome)


async def test_a_host_stands_for_its_own_address() -> None:
    """Behind a proxy nobody here looks names up."""
    async with http_proxy({}) as proxy, over_http(job(proxy=proxy.url)) as fetcher:
        assert await fetcher.resolve("site.example") == "site.example"


async def test_a_slow_proxy_does_not_end_a_page() -> None:
    """Where nobody takes connections, it may be the proxy: the URL stays pending."""
    async with serve(stall) as site:
        settings = job(proxy=site.url, connect_timeout_s=0.05)
        outcome = await fetch("https://site.example/", settings)
    assert isinstance(outcome, Postponed), outcome


CUT = (b"", b"\x05", b"\x05\x00", b"\x05\x00\x05", b"\x05\x00\x05\x00\x00\x01\x7f", b"\x04\x00")
"""What a SOCKS proxy may have said when it closes a connection: nothing, half of each answer, and
what is no SOCKS 5."""


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_socks_proxy_that_closes_within_the_handshake_costs_no_page(
    scheme: str, authority: trustme.CA, ca_file: Path
) -> None:
    """Wherever it breaks off, that is the proxy's trouble: told, waited for, and over."""
    tls = server_context(authority, "site.example") if scheme == "https" else None
    said: list[str] = []
    now = [100.0]
    machine = Machine(said.append, clock=lambda: now[0], wall=lambda: now[0])
    async with serve({"/": response(PAGE)}, tls=tls) as site:
        led = {"site.example:80": site.port, "site.example:443": site.port}
        async with socks_proxy(led, bad=CUT) as proxy:
            settings = job(proxy=proxy.url, ca_file=ca_file)
            async with over_http(settings, machine=machine) as fetcher:
                for _ in CUT:
                    outcome = await fetcher.fetch(task(f"{scheme}://site.example/"), 0.0)
                    assert isinstance(outcome, Postponed), outcome
                    assert machine.until > now[0]
                    now[0] = machine.until
                outcome = await fetcher.fetch(task(f"{scheme}://site.example/"), 0.0)
    assert isinstance(outcome, Fetched), outcome
    assert len(said) == 1
    assert proxy.url in said[0]


async def test_a_server_that_says_407_is_no_proxy(authority: trustme.CA, ca_file: Path) -> None:
    """Inside TLS and over SOCKS only the server can say it: the page ends, and nobody waits."""
    refusal = {"/": response(b"", status=LOGIN_WANTED), "/robots.txt": response(b"", status=407)}
    tls = server_context(authority, "safe.example")
    said: list[str] = []
    machine = Machine(said.append)
    async with serve(refusal) as site, serve(refusal, tls=tls) as safe:
        led = {"site.example:80": site.port, "safe.example:443": safe.port}
        async with http_proxy(led) as proxy, socks_proxy(led) as socks:
            for url, through in (
                ("https://safe.example/", proxy),
                ("https://safe.example/", socks),
                ("http://site.example/", socks),
            ):
                settings = job(proxy=through.url, ca_file=ca_file)
                async with over_http(settings, machine=machine) as fetcher:
                    outcome = await fetcher.fetch(task(url), 0.0)
                    assert isinstance(outcome, Failed), outcome
                    assert (outcome.failure, outcome.status) == (Failure.HTTP_CLIENT_ERROR, 407)
    assert (said, machine.until) == ([], -inf)


async def test_407_by_http_holds_up_its_host_alone() -> None:
    """While others are answered it is the host that cannot be reached; before that, one pause."""
    pages = {"/": response(PAGE), "/no": response(b"", status=LOGIN_WANTED)}
    said: list[str] = []
    now = [100.0]
    machine = Machine(said.append, clock=lambda: now[0], wall=lambda: now[0])
    async with serve(pages) as site:
        hosts = [f"h{n}.no.example" for n in range(60)]
        led = dict.fromkeys((f"{host}:80" for host in [*hosts, "well.example"]), site.port)
        async with (
            http_proxy(led) as proxy,
            over_http(job(proxy=proxy.url), machine=machine) as fetcher,
        ):
            for host in hosts:
                outcome = await fetcher.fetch(task(f"http://{host}/no"), 0.0)
                assert isinstance(outcome, Postponed), outcome
                assert machine.until <= 101.0
                now[0] += 0.1
            assert len(said) == 1
            assert "fetch.proxy_env" in said[0]
            assert isinstance(await fetcher.fetch(task("http://well.example/"), 0.0), Fetched)
            for host in hosts:
                outcome = await fetcher.fetch(task(f"http://{host}/no"), 0.0)
                assert isinstance(outcome, Failed), outcome
                assert outcome.failure is Failure.CONNECT
                answer = await fetcher.robots.refresh(f"http://{host}")
                assert answer.known, "there is none, and that was answered"
    assert machine.until <= 101.0
