"""What `crawler.fetch` says at DEBUG: what became of each request, and nothing secret."""

from __future__ import annotations

import asyncio
import logging

import pytest
from support.fetching import PAGE, job, task, waiting
from support.servers import Reply, Request, redirect, response, serve


async def test_every_request_is_told_once_and_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    """Pages, redirects, failures and robots.txt have a line each, without cookies and passwords."""
    caplog.set_level(logging.DEBUG, "crawler.fetch")

    async def wall(request: Request, writer: asyncio.StreamWriter) -> None:
        passed = "cookie" in request.headers
        writer.write(response(PAGE) if passed else redirect("/wall", 302, "id=secret"))

    answers: dict[str, Reply] = {
        "/wall": wall,
        "/login": redirect("http://user:secret@127.0.0.1:1/in"),
        "/lost": redirect("http://user:secret@"),
        "/gone": response(PAGE, status=404),
        "/robots.txt": response(b"User-agent: *\nDisallow: /x\n"),
    }
    async with serve(answers) as site, waiting(job()) as (fetcher, _):
        await fetcher.robots.refresh(site.url)
        for path in ("/wall", "/login", "/lost", "/gone"):
            await fetcher.fetch(task(site.url + path), 0.0)
        closed = task("http://10.0.0.1/")
        await fetcher.fetch(closed, 0.0)
    said = [message.replace(site.url, "") for message in caplog.messages]
    told = [
        "/robots.txt: 27 bytes",
        "/wall: followed in place to /wall",
        f"/wall: 200, {len(PAGE)} bytes, {len(PAGE)} sent, ",
        "/login: 302, redirected to http://127.0.0.1:1/in, ",
        "/lost: failed, redirect-invalid: ",
        "/gone: failed, http-4xx: HTTP status 404, ",
        "10.0.0.1 port 80: refused",
        "http://10.0.0.1/: failed, blocked-address: ",
    ]
    assert len(said) == len(told), said
    assert all(line.startswith(begin) for line, begin in zip(said, told, strict=True)), said
    assert "secret" not in caplog.text
