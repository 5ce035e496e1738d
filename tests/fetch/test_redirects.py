"""Redirects of pages: handed back as another page, or followed in place with their cookies."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from support.fetching import PAGE, failure, fetch, job, task, waiting
from support.servers import redirect, response, serve

from crawler.models import Failed, Failure, Fetched, Redirected


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirect_elsewhere_is_returned(status: int) -> None:
    """A redirect to another page is not followed but handed back in canonical form."""
    reply = redirect("../other/./x?utm_source=a#frag", status)
    async with serve({"/a/page": reply}) as site:
        outcome = await fetch(f"{site.url}/a/page")
        assert isinstance(outcome, Redirected)
        assert (outcome.target, outcome.status) == (f"{site.url}/other/x", status)
        assert len(site.requests) == 1


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("/中文".encode().decode("latin-1"), "/%E4%B8%AD%E6%96%87"),
        ("/中".encode("gbk").decode("latin-1"), "/%D6%D0"),
        ("/a b", "/a%20b"),
        ("?x=1", "/page?x=1"),
        ("//127.0.0.1:1/y", None),
    ],
)
async def test_odd_locations(location: str, path: str | None) -> None:
    """Locations with raw bytes, spaces or missing parts lead where a browser would go."""
    async with serve({"/page": redirect(location)}) as site:
        outcome = await fetch(f"{site.url}/page")
        assert isinstance(outcome, Redirected)
        assert outcome.target == (f"{site.url}{path}" if path else "http://127.0.0.1:1/y")


@pytest.mark.parametrize(
    "location", ["", "http://", "http://[::1", "mailto:a@b.example", "javascript:alert(1)"]
)
async def test_invalid_locations(location: str) -> None:
    """A redirect to nowhere is a failure of its own."""
    assert await failure(redirect(location)) is Failure.REDIRECT_INVALID


async def test_redirect_without_location() -> None:
    """A redirect status without Location is a failure of its own."""
    assert await failure(response(PAGE, status=302)) is Failure.REDIRECT_INVALID


async def test_too_many_redirects() -> None:
    """The hop beyond the limit is a loop; hops that led here count."""
    async with serve({"/a": redirect("/b")}) as site:
        settings = job(None, {"redirects": 3})
        assert isinstance(await fetch(f"{site.url}/a", settings, hops=2), Redirected)
        outcome = await fetch(f"{site.url}/a", settings, hops=3)
    assert isinstance(outcome, Failed)
    assert outcome.failure is Failure.REDIRECT_LOOP


async def test_cookie_wall_is_passed_in_place() -> None:
    """A server that wants its cookie back gets it, after the delay, within this one fetch."""

    async def wall(request: Any, writer: asyncio.StreamWriter) -> None:
        passed = request.headers.get("cookie") == "a=1; b=x=y"
        reply = response(PAGE) if passed else redirect("/p", 302, "a=1; Path=/", "b=x=y; Secure")
        writer.write(reply)

    async with serve({"/p": wall}) as site, waiting(job()) as (fetcher, waits):
        outcome = await fetcher.fetch(task(f"{site.url}/p"), 2.5)
        assert isinstance(outcome, Fetched)
        assert outcome.final_url == f"{site.url}/p"
        assert waits == [2.5]
        assert site.targets == ["/p", "/p"]


async def test_slash_is_followed_in_place() -> None:
    """A missing or surplus slash is the same page; the final URL says which spelling it has."""
    routes = {"/a": redirect("/a/"), "/a/": response(PAGE), "/b/": redirect("/b"), "/b": response()}
    async with serve(routes) as site, waiting(job()) as (fetcher, waits):
        first = await fetcher.fetch(task(f"{site.url}/a"), 1.0)
        second = await fetcher.fetch(task(f"{site.url}/b/"), 1.0)
        assert isinstance(first, Fetched)
        assert isinstance(second, Fetched)
        assert (first.final_url, second.final_url) == (f"{site.url}/a/", f"{site.url}/b")
        assert first.task.url == f"{site.url}/a"
        assert waits == [1.0, 1.0]


async def test_tracking_parameter_is_followed_in_place() -> None:
    """A server that insists on a tracking parameter gets it; the final URL has none."""

    async def insist(request: Any, writer: asyncio.StreamWriter) -> None:
        tracked = "utm_source=x" in request.target
        writer.write(response(PAGE) if tracked else redirect("/p?q=1&utm_source=x"))

    async with serve({"/p": insist}) as site, waiting(job()) as (fetcher, _):
        outcome = await fetcher.fetch(task(f"{site.url}/p?q=1"), 1.0)
        assert isinstance(outcome, Fetched)
        assert outcome.final_url == f"{site.url}/p?q=1"
        assert site.targets == ["/p?q=1", "/p?q=1&utm_source=x"]


async def test_redirect_to_itself_is_a_loop() -> None:
    """A page that redirects to itself and sets nothing is asked once."""
    async with serve({"/p": redirect("/p")}) as site:
        outcome = await fetch(f"{site.url}/p")
        assert isinstance(outcome, Failed)
        assert outcome.failure is Failure.REDIRECT_LOOP
        assert len(site.requests) == 1


async def test_loop_in_place_is_bounded() -> None:
    """A server that sets a new cookie each time is left after the limit."""
    count = iter(range(100))

    async def more(request: Any, writer: asyncio.StreamWriter) -> None:
        writer.write(redirect("/p", 302, f"n={next(count)}"))

    async with (
        serve({"/p": more}) as site,
        waiting(job(None, {"redirects": 3})) as (fetcher, waits),
    ):
        outcome = await fetcher.fetch(task(f"{site.url}/p"), 1.0)
        assert isinstance(outcome, Failed)
        assert outcome.failure is Failure.REDIRECT_LOOP
        assert (len(site.requests), len(waits)) == (4, 3)


async def test_robots_hold_for_a_slash() -> None:
    """A hop in place that robots.txt forbids is offered as a page of its own instead."""
    routes = {
        "/robots.txt": response(b"User-agent: *\nDisallow: /a/", content_type="text/plain"),
        "/a": redirect("/a/"),
        "/a/": response(PAGE),
    }
    async with serve(routes) as site, waiting(job()) as (fetcher, _):
        await fetcher.robots.refresh(site.url)
        outcome = await fetcher.fetch(task(f"{site.url}/a"), 1.0)
        assert isinstance(outcome, Redirected)
        assert outcome.target == f"{site.url}/a/"
        assert "/a/" not in site.targets
