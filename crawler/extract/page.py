"""A page parsed once, and what its markup says besides its text: title, links, hints, robots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from crawler.extract.robots import meta_directives
from crawler.extract.text import folded
from crawler.urls import Canonicaliser

XHTML = "application/xhtml+xml"

MAX_LINKS = 10_000
"""Links kept of one page, the first ones: real pages have hundreds, link farms any number."""

MAX_LINK_CHARACTERS = 1_000_000
"""Of the links kept of one page together: ten thousand of a hundred characters. A long base makes
20 MB of links out of 100 KB of page, and each goes to the queue, the state and the trap rule."""

MAX_ALTERNATES = 64
"""Other languages kept of one page: only a few sites have more."""

MAX_TITLE_LENGTH = 1_000
"""Characters kept of a title or heading."""

_LINKING = "a[href], area[href], frame[src], iframe[src], meta[http-equiv][content]"
_SELF_CLOSED = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)"
    r"([A-Za-z][\w:.-]*+)((?:[^<>/]++|/(?!>))*+)/>"
)
"""Possessive, or a name of 50,000 letters would be tried in as many lengths, for 15 s."""
_SPACE = r"[ \t\n\f\r]*"
_TIME = re.compile(rf"{_SPACE}[0-9.]+(?=[;, \t\n\f\r]){_SPACE}[;,]?{_SPACE}(.*)", re.DOTALL)
_URL_NAME = re.compile(rf"[Uu][Rr][Ll]{_SPACE}={_SPACE}")


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
    heading: str | None = None
    """The first h1 that says something, cut as titles are."""
    canonical_url: str | None = None
    """Target of the first rel=canonical link (RFC 6596)."""
    refresh: str | None = None
    """Target of the first meta refresh that names another page."""
    alternates: tuple[str, ...] = ()
    """The page in other languages (rel=alternate with hreflang), at most MAX_ALTERNATES."""


def parse(html: str, media_type: str) -> LexborHTMLParser:
    """Return the tree of a page, parsed by the HTML standard with scripting off.

    XHTML is parsed as HTML too, after its self-closed elements were written out: an HTML parser
    takes `<script/>` for an opening tag and swallows the rest of the page.
    """
    if media_type == XHTML:
        html = _SELF_CLOSED.sub(r"<\1\2></\1>", html)
    # Mutation events only mirror the options of a select elsewhere, in quadratic time.
    return LexborHTMLParser(html, options=LexborDocumentOptions.WO_EVENTS)


class PageReader:
    """Reads parsed pages; `agent` is the product token that meta robots may name."""

    def __init__(self, canonicalise: Canonicaliser, agent: str) -> None:
        self._canonicalise = canonicalise
        self._agent = agent

    def links(self, tree: LexborHTMLParser, url: str) -> PageLinks:
        """Return where the page at `url` leads: at most MAX_LINKS unique canonical URLs.

        Together they have at most MAX_LINK_CHARACTERS. They come from a, area, frame, iframe and
        meta refresh, in page order and without the page itself; rel=canonical comes last, links
        marked rel=nofollow are left out. Hidden ones count: menus are often hidden until a script
        shows them.
        """
        own, base = self._canonicalise(url), self.base_url(tree, url)
        targets = self._targets(tree, base)
        others = (target for target in targets if target is not None and target != own)
        asked = meta_directives(tree, self._agent)
        return PageLinks(_first(others), asked.noindex, asked.nofollow)

    def hints(self, tree: LexborHTMLParser, url: str) -> PageHints:
        """Return what the page at `url` says of itself."""
        base = self.base_url(tree, url)
        return PageHints(
            _title(tree),
            _heading(tree),
            self._canonical(tree, base),
            self._refresh(tree, url, base),
            tuple(islice(self._alternates(tree, base), MAX_ALTERNATES)),
        )

    def base_url(self, tree: LexborHTMLParser, url: str) -> str:
        """Return what relative URLs of the page are resolved against.

        That is the first base element with an href (HTML standard 4.2.3), resolved against the
        page's own URL; the page's URL where there is none or it leads to no http(s) URL.
        """
        element = tree.css_first("base[href]", default=None)
        href = element.attributes["href"] if element is not None else None
        return (href and self._canonicalise(href, url)) or url

    def _refresh(self, tree: LexborHTMLParser, url: str, base: str) -> str | None:
        own = self._canonicalise(url)
        for element in tree.css("meta[http-equiv][content]"):
            written = _refresh_of(element.attributes)
            target = self._canonicalise(written, base) if written else None
            if target is not None and target != own:
                return target
        return None

    def _canonical(self, tree: LexborHTMLParser, base: str) -> str | None:
        for element in tree.css("link[rel][href]"):
            attributes = element.attributes
            if "canonical" in _tokens(attributes["rel"]):
                return self._canonicalise(attributes["href"] or "", base)
        return None

    def _alternates(self, tree: LexborHTMLParser, base: str) -> Iterator[str]:
        for element in tree.css("link[rel][hreflang][href]"):
            attributes = element.attributes
            if "alternate" in _tokens(attributes["rel"]):
                target = self._canonicalise(attributes["href"] or "", base)
                if target is not None:
                    yield target

    def _targets(self, tree: LexborHTMLParser, base: str) -> Iterator[str | None]:
        for written in dict.fromkeys(self._written(tree)):
            yield self._canonicalise(written, base)
        yield self._canonical(tree, base)

    def _written(self, tree: LexborHTMLParser) -> Iterator[str]:
        """Yield URLs as written, without fragments, which never make another page."""
        for element in tree.css(_LINKING):
            attributes = element.attributes
            if element.tag == "meta":
                written = _refresh_of(attributes)
            elif "nofollow" not in _tokens(attributes.get("rel")):
                written = attributes.get("href" if element.tag in ("a", "area") else "src") or ""
            else:
                continue
            if written is not None:
                yield written.partition("#")[0]


def _first(targets: Iterable[str]) -> tuple[str, ...]:
    """Return the first URLs, each once, within the bounds on the links of a page."""
    found: dict[str, None] = {}
    left = MAX_LINK_CHARACTERS
    for url in targets:
        if url not in found:
            left -= len(url)
            if left < 0 or len(found) == MAX_LINKS:
                break
            found[url] = None
    return tuple(found)


def _title(tree: LexborHTMLParser) -> str | None:
    """Return the document's title (HTML standard 3.1.6): its first title outside a drawing."""
    for element in tree.css("title"):
        parent = element.parent
        if parent is None or parent.tag in ("head", "body"):
            return folded(element.text())[:MAX_TITLE_LENGTH].rstrip() or None
    return None


def _heading(tree: LexborHTMLParser) -> str | None:
    headings = (folded(element.text()) for element in tree.css("h1"))
    return next((text[:MAX_TITLE_LENGTH].rstrip() for text in headings if text), None)


def _refresh_of(attributes: dict[str, str | None]) -> str | None:
    if (attributes["http-equiv"] or "").strip().lower() != "refresh":
        return None
    return refresh_target(attributes["content"] or "")


def refresh_target(content: str) -> str | None:
    """Return the URL as written in a meta refresh's `content`, or None where it names none.

    A Refresh header has the same form.

    These are the shared declarative refresh steps of the HTML standard, section 4.2.5.3:
    `5; url='/next'`, `5, /next` and `5 /next` all name `/next`; `5` alone reloads the page itself.
    """
    timed = _TIME.match(content)
    rest = timed.group(1) if timed else ""
    if not rest:
        return None
    named = _URL_NAME.match(rest)
    if named is None and rest[0] in "Uu":
        return rest
    target = rest[named.end() :] if named else rest
    if target.startswith(("'", '"')):
        target = target[1:].partition(target[0])[0]
    return target or None


def _tokens(value: str | None) -> list[str]:
    return value.lower().split() if value else []
