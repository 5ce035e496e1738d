"""Markup brought within bounds before it is parsed, so that parsing it is linear.

The HTML standard lets a page say things that take quadratic time: an element may be nested in any
number of others, which every further tag looks through; formatting that is never closed is opened
anew in every block; each attribute of a tag is compared with all others. Pages of that kind are
read here as browsers read them that set bounds, and what they say comes out.

    tag_names    a page taken apart, as the standard's tokenizer does
    STARTS, ENDS which elements of HTML end which others
    may_be_deep  whether a page certainly is within bounds: nearly all are, and stay as they are
    bounded      the others, written anew with every end tag, so that nothing is left to guess
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import islice
from typing import Final, NamedTuple

from crawler.extract.page import written_out

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


# A page taken apart into tags, comments and raw text, as the standard's tokenizer does.
#
# HTML standard, 13.2.5. Attributes are skipped with their quotes, so that no `</div>` in a title is
# taken for a tag; what begins with `<!`, `<?` or `</1` is a comment up to the next `>`.

RAW = frozenset("script style textarea title xmp iframe noembed noframes".split())
"""Elements whose content is no markup, unless they stand in `select`, `svg` or `math`."""

_CDATA = r"!\[CDATA\["
"""Text up to `]]>` in `svg` and `math`, a comment up to `>` elsewhere."""
_COMMENT = (
    r"!--(?:-?>|(?:[^-]++|-(?!-!?>))*+)"
    r"|!(?!--|\[CDATA\[)[^>]*+|\?[^>]*+|/(?![a-zA-Z])[^>]*+"
)
_NAME = r"/?[a-zA-Z][^\t\n\f\r />]*+"
_VALUE = r"""[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:"[^"]*+"|'[^']*+'|["'][\s\S]*+|[^\t\n\f\r >]*+)"""
"""A quote that is never closed hides the rest of a page."""
_ATTRIBUTE = rf"[^\t\n\f\r />][^\t\n\f\r />=]*+(?:{_VALUE})?+"
_USUAL = r"""(?:[\t\n\f\r ][^\t\n\f\r =>/"'<]++=(?:"[^"]*+"|[^\t\n\f\r "'=>]++))*+"""
"""Attributes as they are mostly written."""
_ATTRIBUTES = rf"{_USUAL}(?:>|(?:[\t\n\f\r /]++|{_ATTRIBUTE})*+>?+)"
_LEAVES = "|".join(
    rf"{name}{_USUAL}>[^<]*+</{name}>"
    for name in "a b code em i mi mn mo span strong tt var".split()
)
"""Elements of nothing but text: whatever they stand in, they leave nothing open, and half of all
tags of a page are theirs."""


def _raw(name: str) -> str:
    """Return an expression for a raw element up to its end tag, or all of it if it has no `<`."""
    end = rf"/(?i:{name})[\t\n\f\r />]"
    text = rf"(?:[^<]++|<(?!{end}))*+"
    if name.lower() == "script":  # another one in it may be part of it, and its end tag too
        text = rf"(?:[^<]++|<(?!/?(?i:{name})[\t\n\f\r />]))*+"
    return rf"{name}(?=[\t\n\f\r />]){_ATTRIBUTES}(?:[^<]*+<{end}|{text}(?=<{end}))"


_RAWS = [written for name in sorted(RAW) for written in (name, name.upper())]
"""Without letter case the expression takes twice the time."""
_TAG_NAME = re.compile(
    rf"<(?:{_LEAVES}|(?=[sStTxXiInN])(?:{'|'.join(map(_raw, _RAWS))})"
    rf"|((?:{'|'.join(_RAWS)})(?=[\t\n\f\r />])[\s\S]*+|{_NAME}|{_CDATA}){_ATTRIBUTES}|{_COMMENT})"
)
"""One group, so that `findall` gives strings: names, of end tags with their slash."""

TAG = re.compile(
    rf"<(?:(?P<comment>{_COMMENT})|(?P<cdata>{_CDATA})|(?P<name>{_NAME})(?P<rest>{_ATTRIBUTES}))"
)
"""One after another; the content of raw elements is up to who asks."""
RAW_ENDS = {name: re.compile(rf"(?i:</{name})[\t\n\f\r />]|\Z") for name in sorted(RAW)}
_WHOLE_ATTRIBUTE = re.compile(_ATTRIBUTE)
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_LONG = 8192
_LONG_TAG = re.compile(rf"<[A-Za-z][^<>]{{{_LONG}}}")
"""A tag that is looked at for its attributes: those of shorter ones take some 30 ms at worst."""


