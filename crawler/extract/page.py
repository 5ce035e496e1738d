"""A page parsed once, and what it says besides its text: title, links, hints, robots directives.

What `<meta name=robots>` and X-Robots-Tag ask for has no standard; this follows what the large
search engines document. Where several directives apply they add up: the strictest wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from crawler.extract.links import LinkReader
from crawler.extract.text import folded

MAX_TITLE_LENGTH = 1_000
"""Characters kept of a title."""

_SELF_CLOSED = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)"
    r"([A-Za-z][\w:.-]*)([^<>]*)/>"
)


_SEPARATORS = re.compile(r"[\s,;]+")
_VALUED = re.compile(
    r"(?:max-image-preview|max-snippet|max-video-preview)\s*:[^,;]*"
    r"|unavailable_after\s*:(?:\s*[a-z]{3,9},)?[^,;]*"  # an RFC 5322 date has a comma itself
)
"""Directives with a value, which may be `none`; any other `name:` begins one agent's own."""


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


@dataclass(frozen=True, slots=True)
class RobotsDirectives:
    """Whether a page asks not to be indexed, and not to have its links followed."""

    noindex: bool = False
    nofollow: bool = False


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
        asked = _meta_directives(tree, self._agent)
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


def _meta_directives(tree: LexborHTMLParser, agent: str) -> RobotsDirectives:
    """Return what the meta tags named `robots` or `agent` ask for together."""
    names = ("robots", agent.lower())
    words: list[str] = []
    for element in tree.css("meta[name][content]"):
        attributes = element.attributes
        if (attributes["name"] or "").strip().lower() in names:
            content = _VALUED.sub("", (attributes["content"] or "").lower())
            words += _SEPARATORS.split(content)
    return _directives(words)


def robots_directives(header: str | None, agent: str) -> RobotsDirectives:
    """Return what X-Robots-Tag, several of them joined by newlines or commas, asks of `agent`.

    `name: noindex, nofollow` speaks to one agent only, up to the next `name:` or line. Headers
    joined by commas cannot be told from one header: then a general directive that follows an
    agent's own counts as that agent's.
    """
    words: list[str] = []
    for line in (header or "").lower().splitlines():
        words += _words_for(line, agent.lower())
    return _directives(words)


def _words_for(line: str, agent: str) -> Iterator[str]:
    meant = True
    for part in _VALUED.sub("", line).split(","):
        name, colon, directive = part.rpartition(":")
        if colon:
            meant = name.strip() in (agent, "*", "robots")
        if meant:
            yield from directive.split()


def _directives(words: Iterable[str]) -> RobotsDirectives:
    asked = frozenset(words)
    everything = "none" in asked
    return RobotsDirectives(everything or "noindex" in asked, everything or "nofollow" in asked)
