"""The JSON that a page carries in its scripts: what they would make the page of.

A script element is that JSON (`application/json` and the like), or assigns it
(`window.__STATE__ = {...}`), as it is or as a string that is parsed. Which of it readers see is not
told here: `crawler.extract.filling` learns it from pages that a browser has rendered.
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

MOST_STATE = 512 * 1024
"""Bytes of a page's state that is looked at; states of articles and lists have some 50 KB."""

LEAST_STATE = 64
"""Characters below which a value is a setting and no page."""

_MOST_TRIES = 16
"""Places in a script at which a value may begin."""

_ASSIGNED = re.compile(r'(?:=|\bJSON\.parse\()\s*(?=[\[{"])')

_NAME_CHARACTERS = 40

_DECODER = json.JSONDecoder()


def state_of(tree: LexborHTMLParser, url: str) -> bytes | None:
    """Return what a page carries beside its markup, as a JSON object; None without `scripts`.

    `scripts` are the values in its scripts, each by the `id` of its element, what it is assigned to
    or the element's type, and its number among those of one name; `head` what its head says, which
    scripts may leave as it is; `address` the parts of its URL. None as well where they are more
    than MOST_STATE.
    """
    found: dict[str, Any] = {}
    for script in tree.css("script"):
        attributes = script.attributes
        text = (script.text() or "").strip()
        if attributes.get("src") or len(text) < LEAST_STATE:
            continue
        kind = (attributes.get("type") or "").strip().lower()
        for name, value in _values(text):
            whole = attributes.get("id") or name or kind
            number = sum(known.rpartition(" ")[0] == whole for known in found)
            found[f"{whole} {number}"] = value
    if not found:
        return None
    state = {"scripts": found, "head": _head(tree), "address": _address(url)}
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
    for match in _ASSIGNED.finditer(text):
        if match.start() < end:
            continue
        if (tries := tries + 1) > _MOST_TRIES:
            break
        value, stop = _decoded(text, match.end())
        if isinstance(value, str):
            value, _ = _decoded(value.strip(), 0)
        if isinstance(value, dict | list) and stop - match.end() >= LEAST_STATE:
            before = text[max(end, match.start() - _NAME_CHARACTERS) : match.start()]
            found.append((re.split(r"[;\n]", before)[-1].strip("= \t"), value))
            end = stop
    return found


def _decoded(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value that begins there and where it ends; None, and -1, where none does."""
    try:
        return _DECODER.raw_decode(text, at)
    except (RecursionError, ValueError):
        return None, -1