def lowered(name: str) -> str:
    """Return a name in lower case: that of ASCII, for no other letters are alike in markup."""
    return name.lower() if name.isascii() else name.translate(_LOWER)


def tag_names(html: str) -> list[str]:
    """Return the names of tags as written, those of end tags with their slash, and empty ones.

    Without what stands in comments and in raw text, and without leaves. Of raw elements there is
    only the end tag, and only if a `<` stands before it. What tells that a name is none are other
    characters in it: of a raw element that is not closed, or may not be where it seems to be, all
    the rest comes with it; of a CDATA section, how it begins.
    """
    names: list[str] = _TAG_NAME.findall(html)
    return names


def has_long_tags(html: str) -> bool:
    """Whether a tag has more than MAX_ATTRIBUTES."""
    # A tag of _LONG characters spans half as many from a round place. Nearly all pages have a
    # bracket soon after each such place, so that little of them is read.
    half = _LONG // 2
    return any(
        html.find("<", place, place + half) < 0 and html.find(">", place, place + half) < 0
        for place in range(0, len(html) - half + 1, half)
    ) and any(_has_many_attributes(html, found.start()) for found in _LONG_TAG.finditer(html))


def shortened(tag: re.Match[str]) -> str:
    """Return a tag with its first MAX_ATTRIBUTES attributes."""
    rest: str = tag["rest"]
    if len(rest) <= 2 * MAX_ATTRIBUTES:
        return tag[0]
    found = _WHOLE_ATTRIBUTE.finditer(rest)
    ends = [attribute.end() for attribute in islice(found, MAX_ATTRIBUTES + 1)]
    return tag[0] if len(ends) <= MAX_ATTRIBUTES else f"<{tag['name']}{rest[: ends[-2]]}>"


def _has_many_attributes(html: str, position: int) -> bool:
    """Whether the tag at a position, if it is one, has more than MAX_ATTRIBUTES."""
    tag = TAG.match(html, position)
    return tag is not None and tag["name"] is not None and shortened(tag) != tag[0]


# Which elements of HTML may stand in each other, and which tags end others.
#
# HTML standard, 13.2.4 and 13.2.6. `may_be_deep` and `bounded` go by the same tables, the
# first by numbers.

Chain = tuple[frozenset[str], ...]
"""What a tag ends at the end of the open elements: one of each set, one after another."""


def _names(written: str) -> frozenset[str]:
    return frozenset(written.split())


ROOTS = _names("html body frameset")
"""Elements that are none outside of others, with few tags of each (MAX_ROOTS)."""
VOID = _names(
    """
    area base basefont bgsound br col embed frame hr image img input keygen link meta param source
    track wbr
    """
)
"""Elements without content. In `svg` and `math` most of these names are as any others."""
FORMATTING = _names("b big code em font i s small strike strong tt u")
"""What is opened anew in the next block (13.2.4.3), apart from `a` and `nobr`, of which there is
one at a time."""
FOREIGN = _names("svg math")
INTEGRATION = {
    "svg": _names("foreignobject desc title"),
    "math": _names("mi mo mn ms mtext"),
}
"""Elements of FOREIGN ones whose content is HTML; `annotation-xml` where it says so."""
MARKERS = FOREIGN | _names(
    """
    applet annotation-xml button caption desc foreignobject marquee mi mn mo ms mtext object select
    table td template th
    """
)
"""What an end tag does not look beyond, or not always: to ignore one is to be on the safe side."""
_PARTS = _names("tbody tfoot thead")
_CELLS = _names("td th")
TABLE_PARTS = _PARTS | _CELLS | _names("caption colgroup table tr")
"""Their end tags look beyond any of MARKERS but these."""
TABLE_MARKERS = FOREIGN | _names("select table template")
_BLOCKS = _names(
    """
    address article aside blockquote center details dir div dl fieldset figcaption figure footer
    form h1 h2 h3 h4 h5 h6 header hgroup listing main menu nav ol p pre section ul
    """
)
"""Their start tags end a paragraph."""
SPECIAL = (
    MARKERS
    | TABLE_PARTS
    | _BLOCKS
    | _names(
        """
        dd dt head iframe li noembed noframes noscript plaintext script search
        style summary textarea title xmp
        """
    )
)
"""What the end tag of any other element does not look beyond."""
BREAKOUT = (
    FORMATTING
    | {f"h{level}" for level in range(1, 7)}
    | _names(
        """
        blockquote body br center dd div dl dt embed head hr img li listing menu meta nobr ol p pre
        ruby span sub sup table ul var
        """
    )
)
"""Start tags that end `svg` and `math` (13.2.6.5); `font` does so with some attributes."""

