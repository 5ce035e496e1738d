"""What a page may have written for later: its long URLs in proportion to the bytes that it sent.

A URL that is queued stands in the state file, and at its end in a line, beside the URL of the page
that led to it. `<base>` makes two thousand characters out of every `<a href=1>`, so 24 KB of page
once made 64 MB on disk. URLs of ordinary length cost nothing, however many a site has.

Who pays is the page that leads there, since anybody can link to anybody. It has what it sent, and
then what its registrable domain has left for the whole crawl: hosts and ports cost an attacker
nothing, domains do. Where that has run out because of a neighbour, what the pages themselves send
is still enough for links as they are found in practice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from crawler import urls
from crawler.models import FetchTask

ORDINARY_LENGTH = 100
"""Characters of a URL that nobody pays for. Of 257,725 links on 779 pages (`shared/corpora`) 99 %
are no longer than 105."""
BYTES_A_BYTE = 16
"""What a page may have written for each byte that it sent, compressed as it was. Those 779 pages
ask for .22 at most, in the median for nothing."""


class Allowance:
    """What one page may still have queued."""

    __slots__ = ("_drawn_by", "_left", "_limit", "domain", "drawn", "refused")

    def __init__(self, domain: str, left: int, drawn_by: Counter[str], limit: int) -> None:
        """`left` is the page's own; `drawn_by` what each domain has drawn of its `limit`."""
        self._left = left
        self._drawn_by = drawn_by
        self._limit = limit
        self.domain = domain
        """The page's registrable domain."""
        self.drawn = 0
        """Bytes that this page took of what its domain had left, and that were not told."""
        self.refused = 0
        """Links that could not be paid for, and were not told."""

    def take_counts(self) -> tuple[int, int]:
        """Return, once, the bytes that were drawn and the links that were refused."""
        counts = self.drawn, self.refused
        self.drawn = self.refused = 0
        return counts

    def pay(self, cost: int) -> bool:
        """Pay for a URL; False where too little is left, then nothing is paid."""
        beyond = max(0, cost - self._left)
        if beyond and self._drawn_by[self.domain] + beyond > self._limit:
            self.refused += 1
            return False
        self._left -= cost - beyond
        if beyond:
            self.drawn += beyond
            self._drawn_by[self.domain] += beyond
        return True


class Allowances:
    """What each registrable domain has drawn; memory for those only that drew anything.

    `limit` is how much each may draw, over all runs; None: no page's links are counted. `drawn` is
    what earlier runs left: domain -> bytes.
    """

    def __init__(self, limit: int | None, drawn: Mapping[str, int]) -> None:
        self._limit = limit
        self._drawn = Counter(drawn)

    def of_page(self, host: str, sent_bytes: int) -> Allowance | None:
        """Return what a page of a host key may have queued; None where that is not limited."""
        if self._limit is None:
            return None
        domain = urls.registrable_domain(host)
        return Allowance(domain, BYTES_A_BYTE * sent_bytes, self._drawn, self._limit)


def cost_of(url: str, via: FetchTask) -> int:
    """Return the bytes that a URL costs beyond one of ordinary length, found on such a page."""
    return max(0, len(url) + len(via.url) - 2 * ORDINARY_LENGTH)
