"""The visible lines of a page, each with its place: one walk over the parsed page gathers them.

::

    node -> kind (`KINDS`) -> Place: path of blocks, furniture or content, chrome
                           -> Box: list, table, code, heading or quote around it
                           -> Gathering: the texts of a line, with marks -> Line

Chrome is what belongs to the page and not to its text (anchors of headings, buttons, breadcrumbs,
gutters), known by the classes, roles and words that generators of pages use by convention. Style
sheets and scripts are not run: what they hide or show is unknown here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.text import folded, is_prose, word_characters
from crawler.models import FRAME_LINE, HIDDEN_LINE, VALUE_LINE

_CHROME = frozenset(
    """
    article-edit-link edit-link editlink edit-this-page edit-page edit-page-link page-edit gh-edit
    theme-edit-this-page md-content__button md-source-file mw-editsection
    headerlink header-anchor heading-anchor hash-link anchorjs-link viewcode-link viewcode-back
    copybtn copy-btn copybutton copy-button copy-code copy-code-button btn-copy btn-clipboard
    md-clipboard clipboard-button clipboard-copy zeroclipboard-container
    md-skip docnav navfooter navheader
    skip skip-link skiplink skip-nav skip-navigation skip-to-content skip-to-main skip-main
    link-skip
    sharedaddy addtoany_share_save_container addtoany_list addthis_toolbox
    addthis_inline_share_toolbox twitter-share-button
    gutter linenos lineno linenodiv rouge-gutter line-numbers-rows line-number blob-num
    tabbed-labels hljs-ln-numbers hljs-ln-n lnt cc-window
    """.split()
)
_CHROME_FAMILIES = re.compile(
    r"""
    (?:^|\s)(?:
        (?:(?:[a-z]{1,4}|page|site|nav|article)[-_]+)?bread-?crumbs?(?:[-_]\w[-\w]*)?
      | (?:post|article|entry|social)-shar(?:e|ing)
      | shar(?:e|ing)-?(?:buttons?|bar|links?|tools?|icons?|box)
      | social-(?:share|sharing)[-\w]*
      | (?:gdpr-)?cookie-?(?:notice|banner|consent|bar|popup|law-info-bar)(?:[-_]\w[-\w]*)?
    )(?=\s|$)
    """,
    re.VERBOSE,
)
_FAMILY_NAMES = ("crumb", "shar", "cookie")

_LONGEST_CHROME = 80
"""Characters of a line that may be chrome by its surroundings: a longer one is prose, whatever
their classes say."""
_SENTENCE = 40
_FULL_STOPS = tuple(".!?。！？")
"""From so many characters on, a line that ends with one of these is prose, too."""

_BUTTONS = frozenset(
    line.strip()
    for line in """
    copy | copied | copied! | copy code | copy link | copy to clipboard | permalink | edit | [edit]
    edit page | edit this page | edit on github | edit this page on github | improve this page
    edit source | view source | view page source | show source | view on github | source code
    suggest edits | suggest an edit | report an issue with this page
    share | share: | share this | share this: | share this page | share this article
    share this post | share on facebook | share on twitter | share on x | share on linkedin | tweet
    share via email | share by email | email this | print this | print this page | pin it
    skip to content | skip to main content | skip to main | skip to navigation | skip navigation
    skip to footer | 跳转至 | jump to navigation | jump to content | back to top
    | go to top | return to top
    read more | read more... | learn more | click to expand... | loading... | loading…
    add to cart | add to basket | add to wishlist | advertisement | continue reading below
    sign in to reply | post reply | leave a comment | post comment | link copied to your clipboard.
    accept cookies | accept all cookies | cookie settings | reject all cookies
    编辑 | 编辑此页 | 编辑本页 | 编辑页面 | 在 github 上编辑 | 在 github 上编辑此页 | 改善此页
    复制 | 复制代码 | 复制链接 | 已复制 | 分享 | 分享到 | 分享到: | 分享到： | 分享本文 | 分享至
    查看源代码 | 查看源码 | 显示源代码 | 返回顶部 | 回到顶部 | 跳转至内容 | 跳转到内容
    阅读更多 | 查看更多 | 加载中... | 加入购物车 | 广告
    跳到主要内容 | 跳至主要内容 | 跳过导航 | 接受所有 cookie
    """.replace("\n", "|").split("|")
)
"""Lines that are buttons, in lower case. No sentence is among them."""

_ENDS = (
    "edit this page on github",
    "edit on github",
    "在 github 上编辑此页",
    "在 github 上编辑此页！",
)
"""How lines end that ask for help, and are as short as those."""

_LONGEST = max(map(len, _BUTTONS))
_COOKIES = re.compile(
    r"(?:we|this (?:web)?site|our (?:web)?site)\s(?:\w+\s){0,3}uses? cookies\b"
    r"|by (?:using|continuing)[^.]{0,80}\bcookies\b|(?:本站|本网站|我们)(?:会)?使用\s?cookies?",
    re.IGNORECASE,
)
LONGEST_BUTTON = 300
"""Characters of a line that may be a button or such a notice."""

_RIGHTS = re.compile(
    r"(?:copyright\s*)?(?:©|ⓒ|\(c\))\s*(?:copyright\s*)?(?:19|20)\d\d\b", re.IGNORECASE
)
"""How a notice of rights begins, as at the foot of a page; in code it is part of it."""
_RIGHTS_BEGIN = frozenset("cC©ⓒⒸ(")
"""With what sign: few lines are looked at further."""
_SEPARATORS = frozenset("|/·•×✕›»« ")
"""What stands between links or closes a window; lines of nothing else say nothing."""

_ALWAYS = frozenset(("¶", "↩", "🔗"))
_OF_HEADINGS = frozenset(("#", "§", "∞", "⚓"))
_OF_TERMS = frozenset(("[docs]", "[source]"))
_ANCHORS = _ALWAYS | _OF_HEADINGS | _OF_TERMS
"""Texts of links that lead to where they stand, in headings or anywhere, or from a name to its
source."""
_AS_TEXT = "\ufe0e"
"""Variation selector: a sign is to be drawn as text and no picture."""
LONGEST_ANCHOR = 8
"""Characters of a link that may be an anchor."""

_NUMBERED_WITHIN = 5
"""Elements of a block of code that are looked at for its line numbers."""


def is_chrome(classes: str) -> bool:
    """Whether a `class` attribute is that of chrome."""
    lowered = classes.lower()
    if not _CHROME.isdisjoint(lowered.split()):
        return True
    return (
        any(name in lowered for name in _FAMILY_NAMES)
        and _CHROME_FAMILIES.search(lowered) is not None
    )


def may_be_chrome(text: str) -> bool:
    """Whether a line in chrome is that too, and no prose in a wrapper with such a class."""
    if len(text) > _SENTENCE and text.endswith(_FULL_STOPS) and not text.endswith("..."):
        return _is_notice(text)
    return len(text) <= _LONGEST_CHROME


def _is_notice(text: str) -> bool:
    return "ookie" in text and _COOKIES.match(text) is not None


def is_button(text: str) -> bool:
    """Whether a line, never empty, is a button, separators of such, or a notice."""
    first = text[0]
    if first in _SEPARATORS and _SEPARATORS.issuperset(text):
        return True
    if first in _RIGHTS_BEGIN and _RIGHTS.match(text) is not None:
        return True
    if len(text) <= _LONGEST:
        lowered = text.lower()
        return lowered in _BUTTONS or lowered.endswith(_ENDS)
    return _is_notice(text)


def has_numbers(code: LexborNode) -> bool:
    """Whether a block of code begins with the number of its first line."""
    node = code.first_child
    for _ in range(_NUMBERED_WITHIN):
        if node is None:
            return False
        if node.tag != "-text":
            if is_chrome(node.attributes.get("class") or ""):
                return True
            if node.first_child is not None and node.tag == "code":
                node = node.first_child
                continue
        node = node.next
    return False


_LANGUAGE = r"(?P<language>[A-Za-z][\w+#.-]*)"
_GENERATED = (
    r"highlight-source-|highlight-|language-|src-|brush:\s*|sourceCode\s+|highlight\s+(?!highlight)"
)
"""Sphinx, Jekyll, GitHub, org-mode, SyntaxHighlighter, pandoc, Hexo."""
_AROUND = re.compile(rf"(?:^|\s)(?:{_GENERATED}){_LANGUAGE}")
_OWN = re.compile(
    rf"(?:^|\s)(?:{_GENERATED}|lang-|hljs\s+){_LANGUAGE}|(?:^|\s)(?P<before>[\w+#.-]+)\s+hljs(?:\s|$)"
)
"""Beside these google-code-prettify and highlight.js."""

_NOTE = re.compile(
    r"(?:^|\s)(?:(?:(?:markdown-)?alert|(?:theme-)?admonition|callout)-)?"
    r"(attention|caution|danger|error|hint|important|info|note|tip|warning)(?=\s|$)"
)
"""Classes of a note apart from the text: the admonitions of docutils, which Sphinx, MkDocs,
DocBook, VuePress, Docusaurus and GitHub mark by the same words."""
NOTES: Final = frozenset(("aside", "blockquote", "div", "section"))
"""Elements that are notes by such a class. Of `details` it says how they look, mostly."""

_NO_LANGUAGES = frozenset(
    "code default nohighlight none notranslate plain plaintext text txt undefined".split()
)


@lru_cache(1)
def languages() -> frozenset[str]:
    """Return the names of languages as Pygments knows them, of those that files are written in.

    Others are made up for it: of two in one, of output.
    """
    from pygments.lexers import get_all_lexers  # some 15 ms: by the processes that read pages

    known = get_all_lexers(plugins=False)  # no more than what was installed for us
    return frozenset(name.lower() for _, names, files, _ in known if files for name in names)


def language_of(code: LexborNode) -> str:
    """Return the language that a `pre` names, or the `code` that it begins with.

    Beside what generators write, a class that is a language's name and nothing else.
    """
    child = code.first_child
    while child is not None and child.tag == "-text" and (child.text_content or "").isspace():
        child = child.next
    for node in (code, child if child is not None and child.tag == "code" else None):
        attributes = node.attributes if node is not None else {}
        for name in ("data-lang", "data-language"):
            if found := _AROUND.match(f"language-{attributes.get(name) or ''}"):
                language = _known(found["language"])
                break
        else:
            classes = attributes.get("class") or ""
            language = _language_in(_OWN, classes) or _language_named(classes)
        if language:
            return language
    return ""


@lru_cache(4096)
def _language_named(classes: str) -> str:
    named = (_known(name) for name in classes[:MAX_CLASSES].split())
    return next((name for name in named if name in languages()), "")


def _language_in(named: re.Pattern[str], classes: str) -> str:
    """Return the language that the classes of an element name for the code in it, or nothing."""
    for found in named.finditer(classes):
        groups = found.groupdict()
        if language := _known(groups["language"] or groups.get("before") or ""):
            return language
    return ""


def _known(language: str) -> str:
    language = language.lower().rstrip(".-")
    return "" if language in _NO_LANGUAGES else language


# Where a line stands in the structure of its page: lists, tables, code, headings, quotes.
#
# The walk over the page (`Walk`) opens a box for each element that says something of this kind, and
# gives each line the innermost one; `rendering` compares the boxes of neighbours.

HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
LISTS: Final = frozenset(("dir", "dl", "menu", "ol", "ul"))
DEFINITIONS: Final = frozenset(("dd", "dt"))
ITEMS: Final = frozenset(("li", *DEFINITIONS))
CODES: Final = frozenset(("listing", "plaintext", "pre", "xmp"))
"""Elements whose white space counts (HTML standard, 15.3.1)."""

STRUCTURES: Final = frozenset((*HEADINGS, *LISTS, *ITEMS, *CODES, "blockquote", "table", "tr"))
"""Elements that open a box."""

GOVERNING: Final = frozenset((*HEADINGS, *CODES, "table", "tr"))
"""Those that say how all text in them is written."""

_SIMPLE = frozenset(("blockquote", "dir", "dl", "menu", "ul"))
"""Elements of which no more is to know than their tag; so are the items of such lists."""

MAX_BOXES = 40
"""Boxes within each other, twenty lists; what lies deeper has the box around it. Each level of a
list indents all its lines: deeper pages would have texts of the square of their size."""


class Inside(NamedTuple):
    """The nearest elements around a text that govern how it is written."""

    code: Box | None = None
    heading: Box | None = None
    row: Box | None = None
    table: Box | None = None


NOWHERE: Final = Inside()


def inside_of(box: Box | None) -> Inside:
    """Return what governs the text in a box, or in none."""
    return box.inside if box is not None else NOWHERE


NOT_SPANNED: Final[dict[int, int]] = {}


class Box:
    """An element that structures the text in it. Lives as long as the lines of its page.

    There are hundreds on a page, mostly items and lists: what only others have is no slot.
    """

    __slots__ = ("__dict__", "depth", "inside", "parent", "tag")

    item: Box | None = None
    """Of a list of definitions, its last item: the box of a term and of what is said of it."""
    number = 0
    """Of an item of an ordered list."""
    count = 0
    """Of a list, the number of its last item; of code, line ends so far."""
    cells = 0
    """Of a row, cells so far, and how many of them are headers; with those that others span."""
    heads = 0
    spanned: dict[int, int] = NOT_SPANNED
    """Of a table, in how many of the rows to come a cell of an earlier row spans each column; of a
    row, the columns in it that one spans."""
    reach = 0
    """Of a row, the columns up to the end of its last cell."""
    holds_blocks = False
    """Of a table: it holds others, code or headings, as one does that lays out a page."""
    language = ""
    """Of code, where it is marked."""
    note = ""
    """Of an element that is a note apart from the text, its kind: `note`, `tip`, `warning`."""

    def __init__(self, tag: str, parent: Box | None) -> None:
        self.tag = tag
        self.parent = parent
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.inside = inside_of(parent)

    def govern(self) -> None:
        """Be the nearest one of its kind, for all that stands in it."""
        tag, around = self.tag, self.inside.table
        if tag in HEADINGS:
            self.inside = self.inside._replace(heading=self)
        elif tag in CODES:
            self.inside = self.inside._replace(code=self)
        elif tag == "tr":
            self.inside = self.inside._replace(row=self)
            if around is not None and around.spanned:
                self.spanned = around.spanned
                around.spanned = {n: left - 1 for n, left in self.spanned.items() if left > 1}
        else:
            self.inside = self.inside._replace(table=self, row=None)
        if around is not None and tag != "tr":
            around.holds_blocks = True

    def count_from(self, written: str | None) -> None:
        """Number a list's first item, or an item, as its attribute says, or as it comes."""
        number = _whole_number(written or "", 9)  # CommonMark 0.31, 5.2
        if self.tag == "ol":
            self.count = (1 if number is None else number) - 1
        elif self.parent is not None:
            following = self.parent.count + 1 if number is None else number
            self.parent.count = self.number = following

    @property
    def level(self) -> int:
        """Of a heading, 1 to 6."""
        return HEADINGS[self.tag]


