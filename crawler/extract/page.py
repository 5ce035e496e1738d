"""A page parsed once, and what its markup says besides its text.

Links, hints and robots directives, the layout (the skeleton of a page, apart from what it says),
and what it declares of its text: JSON-LD, Open Graph, meta elements, marked times.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from html import unescape
from itertools import chain, islice
from mimetypes import MimeTypes
from typing import Any, NamedTuple
from urllib.parse import unquote

import orjson
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from crawler.extract.directives import meta_directives, refresh_target
from crawler.extract.lines import MAX_CLASSES, labelled
from crawler.extract.text import folded
from crawler.models.pages import Metadata, PageLinks
from crawler.urls import MAX_URL_LENGTH, Canonicaliser, route_of

_NAME = r"[A-Za-z0-9_~-][A-Za-z0-9_.~-]*+"
"""Of a directory or file: unreserved characters (RFC 3986, 2.3), which stand for themselves in a
path, and no dot at the beginning, as dot segments have (5.2.4)."""
_PLAIN = re.compile(rf"(https?://[a-z0-9][a-z0-9.-]*+/|/|\./|(?:\.\./)*+)((?:{_NAME}/?+)*+)(?<!\A)")
"""A reference whose second part is only added to the address of its first one. Nothing else than
an empty one, which leads to the base itself, is refused by its end."""


class Resolver:
    """Brings the references of one page into canonical form; what they begin with is parsed once.

    Gives what `Canonicaliser` does, at a seventh of the time for a menu of plain paths. Holds at
    most as many of its beginnings as a page has hosts in its links, and one for each `../` that
    stands before a path.
    """

    def __init__(self, canonicalise: Canonicaliser, base: str) -> None:
        self._canonicalise = canonicalise
        self._base = base
        self._known: dict[str, str | None] = {}

    def __call__(self, reference: str) -> str | None:
        """Return the canonical form of a reference, or None (see `Canonicaliser`)."""
        plain = _PLAIN.fullmatch(reference) if len(reference) <= MAX_URL_LENGTH else None
        if plain is None:
            return self._canonicalise(reference, self._base)
        head, names = plain.groups()
        known = self._known
        if head not in known:
            known[head] = self._canonicalise(head or "./", self._base)
        address = known[head]
        if address is None:
            return None
        canonical = address + names
        return canonical if len(canonical) <= MAX_URL_LENGTH else None


XHTML = "application/xhtml+xml"

MAX_LINKS = 10_000
"""Links kept of one page, the first ones: real pages have hundreds, link farms any number."""

MAX_LINK_CHARACTERS = 1_000_000
"""Of the links kept of one page together: ten thousand of a hundred characters. A long base makes
20 MB of links out of 100 KB of page, and each goes to the queue, the state and the trap rule."""

MAX_ALTERNATES = 64
"""Other languages kept of one page: only a few sites have more."""

MAX_MEDIA = 400
"""Pictures and embeds kept of one page: a gallery has a hundred."""

MAX_TITLE_LENGTH = 1_000
"""Characters kept of a title or heading."""

_TELLING = (
    "[href], [src], [data-src], [data-original], [data-lazy-src], [content], "
    "[title]:empty, [aria-label]:empty, abbr[title], [datetime], [start]"
)
"""Elements that may lead elsewhere or tell something. One query for all, as each goes through the
whole tree, and by attributes, which takes a third of the time that names of elements take."""
_SOURCES = ("data-src", "data-original", "data-lazy-src", "src")
"""Where elements name what they show: before a script runs, `src` is often a placeholder."""
_CELLS = frozenset(("td", "th"))
_LEVELS = "h1", "h2", "h3", "h4"
"""Of headings; of the first one that a page has."""
_FETCHED_BY_OTHERS = re.compile(
    r"(?!https?:|javascript:|data:|about:|blob:)[a-z][a-z0-9+.-]*:", re.I
)
"""What begins a target that no crawler fetches: an address of mail, a telephone number, a place."""
_URL_WITHIN = re.compile(r"=(https?(?::|%3A)(?:/|%2F){2}[^&]*)", re.I)
_DIGIT = re.compile(r"\d")
_TYPES = MimeTypes(filenames=()).types_map[True]
"""Type by suffix, without what this machine may know besides."""
_SUFFIX = re.compile(r"\.[a-z][a-z0-9]{1,4}\Z")
_PAGE_SUFFIX = re.compile(r"\.(?:[sx]?html?|aspx?|cfm|cgi|do|jsp|php\d?)\b")
"""Of pages, and of the programs that make them."""
_SELF_CLOSED = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)"
    r"([A-Za-z][\w:.-]*+)((?:[^<>/]++|/(?!>))*+)/>"
)
"""Possessive, or a name of 50,000 letters would be tried in as many lengths, for 15 s."""


class Medium(NamedTuple):
    """A picture, or what is embedded or attached: a frame, a video, a sound, a file."""

    source: str
    """Where it is served from, as written; empty for a sign that is drawn by other means."""
    alternative: str | None
    """Of a picture or sign, the text in its place, as written; None for what is embedded."""
    in_cell: bool = False
    """Whether it is all there is in a cell of a table: the cell's value."""


