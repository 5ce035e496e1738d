"""Endless places that shall have their neighbours cut: one domain, of many people.

The neighbours' pages come slowly, from one to the next, so that each is asked for after the
attackers' places were cut.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from support.attacks.attack import ADDRESS, Attack, Staged
from support.servers import Answer, Request, response, serve
from support.trap_web import words

PORTS = 14
NEIGHBOURS = 12
PAGES = 4
"""Of each neighbour."""
SLOWLY_S = 0.5
"""Before each page of a neighbour: together two seconds, until everything is cut."""
ENDLESS = (
    "<p>We are sorry, there is nothing here</p><a href='more/'>more</a><a href='again/'>again</a>"
)
"""A page at any path, which leads ever deeper."""


def _diary(host: str, number: int) -> str:
    """Return a neighbour's page: new, and with a link to its next one."""
    on = f"<a href='/{number + 1}'>next</a>" if number + 1 < PAGES else ""
    return f"<p>{words(f'{host} {number}', 60)}</p>{on}"


def _platform(domain: str, endless: Callable[[str], bool], front: str) -> Answer:
    """Serve a domain: hosts that are `endless`, its `front` page, and slow diaries besides."""

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        host = request.headers["host"].partition(":")[0]
        port = writer.get_extra_info("sockname")[1]
        if request.target == "/robots.txt":
            writer.write(response(b"", status=404))
        elif host == domain:
            await asyncio.sleep(SLOWLY_S)
            writer.write(response(front.replace("PORT", str(port)).encode()))
        elif endless(host):
            others = "".join(
                f"<a href='http://w{random.getrandbits(30)}.{domain}:{port}/'>on</a>"
                for _ in range(2 * host.startswith("w"))
            )
            writer.write(response((ENDLESS + others).encode()))
        else:
            await asyncio.sleep(SLOWLY_S)
            number = int(request.target.removeprefix("/") or 0)
            writer.write(response(_diary(host, number).encode()))

    return answer


def _blogs(domain: str) -> list[str]:
    return [f"{words(f'{domain} {n}', 1)}.{domain}" for n in range(NEIGHBOURS)]


def _pages(hosts: list[str], port: int) -> tuple[str, ...]:
    return tuple(f"http://{host}:{port}/{n or ''}" for host in hosts for n in range(PAGES))


@asynccontextmanager
async def ports() -> AsyncIterator[Staged]:
    """One host on many ports, each of them endless, beside other people's hosts."""
    domain, evil = "shared.test", "evil.shared.test"
    async with AsyncExitStack() as stack:
        answer = _platform(domain, lambda host: host == evil, "")
        sites = [await stack.enter_async_context(serve(answer)) for _ in range(PORTS)]
        blogs, port = _blogs(domain), sites[0].port
        seeds = [f"http://{evil}:{site.port}/" for site in sites]
        seeds += [f"http://{blog}:{port}/" for blog in blogs]
        yield Staged(tuple(seeds), dict.fromkeys((evil, *blogs), ADDRESS), _pages(blogs, port))


@asynccontextmanager
async def subdomains() -> AsyncIterator[Staged]:
    """Many endless hosts of one domain, whose front page leads to other people's, late."""
    domain = "blogs.test"
    evil = [f"evil{letter}.{domain}" for letter in "abcdefghijklmn"]
    blogs = _blogs(domain)
    front = f"<p>{words(domain, 60)}</p>" + "".join(
        f"<a href='http://{blog}:PORT/'>{blog}</a>" for blog in blogs
    )
    async with serve(_platform(domain, evil.__contains__, front)) as site:
        seeds = tuple(f"http://{host}:{site.port}/" for host in (*evil, domain))
        names = dict.fromkeys((*evil, *blogs, domain), ADDRESS)
        front_page = f"http://{domain}:{site.port}/"
        yield Staged(seeds, names, (front_page, *_pages(blogs, site.port)))


_QUICK = {
    "scope": {"mode": "domain"},
    "traps": {"budget": 8, "copies": 0},
    "politeness": {"robots": False},
}

ATTACKS: tuple[Attack, ...] = (
    Attack(
        "endless-ports",
        "one host with endless places on fourteen ports, to have its whole domain cut",
        ports,
        _QUICK,
    ),
    Attack(
        "endless-subdomains",
        "fourteen endless hosts below one domain, to have all others there cut",
        subdomains,
        _QUICK,
    ),
)
