"""The report as one HTML file that makes no request: its pieces, bars and sections."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from itertools import count
from typing import Any

import orjson

from crawler.console import command
from crawler.models import EXACT_PAYLOAD, EXACT_TEXT, NEAR, SIBLING, Evidence
from crawler.sources.inputs import document_name
from crawler.units import counted
from crawler.views.render import Cells, Html, html_table, packaged, page, shown
from crawler.views.report.figures import LENGTHS, Figures, begin_of
from crawler.views.report.tables import (
    cut_subtrees,
    failed_urls,
    inline,
    put_off,
    reading,
    rendered_parts,
    size,
    template_warnings,
    url_rules,
)
from crawler.views.wording import EVIDENCE, ran, ways_out

HEIGHT = 200
_LEFT, _BOTTOM, _TOP = 52, 24, 8
_GAP, _BREAK = 2, 26
_MARKS = 4


def stacked(
    title: str,
    counts: Mapping[str, Sequence[int]],
    label: Callable[[int], str],
    ticks: Sequence[int],
    width: int,
    breaks: Mapping[int, str] | None = None,
) -> str:
    """Return stacked bars, one a position of the sequences, which are of one length.

    They are SVG: it needs no script, and scales with the page. Colours are classes (`v-near`), so
    that the style sheet can give a dark page others. `counts` are name -> numbers, the first name
    at the bottom; `label` names a position, `ticks` are the positions whose names stand below.
    `width` is about what it has on a large screen, in pixels: letters are then as large as the
    page's. `breaks` are positions before which something is left out, with what it is.
    """
    breaks = breaks or {}
    length = max(map(len, counts.values()), default=0)
    sums = [sum(numbers[at] for numbers in counts.values()) for at in range(length)]
    most = max(sums, default=0)
    # The least of 4, 8, 12, 16, 20, 24, 32, 40 ... that is no smaller: quarters of it are whole.
    steps = (4 * factor * 10**power for power in count() for factor in (1, 2, 3, 4, 5, 6, 8))
    highest = next(step for step in steps if step >= most)
    step = (width - _LEFT - _BREAK * len(breaks)) / max(length, 1)
    room = HEIGHT - _BOTTOM - _TOP

    def left_of(at: int) -> float:
        return _LEFT + at * step + _BREAK * sum(before <= at for before in breaks)

    parts = [f'<svg viewBox="0 0 {width} {HEIGHT}" role="img" aria-label="{escape(title)}">']
    for mark in range(_MARKS + 1):
        value = highest * mark / _MARKS
        y = HEIGHT - _BOTTOM - room * mark / _MARKS
        parts.append(f'<line x1="{_LEFT}" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>')
        if value == int(value):
            at_axis = f'x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end"'
            parts.append(f"<text {at_axis}>{int(value):,}</text>")
    for before, told in breaks.items():
        x, middle = left_of(before) - _BREAK / 2, HEIGHT - _BOTTOM - room / 2
        parts.append(
            f'<rect class="break" x="{x - _BREAK / 2 + _GAP:.1f}" y="{_TOP}" '
            f'width="{_BREAK - 3 * _GAP}" height="{room}"/>'
            f'<text x="{x + 3:.1f}" y="{middle:.1f}" text-anchor="middle" '
            f'transform="rotate(-90 {x + 3:.1f} {middle:.1f})">{escape(told)}</text>'
        )
    for at in filter(sums.__getitem__, range(length)):
        y = float(HEIGHT - _BOTTOM)
        named = ", ".join(f"{name} {row[at]:,}" for name, row in counts.items() if row[at])
        parts.append(f"<g><title>{escape(f'{label(at)}: {named}')}</title>")
        for name, row in counts.items():
            if row[at]:
                tall = room * row[at] / highest
                y -= tall
                parts.append(
                    f'<rect class="v-{name}" x="{left_of(at):.1f}" y="{y:.1f}" '
                    f'width="{max(step - _GAP, 1):.1f}" height="{max(tall, 0.5):.1f}"/>'
                )
        parts.append("</g>")
    for at in ticks:
        x = left_of(at) + step / 2
        anchor = "end" if x > width - _LEFT else "middle"
        where = f'x="{min(x, width):.1f}" y="{HEIGHT - 6}" text-anchor="{anchor}"'
        parts.append(f"<text {where}>{escape(label(at))}</text>")
    return "".join([*parts, "</svg>"])


VERDICTS = {
    "new": "new",
    SIBLING: "siblings",
    NEAR: "near copies",
    EXACT_TEXT: "the same text",
    EXACT_PAYLOAD: "the same bytes",
    "unjudged": "too little text",
}
"""In the order of bars, with their names in legends."""


def numbers(
    what: str, counts: Mapping[str, Sequence[int]], label: Callable[[int], str], empty: bool = True
) -> str:
    """Return a chart's numbers as a table that is folded away, with or without rows of nothing.

    For who does not see the chart, and for who wants to copy them.
    """
    rows = enumerate(zip(*counts.values(), strict=True))
    cells: Iterable[Cells] = ((label(at), *row) for at, row in rows if empty or any(row))
    table = html_table([what, *(f">{name}" for name in counts)], cells)
    return f"<details><summary>In numbers</summary>{table}</details>"


def legend(names: Iterable[str]) -> str:
    """Return what the colours of some verdicts mean."""
    parts = (f'<span><i class="v-{name}"></i>{VERDICTS[name]}</span>' for name in names)
    return f'<div class="legend">{"".join(parts)}</div>'


def find_box(table: str, told: str) -> str:
    """Return a field whose words filter the rows of a table."""
    return (
        f'<div class="find"><input type="search" data-filters="{table}" placeholder="{told}" '
        f'aria-label="{told}"></div>'
    )


def bar(counts: Mapping[str, int], of: int, *, titled: bool = False) -> str:
    """Return parts of a whole as one bar, each in its colour."""
    parts = ""
    for name, number in counts.items():
        if number:
            title = f' title="{name}: {number:,}"' if titled else ""
            parts += f'<i class="v-{name}" style="width:{100 * number / of:.2f}%"{title}></i>'
    return f'<div class="share">{parts}</div>'


def share(part: int, of: int) -> str:
    """Return a share as a percentage; empty of nothing."""
    return f"{part / of:.0%}" if of else ""


def span(seconds: float) -> str:
    """Return a stretch of time in the unit that people would say it in."""
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.3g} s"


_COPIES = (NEAR, EXACT_TEXT, EXACT_PAYLOAD)
_TICKS = 6
_NARROW_TICKS = 3
_LEAST_SIMILARITY = 0.5
"""Below it no page is called alike by any setting that anybody uses."""
_MOST_DISTANCE = 32


def head(figures: Figures) -> Iterator[str]:
    """Yield the title, and the counts that matter most as tiles."""
    s, words = figures.summary, figures.words
    copies = sum(s["duplicates"].values())
    judged = s["stored"] + copies
    failed, skipped = sum(s["failures"].values()), sum(s["skipped"].values())
    yield f"<h1>Report of {shown(figures.data['name'])}</h1>"
    if s["started_at"]:
        yield f'<p class="quiet">Begun {s["started_at"][:16].replace("T", " ")} UTC, '
        yield f"{ran(s['elapsed_s'], s['runs'], 0)}, {counted(s['hosts'], words.host)}.</p>"
    tiles = [
        (s["seen"], f"{words.url}s seen"),
        (s["stored"], f"{words.page}s {words.stored}"),
        (copies, f"copies, {share(copies, judged)} of all {words.page}s"),
        (s["stored_by_verdict"].get(SIBLING, 0), f"siblings, {words.stored}"),
        (failed, "failures"),
        (skipped, "skipped on purpose"),
        (s["pending"], "still pending"),
    ]
    if figures.of_corpus:  # of which most of it cannot be
        tiles = [tile for tile in tiles if tile[0]]
    yield '<div class="tiles">'
    yield from (f'<div class="tile"><b>{number:,}</b>{name}</div>' for number, name in tiles)
    saved, what = size(s["saved"]["bytes"]), f"of copies not {words.stored}"
    yield f'<div class="tile"><b>{saved}</b>{what}</div></div>'
    if s["identity_holds"]:
        yield f'<p class="good">All {words.url}s are accounted for, and the output files agree.</p>'
    else:
        yield f'<p class="bad">Does not add up: {shown("; ".join(s["problems"]))}</p>'


def learned(figures: Figures) -> Iterator[str]:
    """Yield how pages were read by what was learned of their sites, and what is wrong with that."""
    if figures.summary["templates"]["made"]:
        yield f'<p class="quiet">{shown(reading(figures.summary))}</p>'
    for warning, way in template_warnings(figures.summary, figures.directory):
        yield f'<p class="bad">{shown(warning)} <code>{shown(way)}</code></p>'


def over_time(figures: Figures) -> Iterator[str]:
    """Yield a bar for each span of time: in a chart for large screens, and in one for phones."""
    line = figures.data["timeline"]
    if line is None:
        return
    counts = {name: line["counts"][name] for name in VERDICTS if name in line["counts"]}
    length = max(map(len, counts.values()))
    gaps = {gap["before"]: f"{span(gap['seconds'])} without a page" for gap in line["gaps"]}
    yield f'<p class="quiet">Pages judged in spans of {span(line["span_s"])}.'
    if gaps:
        yield " Grey: left out, as no page was judged, such as between two runs."
    yield "</p>"
    yield legend(counts)

    def label(at: int) -> str:
        is_long = begin_of(line, length) - line["begin"] > 86_400
        pattern = "%d %b %H:%M" if is_long else "%H:%M:%S"
        return datetime.fromtimestamp(begin_of(line, at), UTC).strftime(pattern)

    for name, width, marks in (("broad", 1_080, _TICKS), ("narrow", 520, _NARROW_TICKS)):
        ticks = sorted({round(at * (length - 1) / (marks - 1)) for at in range(marks)})
        drawn = stacked("Verdicts over time", counts, label, ticks, width, gaps)
        yield f'<div class="{name}">{drawn}</div>'
    yield numbers("time", counts, label)


def hosts(figures: Figures) -> Iterator[str]:
    """Yield a row a host: how its pages were judged."""
    found = figures.data["hosts"]
    if not found:
        return
    of, words = figures.summary["hosts"], figures.words
    if len(found) < of:
        yield f'<p class="quiet">The {len(found)} largest of {of:,} {words.host}s.</p>'
    yield legend(VERDICTS)
    yield find_box("host-table", f"Find a {words.host}")
    heads = [words.host, "", f">{words.page}s", ">copies", ">of all", ">other ends"]
    if not figures.of_corpus:
        heads.append(">pending")
    rows = list[Cells]()
    for number, host in enumerate(found):
        judged = {name: host["ends"].get(name, 0) for name in VERDICTS}
        pages, copies = sum(judged.values()), sum(judged[name] for name in _COPIES)
        rest = sum(host["ends"].get(name, 0) for name in ("redirect", "failed", "skipped"))
        drawn = Html(bar(judged, pages, titled=True) if pages else "")
        pending = host["ends"].get("pending", 0)
        name = Html(f'<a href="#host-{number}">{shown(host["host"])}</a>')
        row: Cells = [name, drawn, pages, copies, share(copies, pages), rest, pending]
        rows.append(row[: len(heads)])
    yield html_table(heads, rows, "host-table")


def copying(figures: Figures) -> Iterator[str]:
    """Yield which hosts have copies of pages of which: a row a pair, those with most first."""
    found = figures.data["copying"]
    if not found:
        return
    words = figures.words
    yield f'<p class="quiet">{words.page.capitalize()}s that were dropped, or {words.stored} as '
    yield f"near copies, by where they lie and where the {words.page} lies that they are copies "
    yield "of.</p>"
    yield legend(_COPIES)
    yield find_box("copying-table", f"Find a {words.host}")
    places = {host["host"]: number for number, host in enumerate(figures.data["hosts"])}
    most = max(sum(pair["verdicts"].values()) for pair in found)
    rows = list[Cells]()
    for pair in found:
        host, of = (
            Html(f'<a href="#host-{places[name]}">{shown(name)}</a>')
            for name in (pair["host"], pair["of"])
        )
        drawn = bar({name: pair["verdicts"].get(name, 0) for name in _COPIES}, most)
        quiet = f'<span class="quiet">{escape(inline(pair["verdicts"]))}</span>'
        rows.append([host, of, sum(pair["verdicts"].values()), Html(drawn + quiet)])
    heads = [words.host, "has copies of", f">{words.page}s", "by verdict"]
    yield html_table(heads, rows, "copying-table")


def one_by_one(figures: Figures) -> Iterator[str]:
    """Yield a place for each host, with all that the report knows of it alone."""
    paces, words = {pace["host"]: pace for pace in figures.data["paces"]}, figures.words
    found, pairs = figures.data["hosts"], figures.data["copying"]
    totals = [(pair["host"], pair["of"], sum(pair["verdicts"].values())) for pair in pairs]
    if found:
        yield find_box("host-details", f"Find a {words.host}")
        yield '<div id="host-details">'
    for number, host in enumerate(found):
        name, ends = host["host"], host["ends"]
        texts, pace = figures.data["host_texts"].get(name), paces.get(name)
        urls = sum(ends.values())
        rows: list[Cells] = [[f"{words.url}s", f"{urls:,}: {_counted(ends)}"]]
        if texts is not None and texts["languages"]:
            rows.append(["languages", _counted(texts["languages"])])
            rows.append(["length in the middle", f"{texts['median_chars']:,} characters"])
        if texts is not None and texts["failures"]:
            rows.append(["failures", _counted(texts["failures"])])
        its = {of: total for by, of, total in totals if by == name}
        others = {by: total for by, of, total in totals if of == name}
        for told, counts in (("has copies of", its), ("is copied by", others)):
            if counts:
                rows.append([told, _counted(counts)])
        rows += (
            [place["kind"], f"{place['mirror']} of {place['original']}"]
            for place in figures.summary["mirrors"]
            if place["mirror"].partition("/")[0] == name
        )
        if pace is not None and pace["median_s"] is not None:
            rows.append(["between two answers", f"{pace['median_s']:,.2f} s in the middle"])
        yield f'<details class="group" id="host-{number}"><summary>{shown(name)} '
        yield f'<span class="quiet">{counted(urls, words.url)}</span></summary>'
        yield f"{html_table([], rows)}</details>"
    if found:
        yield "</div>"


_MOST_COUNTS = 12


def _counted(counts: Mapping[str, int]) -> str:
    """Return the largest counts in one line."""
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    told = ", ".join(f"{name} {number:,}" for name, number in ordered[:_MOST_COUNTS])
    rest = sum(number for _, number in ordered[_MOST_COUNTS:])
    return f"{told}, others {rest:,}" if rest else told


def texts(figures: Figures) -> Iterator[str]:
    """Yield of what length and language the stored pages are."""
    found, words = figures.data["lengths"], figures.words
    if found is None:
        return
    counts = {name: found["counts"][name] for name in VERDICTS if name in found["counts"]}
    used = [at for at in range(LENGTHS + 1) if any(row[at] for row in counts.values())]
    begin, end = used[0], used[-1] + 1
    counts = {name: row[begin:end] for name, row in counts.items()}

    def label(at: int) -> str:
        return f"{2 ** (at + begin):,}"

    yield '<div class="charts"><div><h3>Length</h3>'
    yield f'<p class="quiet">Texts {words.stored}, by their characters, from each number up to the '
    yield "next</p>"
    yield legend(counts)
    every = -(-(end - begin) // _TICKS)
    yield stacked("Length", counts, label, range(0, end - begin, every), width=520)
    yield numbers("characters from", counts, label)
    yield "</div><div><h3>Language</h3>"
    yield f'<p class="quiet">{words.page.capitalize()}s {words.stored}, by language: as detected '
    yield "(<code>extract.language</code>), else as they declare (<code>extract.metadata</code>; "
    yield "the field <code>language</code> or <code>lang</code> of a corpus), else by their letters"
    yield "</p>"
    found = figures.data["languages"]
    total, most = sum(found.values()), max(found.values())
    languages = list[Cells]()
    for name, number in list(found.items())[:_MOST_COUNTS]:
        languages.append([name, Html(bar({"new": number}, most)), number, share(number, total)])
    yield html_table(["language", "", f">{words.page}s", ">of all"], languages)
    if (others := len(found) - _MOST_COUNTS) > 0:
        yield f'<p class="quiet">and {others:,} others</p>'
    yield "</div></div>"


def likeness(figures: Figures) -> Iterator[str]:
    """Yield histograms of similarity and distance of copies and siblings."""
    similar, distant = figures.data["similarity"], figures.data["distance"]
    first = round(_LEAST_SIMILARITY / similar["step"])
    parts = (
        ("Similarity", "exact Jaccard similarity of shingles", similar["counts"], first, None),
        ("Distance", "Hamming distance of fingerprints", distant["counts"], 0, _MOST_DISTANCE),
    )
    if not any((*similar["counts"].values(), *distant["counts"].values())):
        return
    yield '<p class="quiet">Near copies and siblings by how like they are to what is '
    yield f"{figures.words.stored}: resemblance proposes, evidence decides which of the two they "
    yield "are.</p>"
    yield legend([NEAR, SIBLING])
    yield '<div class="charts">'
    for name, meaning, found, begin, end in parts:
        counts = {kind: found[kind][begin:end] for kind in (NEAR, SIBLING) if kind in found}
        step = similar["step"] if name == "Similarity" else 1

        def label(at: int, begin: int = begin, step: float = step) -> str:
            return f"{(at + begin) * step:.2g}"

        if counts:
            length = max(map(len, counts.values()))
            yield f'<div><h3>{name}</h3><p class="quiet">{meaning}</p>'
            yield stacked(name, counts, label, range(0, length, 5), width=520)
            yield f"{numbers(name.lower(), counts, label, empty=False)}</div>"
    yield "</div>"


def groups(figures: Figures, name: str, kind: str) -> Iterator[str]:
    """Yield the groups, each with its members and a place to compare any two of them."""
    words = figures.words
    for at, group in enumerate(figures.data[name]):
        first, *others = group["members"]
        yield f'<details class="group" data-group="{kind}-{at}"{" open" if at == 0 else ""}>'
        named = [first["title"]] if first["title"] else []
        name, *where = map(shown, [*named, document_name(first["url"])])
        quiet = "".join(f' <span class="quiet">{place}</span>' for place in where)
        yield f"<summary><b>{group['size']:,}</b> like {name}{quiet}</summary>"
        heads = [words.page, "verdict", "evidence", ">similarity", ">distance"]
        yield html_table(heads, map(_member, others))
        if len(others) < group["size"]:
            yield f'<p class="quiet">The first {len(others)} of {group["size"]:,}.</p>'
        told = (number for number, one in enumerate(others, 1) if one["text"] != first["text"])
        left, right = _options(group["members"], 0), _options(group["members"], next(told, 1))
        yield f'<div class="pair"><select aria-label="left">{left}</select> beside '
        yield f'<select aria-label="right">{right}</select></div>'
        yield '<div class="diff"><noscript>Comparing needs JavaScript; without it, '
        yield "<code>explain A B</code> compares in a terminal.</noscript></div></details>"


def families(figures: Figures) -> Iterator[str]:
    """Yield why pages were taken for siblings or copies, and the largest families."""
    counts, words = figures.summary["evidence"], figures.words
    if counts:
        yield html_table(
            ["evidence", "", f">{words.page}s", "verdict"],
            (
                [code.value, meaning, counts[code], NEAR if code.is_copy else SIBLING]
                for code, meaning in EVIDENCE.items()
                if counts.get(code)
            ),
        )
    yield from groups(figures, "families", "families")


def all_alike(figures: Figures) -> Iterator[str]:
    """Yield the place of the list of all pages that are alike; the script fills it."""
    alike, words = figures.alike, figures.words
    if not alike:
        return
    if len(alike) < figures.total:
        yield f'<p class="quiet">The first {len(alike):,} of {figures.total:,}; '
        yield "all are in duplicates.jsonl and pages.jsonl.</p>"
    kinds = {row[2]: None for row in alike}
    codes = sorted({row[3] for row in alike if row[3]})
    options = "".join(f"<option>{escape(name)}</option>" for name in (*kinds, *codes))
    yield '<noscript><p class="quiet">This list needs JavaScript.</p></noscript>'
    part = f"Part of a {words.address}"
    yield f'<div class="find"><input type="search" id="search" placeholder="{part}" '
    yield f'aria-label="{part}"><select id="verdict" aria-label="Verdict or evidence">'
    yield f'<option value="">every verdict and evidence</option>{options}</select>'
    yield '<select id="order" aria-label="Order"><option value="">as they were judged</option>'
    yield '<option value="least">least alike first</option>'
    yield '<option value="most">most alike first</option></select></div>'
    yield f'<p class="quiet" role="status" id="found" data-noun="{words.page}"></p>'
    heads = [words.page, "like", "verdict", "evidence", ">similarity", ">distance"]
    yield html_table(heads, [], "alike-table")
    yield '<button type="button" id="more" hidden>Show more</button>'


def mirrors(figures: Figures) -> Iterator[str]:
    """Yield which hosts and folders show what others show, how surely, and where they do not.

    Of few columns, for a telephone: what is said of a pair stands below its name.
    """
    if found := figures.summary["mirrors"]:
        yield '<p class="quiet">The share of paths at which both show the same page, with its 95 % '
        yield "interval. All URLs there that were not asked for yet wait, also those of which no "
        yield "rule foresees anything; hosts come before folders of one host.</p>"
        yield html_table(["host or folder", ">the same", ">waiting"], map(_mirror, found))


def rendered(figures: Figures) -> Iterator[str]:
    """Yield which parts of sites a browser rendered, and what that brought."""
    if found := figures.summary["rendered"]:
        yield '<p class="quiet">Pages of a host that load the same scripts are tried together: '
        yield "what the rendered page shows beyond the one that was sent, of those compared.</p>"
        yield html_table(*rendered_parts(found))


def _mirror(one: Mapping[str, Any]) -> Cells:
    told_by = "by canonical links" if one["told_by"] == "canonical" else "which was seen first"
    below = [f"{one['kind']} of {one['original']}, {told_by}"]
    below += [f"another page at {url}" for _, url in one["differ"]]
    low, high = (f"{one[name]:.1%}" for name in ("degree_low", "degree_high"))
    sure = f"{low} to {high}", f"of {one['agree'] + one['against']:,} paths"
    share = _told(f"{one['degree']:.1%}", sure)
    return _told(one["mirror"], below), share, one["waiting"]


def _told(text: str, below: Iterable[str]) -> Html:
    """Return a cell with quiet lines below its text."""
    quiet = "".join(f'<br><span class="quiet">{shown(line)}</span>' for line in below)
    return Html(shown(text) + quiet)


def failures(figures: Figures) -> Iterator[str]:
    """Yield what failed or was skipped, each class with what it means and what to do.

    Then where pages that are gone still are.
    """
    s, ways = figures.summary, ways_out()
    rows = [
        [name, number, *ways.get(name, ("", ""))]
        for section in ("failures", "skipped")
        for name, number in sorted(s[section].items(), key=lambda item: -item[1])
    ]
    if rows:
        yield html_table(
            ["class", f">{figures.words.url}s", "meaning", "what to do if there are many"], rows
        )
    if s["failed"]:
        title, heads, urls = failed_urls(s, len(s["failed"]))
        yield f'<p class="quiet">{shown(title)}</p>'
        broken = ((name, *map(shown, way)) for name, *way in urls)  # which breaks anywhere
        address = '<span class="address">{}</span>'.format
        yield html_table(heads, ([name, *map(Html, map(address, way))] for name, *way in broken))
    if copies := s["living_copies"]:
        heads = ["gone", "living copy"]
        yield html_table(heads, ((one["url"], one["living_copy"]) for one in copies))


def foreseen(figures: Figures) -> Iterator[str]:
    """Yield the rules by which URLs wait behind others."""
    told = figures.summary["foreseen"]
    if told["urls"]:
        yield f'<p class="quiet">{put_off(told)}. All rules: '
        yield f"<code>{shown(command('rules', figures.directory))}</code></p>"
        yield html_table(*url_rules(told["rules"]))


def traps(figures: Figures) -> Iterator[str]:
    """Yield what was cut as endless, and why."""
    if figures.summary["traps"]:
        columns, rows = cut_subtrees(figures.summary["traps"])
        yield '<p class="quiet">To fetch the rest: <code>'
        yield shown(command("resume", figures.directory, "--release", "all")) + "</code></p>"
        yield html_table(columns, rows)


def politeness(figures: Figures) -> Iterator[str]:
    """Yield how fast each host was asked."""
    paces, delay_s = figures.data["paces"], figures.data["delay_s"]
    if not paces:
        return
    yield '<p class="quiet">Times between two answers of a host, which differ from the times '
    yield "between two requests as its answers take longer or shorter. "
    if delay_s is not None:
        yield f"The job asks for pauses of {delay_s:g} s."
    yield "</p>"
    yield find_box("pace-table", "Find a host")
    heads = "host", ">answers", ">median time between", ">shortest", ">its Crawl-delay"
    times = "median_s", "least_s", "crawl_delay_s", "slow_s"
    rows = list[Cells]()
    for one in paces:
        seconds = ("" if one[name] is None else f"{one[name]:,.2f} s" for name in times)
        rows.append([one["host"], one["answers"], *seconds])
    yield html_table([*heads, ">pause by now"], rows, "pace-table")


def saved(figures: Figures) -> Iterator[str]:
    """Yield the ledger: a row a rule."""
    if savings := figures.data["savings"]:
        pages = f">{figures.words.page}s or links"
        heads = ["rule", "what it kept away", pages, ">requests", ">bytes", ">CPU"]
        rows: Iterable[Cells] = (
            [
                *(one["rule"], one["meaning"], one["pages"]),
                "" if one["requests"] is None else one["requests"],
                "" if one["bytes"] is None else size(one["bytes"]),
                "" if one["cpu_s"] is None else f"{one['cpu_s']:,.1f} s",
            ]
            for one in savings
        )
        yield html_table(heads, rows)


def _member(member: Mapping[str, Any]) -> Cells:
    title = f'<br><span class="quiet">{shown(member["title"])}</span>' if member["title"] else ""
    evidence, similarity = member["evidence"] or "", member["similarity"]
    known = f' title="{escape(EVIDENCE[Evidence(evidence)])}"' if evidence in EVIDENCE else ""
    return [
        Html(shown(document_name(member["url"])) + title),
        member["verdict"],
        Html(f"<span{known}>{escape(evidence)}</span>"),
        "" if similarity is None else f"{similarity:.3f}",
        "" if member["distance"] is None else member["distance"],
    ]


def _options(members: Sequence[Mapping[str, Any]], chosen: int) -> str:
    return "".join(
        f'<option value="{number}"{" selected" if number == chosen else ""}>'
        f"{shown(document_name(member['url']))}</option>"
        for number, member in enumerate(members)
    )


# The report as one HTML file that makes no request: light and dark, phone and paper.
#
# What needs no script works without: tables, charts, the first facts of every group. Everything
# that came from the web is escaped here, or set as text by the script.


def as_page(figures: Figures) -> str:
    """Return the page."""
    made = [
        (anchor, name, html)
        for anchor, name, parts in _sections(figures)
        if (html := "".join(parts))
    ]
    body = [
        *head(figures),
        "<nav>",
        *(f'<a href="#{anchor}">{name}</a>' for anchor, name, _ in made),
        "</nav>",
        *(f'<section id="{anchor}"><h2>{name}</h2>{html}</section>' for anchor, name, html in made),
        *_data(figures),
    ]
    title, script = f"Report of {shown(figures.data['name'])}", packaged(__package__, "page.js")
    return page(title, stylesheet(), body, script=script, inline_styles=True, pictures=True)


def stylesheet() -> str:
    """Return how the page looks; the live page looks the same."""
    return packaged(__package__, "page.css")


def _sections(figures: Figures) -> Iterator[tuple[str, str, Iterator[str]]]:
    """Yield anchor, heading and content of each section; one without content is left out."""
    words = figures.words
    yield "templates", "Learned templates", learned(figures)
    yield "time", "Verdicts over time", over_time(figures)
    yield "hosts", f"{words.host.capitalize()}s", hosts(figures)
    yield "copying", f"Which {words.host}s copy which", copying(figures)
    yield "languages", "Lengths and languages", texts(figures)
    yield "alike", "How alike", likeness(figures)
    yield (
        "near",
        "Largest clusters of near copies",
        groups(figures, "near_clusters", "near"),
    )
    yield (
        "clusters",
        "Largest clusters of all copies",
        groups(figures, "clusters", "clusters"),
    )
    yield "families", "Siblings", families(figures)
    yield "pages", "All copies and siblings", all_alike(figures)
    yield "mirrors", "Mirrors and editions", mirrors(figures)
    yield "failures", "What failed, and the ways out", failures(figures)
    yield "foreseen", "Foreseen to bring little", foreseen(figures)
    yield "rendered", "Rendered by a browser", rendered(figures)
    yield "traps", "Cut as endless", traps(figures)
    yield "politeness", "Politeness", politeness(figures)
    yield "saved", "What was saved", saved(figures)
    yield "each", f"Each {words.host}", one_by_one(figures)


def _data(figures: Figures) -> Iterator[str]:
    """Yield what the script reads: texts to compare, and all pages that are alike."""
    groups = {
        f"{kind}-{at}": group["members"]
        for kind, name in (("clusters", "clusters"), ("near", "near_clusters"), ("families",) * 2)
        for at, group in enumerate(figures.data[name])
    }
    yield _packed("texts", groups)
    if figures.alike:
        yield _packed("rows", {"urls": figures.urls, "rows": figures.alike})


def _packed(name: str, value: object) -> str:
    packed = gzip.compress(orjson.dumps(value), compresslevel=6, mtime=0)
    return f'<script type="application/gzip" id="{name}">{b64encode(packed).decode()}</script>'
