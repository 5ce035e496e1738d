"""What a page's markup declares of its text: JSON-LD, Open Graph, meta elements, marked times."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import orjson
from selectolax.lexbor import LexborHTMLParser

from crawler.extract.text import folded
from crawler.models.pages import Metadata

MAX_JSON_BYTES = 262_144
"""JSON-LD parsed of one page, the first blocks. Articles have a few KB; catalogues list thousands
of offers, which say nothing that is read here. orjson refuses more than 1,024 levels."""

MAX_NODES = 1_000
"""Nodes of JSON-LD looked at on one page: a graph of an article has about ten."""

MAX_AUTHORS = 10
"""Authors kept of one page."""

MAX_NAME_LENGTH = 200
"""Characters of a name of an author or site; what is longer is no name and is left out."""

MAX_DESCRIPTION_LENGTH = 1_000
"""Characters kept of a description, as of a title."""

LARGEST_OFFSET = timedelta(hours=14)
"""No clock is further ahead of UTC: a time without offset may be that far after it."""

_DECLARING = "meta[content], script[type], time[datetime]"
_PUBLISHED = ("article:published_time", "datepublished", "dc.date.issued", "dcterms.issued")
_MODIFIED = ("article:modified_time", "og:updated_time", "datemodified", "dcterms.modified")
_AUTHOR = ("author", "article:author", "dc.creator", "dcterms.creator")
_DESCRIPTION = ("og:description", "description", "twitter:description", "dc.description")
_SITE_NAME = ("og:site_name", "application-name")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,4}")
_TEXT_TYPE = re.compile(r"(?:Article|Posting|Report|WebPage|Recipe|QAPage)$")
_BEFORE_OFFSET = re.compile(r" (?=[+-]\d\d:?\d\d$)")
_MAX_DATE_LENGTH = 40
_NO_NAMES = frozenset({"admin", "administrator", "unknown", "null", "none", "undefined"})


def page_metadata(tree: LexborHTMLParser) -> Metadata:
    """Return what a parsed page declares; JSON-LD of its text first, then meta, then times.

    Linear in the page. Values that are no dates, names or languages are passed over.
    """
    named: dict[str, list[str]] = {}
    blocks: list[str] = []
    for element in tree.css(_DECLARING):
        attributes = element.attributes
        if element.tag == "meta":
            for kind in ("property", "name", "itemprop"):
                if name := attributes.get(kind):
                    named.setdefault(name.strip().lower(), []).append(attributes["content"] or "")
        elif element.tag == "script":
            if (attributes["type"] or "").strip().lower() == "application/ld+json":
                blocks.append(element.text())
        elif name := attributes.get("itemprop"):
            named.setdefault(name.strip().lower(), []).append(attributes["datetime"] or "")
    nodes = list(_nodes(blocks))
    texts = [node for node in nodes if any(_TEXT_TYPE.search(kind) for kind in _types(node))]
    identified = {node["@id"]: node for node in nodes if isinstance(node.get("@id"), str)}
    site_names = [*_named(named, _SITE_NAME), *_site_names(nodes)]
    return Metadata(
        declared_language=declared_language(tree),
        published=_first_date(_values(texts, "datePublished"), named, _PUBLISHED),
        modified=_first_date(_values(texts, "dateModified"), named, _MODIFIED),
        author=_author(texts, identified, named),
        description=_description([*_named(named, _DESCRIPTION), *_values(texts, "description")]),
        site_name=next(filter(None, map(_cleaned, site_names)), None),
    )


def known_by(written: str | None, at: float) -> str | None:
    """Return a date of `Metadata`, or None where it is after the Unix time `at`.

    Without an offset it may be of the clock furthest ahead.
    """
    if written is None:
        return None
    told = datetime.fromisoformat(written)
    limit = datetime.fromtimestamp(at, UTC)
    if told.tzinfo is None:
        told, limit = told.replace(tzinfo=UTC), limit + LARGEST_OFFSET
    return written if told <= limit else None


def iso_date(written: str) -> str | None:
    """Return a date or time in the form of `Metadata`; None where it is none of ISO 8601."""
    written = written.strip()
    if len(written) > _MAX_DATE_LENGTH:
        return None
    try:
        if len(written) == len("2000-01-01"):
            return date.fromisoformat(written).isoformat()
        told = datetime.fromisoformat(_BEFORE_OFFSET.sub("", written))
        return told.isoformat(timespec="seconds") if len(written) > len("2000-01-01") else None
    except ValueError:
        return None


def _nodes(blocks: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the objects on the first levels of JSON-LD: alone, in lists and in `@graph`."""
    left, seen = MAX_JSON_BYTES, 0
    for block in blocks:
        left -= len(block.encode(errors="replace"))
        if left < 0:
            return
        try:
            waiting = [orjson.loads(block)]
        except orjson.JSONDecodeError:
            continue
        while waiting and seen < MAX_NODES:
            seen += 1
            node = waiting.pop()
            if isinstance(node, list):
                waiting.extend(reversed(node[:MAX_NODES]))
            elif isinstance(node, dict):
                yield node
                waiting.append(node.get("@graph"))


