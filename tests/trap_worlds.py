"""Endless sites and their finite neighbours as functions of the URL, crawled in a simulated world.

A site answers a path with a `Page` or with None, which is a 404. Pages about the same thing are
duplicates of the first of them that was fetched.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit
from zlib import crc32

from worlds import World, job

from crawler.frontier import Frontier, Turn
from crawler.records import Batch, Failure, FetchTask, NewUrl, Priority, UrlState


@dataclass(frozen=True)
class Page:
    """What a site answers: what the page is about, its text, its links (relative or not)."""

    about: str
    text: str = ""
    links: tuple[str, ...] = ()


Site = Callable[[str], Page | None]
"""Path with query -> page."""


class TrapWorld(World):
    """A world whose pages have links and verdicts, and whose ends are told to the trap rule."""

    def __init__(self, sites: Mapping[str, Site], traps: Mapping[str, Any] | None = None) -> None:
        data = job(traps=dict(traps or {}), politeness={"robots": False, "delay_s": 0.0})
        super().__init__(Frontier(data), {})
        self.sites = sites
        self.originals: dict[str, int] = {}
        self.cuts: list[str] = []

    def crawl(self, *seeds: str) -> None:
        """Crawl from the seeds until nothing is left."""
        for seed in seeds:
            self.offer(seed)
        self.run()

    def fetched_on(self, place: str) -> int:
        """Count the fetched URLs that begin so."""
        return sum(task.url.removeprefix("http://").startswith(place) for task in self.fetched)

    def finish(self, turn: Turn) -> None:
        """End a request: offer the links, tell the trap rule."""
        super().finish(turn)
        if not isinstance(turn, FetchTask):
            return
        parts = urlsplit(turn.url)
        page = self.site(turn.host)(parts.path + (f"?{parts.query}" if parts.query else ""))
        batch, text = self.batch(turn, page), page.text if page else None
        if (cut := self.frontier.traps.learn(turn, batch, text)) is not None:
            self.cuts.append(cut.name)

    def site(self, host: str) -> Site:
        """Return the site of a host: its own, or that of all hosts below its domain."""
        return self.sites.get(host) or self.sites["*." + host.partition(".")[2]]

    def batch(self, task: FetchTask, page: Page | None) -> Batch:
        """Return how a task ended."""
        if page is None:
            detail = Failure.HTTP_CLIENT_ERROR.value
            return Batch(task.url_id, UrlState.FAILED, detail=detail)
        first = self.originals.setdefault(page.about, task.url_id)
        copy = first != task.url_id
        new = tuple(self.new_urls(task, page, Priority.DEFERRED if copy else Priority.ORDINARY))
        if copy:
            return Batch(task.url_id, UrlState.DUPLICATE, duplicate_of=first, new_urls=new)
        return Batch(task.url_id, UrlState.STORED, new_urls=new)

    def new_urls(self, task: FetchTask, page: Page, priority: Priority) -> list[NewUrl]:
        """Offer a page's links and store those that are accepted."""
        targets = [urljoin(task.url, link) for link in page.links]
        answers = [self.offer(target, task.depth + 1, priority) for target in targets]
        return [answer for answer in answers if isinstance(answer, NewUrl)]


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
        )
    following = f"/cal/{year + month // 12}/{month % 12 + 1}"
    days = tuple(f"/cal/{year}/{month}/{day}" for day in range(1, 29))
    return Page(path, f"{NAMES[month % 12]} {year}: nothing planned", (following, *days))


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


def facets(path: str) -> Page:
    """A list of goods under eight facets of four values: 5^8 queries, forty different lists."""
    chosen = dict(pair.split("=") for pair in path.partition("?")[2].split("&") if pair)
    links = [
        "/goods?"
        + "&".join(f"{k}={v}" for k, v in sorted({**chosen, f"f{facet}": str(value)}.items()))
        for facet in range(8)
        for value in range(4)
    ]
    look = crc32(repr(sorted(chosen.items())).encode()) % 40
    return Page(f"goods {look}", words(f"goods{look}"), tuple(links))


def wild(path: str) -> Page:
    """One page under any name, with links to three more names; see `TrapWorld.site`."""
    n = int(path.rpartition("=")[2] or 0)
    names = (random.Random(3 * n + k).getrandbits(32) for k in range(3))
    return Page("wild", "a page of nothing", tuple(f"http://w{m}.wild.test/?n={m}" for m in names))


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
    return Page(f"section {n}", words(f"section{n}"), below + others)


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
    return Page(path, words(path, 3), (f"/{n + 1}/",)) if 0 < n <= pages else None


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
