"""Logins and cookies: each to its own host, none to another, none shown."""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from support.fetching import PAGE, fetch, job, over_http, task
from support.servers import Site, redirect, response, serve

from crawler.config import Job
from crawler.errors import ConfigError
from crawler.fetch import Access
from crawler.models import Fetched, Redirected

KNOWN = {"G_LOGIN": "anna:geheim", "G_TOKEN": "geheim-token", "G_KEY": "geheim-key"}
BASIC = f"Basic {b64encode(b'anna:geheim').decode()}"


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the environment hold secrets."""
    for name, value in KNOWN.items():
        monkeypatch.setenv(name, value)


def with_hosts(hosts: dict[str, Any], **fetch: Any) -> Job:
    """Return a job that may use loopback, with blocks of hosts."""
    settings = job(**fetch).model_dump(mode="json")
    return Job.model_validate({**settings, "hosts": hosts})


def cookies(tmp_path: Path, *lines: str) -> Path:
    """Return a file of cookies."""
    path = tmp_path / "cookies.txt"
    path.write_text("\n".join(["# Netscape HTTP Cookie File", "", *lines, ""]))
    return path


def sent(site: Site, name: str) -> list[str | None]:
    """Return the values of a header field, of all requests in order."""
    return [request.headers.get(name) for request in site.requests]


@pytest.mark.parametrize(
    ("block", "name", "value"),
    [
        ({"basic_env": "G_LOGIN"}, "authorization", BASIC),
        ({"token_env": "G_TOKEN"}, "authorization", "Bearer geheim-token"),
        ({"headers_env": {"X-Api-Key": "G_KEY"}}, "x-api-key", "geheim-key"),
    ],
)
async def test_a_host_gets_its_own(block: dict[str, Any], name: str, value: str) -> None:
    """Pages and robots.txt of a host are asked with its login, those of others without."""
    async with serve({"/": response(PAGE)}) as site, serve({"/": response(PAGE)}) as other:
        settings = with_hosts({f"127.0.0.1:{site.port}": block}, logins_over_http=True)
        async with over_http(settings) as fetcher:
            for url in (site.url, other.url):
                await fetcher.robots.refresh(url)
                assert isinstance(await fetcher.fetch(task(f"{url}/"), 0.0), Fetched)
    assert sent(site, name) == [value, value]
    assert sent(other, name) == [None, None]


async def test_a_redirect_takes_no_login_along(tmp_path: Path) -> None:
    """A redirect of a robots.txt or page to another host is followed without what was for one."""
    async with serve({"/": response(PAGE), "/robots.txt": response(b"")}) as other:
        answers = {
            "/": redirect(f"{other.url}/"),
            "/robots.txt": redirect(f"{other.url}/robots.txt"),
        }
        async with serve(answers) as site:
            host = f"127.0.0.1:{site.port}"
            settings = with_hosts({host: {"token_env": "G_TOKEN"}}, logins_over_http=True)
            async with over_http(settings) as fetcher:
                await fetcher.robots.refresh(site.url)
                outcome = await fetcher.fetch(task(f"{site.url}/"), 0.0)
                assert isinstance(outcome, Redirected), outcome
                await fetcher.fetch(task(outcome.target), 0.0)
    assert sent(site, "authorization") == ["Bearer geheim-token"] * 2
    assert sent(other, "authorization") == [None] * len(other.requests)


def test_logins_go_over_http_only_if_the_job_says_so() -> None:
    """Whoever is on the way can read what goes over http."""
    hosts = {"site.example": {"token_env": "G_TOKEN"}}
    careful = Access(with_hosts(hosts))
    assert not careful.secrets("http://site.example/")
    assert careful.held_back("http://site.example/")
    assert not careful.held_back("http://other.example/")
    assert careful.secrets("https://site.example/") == {"authorization": "Bearer geheim-token"}
    assert not careful.secrets("https://www.site.example/")
    assert not careful.secrets("https://site.example.evil.example/")
    allowed = Access(with_hosts(hosts, logins_over_http=True))
    assert allowed.secrets("http://site.example/")
    assert "geheim" not in repr(careful)


def test_netrc(tmp_path: Path) -> None:
    """Logins of a netrc are sent to hosts of exactly these names; its default is nobody's."""
    path = tmp_path / "netrc"
    path.write_text(
        "machine site.example login anna password geheim\n"
        "machine api.example login bert password anders\n"
        "default login x password y\n"
    )
    hosts = {"api.example": {"token_env": "G_TOKEN"}}
    known = Access(with_hosts(hosts, netrc=str(path)))
    assert known.secrets("https://site.example/a") == {"authorization": BASIC}
    assert known.secrets("https://site.example:8443/a") == {"authorization": BASIC}
    assert known.secrets("https://api.example/")["authorization"] == "Bearer geheim-token"
    assert not known.secrets("https://www.site.example/")
    assert not known.secrets("https://other.example/")


