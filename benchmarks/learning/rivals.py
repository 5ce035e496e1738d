"""Other ways to leave out URLs, on the same sites, by simulation.

    python -m benchmarks.learning.rivals [SITE ...] [--recorded DIR]

A site is walked breadth first, one fetch at a time, over the links of its pages; a rival says of
each URL, when its turn comes, whether it is fetched at all, and learns from each page that is. What
a rival leaves out it never gets: *missed* are the lines of 16 characters that no fetched page has,
*texts* the pages that had a new line when they were fetched. `none` leaves out nothing. `foreseen`
does not either, but knows what each page brings and where it leads, and goes the shortest way to
the next that brings something: learning can hardly do better.

static list   parameters of sessions, sorting and printing are dropped from URLs, as lists have them
canonical     a URL that a fetched page names as its rel=canonical is not fetched: that page shows
              what it would
katana        `-filter-similar`: segments of a path that look like numbers, digests or dates, and
              places with more than ten different segments, are variables, and values of a query do
              not count; one URL of each shape is fetched
DustBuster    Bar-Yossef, Keidar, Schonfeld, "Do not crawl in the DUST", WWW 2007: substitutions of
              substrings, likely by how many pairs of URLs they explain, validated on pages
DUSTER        Rodrigues, Cristo, de Moura, da Silva, "Removing DUST using multiple alignment of
              sequences", TKDE 2015: URLs of equal pages are aligned; what varies becomes a rule
MIQPS         Pinterest, 2026: within each set of parameter names, a parameter is dropped whose
              value makes no difference in nearly all samples

All are written from what is published of them, in some lines each, and are no one's programs. Those
that learn do so from the pages fetched so far, each time these are half as many again. Two pages
are equal for them if their lines are. They never fetch a page to test a rule: for MIQPS and
DustBuster, which do, pages that were fetched anyway stand in.
"""

from __future__ import annotations

import argparse
import re
from abc import ABC, abstractmethod
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from benchmarks.corpora import CORPORA
from benchmarks.learning.measures import Lines, Texts, Walk, area, texts
from benchmarks.learning.replaying import Answer
from benchmarks.learning.sites import RECORDED, Stage, names, stage
from crawler.extract.directives import robots_directives
from crawler.extract.page import parse, read_page
from crawler.urls import Canonicaliser

AGENT = "InlineCrawler"
FIRST, GROWTH = 200, 1.5
"""Pages before the first lesson, and how many times as many before each next one."""
WRONG = 0.05
"""Share of samples that may speak against a rule."""


@dataclass(frozen=True, slots=True)
class Page:
    """What came of a fetch."""

    links: Sequence[str]
    canonical: str | None
    lines: Lines | None
    """None where it is no page."""


Graph = Mapping[str, Page]


def graph(site: Stage, read: Texts) -> Graph:
    """Return what each URL of a site leads to, within the site."""
    canonicalise = Canonicaliser()
    return {url: _page(url, answer, site, read, canonicalise) for url, answer in site.site.items()}


def _page(
    url: str,
    answer: Answer,
    site: Stage,
    read: Texts,
    canonicalise: Canonicaliser,
) -> Page:
    if location := answer.field("location"):
        target = canonicalise(location, url)
        return Page([target] if target in site.site else [], None, None)
    if "html" not in answer.field("content-type") or answer.status != 200:
        return Page([], None, read.get(url))
    tree = parse(answer.body.decode("utf-8", "replace"), "text/html")
    hints, links = read_page(tree, url, canonicalise, AGENT)
    asked = robots_directives(answer.field("x-robots-tag"), AGENT)
    followed = () if links.nofollow or asked.nofollow else links.links
    there = [link for link in followed if link in site.site]
    return Page(there, hints.canonical_url, read.get(url))


class Rival(ABC):
    """Says which URLs are fetched."""

    @abstractmethod
    def admits(self, url: str) -> bool:
        """Whether a URL is fetched whose turn has come."""

    def learn(self, url: str, page: Page) -> None:  # noqa: B027 - some learn nothing
        """Hear what came of a fetch."""


def walk(seeds: Iterable[str], pages: Graph, rival: Rival) -> list[str]:
    """Return the URLs that are fetched, in their order."""
    todo = deque(seeds)
    seen, fetched = set(todo), []
    while todo:
        url = todo.popleft()
        if not rival.admits(url):
            continue
        fetched.append(url)
        page = pages[url]
        rival.learn(url, page)
        for link in page.links:
            if link not in seen:
                seen.add(link)
                todo.append(link)
    return fetched


