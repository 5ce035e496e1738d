"""Links: which URLs a page leads to, resolved, canonical and in page order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.urls import Canonicaliser

MAX_LINKS = 10_000
"""Links kept of one page, the first ones: real pages have hundreds, link farms any number."""

_SPACE = r"[ \t\n\f\r]*"
_TIME = re.compile(rf"{_SPACE}[0-9.]+(?=[;, \t\n\f\r]){_SPACE}[;,]?{_SPACE}(.*)", re.DOTALL)
_URL_NAME = re.compile(rf"[Uu][Rr][Ll]{_SPACE}={_SPACE}")
_LINKING = "a[href], area[href], frame[src], iframe[src], meta[http-equiv][content]"


class LinkReader:
    """Reads the links of parsed pages.

    `keep_nofollow` keeps links marked rel=nofollow, which are left out otherwise.
    """

    def __init__(self, canonicalise: Canonicaliser, *, keep_nofollow: bool = False) -> None:
        self._canonicalise = canonicalise
        self._keep_nofollow = keep_nofollow

    def base_url(self, tree: LexborHTMLParser, url: str) -> str:
        """Return what relative URLs of the page are resolved against.

        That is the first base element with an href (HTML standard 4.2.3), resolved against the
        page's own URL; the page's URL where there is none or it leads to no http(s) URL.
        """
        element = tree.css_first("base[href]", default=None)
        href = element.attributes["href"] if element is not None else None
        return (href and self._canonicalise(href, url)) or url

    def links(self, tree: LexborHTMLParser, url: str, base: str) -> tuple[str, ...]:
        """Return at most MAX_LINKS unique canonical URLs in page order, without the page itself.

        They come from a, area, frame, iframe and meta refresh, and rel=canonical comes last. Hidden
        links count: menus are often hidden until a script shows them.
        """
        found: dict[str, None] = {}
        own = self._canonicalise(url)
        for written in dict.fromkeys(self._written(tree.css(_LINKING))):
            target = self._canonicalise(written, base)
            if target is not None and target != own:
                found[target] = None
                if len(found) == MAX_LINKS:
                    break
        hint = self.canonical(tree, base)
        if hint is not None and hint != own and len(found) < MAX_LINKS:
            found[hint] = None
        return tuple(found)

    def refresh(self, tree: LexborHTMLParser, url: str, base: str) -> str | None:
        """Return the canonical target of the first meta refresh that names another page."""
        own = self._canonicalise(url)
        for element in tree.css("meta[http-equiv][content]"):
            written = _refresh_of(element.attributes)
            target = self._canonicalise(written, base) if written else None
            if target is not None and target != own:
                return target
        return None

    def canonical(self, tree: LexborHTMLParser, base: str) -> str | None:
        """Return the target of the first rel=canonical link (RFC 6596), or None."""
        for element in tree.css("link[rel][href]"):
            attributes = element.attributes
            if "canonical" in _tokens(attributes["rel"]):
                return self._canonicalise(attributes["href"] or "", base)
        return None

    def _written(self, elements: Iterable[LexborNode]) -> Iterator[str]:
        """Yield URLs as written, without fragments, which never make another page."""
        for element in elements:
            attributes = element.attributes
            if element.tag == "meta":
                written = _refresh_of(attributes)
            elif self._keep_nofollow or "nofollow" not in _tokens(attributes.get("rel")):
                written = attributes.get("href" if element.tag in ("a", "area") else "src") or ""
            else:
                continue
            if written is not None:
                yield written.partition("#")[0]


def _refresh_of(attributes: dict[str, str | None]) -> str | None:
    if (attributes["http-equiv"] or "").strip().lower() != "refresh":
        return None
    return refresh_target(attributes["content"] or "")


def refresh_target(content: str) -> str | None:
    """Return the URL as written in a meta refresh's `content`, or None where it names none.

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
    return _unquoted(rest[named.end() :] if named else rest) or None


def _unquoted(text: str) -> str:
    if text[:1] not in ("'", '"'):
        return text
    return text[1:].partition(text[0])[0]


def _tokens(value: str | None) -> list[str]:
    return value.lower().split() if value else []
