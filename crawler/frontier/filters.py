"""The job's own filters of URLs: plugins, asked of links that the scope admits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crawler.plugins import UrlFilter

FILTER, FAILED = "filter:", "filter-failed:"
"""What a link is refused by, before the name of the filter; FAILED where that raised."""


class UrlFilters:
    """Asks each filter in turn; the first that refuses a link is why it is not queued.

    `failed` hears of what a filter raises: its name, the URL and the exception.
    """

    def __init__(
        self,
        filters: Sequence[tuple[str, UrlFilter]] = (),
        failed: Callable[[str, str, Exception], None] = lambda name, url, error: None,
    ) -> None:
        self._filters = tuple(filters)
        self._failed = failed

    def __bool__(self) -> bool:
        """Whether there is one to be asked."""
        return bool(self._filters)

    def refused(self, url: str, depth: int, referrer: str) -> str | None:
        """Return by what a link is refused, as it is counted; None where all admit it.

        One at which a filter fails is not queued: it may be what the filter is there for.
        """
        for name, each in self._filters:
            try:
                if not each.admits(url, depth, referrer):
                    return FILTER + name
            except Exception as error:
                self._failed(name, url, error)
                return FAILED + name
        return None
