"""What a crawl has learned of its sites' templates.

Opened, told in tables and painted on a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from crawler.config import Engine
from crawler.console import Say, command, counted, safe
from crawler.dedup.copies import Appearance, unpack
from crawler.errors import InputError
from crawler.extract import XHTML, aligned, bounded, decode, parse, visible_lines
from crawler.extract.templates import (
    Evidence,
    Figures,
    Learner,
    Standing,
    Template,
    Zone,
    unpack_template,
)
from crawler.extract.text import word_characters
from crawler.models import TEMPLATE as BY_TEMPLATE
from crawler.models import Learned
from crawler.sources.documents import read_whole
from crawler.sources.inputs import media_type_of
from crawler.storage.database import reading_stored_values
from crawler.storage.journal import reading_line
from crawler.storage.view import StoreView, all_learned
from crawler.urls import host_key
from crawler.views.render import LEAST_HOST, packaged, page, shown
from crawler.workers.analyser import read_text
from crawler.workers.messages import AnalysisRequest


class Fate(StrEnum):
    """What becomes of the lines of a zone; the values are what people read."""

    LEFT_OUT = "left out"
    REPEATED = "left out if repeated"
    UNSURE = "kept, not compared"
    KEPT = "kept"
    UNKNOWN = "unknown: kept"


_FATES: Mapping[Standing | None, Fate] = {
    Standing.OUT: Fate.LEFT_OUT,
    Standing.DOUBTFUL: Fate.REPEATED,
    Standing.UNSURE: Fate.UNSURE,
    Standing.SEEN: Fate.KEPT,
    None: Fate.UNKNOWN,
}
"""What stands on nearly every page is left out of zones that are kept as well."""


def fate_of(template: Template, zone: Zone) -> Fate:
    """Return what a template does with the lines of a zone."""
    return _FATES[template.known(zone).standing]


@dataclass(frozen=True, slots=True)
class ZoneShare:
    """One zone of a template."""

    path: str
    """Its block elements, as `body>div.main>p`."""
    linked: bool
    """Whether its lines are mostly links."""
    fate: Fate
    pages: int
    """Teaching pages that have it."""
    share: float
    """Of the word characters of all teaching pages, 0 to 1."""
    example: str
    """A line of it, cut; empty where none was kept."""


def zones_of(template: Template, evidence: Evidence) -> Sequence[ZoneShare]:
    """Return the zones that a template was learned from, those that hold most text first."""
    total = max(1, sum(weights.all for weights in evidence.zones.values()))
    told = [
        ZoneShare(
            zone.path,
            zone.linked,
            fate_of(template, zone),
            weights.pages,
            weights.all / total,
            evidence.examples.get(zone, ""),
        )
        for zone, weights in evidence.zones.items()
    ]
    return sorted(told, key=lambda zone: (-zone.share, zone.path, zone.linked))


@dataclass(frozen=True, slots=True)
class PaintedLine:
    """A visible line of a page."""

    text: str
    kept: bool
    """Whether it is in the text that is kept."""
    judged: bool
    """Whether it is in the text that pages are compared by."""
    path: str = ""
    """Its zone; empty where that is not known any more."""


@dataclass(frozen=True, slots=True)
class PaintedPage:
    """A page, for people."""

    name: str
    """Its URL, or the file it was read from."""
    title: str
    note: str
    """How it was read."""
    lines: Sequence[PaintedLine]

    @property
    def kept_share(self) -> float:
        """Share of its characters that is kept, 0 to 1."""
        kept = sum(len(line.text) for line in self.lines if line.kept)
        return kept / max(1, sum(len(line.text) for line in self.lines))


def painted_file(name: str, body: bytes, media_type: str, template: bytes) -> PaintedPage:
    """Return a page as a template, packed, reads it, with the path of each line."""
    html = bounded(decode(body, None, media_type).text, xml=media_type == XHTML)
    lines = visible_lines(parse(html, media_type))
    request = AnalysisRequest(name, body, media_type, None, template)
    read = read_text(html, lines, request, Engine.VISIBLE)
    flags = zip(lines, read.kept, read.judged, strict=True)
    painted = [PaintedLine(line.text, kept, judged, line.path) for line, kept, judged in flags]
    how = "the template does not fit this page: a crawl reads it by itself, and learns from it"
    if read.template is not None:
        how = "the template reads this page"
    return PaintedPage(name, "", how, painted)


def painted_stored(page: Mapping[str, Any], appearance: Appearance) -> PaintedPage | None:
    """Return a stored page by its line and what it shows; None where that has no known order."""
    lines = appearance.in_order
    if lines is None:
        return None
    worded = [(line, judged, bare) for line, judged in lines if (bare := word_characters(line))]
    kept = aligned(page["text"], [bare for _, _, bare in worded]).perhaps
    painted = [
        PaintedLine(line, is_kept or judged, judged)
        for (line, judged, _), is_kept in zip(worded, kept, strict=True)
    ]
    note = f"read by version {page['template']:,} of the template"
    return PaintedPage(page["url"], page["title"] or "", note, painted)


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
    zones: Sequence[ZoneShare]
    pages: Sequence[PaintedPage] = ()


def hosts_of(view: StoreView, say: Say) -> list[HostLearned]:
    """Return what was learned of each host, those with most served pages first."""
    with reading_stored_values(view.directory):
        each = counted(all_learned(view), "templates read", say)
        hosts = [_about(one, Learner.restored(one.state, one.template)) for one in each]
    return sorted(hosts, key=lambda host: (-host.figures.served, host.host))


def template_of(view: StoreView, host: str) -> HostTemplate:
    """Return the template of a host. Raises InputError where nothing was learned of it."""
    with reading_stored_values(view.directory):
        one = view.learned(host)
        if one is None:
            raise InputError(
                f"{host}: nothing was learned of this host; "
                f"`{command('templates', view.directory)}` lists those of which something was"
            )
        learner = Learner.restored(one.state, one.template)
        zones: Sequence[ZoneShare] = ()
        if one.template:
            zones = zones_of(unpack_template(one.template)[0], learner.evidence)
    return HostTemplate(_about(one, learner), one.version, zones)


def with_page(found: HostTemplate, view: StoreView, file: Path) -> HostTemplate:
    """Add an HTML file, as the host's template reads it. Raises InputError for what is none."""
    one = view.learned(found.about.host)
    template = one.template if one else None
    if template is None:
        raise InputError(
            f"{found.about.host}: there is no template yet to read {file} with: "
            "more pages of the host must be crawled"
        )
    media_type = media_type_of(file.name) or "text/html"
    page = painted_file(str(file), read_whole(file, str(file)), media_type, template)
    return replace(found, pages=(*found.pages, page))