_P = _names("p")
_ROW: Chain = (_P, _CELLS)
_BODY: Chain = (*_ROW, _names("tr colgroup"))
_WHOLE: Chain = (*_ROW, _names("tr"), _PARTS | {"colgroup"})
STARTS: Final[dict[str, Chain]] = {
    **dict.fromkeys(sorted(_BLOCKS), (_P,)),
    "li": (_P, _names("li")),
    **dict.fromkeys(("dd", "dt"), (_P, _names("dd dt"))),
    **dict.fromkeys(sorted(_CELLS), _ROW),
    "tr": _BODY,
    **dict.fromkeys(sorted(_PARTS), _WHOLE),
    **dict.fromkeys(("option", "optgroup"), (_names("option"),)),
    **{name: (_names(name),) for name in ("a", "nobr")},
}
"""What a start tag surely ends where it is the last open element, of elements of HTML. Not told is
what depends on more: whether a table ends a paragraph, and a heading another one."""
ENDS: Final[dict[str, Chain]] = {
    **dict.fromkeys(sorted(_BLOCKS - {"p"}), (_P,)),
    **dict.fromkeys(("ol", "ul", "menu", "dir"), (_P, _names("li"))),
    "dl": (_P, _names("dd dt")),
    **dict.fromkeys(("li", "dd", "dt", *sorted(_CELLS)), (_P,)),
    "tr": _ROW,
    **dict.fromkeys(sorted(_PARTS), _BODY),
    "table": _WHOLE,
    "select": (_names("option"), _names("optgroup")),
}
"""What an end tag ends before its own element."""
IN_SELECT = _names("option optgroup hr script")
"""What may stand in `select`, by older versions of the standard as by newer ones."""


# Whether a page certainly is within bounds, found out at little more than the cost of its tags.
#
# The open elements are followed as the standard has it where each end tag stands for the last open
# element, after those that it surely implies. Everything else is a mistake in the markup, and
# parsers make more of it than is followed here: how much more is bounded.

_FEW = 512
"""Start tags that no page is looked at for: whatever they say, it takes some 50 ms."""
_SMALL = 20_000
"""Characters of such a page that is not looked at for its roots either."""
_MANY_MISTAKES = 1_000
"""End tags for other than the last element, of a page that is not looked at any further."""
_NO_NAME = re.compile(r"\A[^a-z]|[\t\n\f\r />]")
_ROOT = re.compile(r"<(?:html|body|frameset)[\s/>]", re.IGNORECASE)


def may_be_deep(html: str) -> bool:
    """Whether a page may have elements, formatting or roots beyond bounds."""
    if html.count("<") - html.count("</") <= _FEW:
        return len(html) > _SMALL and len(_ROOT.findall(html)) > 2 * MAX_ROOTS
    return not _is_within(map(_Numbers().__getitem__, tag_names(html)))


# Names as numbers: those of end tags are negative, 0 says nothing. What needs a closer look has the
# smallest ones, formatting first.

