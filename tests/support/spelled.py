"""A made web that spells its pages in many ways, and hosts that abuse what it teaches.

`a.test` has articles, each under several addresses, edit forms that say noindex, and lists in
several orders. `hostile.test` is the same with other words, but some of its spellings and forms,
which look as all others do, hide pages of new text. Of `b.test` every spelling is a page of its
own. `old.a.test` is a mirror of `a.test`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit
from zlib import crc32

import pytest

from crawler.frontier import Frontier
from support.analysing import no_processes
from support.crawling import loopback_job
from support.documents import text
from support.output import lines

ARTICLES = 16
"""Of each host; enough that rules are learned from the first half of them."""
A_LIST = 6
"""Articles that a list names."""
HIDDEN = (f"/wiki/p{ARTICLES - 1}?sid=f00d", f"/wiki/p{ARTICLES}?sid=f00d", f"/edit?id=p{ARTICLES}")
"""Of the hostile host: spellings that lead to texts of their own."""
HOSTS = ("a.test", "hostile.test", "b.test")
MIRROR = "old.a.test"


def _article(host: str, path: str, links: Sequence[str] = (), head: str = "") -> str:
    """Return a page with paragraphs that no other address has."""
    words = text(crc32(f"{host}{path}".encode()), 120).split()
    prose = "".join(f"<p>{' '.join(words[n : n + 20])}.</p>" for n in range(0, 120, 20))
    listed = "".join(f'<li><a href="{link}">on</a></li>' for link in links)
    return (
        f"<!doctype html><html><head><title>{path}</title>{head}</head>"
        f"<body><article>{prose}</article><nav><ul>{listed}</ul></nav></body></html>"
    )


def spellings(number: int) -> tuple[str, ...]:
    """Return the other addresses of an article, and of its form."""
    return (
        *(f"/wiki/p{number}?sid={sid}" for sid in (f"{crc32(b'%d' % number):08x}", "f00d")),
        *(f"/print/wiki/p{number}", f"/edit?id=p{number}"),
    )


@cache
def answer(host: str, address: str) -> str | None:
    """Return the page at an address; None: there is none."""
    if host == MIRROR:
        host = "a.test"
    parts = urlsplit(address)
    asked = {key: values[0] for key, values in parse_qs(parts.query).items()}
    name = parts.path.rpartition("/")[2]
    if parts.path == "/":
        orders = [f"/list?sort={sort}&page=1" for sort in ("name", "date")]
        return _article(host, address, orders)
    if parts.path == "/list":
        page = int(asked["page"])
        first = A_LIST * (page - 1) + 1
        links = [f"/wiki/p{n}" for n in range(first, first + A_LIST)]
        if first + A_LIST <= ARTICLES:
            links.append(f"/list?sort={asked['sort']}&page={page + 1}")
        return _article(host, f"list {page}", links, '<meta name="robots" content="noindex">')
    if host == "b.test" or (host == "hostile.test" and address in HIDDEN):
        is_article = address.startswith("/wiki/") and not asked
        return _article(host, address, spellings(int(name[1:])) if is_article else ())
    if parts.path == "/edit":
        return _article(host, address, (), '<meta name="robots" content="noindex">')
    if parts.path.removeprefix("/print").startswith("/wiki/p"):
        return _article(host, f"/wiki/{name}", spellings(int(name[1:])))
    return None


class SpelledWeb:
    """Answers for all hosts at one port of loopback; keeps what was asked, in order."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.asked: list[tuple[str, str]] = []
        """(Host, address) of each request but for robots.txt."""

    def url(self, host: str, address: str = "/") -> str:
        """Return the URL of an address."""
        return f"http://{host}:{self.port}{address}"

    def job(self, output: Path, *hosts: str, **sections: Any) -> dict[str, Any]:
        """Return a job for these hosts, or all: one request at a time, in their order."""
        hosts = hosts or HOSTS
        names = dict.fromkeys(hosts, "127.0.0.1")
        return loopback_job(
            output,
            [self.url(host) for host in hosts],
            fetch={"resolve": names, "workers": 1},
            politeness={"robots": False},  # the host whose rules came first would be the first
            **sections,
        )

    def addresses(self, host: str) -> list[str]:
        """Return what was asked of a host, in order."""
        return [address for name, address in self.asked if name == host]


@contextmanager
def spelled_web() -> Iterator[SpelledWeb]:
    """Serve the web while the context lasts."""
    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # headers and body are written apart: 40 ms a request

        def do_GET(self) -> None:
            """Answer by the name of the host."""
            host = self.headers["Host"].partition(":")[0]
            found = None
            if self.path != "/robots.txt":
                with lock:
                    web.asked.append((host, self.path))
                found = answer(host, self.path)
            data = (found or "nothing here").encode()
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """Say nothing: clients are killed."""

    with Server(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        web = SpelledWeb(server.server_port)
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield web
        finally:
            server.shutdown()
            thread.join()


def texts(output: Path, host: str | None = None) -> set[str]:
    """Return the texts that a crawl has stored, of all hosts or of one."""
    return {
        page["text"]
        for page in lines(output, "pages")
        if host is None or page["host"].partition(":")[0] == host
    }


@contextmanager
def one_after_another() -> Iterator[None]:
    """Have crawls read each page before they ask for the next, while the context lasts.

    With one worker, and read in this process, pages then end in the order in which they were asked
    for, on any machine.
    """
    unread = Frontier.unread

    def counted(self: Frontier, host: str, size: int) -> bool:
        unread(self, host, size)
        return False

    with no_processes(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Frontier, "unread", counted)
        yield
