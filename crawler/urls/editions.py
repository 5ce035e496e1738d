"""What an address may mean, and what a site has proven.

Three things are read in an address alone: the sets of URLs that it is one of (`subtrees`, `shapes`:
by them a crawl counts), its parts without language, version and index file (`address`), and, of
two, where they differ (`claim_of`).

Two URLs that differ in one place make a *claim*: whatever stands in the one tree stands in the
other as well (`/docs/15/` and `/docs/16/`, two hosts, `/x` and `/x/amp`, with and without `?sid=`).
Nobody believes a claim for its names: `/ga/` may be a language, a state or a version. It is earned
by pages that show the same, and lost again by pages that contradict it (`Editions`).
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import blake2b
from typing import NamedTuple, TypeAlias, TypeVar
from urllib.parse import parse_qsl, quote, unquote, unquote_plus, urlsplit

from crawler import urls
from crawler.models import EditionCount

K = TypeVar("K")
V = TypeVar("V")


class Latest(OrderedDict[K, V]):
    """Holds the `most` entries that were set last, oldest first: what is remembered of a site.

    To set one again makes it the latest; to read one, or `setdefault` one that is there, does not.
    """

    def __init__(self, most: int, entries: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        self._most = most
        super().__init__(entries)

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)


# Which sets of URLs a URL is one of, each with a name: the one grammar of rules about a site.
#
# A shape is a set of URLs that a program behind them is likely to make in one way: everything below
# a directory, every query of one script, every host of one domain. Digits and ids are rubbed out of
# its name, since a program that counts makes ever new ones:
#
#     a.test/cal/#/#        the pages /cal/2031/01, /cal/2031/02, ...
#     a.test/news/*         the pages directly in /news/ whose names are words
#     a.test/news/*.html    the pages directly in /news/ whose names end so
#     a.test/w/Special:*    those whose names begin so
#     a.test/find?c&p       queries of /find with exactly the keys c and p
#     a.test/find?c=new&p   those of them that ask for this
#     a.test/find?*         all queries of /find
#     a.test/**?sid         queries of the whole host with exactly the key sid
#     a.test/cal/**?sid     those of them below /cal/
#     a.test/*/log/**       what lies two levels below folders of any name, without a query
#     a.test/**/print       what has this name, or lies in a folder of this name, without a query
#     a.test/cal/           everything below /cal/
#     a.test/               the host
#     *.a.test              every host of the registrable domain, on every port
#
# Cuts are of shapes that lie one in the other, directories among them (`subtrees`), yields of those
# that say most of a URL (`shapes`). Escapes are read in names of the latter only.

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
    """Return the shapes of a canonical URL of this host key that lie one in the other.

    Narrowest first, at most MAX_PREFIXES + 5 of them.
    """
    path, _, query = url.split("/", 3)[3].partition("?")
    *folders, last = [segment for segment in path.split("/") if segment] or ["*"]
    last = shape(last)
    around = _prefixes(host, tuple(folders[:MAX_PREFIXES]))
    place = f"{around[0]}**/" if len(folders) > MAX_PREFIXES else around[0]
    own = [f"{place}{last if '#' in last else '*'}"]
    if query:
        parameters = query.split("&", LOOKED_AT)[:LOOKED_AT]
        keys = "&".join(sorted({shape(one.partition("=")[0]) for one in parameters})[:MAX_KEYS])
        own = [f"{place}{last}?{keys}", f"{place}{last}?*", f"{host}/**?{keys}"]
    if path.endswith("/") and path.strip("/") and len(folders) < MAX_PREFIXES:
        own.append(f"{place}{last}/")
    return (*own, *around)


@lru_cache(maxsize=1024)
def _prefixes(host: str, folders: tuple[str, ...]) -> tuple[str, ...]:
    """Return the shapes of a folder and all around it, for who asks of many URLs in one."""
    prefixes = [f"*.{urls.registrable_domain(host)}", f"{host}/"]
    for name in map(shape, folders):
        prefixes.append(f"{prefixes[-1]}{name}/")
    return tuple(reversed(prefixes))


_TOLD = 24
"""Characters of a parameter's value that may say what a script is asked to do: `do=diff`."""


