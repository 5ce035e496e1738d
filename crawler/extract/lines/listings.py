"""Listings: code whose markup only colours it, as highlighters write it for each token."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

_ELSE = ':not(span:not([hidden], [aria-hidden], [role], [style*="display" i]), a:empty)'
"""What may say more: anything but a `span`, as Pygments, highlight.js, Prism, Rouge and Shiki write
them, and the empty anchors of lines."""


def is_coloured(code: LexborNode) -> bool:
    """Whether nothing within an element of code says more than its text.

    Found out by the selectors' own walk, at a tenth of what ours takes. A listing in an element of
    its own kind may have False though it is coloured only.
    """
    # The parser matches from the root of the page on: the element itself is one below another.
    return not code.css_matches(f"{code.tag} {_ELSE}")
