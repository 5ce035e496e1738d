"""Requests through proxies: http with and without TLS, SOCKS; and what a proxy's trouble means."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from math import inf
from pathlib import Path

import pytest
import trustme
from support.fetching import PAGE, fetch, job, over_http, task
from support.proxies import ProxyServer, http_proxy, socks_proxy
from support.servers import response, serve, stall

from crawler.config import Job, parse_job
from crawler.errors import ConfigError
from crawler.fetch import Access, Machine
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


def with_hosts(hosts: Mapping[str, object], settings: Job) -> Job:
    """Return a job with blocks of hosts."""
    return parse_job({**settings.model_dump(exclude_unset=True), "hosts": hosts}, "test")


async def test_each_host_goes_its_own_way() -> None:
    """By the proxy of its block, or by none where the job says so, or else by the job's."""
    async with (
        serve({"/": response(PAGE)}) as site,
        http_proxy({"site.example:80": site.port, "a.inner.example:80": site.port}) as common,
        http_proxy({"shop.example:80": site.port}) as own,
        socks_proxy({"www.socks.example:80": site.port}) as socks,
    ):
        hosts = {"shop.example": {"proxy": own.url}, "*.socks.example": {"proxy": socks.url}}
        settings = with_hosts(
            hosts, job(proxy=common.url, no_proxy=("127.0.0.0/8", "shop.example"))
        )
        direct = f"127.0.0.1:{site.port}"
        async with over_http(settings) as fetcher:
            for host in ("site.example", "shop.example", "www.socks.example", direct):
                outcome = await fetcher.fetch(task(f"http://{host}/"), 0.0)
                assert isinstance(outcome, Fetched), outcome
            assert await fetcher.resolve("shop.example") == "shop.example"
            assert await fetcher.resolve("127.0.0.1") == "127.0.0.1"
    assert common.asked == ["site.example:80"]
    assert own.asked == ["shop.example:80"]
    assert socks.asked == ["www.socks.example:80"]
    assert len(site.targets) == 4


@pytest.mark.parametrize("kind", ["http", "socks"])
async def test_what_is_asked_directly_is_guarded_as_without_a_proxy(kind: str) -> None:
    """A private address is refused at its port, though connections to proxies there are not."""
    async with (
        serve({"/": response(PAGE)}) as site,
        http_proxy({}) as http,
        socks_proxy({}) as socks,
    ):
        proxy = http if kind == "http" else socks
        settings = job(proxy=proxy.url, no_proxy=("127.0.0.0/8",), allow_addresses=())
        outcome = await fetch(f"http://127.0.0.1:{site.port}/", settings)
    assert isinstance(outcome, Failed), outcome
    assert outcome.failure is Failure.BLOCKED_ADDRESS
    assert proxy.asked == site.targets == []


async def test_a_dead_proxy_of_one_host_holds_up_that_host_alone() -> None:
    """It counts as a host that cannot be reached; nothing else waits."""
    async with http_proxy({}) as dead:
        pass
    said: list[str] = []
    machine = Machine(said.append)
    async with serve({"/": response(PAGE)}) as site:
        settings = with_hosts({"shop.example": {"proxy": dead.url}}, job())
        async with over_http(settings, machine=machine) as fetcher:
            outcome = await fetcher.fetch(task("http://shop.example/"), 0.0)
            assert isinstance(outcome, Failed), outcome
            assert outcome.failure is Failure.CONNECT
            assert dead.url in outcome.detail
            assert isinstance(await fetcher.fetch(task(f"{site.url}/"), 0.0), Fetched)
    assert (said, machine.until) == ([], -inf)


@pytest.mark.parametrize(
    ("entry", "holds", "leaves"),
    [
        ("example.org", ["example.org", "a.b.example.org", "example.org:8080"], ["anexample.org"]),
        (".example.org", ["example.org", "a.example.org"], ["example.com"]),
        ("*.Example.org", ["example.org", "a.example.org"], ["org"]),
        ("10.0.0.0/8", ["10.1.2.3", "10.1.2.3:8080"], ["11.0.0.1", "ten.example"]),
        ("192.0.2.7", ["192.0.2.7"], ["192.0.2.8"]),
        ("[2001:db8::1]", ["[2001:db8::1]", "[2001:db8::1]:8080"], ["[2001:db8::2]"]),
        ("2001:db8::/32", ["[2001:db8::2]"], ["[2001:db9::2]", "192.0.2.7"]),
        ("localhost, 例子.中国", ["localhost", "www.xn--fsqu00a.xn--fiqs8s"], ["example.org"]),
        ("*", ["example.org", "10.1.2.3", "[::1]"], []),
    ],
)
def test_no_proxy_is_read_as_curl_reads_it(entry: str, holds: list[str], leaves: list[str]) -> None:
    """Names with all below them, addresses, ranges, all; several with commas."""
    access = Access(job(proxy="http://127.0.0.1:3128", no_proxy=(entry,)))
    assert [host for host in holds if access.proxy_of(host) is not None] == []
    assert [host for host in leaves if access.proxy_of(host) is None] == []


@pytest.mark.parametrize(
    "entry", ["a b", "http://a.test/", "a.test:80/x", "a.test:8080", "10.0.0.0/99"]
)
def test_what_is_no_host_is_refused(entry: str) -> None:
    """The error names key and value."""
    with pytest.raises(ConfigError, match=r"fetch\.no_proxy: .*range such as 10\.0\.0\.0/8"):
        parse_job({"fetch": {"no_proxy": [entry]}}, "test")