def shapes(of: UrlParts) -> tuple[tuple[str, ...], ...]:
    """Return the shapes of a URL that say most of it, kind by kind, the narrowest kind first.

    The narrower a kind, the more it says of a URL, once enough is known of it. At most some twenty.
    """
    host, (*above, last), query = of
    above, last = above[:MAX_PREFIXES], shape(last)
    dot = last.rpartition(".")[2] if "." in last[1:] else ""
    told = sorted(query)[:MAX_KEYS]
    keys = [shape(key) for key, _ in told]
    asked = f"?{'&'.join(keys)}" if query else ""
    folder, narrow, wide = _beside(host, tuple(above), f".{dot}" if dot else "", asked)
    kinds: list[tuple[str, ...]] = []
    if query:

        def with_value(n: int, value: str) -> str:
            return f"{folder}/{last}?{'&'.join((*keys[:n], f'{keys[n]}={value}', *keys[n + 1 :]))}"

        values = [(n, value) for n, (_, value) in enumerate(told)]
        begun = [(n, v.partition(":")[0]) for n, v in values if ":" in v[: _TOLD + 1]]
        kinds += (
            tuple([with_value(n, v) for n, v in values if len(v) <= _TOLD and not v.isdigit()]),
            tuple([with_value(n, f"{v}:*") for n, v in begun]),
            (f"{folder}/{last}{asked}",),
        )
    if ":" in last:
        kinds.append((f"{folder}/{last.partition(':')[0]}:*{asked}",))
    kinds += narrow
    if above:
        names = last, shape(above[-1])
        kinds.append(tuple([f"{host}/**/{name}{asked}" for name in names if name]))
    return tuple(filter(None, (*kinds, *wide)))


