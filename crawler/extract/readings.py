"""Which visible lines of a page of no known template are its text.

An engine, a reader of single pages that the job chooses, finds a main text without places
(`engine_text`); `aligned` says which visible lines that is; `judged_on` says whether it has the
page's content, and so speaks for it; `combined_lines` puts it right by the structure of the page,
for the text that is kept. docs/extraction.md has the data behind the figures.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, compress, pairwise
from math import comb
from operator import not_
from typing import NamedTuple
from unicodedata import category
from urllib.parse import urljoin, urlsplit

from crawler.extract.bounds import lowered, tag_names
from crawler.extract.features import PRICE
from crawler.extract.lines import (
    Element,
    Line,
    Openable,
    prose_characters,
    text_of,
    visible_lines,
)
from crawler.extract.page import Declared, Offer, amounts, parse
from crawler.extract.text import LINKED, PROSE_LINKED, clean, is_prose, word_characters
from crawler.models import BESIDE_LINE, LINK_LINE, SIGN_LINE, TEXT_LINE, JudgedOn
from crawler.models.enums import Engine
from crawler.normal_forms import normalised

# Tables that the extractor of main texts would take quadratic time for, or more.
#
# It writes an empty cell for each place that a cell spans, and counts a row's cells anew with each:
# 10 KB of `<td colspan=1000 rowspan=1000>` took 28 s. Of each table it gathers all elements of
# every table within it: 300 KB of `<table>x<b>` took 26 s.

MAX_SPANNED = 100_000
"""Places that the cells of a page span beyond their own: a fifth of a second. Real pages have some
hundreds."""

MAX_CELLS = 5_000
"""In a row: a tenth of a second. Spreadsheets end at 16,384 columns, and pages far earlier."""

MAX_GATHERED = 5_000_000
"""Elements gathered for all tables within others of a page: a quarter of a second. Of 1,487
pages with tables, real articles and manuals, the most is 800; 2,000 elements laid out by twenty
tables within each other come to a tenth of it."""

_MOST = 1_000
"""What the extractor takes a larger span for."""

_SPANNING = re.compile(r"<t[dh]\s([^<>]*span[^<>]*)", re.IGNORECASE)
_COLUMNS, _ROWS = (
    re.compile(rf"{name}span\s*+=\s*+[\"']?+\s*+(\d{{1,4}})", re.IGNORECASE)
    for name in ("col", "row")
)
_CELL_OR_ROW = re.compile(r"<t([dhr])[\s/>]", re.IGNORECASE)


def is_too_wide(html: str) -> bool:
    """Whether tables of a page have more places or tables in them than an extractor can take.

    That is, its cells span too many places, a row has too many cells, or tables stand within each
    other around too many elements. Linear in the page.
    """
    spanned = sum(
        _span(_COLUMNS, tag[1]) * _span(_ROWS, tag[1]) - 1 for tag in _SPANNING.finditer(html)
    )
    if spanned > MAX_SPANNED:
        return True
    if html.count("<t") + html.count("<T") > MAX_CELLS:
        cells = 0
        for kind in _CELL_OR_ROW.findall(html):
            cells = 0 if kind in "rR" else cells + 1
            if cells > MAX_CELLS:
                return True
    # What stands in n tables is gathered once for each two of these.
    if html.count("<") * comb(html.lower().count("<table"), 2) <= MAX_GATHERED:
        return False
    gathered = around = 0
    for name in map(lowered, tag_names(html)):
        if name == "/table":
            around = max(0, around - 1)
            continue
        around += name == "table"
        gathered += comb(around, 2) * (not name.startswith("/"))
    return gathered > MAX_GATHERED


def _span(attribute: re.Pattern[str], written: str) -> int:
    found = attribute.search(written)
    return min(max(1, int(found[1])), _MOST) if found else 1


# The main text of a page by trafilatura.
#
# A crawl leaves out trafilatura's fallback extractors, which take half as long again; as a rival it
# is measured with them. Its `deduplicate` keeps a cache that spans pages, so that one page's text
# would depend on which pages came before: it stays off.


def main_text(html: str, *, fast: bool = True) -> str:
    """Return the main text as plain text, tables kept, comments left out; empty if none is found.

    `fast` is without the fallback extractors.
    Pages over 20 million characters have none (trafilatura's MAX_FILE_SIZE), and those with tables
    that are too wide (`is_too_wide`).
    """
    if is_too_wide(html):
        return ""
    # By the processes whose engine needs them, as they warm up: trafilatura and lxml take 0.2 s.
    import trafilatura
    from trafilatura.settings import Document

    # Not `extract`, which normalises the text itself, in quadratic time.
    found = trafilatura.bare_extraction(
        clean(html),  # a NUL or lone surrogate ends the page for libxml2
        fast=fast,
        include_comments=False,
        include_tables=True,
        deduplicate=False,
    )
    text = found.text if isinstance(found, Document) else None
    return normalised("NFC", clean(text)).strip() if text else ""


MOST_CHARACTERS = 5_000_000
"""Of a page's markup; longer ones are read by what is visible. trafilatura takes a second of CPU
for a million characters of paragraphs, readability half of one, and resiliparse two where they are
nested 500 deep, the most that `bounds` leaves (quadratic in depth: 20,000 elements would take
minutes). So no engine takes much more than 10 s for what is plain, of the 30 s that a page has."""


def engine_text(engine: Engine, html: str) -> str:
    """Return a page's main text as plain text; empty if the engine finds none.

    `html` is within bounds (`bounded`). Pages over `MOST_CHARACTERS` have none.
    """
    read = _TEXTS.get(engine) if len(html) <= MOST_CHARACTERS else None
    return read(html) if read is not None else ""


def _resiliparse(html: str) -> str:
    """Rules over a Lexbor tree, as used on Common Crawl (Bevendorff et al., ECIR 2018)."""
    plain = importlib.import_module("resiliparse.extract.html2text").extract_plain_text
    text: str = plain(clean(html), main_content=True, alt_texts=False, links=False)
    return clean(text)


def _readability(html: str) -> str:
    """Mozilla's Readability in Python: the article as HTML, read as we read visible text."""
    package = importlib.import_module("readability")
    try:
        article: str = package.Document(clean(html)).summary()
    except Exception:  # `Unparseable` and what lxml raises: no text was found
        return ""
    return text_of(visible_lines(parse(article, "text/html")))


_TEXTS: Mapping[Engine, Callable[[str], str]] = {
    Engine.COMBINED: main_text,
    Engine.TRAFILATURA: main_text,
    Engine.RESILIPARSE: _resiliparse,
    Engine.READABILITY: _readability,
}
"""The others say of each line whether it is text."""


def around(path: str) -> str:
    """Return the box around one; empty if there is none."""
    return path.rpartition(">")[0]


def label(path: str) -> str:
    """Return the innermost element of a path, with its class."""
    return path.rpartition(">")[2]


# Which visible lines of a page an extractor's text holds: the longest chain of both in order.
#
# The extractor gives text without places, and may join lines, split them, or say a line once that
# stands twice. Both texts run in document order, so of all the places where a line could be found
# those are taken that keep the order and cover most characters.

GRAM = 16
"""Word characters looked up at once; a shorter line is found only where it is a line there too."""

SMALL_GRAM = 4
"""Word characters looked up at once between lines that were found; of shorter lines nothing is
known but their neighbours. Formulas break Chinese text into short pieces."""

_SLACK = 20
"""Word characters by which places may be off, for lines that hold more or less than the text."""

_FAR = 2_000
"""Word characters that are looked through for the lines of one gap: in more of them small grams
are found by chance."""

MOST_PLACES = 8
"""Places of one gram or short line that are tried, the first ones: what stands oftener says
little, and time stays linear."""

_ENOUGH = 0.5
"""Share of a line's grams that must be found for the line to be."""


class _Found(NamedTuple):
    """A line at a place of the extractor's text."""

    line: int
    place: int
    weight: float
    """Word characters of the line that were found there."""


class Aligned(NamedTuple):
    """Which lines of a page a main text holds, by line."""

    surely: Sequence[bool]
    """Those of the chain. Nearly all that are flagged are there, but of short ones many are not."""
    perhaps: Sequence[bool]
    """Those, and the lines between them that are like what the main text has in their place."""


def aligned(main: str, lines: Sequence[str]) -> Aligned:
    """Return which lines, given as their word characters, a main text holds.

    Lines that the chain leaves out are looked for once more in what the main text has at their
    place, in small grams: there is little to mistake them for. Time is n log n in the characters
    of both.
    """
    whole, starts = _starts(main)
    chain = _longest_chain(_places(whole, starts, lines))
    surely = [False] * len(lines)
    for found in chain:
        surely[found.line] = True
    perhaps = list(surely)
    first = place = 0
    for found in (*chain, _Found(len(lines), len(whole) - _SLACK, 0.0)):
        if found.line > first:
            # Flag those lines of the gap most of whose small grams stand in it.
            begin = max(0, place - _SLACK)
            end = min(found.place + _SLACK, begin + _FAR)
            there = set(_grams(whole[begin:end], SMALL_GRAM))
            for number in range(first, found.line) if there else ():
                grams = list(_grams(lines[number], SMALL_GRAM))
                if grams and sum(gram in there for gram in grams) >= _ENOUGH * len(grams):
                    perhaps[number] = True
        if found.line < len(lines):
            first, place = found.line + 1, found.place + len(lines[found.line])
    return Aligned(surely, perhaps)


def _grams(text: str, length: int) -> Iterator[str]:
    """Yield all pieces of so many characters."""
    return (text[start : start + length] for start in range(len(text) - length + 1))


def _covering(text: str, length: int) -> list[int]:
    """Return where the pieces of so many characters begin that cover a text."""
    return [*range(0, len(text) - length, length), max(0, len(text) - length)]


def _places(whole: str, starts: Mapping[str, Sequence[int]], lines: Sequence[str]) -> list[_Found]:
    """Return where lines could stand, by line, later places first."""
    grams: dict[str, list[int]] = {
        line[offset : offset + GRAM]: []
        for line in lines
        if len(line) >= GRAM
        for offset in _covering(line, GRAM)
    }
    for place, gram in enumerate(_grams(whole, GRAM)):
        if gram in grams:
            grams[gram].append(place)
    found = []
    for number, line in enumerate(lines):
        if len(line) < GRAM:
            places = {place: float(len(line)) for place in starts.get(line, ())[:MOST_PLACES]}
        else:
            places = _by_grams(line, grams)
        found += [_Found(number, place, places[place]) for place in sorted(places, reverse=True)]
    return found


def _starts(main: str) -> tuple[str, Mapping[str, list[int]]]:
    """Return the word characters of a text, and where each of its lines begins in them."""
    starts: dict[str, list[int]] = defaultdict(list)
    pieces, length = [], 0
    for line in main.split("\n"):
        if bare := word_characters(line):
            starts[bare].append(length)
            pieces.append(bare)
            length += len(bare)
    return "".join(pieces), starts


def _by_grams(line: str, grams: Mapping[str, list[int]]) -> dict[int, float]:
    """Return place -> weight of a line, where enough of it was found anywhere."""
    offsets = _covering(line, GRAM)
    places: set[int] = set()
    hits = 0
    for offset in offsets:
        if at := grams[line[offset : offset + GRAM]]:
            hits += 1
            places.update(place - offset for place in at[:MOST_PLACES])
    if hits < _ENOUGH * len(offsets):
        return {}
    weight = len(line) * hits / len(offsets)
    return dict.fromkeys(sorted(places)[:MOST_PLACES], weight)


def _longest_chain(found: Sequence[_Found]) -> list[_Found]:
    """Return the chain of most weight in which both lines and places ascend, in that order.

    A Fenwick tree over the places holds the best chain that ends at or before each (Fenwick, 1994).
    """
    ranks = sorted({one.place for one in found})
    best: list[tuple[float, int]] = [(0.0, -1)] * (len(ranks) + 1)
    before = []
    for number, one in enumerate(found):
        rank = bisect_left(ranks, one.place) + 1
        weight, previous = _upto(best, rank - 1)
        before.append(previous)
        chain = (weight + one.weight, number)
        while rank <= len(ranks):
            if chain[0] > best[rank][0]:
                best[rank] = chain
            rank += rank & -rank
    _, last = _upto(best, len(ranks))
    chain_found = []
    while last >= 0:
        chain_found.append(found[last])
        last = before[last]
    return chain_found[::-1]


def _upto(best: Sequence[tuple[float, int]], rank: int) -> tuple[float, int]:
    most = (0.0, -1)
    while rank > 0:
        if best[rank][0] > most[0]:
            most = best[rank]
        rank -= rank & -rank
    return most


# Surroundings by the names of elements: asides, and boxes whose class says what they are.
#
# Class names of the web are a convention that templates of many makers share (as used by Mozilla's
# Readability, `unlikelyCandidates`); a page that knows better is not listened to less, since names
# are believed only where they are about a smaller part of a page.

MOST = 0.5
"""Share of a page's characters that its surroundings may have: where they would be most of it,
the names are used for something else (a site of `.menu` pages: dishes)."""

_ELEMENTS = frozenset(("aside", "dialog", "legend", "menu", "search"))
BESIDE = 200
"""Word characters outside of links right beside a `sidebar` that show it to be a box in a text, as
DocBook has them, and no column of a page."""

_SIDEBAR = re.compile(r"[.\-_]side-?bar[^>]*$", re.IGNORECASE)
_PARTS_OF_TABLES = frozenset(("caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"))
"""Their names are about tables: a `tr.header` is no header of a page."""

_SURE = r"""cookies?|consent|copyright|newsletter|subscri(?:be|ption)|shar(?:e|ing)|sponsor(?:ed)?
    |ads?|advert(?:isement)?|promo|popular|trending|recommend(?:ed|ations)|log-?in|sign-?up
    |pagination|pager|breadcrumbs?|pop-?up"""
"""Names that no part of a text has."""

_CLASSES = re.compile(
    rf"""(?:^|[-_])(?:
    {_SURE}
    |side-?bar|menu|nav|navbar|top-?bar|toolbar|header|footer|foot|drawer|drop-?down
    |filters?|facets?|tags|skip|related
    |banner|teasers?|breaking|latest|recent|modal|overlay|dialog|toast|tooltip|disclaimer|legal
    )(?:$|[-_])""",
    re.IGNORECASE | re.VERBOSE,
)
"""A whole word of a class name; `header` is one of a page or a card, never of an article's head,
whose headings have elements of their own."""

_SURELY = re.compile(rf"(?:^|[-_])(?:{_SURE})(?:$|[-_])", re.IGNORECASE | re.VERBOSE)

_NOTES = re.compile(
    r"(?:^|[-_])(?:foot-?notes?|notes?|admonition|callout|topic)(?:$|[-_])", re.IGNORECASE
)
"""Asides that belong to the text (docutils, Asciidoctor)."""


def without_surroundings(
    lines: Sequence[Line], kept: Sequence[bool], *, surely: bool = False
) -> list[bool]:
    """Return the kept lines but for those in boxes that are named as surroundings.

    Boxes of one path count together. `surely` believes only the names that no part of a text has:
    for lines that something better has kept. Nothing goes where nothing would be left.
    """
    boxes = [_box(line.path, surely) for line in lines]
    if not any(boxes):
        return list(kept)
    weights: Counter[str] = Counter()
    beside: Counter[str] = Counter()
    for line, box in zip(lines, boxes, strict=True):
        length = len(word_characters(line.text))
        weights[box] += length
        if not box:
            beside[around(line.path)] += max(0, length - line.linked)
    most = MOST * weights.total()
    believed = {
        box
        for box, weight in weights.items()
        if box and weight <= most and not (_SIDEBAR.search(box) and beside[around(box)] >= BESIDE)
    }
    left = [flag and box not in believed for flag, box in zip(kept, boxes, strict=True)]
    return left if any(left) else list(kept)


@lru_cache(4096)
def _box(path: str, surely: bool) -> str:
    """Return the path of the outermost box that is named as surroundings; empty if none is."""
    names, end = _SURELY if surely else _CLASSES, 0
    for element in path.split(">"):
        end += len(element)
        tag, _, name = element.partition(".")
        if tag in _ELEMENTS and not surely and not _NOTES.search(name):
            return path[:end]
        if tag not in _PARTS_OF_TABLES and names.search(name):
            return path[:end]
        end += 1
    return ""


# The box of a page's article, where it has one, and what in it is not the article's text.
#
# Extractors find an article's paragraphs, but stray lines in menus and comments as well; where they
# are not trusted all that is visible is kept. A template's author names the box of an article
# (`article`, `post`, `entry-content`): one such box with most of the prose that was found is where
# the text begins and ends. Text density says which box (Sun, Song and Liao, SIGIR 2011), names say
# that it is an article's.

_MOST_PROSE = 0.7
"""Share of the prose found that the box of an article holds. Of .6 to .9, up to .8 give the same
texts on articles; with .9 F1 is .002 less, for comments of readers count as prose too. So much of
it is left whatever goes by a name or by how it begins: what has more is the text."""

_LEAST = 500
"""Word characters of prose from which a page may be an article. With 200 items of lists are taken
for one, with 1,000 short news are not."""

_NESTED = 8
"""Boxes of an article that are looked at, each within the next, as each takes a turn through the
lines. The gold pages have one to six."""

_BOXES = frozenset(("article", "body", "div", "main"))
"""Elements that an article's text may be in; the others are parts of one (a list, a section)."""

_NAMED = re.compile(
    r"^article\b|[-_.](?:article|story|entry|posts?|blog|news)(?:$|[-_]|body|content|text)",
    re.IGNORECASE,
)
"""An element that holds an article, by its tag or class."""

_OF_MANY = re.compile(
    r"[-_.](?:threads?|forums?|topics?|questions?|answers?|messages?|repl(?:y|ies)|comments?"
    r"|reviews?|cards?|items?)(?:$|[-_>])|>(?:li|td)\b",
    re.IGNORECASE,
)
"""In the path of a box that is one of many on its page, of which the others are text as well: the
answers below a question. Without this F1 of forums is .010 higher, as the gold texts of some have
the first post alone, but up to nine tenths of a thread are lost."""

_COMMENTS = re.compile(r"[-_.>]comments?(?:$|[-_>])", re.IGNORECASE)
"""In the path of what readers say of a page, or of a page that is nothing else."""

_BESIDE = re.compile(rf"{_COMMENTS.pattern}|byline", re.IGNORECASE)
"""In an article's box, what stands beside its text. Names as `author`, `meta` or `widget` are left
out: they are of whole articles as well, and win less than .0001 of F1 on the gold texts. Captions
are text: without them F1 of articles is .0005 higher, and that of seven types .0002."""

_ELSEWHERE = re.compile(
    r"""\W*(?:(?:
    (?:read|see|learn)\s(?:more|next|also|on) | also\s(?:read|on) | more\s(?:on|from|stories)
    | don['’]?t\smiss | you\s(?:may|might)\salso\slike | click\shere | subscribe | sign\sup
    | follow\s(?:us|me|him|her|\w+\son) | get\s(?:the\slatest|breaking)
    | like\sthis\s(?:story|article) | share\s(?:this|your) | watch(?:\smore)? | have\sa\stip
    | listen\sto
    )\b | related(?:\s\w+)?: | recommended: | (?:延伸|相关)阅读 | 阅读原文 | 扫码 | 关注我们
    | (?P<credit>(?:
        (?:tags|filed\sunder|posted\sin|photos?)\s?[:：] | photos?\sby\b
        | (?:image|photo)\s(?:copyright|credit|source)\b | 责任编辑
      ).*(?<![.!?。！？])$))""",
    re.IGNORECASE | re.VERBOSE,
)
"""How lines between an article's paragraphs begin that lead elsewhere, if they are links; and those
that name its makers or its place, links or not (with a full stop they are sentences)."""

_IN_ORDER = re.compile(r">(?:ol|dl|table)\b")
"""In the path of steps, definitions and tables, which are text however they begin."""

_LONGEST = 200
"""Characters of a line that leads elsewhere; a longer one is a paragraph."""


def within_article(
    lines: Sequence[Line], found: Sequence[bool], kept: Sequence[bool]
) -> list[bool]:
    """Return the kept lines of a page, of one that is an article only those of its text.

    `found` are the lines of an extractor's main text. All kept lines are returned where no box is
    known to be an article's. What stands outside of it, what stands beside its text and what leads
    elsewhere goes, each only if `_MOST_PROSE` of the kept prose that was found is left. Linear in
    the lines and their paths.
    """
    left = list(kept)
    lengths = (len(word_characters(line.text)) for line in lines)
    prose = [
        length * (is_found and is_prose(length, line.linked))
        for line, length, is_found in zip(lines, lengths, found, strict=True)
    ]
    least = _MOST_PROSE * sum(compress(prose, kept))
    box = _article(lines, prose)
    if box is None or not least:
        return left
    paths = {line.path for line in lines}
    outside = {path for path in paths if not _is_in(path, box)}
    beside = {path for path in paths - outside if _BESIDE.search(path, len(box))}
    in_order = {path for path in paths if _IN_ORDER.search(path)}
    cuts: tuple[Callable[[Line], bool], ...] = (
        lambda line: line.path in outside,
        lambda line: line.path in beside,
        lambda line: line.path not in in_order and _leads_elsewhere(line),
    )
    for goes in cuts:
        fewer = [was and not goes(line) for line, was in zip(lines, left, strict=True)]
        if sum(compress(prose, fewer)) >= least:
            left = fewer
    return left


def _article(lines: Sequence[Line], prose: Sequence[int]) -> str | None:
    """Return the path of the box that is the page's article; None where there is none.

    Boxes that are named so may stand in one another, and it is the outermost: what a template's
    author names the content has the title and the lead above it.
    """
    by_path = Counter[str]()
    for line, weight in zip(lines, prose, strict=True):
        by_path[line.path] += weight
    total = by_path.total()
    if total < _LEAST:
        return None
    # The innermost box with most of the prose: each path is gone through once.
    held, by_depth, densest = Counter(by_path), defaultdict[int, set[str]](set), ""
    for path in by_path:
        by_depth[path.count(">")].add(path)
    for depth in range(max(by_depth), -1, -1):
        for path in sorted(by_depth[depth]):
            if held[path] >= _MOST_PROSE * total and label(path).partition(".")[0] in _BOXES:
                densest = path
                break
            held[around(path)] += held[path]
            by_depth[depth - 1].add(around(path))
        if densest:
            break
    outermost, looked_at = None, 0
    while densest and looked_at < _NESTED:
        if _NAMED.search(label(densest)):
            looked_at += 1
            # Pages of many articles have one after another: lines of one stand together.
            stands = [_is_in(line.path, densest) for line in lines]
            begun = sum(is_in > before for before, is_in in pairwise((False, *stands)))
            if _OF_MANY.search(densest) or begun != 1:
                break
            outermost = densest
        densest = around(densest)
    return outermost


def _is_in(path: str, box: str) -> bool:
    return path.startswith(box) and path[len(box) : len(box) + 1] in ("", ">")


def _leads_elsewhere(line: Line) -> bool:
    begin = _ELSEWHERE.match(line.text) if len(line.text) <= _LONGEST else None
    # A heading goes with what stands below it.
    if begin is None or line.is_heading or line.inside.code is not None:
        return False
    is_link = line.linked > LINKED * len(word_characters(line.text))
    return is_link or begin["credit"] is not None


# The text of a page of no known template: what an extractor found, put right by structure.
#
# The extractor is good at articles and loses the items of lists, shops and forums. Where it is
# trusted its lines are the text, with what is missing in between; on pages of items, where much is
# missing, all lines between its first and its last are. Where it is not trusted (`judged_on`), all
# visible lines are the text but for menus, and for what lies around a main text that is most of the
# page, in other boxes than its lines. Surroundings go by name in either case, and so does what
# stands outside the box of an article (`within_article`).

_MOSTLY_PROSE = 0.7
"""Share of prose in a text of prose. In cross-validation F1 is .965 on articles (.947 if nothing
goes by name) and .8725 on seven types (.8718); with .5 .967 and .8715, with .9 .961 and .8721."""

_ITEMS = 0.25
"""Characters missing inside the main text, as a share of it, from which a page is one of items."""

_MOST_OF_PAGE = 0.5
"""Share of the unlinked characters from which a main text says where the page's content ends."""

_STRAY = 0.02
"""Share of the main text at either end that may be stray finds, in menus or comments."""

_HOLE, _HOLE_LINES = 100, 10
"""Word characters of a line, and number of lines, that an extractor drops between two lines of the
same box though they belong there: formulas, code, captions, short items."""

_OUTSIDE_LINKS = 200
"""Found word characters outside of links in the box of a heading, from which a list below it is of
the text: exercises, references."""

_MENU = 3
"""Lines of links in a row that are a menu."""

_FOOTNOTES = re.compile(r"[-_.](?:foot|end)-?notes?(?:$|[-_>])", re.IGNORECASE)
"""In the path of a text's notes, as of MkDocs, Pandoc and WordPress. Extractors leave them out as
links, with the heading before them."""


def combined_lines(lines: Sequence[Line], found: Sequence[bool], *, trusted: bool) -> list[bool]:
    """Return by line whether it is part of the text.

    `found` are the lines of an extractor's main text, `trusted` says whether that has the content
    of the page. Linear; something is kept of every page that says something.
    """
    page = _Page(lines)
    if not any(found):
        kept = page.without_menus([True] * len(lines), found)
    elif trusted:
        whole = page.between(found)
        is_of_items = page.weight(whole) > (1 + _ITEMS) * page.weight(found)
        kept = whole if is_of_items else page.filled(found)
    else:
        is_most = page.unlinked(found) > _MOST_OF_PAGE * page.unlinked([True] * len(lines))
        whole = page.like(found) if is_most else [True] * len(lines)
        kept = page.without_menus(whole, found)
    kept = within_article(lines, found, without_surroundings(lines, kept))
    if not page.weight(kept):
        return [True] * len(lines)
    return _with_what_is_shown(lines, kept, lambda line: _is_code(line) or _CAPTION in line.path)


def learned_lines(lines: Sequence[Line], chosen: Sequence[bool], url: str = "") -> list[bool]:
    """Return which lines are text by their structure, `chosen` those of a model; `url` is ours.

    Of a text of prose all that is named as surroundings goes, and the links that close it; of any
    other one what is surely surroundings, and what most cards of a list have is kept of all. Of an
    article goes what `within_article` says. Listings between two kept lines come back.
    """
    length = sum(len(word_characters(line.text)) for line in compress(lines, chosen))
    is_prose = prose_characters(compress(lines, chosen)) >= _MOSTLY_PROSE * length
    kept = without_surroundings(lines, chosen, surely=not is_prose)
    kept = within_article(lines, chosen, kept)
    kept = _without_closing_links(lines, kept, url) if is_prose else _alike(lines, kept)
    return _with_what_is_shown(lines, kept, _is_code)


def with_opened(
    lines: Sequence[Line], kept: Sequence[bool], openable: Sequence[Openable]
) -> tuple[list[Line], list[bool]]:
    """Return the lines and which are kept, with the hidden blocks that kept lines open.

    Blocks of one path stand or fall together, by most of the lines that open them, and with these:
    no answer is kept without its question. Linear.
    """
    by_path = defaultdict[str, list[bool]](list)
    for at, hidden, _ in openable:
        by_path[hidden[0].path].append(kept[at - 1])
    opened, flags, last = list[Line](), list[bool](), 0
    for at, hidden, _ in openable:
        of_path = by_path[hidden[0].path]
        if 2 * sum(of_path) >= len(of_path):
            opened += (*lines[last:at], *hidden)
            flags += (*kept[last : at - 1], *[True] * (len(hidden) + (at > last)))
            last = max(last, at)
    return [*opened, *lines[last:]], [*flags, *kept[last:]]


_CARDS = 3
"""Elements of one path side by side that are cards of a list. F1 of listings is .002 higher with
what most of them have on all, and .0003 less of that with 4; the wiki's is .001 higher."""

_WITHIN_CARD = 4
"""Elements from a line outwards that may be its card: with 8 F1 is the same."""


def _alike(lines: Sequence[Line], kept: Sequence[bool]) -> list[bool]:
    """Return the kept lines, and those in whose place most of the cards beside theirs have one.

    A model asks each line, and may leave out the place or date of one card of twelve.
    """
    of_kept = {line.path for line in compress(lines, kept)}
    of_both = of_kept & {line.path for line in compress(lines, map(not_, kept))}
    lists: defaultdict[tuple[Element, str, str], defaultdict[Element, list[int]]]
    lists = defaultdict(lambda: defaultdict(list))
    for number, line in enumerate(lines):
        card = line.element
        for _ in range(_WITHIN_CARD if line.path in of_both else 0):
            if card.parent is None:
                break
            lists[card.parent, card.place.path, line.path][card].append(number)
            card = card.parent
    alike = list(kept)
    for cards in lists.values():
        lacking = [numbers for numbers in cards.values() if not any(kept[n] for n in numbers)]
        if len(cards) >= _CARDS and 2 * len(lacking) < len(cards):
            for number in chain.from_iterable(lacking):
                alike[number] = True
    return alike


_CLOSING = 2
"""Links that are a list of other pages. So end seven of 1,722 pages, and F1 of each is better
without."""


def _without_closing_links(lines: Sequence[Line], kept: Sequence[bool], url: str) -> list[bool]:
    """Return the kept lines but for sections at their end that lead to pages of the same site.

    Such a section is a heading, whatever it says, with nothing below it but links, a line each.
    References lead elsewhere, and in texts that are not mostly prose such links are content.
    """
    left = list(kept)
    while any(left):
        links: list[Line] = []
        number = max(compress(range(len(left)), left))
        while number >= 0 and (lines[number].is_link or not lines[number].is_heading):
            if left[number]:
                links.append(lines[number])
            number -= 1
        if number < 0 or len(links) < _CLOSING or not all(_is_of_site(one, url) for one in links):
            return left
        left[number:] = [False] * (len(left) - number)
    return list(kept)


def _is_of_site(line: Line, url: str) -> bool:
    """Whether a line is a link from the page at `url` to another page of its site."""
    try:
        host = urlsplit(url).hostname
        hosts = {urlsplit(urljoin(url, target)).hostname for target in line.targets}
    except ValueError:
        return False
    return line.is_link and hosts == {host} and not line.targets[0].startswith("#")


def as_declared(
    lines: Sequence[Line], chosen: Sequence[bool], declared: Declared
) -> Sequence[bool]:
    """Return the lines that a model chose, put right by what the page says of itself.

    Of an article its readers' comments go, if anything is left: they may be most of the page, and
    of 1,487 real ones seven gain a quarter of F1 or more, and none loses. The price of what it
    offers comes back (`with_price`).
    """
    if declared.is_article:
        left = [
            flag and _COMMENTS.search(line.path) is None
            for line, flag in zip(lines, chosen, strict=True)
        ]
        chosen = left if any(left) else chosen
    return with_price(lines, chosen, declared.offer)


def with_price(lines: Sequence[Line], chosen: Sequence[bool], offer: Offer) -> list[bool]:
    """Return the chosen lines, and that which shows the price of what the page offers.

    Of the lines that show a declared price, with the sign or code of a currency, it is the one that
    stands closest to the offer's name: in the smallest element around both, after the name rather
    than before. It is text where a line from the one to the other is, and none is a heading of
    something else. Nothing is made up where the price or the name is not shown.
    """
    if not offer.prices:
        return list(chosen)
    inside = enumerate(line.inside.heading for line in lines)
    headings = [number for number, box in inside if box is not None and box.level == 1]
    named = [number for number, line in enumerate(lines) if line.text in offer.names]
    names = [*sorted(named, key=lambda number: number not in headings), *headings]
    priced = [number for number, line in enumerate(lines) if _shows(line.text, offer.prices)]
    with_it = list(chosen)
    if not names or not priced:
        return with_it
    name, around_name, element = names[0], dict[Element, int](), lines[names[0]].element
    while element.parent is not None:
        around_name[element] = len(around_name)
        element = element.parent

    def distance(number: int) -> tuple[int, bool, int]:
        element = lines[number].element
        while element not in around_name and element.parent is not None:
            element = element.parent
        shared = around_name.get(element, len(around_name))
        return shared, number < name, abs(number - name)

    price = min(priced, key=distance)
    first, last = sorted((name, price))
    others = (lines[number].is_heading and number not in names for number in range(first, last + 1))
    with_it[price] |= any(chosen[first : last + 1]) and not any(others)
    return with_it


_LONGEST_PRICE = 60
"""Characters of a line that shows a price; a longer one is a sentence about it."""

_CODE = re.compile(r"\b[A-Z]{3}\s?\d|\d\s?[A-Z]{3}\b")
"""A number beside the code of a currency (ISO 4217)."""


def _shows(text: str, prices: frozenset[int]) -> bool:
    """Whether a line shows one of the prices (`amounts`)."""
    if len(text) > _LONGEST_PRICE or prices.isdisjoint(amounts(text)):
        return False
    has_sign = any(category(character) == "Sc" for character in text)
    return has_sign or PRICE.search(text) is not None or _CODE.search(text) is not None


def _with_what_is_shown(
    lines: Sequence[Line], kept: Sequence[bool], is_shown: Callable[[Line], bool]
) -> list[bool]:
    """Return the kept lines, with what is shown where nothing else stands between two of them.

    Extractors take a listing with its line numbers for a table that lays out the page, and a
    caption for a label.
    """
    return _bridged(kept, lambda last, number: all(map(is_shown, lines[last + 1 : number])))


def _bridged(flags: Sequence[bool], is_hole: Callable[[int, int], bool]) -> list[bool]:
    """Return the flags, and all between two of them where that is a hole."""
    filled = list(flags)
    for last, number in pairwise(compress(range(len(flags)), flags)):
        if is_hole(last, number):
            filled[last:number] = [True] * (number - last)
    return filled


def _is_code(line: Line) -> bool:
    return line.chrome or line.inside.code is not None


_CAPTION = ">figcaption"
"""In the path of what stands below a figure."""


class _Page:
    """Lines with their weights."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._lengths = lengths = [len(word_characters(line.text)) for line in lines]
        pairs = list(zip((line.linked for line in lines), lengths, strict=True))
        self._menu = [linked > LINKED * length for linked, length in pairs]
        self._unlinked = [max(0, length - linked) for linked, length in pairs]

    def weight(self, flags: Sequence[bool]) -> int:
        """Return the word characters of the flagged lines."""
        return sum(compress(self._lengths, flags))

    def unlinked(self, flags: Sequence[bool]) -> int:
        """Return the word characters of the flagged lines outside of links."""
        return sum(compress(self._unlinked, flags))

    def between(self, found: Sequence[bool]) -> list[bool]:
        """Return the found lines, and all between the first and the last that are no stray ones."""
        stray, total = _STRAY * self.weight(found), self.weight(found)
        passed, first, last = 0, len(found), -1
        for number, length in enumerate(self._lengths):
            if found[number]:
                if passed + length > stray:
                    first = min(first, number)
                if passed < total - stray:
                    last = number
                passed += length
        return [flag or first <= number <= last for number, flag in enumerate(found)]

    def like(self, found: Sequence[bool]) -> list[bool]:
        """Return what is between the found lines, and others where most lines are found ones."""
        all_, kept = Counter[str](), Counter[str]()
        for line, length, flag in zip(self._lines, self._lengths, found, strict=True):
            all_[line.path] += length
            kept[line.path] += length * flag
        flags = zip(self._lines, self.between(found), strict=True)
        return [flag or 2 * kept[line.path] > all_[line.path] for line, flag in flags]

    def filled(self, found: Sequence[bool]) -> list[bool]:
        """Return the found lines, what is missing between two of the same box, and footnotes."""
        filled = _bridged(found, self._is_hole)
        for first, end in self._sections(found, 0):
            if filled[first] and self._is_list(first, end) and not any(filled[first + 1 : end]):
                filled[first:end] = [True] * (end - first)
        notes = set(filter(_FOOTNOTES.search, {line.path for line in self._lines}))
        for number, line in enumerate(self._lines):
            if line.path in notes:
                filled[number] = True
                if number and self._lines[number - 1].is_heading:
                    filled[number - 1] = True
        return filled

    def _is_list(self, first: int, end: int) -> bool:
        """Whether all lines after the first one, a heading, are items of lists beside it."""
        box = around(self._lines[first].path)
        below = self._lines[first + 1 : end]
        return all(around(around(line.path)) == box for line in below)

    def _sections(self, found: Sequence[bool], least: int) -> Iterator[tuple[int, int]]:
        """Yield where headings, and what follows them in their boxes, begin and end.

        `least` unlinked characters beside them were found.
        """
        beside = Counter[str]()
        for line, length in compress(zip(self._lines, self._unlinked, strict=True), found):
            if not line.is_heading:
                beside[around(line.path)] += length
        begun, box = 0, ""
        for number, line in enumerate(self._lines):
            if line.is_heading or not line.path.startswith(f"{box}>"):
                if box:
                    yield begun, number
                begun, box = number, around(line.path)
                if not line.is_heading or beside[box] < least:
                    box = ""
        if box:
            yield begun, len(self._lines)

    def _is_hole(self, last: int, following: int) -> bool:
        """Whether the lines between two found ones are a hole in their box."""
        if not 1 < following - last <= _HOLE_LINES + 1:
            return False
        boxes = {around(self._lines[last].path), around(self._lines[following].path)}
        return all(
            self._lengths[number] <= _HOLE
            and not self._menu[number]
            and around(self._lines[number].path) in boxes
            for number in range(last + 1, following)
        )

    def without_menus(self, kept: Sequence[bool], found: Sequence[bool]) -> list[bool]:
        """Return the kept lines without runs of links that the extractor has left out.

        All of them stay where they are most of the page: then it is a list of links.
        """
        left = list(kept)
        for first, end in self._menus(found):
            left[first:end] = [False] * (end - first)
        for first, end in self._sections(found, _OUTSIDE_LINKS):
            if left[first]:
                left[first:end] = [True] * (end - first)
        return left if self.weight(left) > self.weight(kept) / 2 else list(kept)

    def _menus(self, found: Sequence[bool]) -> Iterator[tuple[int, int]]:
        begun = 0
        for number in range(len(found) + 1):
            if number < len(found) and self._menu[number] and not found[number]:
                continue
            if number - begun >= _MENU:
                yield begun, number
            begun = number + 1


_WORD = re.compile(r"\w")


class PageParts(NamedTuple):
    """The lines of a page, each in one part, in document order (`crawler.dedup.copies`)."""

    text: tuple[str, ...]
    """Where the judged text is a part of the page also links in it: it has left out navigation."""
    beside: tuple[str, ...]
    links: tuple[str, ...]
    signs: tuple[str, ...]
    order: str


def page_parts(visible: Sequence[Line], judged: Sequence[bool]) -> PageParts:
    """Return the parts of a page; `judged` says which lines are in its judged text."""
    parts: dict[str, list[str]]
    parts = {kind: [] for kind in (TEXT_LINE, BESIDE_LINE, LINK_LINE, SIGN_LINE)}
    judged_link = LINK_LINE if all(judged) else TEXT_LINE
    order = []
    for line, is_judged in zip(visible, judged, strict=True):
        if not line.linked and not _WORD.search(line.text):
            part = SIGN_LINE
        elif line.is_link:
            part = judged_link if is_judged else LINK_LINE
        else:
            part = TEXT_LINE if is_judged else BESIDE_LINE
        parts[part].append(line.text)
        order.append(part.upper() if is_judged else part)
    text, beside, links, signs = map(tuple, parts.values())
    return PageParts(text, beside, links, signs, "".join(order))


# Which text speaks for a page: the main text where it has the page's content, else all of it.
#
# An extractor that returns the same notice for a hundred pages would make them copies of each
# other. Where it works, what it leaves out (teasers, comments, forms) stands around the article and
# is short or links. Where it fails, paragraphs are missing inside the article, or it has left out
# more prose than it found. docs/extraction.md gives the data behind the figures.

WHOLE_GRAM = 12
"""Word characters compared at once; shorter lines say too little to be looked for."""

_PROSE = 100
"""Word characters from which a line around the main text counts as prose."""

_HOLES_IN_TEXT = 0.15
"""Word characters that may be missing inside the main text, as a share of it."""

_HOLES_IN_LINES = 0.3
"""Lines that may be missing between the first and the last line found, as a share of them."""

_SHORT = 4_000
"""Word characters up to which a main text is looked through for navigation. On a short page the
extractor falls back to all text; in a long one navigation weighs little."""

_STRANGE = 0.3
"""Share of a short main text that may stand in nav, header or footer, or nowhere."""

_LISTED = 4
"""Times its main text that a page's link lines may be long. Beyond that the page is a list, such as
a table of contents under a short notice, and the links are what it says."""


def judged_on(main: str, visible: Sequence[Line]) -> JudgedOn:
    """Return which text a page is judged by and stored with."""
    characters = word_characters(main)
    if not characters:
        return JudgedOn.VISIBLE
    texts = [word_characters(line.text) for line in visible]
    prose = [texts[number] for number in _prose(visible, texts)]
    if not _is_whole(len(characters), prose, found(characters, prose)):
        return JudgedOn.VISIBLE
    # Navigation: much of a short main text is not found in the visible text.
    grams = [text for line in main.splitlines() if len(text := word_characters(line)) >= WHOLE_GRAM]
    length = sum(map(len, grams))
    if length <= _SHORT and visible:
        shown = word_characters("".join(line.text for line in visible))
        if length - sum(map(len, compress(grams, found(shown, grams)))) > _STRANGE * length:
            return JudgedOn.VISIBLE
    # A list: links say much more than the main text.
    lengths = zip(map(len, texts), (line.linked for line in visible), strict=True)
    listed = sum(length for length, linked in lengths if linked > PROSE_LINKED * length)
    return JudgedOn.VISIBLE if listed > _LISTED * len(characters) else JudgedOn.MAIN


def speak_for(lines: Sequence[Line], flags: Sequence[bool]) -> bool:
    """Whether the flagged lines of a page have its content, as far as text is missing around them.

    For lines that were chosen as such: what an extractor adds or reads as a list is not asked.
    """
    texts = [word_characters(line.text) for line in lines]
    main, prose = sum(map(len, compress(texts, flags))), _prose(lines, texts)
    return _is_whole(main, [texts[number] for number in prose], [flags[number] for number in prose])


def _prose(visible: Iterable[Line], texts: Iterable[str]) -> list[int]:
    """Return the numbers of the lines that a main text should have, by their word characters."""
    return [
        number
        for number, (line, text) in enumerate(zip(visible, texts, strict=True))
        if len(text) >= WHOLE_GRAM and line.linked <= PROSE_LINKED * len(text)
    ]


def _is_whole(main: int, lines: Sequence[str], is_found: Sequence[bool]) -> bool:
    """Whether a main text of so many word characters has a page's prose; `is_found` says which."""
    covered = list(compress(range(len(lines)), is_found))
    if not covered:
        return sum(len(line) for line in lines if len(line) >= _PROSE) <= main
    between = range(covered[0], covered[-1] + 1)
    holes = [len(lines[number]) for number in between if not is_found[number]]
    around = sum(
        len(line)
        for number, line in enumerate(lines)
        if number not in between and not is_found[number] and len(line) >= _PROSE
    )
    return (
        sum(holes) <= _HOLES_IN_TEXT * main
        and len(holes) <= _HOLES_IN_LINES * len(between)
        and around <= main
    )


def found(main: str, lines: Sequence[str]) -> list[bool]:
    """Return which lines occur in `main`, all of them word characters alone.

    Gram by gram, in one pass: linear in both. A line shorter than a gram is never found.
    """
    grams = [{line[n : n + WHOLE_GRAM] for n in _covering(line, WHOLE_GRAM)} for line in lines]
    present = set[str]().union(*grams).intersection(_grams(main, WHOLE_GRAM))
    return list(map(present.issuperset, grams))
