"""Hosts whose answers are hard to read: errors, slowness, odd bodies, many charsets and codings.

Each `fill_` function returns the links under which a home page offers what it has added.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from crawler.demo.desk import Desk
from crawler.demo.pages import Answer, Fault, Render, Visit, copy_of, fails, html, skipped
from crawler.demo.prose import Article
from crawler.demo.templates import Frame, Link, anchors, article_markup, newspaper
from crawler.records import Failure, Skip

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
    site.put("/many", html(_many(desk, desk.links())))
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
    _add(desk, zh, "gb", "utf-8", "utf-8", "utf-8")
    _add(desk, zh, "gb", "gb18030", "gb18030", "gb18030")
    _add(desk, zh, "gb", "gb18030", "", "gb2312")
    _add(desk, zh, "gb", "utf-8", "big5", "utf-8")
    for section, charset in (("big5", "big5"), ("ja", "shift_jis")):
        article = library.fixed(section)
        _add(desk, article, section, "utf-8", "utf-8", "")
        _add(desk, article, section, charset, charset, charset)
    en = library.article("charsets", "en", True)
    quoted = replace(en, title=f"“{en.title}” – café edition")
    _add(desk, quoted, "west", "utf-8", "utf-8", "utf-8")
    _add(desk, quoted, "west", "cp1252", "", "windows-1252")
    _add(desk, quoted, "west", "utf-16", "", "")
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


def _many(desk: Desk, links: tuple[Link, ...]) -> str:
    """A thousand links that name a handful of pages, by fragments and tracking parameters."""
    text = desk.library.writer("en", "many").paragraph(12)
    spelled = tuple(
        (f"{path}?utm_id={n}" if n % 2 else f"{path}#part{n}", f"{name} {n}")
        for n in range(1000 // len(links))
        for path, name in links
    )
    article = f"<article><p>{text}</p></article>"
    return f"<html><body>{article}<nav>{anchors(spelled)}</nav></body></html>"


def _add(desk: Desk, article: Article, cluster: str, encoding: str, header: str, meta: str) -> None:
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
