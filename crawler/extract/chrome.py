"""What belongs to the page and not to its text: anchors of headings, buttons, breadcrumbs, gutters.

Known by the classes, roles and words that generators of pages use by convention.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

_TOKENS = frozenset(
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
_FAMILIES = re.compile(
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

_LINES = frozenset(
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

_LONGEST = max(map(len, _LINES))
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

_SIGNS = frozenset(("#", "§", "¶", "↩", "∞", "⚓", "🔗"))
_AS_TEXT = "\ufe0e"
"""Variation selector: a sign is to be drawn as text and no picture."""
_ALWAYS = frozenset(("¶", "↩", "🔗"))
_OF_TERMS = frozenset(("[docs]", "[source]"))
_ANCHORS = _SIGNS | _ALWAYS | _OF_TERMS
LONGEST_ANCHOR = 8
"""Characters of a link that may be one of these."""

_FIRST = 5
"""Elements of a block of code that are looked at for its line numbers."""


def is_chrome(classes: str) -> bool:
    """Whether a `class` attribute is that of chrome."""
    lowered = classes.lower()
    if not _TOKENS.isdisjoint(lowered.split()):
        return True
    return any(name in lowered for name in _FAMILY_NAMES) and _FAMILIES.search(lowered) is not None


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
        return lowered in _LINES or lowered.endswith(_ENDS)
    return _is_notice(text)


def may_be_anchor(text: str) -> bool:
    """Whether a link's text is one of those that lead to where they stand, or to a source."""
    return len(text) <= LONGEST_ANCHOR and _bare(text) in _ANCHORS


def is_anchor(text: str, *, in_heading: bool, in_term: bool) -> bool:
    """Whether a link's text is the sign of an anchor, or leads from a name to its source."""
    text = _bare(text)
    return text in _ALWAYS or (in_heading and text in _SIGNS) or (in_term and text in _OF_TERMS)


def _bare(text: str) -> str:
    return text.strip().removesuffix(_AS_TEXT)


def has_numbers(code: LexborNode) -> bool:
    """Whether a block of code begins with the number of its first line."""
    node = code.first_child
    for _ in range(_FIRST):
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
