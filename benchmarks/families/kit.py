"""What a family of pages is made of, and where all families are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

__all__ = ["FAMILIES", "Family", "Page", "family"]


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a small site, with its truth."""

    path: str
    """Path and query, as `/jobs/4711?lang=en`."""
    html: str
    """The whole document."""
    what: str
    """What the page is. Pages of one name are copies of each other: whoever has one of them misses
    nothing in the others. Of two names, a reader would miss either."""
    host: str = "www"
    """Subdomain on the family's own domain; `other:NAME` is the site of somebody else."""


@dataclass(frozen=True, slots=True)
class Family:
    """A few pages of one kind, on a site of their own."""

    name: str
    kind: str
    """What tempts a judge here, or what it should see through, in a few words."""
    language: str
    """`en` or `zh`."""
    half: str
    """`work`: to be looked at while rules are made; `held`: only read at the end."""
    make: Callable[[], Iterator[Page]]
    texts: str
    """Name of the family whose articles its pages print: its own, or that of another site."""

    def pages(self) -> list[tuple[str, Page]]:
        """Return URL and page, in the order in which a crawl meets them."""
        return [(self._url(page), page) for page in self.make()]

    def _url(self, page: Page) -> str:
        if page.host.startswith("other:"):
            return f"http://www.{self.name}-{page.host.removeprefix('other:')}.test{page.path}"
        return f"http://{page.host}.{self.name}.test{page.path}"


FAMILIES: dict[str, Family] = {}
"""All that modules of this package have declared, by name."""


def family(
    name: str, *, kind: str, language: str, half: str, texts: str | None = None
) -> Callable[[Callable[[], Iterator[Page]]], Callable[[], Iterator[Page]]]:
    """Declare a generator of pages as a family; its name is part of its host's: a-z, 0-9, `-`."""

    def declared(make: Callable[[], Iterator[Page]]) -> Callable[[], Iterator[Page]]:
        if name in FAMILIES:
            raise ValueError(f"two families are called {name}")
        FAMILIES[name] = Family(name, kind, language, half, make, texts or name)
        return make

    return declared
