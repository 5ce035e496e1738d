"""The kinds of hosts of the demo web.

Publishers, shops, odd answers, and directives for crawlers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

from crawler.demo.articles import Article, Library
from crawler.demo.pages import (
    REDIRECT,
    UNIQUE,
    Answer,
    Desk,
    Fate,
    Fault,
    Frame,
    Link,
    Render,
    Site,
    Source,
    Visit,
    anchors,
    article_markup,
    copy_of,
    fails,
    html,
    magazine,
    moved,
    newspaper,
    printed,
    skipped,
)
from crawler.models import Failure, Skip

# The press: six hosts that write, reprint, copy and correct articles.
#
# `families` says, for ten articles, where each appears and in which forms; a web of any size
# repeats them. Cluster names are the articles' keys.

Desks = Mapping[str, Desk]
"""By the first label of the host: news-a, news-b, archive, xinwen, zhuanzai, blog."""
Change = Callable[[Article, str], Article]
Place = tuple[str, str]
"""A host's label, and a path for the article's number."""


def fill(library: Library, desks: Desks, articles: int) -> None:
    """Publish that many articles with all their copies."""
    press = _Press(library, desks)
    for number in range(articles):
        press.families[number % len(press.families)](number)


class _Press:
    def __init__(self, library: Library, desks: Desks) -> None:
        self._library = library
        self._desks = desks
        en_print, en_copy = ("/print/{}", "Print"), ("/amp/{}", "AMP")
        zh_print, zh_copy = ("/wen/{}?print=1", "打印"), ("/m/{}", "手机版")
        xinwen, zhuanzai = ("xinwen", "/wen/{}"), ("zhuanzai", "/zhuan/{}.htm")
        self.families: tuple[Callable[[int], None], ...] = (
            self._syndicated,
            partial(self._copied, "en", "news-a", "/story/{}", en_print, en_copy),
            partial(self._reprinted, library.with_paragraph, xinwen, zhuanzai),
            partial(self._copied, "zh", "xinwen", "/wen/{}", zh_print, zh_copy),
            self._seen_again,
            partial(self._reprinted, library.with_edits, zhuanzai, xinwen),
            partial(self._same_beginning, "en", "archive", "/essay"),
            self._bilingual,
            self._single,
            partial(self._same_beginning, "zh", "blog", "/suibi"),
        )

    def _syndicated(self, n: int) -> None:
        """Three hosts, three layouts; the archive has edited a few words."""
        source, topic = self._source(n, "en")
        fate = copy_of(f"a{n}")
        self._desks["news-a"].publish(f"/story/{n}", source, fate, topic=topic)
        self._desks["news-b"].publish(f"/wire/{n}.html", source, fate, topic=topic)
        edited = self._changed(self._library.with_edits, source, n)
        self._desks["archive"].publish(f"/news?id={n}", edited, fate)

    def _copied(
        self, language: str, host: str, path: str, to_print: Link, to_copy: Link, n: int
    ) -> None:
        """The same bytes at a second URL (AMP, telephones), and a print version."""
        source, topic = self._source(n, language)
        desk, path, same = self._desks[host], path.format(n), copy_of(f"a{n}", "original")
        versions = tuple((href.format(n), text) for href, text in (to_print, to_copy))
        (print_path, _), (copy_path, _) = versions
        desk.publish(path, source, same, topic=topic, versions=versions)
        desk.site.add(copy_path, desk.site.pages[path].render, same)
        desk.version(print_path, source, copy_of(f"a{n}"), layout=printed)

    def _reprinted(self, change: Change, first: Place, second: Place, n: int) -> None:
        """Reprinted in Chinese by another host, which adds a paragraph or edits a few words."""
        source, topic = self._source(n, "zh")
        texts = (source, self._changed(change, source, n))
        for (host, path), text in zip((first, second), texts, strict=True):
            self._desks[host].publish(path.format(n), text, copy_of(f"a{n}"), topic=topic)

    def _seen_again(self, n: int) -> None:
        """The same page at two more URLs, with stamps and counters of later visits."""
        source, topic = self._source(n, "en")
        desk, path, fate = self._desks["news-b"], f"/wire/{n}.html", copy_of(f"a{n}")
        versions = ((f"{path}?edition=2", "Morning"), (f"{path}?edition=3", "Evening"))
        desk.publish(path, source, fate, topic=topic, versions=versions)
        desk.version(f"{path}?edition=2", source, fate, stamp="Updated 14 January 2026, 96 views")
        desk.version(
            f"{path}?edition=3", source, fate, stamp="Updated 16 January 2026, 1,024 views"
        )

    def _same_beginning(self, language: str, host: str, folder: str, n: int) -> None:
        """Hard negatives: two articles that begin with the same three paragraphs."""
        library, desk = self._library, self._desks[host]
        one, other = (partial(library.article, f"a{key}", language, True) for key in (n, f"{n}b"))
        desk.publish(f"{folder}/{n}", one)
        desk.publish(f"{folder}/{n}b", lambda: library.same_beginning(one(), other()))

    def _bilingual(self, n: int) -> None:
        self._desks["blog"].publish(f"/post/{n}", lambda: self._library.bilingual(f"a{n}"))

    def _single(self, n: int) -> None:
        """Short and without any copy."""
        archive = self._desks["archive"]
        archive.publish(f"/news?id={n}", archive.english(f"a{n}"))

    def _source(self, n: int, language: str) -> tuple[Source, str]:
        topics = self._library.topics(language)
        topic = topics[(n // 10 + n) % len(topics)]
        return partial(self._library.article, f"a{n}", language, True, topic), topic

    @staticmethod
    def _changed(change: Change, source: Source, n: int) -> Source:
        return lambda: change(source(), f"a{n}")


SESSIONS = ("7f3a", "91c2", "d04e")
"""The shop hands out no more than these, so the crawl of it ends."""
SORTS = ("", "&sort=price", "&sort=name")
ITEMS = 8
DEPTH_LIMIT = 8
"""Links from a seed in the demo job: more than any honest page needs (see `desk`), and what ends
the calendar."""


def fill_shop(library: Library, site: Site) -> None:
    """Add a list of goods and a page for each, under every session id; the links keep the id."""

    def goods(item: int) -> Article:
        return library.article(f"goods{item}", "en", True)

    def home(visit: Visit) -> Answer:
        text = escape(library.writer("en", "shop").paragraph(10))
        links = tuple((f"/list?sid={s}", f"Enter by door {n}") for n, s in enumerate(SESSIONS, 1))
        return html(magazine(Frame("Shop", "en", "Welcome"), f"<p>{text}</p>{anchors(links)}"))

    def listing(session: str, sort: str, visit: Visit) -> Answer:
        step = 5 if sort == "&sort=price" else 1
        order = [n * step % ITEMS for n in range(ITEMS)]
        if sort == "&sort=name":
            order.sort(key=lambda n: goods(n).title)
        items = "".join(
            f'<h2><a href="/item/{n}?sid={session}">{escape(goods(n).title)}</a></h2>'
            f"<p>{escape(goods(n).blocks[0].text)}</p>\n"
            for n in order
        )
        links = tuple((f"/list?sid={session}{s}", f"Sorted {s[6:]}") for s in SORTS)
        return html(magazine(Frame("Shop", "en", "All our goods", links), items))

    def item(number: int, session: str, visit: Visit) -> Answer:
        article = goods(number)
        links = (("/", "Home"), (f"/list?sid={session}", "All goods"))
        return html(magazine(Frame("Shop", "en", article.title, links), article_markup(article)))

    site.add("/", home)
    for session in SESSIONS:
        for sort in SORTS:
            path = f"/list?sid={session}{sort}"
            site.add(path, partial(listing, session, sort), copy_of("goods"))
        for n in range(ITEMS):
            site.add(f"/item/{n}?sid={session}", partial(item, n, session), copy_of(f"item{n}"))


_MONTH = re.compile(r"^/calendar/(\d{1,4})/(\d\d)$")
_FIRST_MONTH = 2026 * 12


def fill_calendar(library: Library, site: Site) -> None:
    """Add a calendar without end: every month links to the one before and the one after.

    Only the home page leads in, so a month's depth is its distance from the first month plus one
    and the months within the depth limit are the same in whatever order they are fetched. All
    months say the same text under another title: siblings.
    """

    def path_of(month: int) -> str:
        return f"/calendar/{month // 12}/{month % 12 + 1:02}"

    def home(visit: Visit) -> Answer:
        text = escape(library.writer("en", "calendar home").paragraph(10))
        link = anchors(((path_of(_FIRST_MONTH), "Calendar"),))
        return html(newspaper(Frame("Calendar", "en", "Town hall"), f"<p>{text}</p>{link}"))

    def month(visit: Visit) -> Answer:
        match = _MONTH.match(visit.path)
        assert match, "registered and matched paths are months"
        number = int(match[1]) * 12 + int(match[2]) - 1
        links = (path_of(number - 1), "Previous"), (path_of(number + 1), "Next")
        frame = Frame("Calendar", "en", f"Events in {match[1]} month {match[2]}", links)
        return html(newspaper(frame, article_markup(library.article("events", "en", True))))

    site.add("/", home)
    for months in range(1 - DEPTH_LIMIT, DEPTH_LIMIT):
        site.add(path_of(_FIRST_MONTH + months), month)
    # Any month of years 1-9999.
    site.beyond = lambda visit: month(visit) if _MONTH.match(visit.path) else None


# Hosts whose answers are hard to read: errors, slowness, odd bodies, many charsets and codings.
#
# Each `fill_` function returns the links under which a home page offers what it has added.

MAX_BODY_BYTES = 1_000_000
"""The demo job's limit; the huge pages are half as large again."""
_META = '<meta charset="utf-8">'