@dataclass(frozen=True, slots=True)
class PageHints:
    """What a page says about itself. All URLs are canonical."""

    base: str = ""
    """What its relative URLs are resolved against."""
    title: str | None = None
    heading: str | None = None
    """The first h1 that says something, else the only heading of the highest level; cut as titles
    are."""
    canonical_url: str | None = None
    """Target of the first rel=canonical link (RFC 6596)."""
    refresh: str | None = None
    """Target of the first meta refresh that names another page, outside of noscript."""
    alternates: tuple[str, ...] = ()
    """The page in other languages (rel=alternate with hreflang), at most MAX_ALTERNATES."""
    media: tuple[Medium, ...] = ()
    """Pictures, signs, embeds and files that links lead to, at most MAX_MEDIA."""
    behind: tuple[str, ...] = ()
    """What pointing at words tells, each once: where links lead that no crawler follows, such as
    `mailto:info@a.example`, and what abbreviations stand for."""


def parse(html: str, media_type: str) -> LexborHTMLParser:
    """Return the tree of a page, parsed by the HTML standard with scripting off.

    XHTML is parsed as HTML too, after its self-closed elements were written out: an HTML parser
    takes `<script/>` for an opening tag and swallows the rest of the page.
    """
    if media_type == XHTML:
        html = written_out(html)
    # Mutation events only mirror the options of a select elsewhere, in quadratic time.
    return LexborHTMLParser(html, options=LexborDocumentOptions.WO_EVENTS)


def written_out(html: str) -> str:
    """Return a page of XHTML with an end tag for each self-closed element."""
    return _SELF_CLOSED.sub(r"<\1\2></\1>", html)


