"""A PDF as a page of HTML: its text in reading order, headings, links, and what it says of itself.

::

    bytes -> lines with their places (`Pdf`) -> without running heads (`running_heads`)
          -> blocks: paragraphs joined, hyphens undone, headings by size (`blocks`) -> HTML

What follows (links, language, Markdown, signing) is then what becomes of any page. pdfium (of the
package pypdfium2, extra `pdf`) parses the file and puts its characters into lines, in the order in
which they are drawn. It is native code: a file that crashes or hangs it, or has it take all memory,
costs the process that reads it (`crawler.workers`) and nothing else.
"""

from __future__ import annotations

import ctypes
import importlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby, pairwise
from math import hypot
from statistics import median_low
from typing import Any, NamedTuple
from unicodedata import east_asian_width, normalize

from crawler.extract.page import MAX_LINKS
from crawler.extract.text import clean, folded, word_characters
from crawler.models import Failure

MOST_PAGES = 2_000
"""Pages that are read, the first ones."""

MOST_CHARACTERS = 5_000_000
"""Characters that are read: no page is begun after so many, and none read further."""


class PdfUnreadable(Exception):
    """A PDF that cannot be opened; `failure` is `pdf-encrypted` or `pdf-broken`."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure


class PdfPage(NamedTuple):
    """A PDF as a page."""

    html: str
    pages: int
    """How many it has, as it says."""
    read: int
    """How many of these were read."""


class Line(NamedTuple):
    """A line as it is drawn; lengths in points, from the lower left corner of its page.

    `left` is where it begins and `right` where it ends. Both are negative where it runs from right
    to left, so that in either direction farther on is more.
    """

    text: str
    """Ends with HYPHEN where a hyphen is drawn there."""
    page: int
    left: float
    right: float
    base: float
    """Height of its base line."""
    size: float
    """Of the font of most of its letters."""
    links: tuple[tuple[int, int, str], ...] = ()
    """Where each link begins and ends in the text, and where it leads: to an address, or within the
    document (`#page=` and a number; RFC 8118, 3). None overlaps another."""
    is_entry: bool = False
    """Whether it is the name of a chapter in a table of contents; its page number is left out."""


def read_pdf(body: bytes) -> PdfPage:
    """Return a PDF as HTML; PdfUnreadable where it cannot be opened.

    Time and text are linear in what is drawn on the pages that are read; what pdfium takes for
    parsing is bounded by the process alone.
    """
    with Pdf(body) as pdf:
        lines: list[Line] = []
        read, left = 0, MOST_CHARACTERS
        while read < min(pdf.pages, MOST_PAGES) and left > 0:
            found = pdf.lines(read, left)
            left -= sum(len(line.text) for line in found)
            lines += found
            read += 1
        body_size = usual_size(lines)
        heads = running_heads(lines, body_size)
        rest = with_entries([line for n, line in enumerate(lines) if n not in heads])
        html = "".join(_html(pdf, lines, blocks(rest, body_size)))
        return PdfPage(html, pdf.pages, read)


# ---------------------------------------------------------------- pdfium


HYPHEN = "\ufffe"
"""What pdfium gives for a hyphen that ends a line; it leaves out the end of that line."""

_LONGEST_SAID = 4_096
"""Bytes of a title, a name or an address."""
_SEGMENT = re.compile(rf"[^\r\n{HYPHEN}\xad]+[{HYPHEN}\xad]?")
_SAMPLES = 5
"""Letters of a line whose places are asked for."""
_DRAWN = {0xAD: HYPHEN, **{ord(one): normalize("NFKC", one) for one in "ﬀﬁﬂﬃﬄﬅﬆ"}}
"""What is drawn for signs that stand for others: ligatures are letters."""


def load_pdfium() -> Any:
    """Return pdfium, ready; it takes some 10 ms once."""
    pdfium = importlib.import_module("pypdfium2.raw")
    pdfium.FPDF_InitLibrary()  # nothing where it is ready
    return pdfium


class Pdf:
    """An open PDF; a context, as what pdfium holds of it is no object of Python's.

    One that a viewer opens without a password is not encrypted, whatever it forbids its reader.
    """

    def __init__(self, body: bytes) -> None:
        self._pdfium = pdfium = load_pdfium()
        self._body = body  # it is read while it is open
        self._document = pdfium.FPDF_LoadMemDocument64(body, len(body), None)
        if not self._document:
            wanted = (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)
            if pdfium.FPDF_GetLastError() in wanted:
                raise PdfUnreadable(Failure.PDF_ENCRYPTED, "a password opens it, and none is known")
            raise PdfUnreadable(Failure.PDF_BROKEN, "it is damaged, or no PDF")
        self.pages: int = pdfium.FPDF_GetPageCount(self._document)
        self._links_left = MAX_LINKS

    def __enter__(self) -> Pdf:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._pdfium.FPDF_CloseDocument(self._document)

    def said(self, key: str) -> str:
        """Return an entry of its information dictionary (ISO 32000-1, 14.3.3), or nothing."""
        ask, document = self._pdfium.FPDF_GetMetaText, self._document
        return _utf16(lambda buffer, size: ask(document, key.encode(), buffer, size))

    @property
    def language(self) -> str:
        """Its natural language, as the catalogue says (14.9.2); empty where it does not."""
        ask, document = self._pdfium.FPDFCatalog_GetLanguage, self._document
        units = ctypes.POINTER(ctypes.c_ushort)
        return _utf16(lambda buffer, size: ask(document, ctypes.cast(buffer, units), size))

    def lines(self, number: int, most: int = MOST_CHARACTERS) -> list[Line]:
        """Return the lines of a page, in the order in which they are drawn.

        None of a page that the file counts and does not hold. Of longer ones `most` characters.
        """
        pdfium = self._pdfium
        page = pdfium.FPDF_LoadPage(self._document, number)
        text = pdfium.FPDFText_LoadPage(page) if page else None
        try:
            return list(self._lines(page, text, number, most)) if text else []
        finally:
            if text:
                pdfium.FPDFText_ClosePage(text)
            if page:
                pdfium.FPDF_ClosePage(page)

    def _lines(self, page: Any, text: Any, number: int, most: int) -> Iterator[Line]:
        count = min(self._pdfium.FPDFText_CountChars(text), most)
        if count <= 0:
            return
        buffer = (ctypes.c_ushort * (count + 1))()
        written = self._pdfium.FPDFText_GetText(text, 0, count, buffer)
        drawn = bytes(buffer)[: 2 * max(0, written - 1)].decode("utf-16-le", "replace")
        links = list(self._links(page, text))
        for found in _SEGMENT.finditer(drawn):
            if not found[0].strip(f"{HYPHEN}\xad").isspace():
                yield self._line(text, found[0], found.start(), number, links)

    def _line(
        self, text: Any, drawn: str, at: int, page: int, links: Iterable[tuple[int, int, str]]
    ) -> Line:
        pdfium, box, matrix = self._pdfium, self._pdfium.FS_RECTF(), self._pdfium.FS_MATRIX()
        x, y = ctypes.c_double(), ctypes.c_double()
        first = at + len(drawn) - len(drawn.lstrip())
        last = at + len(drawn.rstrip()) - 1
        index = pdfium.FPDFText_GetCharIndexFromTextIndex
        sizes, bases = [], []
        for n in range(first, last + 1, max(1, (last - first) // (_SAMPLES - 1))):
            one = index(text, n)
            if drawn[n - at].isspace() or not pdfium.FPDFText_GetMatrix(text, one, matrix):
                continue
            sizes.append(pdfium.FPDFText_GetFontSize(text, one) * hypot(matrix.c, matrix.d))
            pdfium.FPDFText_GetCharOrigin(text, one, x, y)
            bases.append(y.value)
        ends = []
        for n in (first, last):
            pdfium.FPDFText_GetLooseCharBox(text, index(text, n), box)
            ends.append((box.left, box.right))
        (left, start), (stop, right) = ends
        if left > right:
            left, right = -start, -stop
        end = at + len(drawn)
        within = (
            (max(begun, at) - at, min(ended, end) - at, url)
            for begun, ended, url in links
            if begun < end and ended > at
        )
        return Line(
            drawn.translate(_DRAWN) if not drawn.isascii() else drawn,
            page,
            left,
            right,
            median_low(bases) if bases else box.bottom,
            median_low(sizes) if sizes else box.top - box.bottom,
            tuple(within),
        )

    def _links(self, page: Any, text: Any) -> Iterator[tuple[int, int, str]]:
        """Yield where links begin and end in the text of a page, and where they lead; in order.

        Annotations (12.5.6.5), and addresses that stand in the text.
        """
        end = 0
        for begun, ended, url in sorted({*self._annotated(page, text), *self._written(text)}):
            if begun >= end and self._links_left > 0:
                self._links_left -= not url.startswith("#")
                yield begun, ended, url
                end = ended

    def _annotated(self, page: Any, text: Any) -> Iterator[tuple[int, int, str]]:
        pdfium, box = self._pdfium, self._pdfium.FS_RECTF()
        position, link = ctypes.c_int(0), pdfium.FPDF_LINK()
        for _ in range(self._links_left):
            if not pdfium.FPDFLink_Enumerate(page, position, link):
                return
            url = self._target(link)
            if not url or not pdfium.FPDFLink_GetAnnotRect(link, box):
                continue
            height = (box.bottom + box.top) / 2
            width = min(1.0, (box.right - box.left) / 4)
            ends = [
                pdfium.FPDFText_GetCharIndexAtPos(text, place, height, 10.0, 4.0)
                for place in (box.left + width, box.right - width)
            ]
            begun, ended = (pdfium.FPDFText_GetTextIndexFromCharIndex(text, one) for one in ends)
            if 0 <= begun <= ended:
                yield begun, ended + 1, url

    def _target(self, link: Any) -> str:
        """Return where an annotation leads; nothing where that is no address and no page."""
        pdfium, document = self._pdfium, self._document
        action = pdfium.FPDFLink_GetAction(link)
        if action and pdfium.FPDFAction_GetType(action) == pdfium.PDFACTION_URI:
            size = min(pdfium.FPDFAction_GetURIPath(document, action, None, 0), _LONGEST_SAID)
            address = ctypes.create_string_buffer(max(1, size))
            pdfium.FPDFAction_GetURIPath(document, action, address, size)
            return address.value.decode("utf-8", "replace")
        place = pdfium.FPDFLink_GetDest(document, link)
        number = pdfium.FPDFDest_GetDestPageIndex(document, place) if place else -1
        return f"#page={number + 1}" if number >= 0 else ""

    def _written(self, text: Any) -> Iterator[tuple[int, int, str]]:
        pdfium = self._pdfium
        begun, count = ctypes.c_int(), ctypes.c_int()
        links = pdfium.FPDFLink_LoadWebLinks(text)
        try:
            for number in range(min(self._links_left, pdfium.FPDFLink_CountWebLinks(links))):
                if not pdfium.FPDFLink_GetTextRange(links, number, begun, count):
                    continue
                size = min(pdfium.FPDFLink_GetURL(links, number, None, 0), _LONGEST_SAID)
                address = (ctypes.c_ushort * max(1, size))()
                pdfium.FPDFLink_GetURL(links, number, address, size)
                url = bytes(address).decode("utf-16-le", "replace").rstrip("\0")
                index = pdfium.FPDFText_GetTextIndexFromCharIndex
                first = index(text, begun.value)
                last = index(text, begun.value + count.value - 1)
                if url and 0 <= first <= last:
                    yield first, last + 1, url
        finally:
            pdfium.FPDFLink_CloseWebLinks(links)


def _utf16(write: Callable[[Any, int], int]) -> str:
    """Return a text of pdfium's, folded; `write` fills a buffer and says how large it is to be."""
    size = min(write(None, 0), _LONGEST_SAID)
    buffer = ctypes.create_string_buffer(max(2, size))
    write(buffer, size)
    return folded(buffer.raw[: max(0, size - 2)].decode("utf-16-le", "replace"))


