"""Layouts: the same article, dressed as different sites dress it.

Headline and text stand in one `<article>` or content block; what changes from visit to visit
(adverts, related links, comments) stands in blocks that extractors know to leave out, and is small
beside the text, as on well-made sites.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from crawler.demo.prose import Article

Link = tuple[str, str]
"""(href, text)."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What surrounds the text of a page."""

    site: str
    language: str
    title: str
    links: tuple[Link, ...] = ()
    """Navigation: above all the way home."""
    related: tuple[Link, ...] = ()
    byline: str = ""
    advert: str = ""
    comments: tuple[str, ...] = ()
    head: str = ""
    """More markup for `<head>`."""


Layout = Callable[[Frame, str], str]
"""(frame, markup of the text) -> a whole page."""


def article_markup(article: Article) -> str:
    """Return the article's paragraphs and headings as HTML, without its title."""
    return "\n".join(f"<{b.tag}>{escape(b.text)}</{b.tag}>" for b in article.blocks)


def anchors(links: tuple[Link, ...], item: str = "li") -> str:
    """Return links as a run of list items."""
    return "".join(f'<{item}><a href="{escape(h)}">{escape(t)}</a></{item}>' for h, t in links)


def newspaper(frame: Frame, text: str) -> str:
    """Masthead, navigation bar, one column, a box of related stories, comments."""
    return _page(
        frame,
        f'<header class="masthead"><p>{escape(frame.site)}</p>'
        f"<nav><ul>{anchors(frame.links)}</ul></nav></header>\n"
        f"<main><article><h1>{escape(frame.title)}</h1>\n{_byline(frame, 'p')}{text}</article>"
        f"</main>\n{_advert(frame)}{_related(frame)}{_comments(frame)}"
        f"<footer><p>&copy; {escape(frame.site)}</p></footer>",
    )


def magazine(frame: Frame, text: str) -> str:
    """Nested `div`s, a sidebar before the text, class names instead of elements."""
    return _page(
        frame,
        f'<div id="wrap"><div id="header" class="header"><nav class="menu"><ul>'
        f"{anchors(frame.links)}</ul></nav></div>\n"
        f'<div id="sidebar" class="sidebar">{_related(frame)}{_advert(frame)}</div>\n'
        f'<div id="content" class="post"><div class="entry-content">'
        f'<h1 class="entry-title">{escape(frame.title)}</h1>\n{_byline(frame, "div")}{text}'
        f"</div></div>\n{_comments(frame)}"
        f'<footer class="footer"><p>{escape(frame.site)}</p></footer></div>',
    )


def manual(frame: Frame, text: str) -> str:
    """A documentation page: table of contents at the side, the text in a section."""
    return _page(
        frame,
        f"<nav><ol>{anchors(frame.links + frame.related)}</ol></nav>\n"
        f'<main role="main"><section class="body"><h1>{escape(frame.title)}</h1>\n{text}'
        f"</section></main>\n<footer><p>{escape(frame.site)}</p></footer>",
    )


def portal(frame: Frame, text: str) -> str:
    """An older portal: table layout around the text, inline styles, advert on top."""
    return _page(
        frame,
        f'<div class="nav">{anchors(frame.links, "span")}</div>{_advert(frame)}\n'
        f'<table width="980"><tr><td valign="top"><div class="article-content" id="artibody">'
        f'<h1 style="font-size:22px">{escape(frame.title)}</h1>\n{_byline(frame, "div")}{text}'
        f"</div></td></tr></table>\n{_related(frame)}{_comments(frame)}"
        f'<div class="footer">{escape(frame.site)}</div>',
    )


def printed(frame: Frame, text: str) -> str:
    """The print version: the text and the way back, nothing else."""
    return _page(
        frame,
        f"<article><h1>{escape(frame.title)}</h1>\n{text}</article>\n"
        f"<footer><ul>{anchors(frame.links)}</ul></footer>",
    )


def _page(frame: Frame, body: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="{frame.language}">\n<head><meta charset="utf-8">'
        f"<title>{escape(frame.title)} - {escape(frame.site)}</title>{frame.head}</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _byline(frame: Frame, tag: str) -> str:
    return f'<{tag} class="byline">{escape(frame.byline)}</{tag}>\n' if frame.byline else ""


def _advert(frame: Frame) -> str:
    return f'<aside class="ad advertisement">{escape(frame.advert)}</aside>' if frame.advert else ""


def _related(frame: Frame) -> str:
    if not frame.related:
        return ""
    return f'<aside class="related"><ul>{anchors(frame.related)}</ul></aside>'


def _comments(frame: Frame) -> str:
    items = "".join(f'<div class="comment"><p>{escape(c)}</p></div>' for c in frame.comments)
    return f'<section id="comments" class="comments">{items}</section>' if items else ""