_NOTHING = 0
_ODD = 1
"""Whatever makes it doubtful where the next tags are."""
_OTHER_NAMES = sorted(FOREIGN | {"select"})
_RULED = [
    *sorted(FORMATTING),
    *sorted(ROOTS),
    *sorted(VOID - BREAKOUT),
    *_OTHER_NAMES,
    *sorted(STARTS),
]
_KNOWN = [*_RULED, *sorted(SPECIAL - {*_RULED} - RAW - {"head"})]
_ID = {name: number for number, name in enumerate(_KNOWN, _ODD + 1)}
_LAST_FORMATTING = _ID[sorted(FORMATTING)[-1]]
_LAST_ROOT = _ID[sorted(ROOTS)[-1]]
_LAST_VOID = _ID[sorted(VOID - BREAKOUT)[-1]]
_LAST_OTHER = _ID[_OTHER_NAMES[-1]]
_LAST_RULED = _ID[sorted(STARTS)[-1]]
_NUMBERS = {
    **_ID,
    **{f"/{name}": -number for name, number in _ID.items()},
    **dict.fromkeys(("head", "/head", *(f"/{name}" for name in ROOTS)), _NOTHING),
    **dict.fromkeys(VOID & BREAKOUT, _NOTHING),
    **{f"/{name}": _NOTHING for name in VOID},
    "": _NOTHING,
    **dict.fromkeys((*RAW, "frameset"), _ODD),
    **{f"/{name}": -_ODD for name in RAW},
}


class _Numbers(dict[str, int]):
    """The numbers of names as written; other names than the known ones get theirs as they come."""

    def __init__(self) -> None:
        super().__init__(_NUMBERS)

    def __missing__(self, written: str) -> int:
        name = lowered(written)
        if name not in self:
            bare = name.removeprefix("/")
            if _NO_NAME.search(bare):
                self[name] = _ODD
            else:
                self[bare] = number = len(self)
                self[f"/{bare}"] = -number
        self[written] = self[name]
        return self[name]


def _ids(names: Iterable[str]) -> frozenset[int]:
    return frozenset(_ID[name] for name in names if name in _ID)


def _chains(chains: dict[str, Chain]) -> dict[int, tuple[frozenset[int], ...]]:
    return {_ID[name]: tuple(map(_ids, chain)) for name, chain in chains.items()}


_STARTS, _ENDS = _chains(STARTS), _chains(ENDS)
_ENDED = frozenset(tag for chain in _STARTS.values() for tags in chain for tag in tags)
"""What start tags may end at all: most stand within something else."""
_SPECIAL, _MARKERS, _OTHERS = _ids(SPECIAL), _ids(MARKERS), _ids(FOREIGN | {"select"})
_TABLE_PARTS, _TABLE_MARKERS = _ids(TABLE_PARTS), _ids(TABLE_MARKERS)
_BY_NAMESPACE = _ids(("a", "tr", "td", "th", "tbody", "tfoot", "thead", "option", "optgroup"))
"""End others like them only where they are no elements of FOREIGN ones."""


def _is_within(tags: Iterable[int]) -> bool:
    """Whether elements and formatting that tags, as numbers, leave open stay within bounds.

    What is open to a parser is open here as well, but for what mistakes have ended here
    (`_Mistakes`), and for elements that a parser adds: those of tables, formatting opened anew.
    """
    stack = [_NOTHING] * (MAX_DEPTH + 2)
    mistakes = _Mistakes(stack)
    last = formatting = most = roots = 0
    for tag in tags:
        if tag < _NOTHING:
            if stack[last] == -tag:
                last -= 1
                if tag >= -_LAST_FORMATTING:
                    formatting -= 1
            elif tag == -_ODD:
                if mistakes.may_stand_in_others(last):
                    return False
            else:
                last = mistakes.end(last, -tag)
                formatting -= mistakes.formatting_ended
                if mistakes.count > _MANY_MISTAKES:
                    return False
            continue
        if tag > _LAST_OTHER:
            if tag <= _LAST_RULED and stack[last] in _ENDED:
                last = mistakes.begin(last, tag)
        elif tag > _LAST_VOID:
            mistakes.has_others = True
        elif tag > _LAST_ROOT:
            mistakes.others += mistakes.has_others
            continue
        elif tag > _LAST_FORMATTING:
            roots += 1
            continue
        elif tag > _ODD:
            formatting += 1
            if formatting > most:
                most = formatting
        elif tag == _ODD:
            return False
        else:
            continue
        last += 1
        if last > MAX_DEPTH:
            return False
        stack[last] = tag
    return roots <= 2 * MAX_ROOTS and mistakes.are_within(stack.index(_NOTHING, 1) - 1, most)


