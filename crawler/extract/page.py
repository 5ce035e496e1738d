"""A page parsed once, and what its markup says besides its text: title, links, hints, robots."""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from crawler.extract.clean import folded
from crawler.extract.links import LinkReader
from crawler.extract.robots import meta_directives

MAX_TITLE_LENGTH = 1_000
"""Characters kept of a title."""

_SELF_CLOSED = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)"
    r"([A-Za-z][\w:.-]*)([^<>]*)/>"
)


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Where a page leads, and what it asks of robots: all that a copy of a stored page still needs.

    The links of a page that says `nofollow` are listed too: heeding it is the caller's part.
    """

    links: tuple[str, ...] = ()
    noindex: bool = False
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class PageHints:
    """What a page says about itself. All URLs are canonical."""

    title: str | None = None
    canonical_url: str | None = None
    refresh: str | None = None


def parse(html: str, media_type: str) -> LexborHTMLParser:
    """Return the tree of a page, parsed by the HTML standard with scripting off.

    XHTML is parsed as HTML too, after its self-closed elements were written out: an HTML parser
    takes `<script/>` for an opening tag and swallows the rest of the page.
    """
    if media_type == "application/xhtml+xml":
        html = _SELF_CLOSED.sub(r"<\1\2></\1>", html)
    # Mutation events only mirror the options of a select elsewhere, in quadratic time.
    return LexborHTMLParser(html, options=LexborDocumentOptions.WO_EVENTS)


class PageReader:
    """Reads parsed pages; `agent` is the product token that meta robots may name."""

    def __init__(self, links: LinkReader, agent: str) -> None:
        self._links = links
        self._agent = agent

    def links(self, tree: LexborHTMLParser, url: str) -> PageLinks:
        """Return where the page at `url` leads."""
        asked = meta_directives(tree, self._agent)
        links = self._links.links(tree, url, self._links.base_url(tree, url))
        return PageLinks(links, asked.noindex, asked.nofollow)

    def hints(self, tree: LexborHTMLParser, url: str) -> PageHints:
        """Return title, rel=canonical and meta refresh of the page at `url`."""
        base = self._links.base_url(tree, url)
        return PageHints(
            title=_title(tree),
            canonical_url=self._links.canonical(tree, base),
            refresh=self._links.refresh(tree, url, base),
        )


def _title(tree: LexborHTMLParser) -> str | None:
    """Return the document's title (HTML standard 3.1.6): its first title outside a drawing."""
    for element in tree.css("title"):
        parent = element.parent
        if parent is None or parent.tag in ("head", "body"):
            return folded(element.text())[:MAX_TITLE_LENGTH].rstrip() or None
    return None
