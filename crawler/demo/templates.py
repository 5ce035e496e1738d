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


def _layout(body: str, byline: str = "div", item: str = "li") -> Layout:
    """Return what dresses a text by a pattern; byline and links stand in these elements."""
    page = (
        '<!DOCTYPE html>\n<html lang="{language}">\n<head><meta charset="utf-8">'
        "<title>{title} - {site}</title>{head}</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )

    def dress(frame: Frame, text: str) -> str:
        stories = anchors(frame.related)
        comments = (f'<div class="comment"><p>{escape(c)}</p></div>' for c in frame.comments)
        return page.format(
            language=frame.language,
            title=escape(frame.title),
            site=escape(frame.site),
            head=frame.head,
            links=anchors(frame.links, item),
            byline=_box(f'{byline} class="byline"', escape(frame.byline), "\n"),
            text=text,
            advert=_box('aside class="ad advertisement"', escape(frame.advert)),
            stories=stories,
            related=_box('aside class="related"', _box("ul", stories)),
            comments=_box('section id="comments" class="comments"', "".join(comments)),
        )

    return dress


def _box(tag: str, content: str, end: str = "") -> str:
    return f"<{tag}>{content}</{tag.partition(' ')[0]}>{end}" if content else ""


newspaper = _layout(
    '<header class="masthead"><p>{site}</p><nav><ul>{links}</ul></nav></header>\n'
    "<main><article><h1>{title}</h1>\n{byline}{text}</article></main>\n"
    "{advert}{related}{comments}<footer><p>&copy; {site}</p></footer>",
    byline="p",
)
"""Masthead, navigation bar, one column, a box of related stories, comments."""

magazine = _layout(
    '<div id="wrap"><div id="header" class="header"><nav class="menu"><ul>{links}</ul></nav>'
    '</div>\n<div id="sidebar" class="sidebar">{related}{advert}</div>\n'
    '<div id="content" class="post"><div class="entry-content">'
    '<h1 class="entry-title">{title}</h1>\n{byline}{text}</div></div>\n'
    '{comments}<footer class="footer"><p>{site}</p></footer></div>'
)
"""Nested `div`s, a sidebar before the text, class names instead of elements."""

manual = _layout(
    "<nav><ol>{links}{stories}</ol></nav>\n"
    '<main role="main"><section class="body"><h1>{title}</h1>\n{byline}{text}</section></main>\n'
    "<footer><p>{site}</p></footer>"
)
"""A documentation page: table of contents at the side, the text in a section."""

portal = _layout(
    '<div class="nav">{links}</div>{advert}\n'
    '<table width="980"><tr><td valign="top"><div class="article-content" id="artibody">'
    '<h1 style="font-size:22px">{title}</h1>\n{byline}{text}</div></td></tr></table>\n'
    '{related}{comments}<div class="footer">{site}</div>',
    item="span",
)
"""An older portal: table layout around the text, inline styles, advert on top."""

printed = _layout("<article><h1>{title}</h1>\n{text}</article>\n<footer><ul>{links}</ul></footer>")
"""The print version: the text and the way back, nothing else."""