def with_stored_pages(found: HostTemplate, view: StoreView, say: Say) -> HostTemplate:
    """Add some stored pages that the template read, where what they look like is kept."""
    pages = []
    with reading_stored_values(view.directory):
        for line in _served(view, found.about.host, say):
            packed = view.appearance(line["id"])
            if packed and (found_page := painted_stored(line, unpack(packed))) is not None:
                pages.append(found_page)
            if len(pages) == SHOWN_PAGES:
                break
    return replace(found, pages=(*found.pages, *pages))


def _about(one: Learned, learner: Learner) -> HostLearned:
    return HostLearned(one.host, learner.figures, len(one.template or b""))


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


def sentence(about: HostLearned) -> str:
    """Return what came of a host's template."""
    figures = about.figures
    said = [
        f"{figures.served:,} pages were read by what was learned from {figures.taught:,}",
        f"in {figures.versions:,} versions",
    ]
    if figures.audits:
        said.append(
            f"{figures.audits:,} of them were audited, agreement with the extractor "
            f"{figures.agreement:.0%}"
        )
    if figures.revoked:
        said.append(f"{figures.revoked:,} templates were revoked")
    return "; ".join(said) + "."


def state(found: HostTemplate) -> str:
    """Return whether a template reads the host's pages now."""
    if found.version is None:
        return "No template reads its pages now: they are read one by one, and learned from."
    return f"Version {found.version:,} reads its pages now ({found.about.template_bytes:,} bytes)."


def hosts_data(hosts: Sequence[HostLearned]) -> list[dict[str, Any]]:
    """Return what was learned of each host."""
    return [_host_data(host) for host in hosts]


def host_data(found: HostTemplate) -> dict[str, Any]:
    """Return the template of one host, with its zones."""
    return {
        **_host_data(found.about),
        "version": found.version,
        "zones": [asdict(zone) for zone in found.zones],
    }


def _host_data(host: HostLearned) -> dict[str, Any]:
    figures = asdict(host.figures)
    return {"host": host.host, **figures, "template_bytes": host.template_bytes}


MOST_ZONES = 40
"""Zones listed in a terminal; the page and JSON have all."""

_STYLES = {
    Fate.LEFT_OUT: "red",
    Fate.REPEATED: "yellow",
    Fate.UNSURE: "yellow",
    Fate.KEPT: "green",
    Fate.UNKNOWN: "dim",
}


