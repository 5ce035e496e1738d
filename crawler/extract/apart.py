"""What a page shows or holds apart from its visible lines, each as one line of its own.

Pictures and embeds, files that links lead to, texts in the page's own header and footer, texts that
are hidden until somebody asks for them, values of form fields, words in drawings, the values of
JSON-LD that stand nowhere on the page, how code, powers and what is struck out are written, and a
digest of the markup: where pages of one form differ by such a thing alone, it is what tells them
apart.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from itertools import groupby, islice
from operator import add
from typing import Any
from urllib.parse import unquote, urlsplit

import orjson
from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.lines import (
    CELL,
    END_OF_CODE,
    END_OF_FORMULA,
    END_OF_SIGNED,
    IN_CODE,
    IN_DELETED,
    IN_FORMULA,
    IN_LOWERED,
    IN_RAISED,
    Drawing,
    Line,
    Openable,
)
from crawler.extract.page import Medium, PageHints
from crawler.extract.text import folded
from crawler.models import (
    CODE_NOTATION,
    DATA_LINE,
    DRAWN_LINE,
    EMBED_LINE,
    HIDDEN_LINE,
    MARKUP_NOTATION,
    NOTATION_LINE,
    PICTURE_LINE,
    VALUE_LINE,
    notation_key,
)

MAX_LINES = 400
"""Of each kind, the first ones: a gallery has a hundred pictures."""
MAX_CHARACTERS = 20_000
"""Of all kinds together."""
MAX_LINE = 300
"""Characters kept of one line; of a longer one the digest of the rest follows."""
MAX_JSON_BYTES = 65_536
"""JSON-LD looked at of one page."""
MAX_VALUES = 300

MAX_ELEMENTS, MOST_ELEMENTS = 50, 5_000
"""Headers, footers and hidden parts with words whose lines are told, and of which anything is, the
first ones: formulas are hidden one by one."""
MOST_LINKS = 30
"""In a header, footer or hidden part that is looked at: what has more is a menu of the site, unless
it is opened by a line of the text."""
SHORT = 40
"""Characters of a part that is no menu, whatever is in it: formulas are that short."""

MAX_FIELDS = 300
"""Form fields and drawings looked at, the first ones: many are icons."""

_BEYOND = ""
"""The kind of lines of which only a digest is told."""
_NO_TEXT = "a, option, script, style, template"
_STRUCK = frozenset(("del", "s", "strike"))
_NO_VALUE = frozenset(
    "button checkbox color file hidden image password radio range reset search submit".split()
)
"""Types of fields that show no value, none in words, or what the visitor has asked for."""
_WORD = re.compile(r"\w")
_WORDS = re.compile(r"[^\W_]+")
_CODE = re.compile(r"[{};=]")
"""In a text that may be that of a script."""
_PICTURE = re.compile(r"\.(?:avif|bmp|gif|ico|jpe?g|png|svg|tiff?|webp)\Z")
_LABELLED = '[role="img"][aria-label]'
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_DRAWS = frozenset("bgcolor class color height style width".split())
"""Attributes by which an element without text is drawn, beside those for scripts (`data-`)."""
_DATUM = re.compile(
    r"[^\W\d_]{1,30}(?:[^\w{}<>=/]+[^\W\d_]{1,30})*[^\w{}<>=/]*|[-+]?\d{1,4}(?:[.,]\d{1,8})?%?"
)
"""What stands in an attribute for scripts that draw it: words, a small number or a place on a map.
A visit, a time and a token are no words, and longer."""
_UNDRAWN = frozenset("amp-img br embed hr iframe img object picture source track wbr".split())
"""Elements without text that show something else, or nothing."""
_UNSEEN_NAMES = re.compile(r'\sid="[^"]*"|url\([^()]*\)')
"""What parts of a figure are called, and by what name they refer to each other."""
_MOST_SIGNS = 24
"""Children of an element that is one drawing, with the space between them."""
_SIZE = re.compile(r"(?:[-_]\d{2,4}x\d{2,4}|@[23]x)(?=\.\w{2,5}\Z)")
"""What a name says of the size of a picture, as WordPress and retina sets write it."""
_JSON_LD = 'script[type="application/ld+json"]'
_OF_ADDRESSES = frozenset(("@context", "@id", "@type", "image", "logo", "mainEntityOfPage", "url"))
_STAMPS = frozenset(("dateCreated", "dateModified", "datePublished", "uploadDate"))
"""Values that say where and when a page was published, and nothing of what it tells."""
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?/\S*\Z", re.IGNORECASE)
_BODY = re.compile("<(?:body|BODY)")
_TAG = re.compile(
    r"<(?:(?i:script|style)\b[^<>]*+>(?:[^<]++|<(?!/[sS]))*+"
    r"|(?:b|em|i|mark|strong|u)\b[^<>]*+>[^<\d]*+"
    rf"|(?!(?:{'|'.join(sorted(_UNDRAWN))})\b|input\s[^<>]*?type=.?hidden)[A-Za-z][^<>]*+)"
)
"""A start tag that is no hidden field, and shows nothing that lines apart tell; with the script or
style that follows it, or the words that HTML stresses by it: not the same words are."""
_OF_FIELDS = re.compile(
    r""" (?:(?:action|aria-(?:controls|describedby|labelledby|owns)|for|href|HREF|id|name|nonce"""
    r"""|value)=(?:"[^"]*+"|'[^']*+'|[^\s"'<>]++)"""
    r"""|(?:checked|selected)\b(?:=["']\w*+["'])?)"""
)
"""In a tag: addresses, names of what is not shown, and what a field holds, which lines apart tell
where it says something."""
_ASKED = re.compile(r"""\?[\w=&;.%-]*+(?=["'])""")
_TOKEN = re.compile(r"""["'=](?=[A-Za-z]*+[0-9])[A-Za-z0-9_]{16,}+""")
_COUNTED = re.compile(r"[0-9](?<![.0-9][0-9])[0-9][0-9][0-9][0-9]+")
"""The version of a file, a token, a time or the number of a visit, and no place on a map: one after
the other, since each alone is found ten times as fast as one of several."""