def _whole_number(written: str, most_digits: int) -> int | None:
    is_number = written.isascii() and written.isdigit() and len(written) <= most_digits
    return int(written) if is_number else None


# What is marked within a line, as lone surrogates, which no text of a page holds and `clean` takes
# away: a line's own text costs no more for them.
IN_CODE: Final = "\ud800"
END_OF_CODE: Final = "\ud801"
IN_LINK: Final = "\ud802"
"""Has a note: where it leads, as written."""
END_OF_LINK: Final = "\ud803"
IN_FORMULA: Final = "\ud804"
END_OF_FORMULA: Final = "\ud805"
"""Has a note: its TeX, or nothing; after a space where it stands on a line of its own."""
IN_CHROME: Final = "\ud806"
END_OF_CHROME: Final = "\ud807"
CELL: Final = "\ud808"
"""Here the next cell of a row begins."""
IN_RAISED: Final = "\ud809"
IN_LOWERED: Final = "\ud80a"
IN_REFERENCE: Final = "\ud80b"
"""Raised, and leads to a note."""
IN_READING: Final = "\ud80c"
"""How the text before it is read (`rt`)."""
IN_DELETED: Final = "\ud80d"
IN_ROW: Final = "\ud80e"
"""Of a formula that stands in rows: an array, an aligned equation."""
IN_COLUMN: Final = "\ud80f"
END_OF_SIGNED: Final = "\ud810"
"""Of the last of these seven that began."""


