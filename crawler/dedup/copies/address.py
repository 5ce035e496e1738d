"""What two URLs say of each other: one address in two editions, two languages, on two hosts.

The address of a page is its URL without what names an edition of it: host, language, version,
the name of an index file. Sites name pages so, by RFC 3986's hierarchy and for content negotiation
(Apache's `page.fr.html`, `page.html.fr`); nothing requires it, so an equal address is evidence only
for pages that are alike as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

_LANGUAGES = frozenset(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da
    de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz
    ia id ie ig ii ik io is it iu ja jp jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li
    ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa
    pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th
    ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """.split()
)
"""ISO 639-1, and `jp`, `kr`, `tw` as they are used for it."""
_LOCALE = re.compile(
    r"(?:zh-|[a-z]{2,3}[-_])(?:[a-z]{2}|hans|hant|latn|cyrl|latin|valencia|\d{3})(?:[-_][a-z]{2})?"
)
"""A language with a region or script (BCP 47), in lower case."""
_VERSION = re.compile(
    r"(?:[a-z]+[-_]?)?v?\d{1,4}(?:[._]\d{1,4}|\.x){1,3}(?:[-_.]?(?:alpha|beta|rc|dev|m)\d*)?|v\d+"
    r"|latest|stable|current|master|main|trunk|devel|dev|nightly|unstable|lts"
)
_INDEX = re.compile(r"(?:index|default|home)\.(?:x?html?|php\d?|aspx?|jsp)")
_LANGUAGE_PARAMETERS = frozenset(("hl", "lang", "language", "locale", "setlang", "uselang"))
_COMMON = frozenset(
    """
    about about-us agb careers company contact contact-us cookie-policy cookies disclaimer faq help
    home impressum imprint jobs legal legal-notice login press privacy privacy-policy services
    support team terms terms-and-conditions terms-of-service terms-of-use tos welcome
    """.split()
)
"""Paths that sites have in common which have nothing else in common."""
_ENDING = re.compile(r"\.[a-z]{2,5}\d?$")
_DIGITS = re.compile(r"\d+")


class Address(NamedTuple):
    """A URL taken apart."""

    host: str
    segments: tuple[str, ...]
    """Of the path, decoded and in lower case, without language, version and index file."""
    query: tuple[str, ...]
    """Its parameters as `name=value`, but for one that names a language."""
    written: str
    """Path and query as they were."""

    @property
    def is_common(self) -> bool:
        """Whether many hosts have this path: pages of two of them need not have much to do."""
        names = [_ENDING.sub("", segment) for segment in self.segments]
        return not self.query and all(name in _COMMON for name in names)


def address(url: str) -> Address:
    """Return the address of a canonical URL, or of the name of a document."""
    parts = urlsplit(url)
    segments = unquote(parts.path).lower().strip("/").split("/")
    is_folder = parts.path.endswith("/")
    if _INDEX.fullmatch(segments[-1]):
        segments.pop()
        is_folder = True
    folders = segments if is_folder else segments[:-1]
    last = [] if is_folder else [_without_language(segments[-1])]
    query = tuple(
        f"{name}={value}"
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not (name.lower() in _LANGUAGE_PARAMETERS and _is_language(value.lower()))
    )
    kept = (*_without(_is_version, _without(_is_language, folders)), *last)
    written = f"{parts.path}?{parts.query}"
    return Address(parts.netloc, tuple(segment for segment in kept if segment), query, written)


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


def is_same_address(one: Address, other: Address) -> bool:
    """Whether two URLs name one page in two editions, in two languages or on two hosts."""
    named_alike = (one.segments, one.query) == (other.segments, other.query)
    if not named_alike:
        return False
    if one.host == other.host:
        return one.written != other.written
    return not one.is_common


def is_listed_in(one: Address, other: Address) -> bool:
    """Whether one is a list of what the other lists a part of: `/2014/` and `/2014/07/`."""
    short, long = sorted((one.segments, other.segments), key=len)
    rest = long[len(short) :]
    below = bool(rest) and long[: len(short)] == short
    return below and all(_DIGITS.fullmatch(segment) for segment in rest)


def _without(named: Callable[[str], bool], segments: list[str]) -> list[str]:
    """Leave out the first segment of a kind."""
    for number, segment in enumerate(segments):
        if named(segment):
            return segments[:number] + segments[number + 1 :]
    return segments


def _is_language(segment: str) -> bool:
    return segment in _LANGUAGES or bool(_LOCALE.fullmatch(segment))


def _is_version(segment: str) -> bool:
    return bool(_VERSION.fullmatch(segment))


def _without_language(name: str) -> str:
    """Return a file's name without its language: `page.fr.html` and `page.html.fr`."""
    parts = name.split(".")
    for number in (-1, -2):
        if len(parts) > 2 and _is_language(parts[number]):
            return ".".join(parts[:number] + parts[len(parts) + number + 1 :])
    return name
