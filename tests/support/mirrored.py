"""What lines of a crawl say of mirrors, and what they should say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crawler.frontier.learning import HEARD, UrlLearning
from crawler.models import FetchTask
from crawler.storage.view import StoreView
from support.output import lines

Mirrors = dict[str, dict[str, Any] | None]
"""URL -> the field `mirror` of its line."""


def told(output: Path) -> Mirrors:
    """Return what the lines of pages and duplicates say."""
    return {
        line["url"]: line["mirror"]
        for name in ("pages", "duplicates")
        for line in lines(output, name)
    }


def heard(output: Path, of: Mirrors) -> Mirrors:
    """Return what the ends before each of these, in their order, tell who hears them anew."""
    found: Mirrors = {}
    learning = UrlLearning()
    with StoreView.read(output) as view:
        for host, url, packed, referrer in view.lessons(HEARD):
            if url in of:
                mirror = learning.mirror(FetchTask(0, url, host, 0))
                found[url] = mirror and mirror._asdict()
            learning.hear(host, url, packed, referrer)
    return found