def _types(node: dict[str, Any]) -> list[str]:
    told = node.get("@type")
    kinds = told if isinstance(told, list) else [told]
    return [kind for kind in kinds if isinstance(kind, str)]


def _values(nodes: Iterable[dict[str, Any]], key: str) -> list[str]:
    return [node[key] for node in nodes if isinstance(node.get(key), str)]


def _named(named: dict[str, list[str]], keys: Iterable[str]) -> list[str]:
    return [value for key in keys for value in named.get(key, ())]


def _first_date(first: list[str], named: dict[str, list[str]], keys: tuple[str, ...]) -> str | None:
    dates = map(iso_date, [*first, *_named(named, keys)])
    return next((found for found in dates if found), None)


def _author(
    texts: list[dict[str, Any]], identified: dict[str, Any], named: dict[str, list[str]]
) -> str | None:
    for node in texts:
        told = node.get("author") or node.get("creator")
        people = told[:MAX_AUTHORS] if isinstance(told, list) else [told]
        names = dict.fromkeys(filter(None, (_person(one, identified) for one in people)))
        if names:
            return "; ".join(names)
    names = dict.fromkeys(filter(None, map(_cleaned, _named(named, _AUTHOR)[:MAX_AUTHORS])))
    return "; ".join(names) or None


def _person(told: Any, identified: dict[str, Any]) -> str | None:
    if isinstance(told, dict) and "name" not in told and isinstance(told.get("@id"), str):
        told = identified.get(told["@id"])
    name = told.get("name") if isinstance(told, dict) else told
    return _cleaned(name) if isinstance(name, str) else None


def _site_names(nodes: Iterable[dict[str, Any]]) -> Iterator[str]:
    for node in nodes:
        if "WebSite" in _types(node) and isinstance(node.get("name"), str):
            yield node["name"]


def _cleaned(value: str) -> str | None:
    """Return a name, or None where it is an address, a placeholder or a text."""
    if len(value) > MAX_NAME_LENGTH:
        return None
    name = folded(html.unescape(value))
    return None if "://" in name or name.lower() in _NO_NAMES else name or None


def _description(values: Iterable[str]) -> str | None:
    for value in values:
        # Escaped signs and white space take more characters than they leave.
        text = folded(html.unescape(value[: 10 * MAX_DESCRIPTION_LENGTH]))
        if text:
            return text[:MAX_DESCRIPTION_LENGTH].rstrip()
    return None


def declared_language(tree: LexborHTMLParser) -> str | None:
    """Return the `lang` of the html element as a BCP 47 tag; None where it is none."""
    root = tree.root
    written = (root.attributes.get("lang") or "").strip() if root is not None else ""
    return written.replace("_", "-") if _LANGUAGE.fullmatch(written) else None