def lines_apart(
    tree: LexborHTMLParser,
    html: str,
    hints: PageHints,
    visible: Sequence[Line],
    skipped: Sequence[tuple[str, LexborNode]],
    drawings: Sequence[Drawing],
    shown: str,
    url: str,
    openable: Iterable[Openable] = (),
) -> tuple[str, ...]:
    """Return the lines apart, each with the letter of its kind before it; without repetitions.

    `skipped` are the kinds and elements that the walk over the `visible` lines left out, `drawings`
    those without text, `openable` which hidden ones a line opens, `shown` is all that the lines
    say, `url` the page's own. For hidden lines beyond the limits a digest of them stands. Linear in
    the page.
    """
    found: dict[str, None] = {}
    beyond = blake2b(digest_size=8)
    nothing = beyond.digest()
    left = MAX_CHARACTERS - len(_beyond(beyond))
    opened = {one.node for one in openable}
    behind = [folded(one) for one in hints.behind if one.removeprefix("mailto:") not in shown]
    fields = (node for kind, node in skipped if kind == VALUE_LINE)
    values: list[str] = []
    """What form fields and drawings say, and what is struck out, such as the old one of two prices;
    a line each, and last which boxes are checked."""
    boxes, checked = 0, []
    for node in islice(fields, MAX_FIELDS):
        attributes = node.attributes
        if node.tag in ("input", "meter", "progress", "textarea"):
            says = _value(node)
            type_ = (attributes.get("type") or "").lower()
            if node.tag == "input" and type_ in ("checkbox", "radio"):
                boxes += 1
                if "checked" in attributes:
                    checked.append(str(boxes))
        elif node.tag == "svg":
            drawn = node.css("desc, text, title") if node.text().strip() else ()
            words = (one.text(separator=" ") for one in drawn)
            says = " ".join((attributes.get("aria-label") or "", *words))
        else:
            says = node.text(separator=" ")
            if node.tag in _STRUCK:
                says = f"✗ {says}"
        if says and _WORD.search(says):
            values.append(folded(says))
        if node.tag == "select" and (choice := _choice(node, url)):
            values.append(f"= {choice}")
    if "aria-label" in html:
        values += _labels(tree)
    if checked:
        values.append(f"{' '.join(checked)} of {boxes}")
    for kind, lines in (
        (NOTATION_LINE, [_markup(html, url)]),
        *_texts(((kind, node) for kind, node in skipped if kind != VALUE_LINE), opened),
        (VALUE_LINE, values),
        (HIDDEN_LINE, filter(_WORD.search, behind)),
        *_media(hints.media),
        *_data(tree, html, shown),
        (DRAWN_LINE, _drawn(drawings)),
        (NOTATION_LINE, _notations(visible)),
        (NOTATION_LINE, _charts(drawing.node for drawing in drawings)),
    ):
        of_kind = 0
        for text in lines:
            letter = kind or HIDDEN_LINE
            line = letter + text
            if len(text) > MAX_LINE:
                line = f"{letter}{text[:MAX_LINE]} {_digest(text[MAX_LINE:])}"
            if line in found:
                continue
            if kind:
                of_kind, left = of_kind + 1, left - len(line)
            if kind and of_kind <= MAX_LINES and left >= 0:
                found[line] = None
            elif letter == HIDDEN_LINE:
                beyond.update(line.encode(errors="surrogatepass"))
            else:
                break
    if beyond.digest() != nothing:
        found[_beyond(beyond)] = None
    return tuple(found)


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _beyond(digest: blake2b) -> str:
    """Return the line that stands for the hidden lines of a digest."""
    return f"{HIDDEN_LINE}… {digest.hexdigest()}"