BLOCKS = frozenset(
    """
    address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav
    ol optgroup option p plaintext pre search section summary table tbody tfoot thead tr ul xmp
    """.split()
)
"""Elements that begin and end a line (HTML standard 15.3)."""

_PAGES_OWN = frozenset(("footer", "header", "nav"))
_SECTIONING = frozenset(("article", "aside", "main", "nav", "section"))
"""A header or footer in one of these is its own and not the page's (HTML-AAM 1.0, 3.5)."""

_CLASS = re.compile(r"\s*([^\s\d]{1,64})")


def labelled(tag: str, classes: str) -> str:
    """Return the name of an element with its first class, as `div.main`.

    That up to its first digit: `post-1234` and `col-6` say nothing of the template.
    """
    found = _CLASS.match(classes)
    return f"{tag}.{found.group(1)}" if found else tag


MAX_DEPTH = 64
"""Elements in a path, by far more than templates have; what lies deeper has the path around it. A
page of nested elements would have a path of its own for each."""

FURNISHES, IS_CHROME, HOLDS_MAIN = 1, 2, 4
"""What attributes other than its classes say of an element, or what stands in it: bits of a label.
By the HTML standard no header, footer or nav holds a main (4.4.14): such a one was never closed."""

MAX_CLASSES = 500
"""Characters of a `class` attribute that are looked at; utility classes fill some hundreds. What
is remembered of them holds them: longer ones would fill memory."""

MAX_NAME = 64
"""Characters of an `id` attribute that are looked at."""

LANGUAGE_REACH = 5
"""Elements from the one that names the language of code down to the code: a figure, its table with
body and row, the cell with the code."""


class Place:
    """What holds for all text in elements of one path. Nothing changes it: pages share places."""

    __slots__ = (
        "_depth", "_language_at", "chrome", "is_furniture", "is_simple", "language", "note", "path",
        "preformatted", "sectioned", "structure",
    )  # fmt: skip

    def __init__(self, path: str = "body", depth: int = 0) -> None:
        self.path = path
        """Tags with first classes, from the body down, as `body>div.main>p`."""
        self.is_furniture = False
        """In a nav, in the page's own header or footer, or in an element with such a role."""
        self.sectioned = False
        self.preformatted = False
        self.structure = ""
        """The tag of its innermost element, if that is one of STRUCTURES."""
        self.is_simple = False
        """Whether the box of that element needs no further look."""
        self.chrome = False
        """Whether text in it belongs to the page and not to what it says."""
        self.note = ""
        """The kind of note that its innermost element is, if that is one."""
        self.language = ""
        """Of the code in it, as an element close by says."""
        self._language_at = 0
        self._depth = depth

    def within(self, tag: str, classes: str, label: int) -> Place:
        """Return the place of an element in this one; `label` is what other attributes say."""
        path = self.path
        if self._depth < MAX_DEPTH:
            path = f"{path}>{labelled(tag, classes)}"
        place = Place(path, self._depth + 1)
        opens = tag == "nav" or (tag in ("header", "footer") and not self.sectioned)
        opens &= not label & HOLDS_MAIN
        place.is_furniture = self.is_furniture or opens or bool(label & FURNISHES)
        place.sectioned = self.sectioned or (tag in _SECTIONING and not label & HOLDS_MAIN)
        place.preformatted = self.preformatted or tag in CODES
        is_named, language, note = _said_by(classes) if classes else (False, "", "")
        place.note = note if tag in NOTES else ""
        place.structure = tag if tag in STRUCTURES or place.note else ""
        is_simple = tag in _SIMPLE or (tag == "li" and self.structure in _SIMPLE)
        place.is_simple = is_simple and not place.note
        place.chrome = self.chrome or is_named or bool(label & IS_CHROME)
        if language:
            place.language, place._language_at = language, place._depth
        elif place._depth - self._language_at <= LANGUAGE_REACH:
            place.language, place._language_at = self.language, self._language_at
        return place