def foreseen(seeds: Iterable[str], pages: Graph) -> list[str]:
    """Return the walk of one who knows what pages bring and where they lead.

    What brings something comes first; where nothing that does is known, the shortest way to it.
    """
    lines: set[str] = set()
    fetched: dict[str, None] = {}
    todo = deque(dict.fromkeys(seeds))
    seen, later = set(todo), dict[str, None]()

    def brings(url: str) -> bool:
        return bool((pages[url].lines or frozenset()) - lines)

    def fetch(url: str) -> None:
        fetched[url] = None
        lines.update(pages[url].lines or ())
        todo.extend(link for link in pages[url].links if link not in seen)
        seen.update(pages[url].links)

    def way() -> list[str]:
        """Return the shortest way from what is known to what brings something; or no way."""
        before: dict[str, str | None] = dict.fromkeys(later)
        ahead = deque(before)
        while ahead:
            url = ahead.popleft()
            if brings(url):
                back = [url]
                while (earlier := before[back[-1]]) is not None:
                    back.append(earlier)
                return back[::-1]
            for link in pages[url].links:
                if link not in before and link not in fetched:
                    before[link] = url
                    ahead.append(link)
        return list(before)

    while todo or later:
        if not todo:
            for url in way():
                later.pop(url, None)
                fetch(url)
            todo = deque(url for url in todo if url not in fetched)
        elif brings(url := todo.popleft()):
            fetch(url)
        else:
            later[url] = None  # what brings nothing now never will
    return list(fetched)


class Nothing(Rival):
    """Leaves out nothing."""

    def admits(self, url: str) -> bool:
        """Whether a URL is fetched: always."""
        return True


class Canonical(Rival):
    """Takes a page that names another as its canonical one for that."""

    def __init__(self) -> None:
        self._shown: set[str] = set()

    def admits(self, url: str) -> bool:
        """Whether no fetched page has named the URL."""
        return url not in self._shown

    def learn(self, url: str, page: Page) -> None:
        """Hear what a page names."""
        if page.lines is not None and page.canonical is not None and page.canonical != url:
            self._shown.add(page.canonical)


class Shapes(Rival):
    """One URL of each shape, as katana's filter of similar URLs has them."""

    _MOST = 10
    _IDS = (
        r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        r"(?=.*[a-f])[0-9a-f]{8,}",
        r"\d{4}-\d{2}-\d{2}",
        r"\d+",
    )

    def __init__(self) -> None:
        self._ids = [re.compile(pattern, re.IGNORECASE) for pattern in self._IDS]
        self._below: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self._seen: set[tuple[str, ...]] = set()

    def admits(self, url: str) -> bool:
        """Whether a URL is the first of its shape."""
        parts = urlsplit(url)
        place: tuple[str, ...] = (parts.netloc,)
        for segment in parts.path.strip("/").split("/"):
            kinds = (str(n) for n, one in enumerate(self._ids) if one.fullmatch(segment))
            name = next(kinds, segment)
            values = self._below[place]
            values.add(name)
            place = (*place, "{}" if len(values) > self._MOST else name)
        keys = sorted({key for key, _ in parse_qsl(parts.query, keep_blank_values=True)})
        shape = (*place, "/" if parts.path.endswith("/") else "", *keys)
        is_new = shape not in self._seen
        self._seen.add(shape)
        return is_new


