"""The origins of one host: until when their rules stand, and which are asked no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from crawler import urls
from crawler.frontier.turns import GivenUp


@dataclass(slots=True)
class Origin:
    """What is known of one origin; http and https of a host are two with one host key."""

    rules_until: float = 0.0
    """When its robots.txt must be read again; 0.0 where it was never read."""
    failing_since: float | None = None
    """Since when its robots.txt cannot be read."""
    given_up: GivenUp | None = None
    """Why nothing more is asked of it; its URLs leave the frontier."""


class Origins:
    """What is known of each origin that was asked for its robots.txt or given up, by name."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, Origin] = {}

    def __getitem__(self, name: str) -> Origin:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    @property
    def read(self) -> list[str]:
        """Those that have answered in this run."""
        return [name for name, origin in self._known.items() if origin.rules_until]

    @property
    def in_trouble(self) -> bool:
        """Whether one was given up, or has rules that cannot be read."""
        return any(o.given_up or o.failing_since is not None for o in self._known.values())

    def need_rules(self, name: str, now: float) -> bool:
        """Whether the rules of an origin must be read before its next page."""
        known = self._known.get(name)
        return known is None or known.rules_until <= now

    def know_rules(self, name: str, until: float, *, fresh: bool) -> None:
        """The rules of an origin stand until then; not `fresh`: they cannot be read again."""
        known = self._origin(name)
        known.rules_until = until
        if fresh:
            known.failing_since = None

    def miss_rules(self, name: str, now: float) -> float:
        """The robots.txt of an origin cannot be read; return since when it cannot."""
        known = self._origin(name)
        if known.failing_since is None:
            known.failing_since = now
        return known.failing_since

    def give_up(self, name: str, given_up: GivenUp) -> None:
        """Ask this origin no more."""
        self._origin(name).given_up = given_up

    def given_up(self, url: str) -> GivenUp | None:
        """Return why a URL is not asked for any more, if its origin was given up."""
        known = self._known.get(urls.origin(url)) if self._known else None
        return known.given_up if known else None

    def _origin(self, name: str) -> Origin:
        return self._known.setdefault(name, Origin())
