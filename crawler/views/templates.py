"""What a crawl has learned of its sites' templates.

Opened, told in tables and painted on a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from crawler.config import Engine
from crawler.console import Say, command, counted, safe
from crawler.dedup.copies import unpack
from crawler.errors import InputError
from crawler.extract import XHTML, aligned, bounded, decode, parse, visible_lines
from crawler.extract.templates import Figures, Learner, Standing, unpack_template
from crawler.extract.text import word_characters
from crawler.models import TEMPLATE as BY_TEMPLATE
from crawler.models import Learned
from crawler.sources.documents import read_whole
from crawler.sources.inputs import media_type_of
from crawler.storage.database import reading_stored_values
from crawler.storage.journal import reading_line
from crawler.storage.summary import read_again
from crawler.storage.view import StoreView, all_learned
from crawler.urls import host_key
from crawler.views.render import (
    LEAST_HOST,
    Cells,
    Html,
    html_table,
    packaged,
    page,
    print_line,
    shown,
)
from crawler.views.report.wording import misread
from crawler.workers.analyser import read_text
from crawler.workers.messages import AnalysisRequest

_FATES = {
    Standing.OUT: "left out",
    Standing.DOUBTFUL: "left out if repeated",
    Standing.UNSURE: "kept, not compared",
    Standing.SEEN: "kept",
    Standing.RECURRING: "left out if repeated",
    None: "unknown: kept",
}
"""What becomes of the lines of a zone. What stands on nearly every page is left out of zones that
are kept as well."""
_LOOKS = {
    "left out": ("red", "out"),
    "left out if repeated": ("yellow", "beside"),
    "kept, not compared": ("yellow", "beside"),
    "kept": ("green", "kept"),
    "unknown: kept": ("dim", "beside"),
}
"""How that looks in a terminal and on a page."""


@dataclass(frozen=True, slots=True)
class ZoneShare:
    """One zone of a template."""

    path: str
    """Its block elements, as `body>div.main>p`."""
    linked: bool
    """Whether its lines are mostly links."""
    fate: str
    """One of `_FATES`."""
    pages: int
    """Teaching pages that have it."""
    share: float
    """Of the word characters of all teaching pages, 0 to 1."""
    example: str
    """A line of it, cut; empty where none was kept."""


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


LEAST_LINES = 5
"""Lines of a page that is nearly sure to have one beside its text: a menu, a footer."""
ALL_IS_TEXT = (
    "Alarm: all of this page is taken for text, nothing is left out. Look whether menus, headers "
    "or footers are among these lines: then the template does not tell text from the rest, and "
    "the texts of this host hold both."
)
SHOWN_PAGES = 3
"""Stored pages that are painted where none is named."""


@dataclass(frozen=True, slots=True)
class HostLearned:
    """What was learned of one host."""

    host: str
    figures: Figures
    template_bytes: int
    """Of the template that reads its pages now; 0 while there is none."""
    warnings: Sequence[str]
    """What somebody should look at or do, in sentences."""


@dataclass(frozen=True, slots=True)
class HostTemplate:
    """The template of one host."""

    about: HostLearned
    version: int | None
    """None while there is none: the host is still learned, or its template was revoked."""
    template: bytes | None
    """The same, packed."""
    zones: Sequence[ZoneShare]
    """Those that hold most text first."""


def hosts_of(view: StoreView, say: Say) -> list[HostLearned]:
    """Return what was learned of each host, those with most served pages first."""
    with reading_stored_values(view.directory):
        each = counted(all_learned(view), "templates read", say)
        hosts = [_about(view, one, Learner.restored(one.state, one.template)) for one in each]
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
        zones: list[ZoneShare] = []
        if one.template:
            template, evidence = unpack_template(one.template)[0], learner.evidence
            total = max(1, sum(weights.all for weights in evidence.zones.values()))
            zones = [
                ZoneShare(
                    zone.path,
                    zone.linked,
                    _FATES[template.known(zone).standing],
                    weights.pages,
                    weights.all / total,
                    evidence.examples.get(zone, ""),
                )
                for zone, weights in evidence.zones.items()
            ]
            zones.sort(key=lambda zone: (-zone.share, zone.path, zone.linked))
    return HostTemplate(_about(view, one, learner), one.version, one.template, zones)


def _about(view: StoreView, one: Learned, learner: Learner) -> HostLearned:
    figures, warnings = learner.figures, []
    if figures.is_doubted:
        look = command("templates", view.directory, one.host, "--html", "template.html")
        warnings.append(
            f"In doubt: precision {figures.precision:.0%}, recall {figures.recall:.0%} beside the "
            f"extractor. Either may be right. To look: {look}"
        )
    if figures.misread:
        again = read_again(view)
        way = f" To read them again: {again}" if again else ""
        warnings.append(f"{misread(figures.misread)}.{way}")
    return HostLearned(one.host, figures, len(one.template or b""), warnings)


def painted_file(found: HostTemplate, file: Path) -> PaintedPage:
    """Return an HTML file as a host's template reads it, with the zone of each line.

    Raises InputError for what is none.
    """
    if found.template is None:
        raise InputError(
            f"{found.about.host}: there is no template yet to read {file} with: "
            "more pages of the host must be crawled"
        )
    media_type, body = media_type_of(file.name) or "text/html", read_whole(file, str(file))
    html = bounded(decode(body, None, media_type).text, xml=media_type == XHTML)
    lines = visible_lines(parse(html, media_type))
    request = AnalysisRequest(str(file), body, media_type, None, found.template)
    read = read_text(html, lines, request, Engine.VISIBLE)
    flags = zip(lines, read.kept, read.judged, strict=True)
    painted = [PaintedLine(line.text, kept, judged, line.path) for line, kept, judged in flags]
    how = "the template does not fit this page: a crawl reads it by itself, and learns from it"
    if read.template is not None:
        how = "the template reads this page"
    return PaintedPage(str(file), "", how, painted)


def painted_stored(found: HostTemplate, view: StoreView, say: Say) -> list[PaintedPage]:
    """Return some stored pages that the template read, where it is kept what they look like."""
    pages: list[PaintedPage] = []
    with reading_stored_values(view.directory):
        for line in counted(view.lines("pages"), "lines of pages read", say):
            if b'"read_by":"template"' not in line.data:
                continue
            with reading_line(line.place):
                page = orjson.loads(line.data)
                if (
                    page["read_by"] != BY_TEMPLATE
                    or host_key(page["final_url"]) != found.about.host
                ):
                    continue
            packed = view.appearance(page["id"])
            shown_lines = unpack(packed).in_order if packed else None
            if shown_lines is not None:
                pages.append(_painted(page, shown_lines))
            if len(pages) == SHOWN_PAGES:
                break
    return pages


def _painted(page: Mapping[str, Any], lines: Iterable[tuple[str, bool]]) -> PaintedPage:
    """Return a stored page by its line, and the lines of it that are seen or judged."""
    worded = [(line, judged, bare) for line, judged in lines if (bare := word_characters(line))]
    kept = aligned(page["text"], [bare for _, _, bare in worded]).perhaps
    painted = [
        PaintedLine(line, is_kept or judged, judged)
        for (line, judged, _), is_kept in zip(worded, kept, strict=True)
    ]
    note = f"read by version {page['template']:,} of the template"
    return PaintedPage(page["url"], page.get("title") or "", note, painted)


def _sentences(found: HostTemplate) -> tuple[str, str]:
    """Return what came of a host's template, and whether one reads the host's pages now."""
    figures = found.about.figures
    said = [
        f"{figures.served:,} pages were read by what was learned from {figures.taught:,}",
        f"in {figures.versions:,} versions",
    ]
    if figures.audits:
        said.append(
            f"{figures.audits:,} of them were audited, agreement with the extractor "
            f"{figures.agreement:.0%}"
        )
        if figures.precision is not None:
            said[-1] += f", precision {figures.precision:.0%}, recall {figures.recall:.0%}"
    if figures.revoked:
        said.append(f"{figures.revoked:,} templates were revoked")
    now = "No template reads its pages now: they are read one by one, and learned from."
    if found.version is not None:
        now = (
            f"Version {found.version:,} reads its pages now ({found.about.template_bytes:,} bytes)."
        )
    return "; ".join(said) + ".", now


def host_data(host: HostLearned) -> dict[str, Any]:
    """Return what was learned of a host."""
    return {
        "host": host.host,
        **host.figures._asdict(),
        "template_bytes": host.template_bytes,
        "warnings": host.warnings,
    }


def template_data(found: HostTemplate) -> dict[str, Any]:
    """Return the template of one host, with its zones."""
    return {**host_data(found.about), "version": found.version, "zones": found.zones}


MOST_ZONES = 40
"""Zones listed in a terminal; the page and JSON have all."""
MOST_WARNED = 20
"""Hosts with warnings told of in a terminal."""


def print_hosts(console: Console, hosts: Sequence[HostLearned]) -> None:
    """Print a row for each host, and below them what somebody should look at."""
    table = Table(box=None, pad_edge=False)
    table.add_column("host", overflow="fold", min_width=LEAST_HOST)
    for name in ("version", "taught", "served", "audits", "precision", "recall", "revoked"):
        table.add_column(name, justify="right")
    for host in hosts:
        figures = host.figures
        table.add_row(
            Text(safe(host.host)),
            str(figures.versions) if host.template_bytes else "learning",
            *(f"{count:,}" for count in (figures.taught, figures.served, figures.audits)),
            *(
                "" if mean is None else f"{mean:.0%}"
                for mean in (figures.precision, figures.recall)
            ),
            f"{figures.revoked:,}",
        )
    console.print(table)
    warned = [host for host in hosts if host.warnings]
    for host in warned[:MOST_WARNED]:
        for warning in host.warnings:
            print_line(console, f"{safe(host.host)}: {warning}", "bold red")
    if len(warned) > MOST_WARNED:
        console.print(f"... and {len(warned) - MOST_WARNED:,} hosts more; --json has all")


def print_template(console: Console, found: HostTemplate) -> None:
    """Print what was learned of one host: its zones, with an example of each."""
    console.print(Text(safe(found.about.host), "bold"))
    for sentence in _sentences(found):
        console.print(sentence)
    for warning in found.about.warnings:
        print_line(console, warning, "bold red")
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
            Text(zone.fate, _LOOKS[zone.fate][0]),
            f"{zone.share:.1%}",
            f"{zone.pages:,}",
            Text(safe(zone.path) + links),
            Text(safe(zone.example)),
        )
    console.print(table)
    if len(found.zones) > MOST_ZONES:
        console.print(f"... and {len(found.zones) - MOST_ZONES:,} smaller ones")


def as_page(found: HostTemplate, pages: Iterable[PaintedPage]) -> str:
    """Return one self-contained HTML page, with some pages painted."""
    title = f"Template of {shown(found.about.host)}"
    body = [
        f"<h1>{title}</h1>",
        f"<p>{shown(' '.join(_sentences(found)))}</p>",
        *(f'<p class="bad">{shown(warning)}</p>' for warning in found.about.warnings),
        '<p class="legend"><span class="line kept">kept, and pages are compared by it</span> '
        '<span class="line beside">kept only</span> <span class="line out">left out</span></p>',
        *(part for painted in pages for part in _page(painted)),
    ]
    if found.zones:
        heads = "its lines are", ">of the text", ">on pages", "zone", "such as"
        rows: Iterable[Cells] = (
            [
                Html(f'<span class="line {_LOOKS[zone.fate][1]}">{zone.fate}</span>'),
                f"{zone.share:.1%}",
                zone.pages,
                Html(f"<code>{shown(zone.path)}</code>{' (links)' if zone.linked else ''}"),
                Html(f'<span dir="auto">{shown(zone.example)}</span>'),
            ]
            for zone in found.zones
        )
        body += ["<h2>Zones</h2>", html_table(heads, rows)]
    return page(title, packaged("crawler.views", "templates.css"), body)


def _page(page: PaintedPage) -> Iterator[str]:
    kept = sum(len(line.text) for line in page.lines if line.kept)
    share = kept / max(1, sum(len(line.text) for line in page.lines))
    yield f'<section><h2 dir="auto">{shown(page.title or page.name)}</h2>'
    yield f'<p class="quiet">{shown(page.name)}<br>{shown(page.note)}; '
    yield f"{share:.0%} of its characters are kept</p>"
    if len(page.lines) >= LEAST_LINES and all(line.kept for line in page.lines):
        yield f'<p class="bad">{escape(ALL_IS_TEXT)}</p>'
    yield '<div class="page">'
    path = None
    for line in page.lines:
        where = ""
        if line.path and line.path != path:
            inner = ">".join(line.path.split(">")[-2:])  # all of the path is in its title
            where = f'<code title="{shown(line.path)}">{shown(inner)}</code>'
        path = line.path
        tag, name = ("span", "kept" if line.judged else "beside") if line.kept else ("del", "out")
        text = f'<{tag} dir="auto">{shown(line.text)}</{tag}>'
        yield f'<div class="line {name}">{text}{where}</div>'
    yield "</div></section>"