class _Markup:
    """What the elements of the page at `url` tell, as written; each list in document order."""

    def __init__(self, tree: LexborHTMLParser, url: str, canonicalise: Canonicaliser) -> None:
        self._routes = canonicalise.routes
        name = url.partition("?")[0].rpartition("/")[2]
        self._stem, self._suffix = name.partition(".")[0], _suffix(name)
        """The page's own name, and what the names of pages end in here."""
        self.behind: dict[str, None] = {}
        self._bases: list[str] = []
        self._targets: dict[str, None] = {}
        """Where elements lead, each once; without fragments, which make no other page but by
        scripts."""
        self._refreshes: list[str] = []
        self._canonicals: list[str] = []
        self.alternates: list[str] = []
        self._named: list[tuple[str, str]] = []
        """Name and content of meta elements."""
        self.media: list[Medium] = []
        before = 0
        for element in tree.css(_TELLING):
            if element.mem_id != before:  # it comes once for each of these attributes
                before = element.mem_id
                self._hear(element)
        # The first base element with an href (HTML standard 4.2.3), resolved against the page's own
        # URL; that where there is none or it leads to no http(s) URL.
        written = self._bases[0] if self._bases else ""
        self.base = (written and canonicalise(written, url)) or url
        self._resolve = Resolver(canonicalise, self.base)
        self._own = canonicalise(url)
        self.canonical = self._resolve(self._canonicals[0]) if self._canonicals else None

    def resolved(self, written: Iterable[str]) -> Iterator[str]:
        """Yield the canonical forms of what has one."""
        return filter(None, map(self._resolve, written))

    @property
    def refresh(self) -> str | None:
        """See `PageHints`."""
        return next((url for url in self.resolved(self._refreshes) if url != self._own), None)

    def links(self, agent: str) -> PageLinks:
        """See `page_links`."""
        asked = meta_directives(self._named, agent)
        found: dict[str, None] = {}
        left = MAX_LINK_CHARACTERS
        for url in chain(self.resolved(self._targets), (self.canonical,)):
            if url is not None and url != self._own and url not in found:
                left -= len(url)
                if left < 0 or len(found) == MAX_LINKS:
                    break
                found[url] = None
        return PageLinks(tuple(found), asked.noindex, asked.nofollow)

    def _hear(self, element: LexborNode) -> None:
        attributes = element.attributes
        match element.tag:
            case "a" | "area":
                if "href" in attributes and "nofollow" not in _tokens(attributes.get("rel")):
                    self._lead(attributes["href"] or "")
                self._hear_target(attributes)
            case "frame" | "iframe":
                if "src" in attributes and "nofollow" not in _tokens(attributes.get("rel")):
                    self._lead(attributes["src"] or "")
                self._add(Medium(_source(attributes), None))
            case "amp-video" | "audio" | "embed" | "source" | "video":
                self._add(Medium(_source(attributes), None))
            case "meta" if "content" in attributes:
                content = attributes["content"] or ""
                if (attributes.get("http-equiv") or "").strip().lower() == "refresh":
                    written = refresh_target(content)
                    if written is not None:
                        self._lead(written)
                        # One for readers without scripts only says where the page is for them.
                        if element.parent is None or element.parent.tag != "noscript":
                            self._refreshes.append(written)
                if "name" in attributes:
                    self._named.append((attributes["name"] or "", content))
            case "link" if "href" in attributes:
                kinds, written = _tokens(attributes.get("rel")), attributes["href"] or ""
                if "canonical" in kinds:
                    self._canonicals.append(written)
                if "alternate" in kinds and "hreflang" in attributes:
                    self.alternates.append(written)
            case "base" if "href" in attributes:
                self._bases.append(attributes["href"] or "")
            case "abbr":
                self.behind[attributes.get("title") or ""] = None
            case "ol" if "start" in attributes:
                self._add(Medium("", attributes["start"]))
            case "time" if not _DIGIT.search(element.text()):
                self._add(Medium("", attributes.get("datetime")))
            case "input" | "link" | "meta" | "script" | "time":
                pass
            case _:
                self._hear_picture(element)

    def _hear_target(self, attributes: dict[str, str | None]) -> None:
        """Note what a link leads to that is no page: the name of a file tells it from another."""
        if attributes.get("alt"):
            self._add(Medium("", attributes["alt"]))
        target = (attributes.get("href") or "").strip()
        path, _, query = target.partition("#")[0].partition("?")
        if ":" in path and _FETCHED_BY_OTHERS.match(path):
            self.behind[path] = None
            return
        if (within := _URL_WITHIN.search(query)) is not None:
            # A program that counts before it leads on: what is there is what the words promise.
            path, _, query = unquote(within[1]).partition("#")[0].partition("?")
        folder, _, name = path.rpartition("/")
        if folder.endswith("/") or name.partition(".")[0] == self._stem != "":
            return  # a host; or this page in another form: its source, for printing
        suffix = _suffix(name)
        if suffix and (_TYPES.get(suffix) or (not query and suffix != self._suffix)):
            is_picture = _TYPES.get(suffix, "").startswith("image/")
            self._add(Medium(path, "") if is_picture else Medium("", unquote(name)))

    def _hear_picture(self, element: LexborNode) -> None:
        """Note a picture, or a sign without text that is called something: a tick, a colour."""
        attributes = element.attributes
        is_image = element.tag in ("amp-img", "img")
        named = (
            attributes.get(name) for name in (("alt",) if is_image else ("aria-label", "title"))
        )
        alternative = next(filter(None, named), "")
        cell = element if element.tag in _CELLS else element.parent
        in_cell = bool(alternative) and cell is not None and cell.tag in _CELLS
        self._add(Medium(_source(attributes) if is_image else "", alternative, in_cell))

    def _add(self, medium: Medium) -> None:
        if (medium.source or medium.alternative) and len(self.media) < MAX_MEDIA:
            self.media.append(medium)

    def _lead(self, written: str) -> None:
        if not (self._routes and route_of(written)):
            written = written.partition("#")[0]
        self._targets[written] = None


