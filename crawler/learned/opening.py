"""From a crawl's directory to what it has learned: of all hosts, or of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from crawler.batch.documents import read_whole
from crawler.batch.inputs import media_type_of
from crawler.dedup.copies import unpack
from crawler.errors import InputError
from crawler.learned.painting import PaintedPage, painted_file, painted_stored
from crawler.learned.zones import ZoneTold, zones_of
from crawler.printing import Say, command, counted
from crawler.records import TEMPLATE as BY_TEMPLATE
from crawler.records import Learned
from crawler.storage import (
    StoreView,
    all_learned,
    learned,
    reading_line,
    reading_stored_values,
)
from crawler.templates import Figures, Learner, Template, unpack_template
from crawler.urls import host_key

SHOWN_PAGES = 3
"""Stored pages that are painted where none is named."""


@dataclass(frozen=True, slots=True)
class HostLearned:
    """What was learned of one host."""

    host: str
    figures: Figures
    template_bytes: int
    """Of the template that reads its pages now; 0 while there is none."""


@dataclass(frozen=True, slots=True)
class HostTemplate:
    """The template of one host, and how it reads pages."""

    about: HostLearned
    version: int | None
    """None while there is none: the host is still learned, or its template was revoked."""
    zones: Sequence[ZoneTold]
    pages: Sequence[PaintedPage] = ()


def hosts_of(view: StoreView, say: Say) -> list[HostLearned]:
    """Return what was learned of each host, those with most served pages first."""
    with reading_stored_values(view.directory):
        each = counted(all_learned(view), "templates read", say)
        hosts = [_about(one, _learner(one)) for one in each]
    return sorted(hosts, key=lambda host: (-host.figures.served, host.host))


def template_of(view: StoreView, host: str) -> HostTemplate:
    """Return the template of a host. Raises InputError where nothing was learned of it."""
    with reading_stored_values(view.directory):
        one = learned(view, host)
        if one is None:
            raise InputError(
                f"{host}: nothing was learned of this host; "
                f"`{command('templates', view.directory)}` lists those of which something was"
            )
        learner = _learner(one)
        zones = zones_of(template, learner.evidence) if (template := _template(one)) else ()
    return HostTemplate(_about(one, learner), one.version, zones)


def with_page(shown: HostTemplate, view: StoreView, file: Path) -> HostTemplate:
    """Add an HTML file, as the host's template reads it. Raises InputError for what is none."""
    one = learned(view, shown.about.host)
    template = one.template if one else None
    if template is None:
        raise InputError(
            f"{shown.about.host}: there is no template yet to read {file} with: "
            "more pages of the host must be crawled"
        )
    media_type = media_type_of(file.name) or "text/html"
    page = painted_file(str(file), read_whole(file, str(file)), media_type, template)
    return replace(shown, pages=(*shown.pages, page))


def with_stored_pages(shown: HostTemplate, view: StoreView, say: Say) -> HostTemplate:
    """Add some stored pages that the template read, where what they look like is kept."""
    pages = []
    with reading_stored_values(view.directory):
        for line in _served(view, shown.about.host, say):
            packed = view.appearance(line["id"])
            told = line["url"], line["title"], line["text"], line["template"]
            page = painted_stored(*told, unpack(packed)) if packed else None
            if page is not None:
                pages.append(page)
            if len(pages) == SHOWN_PAGES:
                break
    return replace(shown, pages=(*shown.pages, *pages))


def _learner(one: Learned) -> Learner:
    return Learner.restored(one.state, one.template)


def _about(one: Learned, learner: Learner) -> HostLearned:
    return HostLearned(one.host, learner.figures, len(one.template or b""))


def _template(one: Learned) -> Template | None:
    return unpack_template(one.template)[0] if one.template else None


def _served(view: StoreView, host: str, say: Say) -> Iterator[dict[str, Any]]:
    """Yield the lines of stored pages that a host's template read."""
    for line in counted(view.lines("pages"), "lines of pages read", say):
        if b'"read_by":"template"' not in line.data:
            continue
        with reading_line(line.place):
            page = orjson.loads(line.data)
            is_served = page["read_by"] == BY_TEMPLATE and host_key(page["final_url"]) == host
        if is_served:
            yield page