BODY = Place()
"""The place of what is in the body and in nothing else."""


class Element:
    """A block element of a page: other than its place, it is one of a kind."""

    __slots__ = ("classes", "name", "parent", "place", "tag")

    def __init__(
        self, place: Place, tag: str, classes: str, name: str, parent: Element | None
    ) -> None:
        self.place = place
        self.tag = tag
        self.classes = classes
        """As written, the first MAX_CLASSES characters."""
        self.name = name
        """Its `id`, the first MAX_NAME characters."""
        self.parent = parent
        """None of the page's body."""


ROOT = Element(BODY, "body", "", "", None)
"""The body of any page."""


place_within = lru_cache(4096)(Place.within)
"""`Place.within`, remembered from page to page: those of a site have the same places, some hundred.
A path of MAX_DEPTH long names has 5 kB, so that no page can make this hold more than 20 MB if its
callers cut classes at MAX_CLASSES, and give only the tags of `BLOCKS`."""


@lru_cache(4096)
def _said_by(classes: str) -> tuple[bool, str, str]:
    """Return whether classes are those of chrome, and which language and kind of note they name."""
    note = _NOTE.search(classes.lower())
    return is_chrome(classes), _language_in(_AROUND, classes), note[1] if note else ""


_NEVER_SEEN = frozenset(
    """
    -comment annotation-xml area audio base basefont canvas datalist head iframe link
    meta noembed noframes noscript param rp style template title video
    """.split()
)
"""Never displayed (HTML standard 15.3.1), not text (the TeX behind a formula), or shown only by a
browser that lacks something (noscript, video)."""
_VALUED = frozenset(("input", "meter", "progress", "select", "svg", "textarea"))
"""Form fields and drawings: what they say is seen, and is no text of a line."""

_SIGNED = {
    "del": IN_DELETED,
    "mtd": IN_COLUMN,
    "mtr": IN_ROW,
    "rt": IN_READING,
    "s": IN_DELETED,
    "strike": IN_DELETED,
    "sub": IN_LOWERED,
    "sup": IN_RAISED,
}

(
    TEXT,
    BLOCK,
    BREAK,
    TABLE_CELL,
    HEAD_CELL,
    LINK,
    CODE,
    FORMULA,
    LABELLED,
    APART,
    SIGNED,
    INLINE,
    UNSEEN,
    VALUE,
    ANNOTATION,
    SCRIPT,
) = range(1, 17)
"""Those up to the cells are texts of lines, or begin or part them; up to LABELLED, something holds
in them; those from UNSEEN on are no part of lines but for their TeX. LABELLED is what is within a
line like INLINE, and more than that by its attributes; APART is too, but no part of the word beside
it; SIGNED stands for text that is written with a sign of its own. No enum: its members would be
looked up for each node.
"""

_KINDS_BY_TAG = {
    "-text": TEXT,
    "a": LINK,
    "annotation": ANNOTATION,
    "br": BREAK,
    "button": APART,
    "code": CODE,
    "kbd": CODE,
    "label": APART,
    "math": FORMULA,
    "samp": CODE,
    "script": SCRIPT,
    "td": TABLE_CELL,
    "th": HEAD_CELL,
    "tt": CODE,
    **dict.fromkeys(_NEVER_SEEN, UNSEEN),
    **dict.fromkeys(_VALUED, VALUE),
    **dict.fromkeys(_SIGNED, SIGNED),
    **dict.fromkeys(BLOCKS - {"br"}, BLOCK),
}

_STANDARD = 256
"""Tag ids below it stand for the same tag in all pages; those of unknown tags are addresses."""

KINDS: dict[int, int] = {}
"""Tag id -> kind, for those met so far: the tag's name takes more than twice as long to read."""


def learned(node: LexborNode) -> int:
    """Return the kind of a node, and remember it in `KINDS` if its tag has an id of its own."""
    kind = _KINDS_BY_TAG.get(node.tag or "", INLINE)
    if node.tag_id < _STANDARD:
        KINDS[node.tag_id] = kind
    return kind


# Elements that are hidden, or labelled as surroundings, by attributes other than their classes.

_SPANNING = "td[colspan], td[rowspan], th[colspan], th[rowspan]"
_LABELLED_BY = '[hidden], [aria-hidden], dialog:not([open]), [style*="display" i], [role]'
_DISPLAY_NONE = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_DRAWN_FORMULA = re.compile(r"\bmwe-math-mathml")
"""MediaWiki hides the formula, and shows a picture of it."""

_FURNITURE_ROLES = frozenset(("banner", "contentinfo", "navigation"))
_OVER_PAGE = frozenset(("alertdialog", "dialog", "listbox", "menu", "tooltip"))
"""Roles of what opens over a page, and is no part of its text (WAI-ARIA 1.2)."""


def _span(cell: LexborNode, name: str) -> int:
    written = _whole_number((cell.attributes.get(name) or "").strip(), 4)
    return min(max(1, written or 1), LARGEST_SPAN)


def _hides(tag: str, attributes: Mapping[str, str | None]) -> bool:
    if (attributes.get("aria-hidden") or "").strip().lower() == "true":
        return True
    if tag == "dialog" and "open" not in attributes:
        return True
    if _DISPLAY_NONE.search(attributes.get("style") or ""):
        return _DRAWN_FORMULA.search(attributes.get("class") or "") is None
    # `until-found` hides only until the reader searches for the text.
    return "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found"


def _role(attributes: Mapping[str, str | None]) -> str:
    """Return the first role of an element, as it has; empty without one."""
    roles = (attributes.get("role") or "").lower().split()
    return roles[0] if roles else ""


_ELSE = ':not(span:not([hidden], [aria-hidden], [role], [style*="display" i]), a:empty)'
"""What may say more: anything but a `span`, as Pygments, highlight.js, Prism, Rouge and Shiki write
them, and the empty anchors of lines."""


def is_coloured(code: LexborNode) -> bool:
    """Whether nothing within an element of code says more than its text.

    Found out by the selectors' own walk, at a tenth of what ours takes. A listing in an element of
    its own kind may have False though it is coloured only.
    """
    # The parser matches from the root of the page on: the element itself is one below another.
    return not code.css_matches(f"{code.tag} {_ELSE}")


_NO_WIDTH = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Soft hyphen, zero width space and joiners, byte order mark: a line of nothing else shows nothing.
Editors and templates leave them in paragraphs that are otherwise empty."""


_LINK = 0.8
"""Share of a line's characters that are links in a line that is one."""


