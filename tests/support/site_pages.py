"""A site of one template: a menu, a sidebar and a footer around an article each."""

from __future__ import annotations

from support.documents import text

MENU = "".join(f"<li><a href='/menu/{n}'>Menu item {n}</a></li>" for n in range(12))
SIDEBAR = "".join(f"<p>Sentence {n} of the sidebar is on every page.</p>" for n in range(6))


def article(number: int, *links: int, words: int = 200, sidebar: str = SIDEBAR) -> str:
    """Return a page of its own words, which links to others by number."""
    split = text(number, words).split()
    prose = "".join(f"<p>{' '.join(split[n : n + 40])}.</p>" for n in range(0, words, 40))
    more = "".join(f"<a href='/{link}'>page {link}</a> " for link in links)
    return (
        f"<!doctype html><html><head><title>Page {number}</title></head><body>"
        f"<div class='menu'><ul>{MENU}</ul></div><div class='content'><h1>Page {number}</h1>"
        f"{prose}</div><div class='side'>{sidebar}</div><div class='more'>{more}</div>"
        "</body></html>"
    )


def site(pages: int) -> dict[str, str]:
    """Return the pages by their paths: the first one links to all the others."""
    others = {f"/{n}": article(n) for n in range(1, pages)}
    return {"/": article(pages, *range(1, pages)), **others}


MOVED_AT = 14
"""The first page of `moved_site` with text in its lower box."""


def moved_site(pages: int) -> dict[str, str]:
    """Return a site whose first pages have nothing but notices in a box where later ones have text.

    Its template drops that box, and no page by itself has so much in it that this is noticed.
    """

    def boxed(number: int) -> str:
        if number < MOVED_AT:
            who = f"by the makers of page {number}, all rights reserved"
            return "".join(f"<p>Copyright {2000 + year} {who}</p>" for year in range(6))
        return "".join(f"<p>{part}.</p>" for part in lower(number))

    def page(number: int, links: str = "") -> str:
        split = text(number, 200 if number < MOVED_AT else 80).split()
        prose = "".join(f"<p>{' '.join(split[n : n + 40])}.</p>" for n in range(0, len(split), 40))
        return (
            f"<!doctype html><html><head><title>Page {number}</title></head><body>"
            f"<div class='menu'><ul>{MENU}{links}</ul></div>"
            f"<div class='content'><h1>Page {number}</h1>{prose}</div>"
            f"<div class='footer'>{boxed(number)}</div></body></html>"
        )

    links = "".join(f"<li><a href='/{n}'>page {n}</a></li>" for n in range(1, pages))
    return {"/": page(0, links), **{f"/{n}": page(n) for n in range(1, pages)}}


def lower(number: int) -> list[str]:
    """Return what a later page of `moved_site` says in its lower box."""
    split = text(number + 5_000, 40).split()
    return [" ".join(split[n : n + 20]) for n in range(0, 40, 20)]
