"""What a crawl has learned of its sites' templates: in tables, as JSON, painted on a page."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from rich.table import Table
from rich.text import Text

from crawler.cluster.root import Root
from crawler.config import Engine
from crawler.console import command, counted, safe, say
from crawler.dedup.copies import unpack
from crawler.errors import ConfigError, InputError
from crawler.extract.bounds import bounded
from crawler.extract.charset import decode
from crawler.extract.lines import visible_lines
from crawler.extract.page import XHTML, parse
from crawler.extract.readings import aligned
from crawler.extract.templates import Learner, Standing, unpack_template
from crawler.extract.text import word_characters
from crawler.models import TEMPLATE, Learned
from crawler.sources.documents import read_whole
from crawler.sources.inputs import media_type_of
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import crawls_in, is_root
from crawler.storage.journal import reading_line
from crawler.storage.summary import read_again
from crawler.storage.view import NO_SITES, StoreView, all_learned, refuse_corpus
from crawler.urls import given_host, host_key
from crawler.views.render import (
    LEAST_HOST,
    Cells,
    Html,
    console,
    html_table,
    packaged,
    page,
    print_json,
    print_line,
    shown,
    write_page,
)
from crawler.views.wording import misread
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
MOST_ZONES = 40
"""Zones listed in a terminal; the page and JSON have all."""
MOST_WARNED = 20
"""Hosts with warnings told of in a terminal."""
LEAST_LINES = 5
"""Lines of a page that is nearly sure to have one beside its text: a menu, a footer."""
ALL_IS_TEXT = (
    "Alarm: all of this page is taken for text, nothing is left out. Look whether menus, headers "
    "or footers are among these lines: then the template does not tell text from the rest, and "
    "the texts of this host hold both."
)
SHOWN_PAGES = 3
"""Stored pages that are painted where none is named."""


def templates(args: Namespace) -> int:
    """Show what was learned of all hosts, or of one."""
    host, html, file = args.host, args.html, args.page
    if host is None and (html or file):
        raise ConfigError("--html and --page show one host: name it after DIR")
    if file is not None and html is None:
        raise ConfigError(f"--page {file} is painted on a page: add --html FILE")
    if host is None:
        return _of_all(args)
    directory = args.directory
    if is_root(directory):
        root = Root.open(directory)
        directory = root.partition(root.partition_of(given_host(host)))
    with StoreView.read(directory) as view:
        with reading_stored_values(view.directory):
            one = view.learned(host)
            if one is None:
                raise InputError(
                    f"{host}: nothing was learned of this host; "
                    f"`{command('templates', view.directory)}` lists those of which something was"
                )
            found = _template(view, one)
        if html is not None:
            pages = [_painted(one, file)] if file else list(_stored(one, view))
            write_page(html, _as_page(found, pages))
        if args.json:
            print_json(found)
        elif html is None:
            _print(found)
    return 0


def _of_all(args: Namespace) -> int:
    """Show a row for each host, and below them what somebody should look at."""
    hosts: list[dict[str, Any]] = []
    for directory in crawls_in(args.directory):
        with StoreView.read(directory) as view:
            refuse_corpus(view, NO_SITES)
            with reading_stored_values(view.directory):
                each = counted(all_learned(view), "templates read", say)
                some = [_host(view, one, Learner.restored(one.state, one.template)) for one in each]
            hosts += sorted(some, key=lambda host: (-host["served"], host["host"]))
    if args.json:
        print_json(hosts)
        return 0
    if not hosts:
        say(f"{args.directory}: no template was learned there (`extract.learn`)")
        return 0
    terminal, table = console(), Table(box=None, pad_edge=False)
    table.add_column("host", overflow="fold", min_width=LEAST_HOST)
    for name in ("version", "taught", "served", "audits", "precision", "recall", "revoked"):
        table.add_column(name, justify="right")
    for host in hosts:
        means = (host["precision"], host["recall"])
        table.add_row(
            Text(safe(host["host"])),
            str(host["versions"]) if host["template_bytes"] else "learning",
            *(f"{host[name]:,}" for name in ("taught", "served", "audits")),
            *("" if mean is None else f"{mean:.0%}" for mean in means),
            f"{host['revoked']:,}",
        )
    terminal.print(table)
    warned = [host for host in hosts if host["warnings"]]
    for host in warned[:MOST_WARNED]:
        for warning in host["warnings"]:
            print_line(terminal, f"{safe(host['host'])}: {warning}", "bold red")
    if len(warned) > MOST_WARNED:
        terminal.print(f"... and {len(warned) - MOST_WARNED:,} hosts more; --json has all")
    return 0


def _host(view: StoreView, one: Learned, learner: Learner) -> dict[str, Any]:
    """Return what was learned of a host, with what somebody should look at or do in sentences."""
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
    known = {"template_bytes": len(one.template or b""), "warnings": warnings}
    return {"host": one.host, **figures._asdict(), **known}


def _template(view: StoreView, one: Learned) -> dict[str, Any]:
    """Return the same of one host with the zones of its template, those that hold most text first.

    `share` is of the word characters of all teaching pages, `linked` whether lines are mostly
    links, `example` one of them, cut. Without a version the host is still learned, or its template
    was revoked.
    """
    learner = Learner.restored(one.state, one.template)
    zones: list[dict[str, Any]] = []
    if one.template:
        template, evidence = unpack_template(one.template)[0], learner.evidence
        total = max(1, sum(weights.all for weights in evidence.zones.values()))
        for zone, weights in evidence.zones.items():
            fate, share = _FATES[template.known(zone).standing], weights.all / total
            told = {"path": zone.path, "linked": zone.linked, "fate": fate, "pages": weights.pages}
            zones.append({**told, "share": share, "example": evidence.examples.get(zone, "")})
        zones.sort(key=lambda zone: (-zone["share"], zone["path"], zone["linked"]))
    return {**_host(view, one, learner), "version": one.version, "zones": zones}


def _sentences(found: Mapping[str, Any]) -> tuple[str, str]:
    """Return what came of a host's template, and whether one reads the host's pages now."""
    said = [
        f"{found['served']:,} pages were read by what was learned from {found['taught']:,}",
        f"in {found['versions']:,} versions",
    ]
    if found["audits"]:
        agreement = f"agreement with the extractor {found['agreement']:.0%}"
        said.append(f"{found['audits']:,} of them were audited, {agreement}")
        if found["precision"] is not None:
            said[-1] += f", precision {found['precision']:.0%}, recall {found['recall']:.0%}"
    if found["revoked"]:
        said.append(f"{found['revoked']:,} templates were revoked")
    now = "No template reads its pages now: they are read one by one, and learned from."
    if found["version"] is not None:
        now = (
            f"Version {found['version']:,} reads its pages now ({found['template_bytes']:,} bytes)."
        )
    return "; ".join(said) + ".", now


def _print(found: Mapping[str, Any]) -> None:
    """Print what was learned of one host: its zones, with an example of each."""
    terminal = console()
    terminal.print(Text(safe(found["host"]), "bold"))
    for sentence in _sentences(found):
        terminal.print(sentence)
    for warning in found["warnings"]:
        print_line(terminal, warning, "bold red")
    zones = found["zones"]
    if not zones:
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("lines are", no_wrap=True)
    table.add_column("of the text", justify="right")
    table.add_column("on pages", justify="right")
    table.add_column("zone", overflow="fold", ratio=3)
    table.add_column("such as", overflow="ellipsis", no_wrap=True, ratio=2)
    for zone in zones[:MOST_ZONES]:
        table.add_row(
            Text(zone["fate"], _LOOKS[zone["fate"]][0]),
            f"{zone['share']:.1%}",
            f"{zone['pages']:,}",
            Text(safe(zone["path"]) + (" (links)" if zone["linked"] else "")),
            Text(safe(zone["example"])),
        )
    terminal.print(table)
    if len(zones) > MOST_ZONES:
        terminal.print(f"... and {len(zones) - MOST_ZONES:,} smaller ones")


class _Line(NamedTuple):
    """A visible line of a page that is painted."""

    text: str
    kept: bool
    """Whether it is in the text that is kept."""
    judged: bool
    """Whether it is in the text that pages are compared by."""
    path: str = ""
    """Its zone; empty where that is not known any more."""


_Painted = tuple[str, str, str, Sequence[_Line]]
"""A page: its URL or file, its title, how it was read, its lines."""


def _painted(one: Learned, file: Path) -> _Painted:
    """Return an HTML file as a host's template reads it, with the zone of each line.

    Raises InputError for what is none.
    """
    if one.template is None:
        raise InputError(
            f"{one.host}: there is no template yet to read {file} with: "
            "more pages of the host must be crawled"
        )
    media_type, body = media_type_of(file.name) or "text/html", read_whole(file, str(file))
    html = bounded(decode(body, None, media_type).text, xml=media_type == XHTML)
    lines = visible_lines(parse(html, media_type))
    request = AnalysisRequest(str(file), body, media_type, None, one.template)
    read = read_text(html, lines, request, Engine.VISIBLE)
    flags = zip(lines, read.kept, read.judged, strict=True)
    how = "the template does not fit this page: a crawl reads it by itself, and learns from it"
    if read.template is not None:
        how = "the template reads this page"
    return str(file), "", how, [_Line(of.text, kept, judged, of.path) for of, kept, judged in flags]


def _stored(one: Learned, view: StoreView) -> Iterator[_Painted]:
    """Yield some stored pages that the template read, where it is kept what they look like."""
    left = SHOWN_PAGES
    with reading_stored_values(view.directory):
        for line in counted(view.lines("pages"), "lines of pages read", say):
            if b'"read_by":"template"' not in line.data:
                continue
            with reading_line(line.place):
                page = orjson.loads(line.data)
                if page["read_by"] != TEMPLATE or host_key(page["final_url"]) != one.host:
                    continue
            packed = view.appearance(page["id"])
            seen = unpack(packed).in_order if packed else None
            if seen is None:
                continue
            worded = [
                (text, judged, bare) for text, judged in seen if (bare := word_characters(text))
            ]
            kept = aligned(page["text"], [bare for _, _, bare in worded]).perhaps
            lines = [
                _Line(text, is_kept or judged, judged)
                for (text, judged, _), is_kept in zip(worded, kept, strict=True)
            ]
            note = f"read by version {page['template']:,} of the template"
            yield page["url"], page.get("title") or "", note, lines
            left -= 1
            if not left:
                return


def _as_page(found: Mapping[str, Any], pages: Iterable[_Painted]) -> str:
    """Return one self-contained HTML page, with some pages painted."""
    title = f"Template of {shown(found['host'])}"
    body = [
        f"<h1>{title}</h1>",
        f"<p>{shown(' '.join(_sentences(found)))}</p>",
        *(f'<p class="bad">{shown(warning)}</p>' for warning in found["warnings"]),
        '<p class="legend"><span class="line kept">kept, and pages are compared by it</span> '
        '<span class="line beside">kept only</span> <span class="line out">left out</span></p>',
        *(part for painted in pages for part in _page(*painted)),
    ]
    if found["zones"]:
        heads = "its lines are", ">of the text", ">on pages", "zone", "such as"
        rows: Iterable[Cells] = (
            [
                Html(f'<span class="line {_LOOKS[zone["fate"]][1]}">{zone["fate"]}</span>'),
                f"{zone['share']:.1%}",
                zone["pages"],
                Html(f"<code>{shown(zone['path'])}</code>{' (links)' if zone['linked'] else ''}"),
                Html(f'<span dir="auto">{shown(zone["example"])}</span>'),
            ]
            for zone in found["zones"]
        )
        body += ["<h2>Zones</h2>", html_table(heads, rows)]
    return page(title, packaged(__package__, "templates.css"), body)


def _page(name: str, title: str, note: str, lines: Sequence[_Line]) -> Iterator[str]:
    kept = sum(len(line.text) for line in lines if line.kept)
    share = kept / max(1, sum(len(line.text) for line in lines))
    yield f'<section><h2 dir="auto">{shown(title or name)}</h2>'
    yield f'<p class="quiet">{shown(name)}<br>{shown(note)}; '
    yield f"{share:.0%} of its characters are kept</p>"
    if len(lines) >= LEAST_LINES and all(line.kept for line in lines):
        yield f'<p class="bad">{escape(ALL_IS_TEXT)}</p>'
    yield '<div class="page">'
    before = None
    for text, is_kept, judged, path in lines:
        where = ""
        if path and path != before:
            inner = ">".join(path.split(">")[-2:])  # all of the path is in its title
            where = f'<code title="{shown(path)}">{shown(inner)}</code>'
        before = path
        tag, look = ("span", "kept" if judged else "beside") if is_kept else ("del", "out")
        painted = f'<{tag} dir="auto">{shown(text)}</{tag}>'
        yield f'<div class="line {look}">{painted}{where}</div>'
    yield "</div></section>"
