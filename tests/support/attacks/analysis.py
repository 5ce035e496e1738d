"""Attacks on the processes that read pages: little to send, and much to compute."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from support.attacks.attack import ADDRESS, Attack, Staged
from support.servers import response, serve

SLOW_PAGES = 4
SLOW_DOMAIN = "slow.test"

_LONG = gzip.compress(b"<p>w" * 1_000_000, mtime=0)
"""4 KB for half a minute of CPU: a million paragraphs of a letter each."""


@asynccontextmanager
async def _slow() -> AsyncIterator[Staged]:
    """Serve pages of a million paragraphs on subdomains of one domain, at two ports."""
    page = response(_LONG, headers={"Content-Encoding": "gzip"})
    async with serve({"/": page}) as one, serve({"/": page}) as other:
        hosts = [f"{number}.{SLOW_DOMAIN}" for number in range(SLOW_PAGES // 2)]
        seeds = [f"http://{host}:{site.port}/" for site in (one, other) for host in hosts]
        yield Staged(tuple(seeds), dict.fromkeys(hosts, ADDRESS))


ATTACKS: tuple[Attack, ...] = (
    Attack(
        "slow-pages",
        "pages of a million paragraphs, on subdomains and ports of one domain",
        _slow,
        {"analysis": {"timeout_s": 1.0}},
    ),
)
