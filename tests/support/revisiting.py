"""A small site that changes between visits, crawled and visited again as the commands do."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from crawler.cli.commands.recrawl import next_directory
from crawler.config import parse_job
from crawler.engine.identity import identity
from crawler.sources.web.crawl import Crawl
from crawler.sources.web.recrawl import Plan, write_changes
from crawler.storage.store import Store
from crawler.storage.summary import write_summary
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView
from crawler.views.check import check_directory
from support.crawling import AS_USERS_READ, loopback_job
from support.servers import Request, Site, response

DAY_S = 86_400.0
START = 1_700_000_000.0


class Web:
    """A site whose pages a test changes; it knows entity tags."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.other: dict[str, bytes] = {}
        """Whole responses, in place of a page."""
        self.asked: list[tuple[str, str | None]] = []
        """Paths and If-None-Match, in order."""

    async def __call__(self, request: Request, writer: Any) -> None:
        """Answer one request."""
        condition = request.headers.get("if-none-match")
        self.asked.append((request.path, condition))
        writer.write(self._answer(request.path, condition))
        await writer.drain()

    def _answer(self, path: str, condition: str | None) -> bytes:
        if path in self.other:
            return self.other[path]
        if path not in self.pages:
            return response(b"none", status=404)
        body = self.pages[path]
        if path.startswith("/plain"):  # knows no entity tags
            return response(body)
        tag = f'"{hashlib.sha256(body).hexdigest()[:12]}"'
        if condition == tag:
            return response(b"", status=304, headers={"ETag": tag})
        return response(body, headers={"ETag": tag})


def page(name: str, *links: str, around: str = "", words: int = 60, script: str = "") -> bytes:
    """Return a page with a text of its own, an article with a navigation `around` it."""
    text = "".join(
        f"<p>{' '.join(f'{name}{line}x{word}' for word in range(12))}.</p>"
        for line in range(words // 12)
    )
    anchors = "".join(f'<li><a href="{link}">to {link}</a></li>' for link in links)
    return (
        f"<html><head><title>{name}</title><script>{script}</script></head><body>"
        f"<nav><ul>{anchors}</ul></nav><main><article><h1>{name}</h1>{text}</article>"
        f"</main><aside>{around}</aside></body></html>"
    ).encode()


class Clock:
    """Unix time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        """Return the time."""
        return self.now


async def run(job: Any, store: Store, clock: Clock) -> None:
    """Run a crawl or a recrawl to its end, as the command does."""
    again = store.meta(Meta.RECRAWL) is not None
    await Crawl(job, store, wall=clock).run()
    write_summary(store.directory)
    if again:
        write_changes(store.directory, job.recrawl.min_s, job.recrawl.max_s)


async def first(data: Mapping[str, Any], clock: Clock) -> Path:
    """Crawl a site for the first time."""
    job = parse_job(data, "test")
    await run(job, Store.create(job.output, identity(job)), clock)
    return job.output


async def again(
    data: Mapping[str, Any], of: Path, clock: Clock, *, due: bool = False, known: bool = False
) -> Path:
    """Visit the pages of a directory again; return where that lies."""
    output = next_directory(of)
    job = parse_job({**data, "output": str(output)}, "test")
    with StoreView.read(of) as view:
        earlier = view.meta(Meta.RECRAWL)
    plan = Plan.after(of, earlier, output, clock(), due_only=due, known_only=known)
    store = Store.create(output, identity(job))
    store.set_meta(Meta.RECRAWL, plan.record())
    await run(job, store, clock)
    return output


def changes(output: Path) -> dict[str, dict[str, Any]]:
    """Return what changes.jsonl tells, by path."""
    found = map(orjson.loads, (output / "changes.jsonl").read_bytes().splitlines())
    return {"/" + change["url"].split("/", 3)[3]: change for change in found}


def sound(output: Path) -> bool:
    """Whether `check` finds nothing wrong."""
    return not list(check_directory(output, every_page=True).problems)


def job_for(site: Site, tmp_path: Path) -> dict[str, Any]:
    """Return the job of a crawl of a site."""
    quick: dict[str, Any] = {"fetch": {"workers": 1, "retries": 0}, **AS_USERS_READ}
    return loopback_job(tmp_path / "out", [f"{site.url}/"], **quick)
