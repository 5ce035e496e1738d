"""A desk fills one host with articles and makes the pages that list them.

Links are laid so that what a depth-limited crawl reaches does not depend on the order of its
fetches. Home pages are seeds. Index and tag pages are linked from the home page and from each
other only, so the first to offer them is always the home page, at depth 1. Related links lead
forward within a block of `BLOCK` articles, so no chain of them is longer than that. Links to other
hosts lead to home pages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from html import escape

from crawler.demo.library import Library
from crawler.demo.pages import UNIQUE, Answer, Fate, Render, Site, Visit, html
from crawler.demo.prose import Article
from crawler.demo.templates import Frame, Layout, Link, anchors, article_markup

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

    def version(
        self,
        path: str,
        source: Source,
        fate: Fate | None = UNIQUE,
        *,
        layout: Layout | None = None,
        versions: tuple[Link, ...] = (),
        head: str = "",
        headers: Mapping[str, str] | None = None,
        stamp: str = "",
    ) -> None:
        """Put an article at `path` that no listing names, dressed as `page` does."""
        dressed = self.page(
            path, source, versions, layout=layout, head=head, headers=headers, stamp=stamp
        )
        self.site.add(path, dressed, fate)

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
        for topic, entries in self._topics.items():
            path = f"/tag/{topic}"
            self.site.add(path, self._tag(path, entries[:TAG_SIZE]))

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

    def _tag(self, path: str, entries: list[Entry]) -> Render:
        return self._listing(path, lambda: anchors(tuple((p, s().title) for p, s in entries)))

    def _listing(self, path: str, items: Callable[[], str], turns: tuple[Link, ...] = ()) -> Render:
        """A page of links under an introduction of its own, so that no two are alike."""

        def render(visit: Visit) -> Answer:
            writer = self.library.writer(self._language, self.site.name, path, "listing")
            text = "".join(f"<p>{escape(writer.paragraph(5))}</p>\n" for _ in range(2))
            frame = Frame(self.title, self._language, writer.line("title"), (self._home, *turns))
            return html(self._layout(frame, f"{text}<div>{items()}</div>"))

        return render


def _tracked(place: int, path: str) -> str:
    """Every third link carries tracking parameters, as links in the wild do."""
    if place % 3:
        return path
    return f"{path}{'&' if '?' in path else '?'}utm_source=index&utm_medium=teaser"
