"""The sections of the page, each as pieces of HTML; one that has nothing to show yields nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import escape

from crawler.records import EXACT_PAYLOAD, EXACT_TEXT, NEAR, SIBLING, Evidence
from crawler.report.charts import share_bar, stacked
from crawler.report.figures import Figures, Group, Member
from crawler.report.pieces import (
    VERDICTS,
    Cells,
    find_box,
    in_seconds,
    legend,
    numbers,
    share,
    shown,
    size,
    span,
    table,
    tile,
)
from crawler.report.tables.trouble import why_cut
from crawler.report.wording import EVIDENCE, WAYS_OUT

_COPIES = (NEAR, EXACT_TEXT, EXACT_PAYLOAD)
_TICKS = 6
_LEAST_SIMILARITY = 0.5
"""Below it no page is called alike by any setting that anybody uses."""
_MOST_DISTANCE = 32


def head(figures: Figures) -> Iterator[str]:
    """Yield the title, and the counts that matter most as tiles."""
    s = figures.summary
    copies = sum(s["duplicates"].values())
    judged = s["stored"] + copies
    failed, skipped = sum(s["failures"].values()), sum(s["skipped"].values())
    yield f"<h1>Report of {shown(figures.name)}</h1>"
    if s["started_at"]:
        yield f'<p class="quiet">Begun {s["started_at"][:16].replace("T", " ")} UTC, '
        yield f"{s['elapsed_s']:,.0f} s in {s['runs']} run(s), {s['hosts']:,} hosts.</p>"
    yield '<div class="tiles">'
    yield tile(f"{s['seen']:,}", "URLs seen")
    yield tile(f"{s['stored']:,}", "pages stored")
    yield tile(f"{copies:,}", f"copies, {share(copies, judged)} of all pages")
    yield tile(f"{s['stored_by_verdict'].get(SIBLING, 0):,}", "siblings, stored")
    yield tile(f"{failed:,}", "failures")
    yield tile(f"{skipped:,}", "skipped on purpose")
    yield tile(f"{s['pending']:,}", "still pending")
    yield tile(size(s["saved"]["bytes"]), "of copies not stored")
    yield "</div>"
    if s["identity_holds"]:
        yield '<p class="good">All URLs are accounted for, and the output files agree.</p>'
    else:
        yield f'<p class="bad">Does not add up: {shown("; ".join(s["problems"]))}</p>'


def over_time(figures: Figures) -> Iterator[str]:
    """Yield a bar for each span of time."""
    line = figures.timeline
    if line is None:
        return
    counts = {name: line.counts[name] for name in VERDICTS if name in line.counts}
    length = max(map(len, counts.values()))
    yield f'<p class="quiet">Pages judged in spans of {span(line.span_s)}.</p>'
    yield legend(counts)
    ticks = sorted({round(at * (length - 1) / (_TICKS - 1)) for at in range(_TICKS)})

    def label(at: int) -> str:
        pattern = "%d %b %H:%M" if line.span_s * length > 86_400 else "%H:%M:%S"
        return datetime.fromtimestamp(line.begin + at * line.span_s, UTC).strftime(pattern)

    yield stacked("Verdicts over time", counts, label, ticks, width=1_080)
    rows: list[Cells] = [
        [label(at), *(numbers[at] for numbers in counts.values())] for at in range(length)
    ]
    yield numbers(["time", *counts], rows)


def hosts(figures: Figures) -> Iterator[str]:
    """Yield a row a host: how its pages were judged."""
    if not figures.hosts:
        return
    of = figures.summary["hosts"]
    if len(figures.hosts) < of:
        yield f'<p class="quiet">The {len(figures.hosts)} largest of {of:,} hosts.</p>'
    yield legend(VERDICTS)
    yield find_box("host-table", "Find a host")
    heads = ["host", "", ">pages", ">copies", ">of all", ">other ends", ">pending"]
    rows: list[Cells] = []
    for host in figures.hosts:
        judged = {name: host.ends.get(name, 0) for name in VERDICTS}
        pages, copies = sum(judged.values()), sum(judged[name] for name in _COPIES)
        rest = sum(host.ends.get(name, 0) for name in ("redirect", "failed", "skipped"))
        named, part = shown(host.host), share(copies, pages)
        pending = host.ends.get("pending", 0)
        rows.append([named, share_bar(judged, pages), pages, copies, part, rest, pending])
    yield table(heads, rows, "host-table")


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
    yield legend([NEAR, SIBLING])
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
            rows: list[Cells] = [
                [label(at), *(row[at] for row in counts.values())] for at in range(length)
            ]
            yield numbers([name.lower(), *counts], [row for row in rows if any(row[1:])])
            yield "</div>"
    yield "</div>"


def groups(found: Sequence[Group], kind: str) -> Iterator[str]:
    """Yield the groups, each with its members and a place to compare any two of them."""
    for at, group in enumerate(found):
        first, *others = group.members
        yield f'<details class="group" data-group="{kind}-{at}"{" open" if at == 0 else ""}>'
        yield f"<summary><b>{group.size:,}</b> like {shown(first.title or first.url)} "
        yield f'<span class="quiet">{shown(first.url)}</span></summary>'
        heads = ["page", "verdict", "evidence", ">similarity", ">distance"]
        yield table(heads, map(_member, others))
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
        yield table(
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
    yield table(heads, [], "alike-table").replace('id="alike-table"', 'id="alike"')
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
        yield table(["class", ">URLs", "meaning", "what to do if there are many"], rows)


def traps(figures: Figures) -> Iterator[str]:
    """Yield what was cut as endless, and why."""
    names = ("fetched", "new", "duplicates", "found", "pending")
    cuts = figures.summary["traps"]
    if cuts:
        rows = [
            [shown(cut["subtree"]), *(cut[name] for name in names), shown(why_cut(cut))]
            for cut in cuts
        ]
        yield '<p class="quiet">To fetch the rest: <code>resume DIR --release SUBTREE|all</code>'
        yield f"</p>{table(['subtree', *(f'>{name}' for name in names), 'why'], rows)}"


def politeness(figures: Figures) -> Iterator[str]:
    """Yield how fast each host was asked."""
    if not figures.paces:
        return
    yield '<p class="quiet">Times between two answers of a host, which differ from the times '
    yield "between two requests as its answers take longer or shorter. "
    if figures.delay_s is not None:
        yield f"The job asks for pauses of {figures.delay_s:g} s."
    yield "</p>"
    yield find_box("pace-table", "Find a host")
    heads = [
        "host",
        ">answers",
        ">median time between",
        ">shortest",
        ">its Crawl-delay",
        ">pause by now",
    ]
    rows: list[Cells] = [
        [
            shown(one.host),
            one.answers,
            in_seconds(one.median_s),
            in_seconds(one.least_s),
            in_seconds(one.crawl_delay_s),
            in_seconds(one.slow_s),
        ]
        for one in figures.paces
    ]
    yield table(heads, rows, "pace-table")


def saved(figures: Figures) -> Iterator[str]:
    """Yield the ledger: a row a rule."""
    if figures.savings:
        heads = ["rule", "what it kept away", ">pages or links", ">requests", ">bytes", ">CPU"]
        rows = (
            [
                shown(one.rule),
                shown(one.meaning),
                one.pages,
                "" if one.requests is None else one.requests,
                "" if one.bytes is None else size(one.bytes),
                "" if one.cpu_s is None else f"{one.cpu_s:,.1f} s",
            ]
            for one in figures.savings
        )
        yield table(heads, rows)


def _member(member: Member) -> Cells:
    title = f'<br><span class="quiet">{shown(member.title)}</span>' if member.title else ""
    evidence = member.evidence or ""
    known = f' title="{escape(EVIDENCE[Evidence(evidence)])}"' if evidence in EVIDENCE else ""
    return [
        f"{shown(member.url)}{title}",
        escape(member.verdict),
        f"<span{known}>{escape(evidence)}</span>",
        "" if member.similarity is None else f"{member.similarity:.3f}",
        "" if member.distance is None else member.distance,
    ]


def _options(members: Sequence[Member], chosen: int) -> str:
    return "".join(
        f'<option value="{number}"{" selected" if number == chosen else ""}>'
        f"{shown(member.url)}</option>"
        for number, member in enumerate(members)
    )