def print_hosts(console: Console, hosts: Sequence[HostLearned]) -> None:
    """Print a row for each host."""
    table = Table(box=None, pad_edge=False)
    table.add_column("host", overflow="fold", min_width=LEAST_HOST)
    for name in ("version", "taught", "served", "audits", "agreement", "revoked", "bytes"):
        table.add_column(name, justify="right")
    for host in hosts:
        figures = host.figures
        agreement = f"{figures.agreement:.0%}" if figures.audits else ""
        version = str(figures.versions) if host.template_bytes else "learning"
        counts = (figures.taught, figures.served, figures.audits)
        table.add_row(
            Text(safe(host.host)),
            version,
            *(f"{count:,}" for count in counts),
            agreement,
            f"{figures.revoked:,}",
            f"{host.template_bytes:,}",
        )
    console.print(table)


def print_host(console: Console, found: HostTemplate) -> None:
    """Print what was learned of one host: its zones, with an example of each."""
    console.print(Text(safe(found.about.host), "bold"))
    console.print(sentence(found.about))
    console.print(state(found))
    if not found.zones:
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("lines are", no_wrap=True)
    table.add_column("of the text", justify="right")
    table.add_column("on pages", justify="right")
    table.add_column("zone", overflow="fold", ratio=3)
    table.add_column("such as", overflow="ellipsis", no_wrap=True, ratio=2)
    for zone in found.zones[:MOST_ZONES]:
        links = " (links)" if zone.linked else ""
        table.add_row(
            Text(zone.fate.value, _STYLES[zone.fate]),
            f"{zone.share:.1%}",
            f"{zone.pages:,}",
            Text(safe(zone.path) + links),
            Text(safe(zone.example)),
        )
    console.print(table)
    if len(found.zones) > MOST_ZONES:
        console.print(f"... and {len(found.zones) - MOST_ZONES:,} smaller ones")


_CLASSES = {
    Fate.LEFT_OUT: "out",
    Fate.REPEATED: "beside",
    Fate.UNSURE: "beside",
    Fate.KEPT: "kept",
    Fate.UNKNOWN: "beside",
}


def as_page(found: HostTemplate) -> str:
    """Return one self-contained HTML page: no script, no request, everything escaped."""
    title = f"Template of {shown(found.about.host)}"
    body = [
        f"<h1>{title}</h1>",
        f"<p>{shown(sentence(found.about))} {shown(state(found))}</p>",
        _LEGEND,
        *(part for painted in found.pages for part in _page(painted)),
        *_zones(found),
    ]
    return page(title, packaged("crawler.views", "templates.css"), body)


_LEGEND = (
    '<p class="legend"><span class="line kept">kept, and pages are compared by it</span> '
    '<span class="line beside">kept only</span> <span class="line out">left out</span></p>'
)


def _page(page: PaintedPage) -> Iterator[str]:
    yield f'<section><h2 dir="auto">{shown(page.title or page.name)}</h2>'
    yield f'<p class="quiet">{shown(page.name)}<br>{shown(page.note)}; '
    yield f"{page.kept_share:.0%} of its characters are kept</p>"
    yield '<div class="page">'
    path = None
    for line in page.lines:
        yield _line(line, zone=line.path if line.path != path else "")
        path = line.path
    yield "</div></section>"


def _line(line: PaintedLine, zone: str) -> str:
    name = ("kept" if line.judged else "beside") if line.kept else "out"
    inner = ">".join(zone.split(">")[-2:])  # all of the path is in its title
    where = f'<code title="{shown(line.path)}">{shown(inner)}</code>' if zone else ""
    tag = "span" if line.kept else "del"
    text = f'<{tag} dir="auto">{shown(line.text)}</{tag}>'
    return f'<div class="line {name}">{text}{where}</div>'


def _zones(found: HostTemplate) -> Iterator[str]:
    if not found.zones:
        return
    yield "<h2>Zones</h2><div class=scroll><table><thead><tr><th>its lines are<th>of the text"
    yield "<th>on pages<th>zone<th>such as</tr></thead><tbody>"
    yield from map(_zone, found.zones)
    yield "</tbody></table></div>"


def _zone(zone: ZoneShare) -> str:
    links = " (links)" if zone.linked else ""
    return (
        f'<tr><td><span class="line {_CLASSES[zone.fate]}">{zone.fate.value}</span>'
        f"<td class=number>{zone.share:.1%}<td class=number>{zone.pages:,}"
        f"<td><code>{shown(zone.path)}</code>{links}"
        f'<td dir="auto">{shown(zone.example)}</tr>'
    )