@lru_cache(maxsize=1024)
def _beside(
    host: str, folders: tuple[str, ...], ending: str, asked: str
) -> tuple[str, list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Return a folder's name, and the narrow and wide kinds of its URLs that end and ask so.

    For who asks of many: that is all but what has a URL's own name.
    """
    names = [*map(shape, folders)]
    folder = "/".join((host, *names))
    narrow: list[tuple[str, ...]] = [(f"{folder}/*{ending}{asked}",)]
    if len(names) > 1:
        narrow += (f"{host}/{names[0]}/{names[1]}/**{asked}",), (f"{host}/*/{names[1]}/**{asked}",)
    wide: list[tuple[str, ...]] = [(f"{host}/{name}/**{asked}",) for name in names[:1]]
    if asked:
        wide.append((f"{host}/**{asked}",))
    return folder, narrow, wide


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


@lru_cache(maxsize=16)
def repeats(url: str) -> bool:
    """Whether one segment stands REPEATED times in the path of a canonical URL."""
    segments = url.split("/", 3)[3].partition("?")[0].split("/")
    if len(segments) - len(set(segments)) < REPEATED - 1:
        return False
    return max(Counter(filter(None, segments)).values(), default=0) >= REPEATED


# What two URLs say of each other: one address in two editions, two languages, on two hosts.
#
# The address of a page is its URL without what names an edition of it: host, language, version, the
# name of an index file. Sites name pages so, by RFC 3986's hierarchy and for content negotiation
# (Apache's `page.fr.html`, `page.html.fr`); nothing requires it, so an equal address is evidence
# only for pages that are alike as well.

_LANGUAGES = frozenset(
    """
    ast ckb cmn dsb fil haw hsb kab kok mai nso sat yue
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da
    de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz
    ia id ie ig ii ik io is it iu ja jp jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li
    ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa
    pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th
    ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """.split()
)
"""ISO 639-1, some of 639-3 that sites have, and `jp`, `kr`, `tw` as they are used for it."""
_LOCALE = re.compile(
    r"([a-z]{2,3})[-_](?:[a-z]{2}|hans|hant|latn|cyrl|latin|valencia|001|150|419)(?:[-_][a-z]{2})?"
)
"""A language with a region or script (BCP 47), in lower case."""
_VERSION = re.compile(
    r"(?:[a-z]+[-_]?)?v?\d{1,4}(?:[._]\d{1,4}|\.x){1,3}(?:[-_.]?(?:alpha|beta|rc|dev|m)\d*)?|v\d+"
    r"|latest|stable|current|master|main|trunk|devel|dev|nightly|unstable|lts"
)
_MANUALS = frozenset(
    """
    api doc docs documentation guide handbook javase manual refman release releases version versions
    """.split()
)
"""Folders in which a number names an edition: `/docs/15/`."""
_NUMBER = re.compile(r"\d{1,3}")
_INDEX = re.compile(r"(?:index|default|home)\.(?:x?html?|php\d?|aspx?|jsp)")
_LANGUAGE_PARAMETERS = frozenset(("hl", "lang", "language", "locale", "setlang", "uselang"))

_LINE = "line="
"""Begins the fragment by which documents of one file are told apart (`crawler.sources.inputs`)."""

_KEYS_REMEMBERED = 1_024
"""A page's address is asked for as it is judged and as it is stored, and that takes 26 µs; many
pages may wait for their verdicts at once."""


class Address(NamedTuple):
    """A URL taken apart."""

    host: str
    segments: tuple[str, ...]
    """Of the path, decoded, without language, version and index file."""
    query: tuple[str, ...]
    """Its parameters as `name=value`, but for one that names a language; of a document in a file of
    many, its line there."""
    folder: str
    """The first folder of the path; empty at the root."""
    language: str
    """What was left out as a language, in lower case; empty where there was none."""


def address(url: str) -> Address:
    """Return the address of a canonical URL, or of the name of a document."""
    parts = urlsplit(url, allow_fragments=not url.startswith("http"))  # a route is part of a path
    segments = [unquote(segment) for segment in parts.path.strip("/").split("/")]
    is_folder = parts.path.endswith("/")
    if _INDEX.fullmatch(segments[-1].lower()):
        segments.pop()
        is_folder = True
    folders = segments if is_folder else segments[:-1]
    # The first folder that names a language, or the language of `page.fr.html` or `page.html.fr`.
    place = next((n for n, folder in enumerate(folders) if _is_language(folder)), None)
    language = ""
    if place is not None:
        language = folders[place]
        folders = folders[:place] + folders[place + 1 :]
    last = [] if is_folder else [segments[-1]]
    names = segments[-1].split(".") if last else []
    for number in (-1, -2) if len(names) > 2 else ():
        if _is_language(names[number]):
            language = language or names[number]
            last = [".".join(names[:number] + names[len(names) + number + 1 :])]
            break
    # The first folder that names a version; a number is one below a manual's name.
    for number, folder in enumerate(folders):
        below = folders[number - 1].lower() if number else ""
        if _VERSION.fullmatch(folder.lower()) or (below in _MANUALS and _NUMBER.fullmatch(folder)):
            folders = folders[:number] + folders[number + 1 :]
            break
    asked, query = _without_parameter(parse_qsl(parts.query, keep_blank_values=True))
    line = (parts.fragment,) if parts.fragment.startswith(_LINE) else ()
    named = tuple(segment for segment in (*folders, *last) if segment)
    first = named[0] if len(named) > len(last) else ""
    return Address(parts.netloc, named, (*query, *line), first, (language or asked).lower())


@lru_cache(maxsize=_KEYS_REMEMBERED)
def address_key(url: str) -> int | None:
    """Return 63 bits that are equal for URLs of one address, whatever their host.

    None for the root of a host, which every host has. Of a million other addresses one is equal by
    chance with a probability of 1e-13.
    """
    of = address(url)
    if not of.segments and not of.query:
        return None
    text = "\0".join((*of.segments, "", *of.query))
    digest = blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def _without_parameter(query: list[tuple[str, str]]) -> tuple[str, tuple[str, ...]]:
    """Return the value of a parameter that names a language, and the others as `name=value`."""
    named = {pair for pair in query if pair[0].lower() in _LANGUAGE_PARAMETERS}
    languages = [value for name, value in query if (name, value) in named and _is_language(value)]
    others = (pair for pair in query if pair[1] not in languages or pair not in named)
    return languages[0] if languages else "", tuple(map("=".join, others))


def _is_language(name: str) -> bool:
    name = name.lower()
    locale = _LOCALE.fullmatch(name)
    return (locale[1] if locale else name) in _LANGUAGES


LEAST = 3
"""Pairs of pages that agree before a claim is believed."""
AGAINST = 0.2
"""Share of the pairs that may contradict a claim that is believed: one in five."""
PROVEN, RARELY_AGAINST = 20, 0.1
"""Pairs that agree, and share of those that contradict, of a claim that is beyond doubt: there a
number in a text may be an editor's. Of few pages it may be all that a reader comes for."""
APART = 3
"""Pairs at addresses that are otherwise the same whose texts have little in common: in as many, a
site says the same in other languages. Guides to fifty states are alike."""

MOST_SLOTS, MOST_PAIRS = 10_000, 500
"""Slots held, and pairs of values of one: of more slots the ones not met for longest are forgotten,
of more pairs no others are counted. A parameter that makes each URL another has one pair."""


class Claim(NamedTuple):
    """That pages which differ in one place of their addresses are editions of each other."""

    slot: str
    """Where the addresses differ."""
    one: str
    """What stands there in either of them, the smaller first."""
    other: str

    @property
    def is_of_parameter(self) -> bool:
        """Whether a parameter of the query differs: most of these ask for another page."""
        return "?" in self.slot

    def is_ordered(self, url: str, other: str) -> bool:
        """Whether the first of the two URLs that made the claim has `one`, and not `other`."""
        one, two = (f"/{value}/" for value in self[1:])
        first, second = f"{url}/", f"{other}/"
        return (one in first and one not in second) or (two in second and two not in first)


@dataclass(slots=True)
class Support:
    """How many pairs of pages agree with a claim, and how many contradict it."""

    agree: int = 0
    against: int = 0

    @property
    def is_earned(self) -> bool:
        """Whether the claim is believed."""
        return self.agree >= LEAST and self.against <= AGAINST * (self.agree + self.against)

    @property
    def is_proven(self) -> bool:
        """Whether it is beyond doubt."""
        pairs = self.agree + self.against
        return self.agree >= PROVEN and self.against <= RARELY_AGAINST * pairs


class _Slot:
    """What was counted of one place in addresses."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[str, str], Support] = {}
        self.values: dict[str, Support] = {}
        """All pairs that a value is one of, added up."""
        self.apart = 0

    def count(self, claim: Claim, agree: int, against: int) -> Support | None:
        """Add to what speaks for and against a claim; None where too many were counted."""
        pair = claim[1:]
        if (support := self.pairs.get(pair)) is None:
            if len(self.pairs) >= MOST_PAIRS:
                return None
            support = self.pairs[pair] = Support()
        for one in (support, *(self.values.setdefault(value, Support()) for value in {*pair})):
            one.agree += agree
            one.against += against
        return support


class Earned(NamedTuple):
    """A place in addresses of which this site's pages prove that it tells editions apart."""

    slot: str
    values: tuple[str, ...]
    agree: int
    against: int


class Editions:
    """All claims that pairs of pages made, with their support; deterministic in their order."""

    def __init__(self) -> None:
        self._slots = Latest[str, _Slot](MOST_SLOTS)
        self._changed: dict[Claim, tuple[int, int]] = {}
        self._undo: list[Callable[[], object]] = []
        """What takes back what was counted since `begin`."""

    def begin(self) -> None:
        """From here on `take_back` takes back what is counted."""
        self._undo.clear()

    def take_back(self) -> None:
        """Be as at the last `begin`, before what is changed is asked for."""
        while self._undo:
            self._undo.pop()()

    def observe(self, claim: Claim, agrees: bool) -> None:
        """Count a pair of pages for a claim, or against it."""
        slot, counts = self._slot(claim.slot), (int(agrees), int(not agrees))
        if self._count(slot, claim, *counts):
            self._undo.append(partial(self._count, slot, claim, *(-count for count in counts)))

    def observe_apart(self, claim: Claim) -> None:
        """Count two pages at one address that have little in common."""
        slot = self._slot(claim.slot)
        if slot.apart < APART:
            self._count_apart(slot, claim, 1)
            self._undo.append(partial(self._count_apart, slot, claim, -1))

    def _count(self, slot: _Slot, claim: Claim, agree: int, against: int) -> bool:
        support = slot.count(claim, agree, against)
        if support is not None:
            self._changed[claim] = support.agree, support.against
        return support is not None

    def _count_apart(self, slot: _Slot, claim: Claim, pairs: int) -> None:
        slot.apart += pairs
        self._changed[Claim(claim.slot, *_APART)] = slot.apart, 0

    def support(self, claim: Claim) -> Support:
        """Return what speaks for a claim: of itself, or of either value with whatever others.

        Of itself alone where enough pairs have spoken: they know better.
        """
        slot = self._slots.get(claim.slot)
        if slot is None:
            return Support()
        nothing = Support()
        found = slot.pairs.get(claim[1:], nothing)
        if found.agree + found.against >= LEAST and not found.is_earned:
            return found
        each = [slot.values.get(value, nothing) for value in claim[1:]]
        weaker = min(each, key=lambda one: one.agree)
        return max(found, weaker, key=lambda one: (one.is_proven, one.is_earned))

    def holds_languages(self, claim: Claim) -> bool:
        """Whether the site says the same in other words where addresses differ so."""
        slot = self._slots.get(claim.slot)
        return slot is not None and slot.apart >= APART

    def earned(self) -> Iterator[Earned]:
        """Yield the places in addresses where editions are believed, as they were first met."""
        for name, slot in self._slots.items():
            believed = [pair for pair in slot.pairs if self.support(Claim(name, *pair)).is_earned]
            if believed:
                values = tuple(dict.fromkeys(value for pair in believed for value in pair))
                supports = [slot.pairs[pair] for pair in believed]
                agree, against = sum(s.agree for s in supports), sum(s.against for s in supports)
                yield Earned(name, values, agree, against)

    def take_changed(self) -> tuple[EditionCount, ...]:
        """Return, once, what has changed since this was last asked: to be stored."""
        changed = tuple(EditionCount(*claim, *counts) for claim, counts in self._changed.items())
        self._changed.clear()
        return changed

    def restore(self, counted: Iterable[EditionCount]) -> None:
        """Take in what an earlier run stored, or another has counted by now."""
        for *named, agree, against in counted:
            claim = Claim(*named)
            slot = self._slot(claim.slot)
            if claim[1:] == _APART:
                slot.apart = agree
            else:
                known = slot.pairs.get(claim[1:], Support())
                slot.count(claim, agree - known.agree, against - known.against)
        self.begin()

    def _slot(self, name: str) -> _Slot:
        slot = self._slots.get(name)
        if slot is None:
            slot = _Slot()
            if len(self._slots) >= MOST_SLOTS:  # the oldest makes room for it
                self._undo.append(partial(self._remember, *next(iter(self._slots.items()))))
            self._undo.append(partial(self._slots.pop, name, None))
        self._slots[name] = slot
        return slot

    def _remember(self, name: str, slot: _Slot) -> None:
        self._slots[name] = slot
        self._slots.move_to_end(name, last=False)


_APART = ("?", "?")
"""Values that no address has: under them stands how many pairs were apart."""


class UrlParts(NamedTuple):
    """A URL as rules of addresses see it."""

    host: str
    segments: tuple[str, ...]
    """Of the path, decoded; the last one is empty where it ends with a slash."""
    query: frozenset[tuple[str, str]]

    @property
    def place(self) -> str:
        """Its host and path."""
        return f"{self.host}/{'/'.join(self.segments)}"

    @property
    def asked(self) -> frozenset[Asked]:
        """Its parameters by name, and with their values."""
        return _asked_by_name(self.query)


Asked: TypeAlias = str | tuple[str, str]
"""A parameter, or one with its value."""


@lru_cache(256)
def _asked_by_name(query: frozenset[tuple[str, str]]) -> frozenset[Asked]:
    return query.union([key for key, _ in query])


_PARTS_REMEMBERED = 1_024
"""Some 1 MB."""


@lru_cache(_PARTS_REMEMBERED)
def parts_of(url: str) -> UrlParts:
    """Return a canonical URL taken apart, for who will ask for it again."""
    host, path = url.split("/", 3)[2:]
    path, _, query = path.partition("?")
    segments = tuple(map(unquote, path.split("/")) if "%" in path else path.split("/"))
    return UrlParts(host, segments, frozenset(_asked(query)))


_PARAMETER = re.compile("[&;](?=[^&;=]+=)|&")


def _asked(query: str) -> list[tuple[str, str]]:
    """Return the parameters of a query; `;` sets them apart, too (HTML 4.01, B.2.2)."""
    asked = _PARAMETER.split(query) if ";" in query else query.split("&")
    pairs = [(key, value) for key, _, value in (one.partition("=") for one in asked if one)]
    if "%" in query or "+" in query:
        pairs = [(unquote_plus(key), unquote_plus(value)) for key, value in pairs]
    return pairs


def claim_of(url: str, other: str) -> Claim | None:
    """Return what two pages, if they are one, say of addresses; None where they differ in more.

    Both URLs are canonical; documents of files are at no address.
    """
    if not (url.startswith("http") and other.startswith("http")):
        return None
    one, two = parts_of(url), parts_of(other)
    if one.query != two.query:
        if (one.host, one.segments) != (two.host, two.segments):
            return None
        names = sorted({name for name, _ in one.query ^ two.query})
        return Claim(f"{one.host}?{'&'.join(names)}", "", "")
    if one.segments == two.segments:
        return None if one.host == two.host else _claim("//", one.host, two.host)
    same_end = _common(one.segments[::-1], two.segments[::-1])
    if one.host != two.host:
        if same_end == 0 or one.segments[-same_end:] == ("",):
            return None
        trees = ("/".join((of.host, *of.segments[:-same_end])) for of in (one, two))
        return _claim("//", *trees)
    if same_end and one.segments[-same_end:] != ("",):
        firsts, seconds = one.segments[:-same_end], two.segments[:-same_end]
        begin = _common(firsts, seconds)
        slot = "/".join((one.host, *firsts[:begin], ""))
        return _claim(slot, "/".join(firsts[begin:]), "/".join(seconds[begin:]))
    short, long = sorted(([*filter(None, of.segments)] for of in (one, two)), key=len)
    if len(short) < len(long) and long[: len(short)] == short:
        return _claim(f"{one.host}/*/", "", "/".join(long[len(short) :]))
    if short and len(short) == len(long) and short[:-1] == long[:-1]:
        return _ending(one.host, short[-1], long[-1])
    return None


def _ending(host: str, name: str, other: str) -> Claim | None:
    """Return what two names in one folder say: `page.html`, `page.fr.html` and `page-print.html`.

    One has a part more, set off by a sign, or both have one after a full stop; none is a number.
    """
    begin = _common(name, other)
    most = min(len(name), len(other)) - begin
    end = min(_common(name[::-1], other[::-1]), most)
    ours, theirs = name[begin : len(name) - end], other[begin : len(other) - end]
    is_added = not ours or not theirs
    signs = (ours + theirs)[:1] + (ours + theirs)[-1:] if is_added else name[begin - 1 : begin]
    if begin == 0 or any(map(str.isdigit, ours + theirs)):
        return None
    if not (set(signs) & set(".-_") if is_added else signs == "."):
        return None
    return _claim(f"{host}/*", ours, theirs)


def _common(
    one: tuple[str, ...] | list[str] | str, other: tuple[str, ...] | list[str] | str
) -> int:
    """Return how many of the first elements are the same."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _claim(slot: str, one: str, other: str) -> Claim:
    return Claim(slot, *sorted((one, other)))


class Tree(NamedTuple):
    """All URLs of a host below a folder."""

    host: str
    segments: tuple[str, ...]
    """Of the folder, decoded; none is the whole host."""

    @property
    def name(self) -> str:
        """The tree as it is told."""
        return "/".join((self.host, *self.segments, ""))

    def holds(self, of: UrlParts) -> bool:
        """Whether a URL lies in it."""
        folders = len(self.segments)
        is_there = of.host == self.host and of.segments[:folders] == self.segments
        return is_there and len(of.segments) > folders

    def path(self, of: UrlParts) -> str:
        """Return where a URL that it holds lies in it, with its query."""
        query = "&".join(sorted(map("=".join, of.query)))
        return f"{'/'.join(of.segments[len(self.segments) :])}?{query}"

    def moved(self, url: str, to: Tree) -> str:
        """Return the URL at the path of one that it holds in another tree, of the same scheme."""
        scheme, _, _, path = url.split("/", 3)
        path, mark, query = path.partition("?")
        below = path.split("/")[len(self.segments) :]
        moved = "/".join((*map(quote, to.segments), *below))
        return f"{scheme}//{to.host}/{moved}{mark}{query}"


@lru_cache(256)
def trees_of(claim: Claim) -> tuple[Tree, Tree] | None:
    """Return the trees that a claim speaks of; None where it speaks of names or parameters.

    None as well for what is counted of pages that are apart, which has no values.
    """
    slot, *values = claim
    if claim.is_of_parameter or slot.endswith(("/*", "/*/")) or values[0] == values[1]:
        return None
    begin = [] if slot == "//" else slot.removesuffix("/").split("/")
    (host, *one), (host_of_other, *other) = (
        [*begin, *(value.split("/") if value else ())] for value in values
    )
    return Tree(host, tuple(one)), Tree(host_of_other, tuple(other))


def side_of(trees: tuple[Tree, Tree], of: UrlParts) -> int | None:
    """Return which of two trees a URL lies in, the inner one where one lies in the other."""
    one, other = trees
    is_one, is_other = one.holds(of), other.holds(of)
    if is_one and is_other:
        return int(len(one.segments) < len(other.segments))
    return 0 if is_one else 1 if is_other else None


_OWN = 4
"""Characters of a word that hardly stands in a line by chance."""


def own_words(url: str) -> list[str]:
    """Return the values of a URL's query, which its page may repeat, the longest first."""
    query = _asked(urlsplit(url, allow_fragments=False).query)
    words = {value for _, value in query if len(value) >= _OWN}
    return sorted(words, key=lambda word: (-len(word), word))


ANY = "*"


class SamePage(NamedTuple):
    """That URLs lead to one page whatever stands in one place of them, or in some parameters."""

    claim: Claim
    """Of a parameter, its slot names which (`host?sid`, `host?page=1`); else both values count,
    or whatever stands there (`ANY` in both)."""
    within: str = ""
    """Path and keys of the URLs that it speaks of (`/doku.php?id&idx`), with `ANY` name in a folder
    (`/shop/*?colour`); empty: all of the host."""

    @property
    def host(self) -> str:
        """A host key that it speaks of."""
        slot, one, _ = self.claim
        return re.split("[/?]", one if slot == "//" else slot, maxsplit=1)[0]

    @property
    def places(self) -> tuple[str, ...]:
        """What the place of any address begins with that it speaks of, or makes of another."""
        if (trees := trees_of(self.claim)) is not None:
            return tuple(tree.name for tree in trees)
        return (self.host + (self.within.partition("?")[0].removesuffix(ANY) or "/"),)

    @property
    def is_of_order(self) -> bool:
        """Whether it speaks of URLs that differ in the order of their parameters alone."""
        return self.claim.slot.endswith("?")

    def passer(self) -> Callable[[frozenset[Asked]], bool]:
        """Return what tells of an address by what it asks for that it is not concerned."""
        if self.claim.is_of_parameter:
            return _parameters(self.claim.slot)[1].isdisjoint
        return lambda asked: False

    @property
    def name(self) -> str:
        """The rule in words; it begins with a host."""
        slot, one, other = self.claim
        where = f" in {self.within}" if self.within else ""
        if self.is_of_order:
            return f"{slot}: the order of parameters does not matter"
        if self.claim.is_of_parameter:
            return f"{slot} does not matter{where}"
        if one == other == ANY:
            return f"{slot}*/ does not matter"
        return f"{slot}: {other} is {one or 'nothing'}"

    def applier(self) -> Callable[[UrlParts], UrlParts | None]:
        """Return what gives the one address that stands for all of a page.

        None where an address is not concerned.
        """
        slot, one, other = self.claim
        if (trees := trees_of(self.claim)) is not None:
            to, where = trees
            return partial(_in_tree, where, to)
        if self.claim.is_of_parameter:
            return partial(_without, *_parameters(slot), self.within)
        host, *folders = slot.split("/")
        if one == other == ANY:
            return partial(_wherever, Tree(host, tuple(folders[:-1])))
        if slot.endswith("/*/"):  # one is empty, other what stands below a folder
            return partial(_in_folder, host, tuple(other.split("/")))
        return partial(_named, host, one, other)


def _in_tree(where: Tree, to: Tree, of: UrlParts) -> UrlParts | None:
    if not where.holds(of):
        return None
    return UrlParts(to.host, (*to.segments, *of.segments[len(where.segments) :]), of.query)


def _without(host: str, asked: frozenset[Asked], within: str, of: UrlParts) -> UrlParts | None:
    if not of.query or of.host != host:
        return None
    concerned = [pair for pair in of.query if pair in asked or pair[0] in asked]
    if not concerned or (within and within not in _contexts(of)):
        return None
    return UrlParts(host, of.segments, of.query.difference(concerned))


def _wherever(tree: Tree, of: UrlParts) -> UrlParts | None:
    place = len(tree.segments)
    if len(of.segments) < place + 2 or not tree.holds(of):
        return None
    return of._replace(segments=(*of.segments[:place], ANY, *of.segments[place + 1 :]))


def _in_folder(host: str, below: tuple[str, ...], of: UrlParts) -> UrlParts | None:
    if of.host != host or of.segments[-len(below) :] != below:
        return None
    return of._replace(segments=(*of.segments[: -len(below)], ""))


def _named(host: str, one: str, other: str, of: UrlParts) -> UrlParts | None:
    if of.host != host or other not in of.segments[-1]:
        return None
    begun, _, ended = of.segments[-1].rpartition(other)
    return of._replace(segments=(*of.segments[:-1], begun + one + ended)) if begun else None


def hosts_of(rule: str) -> frozenset[str]:
    """Return the host keys that a rule names, by the name of a shape or of a `SamePage`."""
    told = rule.removeprefix("//: ")
    places = [rule] if told == rule else told.split(" is ")
    return frozenset(place.partition("/")[0].partition("?")[0] for place in places)


MOST_PARAMETERS = 2
"""In which URLs of one page may differ for a rule: where more differ, it says little of either."""


def same_page_rules(url: str, other: str) -> tuple[SamePage, ...]:
    """Return the rules that two URLs of one page speak for; none where they differ in more."""
    one, two = parts_of(url), parts_of(other)
    if one == two:
        return (SamePage(Claim(f"{one.host}?", "", "")),)
    claim = claim_of(url, other)
    if claim is None:
        return ()
    if not claim.is_of_parameter:
        if claim.one == claim.other:
            return ()
        rules = [SamePage(claim)]
        values = claim[1:]
        is_folder = claim.slot.endswith("/") and not claim.slot.endswith(("//", "/*/"))
        if is_folder and all(value and "/" not in value for value in values):
            rules.insert(0, SamePage(Claim(claim.slot, ANY, ANY)))
        return tuple(rules)
    if len(_parameters(claim.slot)[1]) > MOST_PARAMETERS:
        return ()
    rules = [SamePage(claim)]
    if _contexts(one) == _contexts(two):  # a value that does not matter here, which may elsewhere
        rules += (SamePage(claim, within) for within in _contexts(one))
    differ = one.query ^ two.query
    if len(differ) == 1:  # it is there or not: perhaps its default
        ((key, value),) = differ
        rules.append(SamePage(claim._replace(slot=f"{one.host}?{key}={value}")))
    return tuple(rules)


@lru_cache(256)
def _parameters(slot: str) -> tuple[str, frozenset[Asked]]:
    """Return the host, and which of its parameters a claim speaks of."""
    host, _, told = slot.partition("?")
    key, is_default, value = told.partition("=")
    return host, frozenset([(key, value)] if is_default else told.split("&"))


@lru_cache(64)
def _contexts(of: UrlParts) -> tuple[str, ...]:
    """Return the URLs that one is like, the more first: those in its folder, at its path."""
    keys = "&".join(sorted({key for key, _ in of.query}))
    *folders, _ = of.segments
    beside = (f"/{'/'.join((*folders, ANY))}?{keys}",) if folders else ()
    return (*beside, f"/{'/'.join(of.segments)}?{keys}")
