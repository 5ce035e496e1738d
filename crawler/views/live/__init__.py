"""The live page of a crawl (`--live`): how it is doing, what becomes of each URL, and how to steer.

`server` is the page over HTTP: its files, what a reader is given for each look, what may be asked
of the crawl; `panel` shows the same in a terminal. Both run in the crawl's own event loop, so what
is shown fits together and nothing needs a lock; or in that of who gathers what partitions tell.
`ends` is what is told of a URL's end. A reader asks again and again, and is given what is
new to it: nothing is kept for one reader.
"""

from __future__ import annotations
