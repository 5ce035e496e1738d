"""What a page shows or holds apart from its visible lines, each as one line of its own.

Pictures and embeds, files that links lead to, texts in the page's own header and footer, texts that
are hidden until somebody asks for them, values of form fields, words in drawings, and the values of
JSON-LD that stand nowhere on the page: where pages of one form differ by such a thing alone, it is
what tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from typing import Any
from urllib.parse import unquote

import orjson
from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.page import Medium, PageHints
from crawler.extract.text import folded
from crawler.models import DATA_LINE, EMBED_LINE, HIDDEN_LINE, PICTURE_LINE, VALUE_LINE

MAX_LINES = 400
"""Of each kind, the first ones: a gallery has a hundred pictures."""
MAX_CHARACTERS = 20_000
"""Of all kinds together."""
MAX_LINE = 300
"""Characters kept of one line; of a longer one the digest of the rest follows."""
MAX_JSON_BYTES = 65_536
"""JSON-LD looked at of one page."""
MAX_VALUES = 300

MAX_ELEMENTS = 50
"""Of each kind looked at, the first ones: formulas are hidden one by one."""
MOST_LINKS = 30
"""In a header, footer or hidden part that is looked at: what has more is a menu of the site."""
SHORT = 40
"""Characters of a part that is no menu, whatever is in it: formulas are that short."""

MAX_FIELDS = 300
"""Form fields and drawings looked at, the first ones: many are icons."""

_NO_TEXT = "a, option, script, style, template"
_NO_VALUE = frozenset(
    "button checkbox color file hidden image password radio range reset search submit".split()
)
"""Types of fields that show no value, none in words, or what the visitor has asked for."""
_WORD = re.compile(r"\w")
_CODE = re.compile(r"[{};=]")
"""In a text that may be that of a script."""
_PICTURE = re.compile(r"\.(?:avif|bmp|gif|ico|jpe?g|png|svg|tiff?|webp)\Z")
_SIZE = re.compile(r"(?:[-_]\d{2,4}x\d{2,4}|@[23]x)(?=\.\w{2,5}\Z)")
"""What a name says of the size of a picture, as WordPress and retina sets write it."""
_JSON_LD = 'script[type="application/ld+json"]'
_OF_ADDRESSES = frozenset(("@context", "@id", "@type", "image", "logo", "mainEntityOfPage", "url"))
_STAMPS = frozenset(("dateCreated", "dateModified", "datePublished", "uploadDate"))
"""Values that say where and when a page was published, and nothing of what it tells."""
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?/\S*\Z", re.IGNORECASE)


def lines_apart(
    tree: LexborHTMLParser,
    html: str,
    hints: PageHints,
    skipped: Sequence[tuple[str, LexborNode]],
    shown: str,
) -> tuple[str, ...]:
    """Return the lines apart, each with the letter of its kind before it; without repetitions.

    `skipped` are the kinds and elements that the walk over the visible lines left out, `shown` is
    all that these lines say. Linear in the page.
    """
    found: dict[str, None] = {}
    left = MAX_CHARACTERS
    behind = [folded(one) for one in hints.behind if one.removeprefix("mailto:") not in shown]
    fields = (node for kind, node in skipped if kind == VALUE_LINE)
    values: list[str] = []
    """What form fields and drawings say, a line each, and last which boxes are checked."""
    boxes, checked = 0, []
    for node in islice(fields, MAX_FIELDS):
        attributes = node.attributes
        if node.tag == "input":
            type_ = (attributes.get("type") or "text").lower()
            if type_ in ("checkbox", "radio"):
                boxes += 1
                if "checked" in attributes:
                    checked.append(str(boxes))
            says = "" if type_ in _NO_VALUE else attributes.get("value")
        elif node.tag in ("meter", "progress"):
            says = attributes.get("value")
        elif node.tag == "svg":
            drawn = node.css("desc, text, title") if node.text().strip() else ()
            words = (one.text(separator=" ") for one in drawn)
            says = " ".join((attributes.get("aria-label") or "", *words))
        else:
            says = node.text(separator=" ")
        if says and _WORD.search(says):
            values.append(folded(says))
    if checked:
        values.append(f"{' '.join(checked)} of {boxes}")
    for kind, lines in (
        *_texts((kind, node) for kind, node in skipped if kind != VALUE_LINE),
        (VALUE_LINE, values),
        (HIDDEN_LINE, filter(_WORD.search, behind)),
        *_media(hints.media),
        *_data(tree, html, shown),
    ):
        of_kind = 0
        for text in lines:
            line = kind + text
            if len(text) > MAX_LINE:
                rest = blake2b(text[MAX_LINE:].encode(errors="surrogatepass"), digest_size=8)
                line = f"{kind}{text[:MAX_LINE]} {rest.hexdigest()}"
            if line in found:
                continue
            of_kind, left = of_kind + 1, left - len(line)
            if of_kind > MAX_LINES or left < 0:
                break
            found[line] = None
    return tuple(found)


def _texts(skipped: Iterable[tuple[str, LexborNode]]) -> Iterator[tuple[str, list[str]]]:
    """Yield the texts of skipped elements that are no links, by kind; menus have none."""
    for kind, node in islice(skipped, MAX_ELEMENTS):
        text = node.text(separator="\n")
        if not _WORD.search(text):
            continue
        passed = node.css(_NO_TEXT) if len(text) > SHORT or _CODE.search(text) else ()
        if len(passed) <= MOST_LINKS:
            not_text = {folded(line) for one in passed for line in one.text().split("\n")}
            lines = (folded(line) for line in text.split("\n"))
            yield kind, [line for line in lines if line not in not_text and _WORD.search(line)]


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