def _choice(select: LexborNode, url: str) -> str:
    """Return the option that is chosen in a form that shows values, or that the address names.

    Beside fields that have a value, what is chosen is one too. In a form to send the page's own
    address may name it: so a shop has an address for each size or colour. What a visit chose, such
    as a language, is neither; and a form that asks (`get`) chooses how to look at what is the same,
    as by order.
    """
    form = select.parent
    while form is not None and form.tag != "form":
        form = form.parent
    chosen = select.css_first("option[selected]")
    if form is None or chosen is None:
        return ""
    says = folded(chosen.text(separator=" "))
    if any(map(_value, form.css("input, meter, progress, textarea"))):
        return says
    if (form.attributes.get("method") or "get").lower() != "post":
        return ""
    named = _words(unquote(url))
    told = (_words(one) for one in (says, chosen.attributes.get("value") or ""))
    return says if any(one.strip() and one in named for one in told) else ""


def _value(field: LexborNode) -> str:
    """Return the value that a field of a form shows."""
    if field.tag == "textarea":
        return field.text(separator=" ")
    type_ = (field.attributes.get("type") or "text").lower()
    if field.tag == "input" and type_ in _NO_VALUE:
        return ""
    return field.attributes.get("value") or ""


def _labels(tree: LexborHTMLParser) -> Iterator[str]:
    """Yield what drawn signs are said to show; those of one scale, in their order, as one."""
    signs = islice(tree.css(_LABELLED), MAX_FIELDS)
    labels = (folded(one.attributes.get("aria-label") or "") for one in signs if one.tag != "svg")
    for _, scale in groupby(labels, key=partial(_DIGITS.sub, "0")):
        if says := " ".join(scale):
            yield says


def _words(text: str) -> str:
    """Return the words of a text with a space before and after each."""
    return f" {' '.join(_WORDS.findall(text.casefold()))} "


