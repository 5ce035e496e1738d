"""What two URLs say of each other: one address in two editions, two languages, on two hosts.

The address of a page is its URL without what names an edition of it: host, language, version,
the name of an index file. Sites name pages so, by RFC 3986's hierarchy and for content negotiation
(Apache's `page.fr.html`, `page.html.fr`); nothing requires it, so an equal address is evidence only
for pages that are alike as well.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

_LANGUAGES = frozenset(
    """
    ast ckb cmn dsb fil haw hsb kab kok mai nso sat yue
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da
    de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz
    ia id ie ig ii ik io is it iu ja jp jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li
    ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa
    pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th
    ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """.split()
)
"""ISO 639-1, some of 639-3 that sites have, and `jp`, `kr`, `tw` as they are used for it."""
_LOCALE = re.compile(
    r"([a-z]{2,3})[-_](?:[a-z]{2}|hans|hant|latn|cyrl|latin|valencia|001|150|419)(?:[-_][a-z]{2})?"
)
"""A language with a region or script (BCP 47), in lower case."""
_VERSION = re.compile(
    r"(?:[a-z]+[-_]?)?v?\d{1,4}(?:[._]\d{1,4}|\.x){1,3}(?:[-_.]?(?:alpha|beta|rc|dev|m)\d*)?|v\d+"
    r"|latest|stable|current|master|main|trunk|devel|dev|nightly|unstable|lts"
)
_MANUALS = frozenset(
    """
    api doc docs documentation guide handbook javase manual refman release releases version versions
    """.split()
)
"""Folders in which a number names an edition: `/docs/15/`."""
_NUMBER = re.compile(r"\d{1,3}")
_INDEX = re.compile(r"(?:index|default|home)\.(?:x?html?|php\d?|aspx?|jsp)")
_LANGUAGE_PARAMETERS = frozenset(("hl", "lang", "language", "locale", "setlang", "uselang"))

_LINE = "line="
"""Begins the fragment by which documents of one file are told apart (`crawler.batch.names`)."""

_KEYS_REMEMBERED = 16
"""A page's address is asked for as it is judged and as it is stored, and that takes 26 µs."""


class Address(NamedTuple):
    """A URL taken apart."""

    host: str
    segments: tuple[str, ...]
    """Of the path, decoded, without language, version and index file."""
    query: tuple[str, ...]
    """Its parameters as `name=value`, but for one that names a language; of a document in a file of
    many, its line there."""
    folder: str
    """The first folder of the path; empty at the root."""
    language: str
    """What was left out as a language, in lower case; empty where there was none."""


def address(url: str) -> Address:
    """Return the address of a canonical URL, or of the name of a document."""
    parts = urlsplit(url)
    segments = [unquote(segment) for segment in parts.path.strip("/").split("/")]
    is_folder = parts.path.endswith("/")
    if _INDEX.fullmatch(segments[-1].lower()):
        segments.pop()
        is_folder = True
    folders = segments if is_folder else segments[:-1]
    tree, folders = _without_tree(folders)
    suffix, last = ("", []) if is_folder else _without_suffix(segments[-1])
    asked, query = _without_parameter(parse_qsl(parts.query, keep_blank_values=True))
    line = (parts.fragment,) if parts.fragment.startswith(_LINE) else ()
    named = tuple(segment for segment in (*_without_version(folders), *last) if segment)
    first = named[0] if len(named) > len(last) else ""
    return Address(parts.netloc, named, (*query, *line), first, (tree or suffix or asked).lower())


@lru_cache(maxsize=_KEYS_REMEMBERED)
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


def _without_tree(folders: list[str]) -> tuple[str, list[str]]:
    """Return the first folder that names a language, and the others."""
    for number, folder in enumerate(folders):
        if _is_language(folder):
            return folder, folders[:number] + folders[number + 1 :]
    return "", folders


def _without_suffix(name: str) -> tuple[str, list[str]]:
    """Return the language of `page.fr.html` or `page.html.fr`, and the name without it."""
    parts = name.split(".")
    for number in (-1, -2):
        if len(parts) > 2 and _is_language(parts[number]):
            others = parts[:number] + parts[len(parts) + number + 1 :]
            return parts[number], [".".join(others)]
    return "", [name]


def _without_parameter(query: list[tuple[str, str]]) -> tuple[str, tuple[str, ...]]:
    """Return the value of a parameter that names a language, and the others as `name=value`."""
    named = {pair for pair in query if pair[0].lower() in _LANGUAGE_PARAMETERS}
    languages = [value for name, value in query if (name, value) in named and _is_language(value)]
    others = (pair for pair in query if pair[1] not in languages or pair not in named)
    return languages[0] if languages else "", tuple(map("=".join, others))


def _without_version(folders: list[str]) -> list[str]:
    """Leave out the first folder that names a version; a number is one below a manual's name."""
    for number, folder in enumerate(folders):
        below = folders[number - 1].lower() if number else ""
        if _VERSION.fullmatch(folder.lower()) or (below in _MANUALS and _NUMBER.fullmatch(folder)):
            return folders[:number] + folders[number + 1 :]
    return folders


def _is_language(name: str) -> bool:
    name = name.lower()
    locale = _LOCALE.fullmatch(name)
    return (locale[1] if locale else name) in _LANGUAGES
