"""A page taken apart into tags, comments and raw text, as the standard's tokenizer does.

HTML standard, 13.2.5. Attributes are skipped with their quotes, so that no `</div>` in a title is
taken for a tag; what begins with `<!`, `<?` or `</1` is a comment up to the next `>`.
"""

from __future__ import annotations

import re
from itertools import islice

from crawler.extract.bounds.limits import MAX_ATTRIBUTES

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
    return _may_have_long_tags(html) and any(
        _has_many_attributes(html, found.start()) for found in _LONG_TAG.finditer(html)
    )


def shortened(tag: re.Match[str]) -> str:
    """Return a tag with its first MAX_ATTRIBUTES attributes."""
    rest: str = tag["rest"]
    if len(rest) <= 2 * MAX_ATTRIBUTES:
        return tag[0]
    found = _WHOLE_ATTRIBUTE.finditer(rest)
    ends = [attribute.end() for attribute in islice(found, MAX_ATTRIBUTES + 1)]
    return tag[0] if len(ends) <= MAX_ATTRIBUTES else f"<{tag['name']}{rest[: ends[-2]]}>"


def _may_have_long_tags(html: str) -> bool:
    """Whether there may be a tag of _LONG characters: one spans half as many from a round place.

    Nearly all pages have a bracket soon after each such place, so that little of them is read.
    """
    half = _LONG // 2
    return any(
        html.find("<", place, place + half) < 0 and html.find(">", place, place + half) < 0
        for place in range(0, len(html) - half + 1, half)
    )


def _has_many_attributes(html: str, position: int) -> bool:
    """Whether the tag at a position, if it is one, has more than MAX_ATTRIBUTES."""
    tag = TAG.match(html, position)
    return tag is not None and tag["name"] is not None and shortened(tag) != tag[0]