@pytest.mark.parametrize(
    ("hosts", "settings", "told"),
    [
        ({"a.example": {"token_env": "G_MISSING"}}, {}, "hosts.a.example.token_env"),
        ({"a.example": {"basic_env": "G_TOKEN"}}, {}, "must hold user:password"),
        ({}, {"netrc": "/nowhere/netrc"}, "fetch.netrc: cannot read /nowhere/netrc"),
        ({}, {"cookies": "/nowhere/cookies"}, "fetch.cookies: cannot read /nowhere/cookies"),
        ({}, {"proxy_env": "G_MISSING"}, "fetch.proxy_env"),
        ({}, {"proxy_env": "G_LOGIN"}, "environment variable G_LOGIN: "),
        ({}, {"ca_file": "/nowhere/ca"}, "fetch.ca_file: cannot use /nowhere/ca"),
        (
            {"a.example": {"client_certificate": "/nowhere/c"}},
            {},
            "client_certificate: there is no",
        ),
    ],
)
def test_what_is_missing_is_told(
    hosts: dict[str, Any], settings: dict[str, Any], told: str
) -> None:
    """One error names the field and what is wrong, and shows no secret."""
    with pytest.raises(ConfigError, match=re.escape(told)) as error:
        Access(with_hosts(hosts, **settings))
    assert "geheim" not in str(error.value)


@pytest.mark.parametrize(
    "text", ["machine a.example login anna password geheim bogus", "geheim", "machine"]
)
def test_a_faulty_netrc_is_not_shown(text: str, tmp_path: Path) -> None:
    """The error names file and line, never what stands there."""
    path = tmp_path / "netrc"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"fetch\.netrc") as error:
        Access(job(netrc=str(path)))
    assert "geheim" not in str(error.value)


async def test_cookies_of_a_file_go_to_their_host(tmp_path: Path) -> None:
    """A cookie goes with pages and robots.txt of its own host, and with no other's."""
    path = cookies(tmp_path, "127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tgeheim")
    settings = job(cookies=str(path), resolve={"b.example": "127.0.0.1"})
    async with serve({"/": response(PAGE)}) as site, over_http(settings) as fetcher:
        await fetcher.robots.refresh(site.url)
        await fetcher.fetch(task(f"{site.url}/"), 0.0)
        await fetcher.fetch(task(f"http://b.example:{site.port}/"), 0.0)
    assert sent(site, "cookie") == ["sid=geheim", "sid=geheim", None]


def test_which_cookies_fit(tmp_path: Path) -> None:
    """Domain, path, https and end are obeyed (RFC 6265 5.4)."""
    path = cookies(
        tmp_path,
        "#HttpOnly_.site.example\tTRUE\t/\tFALSE\t0\tall\t1",
        "site.example\tFALSE\t/\tFALSE\t0\town\t2",
        "site.example\tTRUE\t/a\tFALSE\t0\tbelow\t3",
        "site.example\tFALSE\t/\tTRUE\t0\tsafe\t4",
        "site.example\tFALSE\t/\tFALSE\t1000\told\t5",
        "site.example\tFALSE\t/\tFALSE\t0\t\tnameless",
        "# a comment",
    )
    held = Access(job(cookies=str(path)))

    def sent_to(url: str, now: float = 999.0) -> list[str]:
        return sorted(filter(None, held.cookies(url, "", now).split("; ")))

    assert sent_to("https://site.example/") == ["all=1", "nameless", "old=5", "own=2", "safe=4"]
    assert sent_to("http://site.example/a/b", 1000.0) == ["all=1", "below=3", "nameless", "own=2"]
    assert sent_to("http://www.site.example/ab") == ["all=1"]
    assert sent_to("http://nosite.example/") == []
    assert sent_to("http://example/") == []
    assert "nameless" not in repr(held._cookies)


async def test_what_a_site_sets_on_the_way_is_newer(tmp_path: Path) -> None:
    """Of a cookie in the file and one set by a redirect, that of the redirect is sent."""
    path = cookies(tmp_path, *(f"127.0.0.1\tFALSE\t/\tFALSE\t0\t{n}\told" for n in ("a", "b")))

    async with serve({"/": redirect("/", 302, "a=new")}) as site:
        await fetch(f"{site.url}/", job({"delay_s": 0}, {"redirects": 0}, cookies=str(path)))
        held = Access(job(cookies=str(path)))
    assert sent(site, "cookie")[0] == "a=old; b=old"
    assert held.cookies(f"{site.url}/", "a=new", 0.0) == "b=old; a=new"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("site.example geheim", "line 3: 1 fields"),
        ("site.example\tx\t/\tFALSE\t0\tsid\tgeheim", "TRUE or FALSE"),
        ("site.example\tTRUE\t/\tFALSE\tgeheim\tsid\tx", "Unix time"),
        ("site.example\tTRUE\t/\tFALSE\t0\tsid\tgeheim; b", "semicolons"),
        ("a b\tTRUE\t/\tFALSE\t0\tsid\tgeheim", "domain"),
        ("# nothing", "holds no cookie"),
    ],
)
def test_a_faulty_cookie_file_is_not_shown(line: str, told: str, tmp_path: Path) -> None:
    """The error names file and line, never the cookie."""
    with pytest.raises(ConfigError, match=told) as error:
        Access(job(cookies=str(cookies(tmp_path, line))))
    assert "geheim" not in str(error.value)
