"""The JSON that a page carries for its scripts: what they would make the page of.

A script element is that JSON (`application/json` and the like), assigns it
(`window.__STATE__ = {...}`) or hands it to a function, as it is or as a string that is parsed; or
an attribute is that JSON (`data-page`, `props`). Where it is a table, a list of values of which
objects and lists hold the places, it is told as what it stands for. Which of it readers see is not
told here: `crawler.extract.filling` learns it from pages that a browser has rendered.
"""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

MOST_STATE = 512 * 1024
"""Bytes of a page's state that is looked at; states of articles and lists have some 50 KB."""

LEAST_STATE = 64
"""Characters below which a value is a setting and no page."""

LEAST_TABLE = 4
"""Values of a table."""

_MOST_TRIES = 16
"""Places in a script at which a value may begin."""

MOST_ELEMENTS = 256
"""Whose attributes are looked at: a shell has few elements."""

MOST_TOLD = 20_000
"""Values that a table stands for: what it names often it would else tell without end."""

_GIVEN = re.compile(r'[=(]\s*(?=[\[{"])')
"""Before a value that is assigned, or handed to a function."""

_NAME_CHARACTERS = 40

_DECODER = json.JSONDecoder()


def state_of(tree: LexborHTMLParser, url: str) -> bytes | None:
    """Return what a page carries for its scripts, as a JSON object; None where that is nothing.

    The values in its scripts, each by the `id` of its element, what it is assigned or
    handed to or the element's type, and its number among those of one name, and those of
    attributes, by element and name; in `head` what its head says, which
    scripts may leave as it is; in `address` the parts of its URL. None as well where they are more
    than MOST_STATE.
    """
    found: dict[str, Any] = {}

    def tell(name: str, value: Any) -> None:
        number = sum(known.rpartition(" ")[0] == name for known in found)
        found[f"{name} {number}"] = _whole(value) if isinstance(value, list) else value

    for script in tree.css("script"):
        attributes = script.attributes
        text = (script.text() or "").strip()
        if attributes.get("src") or len(text) < LEAST_STATE:
            continue
        kind = (attributes.get("type") or "").strip().lower()
        for name, value in _values(text):
            tell(attributes.get("id") or name or kind, value)
    for element in islice(tree.body.traverse() if tree.body else (), MOST_ELEMENTS):
        for name, held in element.attributes.items():
            if held and len(held) >= LEAST_STATE and held[0] in "[{":
                value, end = _decoded(held, 0)
                if end == len(held):
                    tell(f"{element.tag} {name}", value)
                    tell(f"{element.tag} {name} text", held)  # which stays where it is
    if not found:
        return None
    state = {**found, "head": _head(tree), "address": _address(url)}
    try:
        packed = json.dumps(state, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        written = packed.encode()
    except (RecursionError, ValueError):  # NaN, or lone surrogates
        return None
    return written if len(written) <= MOST_STATE else None


def _head(tree: LexborHTMLParser) -> dict[str, str]:
    told = {}
    for element in tree.css("title, meta[content], link[rel=canonical]"):
        attributes = element.attributes
        name = attributes.get("name") or attributes.get("property") or element.tag or ""
        told[name] = attributes.get("content") or attributes.get("href") or element.text()
    return told


def _address(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    path = parts.path.split("/")[1:]
    return {"url": url, "path": parts.path, "parts": path, "fragment": parts.fragment}


def _values(text: str) -> list[tuple[str, Any]]:
    """Return the objects and lists that a script is or assigns, each with that name."""
    if text[0] in "[{":
        value, end = _decoded(text, 0)
        if end == len(text):
            return [("", value)]
    found, end, tries = [], 0, 0
    for match in _GIVEN.finditer(text):
        if match.start() < end:
            continue
        if (tries := tries + 1) > _MOST_TRIES:
            break
        value, stop = _decoded(text, match.end())
        if isinstance(value, str):
            value, _ = _decoded(value.strip(), 0)
        if isinstance(value, dict | list) and stop - match.end() >= LEAST_STATE:
            before = text[max(end, match.start() - _NAME_CHARACTERS) : match.start()]
            name = re.split(r"[;\n]", before)[-1].strip().removesuffix("JSON.parse")
            found.append((name.strip("= \t"), value))
            end = stop
    return found


def _whole(table: list[Any]) -> Any:
    """Return what a table stands for; a list that is none as it is.

    Each of its values but the first is named somewhere, and nothing else is: by its place, or as a
    key by an underscore and its place. What is no place (below 0) stands for nothing; a list that
    begins with a string says a kind of value.
    """
    if len(table) < LEAST_TABLE:
        return table
    named, left = set[int](), MOST_TOLD

    def place(value: Any) -> int:
        if type(value) is not int or value >= len(table):
            raise ValueError
        named.add(value)
        return value

    def told(number: int) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise ValueError
        value = table[number] if number >= 0 else None
        if isinstance(value, dict):
            return {
                table[place(int(key[1:]))] if key[:1] == "_" and key[1:].isdecimal() else key: told(
                    place(inner)
                )
                for key, inner in value.items()
            }
        if not isinstance(value, list):
            return value
        if value and isinstance(value[0], str):
            if len(value) == 2:
                return value[1] if isinstance(value[1], str) else told(place(value[1]))
            value = value[1:]
        return [told(place(inner)) for inner in value]

    try:
        whole = told(0)
    except (RecursionError, TypeError, ValueError):
        return table
    return whole if named >= set(range(1, len(table))) else table


def _decoded(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value that begins there and where it ends; None, and -1, where none does."""
    try:
        return _DECODER.raw_decode(text, at)
    except (RecursionError, ValueError):
        return None, -1