def read_page(
    tree: LexborHTMLParser, url: str, canonicalise: Canonicaliser, agent: str
) -> tuple[PageHints, PageLinks]:
    """Return what the parsed page at `url` says of itself, and where it leads (`page_links`)."""
    told = _Markup(tree, url, canonicalise)
    hints = PageHints(
        told.base,
        _title(tree),
        _heading(tree),
        told.canonical,
        told.refresh,
        tuple(islice(told.resolved(told.alternates), MAX_ALTERNATES)),
        tuple(told.media),
        tuple(told.behind),
    )
    return hints, told.links(agent)


def page_links(
    tree: LexborHTMLParser, url: str, canonicalise: Canonicaliser, agent: str
) -> PageLinks:
    """Return where the parsed page at `url` leads: at most MAX_LINKS unique canonical URLs.

    Together they have at most MAX_LINK_CHARACTERS. They come from a, area, frame, iframe and meta
    refresh, in page order and without the page itself; rel=canonical comes last, links marked
    rel=nofollow are left out. Hidden ones count: menus are often hidden until a script shows them.
    `agent` is the product token that meta robots may name.
    """
    return _Markup(tree, url, canonicalise).links(agent)


def _source(attributes: dict[str, str | None]) -> str:
    named = (attributes.get(name) for name in _SOURCES)
    return next((one for one in named if one and not one.startswith("data:")), "")


@lru_cache(2_048)
def _suffix(name: str) -> str:
    """Return what a name ends in, such as `.pdf`; nothing where that is no suffix, or a page's."""
    if "." not in name:
        return ""
    name = name.lower()
    found = _SUFFIX.search(name)
    return "" if found is None or _PAGE_SUFFIX.search(name) else found[0]


def _title(tree: LexborHTMLParser) -> str | None:
    """Return the document's title (HTML standard 3.1.6): its first title outside a drawing."""
    for element in _each(tree, "title"):
        parent = element.parent
        if parent is None or parent.tag in ("head", "body"):
            return folded(element.text())[:MAX_TITLE_LENGTH].rstrip() or None
    return None


def _heading(tree: LexborHTMLParser) -> str | None:
    """Return the page's heading, as `PageHints` has it."""
    for level in _LEVELS:
        texts = (folded(element.text()) for element in _each(tree, level))
        says = [text[:MAX_TITLE_LENGTH].rstrip() for text in texts if text]
        if says:
            return says[0] if len(says) == 1 or level == _LEVELS[0] else None
    return None


def _each(tree: LexborHTMLParser, tag: str) -> Iterator[LexborNode]:
    """Yield the elements of a name in document order; others than the first are mostly unasked."""
    first = tree.css_first(tag)
    if first is not None:
        yield first
        yield from tree.css(tag)[1:]


def _tokens(value: str | None) -> list[str]:
    return value.lower().split() if value else []


LEVEL_WEIGHTS = (3, 3, 2, 2, 1, 1, 1)
"""What a path weighs, by level below the root; deeper levels are not read. The deeper an element,
the more likely it is content."""

MAX_ELEMENTS = 10_000
"""Elements read of one page, the ones nearest to the root: a page of millions costs no more."""

_MAX_LABEL_LENGTH = 64

_KNOWN = 2048
"""Labels that a process holds, 1 MB at most."""

_UNSEEN = frozenset("br head hr link meta noscript script style template wbr".split())
"""No part of the skeleton; scripts and styles come and go with adverts and counters."""

_HOLDS_CONTENT = frozenset(
    """
    a abbr acronym address applet audio b bdi bdo big blockquote button canvas caption cite code
    data del dfn dt em embed figcaption font h1 h2 h3 h4 h5 h6 hgroup i iframe img input ins kbd
    label legend listing map mark math meter nobr object output p picture pre progress q ruby s
    samp select slot small span strike strong sub summary sup svg textarea time tt u var video xmp
    """.split()
)
"""Counted, but not looked into: text-level elements, headings, and blocks of text (HTML standard
4.3-4.5 and 15.3). An `a` around a whole teaser is content too."""


