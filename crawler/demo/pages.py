"""What the demo web is made of.

Pages with their fate, the layouts they wear, and hosts that hold them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from html import escape
from typing import Any

from crawler.demo.articles import Article, Library
from crawler.models import Failure, Skip

# A page's fate is the truth about it: what an ordinary crawl makes of its URL. It stands beside
# the page's content, so that neither can be changed without seeing the other.


class Fault(StrEnum):
    """How a connection can go wrong; acted out by `crawler.demo.server`."""

    NONE = "none"
    STALL_HEADERS = "stall-headers"
    """Nothing is ever answered."""
    STALL_BODY = "stall-body"
    """Headers and half of the body, then silence."""
    RESET = "reset"
    """The connection is aborted before any answer."""
    TRUNCATE = "truncate"
    """Half of the promised Content-Length, then the connection is closed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP response; `body` is without Content-Encoding."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    delay_s: float = 0.0
    """Pause before the response begins."""
    coding: str = ""
    """Content-Encoding to apply where the client accepts it: gzip, deflate, br or zstd."""
    fault: Fault = Fault.NONE
    first: Answer | None = None
    """The answer to the very first request, in place of this one: trouble that passes."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A request as a page may look at it; header names in lower case."""

    path: str
    """Path and query, as sent."""
    headers: Mapping[str, str]


Render = Callable[[Visit], Answer]
"""Answers the requests for one page."""


class Outcome(StrEnum):
    """Where a URL ends, in the words of the crawl's output files."""

    STORED = "stored"
    REDIRECT = "redirect"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Fate:
    """What an ordinary crawl makes of a URL."""

    outcome: Outcome
    detail: str = ""
    """Failure class or skip reason."""
    cluster: str = ""
    """Stored pages that name one cluster are copies of each other; empty: the page is unique."""
    payload: str = ""
    """Members of one cluster that name one payload have the same bytes; empty: bytes of its own."""


UNIQUE = Fate(Outcome.STORED)
REDIRECT = Fate(Outcome.REDIRECT)


def copy_of(cluster: str, payload: str = "") -> Fate:
    """Return the fate of a page that is stored unless another of its cluster came first."""
    return Fate(Outcome.STORED, cluster=cluster, payload=payload)


def fails(failure: Failure) -> Fate:
    """Return the fate of a page that never arrives."""
    return Fate(Outcome.FAILED, failure.value)


def skipped(reason: Skip) -> Fate:
    """Return the fate of a page that is left out on purpose."""
    return Fate(Outcome.SKIPPED, reason.value)


@dataclass(frozen=True, slots=True)
class Page:
    """One URL of a host. `fate` is None where no well-behaved crawl ever comes."""

    render: Render
    fate: Fate | None = UNIQUE


