"""Pages whose templates left the same text of them, while they show different things."""

from __future__ import annotations

from collections import OrderedDict

from crawler.records import Signature

MOST_PAGES = 256
"""Of one host: pages of one template that show other things come close together, as lists, forms
and error pages of one site do."""

MOST_HOSTS = 1_000
"""The least recently used one is forgotten: with MOST_PAGES each, some 40 MB in all."""

_DIGEST_BYTES = 8
"""Of each digest: by chance two of them are alike once in 2^64 pairs of pages."""


class Twins:
    """The latest pages of each host that its template read: what was kept, and what they show.

    A template that drops what differs would make copies of them all; so the second one of such
    pages is doubted. Memory only: a page that nobody remembers is judged as its template reads it.
    """

    def __init__(self, pages: int = MOST_PAGES, hosts: int = MOST_HOSTS) -> None:
        self._most_pages = pages
        self._most_hosts = hosts
        self._hosts: OrderedDict[str, OrderedDict[bytes, bytes]] = OrderedDict()
        """Host key -> digest of the kept text -> of the visible one, of the first such page."""

    def doubts(self, host: str, page: Signature) -> bool:
        """Whether a page has another page's kept text and not its visible one; remember it."""
        pages = self._hosts.setdefault(host, OrderedDict())
        self._hosts.move_to_end(host)
        if len(self._hosts) > self._most_hosts:
            self._hosts.popitem(last=False)
        kept, visible = page.text_digest[:_DIGEST_BYTES], page.visible_digest[:_DIGEST_BYTES]
        known = pages.setdefault(kept, visible)
        pages.move_to_end(kept)
        if len(pages) > self._most_pages:
            pages.popitem(last=False)
        return known != visible
