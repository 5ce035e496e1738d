"""Errors of our own: told with a traceback, once each, while the crawl goes on."""

from __future__ import annotations

import traceback

from crawler.console import Level, Message, Say, safe


class InternalErrors:
    """Reports unexpected exceptions; of those from one place only the first has its traceback."""

    def __init__(self, report: Say) -> None:
        self._report = report
        self._told: set[tuple[type[Exception], str, int | None]] = set()
        self._failed: set[tuple[str, str]] = set()

    def tell(self, what: str, error: Exception) -> None:
        """Report an error that came while `what` (a URL, a task of the crawl) was under way."""
        place = traceback.extract_tb(error.__traceback__)[-1]
        kind = (type(error), place.filename, place.lineno)
        level, said = Level.NOTICE, f"{type(error).__name__}, as before"
        if kind not in self._told:
            self._told.add(kind)
            level, said = Level.ERROR, "".join(traceback.format_exception(error)).rstrip()
        self._report(Message(f"{what}: internal error, the crawl goes on: {said}", level))

    def tell_of_filter(self, name: str, url: str, error: Exception) -> None:
        """Report what a filter of the job raised at a link."""
        at = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error} ({at.filename}, line {at.lineno})"
        self._tell_of_plugin(f"plugins.filters: {name}", url, said, "such links are not queued")

    def tell_of_extractor(self, name: str, url: str, said: str) -> None:
        """Report what an extractor of the job raised at a page."""
        follows = "such pages are read by the others, or as without it"
        self._tell_of_plugin(f"plugins.extractors: {name}", url, said, follows)

    def _tell_of_plugin(self, plugin: str, url: str, said: str, follows: str) -> None:
        """Report trouble with a plugin, the first of each kind of error, and what follows of it."""
        kind = plugin, said.partition(":")[0]
        if kind not in self._failed:
            self._failed.add(kind)
            self._report(safe(f"{plugin} failed at {url}: {said}; {follows}"))