class Line(NamedTuple):
    """One line of visible text."""

    text: str
    """White space folded; never empty."""
    linked: int
    """How many of its word characters are link text."""
    path: str = ""
    """Where it stands: its block elements with their first classes, as `body>div.main>p`."""
    box: Box | None = None
    """The innermost element of structure that it ends in."""
    marked: str = ""
    """Its text as it is written, white space and marks (`IN_CODE`) included, where these say
    something: in code, in rows of cells, and where code, formulas, links or chrome are in it."""
    notes: tuple[str, ...] = ()
    """What its marks tell of, in order."""
    at: int = 0
    """In code, the number of its row; in a row of a table, that of the cell it begins in."""
    chrome: bool = False
    """Whether it belongs to the page and not to its text."""
    broken: bool = False
    """Whether it is the paragraph of the line before, after a `br`."""
    element: Element = ROOT
    """The block it stands in."""
    targets: tuple[str, ...] = ()
    """Where the links lead that begin in it, as written."""

    @property
    def inside(self) -> Inside:
        """The elements around it that govern how it is written."""
        return inside_of(self.box)

    @property
    def is_heading(self) -> bool:
        """Whether it stands in a heading."""
        return inside_of(self.box).heading is not None

    @property
    def is_link(self) -> bool:
        """Whether it is a link, and no sentence with a long one in it."""
        if not self.linked or self.linked >= _LINK * len(self.text):  # nothing has to be counted
            return self.linked > 0
        return self.linked >= max(1.0, _LINK * len(word_characters(self.text)))


MOST_SPANNED = 10_000
"""Columns of a page that cells span beyond their own and that are written as empty cells: a page of
a hundred kilobytes may span millions."""

MOST_COLUMNS = 64
"""Columns of a table in which cells span rows: each row looks through those."""
LARGEST_SPAN = 100
"""Columns or rows that one cell is taken to span."""


MOST_DRAWN = 300
"""Elements without text that are told of, the first ones of a page."""


class Drawing(NamedTuple):
    """An element without text: what it says is drawn, by its attributes or by a style sheet."""

    line: str
    """The line that it stands in, as in the row of a table; empty where it stands alone."""
    cell: int
    """In which cell of the row, from 1 on; 0 outside of one."""
    node: LexborNode


MOST_HIDDEN = 1_000
"""Hidden blocks of a page that may be opened, the first ones: of each all elements around it are
looked at. Of 1,487 real pages the most has 242."""

_MOST_SILENT = 20
"""Texts of a line of which one says something, or else none does: icons stand before it."""

_OPENING = frozenset((*HEADINGS, "button", "dt", "summary"))
"""Elements that open what stands right after them."""


class Openable(NamedTuple):
    """A hidden block that the line before it opens: a panel behind a tab, an answer."""

    at: int
    """How many visible lines stand before it, at least one."""
    lines: list[Line]
    """Its lines, at least one; without what is hidden in it."""
    node: int
    """Its address in memory."""


class _Hidden(NamedTuple):
    """A hidden block that was passed over, and where it stands."""

    node: LexborNode
    at: int
    place: Place
    element: Element
    box: Box | None


class Gathering:
    """The line that is being gathered, what holds for it, and the lines that have been."""

    __slots__ = (
        "_cells", "_drawn", "_linked", "_notes", "_targets", "box", "broken", "content", "drawings",
        "element", "furniture", "in_link", "is_marked", "place", "spanned_room", "texts",
    )  # fmt: skip

    def __init__(self) -> None:
        self.content: list[Line] = []
        self.furniture: list[Line] = []
        self.place = BODY
        """Where the next text stands; this, the element, the box and the links around it are set by
        the walk."""
        self.element = ROOT
        self.box: Box | None = None
        self.in_link = 0
        """Links around it: one at most but for those within an `object` in a link."""
        self.texts: list[str] = []
        """Of the line, with marks between them. Never another list: the walk adds to it itself."""
        self.is_marked = False
        """Whether there are marks in it."""
        self.broken = False
        """See `Line`."""
        self.spanned_room = MOST_SPANNED
        """How many more columns may be told of that cells span."""
        self.drawings: list[Drawing] = []
        """Elements without text in lines that are no links, at most MOST_DRAWN."""
        self._drawn: list[tuple[int, LexborNode]] = []
        """Those of the line, each with its cell."""
        self._linked = 0
        self._notes: list[str] = []
        self._targets: list[str] = []
        self._cells = 0

    def draw(self, node: LexborNode, *, is_block: bool = False) -> None:
        """Take in an element without text; as a block it is a line of its own."""
        if self.in_link or self.place.chrome:
            return
        if len(self.drawings) + len(self._drawn) >= MOST_DRAWN:
            return
        if is_block:
            self.drawings.append(Drawing("", 0, node))
        else:
            self._drawn.append((self._cells, node))
            self.texts.append("")  # so that the line ends, whether there is a text in it or not

    def begin_link(self, target: str) -> None:
        """Note that what follows is a link, until it ends."""
        self.in_link += 1
        self._targets.append(target)

    def add_link(self, text: str) -> None:
        """Add a text of a link, of one row."""
        self._linked += len(word_characters(text))
        bare = text.strip().removesuffix(_AS_TEXT) if len(text) <= LONGEST_ANCHOR else ""
        if bare in _ANCHORS and self._is_anchor(bare):
            self.is_marked = True
            text = f"{IN_CHROME}{text}{END_OF_CHROME}"
        self.texts.append(text)

    def add_rows(self, text: str) -> None:
        """Add a text in code that goes over line ends."""
        add = self.add_link if self.in_link else self.texts.append
        first, *others = text.split("\n")
        if first:
            add(first)
        for row in others:
            self.end()
            self.end_row()
            if row:
                add(row)

    def _is_anchor(self, text: str) -> bool:
        """Whether a link whose text is one of an anchor is one here."""
        if text in _OF_TERMS:
            return self.box is not None and self.box.tag == "dt"
        return text in _ALWAYS or inside_of(self.box).heading is not None

    def mark(self, mark: str, note: str | None = None) -> None:
        """Add a mark, and what it tells of."""
        self.texts.append(mark)
        self.is_marked = True
        if note is not None:
            self._notes.append(note)

    def begin_cell(self, *, is_head: bool, columns: int = 1, rows: int = 1) -> None:
        """Part what follows from what stands before, and count the cell if a row has it.

        Columns that a cell spans beyond its own, also of the rows below, are cells with nothing in
        them, as many as there is room for.
        """
        inside = inside_of(self.box)
        row, table = inside.row, inside.table
        if row is None:
            self.texts.append(" ")
            return
        while self.spanned_room and (row.cells < row.reach or row.cells in row.spanned):
            self.spanned_room -= 1
            self._count_cell(row, is_head=is_head)
        if rows > 1 and table is not None:
            if table.spanned is NOT_SPANNED:
                table.spanned = {}
            for column in range(row.cells, min(row.cells + columns, MOST_COLUMNS)):
                table.spanned[column] = rows - 1
        row.reach = row.cells + columns
        self._count_cell(row, is_head=is_head)

    def _count_cell(self, row: Box, *, is_head: bool) -> None:
        row.cells += 1
        row.heads += is_head
        self._cells += 1
        self.mark(f" {CELL}")

    def end_row(self) -> None:
        """End a row of code, if this is code."""
        if (code := inside_of(self.box).code) is not None:
            code.count += 1

    def end(self) -> bool:
        """End the line that is being gathered; return whether there was one."""
        if not self.texts:
            return False
        written = "".join(self.texts)
        self.texts.clear()
        # Marks are surrogates, which are left out like this in a tenth of the time `folded` takes.
        unmarked = written.encode(errors="ignore").decode() if self.is_marked else written
        text = folded(unmarked)
        is_seen = text.strip(_NO_WIDTH) != ""
        is_link = False
        if is_seen:
            lines = self.furniture if self.place.is_furniture else self.content
            line = self._line(text, written)
            lines.append(line)
            is_link = line.is_link
        if self._drawn:
            if not is_link:  # else it is of the page that the link leads to
                self.drawings += (Drawing(text, cell, node) for cell, node in self._drawn)
            self._drawn.clear()
        self._linked = 0
        if self._targets:
            self._targets.clear()
        if self.is_marked:
            self.is_marked, self._cells = False, 0
            self._notes.clear()
        return is_seen

    def _line(self, text: str, written: str) -> Line:
        place, box, linked = self.place, self.box, self._linked
        marked = written if self.is_marked else ""
        notes = tuple(self._notes) if self._notes else ()
        at, is_apart = 0, True
        if box is not None:
            inside = box.inside
            is_apart = inside is NOWHERE and box.tag not in ITEMS
            if inside.code is not None:
                at, marked = inside.code.count, written
            elif inside.row is not None:
                at = inside.row.cells - self._cells
        is_chrome = place.chrome
        if is_chrome:
            is_chrome = may_be_chrome(text)
        elif (is_apart or linked > 0) and len(text) <= LONGEST_BUTTON:
            is_chrome = is_button(text)
        broken, element = self.broken, self.element
        targets = tuple(self._targets) if self._targets else ()
        return Line(
            text, linked, place.path, box, marked, notes, at, is_chrome, broken, element, targets
        )