def _texts(
    skipped: Iterable[tuple[str, LexborNode]], opened: Collection[int]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the texts of skipped elements that are no links, by kind; menus have none.

    From MAX_ELEMENTS on they are `_BEYOND`. `opened` are addresses of elements that are no menus.
    """
    looked_at = 0
    for kind, node in islice(skipped, MOST_ELEMENTS):
        text = node.text(separator="\n")
        if not _WORD.search(text):
            continue
        looked_at += 1
        if looked_at > MAX_ELEMENTS:
            kind = _BEYOND
        passed = node.css(_NO_TEXT) if len(text) > SHORT or _CODE.search(text) else ()
        if len(passed) <= MOST_LINKS or node.mem_id in opened:
            not_text = {folded(line) for one in passed for line in one.text().split("\n")}
            lines = (folded(line) for line in text.split("\n"))
            yield kind, [line for line in lines if line not in not_text and _WORD.search(line)]


def _drawn(drawings: Iterable[Drawing]) -> Iterator[str]:
    """Yield what elements without text say, those of one line together, after its first words.

    Stars by their classes, colours and lengths by style, a tick in the third column, a figure.
    What is drawn depends on the template: of two templates nothing can be concluded from it.
    """
    for line, group in groupby(drawings, key=_line_of):
        signs: list[str] = []
        around = 0
        for _, cell, node in group:
            if node.tag in _UNDRAWN:
                continue
            says = [_look(node)]
            parent = node.parent
            if parent is not None and parent.mem_id != around and _is_drawing(parent):
                says.insert(0, _look(parent))
                around = parent.mem_id
            if any(says) or (cell and isinstance(line, str)):
                signs += (str(cell) if cell else "", *says)
        if signs:
            yield folded(" ".join((line[:SHORT] if isinstance(line, str) else "", *signs)))


def _line_of(drawing: Drawing) -> str | int:
    """Return the line that an element stands in; where there is no text in it, what it is in."""
    parent = drawing.node.parent
    return drawing.line or (parent.mem_id if parent is not None else 0)


def _look(node: LexborNode) -> str:
    """Return what an element is drawn by: addresses are none of it."""
    if node.tag == "svg":
        return _digest(_UNSEEN_NAMES.sub("", node.html or ""))
    return " ".join(
        value
        for name, value in node.attributes.items()
        if value
        and (name in _DRAWS or (name.startswith("data-") and _DATUM.fullmatch(value)))
        and not _ADDRESS.match(value)
    )


def _is_drawing(parent: LexborNode) -> bool:
    """Whether all in an element are elements without text, a few of them: five stars."""
    node, left = parent.first_child, _MOST_SIGNS
    while node is not None:
        if (node.first_child is not None) or (node.tag == "-text" and node.text().strip()):
            return False
        node, left = node.next, left - 1
        if left < 0:
            return False
    return True


def _media(media: Iterable[Medium]) -> Iterator[tuple[str, list[str]]]:
    signs: list[str] = []
    pictures: list[str] = []
    embeds: list[str] = []
    cells: list[str] = []
    for source, alternative, in_cell in media:
        name = _name_of(source, is_picture=alternative is not None)
        if alternative is None:
            embeds.append(name)
            continue
        says = folded(alternative)
        (pictures if name else signs).extend((name, says))
        if in_cell:
            cells.append(says)
    if len(cells) > 1:
        signs.append(" ".join(cells))  # which of them are ticks, and which are crosses
    for kind, lines in (VALUE_LINE, signs), (PICTURE_LINE, pictures), (EMBED_LINE, embeds):
        yield kind, [line for line in lines if line]


def _name_of(source: str, is_picture: bool) -> str:
    """Return what is shown, wherever it is served from: the name of the file, and what is asked."""
    path, _, query = source.strip().partition("#")[0].partition("?")
    name = unquote(path.rstrip("/").rpartition("/")[2])
    if is_picture and _PICTURE.search(name.lower()):
        return _SIZE.sub("", name).lower()
    return f"{name}?{query}" if query else name


def _data(tree: LexborHTMLParser, html: str, shown: str) -> Iterator[tuple[str, list[str]]]:
    if "ld+json" not in html:
        return
    left = MAX_JSON_BYTES
    for script in tree.css(_JSON_LD):
        text = script.text()
        left -= len(text)
        if left < 0:
            return
        try:
            data = orjson.loads(text)
        except orjson.JSONDecodeError:
            continue
        yield DATA_LINE, list(_values(data, shown))


def _values(data: Any, shown: str) -> Iterator[str]:
    """Yield names and values that are not shown, in order; the first MAX_VALUES are looked at."""
    waiting: list[tuple[str, Any]] = [("", data)]
    seen = 0
    while waiting and seen < MAX_VALUES:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(
                (key, value[key])
                for key in reversed(value)
                if key not in _OF_ADDRESSES and key not in _STAMPS
            )
        elif isinstance(value, list):
            waiting.extend((name, one) for one in reversed(value))
        elif value is not None and not isinstance(value, bool):
            seen += 1
            text = folded(str(value))
            if text and not _is_in(text, shown) and not _ADDRESS.match(text):
                yield f"{name}: {text}"


def _is_in(text: str, shown: str) -> bool:
    """Whether a value stands in what is shown, and not as a part of a longer number or word."""
    at = shown.find(text)
    while at >= 0:
        before, after = shown[at - 1 : at] if at else "", shown[at + len(text) :][:1]
        if not (text[0].isalnum() and before.isdigit()) and not (
            text[-1].isdigit() and after.isalnum()
        ):
            return True
        at = shown.find(text, at + 1)
    return False


_WRITTEN = {IN_RAISED: "↑", IN_LOWERED: "↓", IN_DELETED: "✗"}
_SHIFTS = re.compile(f"[{IN_RAISED}{IN_LOWERED}{IN_DELETED}]")
_SIGNED = re.compile(rf"{_SHIFTS.pattern}[^{_SHIFTS.pattern[1:-1]}{END_OF_SIGNED}]*")
"""What is raised, lowered or struck out."""
_NUMBERED = re.compile(r"[\d+−-]")
"""In what is raised or lowered and says something else than in the line: a power, a charge."""
_FORMULA = re.compile(f"{IN_FORMULA}([^{IN_FORMULA}{END_OF_FORMULA}]*)")
_LISTED = re.compile(f"{IN_CODE}([^{IN_CODE}{END_OF_CODE}]*){END_OF_CODE}")
_LISTS = re.compile(rf"[\s\d{CELL}]*{IN_CODE}")
_LETTER = re.compile(r"[^\W\d]")
_NAME = re.compile(r"\w+")
_BEFORE, _MOST_OF_IT = 12, 60
"""Characters told of what stands before what is raised or struck, and of that itself."""


def _notations(visible: Iterable[Line]) -> Iterator[str]:
    """Yield how lines are written where words do not tell: of each line, and of each block of code.

    Of a line its key, and what is raised, lowered or struck out in it. Of code and formulas what
    they begin with, and last a digest of their rows: of the steps of indentation and of all signs,
    but not of names and numbers, which the lines tell.
    """
    rows: list[str] = []
    block: object = None
    for line in visible:
        of: object = line.inside.code
        marked = line.marked
        if of is not None:
            written = marked
        elif not marked:
            written = ""
        elif _LISTS.match(marked) and not _LETTER.search(_unmarked(_LISTED.sub("", marked))):
            of, written = line.path, "".join(_LISTED.findall(marked))  # a row of a listing
        if of != block:
            if rows:
                yield _code(rows)
            rows, block = [], of
        if of is not None:
            rows.append(written)
        elif marked:
            if IN_FORMULA in marked:
                yield _code(_FORMULA.findall(marked))
            if _SHIFTS.search(marked) and (pieces := list(_pieces(marked))):
                yield " ".join((notation_key(line.text), *pieces))
    if rows:
        yield _code(rows)


def _code(rows: Sequence[str]) -> str:
    """Return the notation of a block of code."""
    text = _unmarked("\n".join(rows)).expandtabs()
    written = [row for row in _NAME.sub("w", text).split("\n") if row and not row.isspace()]
    indents = [len(row) - len(row.lstrip()) for row in written]
    steps = {indent: str(step) for step, indent in enumerate(sorted({*indents}))}
    signs = "\n".join(map(add, map(steps.__getitem__, indents), map(str.strip, written)))
    return f"{CODE_NOTATION}{folded(_unmarked(rows[0]))[:SHORT]} … {_digest(signs)}"


def _markup(html: str, url: str) -> str:
    """Return a digest of the tags, scripts and styles of a page's body, without its texts.

    By it a class that hides or colours, a state, or the data of a script tell two pages apart on
    which the same words stand. What a visit or the page's own address makes is left out, and where
    links lead. Takes some 25 ns a character.
    """
    body = _BODY.search(html)
    written = "".join(_TAG.findall(html, body.start() if body else 0)).replace("\\/", "/")
    written = written.replace("\n", " ").replace("\t", " ")
    own = urlsplit(url, allow_fragments=False)._replace(scheme="", netloc="").geturl()
    if len(own) > 1:
        written, *after = written.split(own)
        written += "".join(f"{own}{part}" if _NAME.match(part) else part for part in after)
    for of_a_visit in (_OF_FIELDS, _ASKED, _TOKEN, _COUNTED):
        written = of_a_visit.sub("", written)
    return f"{MARKUP_NOTATION}{_digest(written)}"


def _charts(nodes: Iterable[LexborNode]) -> Iterator[str]:
    """Yield drawings: the key of their markup without numbers, and a digest of the numbers.

    Two bars of other lengths are so told from two icons, whatever templates are around them.
    """
    charts: dict[str, list[str]] = {}
    for node in nodes:
        if node.tag == "svg":
            markup = _UNSEEN_NAMES.sub("", node.html or "")
            charts.setdefault(notation_key(_DIGITS.sub("0", markup)), []).append(markup)
    for key, markups in charts.items():
        yield f"{key} {notation_key(' '.join(markups))}"


def _pieces(marked: str) -> Iterator[str]:
    last = 0
    for found in _SIGNED.finditer(marked):
        sign, says = found[0][0], folded(_unmarked(found[0]))
        if says and (sign == IN_DELETED or _NUMBERED.search(says)):
            before = marked[max(last, found.start() - _BEFORE) : found.start()]
            yield f"{folded(_unmarked(before))}{_WRITTEN[sign]}{says[:_MOST_OF_IT]}"
        last = found.end()


def _unmarked(written: str) -> str:
    """Return a text without the marks of a walk, which are surrogates."""
    return written.encode(errors="ignore").decode()
