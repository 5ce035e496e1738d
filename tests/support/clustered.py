"""A cluster within one process, and a web of several domains behind a proxy, for tests."""

from __future__ import annotations

import asyncio
import mimetypes
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from crawler.cluster.coordinator import Coordinator
from crawler.cluster.host import Host
from crawler.cluster.protocol import Gone
from crawler.cluster.root import Root
from crawler.config import Job, parse_job
from support.corpora import members
from support.crawling import loopback_job
from support.threaded import Reply, Site, site

SHARED = {
    "hexo-docs": ["/"],
    "hexo-docs-2016": ["/"],
    "llvm-15": ["/"],
    "llvm-16": ["/"],
    "postgresql-15": ["/"],
    "python-3.11": ["/"],
    "debian-handbook": ["/en-US/", "/zh-CN/"],
    "oi-wiki": ["/"],
}
"""Site -> where its pages are reached from: 5,000 pages of eight, some of them in two."""
WORDS = "river stone bridge market harvest window garden letter winter summer copper silver".split()


def text(seed: int, words: int = 120) -> str:
    """Return a text of its own for each seed."""
    chance = random.Random(seed)
    return " ".join(
        " ".join(chance.choice(WORDS) + str(chance.randrange(97)) for _ in range(12)) + "."
        for _ in range(words // 12)
    )


class Domains:
    """Some sites of their own domains, which link to each other and have some texts in common."""

    def __init__(self, domains: int = 6, pages: int = 8) -> None:
        self.domains = [f"http://site{number}.test" for number in range(domains)]
        self.seeds = [f"{self.domains[0]}/"]
        self.scope = "any"
        self.pages = pages
        self.told = [str(domains), str(pages)]
        """What says to another process which they are; nothing if they are real."""

    def answer(self, url: str) -> Reply:
        """Answer a request to a proxy."""
        parts = urlsplit(url)
        number, path = int((parts.hostname or "")[4:].partition(".")[0]), parts.path
        if path == "/robots.txt":
            return Reply("", 404)
        links = [f"/{page}" for page in range(self.pages)]
        links += [f"{other}/" for other in self.domains]
        if path == "/moved":
            return Reply("", 301, {"Location": f"{self.domains[0]}/3"})
        links.append("/moved")
        name = path.strip("/") or "front"
        of = number if not name.isdigit() or int(name) % 2 else 0  # or the same on all of them
        body = text(hash_of(name, of))
        menu = "".join(f'<a href="{link}">{link}</a> ' for link in links)
        return Reply(
            f"<html><head><title>{name} of {of}</title></head><body><nav>{menu}</nav>"
            f"<main><h1>{name} {of}</h1><p>{body}</p></main></body></html>"
        )


class SharedSites(Domains):
    """Real sites beside the project, at a domain each."""

    def __init__(self) -> None:
        super().__init__(len(SHARED))
        self.seeds = [
            f"{domain}{entry}"
            for domain, entries in zip(self.domains, SHARED.values(), strict=True)
            for entry in entries
        ]
        self.scope = "host"
        self.told = []
        self._files = [
            {f"/{path.partition('/')[2]}": data for path, data in members(f"sites/{name}")}
            for name in SHARED
        ]

    def answer(self, url: str) -> Reply:
        """Answer as a static server does."""
        parts = urlsplit(url)
        files = self._files[int((parts.hostname or "")[4:].partition(".")[0])]
        path = unquote(parts.path)
        if (body := files.get(f"{path}index.html" if path.endswith("/") else path)) is not None:
            kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
            kind = "text/html" if path[-1] == "/" else kind
            return Reply(headers={"Content-Type": kind}, file=body)
        if f"{path}/index.html" in files:
            return Reply("", 301, {"Location": f"{parts.path}/"})
        return Reply("", 404)


def hash_of(name: str, number: int) -> int:
    """Return a number for a page of a site."""
    letters = sum(ord(letter) * 131 ** min(place, 9) for place, letter in enumerate(name))
    return int(letters) + number * 7919


@contextmanager
def domains_job(
    output: Path, domains: Domains | None = None, **sections: Any
) -> Iterator[tuple[Job, Site]]:
    """Serve some domains behind a proxy, and yield a job that crawls them."""
    web = domains or Domains()
    with site(web.answer) as served:
        cluster = {"partitions": 3, "judge_shards": 2, "batch": 8, "linger_ms": 0}
        data = loopback_job(
            output,
            web.seeds,
            scope={"mode": web.scope},
            fetch={"proxy": served.url},
            sitemaps={"use": "none"},
            cluster=cluster,
        )
        for name, section in sections.items():
            data[name] = {**data.get(name, {}), **section} if isinstance(section, dict) else section
        yield parse_job(data, "test"), served


class Local:
    """An engine that has all roles in this process; a role that was killed is made anew."""

    def __init__(self, root: Path, faults: Callable[[str, str, bool], None] | None = None) -> None:
        """`faults` is told of each call before it runs and after, and may raise Gone."""
        self.path = root
        self.hosts: dict[str, Host] = {}
        self.faults = faults or (lambda role, method, after: None)
        self.said: list[str] = []

    @property
    def carrier(self) -> Local:
        """Carries calls by itself."""
        return self

    async def start(self, roles: list[str]) -> None:
        """Have these roles."""
        for role in roles:
            self.hosts[role] = self._host(role)

    def _host(self, role: str) -> Host:
        root = Root.open(self.path)
        return Host(role, root, self, lambda line: self.said.append(f"{role}: {line}"))

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """See Carrier."""
        await asyncio.sleep(0)
        if (host := self.hosts.get(role)) is None:
            raise Gone(role)
        self.faults(role, method, False)
        answer = await host.call(method, *args)
        self.faults(role, method, True)
        return answer

    async def replace(self, role: str) -> None:
        """Have a role begin anew; whoever it was keeps its directory, as a process does."""
        self.hosts[role] = self._host(role)

    async def end(self) -> None:
        """Nothing was started."""


async def crawl_in_parts(job: Job, engine: Local | None = None) -> Coordinator:
    """Crawl a job by a cluster in this process; return what has watched it."""
    root = Root.create(job.output, job)
    engine = engine or Local(job.output)
    coordinator = Coordinator(root, engine, engine.said.append, pause=_soon)
    await coordinator.run()
    return coordinator


async def _soon(wait_s: float) -> None:
    await asyncio.sleep(min(wait_s, 0.02))
