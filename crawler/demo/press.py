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
from crawler.demo.templates import Link, printed

Desks = Mapping[str, Desk]
"""By the first label of the host: news-a, news-b, archive, xinwen, zhuanzai, blog."""
Change = Callable[[Article, str], Article]
Place = tuple[str, str]
"""A host's label, and a path for the article's number."""


def fill(library: Library, desks: Desks, articles: int) -> None:
    """Publish that many articles with all their copies."""
    press = _Press(library, desks)
    for number in range(articles):
        press.families[number % len(press.families)](number)


class _Press:
    def __init__(self, library: Library, desks: Desks) -> None:
        self._library = library
        self._desks = desks
        en_print, en_copy = ("/print/{}", "Print"), ("/amp/{}", "AMP")
        zh_print, zh_copy = ("/wen/{}?print=1", "打印"), ("/m/{}", "手机版")
        xinwen, zhuanzai = ("xinwen", "/wen/{}"), ("zhuanzai", "/zhuan/{}.htm")
        self.families: tuple[Callable[[int], None], ...] = (
            self._syndicated,
            partial(self._copied, "en", "news-a", "/story/{}", en_print, en_copy),
            partial(self._reprinted, library.with_paragraph, xinwen, zhuanzai),
            partial(self._copied, "zh", "xinwen", "/wen/{}", zh_print, zh_copy),
            self._seen_again,
            partial(self._reprinted, library.with_edits, zhuanzai, xinwen),
            partial(self._same_beginning, "en", "archive", "/essay"),
            self._bilingual,
            self._single,
            partial(self._same_beginning, "zh", "blog", "/suibi"),
        )

    def _syndicated(self, n: int) -> None:
        """Three hosts, three layouts; the archive has edited a few words."""
        source, topic = self._source(n, "en")
        fate = copy_of(f"a{n}")
        self._desks["news-a"].publish(f"/story/{n}", source, fate, topic=topic)
        self._desks["news-b"].publish(f"/wire/{n}.html", source, fate, topic=topic)
        edited = self._changed(self._library.with_edits, source, n)
        self._desks["archive"].publish(f"/news?id={n}", edited, fate)

    def _copied(
        self, language: str, host: str, path: str, to_print: Link, to_copy: Link, n: int
    ) -> None:
        """The same bytes at a second URL (AMP, telephones), and a print version."""
        source, topic = self._source(n, language)
        desk, path, same = self._desks[host], path.format(n), copy_of(f"a{n}", "original")
        versions = tuple((href.format(n), text) for href, text in (to_print, to_copy))
        (print_path, _), (copy_path, _) = versions
        desk.publish(path, source, same, topic=topic, versions=versions)
        desk.site.add(copy_path, desk.site.pages[path].render, same)
        desk.version(print_path, source, copy_of(f"a{n}"), layout=printed)

    def _reprinted(self, change: Change, first: Place, second: Place, n: int) -> None:
        """Reprinted in Chinese by another host, which adds a paragraph or edits a few words."""
        source, topic = self._source(n, "zh")
        texts = (source, self._changed(change, source, n))
        for (host, path), text in zip((first, second), texts, strict=True):
            self._desks[host].publish(path.format(n), text, copy_of(f"a{n}"), topic=topic)

    def _seen_again(self, n: int) -> None:
        """The same page at two more URLs, with stamps and counters of later visits."""
        source, topic = self._source(n, "en")
        desk, path, fate = self._desks["news-b"], f"/wire/{n}.html", copy_of(f"a{n}")
        versions = ((f"{path}?edition=2", "Morning"), (f"{path}?edition=3", "Evening"))
        desk.publish(path, source, fate, topic=topic, versions=versions)
        desk.version(f"{path}?edition=2", source, fate, stamp="Updated 14 January 2026, 96 views")
        desk.version(
            f"{path}?edition=3", source, fate, stamp="Updated 16 January 2026, 1,024 views"
        )

    def _same_beginning(self, language: str, host: str, folder: str, n: int) -> None:
        """Hard negatives: two articles that begin with the same three paragraphs."""
        library = self._library

        def one() -> Article:
            return library.article(f"a{n}", language, True)

        def other() -> Article:
            return library.same_beginning(one(), library.article(f"a{n}b", language, True))

        self._desks[host].publish(f"{folder}/{n}", one)
        self._desks[host].publish(f"{folder}/{n}b", other)

    def _bilingual(self, n: int) -> None:
        self._desks["blog"].publish(f"/post/{n}", lambda: self._library.bilingual(f"a{n}"))

    def _single(self, n: int) -> None:
        """Short and without any copy."""
        archive = self._desks["archive"]
        archive.publish(f"/news?id={n}", archive.english(f"a{n}"))

    def _source(self, n: int, language: str) -> tuple[Source, str]:
        topics = self._library.topics(language)
        topic = topics[(n // 10 + n) % len(topics)]
        return partial(self._library.article, f"a{n}", language, True, topic), topic

    @staticmethod
    def _changed(change: Change, source: Source, n: int) -> Source:
        return lambda: change(source(), f"a{n}")