class _Mistakes:
    """Tags that end other elements than the last one, and what they may do.

    Elements that they end here may still be open to a parser. A special one of these may keep it
    from ending as many elements as are open at that time, once; others only add to the depth.
    """

    def __init__(self, stack: list[int]) -> None:
        self._stack = stack
        self.count = 0
        self.special = 0
        self.others = 0
        self.formatting = 0
        self.formatting_ended = 0
        """By the last tag."""
        self.has_others = False
        """Whether there were elements in which names mean other things (`_OTHERS`)."""

    def are_within(self, depth: int, formatting: int) -> bool:
        """Whether as many elements, and formatting among them, leave all within bounds."""
        times = self.special + 1
        return (
            times * (depth + 1) + self.others <= MAX_DEPTH
            and times * formatting + self.formatting <= MAX_FORMATTING
        )

    def may_stand_in_others(self, last: int) -> bool:
        """Whether what comes may be part of elements in which names mean other things."""
        self.count += 1
        return self.has_others and (
            self.special > 0 or not _OTHERS.isdisjoint(self._stack[: last + 1])
        )

    def begin(self, last: int, tag: int) -> int:
        """Return which element is the last one after those that a start tag surely ends."""
        stack = self._stack
        for ends in _STARTS[tag]:
            if stack[last] in ends:
                if tag in _BY_NAMESPACE and self.has_others and self.may_stand_in_others(last):
                    return last
                last -= 1
        return last

    def end(self, last: int, tag: int) -> int:
        """Return which element is the last one after an end tag."""
        stack = self._stack
        self.formatting_ended = 0
        implied = last
        for ends in _ENDS.get(tag, ()):
            if stack[implied] in ends:
                implied -= 1
        if stack[implied] == tag:
            return implied - 1
        self.count += 1
        barriers = _SPECIAL
        if tag in _TABLE_PARTS:
            barriers = _TABLE_MARKERS
        elif tag in _SPECIAL:
            barriers = _MARKERS
        for place in range(last, 0, -1):
            if stack[place] == tag:
                elements = stack[place + 1 : last + 1]
                special = sum(map(_SPECIAL.__contains__, elements))
                self.special += special
                self.others += len(elements) - special
                self.formatting_ended = sum(element <= _LAST_FORMATTING for element in elements)
                self.formatting += self.formatting_ended
                return place - 1
            if stack[place] in barriers:
                break
        return last


# A page written anew: each element ends where its own end tag stands, and none is too deep.
#
# Parsers are left nothing to guess: what this has open they have open, or less, so that no more
# than MAX_DEPTH elements can be.

_TABLE_DEPTH = 3
"""Elements that may be open for one `table`: a parser adds `tbody` and `tr`."""


class _Element(NamedTuple):
    name: str
    foreign: str
    """Which of FOREIGN it is part of, if not of HTML."""
    depth: int
    """Elements that may be open, with it."""
    marker: int
    special: int
    table: int
    """The last elements up to it that end tags do not look beyond: places among the open ones."""


_OUTSIDE = _Element("", "", 0, 0, 0, 0)


