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
