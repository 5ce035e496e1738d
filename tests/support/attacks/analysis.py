"""Attacks on the processes that read pages: little to send, and much to compute."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from support.attacks.attack import ADDRESS, Attack, Staged
from support.servers import response, serve

DEEP_PAGES = 4
DEEP_DOMAIN = "deep.test"

_DEEP = gzip.compress(b"<div>" * 100_000, mtime=0)
"""769 bytes for half a minute of CPU: the parsers take time by the square of the depth."""


@asynccontextmanager
async def _deep() -> AsyncIterator[Staged]:
    """Serve pages nested too deep on subdomains of one domain, at two ports."""
    page = response(_DEEP, headers={"Content-Encoding": "gzip"})
    async with serve({"/": page}) as one, serve({"/": page}) as other:
        hosts = [f"{number}.{DEEP_DOMAIN}" for number in range(DEEP_PAGES // 2)]
        seeds = [f"http://{host}:{site.port}/" for site in (one, other) for host in hosts]
        yield Staged(tuple(seeds), dict.fromkeys(hosts, ADDRESS))


ATTACKS: tuple[Attack, ...] = (
    Attack(
        "deep-pages",
        "many pages nested too deep to read, on subdomains and ports of one domain",
        _deep,
        {"analysis": {"timeout_s": 1.0}},
    ),
)
