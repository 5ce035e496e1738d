"""Errors of our own: told with a traceback, once each, while the crawl goes on."""

from __future__ import annotations

import traceback

from crawler.printing import Say


class InternalErrors:
    """Reports unexpected exceptions; of those from one place only the first has its traceback."""

    def __init__(self, report: Say) -> None:
        self._report = report
        self._told: set[tuple[type[Exception], str, int | None]] = set()

    def tell(self, what: str, error: Exception) -> None:
        """Report an error that came while `what` (a URL, a task of the crawl) was under way."""
        place = traceback.extract_tb(error.__traceback__)[-1]
        kind = (type(error), place.filename, place.lineno)
        if kind in self._told:
            said = f"{type(error).__name__}, as before"
        else:
            said = "".join(traceback.format_exception(error)).rstrip()
        self._told.add(kind)
        self._report(f"{what}: internal error, the crawl goes on: {said}")