class Keyed(Rival):
    """Brings URLs into a normal form; one of each is fetched."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self._taken: set[str] = set()
        self._lesson_at = FIRST

    @abstractmethod
    def key(self, url: str) -> str:
        """Return the normal form of a URL."""

    def train(self) -> None:
        """Make rules from `pages`."""

    def admits(self, url: str) -> bool:
        """Whether no URL of its normal form was fetched."""
        return self.key(url) not in self._taken

    def learn(self, url: str, page: Page) -> None:
        """Keep a page; learn where it is time."""
        self.pages[url] = page
        if len(self.pages) >= self._lesson_at:
            self._lesson_at = int(len(self.pages) * GROWTH)
            self.train()
            self._taken = {self.key(known) for known in self.pages}
        self._taken.add(self.key(url))

    def are_equal(self, one: str, other: str) -> bool:
        """Whether two fetched pages have the same text."""
        lines = self.pages[one].lines
        return lines is not None and lines == self.pages[other].lines


def _split(url: str) -> tuple[str, list[tuple[str, str]]]:
    address, _, query = url.partition("?")
    return address, parse_qsl(query, keep_blank_values=True)


def _joined(address: str, parameters: Iterable[tuple[str, str]]) -> str:
    return f"{address}?{'&'.join(f'{name}={value}' for name, value in parameters)}"


class StaticList(Keyed):
    """Drops parameters that usually mean nothing, whatever the site."""

    _DROPPED = re.compile(
        r"sid|(php|asp|j)?sess(ion)?_?(id)?|phpsessid|aspsessionid\w*|jsessionid|cfid|cftoken|"
        r"ref|referr?er|source|from|sort(by|_by)?|order(by|_by)?|dir|direction|view|layout|print|"
        r"printable|format|lang_?switch|replytocom|share|highlight|utm_\w+|\w*clid|_ga|timestamp|ts",
        re.IGNORECASE,
    )

    def key(self, url: str) -> str:
        """Return a URL without what the list has; the order of the others does not count."""
        address, parameters = _split(url)
        left = sorted(one for one in parameters if not self._DROPPED.fullmatch(one[0]))
        return _joined(re.sub(r";jsessionid=[^/?]*", "", address, flags=re.IGNORECASE), left)


class Miqps(Keyed):
    """Keeps of each set of parameters those whose value makes a difference."""

    _SAMPLES, _LEAST = 100, 10

    def __init__(self) -> None:
        super().__init__()
        self._neutral: set[tuple[str, tuple[str, ...], str]] = set()

    @staticmethod
    def _pattern(
        address: str, parameters: Iterable[tuple[str, str]]
    ) -> tuple[str, tuple[str, ...]]:
        return urlsplit(address).netloc, tuple(sorted({name for name, _ in parameters}))

    def key(self, url: str) -> str:
        """Return a URL without its neutral parameters."""
        address, parameters = _split(url)
        pattern = self._pattern(address, parameters)
        return _joined(
            address,
            sorted(one for one in parameters if (*pattern, one[0]) not in self._neutral),
        )

    def train(self) -> None:
        """Compare pages whose URLs differ in one parameter: its value, or whether it is there."""
        rests: dict[tuple[str, str], list[str]] = defaultdict(list)
        for url in self.pages:
            address, parameters = _split(url)
            for name in {name for name, _ in parameters}:
                without = sorted(one for one in parameters if one[0] != name)
                rests[name, _joined(address, without)].append(url)
        bare = defaultdict(list)
        for url in self.pages:
            address, parameters = _split(url)
            bare[_joined(address, sorted(parameters))].append(url)
        votes: dict[tuple[str, tuple[str, ...], str], list[bool]] = defaultdict(list)
        for (name, rest), urls in rests.items():
            others = [*urls, *bare.get(rest, ())]
            for one, other in pairwise(others):
                address, parameters = _split(one)
                found = votes[(*self._pattern(address, parameters), name)]
                if len(found) < self._SAMPLES:
                    found.append(self.are_equal(one, other))
        self._neutral = {
            place
            for place, found in votes.items()
            if len(found) >= self._LEAST and found.count(False) <= WRONG * len(found)
        }


_TOKENS = re.compile(r"\w+|\W", re.ASCII)


class DustBuster(Keyed):
    """Replaces substrings by others: rules `a -> b` that many pairs of URLs have."""

    _LONGEST, _BUCKET, _SUPPORT, _SAMPLES, _RULES = 4, 11, 5, 100, 200

    def __init__(self) -> None:
        super().__init__()
        self._rules: list[tuple[str, str]] = []

    def key(self, url: str) -> str:
        """Return a URL with all rules applied, each as often as something changes."""
        key = f"^{url}$"
        for _ in range(10):
            before = key
            for old, new in self._rules:
                key = key.replace(old, new)
            if key == before:
                break
        return key

    def train(self) -> None:
        """Find the substitutions, and keep those that pages confirm."""
        buckets: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
        for url in self.pages:
            tokens = ["^", *_TOKENS.findall(url), "$"]
            for begin in range(1, len(tokens)):
                for end in range(begin, min(begin + self._LONGEST, len(tokens) - 1) + 1):
                    around = "".join(tokens[:begin]), "".join(tokens[end:])
                    buckets[around].add(("".join(tokens[begin:end]), url))
        pairs: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        for bucket in buckets.values():
            if 2 <= len(bucket) <= self._BUCKET:
                for (one, url), (other, twin) in combinations(sorted(bucket), 2):
                    # To the shorter, then the smaller: applied again and again it comes to an end.
                    new, old = sorted((one, other), key=lambda text: (len(text), text))
                    if old != new:
                        pairs[old, new].append((url, twin))
        likely = sorted(pairs, key=lambda rule: (-len(pairs[rule]), len(rule[0]), rule))
        chosen: list[tuple[str, str]] = []
        for rule in likely[: self._RULES]:
            found = pairs[rule][: self._SAMPLES]
            wrong = sum(not self.are_equal(*pair) for pair in found)
            if len(pairs[rule]) >= self._SUPPORT and wrong <= WRONG * len(found):
                chosen.append(rule)
        self._rules = chosen


class Duster(Keyed):
    """Aligns the URLs of equal pages; rules are what clusters of the same alignment share."""

    _URLS, _SUPPORT, _VALUES, _LONGEST = 5, 3, 10, 60

    def __init__(self) -> None:
        super().__init__()
        self._rules: list[_Alignment] = []

    def key(self, url: str) -> str:
        """Return the normal form that the first fitting rule gives."""
        tokens = _TOKENS.findall(url)
        return next((key for rule in self._rules if (key := rule.normal(tokens))), url)

    def train(self) -> None:
        """Align each cluster, join what varies at the same places, and validate."""
        clusters: dict[Lines, list[str]] = defaultdict(list)
        for url, page in self.pages.items():
            if page.lines:
                clusters[page.lines].append(url)
        joined: dict[tuple[object, ...], list[_Alignment]] = defaultdict(list)
        for urls in clusters.values():
            if len(urls) > 1:
                rows = [_TOKENS.findall(url)[: self._LONGEST] for url in urls[: self._URLS]]
                alignment = _Alignment.of(rows)
                joined[alignment.varying].append(alignment)
        found = [
            (len(several), _Alignment.joined(several, self._VALUES))
            for several in joined.values()
            if len(several) >= self._SUPPORT
        ]
        found.sort(key=lambda pair: -pair[0])
        self._rules = [rule for _, rule in found if self._holds(rule)]

    def _holds(self, rule: _Alignment) -> bool:
        """Whether fetched pages that a rule takes for one are."""
        groups: dict[str, list[str]] = defaultdict(list)
        for url in self.pages:
            if key := rule.normal(_TOKENS.findall(url)):
                groups[key].append(url)
        pairs = [pair for urls in groups.values() for pair in pairwise(urls)]
        wrong = sum(not self.are_equal(*pair) for pair in pairs)
        return bool(pairs) and wrong <= WRONG * len(pairs)


_CLASSES = (re.compile(r"\d+"), re.compile(r"[0-9a-f]+"), re.compile(r"\w+", re.ASCII))


def _class_of(tokens: Iterable[str]) -> re.Pattern[str] | None:
    """Return the narrowest class that all tokens are of."""
    return next((one for one in _CLASSES if all(map(one.fullmatch, filter(None, tokens)))), None)


@dataclass(frozen=True, slots=True)
class _Alignment:
    """Columns of tokens; `varying` are those in which a cluster's own URLs differ."""

    columns: tuple[frozenset[str], ...]
    """Tokens of each; the empty one where some have none."""
    varying: tuple[object, ...]
    """How many columns there are, and which vary."""
    classes: tuple[re.Pattern[str] | None, ...] = ()
    """Of a rule: what else a column may hold."""

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]]) -> _Alignment:
        """Align the URLs of one cluster, each with those before it."""
        columns = [frozenset({token}) for token in rows[0]]
        for row in rows[1:]:
            columns = list(_aligned(columns, row))
        marks = [n for n, column in enumerate(columns) if len(column) > 1]
        return cls(tuple(columns), (len(columns), *marks))

    @classmethod
    def joined(cls, several: Sequence[_Alignment], most: int) -> _Alignment:
        """Return the rule of alignments that vary in the same columns."""
        columns = [
            frozenset().union(*column)
            for column in zip(*(one.columns for one in several), strict=True)
        ]
        varying = several[0].varying
        classes = [
            _class_of(column) if n not in varying[1:] or len(column) > most else None
            for n, column in enumerate(columns)
        ]
        classes = [one if len(columns[n]) > 1 else None for n, one in enumerate(classes)]
        return cls(tuple(columns), varying, tuple(classes))

    def normal(self, tokens: Sequence[str]) -> str | None:
        """Return the normal form of a URL that fits: what varies is left out. None: it does not."""
        kept, at = [], 0
        for n, (column, kind) in enumerate(zip(self.columns, self.classes, strict=True)):
            token = tokens[at] if at < len(tokens) else ""
            fits = token in column or (kind is not None and bool(kind.fullmatch(token)))
            if fits and token:
                at += 1
            elif "" in column:
                token = ""
            else:
                return None
            kept.append("\0" if n in self.varying[1:] else token)
        return "".join(kept) if at == len(tokens) else None