def layout_paths(tree: LexborHTMLParser) -> dict[str, int]:
    """Return the paths of two elements, e.g. `div.body>div.section`, each with its weight.

    How often one occurs says nothing: a page with more sections, rows or comments has the same
    layout. It weighs by the uppermost place where it occurs. Time is linear in the elements of the
    upper levels, memory bounded by MAX_ELEMENTS. Empty only for a tree without elements.
    """
    root = tree.root
    if root is None:
        return {}
    paths: dict[str, int] = {}
    level = [("html", root)]
    left = MAX_ELEMENTS
    for weight in LEVEL_WEIGHTS:
        below = []
        for parent, element in level:
            for child in islice(element.iter(), left):
                left -= 1
                tag = (child.tag or "")[:_MAX_LABEL_LENGTH]
                if tag in _UNSEEN:
                    continue
                classes = child.attributes.get("class")
                label = _label(tag, classes[:MAX_CLASSES]) if classes else tag
                paths.setdefault(f"{parent}>{label}", weight)
                if tag not in _HOLDS_CONTENT:
                    below.append((label, child))
        level = below
    return paths


@lru_cache(_KNOWN)
def _label(tag: str, classes: str) -> str:
    return labelled(tag, classes)[:_MAX_LABEL_LENGTH]


MAX_JSON_BYTES = 262_144
"""JSON-LD parsed of one page, the first blocks. Articles have a few KB; catalogues list thousands
of offers, which say nothing that is read here. orjson refuses more than 1,024 levels."""

MAX_NODES = 1_000
"""Nodes of JSON-LD looked at on one page: a graph of an article has about ten."""

MAX_AUTHORS = 10
"""Authors kept of one page."""

MAX_NAME_LENGTH = 200
"""Characters of a name of an author or site; what is longer is no name and is left out."""

MAX_DESCRIPTION_LENGTH = 1_000
"""Characters kept of a description, as of a title."""

MOST_IN_ARTICLES = 100
"""Headings, and times, of which is asked in which article they stand: that takes as many steps as
they are deep."""

_DECLARING = "meta[content], script[type], time[datetime]"
_PUBLISHED = ("article:published_time", "datepublished", "dc.date.issued", "dcterms.issued")
_MODIFIED = ("article:modified_time", "og:updated_time", "datemodified", "dcterms.modified")
_AUTHOR = ("author", "article:author", "dc.creator", "dcterms.creator")
_DESCRIPTION = ("og:description", "description", "twitter:description", "dc.description")
_SITE_NAME = ("og:site_name", "application-name")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,4}")
_TEXT_TYPE = re.compile(r"(?:Article|Posting|Report|WebPage|Recipe|QAPage)$")
_BEFORE_OFFSET = re.compile(r" (?=[+-]\d\d:?\d\d$)")
_MAX_DATE_LENGTH = 40
_NO_NAMES = frozenset({"admin", "administrator", "unknown", "null", "none", "undefined"})


def page_metadata(tree: LexborHTMLParser) -> Metadata:
    """Return what a parsed page declares; JSON-LD of its text first, then meta, then times.

    Linear in the page. Values that are no dates, names or languages are passed over. Of times
    without a name the first one in the page's own article counts as that of its publication.
    """
    named: dict[str, list[str]] = {}
    blocks: list[str] = []
    for element in tree.css(_DECLARING):
        attributes = element.attributes
        if element.tag == "meta":
            for kind in ("property", "name", "itemprop"):
                if name := attributes.get(kind):
                    named.setdefault(name.strip().lower(), []).append(attributes["content"] or "")
        elif element.tag == "script":
            if (attributes["type"] or "").strip().lower() == "application/ld+json":
                blocks.append(element.text())
        elif name := attributes.get("itemprop"):
            named.setdefault(name.strip().lower(), []).append(attributes["datetime"] or "")
    nodes = list(_nodes(blocks))
    texts = [node for node in nodes if any(_TEXT_TYPE.search(kind) for kind in _types(node))]
    identified = {node["@id"]: node for node in nodes if isinstance(node.get("@id"), str)}
    sites = [node for node in nodes if "WebSite" in _types(node)]
    site_names = [*_named(named, _SITE_NAME), *_values(sites, "name")]
    descriptions = [*_named(named, _DESCRIPTION), *_values(texts, "description")]
    # Escaped signs and white space take more characters than they leave.
    said = (folded(unescape(one[: 10 * MAX_DESCRIPTION_LENGTH])) for one in descriptions)
    description = next(filter(None, said), None)
    return Metadata(
        declared_language=declared_language(tree),
        published=_first_date(_values(texts, "datePublished"), named, _PUBLISHED)
        or _time_of_article(tree),
        modified=_first_date(_values(texts, "dateModified"), named, _MODIFIED),
        author=_author(texts, identified, named),
        description=description and description[:MAX_DESCRIPTION_LENGTH].rstrip(),
        site_name=next(filter(None, map(_cleaned, site_names)), None),
    )