class _Rewriter:
    """Goes through the tags of one page."""

    def __init__(self, html: str) -> None:
        self._html = html
        self._open = [_OUTSIDE]
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        """Where the open elements of a name are among all."""
        self._undone: Counter[str] = Counter()
        """Tags left out, or ended at once, whose end tags are still to come."""
        self._formatting = 0
        self._roots = 0
        self._has_frames = False

    def pieces(self) -> Iterable[str]:
        """Yield what the page is made of."""
        html, at = self._html, 0
        while tag := TAG.search(html, at):
            yield html[at : tag.start()]
            at = tag.end()
            if tag["comment"] is not None:
                yield tag[0]
            elif tag["cdata"] is not None:
                mark = "]]>" if self._foreign() else ">"
                end = self._html.find(mark, at)
                end = len(self._html) if end < 0 else end
                written = self._html[at:end] if self._foreign() else ""
                at, text = end + len(mark), written.replace("&", "&amp;").replace("<", "&lt;")
                yield text
            elif tag[0][1] == "/":
                yield from self._ended(lowered(tag["name"][1:]), tag[0])
            else:
                name = lowered(tag["name"])
                yield from self._left_by(name)
                is_raw = name in RAW and not self._foreign()
                yield from self._begun(name, shortened(tag))
                if is_raw:
                    at, text = self._raw(name, at)
                    yield text
        yield html[at:]

    def _raw(self, name: str, at: int) -> tuple[int, str]:
        """Return where the content of a raw element ends, and what it is."""
        end = RAW_ENDS[name].search(self._html, at)
        assert end is not None  # the end of the page is one
        text = self._html[at : end.start()]
        if self._has_frames:  # among which it is none, and its content is read
            text = text.replace("<", "&lt;")
        # A script may hold another one, and the end tag be that one's.
        return end.start(), text.replace("<!--", "<! --")

    def _begun(self, name: str, text: str) -> Iterable[str]:
        if name in ROOTS and not self._foreign():
            self._roots += 1
            self._has_frames |= name == "frameset"
            if self._roots <= 2 * MAX_ROOTS:
                yield text
            return
        foreign = self._foreign() or (name if name in FOREIGN else "")
        if not foreign:
            for names in STARTS.get(name, ()):
                last = self._open[-1]
                if last.name in names and not last.foreign:
                    yield self._pop()
            if name in VOID or name in RAW:
                yield text
                return
        if name == "plaintext" or (name in FORMATTING and self._formatting >= MAX_FORMATTING):
            self._undone[name] += 1
            return
        if foreign and text.endswith("/>"):
            # Ended where it belongs to a drawing, and wherever else it might stand.
            yield f"{text[:-2]}></{name}>"
            return
        if name == "annotation-xml":
            text = f"<{name}>"  # by its attributes its content may be HTML
        last = self._open[-1]
        depth = last.depth + (_TABLE_DEPTH if name == "table" else 1)
        if depth > MAX_DEPTH:
            self._undone[name] += 1
            yield f"{text}</{name}>"
            return
        last, place = self._open[-1], len(self._open)
        self._places[name].append(place)
        self._formatting += name in FORMATTING
        self._open.append(
            _Element(
                name,
                foreign,
                depth,
                place if name in MARKERS else last.marker,
                place if name in SPECIAL else last.special,
                place if name in TABLE_MARKERS else last.table,
            )
        )
        yield text

    def _left_by(self, name: str) -> Iterable[str]:
        """End drawings and lists of options that a start tag ends."""
        if name in BREAKOUT and self._foreign():
            while self._foreign():
                yield self._pop()
        selects = self._places["select"]
        if selects and name not in IN_SELECT:
            yield from self._down_to(selects[-1])

    def _foreign(self) -> str:
        """Return which of FOREIGN an element that comes now is part of, if not of HTML."""
        last = self._open[-1]
        is_html = not last.foreign or last.name in INTEGRATION[last.foreign]
        return "" if is_html else last.foreign

    def _ended(self, name: str, text: str) -> Iterable[str]:
        if self._undone[name]:
            self._undone[name] -= 1
            return
        places = self._places[name]
        if not places:
            if name == "br" or name in RAW or name in ROOTS:
                yield text
            return
        place, within = places[-1], len(self._open) - 1
        for names in ENDS.get(name, ()):
            if self._open[within].name in names:
                within -= 1
        if within == place:  # nothing else is within it than what its end tag implies
            yield from self._down_to(place + 1)
        last = self._open[-1]
        before = self._open[place]
        barrier = last.special
        if name in TABLE_PARTS:
            barrier = last.table
        elif name in SPECIAL:
            barrier = last.marker
        if place >= barrier or (before.foreign and last.foreign):
            yield from self._down_to(place)

    def _down_to(self, place: int) -> Iterable[str]:
        while len(self._open) > place:
            yield self._pop()

    def _pop(self) -> str:
        name = self._open.pop().name
        self._places[name].pop()
        self._formatting -= name in FORMATTING
        return f"</{name}>"


def bounded(html: str, *, xml: bool) -> str:
    """Return a page that is parsed in linear time; the page itself where it certainly is already.

    `xml` tells that `<div/>` is closed. All text remains, and so does each link. Where a page is
    written anew, formatting may end with the block that it began in.
    """
    read = written_out(html) if xml else html
    if has_long_tags(read) or may_be_deep(read):
        return "".join(_Rewriter(read).pieces())
    return html