def _aligned(columns: Sequence[frozenset[str]], row: Sequence[str]) -> Iterator[frozenset[str]]:
    """Yield the columns with one more row, aligned with as many equal tokens as can be."""
    high, wide = len(columns), len(row)
    best = [[0.0] * (wide + 1) for _ in range(high + 1)]
    for i in range(high - 1, -1, -1):
        for j in range(wide - 1, -1, -1):
            match = best[i + 1][j + 1] + _likeness(columns[i], row[j])
            best[i][j] = max(match, best[i + 1][j], best[i][j + 1])
    i = j = 0
    while i < high or j < wide:
        if i < high and j < wide:
            likeness = _likeness(columns[i], row[j])
            if likeness and best[i][j] == best[i + 1][j + 1] + likeness:
                yield columns[i] | {row[j]}
                i, j = i + 1, j + 1
                continue
        if j == wide or (i < high and best[i][j] == best[i + 1][j]):
            yield columns[i] | {""}
            i += 1
        else:
            yield frozenset({row[j], ""})
            j += 1


def _likeness(column: frozenset[str], token: str) -> float:
    if token in column:
        return 1.0
    return 0.3 if token.isalnum() and any(one.isalnum() for one in column) else 0.0


RIVALS: Mapping[str, Callable[[], Rival]] = {
    "static list": StaticList,
    "canonical": Canonical,
    "katana": Shapes,
    "DustBuster": DustBuster,
    "DUSTER": Duster,
    "MIQPS": Miqps,
}