def _time_of_article(tree: LexborHTMLParser) -> str | None:
    """Return the first time in the article that has the page's heading, and in none within it.

    Where several have one it is a list of articles, and whose time that is nobody knows.
    """
    articles = {article.mem_id for article in tree.css("article")}
    headings = tree.css("article h1")[:MOST_IN_ARTICLES]
    heads = {_article_of(heading, articles) for heading in headings}
    if not heads and len(articles) == 1:
        heads = articles
    if len(heads) != 1:
        return None
    for time in tree.css("article time[datetime]")[:MOST_IN_ARTICLES]:
        is_update = "updated" in (time.attributes.get("class") or "").lower().split()
        if not is_update and _article_of(time, articles) in heads:
            return iso_date(time.attributes["datetime"] or "")
    return None


def _article_of(node: LexborNode, articles: Collection[int]) -> int:
    """Return the innermost of the articles around a node."""
    around = node.parent
    while around is not None and around.mem_id not in articles:
        around = around.parent
    return around.mem_id if around is not None else 0


def iso_date(written: str) -> str | None:
    """Return a date or time in the form of `Metadata`; None where it is none of ISO 8601."""
    written = written.strip()
    if len(written) > _MAX_DATE_LENGTH:
        return None
    try:
        if len(written) == len("2000-01-01"):
            return date.fromisoformat(written).isoformat()
        told = datetime.fromisoformat(_BEFORE_OFFSET.sub("", written))
        return told.isoformat(timespec="seconds") if len(written) > len("2000-01-01") else None
    except ValueError:
        return None


