"""How much markup may ask of a parser."""

from __future__ import annotations

MAX_DEPTH = 512
"""Elements within each other; deeper ones stand beside each other. As Blink has it
(kMaximumHTMLParserDOMTreeDepth). 500 KB of nested `div` took 13 s without it."""

MAX_FORMATTING = 16
"""Formatting elements within each other; further ones are left out, for they say nothing of a
text. 50 KB of them, no two alike, became four million elements, and real pages have some five."""

MAX_ATTRIBUTES = 512
"""Kept of one tag: real ones have up to some dozens. 29,000 of them, 200 KB, took 2.3 s."""

MAX_ROOTS = 16
"""Tags of `html`, `body` and `frameset`: the attributes of all are gathered on the first of each
of the former, and the last is no part of a text."""
