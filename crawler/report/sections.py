"""The sections of the page, each as pieces of HTML; one that has nothing to show yields nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from html import escape

from crawler.printing import safe
from crawler.records import EXACT_PAYLOAD, EXACT_TEXT, NEAR, SIBLING, Evidence
from crawler.report.charts import share_bar, stacked
from crawler.report.figures import Figures, Group, Member
from crawler.report.tables.trouble import why_cut
from crawler.report.wording import EVIDENCE, WAYS_OUT

VERDICTS = {
    "new": "new",
    SIBLING: "siblings, stored",
    NEAR: "near copies",
    EXACT_TEXT: "the same text",
    EXACT_PAYLOAD: "the same bytes",
    "unjudged": "too little text",
}
"""In the order of bars, with their names in legends."""
_COPIES = (NEAR, EXACT_TEXT, EXACT_PAYLOAD)
_TICKS = 6
_LEAST_SIMILARITY = 0.5
"""Below it no page is called alike by any setting that anybody uses."""
_MOST_DISTANCE = 32


_Cells = Sequence[str | int]
"""A row of a table; text is HTML already."""


def head(figures: Figures) -> Iterator[str]:
    """Yield the title, and the counts that matter most as tiles."""
    s = figures.summary
    copies = sum(s["duplicates"].values())
    judged = s["stored"] + copies
    failed, skipped = sum(s["failures"].values()), sum(s["skipped"].values())
    yield f"<h1>Report of {_shown(figures.name)}</h1>"
    if s["started_at"]:
        yield f'<p class="quiet">Begun {s["started_at"][:16].replace("T", " ")} UTC, '
        yield f"{s['elapsed_s']:,.0f} s in {s['runs']} run(s), {s['hosts']:,} hosts.</p>"
    yield '<div class="tiles">'
    yield _tile(f"{s['seen']:,}", "URLs seen")
    yield _tile(f"{s['stored']:,}", "pages stored")
    yield _tile(f"{copies:,}", f"copies, {_share(copies, judged)} of all pages")
    yield _tile(f"{s['stored_by_verdict'].get(SIBLING, 0):,}", "siblings, stored")
    yield _tile(f"{failed:,}", "failures")
    yield _tile(f"{skipped:,}", "skipped on purpose")
    yield _tile(f"{s['pending']:,}", "still pending")
    yield _tile(_size(s["saved"]["bytes"]), "of copies not stored")
    yield "</div>"
    if s["identity_holds"]:
        yield '<p class="good">All URLs are accounted for, and the output files agree.</p>'
    else:
        yield f'<p class="bad">Does not add up: {_shown("; ".join(s["problems"]))}</p>'


def over_time(figures: Figures) -> Iterator[str]:
    """Yield a bar for each span of time."""
    line = figures.timeline
    if line is None:
        return
    counts = {name: line.counts[name] for name in VERDICTS if name in line.counts}
    length = max(map(len, counts.values()))
    yield f'<p class="quiet">Pages judged in spans of {_span(line.span_s)}.</p>'
    yield _legend(counts)
    ticks = sorted({round(at * (length - 1) / (_TICKS - 1)) for at in range(_TICKS)})

    def label(at: int) -> str:
        pattern = "%d %b %H:%M" if line.span_s * length > 86_400 else "%H:%M:%S"
        return datetime.fromtimestamp(line.begin + at * line.span_s, UTC).strftime(pattern)

    yield stacked("Verdicts over time", counts, label, ticks, width=1_080)
    rows: list[_Cells] = [
        [label(at), *(numbers[at] for numbers in counts.values())] for at in range(length)
    ]
    yield _numbers(["time", *counts], rows)


def hosts(figures: Figures) -> Iterator[str]:
    """Yield a row a host: how its pages were judged."""
    if not figures.hosts:
        return
    of = figures.summary["hosts"]
    if len(figures.hosts) < of:
        yield f'<p class="quiet">The {len(figures.hosts)} largest of {of:,} hosts.</p>'
    yield _legend(VERDICTS)
    yield _filter("host-table", "Find a host")
    heads = ["host", "", ">pages", ">copies", ">of all", ">other ends", ">pending"]
    rows: list[_Cells] = []
    for host in figures.hosts:
        judged = {name: host.ends.get(name, 0) for name in VERDICTS}
        pages, copies = sum(judged.values()), sum(judged[name] for name in _COPIES)
        rest = sum(host.ends.get(name, 0) for name in ("redirect", "failed", "skipped"))
        named, share = _shown(host.host), _share(copies, pages)
        pending = host.ends.get("pending", 0)
        rows.append([named, share_bar(judged, pages), pages, copies, share, rest, pending])
    yield _table(heads, rows, "host-table")


def likeness(figures: Figures) -> Iterator[str]:
    """Yield histograms of similarity and distance of copies and siblings."""
    similar, distant = figures.similarity, figures.distance
    first = round(_LEAST_SIMILARITY / similar.step)
    parts = (
        ("Similarity", "exact Jaccard similarity of shingles", similar.counts, first, None),
        ("Distance", "Hamming distance of fingerprints", distant.counts, 0, _MOST_DISTANCE),
    )
    if not any((*similar.counts.values(), *distant.counts.values())):
        return
    yield '<p class="quiet">Near copies and siblings by how like they are to their stored page: '
    yield "resemblance proposes, evidence decides which of the two they are.</p>"
    yield _legend([NEAR, SIBLING])
    yield '<div class="charts">'
    for name, meaning, found, begin, end in parts:
        counts = {kind: found[kind][begin:end] for kind in (NEAR, SIBLING) if kind in found}
        step = similar.step if name == "Similarity" else 1

        def label(at: int, begin: int = begin, step: float = step) -> str:
            return f"{(at + begin) * step:.2g}"

        if counts:
            length = max(map(len, counts.values()))
            yield f'<div><h3>{name}</h3><p class="quiet">{meaning}</p>'
            yield stacked(name, counts, label, range(0, length, 5), width=520)
            rows: list[_Cells] = [
                [label(at), *(row[at] for row in counts.values())] for at in range(length)
            ]
            yield _numbers([name.lower(), *counts], [row for row in rows if any(row[1:])])
            yield "</div>"
    yield "</div>"


def groups(found: Sequence[Group], kind: str) -> Iterator[str]:
    """Yield the groups, each with its members and a place to compare any two of them."""
    for at, group in enumerate(found):
        first, *others = group.members
        yield f'<details class="group" data-group="{kind}-{at}"{" open" if at == 0 else ""}>'
        yield f"<summary><b>{group.size:,}</b> like {_shown(first.title or first.url)} "
        yield f'<span class="quiet">{_shown(first.url)}</span></summary>'
        heads = ["page", "verdict", "evidence", ">similarity", ">distance"]
        yield _table(heads, map(_member, others))
        if len(others) < group.size:
            yield f'<p class="quiet">The first {len(others)} of {group.size:,}.</p>'
        told = (number for number, one in enumerate(others, 1) if one.text != first.text)
        left, right = _options(group.members, 0), _options(group.members, next(told, 1))
        yield f'<div class="pair"><select aria-label="left">{left}</select> beside '
        yield f'<select aria-label="right">{right}</select></div>'
        yield '<div class="diff"><noscript>Comparing needs JavaScript; so does '
        yield "<code>explain A B</code> in a terminal not.</noscript></div></details>"


def families(figures: Figures) -> Iterator[str]:
    """Yield why pages were taken for siblings or copies, and the largest families."""
    counts = figures.summary["evidence"]
    if counts:
        yield _table(
            ["evidence", "", ">pages", "verdict"],
            (
                [code.value, meaning, counts[code], NEAR if code.is_copy else SIBLING]
                for code, meaning in EVIDENCE.items()
                if counts.get(code)
            ),
        )
    yield from groups(figures.families, "families")


def all_alike(figures: Figures) -> Iterator[str]:
    """Yield the place of the list of all pages that are alike; the script fills it."""
    alike = figures.alike
    if not alike.rows:
        return
    if len(alike.rows) < alike.total:
        yield f'<p class="quiet">The first {len(alike.rows):,} of {alike.total:,}; '
        yield "all are in duplicates.jsonl and pages.jsonl.</p>"
    kinds = {row[2]: None for row in alike.rows}
    codes = sorted({row[3] for row in alike.rows if row[3]})
    options = "".join(f"<option>{escape(name)}</option>" for name in (*kinds, *codes))
    yield '<noscript><p class="quiet">This list needs JavaScript.</p></noscript>'
    yield '<div class="find"><input type="search" id="search" placeholder="Part of a URL" '
    yield 'aria-label="Part of a URL"><select id="verdict" aria-label="Verdict or evidence">'
    yield f'<option value="">every verdict and evidence</option>{options}</select>'
    yield '<select id="order" aria-label="Order"><option value="">as they were judged</option>'
    yield '<option value="least">least alike first</option>'
    yield '<option value="most">most alike first</option></select></div>'
    yield '<p class="quiet" role="status" id="found"></p>'
    heads = ["page", "like", "verdict", "evidence", ">similarity", ">distance"]
    yield _table(heads, [], "alike-table").replace('id="alike-table"', 'id="alike"')
    yield '<button type="button" id="more" hidden>Show more</button>'


def failures(figures: Figures) -> Iterator[str]:
    """Yield what failed or was skipped, each class with what it means and what to do."""
    s = figures.summary
    rows = [
        [name, number, *map(escape, WAYS_OUT.get(name, ("", "")))]
        for section in ("failures", "skipped")
        for name, number in sorted(s[section].items(), key=lambda item: -item[1])
    ]
    if rows:
        yield _table(["class", ">URLs", "meaning", "what to do if there are many"], rows)


def traps(figures: Figures) -> Iterator[str]:
    """Yield what was cut as endless, and why."""
    names = ("fetched", "new", "duplicates", "found", "pending")
    cuts = figures.summary["traps"]
    if cuts:
        rows = [
            [_shown(cut["subtree"]), *(cut[name] for name in names), _shown(why_cut(cut))]
            for cut in cuts
        ]
        yield '<p class="quiet">To fetch the rest: <code>resume DIR --release SUBTREE|all</code>'
        yield f"</p>{_table(['subtree', *(f'>{name}' for name in names), 'why'], rows)}"


def politeness(figures: Figures) -> Iterator[str]:
    """Yield how fast each host was asked."""
    if not figures.paces:
        return
    yield '<p class="quiet">Times between two answers of a host, which differ from the times '
    yield "between two requests as its answers take longer or shorter. "
    if figures.delay_s is not None:
        yield f"The job asks for pauses of {figures.delay_s:g} s."
    yield "</p>"
    yield _filter("pace-table", "Find a host")
    heads = ["host", ">answers", ">median time between", ">shortest", ">its Crawl-delay"]
    rows: list[_Cells] = [
        [_shown(one.host), one.answers, _s(one.median_s), _s(one.least_s), _s(one.crawl_delay_s)]
        for one in figures.paces
    ]
    yield _table(heads, rows, "pace-table")


def saved(figures: Figures) -> Iterator[str]:
    """Yield the ledger: a row a rule."""
    if figures.savings:
        heads = ["rule", "what it kept away", ">pages or links", ">requests", ">bytes", ">CPU"]
        rows = (
            [
                _shown(one.rule),
                _shown(one.meaning),
                one.pages,
                "" if one.requests is None else one.requests,
                "" if one.bytes is None else _size(one.bytes),
                "" if one.cpu_s is None else f"{one.cpu_s:,.1f} s",
            ]
            for one in figures.savings
        )
        yield _table(heads, rows)


def _member(member: Member) -> _Cells:
    title = f'<br><span class="quiet">{_shown(member.title)}</span>' if member.title else ""
    evidence = member.evidence or ""
    known = f' title="{escape(EVIDENCE[Evidence(evidence)])}"' if evidence in EVIDENCE else ""
    return [
        f"{_shown(member.url)}{title}",
        escape(member.verdict),
        f"<span{known}>{escape(evidence)}</span>",
        "" if member.similarity is None else f"{member.similarity:.3f}",
        "" if member.distance is None else member.distance,
    ]


def _options(members: Sequence[Member], chosen: int) -> str:
    return "".join(
        f'<option value="{number}"{" selected" if number == chosen else ""}>'
        f"{_shown(member.url)}</option>"
        for number, member in enumerate(members)
    )


def _table(heads: Sequence[str], rows: Iterable[_Cells], name: str = "") -> str:
    """Return a table of cells that are HTML already; `>` before a heading puts it to the right."""
    classes = [' class="n"' if head.startswith(">") else "" for head in heads]
    top = "".join(
        f'<th scope="col"{of}>{escape(head.removeprefix(">"))}</th>'
        for head, of in zip(heads, classes, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{of}>{f'{cell:,}' if isinstance(cell, int) else cell}</td>"
            for cell, of in zip(row, classes, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    named = f' id="{name}"' if name else ""
    return (
        f'<div class="scroll"><table{named}><thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _numbers(heads: Sequence[str], rows: Iterable[_Cells]) -> str:
    """Return a chart's numbers as a table that is folded away."""
    right = [heads[0], *(f">{head}" for head in heads[1:])]
    return f"<details><summary>In numbers</summary>{_table(right, rows)}</details>"


def _legend(names: Iterable[str]) -> str:
    parts = (f'<span><i class="v-{name}"></i>{VERDICTS[name]}</span>' for name in names)
    return f'<div class="legend">{"".join(parts)}</div>'


def _filter(table: str, told: str) -> str:
    return (
        f'<div class="find"><input type="search" data-filters="{table}" placeholder="{told}" '
        f'aria-label="{told}"></div>'
    )


def _tile(number: str, name: str) -> str:
    return f'<div class="tile"><b>{number}</b>{name}</div>'


def _share(part: int, of: int) -> str:
    return f"{part / of:.0%}" if of else ""


def _s(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:,.2f} s"


def _span(seconds: float) -> str:
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.3g} s"


def _size(number: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:,.1f} {unit}"
    return f"{number:,.0f} B"


def _shown(text: str) -> str:
    return escape(safe(text))
