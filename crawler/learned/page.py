"""A host's template as one self-contained HTML page: no script, no request, everything escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib.resources import files

from crawler.learned import wording
from crawler.learned.opening import HostTemplate
from crawler.learned.painting import PaintedLine, PaintedPage
from crawler.learned.zones import Fate, ZoneTold
from crawler.printing import safe

_CLASSES = {
    Fate.LEFT_OUT: "out",
    Fate.REPEATED: "beside",
    Fate.UNSURE: "beside",
    Fate.KEPT: "kept",
    Fate.UNKNOWN: "beside",
}


def as_page(shown: HostTemplate) -> str:
    """Return the page."""
    style = files("crawler.learned").joinpath("page.css").read_text(encoding="utf-8")
    host = _shown(shown.about.host)
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            '<meta http-equiv="Content-Security-Policy"',
            " content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            f"<title>Template of {host}</title><style>{style}</style></head><body>",
            f"<h1>Template of {host}</h1>",
            f"<p>{_shown(wording.sentence(shown.about))} {_shown(wording.state(shown))}</p>",
            _LEGEND,
            *(part for page in shown.pages for part in _page(page)),
            *_zones(shown),
            "</body></html>\n",
        ]
    )


_LEGEND = (
    '<p class="legend"><span class="line kept">kept, and pages are compared by it</span> '
    '<span class="line beside">kept only</span> <span class="line out">left out</span></p>'
)


def _page(page: PaintedPage) -> Iterator[str]:
    yield f'<section><h2 dir="auto">{_shown(page.title or page.name)}</h2>'
    yield f'<p class="quiet">{_shown(page.name)}<br>{_shown(page.note)}; '
    yield f"{page.kept_share:.0%} of its characters are kept</p>"
    yield '<div class="page">'
    path = None
    for line in page.lines:
        yield _line(line, zone=line.path if line.path != path else "")
        path = line.path
    yield "</div></section>"


def _line(line: PaintedLine, zone: str) -> str:
    name = ("kept" if line.judged else "beside") if line.kept else "out"
    where = f'<code title="{_shown(line.path)}">{_shown(_end(zone))}</code>' if zone else ""
    tag = "span" if line.kept else "del"
    text = f'<{tag} dir="auto">{_shown(line.text)}</{tag}>'
    return f'<div class="line {name}">{text}{where}</div>'


def _end(path: str) -> str:
    """Return the innermost elements of a path: all of it is in its title."""
    return ">".join(path.split(">")[-2:])


def _zones(shown: HostTemplate) -> Iterator[str]:
    if not shown.zones:
        return
    yield "<h2>Zones</h2><div class=scroll><table><thead><tr><th>its lines are<th>of the text"
    yield "<th>on pages<th>zone<th>such as</tr></thead><tbody>"
    yield from map(_zone, shown.zones)
    yield "</tbody></table></div>"


def _zone(zone: ZoneTold) -> str:
    links = " (links)" if zone.linked else ""
    return (
        f'<tr><td><span class="line {_CLASSES[zone.fate]}">{zone.fate.value}</span>'
        f"<td class=number>{zone.share:.1%}<td class=number>{zone.pages:,}"
        f"<td><code>{_shown(zone.path)}</code>{links}"
        f'<td dir="auto">{_shown(zone.example)}</tr>'
    )


def _shown(text: str) -> str:
    return escape(safe(text))
