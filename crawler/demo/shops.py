"""Hosts that name one page by many URLs: a shop with session ids and sort orders, a calendar."""

from __future__ import annotations

import re
from functools import partial
from html import escape

from crawler.demo.library import Library
from crawler.demo.pages import Answer, Site, Visit, copy_of, html
from crawler.demo.prose import Article
from crawler.demo.templates import Frame, anchors, article_markup, magazine, newspaper

SESSIONS = ("7f3a", "91c2", "d04e")
"""The shop hands out no more than these, so the crawl of it ends."""
SORTS = ("", "&sort=price", "&sort=name")
ITEMS = 8
DEPTH_LIMIT = 8
"""Links from a seed in the demo job: more than any honest page needs (see `desk`), and what ends
the calendar."""


class Shop:
    """A list of goods and a page for each, under every session id; the links keep the id."""

    def __init__(self, library: Library, site: Site) -> None:
        self._library = library
        site.add("/", self._home)
        for session in SESSIONS:
            for sort in SORTS:
                render = partial(self._list, session, sort)
                site.add(f"/list?sid={session}{sort}", render, copy_of("goods"))
            for item in range(ITEMS):
                render = partial(self._item, item, session)
                site.add(f"/item/{item}?sid={session}", render, copy_of(f"item{item}"))

    def _home(self, visit: Visit) -> Answer:
        text = escape(self._library.writer("en", "shop").paragraph(10))
        links = tuple((f"/list?sid={s}", f"Enter by door {n}") for n, s in enumerate(SESSIONS, 1))
        return html(magazine(Frame("Shop", "en", "Welcome"), f"<p>{text}</p>{anchors(links)}"))

    def _list(self, session: str, sort: str, visit: Visit) -> Answer:
        items = "".join(
            f'<h2><a href="/item/{n}?sid={session}">{escape(self._goods(n).title)}</a></h2>'
            f"<p>{escape(self._goods(n).blocks[0].text)}</p>\n"
            for n in self._order(sort)
        )
        links = tuple((f"/list?sid={session}{s}", f"Sorted {s[6:]}") for s in SORTS)
        return html(magazine(Frame("Shop", "en", "All our goods", links), items))

    def _order(self, sort: str) -> list[int]:
        if sort == "&sort=name":
            return sorted(range(ITEMS), key=lambda n: self._goods(n).title)
        step = 5 if sort == "&sort=price" else 1
        return [n * step % ITEMS for n in range(ITEMS)]

    def _item(self, item: int, session: str, visit: Visit) -> Answer:
        goods = self._goods(item)
        links = (("/", "Home"), (f"/list?sid={session}", "All goods"))
        return html(magazine(Frame("Shop", "en", goods.title, links), article_markup(goods)))

    def _goods(self, item: int) -> Article:
        return self._library.article(f"goods{item}", "en", True)


class Calendar:
    """A calendar without end: every month links to the one before and the one after.

    Only the home page leads in, so a month's depth is its distance from the first month plus one
    and the months within the depth limit are the same in whatever order they are fetched. All
    months say the same text under another title: siblings.
    """

    _MONTH = re.compile(r"^/calendar/(\d{1,4})/(\d\d)$")
    _FIRST = 2026 * 12

    def __init__(self, library: Library, site: Site) -> None:
        self._library = library
        site.add("/", self._home)
        for months in range(1 - DEPTH_LIMIT, DEPTH_LIMIT):
            site.add(_month_path(self._FIRST + months), self._month)
        # Any month of years 1-9999.
        site.beyond = lambda visit: self._month(visit) if self._MONTH.match(visit.path) else None

    def _home(self, visit: Visit) -> Answer:
        text = escape(self._library.writer("en", "calendar home").paragraph(10))
        link = anchors(((_month_path(self._FIRST), "Calendar"),))
        return html(newspaper(Frame("Calendar", "en", "Town hall"), f"<p>{text}</p>{link}"))

    def _month(self, visit: Visit) -> Answer:
        match = self._MONTH.match(visit.path)
        assert match, "registered and matched paths are months"
        month = int(match[1]) * 12 + int(match[2]) - 1
        links = (_month_path(month - 1), "Previous"), (_month_path(month + 1), "Next")
        frame = Frame("Calendar", "en", f"Events in {match[1]} month {match[2]}", links)
        return html(newspaper(frame, article_markup(self._library.article("events", "en", True))))


def _month_path(month: int) -> str:
    return f"/calendar/{month // 12}/{month % 12 + 1:02}"