def fill_errors(desk: Desk) -> tuple[Link, ...]:
    """Add failing pages, some of which recover when asked again.

    Here and in `fill_slow` too few fail for a crawler to give up on the host, in any order.
    """
    site = desk.site
    for status in (404, 410):
        site.put(f"/{status}", _status(status), fails(Failure.HTTP_CLIENT_ERROR))
    site.put("/500", _status(500), fails(Failure.HTTP_SERVER_ERROR))
    _recovering(desk, "/flaky", _status(500))
    _recovering(desk, "/busy", _status(429, {"Retry-After": "1"}))
    site.put("/truncated", _faulty(Fault.TRUNCATE), fails(Failure.TRUNCATED))
    return desk.links()


def fill_bodies(desk: Desk) -> tuple[Link, ...]:
    """Add bodies that are huge, empty, tiny, or no HTML."""
    site = desk.site
    huge = html("<p>" + "All work and no play. " * (MAX_BODY_BYTES // 15) + "</p>")
    site.put("/huge", huge, skipped(Skip.TOO_LARGE))
    site.put("/bomb", replace(huge, coding="gzip"), skipped(Skip.TOO_LARGE))
    pdf = Answer(200, {"Content-Type": "application/pdf"}, b"%PDF-1.4\n%%EOF\n")
    site.put("/paper.pdf", pdf, skipped(Skip.CONTENT_TYPE))
    png = Answer(200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n")
    site.put("/picture.png", png, skipped(Skip.CONTENT_TYPE))
    site.put("/204", Answer(204, {}), skipped(Skip.NO_CONTENT))
    site.put("/empty", html(""), skipped(Skip.NO_CONTENT))
    site.put("/blank", html("<html><head><title></title></head><body></body></html>"))
    site.put("/tiny", html("<p>Under construction.</p>"))
    text = desk.library.article("plain", "en").text
    plain = {"Content-Type": "text/plain; charset=utf-8"}
    site.put("/plain.txt", Answer(200, plain, text.encode()))
    # A thousand links that name a handful of pages, by fragments and tracking parameters.
    links = desk.links()
    spelled = tuple(
        (f"{path}?utm_id={n}" if n % 2 else f"{path}#part{n}", f"{name} {n}")
        for n in range(1000 // len(links))
        for path, name in links
    )
    said = f"<article><p>{desk.library.writer('en', 'many').paragraph(12)}</p></article>"
    site.put("/many", html(f"<html><body>{said}<nav>{anchors(spelled)}</nav></body></html>"))
    return desk.links()


def fill_slow(desk: Desk) -> tuple[Link, ...]:
    """Add pages that take their time, two that never end and one that is cut off at once."""
    for tenths in (2, 5, 10):
        path = f"/slow/{tenths}"
        page = desk.page(path, desk.english(path))
        desk.site.add(path, _altered(page, delay_s=tenths / 10))
    ends = {
        Fault.STALL_HEADERS: Failure.TIMEOUT_HEADERS,
        Fault.STALL_BODY: Failure.TIMEOUT_BODY,
        Fault.RESET: Failure.DISCONNECTED,
    }
    for fault, failure in ends.items():
        desk.site.put(f"/{fault}", _faulty(fault), fails(failure))
    return desk.links()


def fill_babel(desk: Desk) -> tuple[Link, ...]:
    """Add texts in many charsets, declared truthfully or not, and codings; each is one cluster."""
    library = desk.library
    zh = library.article("charsets", "zh", True)
    _add_encoded(desk, zh, "gb", "utf-8", "utf-8", "utf-8")
    _add_encoded(desk, zh, "gb", "gb18030", "gb18030", "gb18030")
    _add_encoded(desk, zh, "gb", "gb18030", "", "gb2312")
    _add_encoded(desk, zh, "gb", "utf-8", "big5", "utf-8")
    for section, charset in (("big5", "big5"), ("ja", "shift_jis")):
        article = library.fixed(section)
        _add_encoded(desk, article, section, "utf-8", "utf-8", "")
        _add_encoded(desk, article, section, charset, charset, charset)
    en = library.article("charsets", "en", True)
    quoted = replace(en, title=f"“{en.title}” – café edition")
    _add_encoded(desk, quoted, "west", "utf-8", "utf-8", "utf-8")
    _add_encoded(desk, quoted, "west", "cp1252", "", "windows-1252")
    _add_encoded(desk, quoted, "west", "utf-16", "", "")
    page = desk.page("/coding", desk.english("codings"))
    same = copy_of("coding", "unpacked")
    for coding in ("", "gzip", "deflate", "br", "zstd"):
        desk.site.add(f"/coding/{coding or 'none'}", _altered(page, coding=coding), same)
    return desk.links()


def _status(status: int, headers: dict[str, str] | None = None) -> Answer:
    return replace(html(f"<h1>{status}</h1>", headers), status=status)


def _faulty(fault: Fault) -> Answer:
    return replace(html("<p>" + "This will not end well. " * 300 + "</p>"), fault=fault)


def _recovering(desk: Desk, path: str, trouble: Answer) -> None:
    page = desk.page(path, desk.english(f"recovered{path}"))
    desk.site.add(path, _altered(page, first=trouble))


def _altered(page: Render, **changes: Any) -> Render:
    """Return a page that answers like another but for some fields."""
    return lambda visit: replace(page(visit), **changes)


def _add_encoded(
    desk: Desk, article: Article, cluster: str, encoding: str, header: str, meta: str
) -> None:
    """Add a page in `encoding` that declares `header` in its Content-Type and `meta` in itself."""
    kind = f"text/html; charset={header}" if header else "text/html"
    declared = f'<meta charset="{meta}">' if meta else ""

    def render(visit: Visit) -> Answer:
        frame = Frame("Babel", article.language, article.title, (("/", "Home"),))
        markup = newspaper(frame, article_markup(article)).replace(_META, declared)
        if encoding == "utf-16":  # with a byte order mark, and little-endian on every machine
            body = b"\xff\xfe" + markup.encode("utf-16-le")
        else:
            body = markup.replace("&copy; ", "").encode(encoding)
        return Answer(200, {"Content-Type": kind}, body)

    path = f"/{cluster}/{encoding}-{header or 'none'}-{meta or 'none'}"
    desk.site.add(path, render, copy_of(f"charset {cluster}"))


# Hosts that say where a crawler shall go, and where not: redirects, robots.txt, meta tags, hints.
#
# Each `fill_` function returns the links under which a home page offers what it has added.

CRAWL_DELAY_S = 0.2
_TEXT = {"Content-Type": "text/plain"}
PRIVATE = Answer(
    200, _TEXT, b"User-agent: *\nDisallow: /secret/\nAllow: /secret/open\nDisallow: /*.cgi$\n"
)
QUIET = Answer(200, _TEXT, f"User-agent: *\nCrawl-delay: {CRAWL_DELAY_S}\n".encode())
MISSING = Answer(404, _TEXT, b"no robots.txt here\n")
DOWN = Answer(503, _TEXT, b"down for maintenance\n")
"""What some hosts answer for robots.txt."""


def fill_moved(desk: Desk, url: Callable[[str, str], str]) -> tuple[Link, ...]:
    """Add redirects of every kind and their targets; `url(host, path)` is absolute.

    Redirects that lead back to their own page (after a cookie, with a trailing slash, or with a
    tracking parameter that canonicalisation removes) are followed in place and end as that page;
    all others are redirects to a page of its own.
    """
    statuses = (301, 302, 303, 307, 308)
    for status in statuses:
        _redirect(desk, f"/r{status}", status, f"/now/{status}")
    _redirect(desk, "/relative", 302, "now/relative")
    for name in (*statuses, "relative", "chained", "refreshed"):
        desk.version(f"/now/{name}", desk.english(f"moved/now/{name}"))
    # One page by two names, as the redirect that adds the slash is followed in place.
    same = copy_of("folder", "folder")
    desk.site.put("/folder", moved(301, "/folder/"), same)
    desk.version("/folder/", desk.english("folder"), same)
    _redirect(desk, "/chain/1", 302, "/chain/2")
    _redirect(desk, "/chain/2", 301, "/chain/3")
    _redirect(desk, "/chain/3", 307, "/now/chained")
    # Two that lead to each other are both redirects; one that leads to itself goes nowhere.
    _redirect(desk, "/loop/a", 302, "/loop/b")
    _redirect(desk, "/loop/b", 302, "/loop/a")
    desk.site.put("/circle", moved(302, "/circle"), fails(Failure.REDIRECT_LOOP))
    lost = Answer(302, {"Content-Type": "text/html"}, b"no Location")
    desk.site.put("/lost", lost, fails(Failure.REDIRECT_INVALID))
    # Two that lead back to themselves: after a cookie, and with a tracking parameter.
    welcome = desk.page("/cookie", desk.english("cookie"))
    counted = desk.page("/tracked", desk.english("tracked"))

    def cookie(visit: Visit) -> Answer:
        if "welcome=1" in visit.headers.get("cookie", ""):
            return welcome(visit)
        return moved(302, "/cookie", {"Set-Cookie": "welcome=1; Path=/"})

    def tracked(visit: Visit) -> Answer:
        return counted(visit) if "utm_" in visit.path else moved(302, "/tracked?utm_source=gate")

    desk.site.add("/cookie", cookie)
    desk.site.add("/tracked", tracked)
    # To another host, out of scope, and by meta refresh, on a page that says nothing itself.
    desk.site.add("/neighbour", lambda _: moved(301, url("news-a.demo.test", "/")), REDIRECT)
    desk.site.add("/abroad", lambda _: moved(301, url("elsewhere.test", "/")), REDIRECT)
    refresh = '<meta http-equiv="refresh" content="0; url=/now/refreshed">'
    markup = f"<html><head>{refresh}<title>Moved</title></head><body></body></html>"
    desk.site.put("/refresh", html(markup), REDIRECT)
    inner = ("/now/", "/chain/2", "/chain/3")
    return tuple(link for link in desk.links() if not link[0].startswith(inner))


def _redirect(desk: Desk, path: str, status: int, location: str) -> None:
    desk.site.put(path, moved(status, location), REDIRECT)


def fill_private(desk: Desk) -> tuple[Link, ...]:
    """Add pages that are forbidden, not to be indexed, or not to be followed.

    Links on the nofollow pages lead where no crawl may come.
    """
    forbidden, noindex = skipped(Skip.ROBOTS), skipped(Skip.NOINDEX)
    for n in range(4):
        _add_directive(desk, f"/secret/{n}", forbidden)
    _add_directive(desk, "/search.cgi", forbidden)
    _add_directive(desk, "/secret/open", UNIQUE)
    for word, fate, by_meta, by_header in (
        ("noindex", noindex, "/behind/noindex", "/behind/x-noindex"),
        ("nofollow", UNIQUE, "/hidden/1", "/hidden/2"),
    ):
        meta = f'<meta name="robots" content="{word}">'
        _add_directive(desk, f"/{word}", fate, by_meta, head=meta)
        _add_directive(desk, f"/x-{word}", fate, by_header, headers={"X-Robots-Tag": word})
    offered = desk.links()
    _add_directive(desk, "/behind/noindex", UNIQUE)
    _add_directive(desk, "/behind/x-noindex", UNIQUE)
    _add_directive(desk, "/hidden/1", None)
    _add_directive(desk, "/hidden/2", None)
    return offered


def fill_quiet(desk: Desk) -> tuple[Link, ...]:
    """Publish a few articles on the host that asks for pauses."""
    for n in range(6):
        desk.publish(f"/calm/{n}", desk.english(f"quiet{n}"))
    return ()


def fill_handbook(desk: Desk, chapters: int) -> tuple[Link, ...]:
    """Publish a handbook with canonical hints and frames."""
    for n in range(chapters):
        desk.publish(f"/guide/{n}.html", desk.english(f"guide{n}"))
    article = desk.english("hinted", long=True)
    hint = '<link rel="canonical" href="/hinted">'
    fate = copy_of("hinted")
    desk.version("/hinted", article, fate, head=hint)
    desk.version("/hinted?view=wide", article, fate, layout=newspaper, head=hint)
    _add_directive(desk, "/left", UNIQUE)
    _add_directive(desk, "/right", UNIQUE)
    frames = '<frameset cols="20%,80%"><frame src="/left"><frame src="/right"></frameset>'
    desk.site.put("/frames", html(f"<html><head><title>Frames</title></head>{frames}</html>"))
    return (("/hinted?view=wide", "A hint"), ("/frames", "Frames"))


def _add_directive(
    desk: Desk, path: str, fate: Fate | None, leads_to: str = "", **dress: Any
) -> None:
    more = ((leads_to, "More"),) if leads_to else ()
    desk.version(path, desk.english(f"gate{path}"), fate, versions=more, **dress)
