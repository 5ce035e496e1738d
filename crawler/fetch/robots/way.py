"""Where an origin's robots.txt is to be asked for, over redirects. Pure; nothing here fetches.

RFC 9309 2.3.1.2 has at least five redirects followed, "even across authorities". Where that leads
to another host, its operator has a say: a redirect is followed freely to a file that is called
`/robots.txt`, and from there within its host; to any other place only if the rules of that place's
own origin allow it. They are asked for first, if need be, in the same way and freely only: whose
rules lie elsewhere themselves is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from crawler import urls

MAX_REDIRECTS = 5
"""RFC 9309 section 2.3.1.2: at least five are followed, and beyond that the file is unavailable."""


@dataclass(frozen=True, slots=True)
class Hop:
    """A place where the file is to be asked for, after so many redirects."""

    url: str
    redirects: int = 0
    free: bool = True
    """Whether its host's rules need not be asked."""

    @classmethod
    def first(cls, origin: str) -> Hop:
        """Return where the search for an origin's file begins."""
        return cls(file_of(origin))

    def to(self, target: str | None) -> Hop | None:
        """Return the next place, None where there is none (an invalid target) or one too many."""
        if target is None or self.redirects == MAX_REDIRECTS:
            return None
        within = self.free and urls.host_key(target) == urls.host_key(self.url)
        return Hop(target, self.redirects + 1, within or is_file(target))


@dataclass(frozen=True, slots=True)
class Way:
    """The search for one origin's file."""

    hop: Hop
    """Where the file is to be asked for."""
    probe: Hop | None = field(default=None)
    """Where before that the rules are asked for which that place's own origin has."""

    @property
    def next(self) -> Hop:
        """What is asked for next."""
        return self.probe or self.hop

    @property
    def led(self) -> bool:
        """Whether a redirect led there: it is not where the origin's own file ought to be."""
        return self.probe is not None or self.hop.redirects > 0

    def probing(self) -> Way:
        """Return the same way with the rules of the place asked for first."""
        return replace(self, probe=Hop.first(urls.origin(self.hop.url)))


def file_of(origin: str) -> str:
    """Return the URL of an origin's robots.txt."""
    return f"{origin}/robots.txt"


def is_file(url: str) -> bool:
    """Whether a canonical URL is that of a robots.txt."""
    return url == file_of(urls.origin(url))
