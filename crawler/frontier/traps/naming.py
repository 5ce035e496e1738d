"""Which subtrees of the web a URL lies in: what the trap rule counts by.

A subtree is a set of URLs that a program behind them is likely to make in one way: everything below
a directory, everything of one shape, every query of one script, every host of one domain. Digits
and ids are rubbed out of its name, since a program that counts makes ever new ones:

    a.test/cal/#/#      the pages /cal/2031/01, /cal/2031/02, ...
    a.test/news/*       the pages directly in /news/ whose names are words
    a.test/find?c&p     queries of /find with exactly the keys c and p
    a.test/find?*       all queries of /find
    a.test/**?sid       queries of the whole host with exactly the key sid
    a.test/cal/         everything below /cal/
    a.test/             the host
    *.a.test            every host of the registrable domain, on every port
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from crawler import urls

MAX_PREFIXES = 4
"""Directories that are counted one below the other; deeper ones are counted by the fourth."""
MAX_KEYS = 8
"""Query keys that make a name; further ones are cut off, lest a name be as long as a URL."""
LOOKED_AT = 100
"""Characters of a path segment or key, and parameters of a query, that are looked at: a URL has
thousands of either at most, a page ten thousand URLs, and each takes a microsecond or two."""
REPEATED = 3
"""A path in which one segment stands as often as this repeats itself. Heritrix refuses the third
repetition in a row (PathologicalPathDecideRule, maxRepetitions 2); a/b/a/b/a counts here too."""

_TOKEN = re.compile(r"%[0-9A-F]{2}|[A-Za-z0-9]+")
_COUNTED = re.compile(r"([A-Za-z]*)[0-9]+\Z")
_ID_LENGTH = 24
"""A run of letters as long as this is a key that a program made, not a word."""
_PLAIN = re.compile(rf"[^0-9%]{{0,{_ID_LENGTH - 1}}}")
"""A segment in which nothing can be a number, a key or an escape: most are."""


@lru_cache(maxsize=2048)
def subtrees(url: str, host: str) -> tuple[str, ...]:
    """Return the names of the subtrees of a canonical URL of this host key, narrowest first.

    At most MAX_PREFIXES + 5 of them.
    """
    path, _, query = url.split("/", 3)[3].partition("?")
    written = [segment for segment in path.split("/") if segment]
    # What lies between the first few and the last one makes no name.
    segments = [shape(s) for s in (*written[:MAX_PREFIXES], *written[MAX_PREFIXES:][-1:])]
    below = segments if path.endswith("/") else segments[:-1]
    prefixes = [f"{host}/"]
    for segment in below[:MAX_PREFIXES]:
        prefixes.append(f"{prefixes[-1]}{segment}/")
    leaf = _leaf(host, segments, is_deep=len(written) > MAX_PREFIXES + 1)
    if query:
        keys = _keys(query)
        place = leaf if not segments else f"{leaf.rpartition('/')[0]}/{segments[-1]}"
        own = [f"{place}?{keys}", f"{place}?*", f"{host}/**?{keys}"]
    else:
        own = [leaf]
    return (*own, *reversed(prefixes), f"*.{urls.registrable_domain(host)}")


def _leaf(host: str, segments: list[str], is_deep: bool) -> str:
    """Return the name of all URLs that stand in the same place and have the same shape."""
    if not segments:
        return f"{host}/*"
    between = ["**"] if is_deep else []
    last = segments[-1]
    return "/".join([host, *segments[:-1], *between, last if "#" in last else "*"])


@lru_cache(maxsize=8192)
def shape(segment: str) -> str:
    """Return a path segment with numbers and ids as `#`; words and words' numbers stay apart.

    What is beyond LOOKED_AT becomes a `*`.
    """
    if _PLAIN.fullmatch(segment):
        return segment
    shaped = _TOKEN.sub(_rubbed, segment[:LOOKED_AT])
    return shaped if len(segment) <= LOOKED_AT else f"{shaped}*"


def _rubbed(match: re.Match[str]) -> str:
    token = match.group()
    if token[0] == "%":
        return token
    if counted := _COUNTED.match(token):
        return f"{counted[1]}#"
    varied = len(token) >= _ID_LENGTH or any(map(str.isdigit, token))
    return "#" if varied else token


def _keys(query: str) -> str:
    parameters = query.split("&", LOOKED_AT)[:LOOKED_AT]
    keys = {shape(parameter.partition("=")[0]) for parameter in parameters}
    return "&".join(sorted(keys)[:MAX_KEYS])


def repeats(url: str) -> bool:
    """Whether one segment stands REPEATED times in the path of a canonical URL."""
    path = url.split("/", 3)[3].partition("?")[0]
    counts = Counter(segment for segment in path.split("/") if segment)
    return max(counts.values(), default=0) >= REPEATED
