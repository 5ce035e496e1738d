"""Attacks by robots.txt: on the operator of another host, and on whoever reads the file."""

from __future__ import annotations

import asyncio
import gzip
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from itertools import takewhile
from types import MappingProxyType
from zlib import crc32

from crawler.fetch.robots import MAX_BYTES
from support.attacks.attack import ADDRESS, Attack, Staged
from support.hostile_web import healthy_text
from support.servers import Request, redirect, response, serve

SUBDOMAINS = 200
VICTIMS_PAGES = 20
READ_HOSTS = 2
CHECKED_URLS = 10
LONG_PATH = "a" * 1990

asked_of_victim: Counter[str] = Counter()
"""Target -> how often the victim of the errands was asked for it, in the attack staged last."""


@asynccontextmanager
async def errands() -> AsyncIterator[Staged]:
    """Redirect the robots.txt of each subdomain to the search page of a host that forbids it."""
    asked_of_victim.clear()
    names = [f"s{number}.errands.test" for number in range(SUBDOMAINS)]

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        host, _, port = request.headers["host"].partition(":")
        if host == "victim.test":
            asked_of_victim[request.target] += 1
            writer.write(_victims(request.target))
        elif request.target == "/robots.txt":
            writer.write(redirect(f"http://victim.test:{port}/search?q=expensive"))
        else:
            writer.write(_page(host))

    async with serve(answer) as site:
        pages = [f"http://victim.test:{site.port}/{number}" for number in range(VICTIMS_PAGES)]
        seeds = [f"http://{name}:{site.port}/" for name in names]
        everybody = dict.fromkeys([*names, "victim.test"], ADDRESS)
        yield Staged((*seeds, *pages), everybody, tuple(pages))


def _victims(target: str) -> bytes:
    if target == "/robots.txt":
        return _file(b"User-agent: *\nDisallow: /search\nCrawl-delay: 0.05")
    return _page(target)


@asynccontextmanager
async def many_rules() -> AsyncIterator[Staged]:
    """Answer with as many rules as fit into what has to be read, in a seventh of the bytes."""

    def rules(host: str) -> bytes:
        lines = (f"Disallow:/{number:x}{host[:2]}" for number in range(MAX_BYTES))
        return gzip.compress(_filled(lines), 1)

    async with _hosts("many-rules", rules, ["/x"], "gzip") as staged:
        yield staged


@asynccontextmanager
async def many_wildcards() -> AsyncIterator[Staged]:
    """Answer with a thousand rules that each look through most of a long URL before they fail."""

    def rules(host: str) -> bytes:
        return _filled(f"Disallow:/*{'*a' * 200}*b{number}{host[:2]}" for number in range(1000))

    paths = [f"/{LONG_PATH}{number}" for number in range(CHECKED_URLS)]
    async with _hosts("many-wildcards", rules, paths) as staged:
        yield staged


@asynccontextmanager
async def _hosts(
    domain: str, rules: Callable[[str], bytes], paths: list[str], coding: str = ""
) -> AsyncIterator[Staged]:
    names = [f"s{number}.{domain}.test" for number in range(READ_HOSTS)]
    files = {name: _file(rules(name), coding) for name in names}

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        host = request.headers["host"].partition(":")[0]
        is_file = request.target == "/robots.txt"
        writer.write(files[host] if is_file else _page(host + request.target))

    async with serve(answer) as site:
        seeds = [f"http://{name}:{site.port}{path}" for name in names for path in paths]
        yield Staged(tuple(seeds), dict.fromkeys(names, ADDRESS))


def _filled(lines: Iterable[str]) -> bytes:
    """Return a file of the lines, as far as they are read."""
    size, start = 0, "User-agent: *"

    def fits(line: str) -> bool:
        nonlocal size
        size += len(line) + 1
        return size < MAX_BYTES - len(start)

    return "\n".join([start, *takewhile(fits, lines)]).encode()


def _file(rules: bytes, coding: str = "") -> bytes:
    headers = {"Content-Encoding": coding} if coding else {}
    return response(rules, content_type="text/plain", headers=headers)


def _page(name: str) -> bytes:
    """Return a page whose words no other one has."""
    return response(f"<p>{healthy_text(crc32(name.encode()), 0)}</p>".encode())


ATTACKS = (
    Attack(
        "errands",
        "two hundred subdomains whose robots.txt redirect to the search page of a victim",
        errands,
        MappingProxyType({"scope": {"mode": "any"}}),
    ),
    Attack(
        "many-rules",
        "hosts whose robots.txt have thirty thousand rules in 77 KB",
        many_rules,
    ),
    Attack(
        "many-wildcards",
        "hosts whose robots.txt have a thousand rules of two hundred wildcards, and long URLs",
        many_wildcards,
    ),
)
