"""Where links of a text lead."""

from __future__ import annotations

from urllib.parse import urljoin

from crawler.extract.text import clean

MAX_ADDRESSES = 1_000_000
"""Characters of the addresses in one text; links beyond are text. As many as are followed of a
page: relative addresses may each be thousands of characters shorter than absolute ones."""

_KEPT = ("http://", "https://", "mailto:")
_ESCAPES = str.maketrans({char: f"%{ord(char):02X}" for char in ' "()<>\\^`{|}'})
"""Characters that would end a target in Markdown, or a cell around it."""


class Addresses:
    """Resolves the targets of one page's links against its base URL."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._left = MAX_ADDRESSES

    def __call__(self, target: str) -> str | None:
        """Return the address of a target, None where it is left out.

        That is one within the page itself, or by which no page is got, as of a script.
        """
        written = "".join(clean(target).split())
        if not written or written.startswith("#"):
            return None
        try:
            address = urljoin(self._base, written)
        except ValueError:  # no address at all, as `http://[`
            return None
        address = address.translate(_ESCAPES)
        self._left -= len(address)
        return address if address.startswith(_KEPT) and self._left >= 0 else None