# ---------------------------------------------------------------- running heads
# What stands at one height of page after page, and says the same there but for numbers.


_EDGE = 3
"""Lines at the top of a page, and at its bottom, that may be running heads."""
_APART = 1.75
"""Times their size by which they stand apart from the text, at least; its lines are closer."""
_BAND = 3.0
"""Points within which heights are the same."""
_LARGE = 1.15
"""Times the usual size from which on a line is no running head, and may be a heading."""
_LONGEST_HEAD = 150
"""Characters."""
_OFTEN = 3
"""Pages on which a head stands at least. Of fewer pages only numbers are left out."""
_MOSTLY = 0.8
"""Share of what stands at a height that stands apart from text, where that is the one of heads."""
_MOST_HEADS = 0.25
"""Share of all text that may be heads: where more repeats, it is what the pages say."""
_NUMBER = re.compile(r"\d+|\b[ivxlcm]+\b", re.IGNORECASE)


def usual_size(lines: Iterable[Line]) -> float:
    """Return the size in which most characters are drawn; 0 of no lines."""
    weights = Counter[float]()
    for line in lines:
        weights[_rounded(line.size)] += len(line.text)
    return max(weights, key=lambda size: (weights[size], -size)) if weights else 0.0


def running_heads(lines: Sequence[Line], body_size: float) -> frozenset[int]:
    """Return the numbers of lines that are heads or feet of the pages, or page numbers.

    At a height where such lines stand all are, whatever they say.
    """
    places: dict[int, int] = {}
    by_page: dict[int, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        by_page[line.page].append(number)
    for numbers in by_page.values():
        downwards = sorted(numbers, key=lambda n: -lines[n].base)
        for n in {*_apart(downwards, lines), *_apart(downwards[::-1], lines)}:
            line = lines[n]
            if line.size < _LARGE * body_size and len(line.text) <= _LONGEST_HEAD:
                places[n] = _height(line)
    said = {n: word_characters(_NUMBER.sub("", lines[n].text)).casefold() for n in places}
    times = Counter((place, said[n]) for n, place in places.items())
    again = {
        n
        for n, place in places.items()
        if times[place, said[n]] >= (_OFTEN if said[n] else min(_OFTEN, len(by_page)))
    }
    again_at, apart_at = Counter(places[n] for n in again), Counter(places.values())
    # Where mostly text stands at a height, what stands apart there is a first line that repeats.
    all_at = Counter(place for _, place in {(line.page, _height(line)) for line in lines})
    heads = frozenset(
        n
        for n, place in places.items()
        if apart_at[place] >= _MOSTLY * all_at[place] and (n in again or again_at[place] >= _OFTEN)
    )
    weight = sum(len(lines[n].text) for n in heads)
    return heads if weight <= _MOST_HEADS * sum(len(line.text) for line in lines) else frozenset()


def _height(line: Line) -> int:
    return round(line.base / _BAND)


def _apart(inwards: Sequence[int], lines: Sequence[Line]) -> Sequence[int]:
    """Return the first lines from an edge of a page on that stand apart from what follows them."""
    for count in range(1, min(_EDGE, len(inwards)) + 1):
        line = lines[inwards[count - 1]]
        inner = lines[inwards[count]] if count < len(inwards) else None
        if inner is None or abs(line.base - inner.base) >= _APART * max(line.size, inner.size):
            return inwards[:count]
    return ()


# ---------------------------------------------------------------- tables of contents


_LEADERS = " .·…"
"""What leads from a name to its page."""
_FEWEST_LEADERS = 3
_PAGE_NUMBER = re.compile(r"(?<!\w)(?:\d+|[ivxlcm]+)\Z", re.IGNORECASE)
_LONGEST_NUMBER = 12
_LINKED = 0.8
"""Share of a name that leads to its page."""


def with_entries(lines: Sequence[Line]) -> list[Line]:
    """Return the lines with the entries of tables of contents told: names that lead to pages.

    Leaders stand between such a name and its page number, or a link to the page is on the name; or
    on the number, in neighbouring lines.
    """
    names = [_named(line) for line in lines]
    found = list(lines)
    for number, (line, named) in enumerate(zip(lines, names, strict=True)):
        if named is None:
            continue
        name, is_sure = named
        beside = (*names[max(0, number - 1) : number], *names[number + 1 : number + 2])
        if is_sure or any(one is not None for one in beside):
            url = next((url for *_, url in line.links if url.startswith("#")), "#")
            found[number] = line._replace(text=name, links=((0, len(name), url),), is_entry=True)
    return found


def _named(line: Line) -> tuple[str, bool] | None:
    """Return the name in a line that may be an entry, and whether it surely is one."""
    text = line.text.rstrip()
    found = _PAGE_NUMBER.search(text, max(0, len(text) - _LONGEST_NUMBER))
    if found is None:
        return None
    led = text[: found.start()]
    name = led.rstrip(_LEADERS)
    if not name.strip():
        return None
    leaders = led[len(name) :]
    if len(leaders) - leaders.count(" ") >= _FEWEST_LEADERS:
        return name, True
    inner = [(begun, ended) for begun, ended, url in line.links if url.startswith("#")]
    if sum(min(ended, len(name)) - begun for begun, ended in inner) >= _LINKED * len(name):
        return name, True
    return (name, False) if inner and inner[-1][1] > found.start() else None


# ---------------------------------------------------------------- blocks


@dataclass(slots=True)
class Block:
    """A heading, an item of a list or a paragraph: lines that follow each other."""

    lines: list[Line]
    level: int = 0
    """Of a heading, 1 to 6."""
    is_item: bool = False

    @property
    def text(self) -> str:
        """What it says, on one line."""
        return folded("".join(text + after for _, text, after in _pieces(self.lines)))


_SAME_SIZE = 0.06
"""Share by which sizes of one paragraph, or of headings of one level, may differ."""
_SAME_LEADING = 1.25
"""Times the usual distance of lines up to which one follows another."""
_NOTE_SIZE = 0.93
"""Times the usual size up to which lines at the foot of a page are notes."""
_MOST_LEVELS = 6
_LONGEST_HEADING = 300
"""Characters; a longer text in large letters is set so."""
_MOST_LARGE = 0.3
"""Share of a document that may be headings; where more is large, it is no sign of one."""
_BULLET = re.compile(r"\s*[•◦▪▫‣⁃∙●○■□–]\s+(?=\S)")
_ENDS = tuple(".!?:;。！？：；")
_WORD = re.compile(r"\S+")
_COMPOUND = re.compile(r"(?<!\w)\w+(?:-\w+)+")


def blocks(lines: Sequence[Line], body_size: float) -> list[Block]:
    """Return the blocks of a document without running heads, in reading order.

    Notes at the foot of a page follow the paragraph that goes on behind them.
    """
    levels = _levels(lines, body_size)
    leading = _leading(lines, body_size)
    limits = _limits(lines)
    notes = _notes(lines, body_size)
    found: list[Block] = []
    waiting: list[Block] = []
    last: int | None = None
    in_note: int | None = None
    for number, line in enumerate(lines):
        before = in_note if number in notes else last
        joined = before is not None and _goes_on(
            lines[before], line, limits[before], leading, levels
        )
        if number in notes:
            if joined and waiting:
                waiting[-1].lines.append(line)
            else:
                waiting.append(Block([line]))
            in_note = number
            continue
        if not joined or not found:
            found += waiting
            waiting = []
            level = 0 if line.is_entry else levels.get(_rounded(line.size), 0)
            found.append(Block([line], level, not level and _BULLET.match(line.text) is not None))
        else:
            found[-1].lines.append(line)
        last, in_note = number, None
    found += waiting
    for block in found:
        if block.level and len(block.text) > _LONGEST_HEADING:
            block.level = 0
    return found


def _rounded(size: float) -> float:
    """Return a size in half points."""
    return round(size * 2) / 2


def _levels(lines: Sequence[Line], body_size: float) -> dict[float, int]:
    """Return which sizes are those of headings, and of which level; the largest has the first."""
    large = Counter[float]()
    for line in lines:
        if line.size >= _LARGE * body_size:
            large[_rounded(line.size)] += len(line.text)
    if large.total() > _MOST_LARGE * sum(len(line.text) for line in lines):
        return {}
    levels: dict[float, int] = {}
    level, before = 0, 0.0
    for size in sorted(large, reverse=True):
        if not before or size < (1 - _SAME_SIZE) * before:
            level, before = min(level + 1, _MOST_LEVELS), size
        levels[size] = level
    return levels


def _leading(lines: Sequence[Line], body_size: float) -> float:
    """Return the usual distance of lines, as a multiple of their size."""
    distances = Counter[float]()
    for one, other in pairwise(lines):
        if one.page == other.page and _same_size(one, other) and other.size < _LARGE * body_size:
            distance = (one.base - other.base) / max(one.size, 1.0)
            if 0.8 < distance < 3.0:
                distances[round(distance, 1)] += 1
    return max(distances, key=lambda one: (distances[one], -one)) if distances else 1.2


def _limits(lines: Sequence[Line]) -> list[float]:
    """Return how far to the right each line might have reached: as far as one of its column does.

    A column is what is drawn downwards, in one direction of reading, without a step up.
    """
    limits: list[float] = []
    column: list[Line] = []
    for line in lines:
        last = column[-1] if column else line
        turns = (line.right < 0) is not (last.right < 0)
        if turns or line.page != last.page or line.base > last.base + line.size:
            limits += [max(one.right for one in column)] * len(column)
            column = []
        column.append(line)
    return limits + [max((one.right for one in column), default=0.0)] * len(column)


def _notes(lines: Sequence[Line], body_size: float) -> frozenset[int]:
    """Return the numbers of small lines that are the last ones of their page."""
    notes: set[int] = set()
    below = True
    for number in range(len(lines) - 1, -1, -1):
        if number + 1 < len(lines) and lines[number].page != lines[number + 1].page:
            below = True
        below = below and lines[number].size <= _NOTE_SIZE * body_size
        if below:
            notes.add(number)
    return frozenset(notes)


def _same_size(one: Line, other: Line) -> bool:
    return abs(one.size - other.size) <= _SAME_SIZE * max(one.size, other.size)


def _goes_on(
    last: Line, line: Line, limit: float, leading: float, levels: dict[float, int]
) -> bool:
    """Whether a line is of the paragraph or heading of the last one.

    A paragraph ends with a line that had room for the first word of the next one.
    """
    if not _same_size(last, line) or _BULLET.match(line.text) or last.is_entry:
        return False
    distance = last.base - line.base
    is_heading = _rounded(line.size) in levels
    if last.page == line.page and distance > 0:
        if distance > _SAME_LEADING * leading * line.size:
            return False
        if is_heading:
            return True
    elif is_heading or last.text.rstrip().endswith(_ENDS):
        return False
    if last.text.endswith(HYPHEN):
        return True
    if line.left > last.left + line.size and not _BULLET.match(last.text):
        return False
    return limit - last.right < _first_word(line)


def _first_word(line: Line) -> float:
    """Return how wide the first word of a line is, with the space before it."""
    text = line.text.lstrip()
    found = _WORD.match(text)
    word = found[0] if found else text
    # Between letters without spaces a line breaks anywhere, but for signs that begin none.
    length = 2 if _is_unspaced(text[:1]) else len(word) + 1
    return length * (line.right - line.left) / max(1, len(text))


_UNSPACED = ("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff")
"""Thai and Lao, Myanmar, Khmer."""


def _is_unspaced(letter: str) -> bool:
    """Whether words of the script of a letter, or nothing, have no spaces between them."""
    if not letter or "\uac00" <= letter <= "\ud7a3":  # Hangul is wide, and has
        return False
    return east_asian_width(letter) in "WF" or any(a <= letter <= z for a, z in _UNSPACED)


# ---------------------------------------------------------------- HTML


class _Words:
    """The words of a document, by which hyphens at the ends of lines are told from others."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._words: set[str] = set()
        self._compounds: set[str] = set()
        for line in lines:
            words = line.text.casefold()
            self._words.update(re.findall(r"\w+", words))
            self._compounds.update(_COMPOUND.findall(words))

    def are_one(self, last: str, following: str) -> bool:
        """Whether the hyphen between two lines is no part of a word.

        As the document writes the word elsewhere; else between small letters.
        """
        begun, ended = re.search(r"\w+\Z", last), re.match(r"\w+", following)
        if begun is None or ended is None:
            return False
        one, two = begun[0].casefold(), ended[0].casefold()
        if one + two in self._words:
            return True
        if f"{one}-{two}" in self._compounds:
            return False
        return begun[0][-1].islower() and ended[0][0].islower()


def _pieces(lines: Sequence[Line], words: _Words | None = None) -> Iterator[tuple[Line, str, str]]:
    """Yield each line of a block with the text that it adds, and what stands behind that."""
    for number, line in enumerate(lines):
        text = line.text
        following = lines[number + 1].text.lstrip() if number + 1 < len(lines) else ""
        if text.endswith(HYPHEN):
            text = text[:-1]
            is_one = bool(following) and words is not None and words.are_one(text, following)
            yield line, text, "" if is_one else "-"
        elif not following:
            yield line, text, ""
        else:
            text = text.rstrip()
            unspaced = _is_unspaced(text[-1:]) or _is_unspaced(following[:1])
            yield line, text, "" if unspaced else " "


def _block_html(block: Block, words: _Words) -> str:
    """Return what a block says; what leads to one address in several lines is one link."""
    linked: list[tuple[str, str]] = []
    for number, (line, text, after) in enumerate(_pieces(block.lines, words)):
        found = _BULLET.match(text) if block.is_item and not number else None
        at = found.end() if found else 0
        is_last = number == len(block.lines) - 1
        for begun, ended, url in line.links:
            begun, ended = max(at, begun), min(len(text), ended)
            shown = text[begun:ended]
            if begun >= ended or (not is_last and ended == len(text) and url.endswith(shown)):
                continue  # an address that stands in the text may go on in the next line
            linked += (text[at:begun], ""), (shown, url)
            at = ended
        linked += (text[at:], ""), (after, "")
    runs = [one for one in linked if one[0]]
    for n in range(1, len(runs) - 1):
        if runs[n][0] == " " and runs[n - 1][1] == runs[n + 1][1]:
            runs[n] = " ", runs[n - 1][1]
    out = []
    for url, some in groupby(runs, key=lambda one: one[1]):
        said = escape("".join(text for text, _ in some))
        out.append(f'<a href="{escape(clean(url))}">{said}</a>' if url else said)
    return "".join(out)


def _html(pdf: Pdf, lines: Sequence[Line], found: Sequence[Block]) -> Iterator[str]:
    words = _Words(lines)
    language = pdf.language
    told = f' lang="{escape(language)}"' if language else ""
    yield f"<!doctype html><html{told}><head><meta charset=utf-8>"
    if title := _title(pdf, lines, found):
        yield f"<title>{escape(title)}</title>"
    said = {"author": pdf.said("Author"), "description": pdf.said("Subject")}
    said["dcterms.modified"] = _date(pdf.said("ModDate") or pdf.said("CreationDate"))
    for name, value in said.items():
        if value:
            yield f'<meta name="{name}" content="{escape(value)}">'
    yield "</head><body>"
    in_list = False
    for block in found:
        if block.is_item != in_list:
            yield "<ul>" if block.is_item else "</ul>"
            in_list = block.is_item
        tag = f"h{block.level}" if block.level else "li" if block.is_item else "p"
        yield f"<{tag}>{_block_html(block, words)}</{tag}>\n"
    yield "</body></html>"


_FIRST_PAGES = 2
"""That show a title: a cover, and what follows it."""


def _title(pdf: Pdf, lines: Sequence[Line], found: Sequence[Block]) -> str:
    """Return the title that the file declares, if its first pages show that; or its first heading.

    What programs write there unasked (names of files, `untitled`) stands on no page.
    """
    declared = pdf.said("Title")
    shown = "".join(word_characters(line.text) for line in lines if line.page < _FIRST_PAGES)
    bare = word_characters(declared).casefold()
    if bare and bare in shown.casefold():
        return declared
    first = [block for block in found if block.level and block.lines[0].page == 0]
    return min(first, key=lambda block: block.level).text if first else ""


_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?")


def _date(written: str) -> str:
    """Return a date of a PDF (ISO 32000-1, 7.9.4) as ISO 8601; nothing where it is none."""
    found = _DATE.match(written)
    if found is None:
        return ""
    year, month, day, hour, minute, second, zulu, sign, off_hours, off_minutes = found.groups()
    date = f"{year}-{month or '01'}-{day or '01'}"
    if hour is None:
        return date
    offset = "+00:00" if zulu else f"{sign}{off_hours}:{off_minutes or '00'}" if sign else ""
    return f"{date}T{hour}:{minute or '00'}:{second or '00'}{offset}"
