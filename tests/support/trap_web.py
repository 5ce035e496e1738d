"""Endless sites and their finite neighbours: what they answer, as functions of the URL.

A site answers a path with a `Page`, or with None, which is a 404. Pages about the same thing are
near duplicates. `serve` puts the sites on loopback as real HTML, `trap_worlds` plays them without a
network, and `python -m benchmarks.traps` crawls them with the default settings.
"""

from __future__ import annotations

import html
import random
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from zlib import crc32


@dataclass(frozen=True)
class Page:
    """What a site answers: what the page is about, words of its own, its links."""

    about: str
    text: str = ""
    links: tuple[str, ...] = ()
    body: int = 120
    """Words about the same thing; with none of them the page is its own short text only."""
    moved_to: str | None = None
    """Where a redirect leads, which is all the page is then."""

    def said(self, length: int) -> str:
        """Return the page's text, with no more than so many words of what it is about."""
        return f"{words(self.about, min(length, self.body))} {self.text}"

    def html(self, port: int) -> bytes:
        """Return the page as a server on this port sends it."""
        here = (link.replace(".test/", f".test:{port}/") for link in self.links)
        links = "".join(f'<a href="{html.escape(link)}">on</a> ' for link in here)
        return (
            "<!doctype html><html><head><meta charset=utf-8><title>page</title></head><body>"
            f"<main><p>{html.escape(self.said(self.body))}</p></main><nav>{links}</nav></body></html>"
        ).encode()


Site = Callable[[str], Page | None]
"""Path with query -> page."""


def site_of(sites: Mapping[str, Site], host: str) -> Site:
    """Return the site of a host name: its own, or that of all names below its domain."""
    return sites.get(host) or sites["*." + host.partition(".")[2]]