def _nodes(blocks: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the objects on the first levels of JSON-LD: alone, in lists and in `@graph`."""
    left, seen = MAX_JSON_BYTES, 0
    for block in blocks:
        left -= len(block.encode(errors="replace"))
        if left < 0:
            return
        try:
            waiting = [orjson.loads(block)]
        except orjson.JSONDecodeError:
            continue
        while waiting and seen < MAX_NODES:
            seen += 1
            node = waiting.pop()
            if isinstance(node, list):
                waiting.extend(reversed(node[:MAX_NODES]))
            elif isinstance(node, dict):
                yield node
                waiting.append(node.get("@graph"))


def _types(node: dict[str, Any]) -> list[str]:
    told = node.get("@type")
    kinds = told if isinstance(told, list) else [told]
    return [kind for kind in kinds if isinstance(kind, str)]


def _values(nodes: Iterable[dict[str, Any]], key: str) -> list[str]:
    return [node[key] for node in nodes if isinstance(node.get(key), str)]


def _named(named: dict[str, list[str]], keys: Iterable[str]) -> list[str]:
    return [value for key in keys for value in named.get(key, ())]


def _first_date(first: list[str], named: dict[str, list[str]], keys: tuple[str, ...]) -> str | None:
    dates = map(iso_date, [*first, *_named(named, keys)])
    return next((found for found in dates if found), None)


def _author(
    texts: list[dict[str, Any]], identified: dict[str, Any], named: dict[str, list[str]]
) -> str | None:
    for node in texts:
        told = node.get("author") or node.get("creator")
        people = told[:MAX_AUTHORS] if isinstance(told, list) else [told]
        names = dict.fromkeys(filter(None, (_person(one, identified) for one in people)))
        if names:
            return "; ".join(names)
    names = dict.fromkeys(filter(None, map(_cleaned, _named(named, _AUTHOR)[:MAX_AUTHORS])))
    return "; ".join(names) or None


def _person(told: Any, identified: dict[str, Any]) -> str | None:
    if isinstance(told, dict) and "name" not in told and isinstance(told.get("@id"), str):
        told = identified.get(told["@id"])
    name = told.get("name") if isinstance(told, dict) else told
    return _cleaned(name) if isinstance(name, str) else None


def _cleaned(value: str) -> str | None:
    """Return a name, or None where it is an address, a placeholder or a text."""
    if len(value) > MAX_NAME_LENGTH:
        return None
    name = folded(unescape(value))
    return None if "://" in name or name.lower() in _NO_NAMES else name or None


class Offer(NamedTuple):
    """What a page says that it offers."""

    names: frozenset[str]
    prices: frozenset[int]
    """In hundredths (`amounts`)."""


NO_OFFER = Offer(frozenset(), frozenset())
_OFFERING = 'meta[property*="price"], [itemprop~="price"], script[type="application/ld+json"]'
_PRICES = frozenset(("og:price", "og:price:amount", "product:price:amount"))
_AMOUNT = re.compile(r"\d[\d.,']*")


def amounts(text: str) -> Iterator[int]:
    """Yield the numbers of a text in hundredths, as shops write them: `1,299.00`, `1.299,5`."""
    for found in _AMOUNT.findall(text):
        written = found.rstrip(".,'")
        whole, sign, cents = written.rpartition(max(".,", key=written.rfind))
        if not sign or len(cents) > 2:
            whole, cents = written, ""
        yield int("".join(filter(str.isdigit, whole))) * 100 + int(cents.ljust(2, "0"))


def declared_offer(tree: LexborHTMLParser) -> Offer:
    """Return what a page declares as its offer: schema.org's Product in JSON-LD, or properties.

    Those are `itemprop=price` and the prices of Open Graph. Without a price there is no offer.
    """
    written: list[Any] = []
    names: list[Any] = []
    blocks: list[str] = []
    for element in tree.css(_OFFERING)[:MAX_NODES]:
        attributes = element.attributes
        if element.tag == "script":
            blocks.append(element.text())
        elif "itemprop" in attributes or attributes["property"] in _PRICES:
            written.append(attributes.get("content") or element.text())
    for product in _nodes(blocks):
        if {"Product", "ProductGroup"}.intersection(_types(product)):
            names.append(product.get("name"))
            written += islice(_prices(product), MAX_NODES)
    values = (value for value in written if isinstance(value, int | float | str))
    prices = {price for value in values for price in islice(amounts(str(value)), 1) if price}
    shown = (folded(unescape(name)) for name in names if isinstance(name, str))
    return Offer(frozenset(shown), frozenset(prices)) if prices else NO_OFFER


def _prices(product: dict[str, Any]) -> Iterator[Any]:
    """Yield the prices of a product, of its variants and their offers."""
    waiting: list[Any] = [product]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(node)
        elif isinstance(node, dict):
            yield from (node[key] for key in ("price", "lowPrice", "highPrice") if key in node)
            within = ("offers", "priceSpecification", "hasVariant")
            waiting.extend(node[key] for key in within if key in node)


class Declared(NamedTuple):
    """What a page says of itself that tells its text."""

    title: str | None = None
    offer: Offer = NO_OFFER
    is_article: bool = False
    """See `declares_article`."""


NOTHING = Declared()
_THREADS = ("DiscussionForumPosting", "QAPage")
"""Types of schema.org whose comments are the page's content."""


def declares_article(tree: LexborHTMLParser, html: str) -> bool:
    """Whether a page declares that it is an article (Open Graph), and not that it is a thread."""
    declared = tree.css('meta[property="og:type"][content^="article" i]')
    return bool(declared) and not any(kind in html for kind in _THREADS)


def declared_language(tree: LexborHTMLParser) -> str | None:
    """Return the `lang` of the html element as a BCP 47 tag; None where it is none."""
    root = tree.root
    written = (root.attributes.get("lang") or "").strip() if root is not None else ""
    return written.replace("_", "-") if _LANGUAGE.fullmatch(written) else None
