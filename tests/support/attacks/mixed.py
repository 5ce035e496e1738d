"""One crawl of healthy hosts and of attacks beside them, as a program of its own."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from crawler.config import merge
from crawler.storage.directory import line_path
from support.attacks.attack import Attack, Staged
from support.crawling import AS_USERS_READ, loopback_job, write_job
from support.hostile_web import HostileWeb, hostile_web, run_program
from support.output import summary_of


@dataclass(frozen=True)
class Mixed:
    """What a crawl beside attacks left behind."""

    output: Path
    err: str
    innocents: frozenset[str]
    """URLs that had to be stored: those of the healthy hosts, and of the attacks' victims."""

    @property
    def summary(self) -> dict[str, Any]:
        """The crawl's summary.json."""
        return summary_of(self.output)

    @property
    def lost(self) -> frozenset[str]:
        """The innocents that were not stored."""
        return self.innocents - _stored(self.output)


def _stored(output: Path) -> set[str]:
    """Return the URLs that have a whole line, also while the crawl writes."""
    path = line_path(output, "pages")
    whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
    return {orjson.loads(line)["url"] for line in whole.splitlines()}


async def crawl_beside(
    attacks: Sequence[Attack],
    home: Path,
    *,
    hosts: int = 3,
    pages: int = 6,
    till_stored: bool = False,
    **settings: Any,
) -> Mixed:
    """Crawl `hosts` healthy hosts of `pages` pages beside the attacks; return what became of it.

    The attackers' seeds come first: what they can do to the others, they do from the beginning.
    `till_stored`: the crawl is told to stop once the last innocent is stored, whatever of the
    attackers is still under way then; it would hang if that kept an innocent waiting.
    """
    output = home / "out"
    async with AsyncExitStack() as stack:
        staged = [await stack.enter_async_context(attack.staged()) for attack in attacks]
        web = await stack.enter_async_context(hostile_web((), hosts, pages, home))
        job = write_job(mixed_job(output, staged, web, attacks, **settings), home / "job.yaml")
        victims = [url for stage in staged for url in stage.innocents]
        innocents = frozenset((*victims, *_healthy(web, pages)))

        def all_stored() -> bool:
            return not innocents - _stored(output)

        code, _, err = await run_program(job, web, enough=all_stored if till_stored else None)
        assert code == (128 + signal.SIGTERM if till_stored else 0), err
    return Mixed(output, err, innocents)


def mixed_job(
    output: Path,
    staged: Sequence[Staged],
    web: HostileWeb,
    attacks: Sequence[Attack],
    **settings: Any,
) -> dict[str, Any]:
    """Return the job of a mixed crawl: its own settings, those of the attacks, the ones given."""
    seeds = [seed for stage in staged for seed in stage.seeds] + web.seeds
    names = {name: ip for stage in staged for name, ip in stage.names.items()} | web.names
    data = loopback_job(output, seeds, **_sections(names))
    for attack in attacks:
        merge(data, attack.settings)
    merge(data, settings)
    return data


def _sections(names: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings of a mixed crawl: quick where nobody has to wait."""
    return {
        **AS_USERS_READ,
        "user_agent": {"contact": "https://attacked.test/"},
        "politeness": {"per_address": 256, "robots_wait_s": 0.5, "dead_after_s": 0.0},
        "analysis": {"processes": 2},
        "fetch": {"resolve": dict(names), "retries": 0},
    }


def _healthy(web: HostileWeb, pages: int) -> list[str]:
    """Return the URLs of all pages of the healthy hosts."""
    return [f"{seed}{number or ''}" for seed in web.seeds for number in range(pages)]