class Walk:
    """One pass over a page, in document order: its visible text, and what holds for that.

    It is iterative, over an untouched tree, so neither depth nor mutation can harm it.
    """

    def __init__(
        self,
        tree: LexborHTMLParser,
        links: bool,
        *,
        reveals: bool = False,
        furniture: bool = False,
    ) -> None:
        self._reveals = reveals
        self._reads_furniture = furniture
        self._hidden = set[int]()
        """Elements that their attributes hide, by their addresses in memory."""
        self._labels: dict[int, int] = {}
        """What attributes say of others (`FURNISHES`)."""
        self._spans = {
            cell.mem_id: (_span(cell, "colspan"), _span(cell, "rowspan"))
            for cell in tree.css(_SPANNING)
        }
        """Columns and rows of the cells that span more than one."""
        self._always_looks = False
        """Whether elements within a line may be more than that: by their roles anywhere, as chrome
        in headings and code. Nowhere else are they looked at: it takes time and there are many."""
        self._label(tree)
        self._looks = self._always_looks
        self._marks_links = links
        self._line = Gathering()
        self.drawings = self._line.drawings
        self._tex = ""
        """Of the formula that is being read, as far as it is known."""
        self._hidden_blocks: list[_Hidden] = []
        self.skipped: list[tuple[str, LexborNode]] = []
        """Elements that were passed over: furniture, what is hidden, fields and drawings; each with
        the kind of its lines (`crawler.models.FRAME_LINE`)."""

    def _label(self, tree: LexborHTMLParser) -> None:
        for node in tree.css(_LABELLED_BY):
            attributes = node.attributes
            if _hides(node.tag or "", attributes):
                if not self._reveals:
                    self._hidden.add(node.mem_id)
            elif _role(attributes) in _FURNITURE_ROLES:
                self._labels[node.mem_id] = FURNISHES
                self._always_looks |= (KINDS.get(node.tag_id) or learned(node)) in (APART, INLINE)
        around = tree.css_first("main")
        while around is not None:
            if around.tag in _PAGES_OWN or around.mem_id in self._labels:
                self._labels[around.mem_id] = HOLDS_MAIN
            around = around.parent

    def read(self, root: LexborNode) -> list[Line]:
        """Return the lines below `root` but for furniture, or only that where it is asked for.

        What is met most is done here, not in methods.
        """
        ancestors: list[tuple[LexborNode, int, Place, Element, Box | None]] = []
        """What is open: its kind, and the place, element and box around it."""
        hidden, line, texts = self._hidden, self._line, self._line.texts
        node = root.first_child
        while node is not None:
            kind = KINDS.get(node.tag_id) or learned(node)
            child = None
            if kind == TEXT:
                text = node.text_content or ""
                keeps_space = line.place.preformatted
                if keeps_space and "\n" in text:
                    line.add_rows(text)
                elif keeps_space or not text.isspace():
                    if line.in_link:
                        line.add_link(text)
                    else:
                        texts.append(text)
                else:
                    if texts:
                        texts.append(" ")
                    if node.next is None and node.prev is None and node.parent is not None:
                        line.draw(node.parent)
            else:
                if kind >= UNSEEN:
                    kind = self._look_behind(node, kind)
                if kind < UNSEEN and not (hidden and node.mem_id in hidden):
                    child = node.first_child
                    if kind > LABELLED:
                        if self._looks and self._is_labelled(node):
                            kind = LABELLED
                    elif kind == BLOCK:
                        if texts:
                            line.end()
                        line.broken = False
                    elif kind <= HEAD_CELL:
                        self._part(node, kind)
                    if child is None and kind not in (BREAK, LINK):
                        line.draw(node, is_block=kind == BLOCK)
                elif kind < UNSEEN:
                    self.skipped.append((HIDDEN_LINE, node))
                    if kind == BLOCK:
                        self._note_hidden(node)
            following = None
            if child is None:
                following = node.next
            else:
                ancestors.append((node, kind, line.place, line.element, line.box))
                if kind <= HEAD_CELL:
                    is_read = self._enter(node, child)
                elif kind == INLINE:
                    is_read = False
                else:
                    is_read = self._enter_within_line(node, child, kind)
                if not is_read:
                    node = child
                    continue
            while following is None and ancestors:
                node, kind, place, element, box = ancestors.pop()
                if kind == BLOCK:
                    if texts and line.end() and line.place.preformatted:
                        line.end_row()
                    line.broken = False
                    if self._looks and box is not line.box:
                        self._looks = self._always_looks
                    line.place, line.element, line.box = place, element, box
                elif kind <= HEAD_CELL:
                    texts.append(" ")
                    line.place, line.element, line.box = place, element, box
                elif kind != INLINE:
                    self._leave_within_line(node, kind, place)
                following = node.next
            node = following
        line.end()
        return line.furniture if self._reads_furniture else line.content

    def openable(self, lines: Sequence[Line]) -> Iterator[Openable]:
        """Yield the hidden blocks that one of its `lines` opens and that say more, in order.

        The last that is asked of a walk, as it goes on into them.
        """
        said = {line.text for line in lines} if self._hidden_blocks else set()
        for hidden in self._hidden_blocks:
            if 0 < hidden.at <= len(lines) and self._is_openable(hidden, lines):
                found = self._read_hidden(hidden)
                if not said.issuperset(line.text for line in found):
                    said.update(line.text for line in found)
                    yield Openable(hidden.at, found, hidden.node.mem_id)

    def _is_openable(self, hidden: _Hidden, lines: Sequence[Line]) -> bool:
        """Whether a hidden block is opened by the line before it, and not over the page.

        A panel is, by its role, and what stands right after a heading or control; so is what an
        element other than the body hides that shows this line and no other.
        """
        role = _role(hidden.node.attributes)
        if role in _OVER_PAGE or hidden.node.tag == "dialog":
            return False
        if role == "tabpanel":
            return True
        before = hidden.node.prev
        while before is not None and before.tag in ("-comment", "-text"):
            if before.tag == "-text" and not (before.text_content or "").isspace():
                before = None
                break
            before = before.prev
        if before is not None and before.tag in _OPENING and before.mem_id not in self._hidden:
            return True
        opener = hidden.at - 1
        around = {*_around(hidden.element)}
        shared = next(one for one in _around(lines[opener].element) if one in around)
        beside = (*lines[max(0, opener - 1) : opener], *lines[hidden.at : hidden.at + 1])
        return shared.parent is not None and not any(
            shared in _around(line.element) for line in beside
        )

    def _read_hidden(self, hidden: _Hidden) -> list[Line]:
        """Return the lines in a hidden block, as if it were shown where it stands."""
        child, line = hidden.node.first_child, Gathering()
        self._line, self.skipped, self._hidden_blocks = line, [], []
        line.place, line.element, line.box = hidden.place, hidden.element, hidden.box
        if child is not None and not self._enter(hidden.node, child):
            self.read(hidden.node)
        else:
            line.end()
        return line.content

    def _note_hidden(self, node: LexborNode) -> None:
        """Remember a hidden block, if what is in it can be read as if it stood alone."""
        line = self._line
        box = line.box
        is_apart = box is None or (box.inside is NOWHERE and box.tag != "ol")
        is_one_of_few = len(self._hidden_blocks) < MOST_HIDDEN
        if is_one_of_few and is_apart and not line.in_link and not self._reads_furniture:
            is_in_line = any(text and not text.isspace() for text in line.texts[:_MOST_SILENT])
            at = len(line.content) + is_in_line
            self._hidden_blocks.append(_Hidden(node, at, line.place, line.element, box))

    def hides(self) -> int:
        """Return about how many characters it passed over because they are hidden."""
        hidden = (node for kind, node in self.skipped if kind == HIDDEN_LINE)
        return sum(len(node.text(deep=True)) for node in hidden)

    def _look_behind(self, node: LexborNode, kind: int) -> int:
        """Take in what is no text of a line; return its kind, as it is without scripts."""
        if kind == SCRIPT:
            self._read_script(node)
        elif kind == VALUE:
            self.skipped.append((VALUE_LINE, node))
            if node.tag == "svg":
                self._line.draw(node)
        elif kind > UNSEEN:
            if "tex" in (node.attributes.get("encoding") or "").lower() and not self._tex:
                self._tex = node.text(deep=True)
        elif node.tag == "noscript":
            if self._reveals:
                return INLINE
            self.skipped.append((HIDDEN_LINE, node))
        return kind

    def _read_script(self, script: LexborNode) -> None:
        """Add the TeX of a formula as its text, where a script is to draw it.

        Not where it stands before the script, drawn when the page was saved.
        """
        written = (script.attributes.get("type") or "").lower()
        if not written.startswith("math/tex"):
            return
        before = script.prev
        drawn = ""
        if before is not None and before.tag != "-text":
            drawn = before.attributes.get("class") or ""
        if "MathJax" in drawn and "MathJax_Preview" not in drawn:
            return
        tex = script.text(deep=True)
        self._line.mark(IN_FORMULA)
        self._line.texts.append(tex)
        self._line.mark(END_OF_FORMULA, f" {tex}" if "display" in written else tex)

    def _part(self, node: LexborNode, kind: int) -> None:
        """Part what follows from what stands before, by a break or as a cell begins."""
        line = self._line
        if kind != BREAK:
            columns, rows = self._spans.get(node.mem_id, (1, 1)) if self._spans else (1, 1)
            line.begin_cell(is_head=kind == HEAD_CELL, columns=columns, rows=rows)
            return
        line.broken = line.end()
        if line.place.preformatted:
            line.end_row()

    def _is_labelled(self, node: LexborNode) -> bool:
        """Whether an element within a line is something by its attributes; note it if it is."""
        if node.mem_id in self._labels:
            return True
        inside = inside_of(self._line.box)
        if inside.heading is None and inside.code is None:
            return False
        classes = node.attributes.get("class")
        if not classes or not is_chrome(classes):
            return False
        self._labels[node.mem_id] = IS_CHROME
        return True

    def _enter(self, node: LexborNode, child: LexborNode) -> bool:
        """Take note of what holds for the texts in a block or cell; return if all are read now."""
        line = self._line
        label = self._labels.get(node.mem_id, 0) if self._labels else 0
        tag, attributes = node.tag or "", node.attributes
        classes = (attributes.get("class") or "")[:MAX_CLASSES]
        name = (attributes.get("id") or "")[:MAX_NAME]
        place = line.place = place_within(line.place, tag, classes, label)
        line.element = Element(place, tag, classes, name, line.element)
        if place.is_furniture and line.box is None and not self._reads_furniture:
            # Of some sites it is most of a page. In a box it may count as one of its items or rows.
            self.skipped.append((FRAME_LINE, node))
            return True
        if place.structure:
            self._open(node, place)
        return place.preformatted and self._read_listing(node, child)

    def _read_listing(self, node: LexborNode, child: LexborNode) -> bool:
        """Read the code in an element at once, if its elements only colour it."""
        line = self._line
        if self._looks or line.in_link or child.next is None or not is_coloured(node):
            return False
        line.add_rows(node.text())
        return True

    def _is_reference(self, node: LexborNode, child: LexborNode) -> bool:
        """Whether an element is raised as the mark of a footnote, and not as part of a word."""
        if node.tag != "sup":
            return False
        return child.tag == "a" or (self._line.in_link > 0 and node.prev is None)

    def _enter_within_line(self, node: LexborNode, child: LexborNode, kind: int) -> bool:
        """Take note of what holds for the texts in what is within a line, as `_enter` does."""
        line = self._line
        if kind == LINK:
            target = node.attributes.get("href") or ""
            line.begin_link(target)
            if self._marks_links:
                line.mark(IN_LINK, target)
        elif kind == CODE:
            line.is_marked = True
            line.texts.append(IN_CODE)
            return line.place.preformatted and self._read_listing(node, child)
        elif kind == APART:
            if line.texts and not line.place.preformatted:
                line.texts.append(" ")
        elif kind == SIGNED:
            if self._is_reference(node, child):
                if line.texts and not line.place.preformatted:
                    line.texts.append(" ")
                line.mark(IN_REFERENCE)
            else:
                sign = _SIGNED[node.tag or ""]
                line.mark(sign)
                if sign == IN_DELETED:
                    self.skipped.append((VALUE_LINE, node))
        elif kind == FORMULA:
            line.mark(IN_FORMULA)
            attributes = node.attributes
            self._tex = attributes.get("data-latex") or attributes.get("alttext") or ""
        elif self._labels[node.mem_id] & FURNISHES:
            classes = node.attributes.get("class") or ""
            line.place = line.place.within(node.tag or "", classes[:MAX_CLASSES], FURNISHES)
        else:
            line.mark(IN_CHROME)
        return False

    def _open(self, node: LexborNode, place: Place) -> None:
        tag, around = place.structure, self._line.box
        if around is not None:
            if around.depth >= MAX_BOXES:
                return
            if tag == "dd" and around.item is not None:
                self._line.box = around.item
                return
        box = self._line.box = Box(tag, around)
        if not place.is_simple:
            if place.note and node.css_first("h1, h2") is None:  # else it is a part of the page
                box.note = place.note
            if box.tag in GOVERNING:
                box.govern()
                if box.tag in CODES:
                    box.language = language_of(node) or place.language
                    self._looks = self._always_looks or has_numbers(node)
                elif box.inside.heading is box:
                    self._looks = True
            elif box.tag in DEFINITIONS:
                if around is not None and around.tag == "dl":
                    around.item = box
            elif "ol" in (box.tag, around.tag if around is not None else ""):
                box.count_from(node.attributes.get("start" if box.tag == "ol" else "value"))

    def _leave_within_line(self, node: LexborNode, kind: int, around: Place) -> None:
        line = self._line
        if kind == LINK:
            line.in_link -= 1
            if self._marks_links:
                line.mark(END_OF_LINK)
        elif kind == CODE:
            line.is_marked = True
            line.texts.append(END_OF_CODE)
        elif kind == APART:
            if not line.place.preformatted:
                line.texts.append(" ")
        elif kind == SIGNED:
            line.mark(END_OF_SIGNED)
        elif kind == FORMULA:
            is_apart = node.attributes.get("display") == "block"
            line.mark(END_OF_FORMULA, f" {self._tex}" if is_apart else self._tex)
            self._tex = ""
        elif not self._labels[node.mem_id] & FURNISHES:
            line.mark(END_OF_CHROME)
        elif around.is_furniture is not line.place.is_furniture:
            line.end()
        line.place = around


