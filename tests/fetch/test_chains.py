"""Redirects within an origin, asked in one fetch: cookie walls, loops, what is handed back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from support.fetching import PAGE, job, task, waiting
from support.servers import Handler, Reply, redirect, response, serve

from crawler.config import Job
from crawler.fetch import client
from crawler.models import Failed, Failure, Fetched, FetchOutcome, Redirected, Skip, Skipped

Routes = dict[str, Reply]


def anywhere(url: str, with_cookies: bool) -> bool:
    """Follow every redirect within the origin."""
    return True


def walled(to: str, page: bytes = PAGE, cookie: str = "ok=1") -> Handler:
    """A page that is shown to who sends the cookie, and else redirects."""

    async def handler(request: Any, writer: asyncio.StreamWriter) -> None:
        passed = cookie in request.headers.get("cookie", "")
        writer.write(response(page) if passed else redirect(to))

    return handler


async def ask(
    routes: Mapping[str, Reply],
    settings: Job | None = None,
    leads_on: Callable[[str, bool], bool] = anywhere,
    path: str = "/page",
    **fields: Any,
) -> tuple[FetchOutcome, list[str], list[float]]:
    """Fetch one page; return outcome (without the server's name), targets asked for, and waits."""
    async with serve(routes) as site, waiting(settings or job()) as (fetcher, waits):
        if "/robots.txt" in routes:
            await fetcher.robots.refresh(site.url)
            site.requests.clear()
        outcome = await fetcher.fetch(task(f"{site.url}{path}", **fields), 2.0, leads_on)
        return outcome, site.targets, waits


def told(outcome: FetchOutcome | None) -> list[str]:
    """Return the paths on the way, and what came of the last."""
    way = []
    while isinstance(outcome, Redirected):
        way += [f"/{outcome.task.url.split('/', 3)[3]}", f"{outcome.status}"]
        if outcome.then is None:
            return [*way, f"/{outcome.target.split('/', 3)[3]}"]
        outcome = outcome.then
    assert outcome is not None
    return [*way, f"/{outcome.task.url.split('/', 3)[3]}", type(outcome).__name__]


async def test_a_cookie_wall_is_passed() -> None:
    """A check that sets a cookie and leads back is asked within the fetch, pause by pause."""
    routes: Routes = {"/page": walled("/check"), "/check": redirect("/page", 302, "ok=1; Path=/")}
    outcome, targets, waits = await ask(routes)
    assert isinstance(outcome, Fetched)
    assert (outcome.body, outcome.final_url) == (PAGE, outcome.task.url)
    assert (targets, waits) == (["/page", "/check", "/page"], [2.0, 2.0])


async def test_a_wall_of_several_steps_behind_a_redirect_is_passed() -> None:
    """What leads to the wall stays a redirect; the page behind it is the page."""
    routes: Routes = {
        "/old": redirect("/page", 301),
        "/page": walled("/a?to=page", cookie="x=1; y=2"),
        "/a": redirect("/b?to=page", 302, "x=1; Path=/"),
        "/b": redirect("/page", 302, "y=2; Path=/"),
    }
    outcome, targets, _ = await ask(routes, path="/old")
    assert told(outcome) == ["/old", "301", "/page", "Fetched"]
    assert targets == ["/old", "/page", "/a?to=page", "/b?to=page", "/page"]
    assert isinstance(outcome, Redirected)
    then = outcome.then
    assert isinstance(then, Fetched)
    assert (then.task.url_id, then.task.hops, then.task.referrer) == (0, 1, outcome.task.url)


async def test_a_loop_without_cookies_is_a_loop() -> None:
    """Two pages that redirect to each other are asked once each; the one that began it fails."""
    outcome, targets, _ = await ask({"/page": redirect("/b"), "/b": redirect("/page")})
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.REDIRECT_LOOP
    assert targets == ["/page", "/b"]


async def test_a_loop_behind_a_redirect_fails_the_page_it_returns_to() -> None:
    """What leads into the loop is a redirect as any other."""
    routes = {"/page": redirect("/a"), "/a": redirect("/b"), "/b": redirect("/a")}
    outcome, _, _ = await ask(routes)
    assert told(outcome) == ["/page", "302", "/a", "Failed"]
    assert isinstance(outcome, Redirected)
    assert isinstance(outcome.last, Failed)
    assert outcome.last.failure is Failure.REDIRECT_LOOP


async def test_a_wall_that_never_opens_is_bounded() -> None:
    """A new cookie each time is followed as far as limits.redirects."""
    count = iter(range(100))

    async def check(request: Any, writer: asyncio.StreamWriter) -> None:
        writer.write(redirect("/page", 302, f"n={next(count)}; Path=/"))

    settings = job(None, {"redirects": 4})
    outcome, targets, waits = await ask({"/page": redirect("/check"), "/check": check}, settings)
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.REDIRECT_LOOP
    assert (len(targets), len(waits)) == (5, 4)


async def test_an_endless_chain_ends_at_the_limit() -> None:
    """Each page on the way is a redirect, the last one a loop, wherever the hops were made."""

    async def endless(request: Any, writer: asyncio.StreamWriter) -> None:
        writer.write(redirect(f"{request.target}x"))

    settings = job(None, {"redirects": 3})
    for hops, way in ((0, ["/p", "302", "/px", "302", "/pxx", "302", "/pxxx", "Failed"]),
                      (2, ["/p", "302", "/px", "Failed"])):  # fmt: skip
        async with serve(endless) as site, waiting(settings) as (fetcher, _):
            outcome = await fetcher.fetch(task(f"{site.url}/p", hops=hops), 1.0, anywhere)
        assert told(outcome) == way


@pytest.mark.parametrize(
    ("routes", "way"),
    [
        ({"/b": response(PAGE)}, ["/page", "302", "/b", "Fetched"]),
        ({"/b": response(b"", status=503)}, ["/page", "302", "/b", "Failed"]),
        ({"/b": response(content_type="image/png")}, ["/page", "302", "/b", "Skipped"]),
        ({"/b": redirect("http://b.test/x")}, ["/page", "302", "/b", "302", "/x"]),
    ],
)
async def test_what_comes_of_the_target_is_carried(routes: Routes, way: list[str]) -> None:
    """A redirect that is no wall is asked for once, whatever it brings."""
    outcome, targets, _ = await ask({"/page": redirect("/b"), **routes})
    assert told(outcome) == way
    assert targets == ["/page", "/b"]


async def test_what_may_not_be_asked_is_handed_back() -> None:
    """Robots, another origin, and whoever knows the scope can each refuse to go on."""
    robots = response(b"User-agent: *\nDisallow: /check", content_type="text/plain")
    wall: Routes = {"/page": walled("/check"), "/check": redirect("/page", 302, "ok=1")}
    outcome, targets, waits = await ask({"/robots.txt": robots, **wall})
    assert (told(outcome), targets, waits) == (["/page", "302", "/check"], ["/page"], [])
    outcome, targets, waits = await ask(wall, leads_on=lambda url, _: False)
    assert (told(outcome), targets, waits) == (["/page", "302", "/check"], ["/page"], [])
    async with serve(wall) as other:
        outcome, _, _ = await ask({"/page": redirect(f"{other.url}/check", 302, "a=1; Path=/")})
        assert told(outcome) == ["/page", "302", "/check"]
        assert other.requests == []


async def test_cookies_tell_whether_they_would_be_sent() -> None:
    """The caller is told of cookies for that path only; what it is told decides about seen URLs."""
    heard = []

    def hear(url: str, with_cookies: bool) -> bool:
        heard.append(with_cookies)
        return False

    for cookie in ("a=1; Path=/b", "a=1; Path=/c", "a=1; Domain=other.test"):
        await ask({"/page": redirect("/b", 302, cookie)}, leads_on=hear)
    assert heard == [True, False, False]


async def test_cookies_end_with_the_chain() -> None:
    """The next fetch sends none, and none goes to another host."""
    routes: Routes = {"/page": walled("/check"), "/check": redirect("/page", 302, "ok=1; Path=/")}
    async with serve(routes) as site, waiting(job()) as (fetcher, _):
        for _ in range(2):
            outcome = await fetcher.fetch(task(f"{site.url}/page"), 1.0, anywhere)
            assert isinstance(outcome, Fetched)
        sent = [request.headers.get("cookie") for request in site.requests]
        assert sent == [None, None, "ok=1"] * 2


async def test_cookies_are_in_no_log_and_no_outcome(caplog: pytest.LogCaptureFixture) -> None:
    """Neither a debug line nor any field of what the fetch returns has a cookie's value."""
    routes: Routes = {
        "/page": walled("/check"),
        "/check": redirect("/page", 302, "ok=1hush; Path=/"),
    }
    with caplog.at_level(logging.DEBUG, logger="crawler"):
        outcome, _, _ = await ask(routes)
    assert isinstance(outcome, Fetched)
    assert "1hush" not in caplog.text + repr(outcome)
    assert "followed in place" in caplog.text


async def test_an_end_of_redirects_is_asked_once_with_cookies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A server that sets a cookie each time and redirects all to one page is not asked twice."""
    monkeypatch.setattr(client, "MOST_PLAIN", 1)
    routes = {f"/old{n}": redirect("/home", 302, f"s={n}; Path=/") for n in range(3)}
    async with serve({**routes, "/home": response(PAGE)}) as site, waiting(job()) as (fetcher, _):
        ends = [
            await fetcher.fetch(task(f"{site.url}/old{n}"), 1.0, lambda _, cookies: cookies)
            for n in range(3)
        ]
        assert [told(end)[-1] for end in ends] == ["Fetched", "/home", "/home"]
        assert site.targets.count("/home") == 1


async def test_300_with_location_is_a_redirect() -> None:
    """Multiple Choices leads where its Location says; without one it is no page."""
    outcome, _, _ = await ask({"/page": redirect("/b", 300)}, leads_on=lambda url, _: False)
    assert told(outcome) == ["/page", "300", "/b"]
    outcome, _, _ = await ask({"/page": response(PAGE, status=300)})
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.HTTP_UNEXPECTED


async def test_an_empty_body_with_refresh_is_handed_on() -> None:
    """A Refresh header may be all that a response says; an empty body alone is no page."""
    refresh = response(b"", headers={"Refresh": "0; url=/b"})
    outcome, _, _ = await ask({"/page": refresh})
    assert isinstance(outcome, Fetched)
    assert outcome.headers["refresh"] == "0; url=/b"
    outcome, _, _ = await ask({"/page": response(b"")})
    assert isinstance(outcome, Skipped)
    assert outcome.reason is Skip.NO_CONTENT