@contextmanager
def serve(sites: Mapping[str, Site], shut: Collection[str] = ()) -> Iterator[int]:
    """Serve sites by the name in the Host header on one loopback port, which is yielded.

    There is no robots.txt, but for the `shut` hosts, where it fails for ever.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # headers and body are written apart: 40 ms a request

        def do_GET(self) -> None:
            host = self.headers["Host"].partition(":")[0]
            if self.path == "/robots.txt":
                self._answer(503 if host in shut else 404)
            elif (page := site_of(sites, host)(self.path)) is None:
                self._answer(404)
            elif page.moved_to is not None:
                self._answer(302, location=page.moved_to)
            else:
                self._answer(200, page.html(server.server_port))

        def _answer(self, status: int, body: bytes = b"nothing here", location: str = "") -> None:
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


# --------------------------------------------------------------------------------------------------
# Endless


def empty_calendar(path: str) -> Page:
    """Months for ever, a few words each; every month names its days."""
    parts = path.strip("/").split("/")
    year, month = int(parts[1]), int(parts[2])
    if len(parts) == 4:
        return Page(
            path,
            f"Day {parts[3]} of month {month} {year}: nothing planned",
            (f"/cal/{year}/{month}",),
            body=0,
        )
    following = f"/cal/{year + month // 12}/{month % 12 + 1}"
    days = tuple(f"/cal/{year}/{month}/{day}" for day in range(1, 29))
    return Page(path, f"{NAMES[month % 12]} {year}: nothing planned", (following, *days), body=0)


NAMES = ("Dec", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov")


def monthly(path: str) -> Page:
    """Months for ever in a query, near duplicates of a dozen originals."""
    n = int(path.rpartition("=")[2])
    return Page(f"month {n % 12}", f"{n % 12}", (f"/cal.php?view=month&m={n + 1}",))


def deeper(path: str) -> Page:
    """Relative links that should have been absolute: ever deeper paths, five pages in all."""
    last = path.rstrip("/").rpartition("/")[2]
    return Page(f"deeper {last}", last, ("red/", "green/", "blue/"))


def deeper_and_new(path: str) -> Page:
    """Ever deeper paths that repeat themselves, with a new text on every page."""
    return Page(path, words(path), ("left/", "right/"))


def sessions(path: str) -> Page:
    """Twenty pages, linked under another session id by every answer."""
    page = int(path.rpartition("-")[2].partition("?")[0] or 0)
    session = f"{random.Random(path).getrandbits(64):016x}"
    return Page(
        f"session page {page}", words(f"session{page}"),
        tuple(f"/s/{session}/page-{(page + step) % 20}" for step in range(1, 6)),
    )  # fmt: skip


def session_queries(path: str) -> Page:
    """The same with the session id in the query."""
    page = int(path.rpartition("-")[2].partition("?")[0] or 0)
    session = f"{random.Random(path).getrandbits(64):016x}"
    return Page(
        f"query page {page}", words(f"query{page}"),
        tuple(f"/page-{(page + step) % 20}?sid={session}" for step in range(1, 6)),
    )  # fmt: skip


def facets(path: str, looks: int = 40) -> Page:
    """A list of goods under eight facets of four values: 5^8 queries, forty different lists."""
    chosen = dict(pair.split("=") for pair in path.partition("?")[2].split("&") if pair)
    links = [
        "/goods?"
        + "&".join(f"{k}={v}" for k, v in sorted({**chosen, f"f{facet}": str(value)}.items()))
        for facet in range(8)
        for value in range(4)
    ]
    look = crc32(repr(sorted(chosen.items())).encode()) % looks
    return Page(f"goods {look}", words(f"goods{look}"), tuple(links))


def wild(path: str) -> Page:
    """One page under any name, with links to three more names."""
    n = int(path.rpartition("=")[2] or 0)
    names = range(3 * n + 1, 3 * n + 4)
    return Page("wild", "a page of nothing", tuple(f"//w{m}.wild.test/?n={m}" for m in names))


def soft_404(path: str) -> Page:
    """One page for any URL, with relative links that lead on."""
    n = len(path)
    return Page(
        "soft 404", "we are sorry", (f"{path.rstrip('/')}/more", f"/about-{n}", f"/x{path}")
    )


def endless_prose(path: str) -> Page:
    """New text on every page, for ever: nothing in its URLs or texts tells it from a real site."""
    return Page(
        path, words(path), tuple(f"/{words(path + str(k), 2).replace(' ', '-')}" for k in (1, 2))
    )


# --------------------------------------------------------------------------------------------------
# Finite


@cache
def words(seed: str, number: int = 12) -> str:
    """Return words that are the same for the same seed."""
    chosen = random.Random(seed)
    return " ".join("".join(chosen.choices("aeioklmnrstu", k=6)) for _ in range(number))


def archive(path: str, days: int = 1200) -> Page | None:
    """A diary: an article a day under /YYYY/MM/DD, from one to the next, and an index a month."""
    parts = [int(part) for part in path.strip("/").split("/")]
    if len(parts) == 2:
        year, month = parts
        links = tuple(f"/{year}/{month}/{day}" for day in range(1, 29))
        return Page(path, words(f"diary{path}"), links)
    year, month, day = parts
    n = ((year - 2020) * 12 + month - 1) * 28 + day
    if not 0 < n <= days:
        return None
    after = f"/{2020 + n // 336}/{n // 28 % 12 + 1}/{n % 28 + 1}"
    return Page(path, words(f"diary{path}"), (after, f"/{year}/{month}"))


def versions(path: str, pages: int = 600, of: int = 2) -> Page | None:
    """A handbook in near-duplicate versions, ten sections a section, and a way to the others."""
    version, name = path.strip("/").split("/")[1:3]
    n = int(name)
    if n >= pages:
        return None
    below = tuple(f"/docs/{version}/{10 * n + k}" for k in range(1, 11) if 10 * n + k < pages)
    others = tuple(f"/docs/v{other}/{n}" for other in range(of)) if n == 0 else ()
    return Page(f"section {n}", f"of version {version}", below + others)


def forum(path: str, pages: int = 1000) -> Page | None:
    """A thread from page to page, each with a print version."""
    keys = dict(pair.split("=") for pair in path.partition("?")[2].split("&"))
    n = int(keys["page"])
    if n > pages:
        return None
    links = (f"/thread?page={n + 1}", f"/thread?page={n}&print=1") if n < pages else ()
    return Page(f"thread {n}", words(f"thread{n}"), links)


def comics(path: str, pages: int = 1500) -> Page | None:
    """A drawing a page, from one to the next, with a title of a few words."""
    n = int(path.strip("/"))
    return Page(path, words(path, 3), (f"/{n + 1}/",), body=0) if 0 < n <= pages else None


def mirror(path: str, pages: int = 1000) -> Page | None:
    """Copies of another host's pages, each with a link to the next one only."""
    n = int(path.rpartition("-")[2])
    return (
        Page(f"mirrored {n}", words(f"mirrored{n}"), (f"/copy/m-{n + 1}",)) if n < pages else None
    )


def broken(path: str, pages: int = 1000) -> Page | None:
    """Articles in a list, each with five dead links of its own."""
    if path == "/":
        return Page("list", words("list"), tuple(f"/art-{n}" for n in range(pages)))
    if "dead" in path:
        return None
    return Page(path, words(path), tuple(f"{path}/dead-{k}" for k in range(5)))


def handbooks(path: str, pages: int = 200, of: int = 20) -> Page | None:
    """Many versions of a handbook, every page with the table of contents of its version."""
    version, name = path.strip("/").split("/")[1:3]
    contents = tuple(f"/docs/{version}/{n}" for n in range(pages))
    others = tuple(f"/docs/v{other}/{name}" for other in range(of))
    return Page(f"chapter {name}", words(f"chapter{name}"), contents + others)