def main() -> None:
    """Print a table of all rivals on each site."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("sites", nargs="*", metavar="SITE")
    flags.add_argument("--recorded", type=Path, default=RECORDED, metavar="DIR")
    args = flags.parse_args()
    print(
        f"{'site':17}{'rival':13}{'fetches':>8}{'avoided':>9}{'texts':>7}{'area: texts':>13}"
        f"{'lines':>7}{'missed':>8}"
    )
    for name in args.sites or names(args.recorded, CORPORA):
        site = stage(name, args.recorded)
        read = texts(site.site, site.second)
        pages = graph(site, read)
        compare(name, site.seeds, pages, read)


def compare(name: str, seeds: Sequence[str], pages: Graph, read: Texts) -> None:
    """Print a row for each rival, beside a walk that leaves out nothing."""
    stored = frozenset(read)
    base = Walk(walk(seeds, pages, Nothing()), read, stored)
    _print(name, "none", base, base)
    _print(name, "foreseen", Walk(foreseen(seeds, pages), read, stored), base)
    for rival, make in RIVALS.items():
        _print(name, rival, Walk(walk(seeds, pages, make()), read, stored), base)


def _print(name: str, rival: str, gone: Walk, base: Walk) -> None:
    whole, reached = len(base.urls), base.missed()
    print(
        f"{name:17}{rival:13}{len(gone.urls):>8}"
        f"{1 - gone.avoidable / max(1, base.avoidable):>9.1%}{gone.new_texts[-1]:>7}"
        f"{area(gone.new_texts, whole) / max(1, area(base.new_texts, whole)):>13.3f}"
        f"{area(gone.new_lines, whole) / max(1, area(base.new_lines, whole)):>7.3f}"
        f"{len(gone.missed() - reached):>8}",
        flush=True,
    )


if __name__ == "__main__":
    main()
