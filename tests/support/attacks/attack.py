"""One attack: hosts that try to take more than their share, and whom they must not hurt by it.

Unlike a `Case` of the hostile web, which is one host with one end, an attack may take many hosts,
and bring innocents of its own: the victim of its errands, the subdomains beside it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

from support.servers import Answer, Request, reply_to

ADDRESS = "127.0.0.1"


@dataclass(frozen=True)
class Staged:
    """An attack whose servers run."""

    seeds: tuple[str, ...]
    """URLs, in the order in which the crawl shall meet them."""
    names: Mapping[str, str]
    """Host name -> address, for `fetch.resolve`."""
    innocents: tuple[str, ...] = ()
    """URLs of the attack's victims: each must be stored, whatever the attackers do."""


@dataclass(frozen=True)
class Attack:
    """An attack that can be staged."""

    name: str
    does: str
    """What happens, in a line; docs/hostile-web.md has the same."""
    staged: Callable[[], AbstractAsyncContextManager[Staged]]
    """Runs the servers while the context lasts."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Sections of the job that the attack needs, merged over those of the crawl."""


def by_host(answers: Mapping[str, Answer]) -> Answer:
    """Return what answers for many host names on one port; a name nobody has gets a 404."""

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        host = request.headers["host"].partition(":")[0]
        await reply_to(answers.get(host, {}), request, writer)

    return answer