ALLOW_ALL = Answer(200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow:\n")


@dataclass(slots=True)
class Site:
    """One host: its name, its address and its pages by path and query."""

    name: str
    address: str
    robots: Answer = ALLOW_ALL
    pages: dict[str, Page] = field(default_factory=dict)
    beyond: Callable[[Visit], Answer | None] = lambda visit: None
    """Answers paths that no page has: how an endless space is served."""

    def add(self, path: str, render: Render, fate: Fate | None = UNIQUE) -> None:
        """Put a page at a path; ValueError where one is already."""
        if path in self.pages:
            raise ValueError(f"{self.name}{path}: two pages at one URL")
        self.pages[path] = Page(render, fate)

    def put(self, path: str, answer: Answer, fate: Fate | None = UNIQUE) -> None:
        """Put a page at a path that answers everybody alike."""
        self.add(path, lambda visit: answer, fate)


def html(markup: str, headers: Mapping[str, str] | None = None) -> Answer:
    """Return an HTML page in UTF-8."""
    kind = {"Content-Type": "text/html; charset=utf-8"}
    return Answer(200, {**kind, **(headers or {})}, markup.encode())


def moved(status: int, location: str, headers: Mapping[str, str] | None = None) -> Answer:
    """Return a redirect."""
    kind = {"Location": location, "Content-Type": "text/html"}
    return Answer(status, {**kind, **(headers or {})}, b"moved")


# Layouts: the same article, dressed as different sites dress it.
#
# Headline and text stand in one `<article>` or content block; what changes from visit to visit
# (adverts, related links, comments) stands in blocks that extractors know to leave out, and is
# small beside the text, as on well-made sites.

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


# A desk fills one host with articles and makes the pages that list them.
#
# Links are laid so that what a depth-limited crawl reaches does not depend on the order of its
# fetches. Home pages are seeds. Index and tag pages are linked from the home page and from each
# other only, so the first to offer them is always the home page, at depth 1. Related links lead
# forward within a block of `BLOCK` articles, so no chain of them is longer than that. Links to
# other hosts lead to home pages.

BLOCK = 4
INDEX_SIZE = 10
TAG_SIZE = 12

Source = Callable[[], Article]
"""Writes an article when its page is asked for."""
Entry = tuple[str, Source]
"""An article and the path it is published at."""
_WORDS = {
    "en": {"home": "Home", "index": "Page", "tag": "All about"},
    "zh": {"home": "首页", "index": "页", "tag": "专题"},
}


class Desk:
    """Publishes on `site`, in one layout and language."""

    def __init__(
        self, library: Library, site: Site, title: str, layout: Layout, language: str = "en"
    ) -> None:
        self.library = library
        self.site = site
        self.title = title
        self._layout = layout
        self._language = language
        self._words = _WORDS[language]
        self._home = ("/", self._words["home"])
        self._entries: list[Entry] = []
        self._topics: dict[str, list[Entry]] = {}

    def publish(
        self,
        path: str,
        source: Source,
        fate: Fate = UNIQUE,
        *,
        topic: str = "",
        versions: tuple[Link, ...] = (),
    ) -> None:
        """Put an article at `path`, to be listed by `finish`.

        `versions` are links to other forms of it; a `topic` puts it on that topic's tag page.
        """
        entry = (path, source)
        self.site.add(path, self.page(path, source, versions, len(self._entries)), fate)
        self._entries.append(entry)
        if topic:
            self._topics.setdefault(topic, []).append(entry)

    def version(self, path: str, source: Source, fate: Fate | None = UNIQUE, **dress: Any) -> None:
        """Put an article at `path` that no listing names, dressed as `page` does."""
        self.site.add(path, self.page(path, source, **dress), fate)

    def page(
        self,
        path: str,
        source: Source,
        versions: tuple[Link, ...] = (),
        place: int | None = None,
        layout: Layout | None = None,
        head: str = "",
        headers: Mapping[str, str] | None = None,
        stamp: str = "",
    ) -> Render:
        """Return what renders an article here, in `layout` or the desk's own.

        Advert and comments depend on the path without its query; a `stamp` follows the byline.
        """

        def render(visit: Visit) -> Answer:
            article = source()
            writer = self.library.writer(self._language, self.site.name, path.partition("?")[0])
            frame = Frame(
                self.title,
                article.language,
                article.title,
                (self._home, *versions),
                self._related(place),
                f"{article.author} {article.date} {stamp}".rstrip(),
                writer.line("advert"),
                (writer.line("comment"), writer.line("comment")),
                head,
            )
            return html((layout or self._layout)(frame, article_markup(article)), headers)

        return render

    def english(self, key: str, long: bool = False) -> Source:
        """Return what writes the English article of a key."""
        return partial(self.library.article, key, "en", long)

    def links(self) -> tuple[Link, ...]:
        """Return links to all pages of the site so far."""
        return tuple((path, path[1:]) for path in self.site.pages)

    def finish(self, *more: Link) -> None:
        """Add home, index and tag pages; the home page links to `more` as well."""
        indexes = [f"/index/{n + 1}" for n in range(-(-len(self._entries) // INDEX_SIZE))]
        tags = [f"/tag/{topic}" for topic in self._topics]
        links = [(p, self._name(p)) for p in indexes + tags] + list(more)
        self.site.add("/", self._listing("/", lambda: anchors(tuple(links))))
        for number, path in enumerate(indexes):
            entries = self._entries[number * INDEX_SIZE : (number + 1) * INDEX_SIZE]
            turns = tuple(indexes[n] for n in (number - 1, number + 1) if 0 <= n < len(indexes))
            self.site.add(path, self._index(path, entries, turns))
        for path, entries in zip(tags, self._topics.values(), strict=True):
            self.site.add(path, self._listing(path, partial(_titles, entries[:TAG_SIZE])))

    def _name(self, path: str) -> str:
        _, kind, name = path.split("/")
        return f"{self._words[kind]} {name}"

    def _related(self, place: int | None) -> tuple[Link, ...]:
        if place is None or place % BLOCK == BLOCK - 1 or place + 1 >= len(self._entries):
            return ()
        path, source = self._entries[place + 1]
        return ((path, source().title),)

    def _index(self, path: str, entries: list[Entry], turns: tuple[str, ...]) -> Render:
        def items() -> str:
            writer = self.library.writer(self._language, self.site.name, path, "teasers")
            return "".join(
                f'<h2><a href="{escape(_tracked(place, path))}">'
                f"{escape(source().title)}</a></h2><p>{escape(writer.paragraph(2))}</p>\n"
                for place, (path, source) in enumerate(entries)
            )

        return self._listing(path, items, tuple((turn, self._name(turn)) for turn in turns))

    def _listing(self, path: str, items: Callable[[], str], turns: tuple[Link, ...] = ()) -> Render:
        """A page of links under an introduction of its own, so that no two are alike."""

        def render(visit: Visit) -> Answer:
            writer = self.library.writer(self._language, self.site.name, path, "listing")
            text = "".join(f"<p>{escape(writer.paragraph(5))}</p>\n" for _ in range(2))
            frame = Frame(self.title, self._language, writer.line("title"), (self._home, *turns))
            return html(self._layout(frame, f"{text}<div>{items()}</div>"))

        return render


def _titles(entries: list[Entry]) -> str:
    return anchors(tuple((path, source().title) for path, source in entries))


def _tracked(place: int, path: str) -> str:
    """Every third link carries tracking parameters, as links in the wild do."""
    if place % 3:
        return path
    return f"{path}{'&' if '?' in path else '?'}utm_source=index&utm_medium=teaser"
