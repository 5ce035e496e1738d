"""What a crawl's fetches brought, from what the server was asked and what it answered.

    texts(site, second)   the lines of each page that a site has
    Walk                  one crawl's fetches in order, held against those lines

Nothing here is taken from the crawler but which pages it stored. A *line* is what stands in one
block of a page, at least `LEAST` characters of it, wherever on the page. A page has *new text* if
one of its lines stood on no page fetched before. A fetch is *avoidable* if its page has none, or
if no page came of it: an error, a redirect, a page that asks not to be indexed.

No line is what differs when a page is fetched twice (when it was made, say), also with other digits
on other pages. Values of a page's own query are taken out of its lines, unless other pages have
these too: a page that shows what it was asked with says nothing new by that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from itertools import accumulate
from urllib.parse import parse_qsl, urlsplit

from lxml import etree, html

from benchmarks.learning.replaying import ROBOTS, Answer, Site

LEAST = 16
"""Characters of a line."""
_LEAST_VALUE = 4
"""Characters of a query's value that is taken out: shorter ones stand in lines by chance."""
_NO_TEXT = frozenset({"script", "style", "template", "noscript", "head", "svg", "textarea"})
"""What is no text of a page; in an area for text a form repeats the source of another page."""
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby "
    "s samp small span strike strong sub sup time tt u var wbr".split()
)
_DIGITS = re.compile(r"\d+")

Lines = frozenset[str]
Texts = Mapping[str, Lines]
"""URL -> the lines of its page; what is no page is not there."""


def page_lines(url: str, body: bytes, charset: str | None = "utf-8") -> Mapping[str, str]:
    """Return the lines of a page, each with what is left of it without values of the page's query.

    A page without lines, or that asks not to be indexed, has none.
    """
    try:
        root = html.document_fromstring(body, parser=html.HTMLParser(encoding=charset))
    except (etree.ParserError, LookupError):
        return {}
    for meta in root.iter("meta"):
        asked = (meta.get("content") or "").lower()
        if (meta.get("name") or "").lower() == "robots" and re.search(r"noindex|\bnone\b", asked):
            return {}
    return _long(url, "".join(_pieces(root)))


def _long(url: str, text: str) -> Mapping[str, str]:
    """Return the lines of a text that are long enough without values of the URL's query."""
    values = [v for _, v in parse_qsl(urlsplit(url).query) if len(v) >= _LEAST_VALUE]
    found = {}
    for line in text.split("\n"):
        rest = line = " ".join(line.split())
        for value in values:
            rest = " ".join(rest.replace(value, " ").split())
        if len(rest) >= LEAST:
            found[line] = rest
    return found


def _pieces(root: html.HtmlElement) -> Iterator[str]:
    """Yield the text, with line ends around all that is a block."""
    preformatted = 0
    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, node in walk:
        is_block = event in ("start", "end") and node.tag not in _INLINE
        if is_block:
            yield "\n"
        if event == "start":
            preformatted += node.tag == "pre"
            if node.tag in _NO_TEXT:
                walk.skip_subtree()
            elif node.text:
                yield node.text if preformatted else node.text.replace("\n", " ")
        else:
            preformatted -= event == "end" and node.tag == "pre"
            if node.tail:
                yield node.tail if preformatted else node.tail.replace("\n", " ")


def _lines_of(url: str, answer: Answer) -> Mapping[str, str]:
    """Return the lines of an answer; one that is no page has none."""
    kind = answer.field("content-type").lower()
    if url.endswith(ROBOTS):
        return {}
    if answer.status != HTTPStatus.OK or "noindex" in answer.field("x-robots-tag").lower():
        return {}
    if kind.startswith("text/plain"):
        return _long(url, answer.body.decode("utf-8", "replace"))
    if "html" not in kind:
        return {}
    charset = re.search(r"charset=\"?([\w-]+)", kind)
    return page_lines(url, answer.body, charset[1] if charset else None)


def texts(site: Site, second: Site | None = None) -> Texts:
    """Return the lines of a site's pages; `second` are later answers of some of its URLs.

    A value of a query may be a word like others: a line with it is taken as it stands where a page
    that was not asked with that value has it too.
    """
    found = {url: lines for url, answer in site.items() if (lines := _lines_of(url, answer))}
    plain = {line for lines in found.values() for line, rest in lines.items() if line == rest}
    changing = {
        _DIGITS.sub("0", line)
        for url, answer in (second or {}).items()
        if url in found and (lines := _lines_of(url, answer))
        for line in lines.keys() ^ found[url].keys()
    }
    return {
        url: frozenset(
            line if line in plain else rest
            for line, rest in lines.items()
            if not changing or _DIGITS.sub("0", line) not in changing
        )
        for url, lines in found.items()
    }


@dataclass(frozen=True)
class Walk:
    """The fetches of one crawl in their order, no URL twice."""

    urls: Sequence[str]
    texts: Texts
    stored: frozenset[str]
    """URLs that the crawl stored."""

    @cached_property
    def brought(self) -> Sequence[int]:
        """How many new lines each fetch brought."""
        seen: set[str] = set()
        counts = []
        for url in self.urls:
            lines = self.texts.get(url, frozenset()) - seen
            counts.append(len(lines))
            seen |= lines
        return counts

    @property
    def avoidable(self) -> int:
        """Fetches that brought no new line."""
        return self.brought.count(0)

    @cached_property
    def new_texts(self) -> Sequence[int]:
        """How many new texts were stored up to each fetch, itself included."""
        new = (
            bool(lines) and url in self.stored
            for url, lines in zip(self.urls, self.brought, strict=True)
        )
        return list(accumulate(map(int, new)))

    @cached_property
    def new_lines(self) -> Sequence[int]:
        """How many different lines were fetched up to each fetch, itself included."""
        return list(accumulate(self.brought))

    def put_off(self, share: float = 1.0) -> int:
        """Return how many avoidable fetches came after a share of the fetches that were not."""
        useful = [place for place, lines in enumerate(self.brought) if lines]
        if not useful:
            return 0
        last = useful[max(0, round(share * len(useful)) - 1)]
        return self.brought[last:].count(0)

    def missed(self) -> Lines:
        """Return the lines of the site's pages that no fetched page has."""
        return self._of(self.texts) - self._of(self.urls)

    def dropped(self) -> Lines:
        """Return the lines of fetched pages that no stored page has."""
        return self._of(self.urls) - self._of(self.stored)

    def _of(self, urls: Iterable[str]) -> Lines:
        return frozenset().union(*(self.texts.get(url, ()) for url in urls))


def at(curve: Sequence[int], fetches: int) -> int:
    """Return a curve's value after so many fetches; one that is shorter stays as it ended."""
    return curve[min(fetches, len(curve)) - 1] if curve and fetches else 0


def area(curve: Sequence[int], fetches: int) -> int:
    """Return the area under a curve over so many fetches."""
    return sum(at(curve, n) for n in range(1, fetches + 1))


def most(curve: Sequence[int]) -> int:
    """Return the area under a curve with as many texts, one a fetch: nobody can do better."""
    return area(range(1, at(curve, len(curve)) + 1), len(curve))
