"""The press: six hosts that write, reprint, copy and correct articles.

`families` says, for ten articles, where each appears and in which forms; a web of any size repeats
them. Cluster names are the articles' keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from crawler.demo.desk import Desk, Source
from crawler.demo.library import Library
from crawler.demo.pages import copy_of
from crawler.demo.prose import Article
from crawler.demo.templates import printed

Desks = Mapping[str, Desk]
"""By the first label of the host: news-a, news-b, archive, xinwen, zhuanzai, blog."""


def fill(library: Library, desks: Desks, articles: int) -> None:
    """Publish that many articles with all their copies."""
    press = _Press(library, desks)
    for number in range(articles):
        press.families[number % len(press.families)](number)


class _Press:
    def __init__(self, library: Library, desks: Desks) -> None:
        self._library = library
        self._desks = desks
        self.families: tuple[Callable[[int], None], ...] = (
            self._syndicated,
            self._copied,
            self._reprinted,
            self._printed,
            self._readvertised,
            self._edited,
            self._same_beginning,
            self._bilingual,
            self._single,
            self._same_beginning_chinese,
        )

    def _syndicated(self, n: int) -> None:
        """Three hosts, three layouts; the archive has edited a few words."""
        source, topic = self._source(n, "en")
        fate = copy_of(f"a{n}")
        self._desks["news-a"].publish(f"/story/{n}", source, fate, topic=topic)
        self._desks["news-b"].publish(f"/wire/{n}.html", source, fate, topic=topic)
        edited = self._changed(self._library.with_edits, source, n)
        self._desks["archive"].publish(f"/news?id={n}", edited, fate)

    def _copied(self, n: int) -> None:
        """The same bytes at a second URL, and a print version."""
        source, topic = self._source(n, "en")
        desk, path = self._desks["news-a"], f"/story/{n}"
        same = copy_of(f"a{n}", "original")
        versions = ((f"/print/{n}", "Print"), (f"/amp/{n}", "AMP"))
        desk.publish(path, source, same, topic=topic, versions=versions)
        desk.copy(f"/amp/{n}", path, same)
        desk.version(f"/print/{n}", source, copy_of(f"a{n}"), layout=printed)

    def _reprinted(self, n: int) -> None:
        """Reprinted in Chinese by another host, which adds a paragraph."""
        source, topic = self._source(n, "zh")
        fate = copy_of(f"a{n}")
        self._desks["xinwen"].publish(f"/wen/{n}", source, fate, topic=topic)
        longer = self._changed(self._library.with_paragraph, source, n)
        self._desks["zhuanzai"].publish(f"/zhuan/{n}.htm", longer, fate, topic=topic)

    def _printed(self, n: int) -> None:
        """A Chinese article with a print version and the same bytes for telephones."""
        source, topic = self._source(n, "zh")
        desk, path = self._desks["xinwen"], f"/wen/{n}"
        same = copy_of(f"a{n}", "original")
        versions = ((f"/wen/{n}?print=1", "打印"), (f"/m/{n}", "手机版"))
        desk.publish(path, source, same, topic=topic, versions=versions)
        desk.copy(f"/m/{n}", path, same)
        desk.version(f"/wen/{n}?print=1", source, copy_of(f"a{n}"), layout=printed)

    def _readvertised(self, n: int) -> None:
        """Other adverts and comments at one URL, another byline and date at a second."""
        source, topic = self._source(n, "en")
        desk, path, fate = self._desks["news-b"], f"/wire/{n}.html", copy_of(f"a{n}")
        versions = ((f"{path}?edition=2", "Morning"), (f"{path}?edition=3", "Evening"))
        desk.publish(path, source, fate, topic=topic, versions=versions)
        desk.version(f"{path}?edition=2", source, fate)
        desk.version(f"{path}?edition=3", self._changed(self._library.with_byline, source, n), fate)

    def _edited(self, n: int) -> None:
        """A few words silently edited on the way from one Chinese host to the other."""
        source, topic = self._source(n, "zh")
        fate = copy_of(f"a{n}")
        self._desks["zhuanzai"].publish(f"/zhuan/{n}.htm", source, fate, topic=topic)
        edited = self._changed(self._library.with_edits, source, n)
        self._desks["xinwen"].publish(f"/wen/{n}", edited, fate, topic=topic)

    def _same_beginning(self, n: int) -> None:
        """Hard negatives: two English articles that begin with the same three paragraphs."""
        self._pair(n, "en", "archive", "/essay")

    def _same_beginning_chinese(self, n: int) -> None:
        """The same in Chinese."""
        self._pair(n, "zh", "blog", "/suibi")

    def _bilingual(self, n: int) -> None:
        self._desks["blog"].publish(f"/post/{n}", lambda: self._library.bilingual(f"a{n}"))

    def _single(self, n: int) -> None:
        """Short and without any copy."""
        archive = self._desks["archive"]
        archive.publish(f"/news?id={n}", archive.english(f"a{n}"))

    def _pair(self, n: int, language: str, host: str, folder: str) -> None:
        library = self._library

        def one() -> Article:
            return library.article(f"a{n}", language, True)

        def other() -> Article:
            return library.same_beginning(one(), library.article(f"a{n}b", language, True))

        self._desks[host].publish(f"{folder}/{n}", one)
        self._desks[host].publish(f"{folder}/{n}b", other)

    def _source(self, n: int, language: str) -> tuple[Source, str]:
        topics = self._library.topics(language)
        topic = topics[(n // 10 + n) % len(topics)]
        return partial(self._library.article, f"a{n}", language, True, topic), topic

    @staticmethod
    def _changed(change: Callable[[Article, str], Article], source: Source, n: int) -> Source:
        return lambda: change(source(), f"a{n}")
