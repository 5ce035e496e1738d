"""What a page leaves to its scripts: whether it may be worth to have a browser render it.

A page of an application is a shell: it shows a few words, or the same ones at every address, and
its scripts make the rest. So are others that show little, and only a browser tells which: what is
said here is a suspicion; `crawler.sources.web.rendering` tries it, by part of a site.
"""

from __future__ import annotations

import re
from hashlib import blake2b, sha256
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.lines import text_of, visible_lines
from crawler.extract.text import words_in
from crawler.models import Shell

_LEADS_ON = re.compile(r"\s*(?!#|\s|\Z)(?:https?:|(?![a-z][a-z0-9+.-]*:))", re.IGNORECASE)
"""Addresses that are neither a place on the page itself nor a script or a mail."""

_DATA = re.compile(r"(?:application/(?:ld\+)?json|text/(?!javascript|ecmascript)|speculationrules)")
"""Types of script elements that hold data and run nothing."""


def shell_of(tree: LexborHTMLParser) -> Shell:
    """Return what a page shows without its scripts, and which those are."""
    sources, runs = set[str](), False
    for script in tree.css("script"):
        attributes = script.attributes
        if _DATA.match((attributes.get("type") or "").strip().lower()):
            continue
        runs = True
        # A build's name or a counter of visits in the query makes no other application.
        sources.add(_path(attributes.get("src") or ""))
    named = "\n".join(sorted(sources)).encode("utf-8", "replace")
    shown = text_of(visible_lines(tree))
    leads = (a.attributes.get("href") or "" for a in tree.css("a[href], area[href]"))
    return Shell(
        blake2b(named, digest_size=6).hexdigest() if runs else "",
        words_in(shown),
        any(_LEADS_ON.match(href) for href in leads),
        sha256(shown.encode("utf-8", "replace")).digest(),
    )


def _path(source: str) -> str:
    try:
        parts = urlsplit(source.strip())
    except ValueError:
        return source
    return f"{parts.netloc}{parts.path}"
