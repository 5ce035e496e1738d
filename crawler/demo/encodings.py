"""A host that says the same in many charsets and codings, truthfully and otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from crawler.demo.desk import Desk
from crawler.demo.pages import Answer, Visit, copy_of
from crawler.demo.prose import Article
from crawler.demo.templates import Frame, Link, article_markup, newspaper

CODINGS = ("", "gzip", "deflate", "br", "zstd")

_META = '<meta charset="utf-8">'


def fill(desk: Desk) -> tuple[Link, ...]:
    """Add the pages; returns links to them all. Pages of one text are one cluster."""
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
    _add_codings(desk)
    return tuple((path, path[1:]) for path in desk.site.pages)


def _add(desk: Desk, article: Article, cluster: str, encoding: str, header: str, meta: str) -> None:
    """Add a page in `encoding` that declares `header` in its Content-Type and `meta` in itself."""
    kind = f"text/html; charset={header}" if header else "text/html"
    declared = f'<meta charset="{meta}">' if meta else ""

    def render(visit: Visit) -> Answer:
        frame = Frame("Babel", article.language, article.title, (("/", "Home"),))
        markup = newspaper(frame, article_markup(article)).replace(_META, declared)
        return Answer(200, {"Content-Type": kind}, _encode(markup, encoding))

    path = f"/{cluster}/{encoding}-{header or 'none'}-{meta or 'none'}"
    desk.site.add(path, render, copy_of(f"charset {cluster}"))


def _encode(markup: str, encoding: str) -> bytes:
    if encoding == "utf-16":  # with a byte order mark, and little-endian on every machine
        return b"\xff\xfe" + markup.encode("utf-16-le")
    return markup.replace("&copy; ", "").encode(encoding)


def _add_codings(desk: Desk) -> None:
    """The same bytes once they are unpacked."""
    page = desk.page("/coding", partial(desk.library.article, "codings", "en"))

    def coded(coding: str) -> Callable[[Visit], Answer]:
        return lambda visit: replace(page(visit), coding=coding)

    for coding in CODINGS:
        desk.site.add(f"/coding/{coding or 'none'}", coded(coding), copy_of("coding", "unpacked"))
