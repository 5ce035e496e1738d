"""The report as one HTML file that makes no request: light and dark, phone and paper.

What needs no script works without: tables, charts, the first facts of every group. Everything that
came from the web is escaped here, or set as text by the script.
"""

from __future__ import annotations

import gzip
import hashlib
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import asdict
from html import escape
from importlib.resources import files

import orjson

from crawler.printing import safe
from crawler.report import sections
from crawler.report.figures import Figures


def as_page(figures: Figures) -> str:
    """Return the page."""
    style, script = stylesheet(), _file("page.js")
    # Widths of bars are attributes: of styles only they cannot be told by a hash.
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {_hash(script)}"
    shown = [(anchor, name, "".join(made)) for anchor, name, made in _sections(figures)]
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>Report of {escape(safe(figures.name))}</title><style>{style}</style></head>",
            "<body>",
            *sections.head(figures),
            "<nav>",
            *(f'<a href="#{anchor}">{name}</a>' for anchor, name, made in shown if made),
            "</nav>",
            *(
                f'<section id="{anchor}"><h2>{name}</h2>{made}</section>'
                for anchor, name, made in shown
                if made
            ),
            *_data(figures),
            f"<script>{script}</script></body></html>\n",
        ]
    )


def stylesheet() -> str:
    """Return how the page looks; the live page looks the same."""
    return _file("page.css")


def _file(name: str) -> str:
    return files("crawler.report").joinpath(name).read_text(encoding="utf-8")


def _sections(figures: Figures) -> Iterator[tuple[str, str, Iterator[str]]]:
    """Yield anchor, heading and content of each section; one without content is left out."""
    yield "time", "Verdicts over time", sections.over_time(figures)
    yield "hosts", "Hosts", sections.hosts(figures)
    yield "alike", "How alike", sections.likeness(figures)
    yield "clusters", "Largest clusters", sections.groups(figures.clusters, "clusters")
    yield "families", "Siblings", sections.families(figures)
    yield "pages", "All copies and siblings", sections.all_alike(figures)
    yield "failures", "What failed, and the ways out", sections.failures(figures)
    yield "traps", "Cut as endless", sections.traps(figures)
    yield "politeness", "Politeness", sections.politeness(figures)
    yield "saved", "What was saved", sections.saved(figures)


def _data(figures: Figures) -> Iterator[str]:
    """Yield what the script reads: texts to compare, and all pages that are alike."""
    groups = {
        f"{kind}-{at}": [asdict(member) for member in group.members]
        for kind, found in (("clusters", figures.clusters), ("families", figures.families))
        for at, group in enumerate(found)
    }
    yield _packed("texts", groups)
    if figures.alike.rows:
        yield _packed("rows", {"urls": figures.alike.urls, "rows": figures.alike.rows})


def _packed(name: str, value: object) -> str:
    packed = gzip.compress(orjson.dumps(value), compresslevel=6, mtime=0)
    return f'<script type="application/gzip" id="{name}">{b64encode(packed).decode()}</script>'


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