def _around(element: Element | None) -> list[Element]:
    """Return an element and all around it, innermost first."""
    found = []
    while element is not None:
        found.append(element)
        element = element.parent
    return found


_MOSTLY = 2
"""Times all that it shows besides links that a page hides of prose, from which the page is what a
script shows. So are eight of 1,487 real pages: four gain .64 of F1, one loses as much."""

_NOTHING, _SOMETHING = 40, 400
"""Word characters below which a page shows nothing (its name, a notice), and from which what it
hides is a text rather than a notice that scripts are needed. Forums that are programs show nothing
of their threads but in `noscript`."""


def visible_lines(
    tree: LexborHTMLParser,
    *,
    links: bool = False,
    skipped: list[tuple[str, LexborNode]] | None = None,
    drawings: list[Drawing] | None = None,
    openable: list[Openable] | None = None,
) -> list[Line]:
    """Return the text outside nav, header and footer, one block a line, in document order.

    Elements with those roles (navigation, banner, contentinfo) count as such; a header or footer
    within an article, aside, main or section is content, as is one that holds the page's main. A
    page that has nothing outside of them is all content: an unclosed nav swallows the rest of its
    page. One that shows next to nothing is
    read with what scripts would reveal, and what stands there for a reader without scripts, if that
    is a text; so is one whose hidden prose is several times what it shows. `links` has lines marked
    where they lead elsewhere; `skipped` takes in the elements that were passed over
    (`Walk.skipped`), `drawings` those without text, `openable` the hidden blocks that a line opens.
    """
    body = tree.body
    if body is None:
        return []
    shown, walk = _read(tree, body, links, reveals=False)
    least = _MOSTLY * max(_SOMETHING, sum(len(line.text) for line in shown if not line.is_link))
    shows_nothing = not _says(shown, _NOTHING)
    if shows_nothing or walk.hides() > least:
        revealed, revealing = _read(tree, body, links, reveals=True)
        is_text = shows_nothing and _says(revealed, _SOMETHING)
        if is_text or prose_characters(revealed) - prose_characters(shown) > least:
            shown, walk = revealed, revealing
    if skipped is not None:
        skipped.extend(walk.skipped)
    if drawings is not None:
        drawings.extend(walk.drawings)
    if openable is not None:
        openable.extend(walk.openable(shown))
    return shown


def _read(
    tree: LexborHTMLParser, body: LexborNode, links: bool, *, reveals: bool
) -> tuple[list[Line], Walk]:
    walk = Walk(tree, links, reveals=reveals)
    if lines := walk.read(body):
        return lines, walk
    walk = Walk(tree, links, reveals=reveals, furniture=True)
    return walk.read(body), walk


def prose_characters(lines: Iterable[Line]) -> int:
    """Return the word characters of the lines that are prose."""
    lengths = ((len(word_characters(line.text)), line.linked) for line in lines)
    return sum(length for length, linked in lengths if is_prose(length, linked))


def _says(lines: Iterable[Line], least: int) -> bool:
    """Whether there are so many word characters in lines."""
    for line in lines:
        least -= len(word_characters(line.text))
        if least <= 0:
            return True
    return False


def text_of(lines: Iterable[Line]) -> str:
    """Return the lines as one text."""
    return "\n".join(line.text for line in lines)
