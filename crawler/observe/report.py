"""The report of a crawl as tables for a terminal, from its summary and the store's aggregates.

Everything that came from the web is escaped: it can neither style the terminal nor move its cursor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from crawler.frontier import PASSING, PASSING_SKIPS
from crawler.observe.summary import STAGES, VERDICTS, Outcomes
from crawler.printing import safe
from crawler.records import (
    EXACT_PAYLOAD,
    EXACT_TEXT,
    NEAR,
    SIBLING,
    TEMPLATE,
    DuplicateKind,
    Evidence,
    UrlState,
)

_KINDS = (
    (DuplicateKind.SAME_CONTENT_SAME_LAYOUT, "same", "same"),
    (DuplicateKind.SAME_CONTENT_OTHER_LAYOUT, "same", "other"),
    (DuplicateKind.SAME_CONTENT, "same", "none"),
    (DuplicateKind.PARTIAL_CONTENT_SAME_LAYOUT, "partly the same", "same"),
    (DuplicateKind.PARTIAL_CONTENT_OTHER_LAYOUT, "partly the same", "other"),
    (DuplicateKind.PARTIAL_CONTENT, "partly the same", "none"),
)
"""Kind, its content, its layout; the most alike first."""

_JUDGED_ON = {
    "template": ("site's template", "what the crawl learned of the page's site"),
    "main": ("main text", "extraction found the content, or the page is plain text"),
    "visible": ("visible text", "neither template nor extraction could be trusted"),
    "bytes": ("bytes alone", "same bytes as a stored page, not read"),
}
_EVIDENCE = {
    Evidence.CANONICAL: "a page names the other as the same (rel=canonical, hreflang)",
    Evidence.SAME_ADDRESS: "the same path on another host, in another language or edition",
    Evidence.SAME_TEXT: "the same title and text on one host",
    Evidence.REPRINT: "the same text on another host",
    Evidence.OTHER_TITLE: "another title",
    Evidence.OTHER_CANONICAL: "another rel=canonical",
    Evidence.OTHER_LIST: "a list, and a part of what it lists",
    Evidence.OTHER_TEXT: "other words in the text, under one title",
    Evidence.OTHER_NAME: "another name throughout the text",
    Evidence.OTHER_NUMBERS: "other numbers in lines that are alike",
    Evidence.OTHER_SURROUNDINGS: "other lists, tables or comments around the text",
    Evidence.UNKNOWN: "too little is kept of the stored page to tell",
}
"""What each evidence means, in a few words."""
_TOO_LITTLE = {
    "short": ("short", "stored, but near duplicates were not looked for: dedup.min_near_tokens"),
    "too-short": ("too short", "stored, compared by their bytes only: dedup.min_tokens"),
    "no-text": ("no text", "stored, compared by their bytes only"),
}
"""Name in the summary -> what the report calls it and says of it."""

_HEADINGS = {
    EXACT_PAYLOAD: "exact-\npayload",
    EXACT_TEXT: "exact-\ntext",
    SIBLING: "sib-\nlings",
    "redirects": "redi-\nrects",
}
"""Headings of narrow columns, where they are not the name itself."""


MOST_REVOKED = 5
"""Hosts named whose templates were given up: `summary.json` names more."""

MOST_DOMAINS = 20
"""Domains with links that were not queued: the report is to be read, the summary has them all."""


def print_report(console: Console, parts: Iterable[RenderableType]) -> None:
    """Print renderables with a blank line between them."""
    for part in parts:
        console.print(part)
        console.print()


def report(
    summary: Mapping[str, Any],
    hosts: Sequence[tuple[str, Outcomes]],
    clusters: Sequence[tuple[int, str, int]],
    families: Sequence[tuple[int, str, int]] = (),
) -> list[RenderableType]:
    """Return the report's parts, top to bottom.

    `hosts` are (host, outcomes), `clusters` (page id, URL, number of its duplicates), `families`
    (page id, URL, number of its siblings), all largest first.
    """
    parts: list[RenderableType] = [accounting(summary)]
    if hosts:
        parts.append(verdicts_by_host(hosts, summary["hosts"]))
    if summary["judged_on"]:
        parts.append(judged(summary))
    if summary["read_by"]:
        parts.append(Text(reading(summary)))
    if summary["duplicate_kinds"]:
        parts.append(kinds(summary["duplicate_kinds"]))
    if summary["revisited"]:
        rows = sorted(summary["revisited"].items(), key=itemgetter(1), reverse=True)
        parts.append(_table("Visited again", ["found", ">pages"], rows))
    if summary["evidence"]:
        parts.append(evidence(summary["evidence"]))
    if clusters:
        parts.append(largest_clusters(clusters))
    if families:
        parts.append(largest_families(families))
    if summary["traps"]:
        parts.append(traps(summary["traps"]))
    if summary["aside"]:
        parts.append(aside(summary["aside"]))
    if summary["over_budget"]:
        parts.append(over_budget(summary["over_budget"]))
    for title, counts in (("Failures", summary["failures"]), ("Skipped", summary["skipped"])):
        if counts:
            rows = sorted(counts.items(), key=itemgetter(1), reverse=True)
            parts.append(_table(title, ["class", ">URLs"], rows))
    if advice := _to_retry(summary):
        parts.append(Text(advice))
    parts.append(costs(summary))
    return parts


def can_be_audited(summary: Mapping[str, Any]) -> bool:
    """Whether there are pages to check by eye: near duplicates dropped, or siblings."""
    dropped, stored = summary["duplicates"], summary["stored_by_verdict"]
    return any((dropped.get(NEAR), dropped.get(SIBLING), stored.get(SIBLING)))


def _to_retry(summary: Mapping[str, Any]) -> str:
    """Return how URLs are asked for again whose failure may pass by itself; empty if none are."""
    found = []
    for section, passing, flags in (
        ("failures", PASSING, ""),
        ("skipped", PASSING_SKIPS, "".join(f" --class {reason}" for reason in PASSING_SKIPS)),
    ):
        if number := sum(summary[section].get(name, 0) for name in passing):
            names = ", ".join(sorted(name for name in passing if summary[section].get(name)))
            found.append(
                f"May succeed later: {names}, {number:,} in all. To have them asked for again: "
                f"python -m crawler retry DIR{flags}"
            )
    return "\n".join(found)


def accounting(summary: Mapping[str, Any]) -> RenderableType:
    """Return the accounting identity, and whether it holds."""
    rows = [
        ("stored", summary["stored"], _inline(summary["stored_by_verdict"])),
        ("duplicates", sum(summary["duplicates"].values()), _inline(summary["duplicates"])),
        ("redirects", summary["redirects"], ""),
        ("failures", sum(summary["failures"].values()), _inline(summary["failures"])),
        ("skipped", sum(summary["skipped"].values()), _inline(summary["skipped"])),
        ("pending", summary["pending"], ""),
    ]
    table = _table("Where every URL ended", ["", ">URLs", ""], rows)
    table.add_section()
    verdict = Text("= the sum of the above, and the output files agree", style="green")
    if not summary["identity_holds"]:
        verdict = Text("does not add up: " + "; ".join(summary["problems"]), style="bold red")
    table.add_row("seen", f"{summary['seen']:,}", verdict)
    return table


def verdicts_by_host(hosts: Sequence[tuple[str, Outcomes]], of: int) -> RenderableType:
    """Return a row a host: how its URLs ended."""
    verdicts = [kind for kind in VERDICTS if kind != SIBLING or _drops_siblings(hosts)]
    kinds = ["stored", *verdicts, "redirects", "failed", "skipped"]
    title = "Verdicts by host"
    if len(hosts) < of:
        title += f" (the {len(hosts)} largest of {of})"
    names = [f">{_HEADINGS.get(kind, kind)}" for kind in kinds]
    table = _table(title, ["host", *names, ">pending"])
    table.padding = (0, 0)  # so that 80 columns hold it and 15 characters of a host
    for column in table.columns[1:]:
        column.no_wrap = True
    for host, outcomes in hosts:
        columns = _host_columns(outcomes, verdicts)
        table.add_row(Text(safe(host)), *(f"{n:,}" if n else "·" for n in columns))
    return table


def _drops_siblings(hosts: Sequence[tuple[str, Outcomes]]) -> bool:
    """Whether siblings were dropped, as few jobs ask for; stored ones count as stored."""
    return any((UrlState.DUPLICATE, SIBLING) in outcomes for _, outcomes in hosts)


def _host_columns(outcomes: Outcomes, verdicts: Sequence[str]) -> list[int]:
    ended: Counter[UrlState | str] = Counter()
    for (state, detail), number in outcomes.items():
        ended[detail if state is UrlState.DUPLICATE else state] += number
    last = (UrlState.REDIRECT, UrlState.FAILED, UrlState.SKIPPED, UrlState.PENDING)
    columns: list[UrlState | str] = [UrlState.STORED, *verdicts, *last]
    return [ended[column] for column in columns]


def judged(summary: Mapping[str, Any]) -> RenderableType:
    """Return what pages were judged by, and how many had too little text to be judged fully."""
    pages = summary["stored"] + sum(summary["duplicates"].values())
    read = sum(summary["judged_on"].values())
    table = _table("Text on which pages were judged", ["", ">pages", ">share", ""])
    counts = summary["judged_on"] | {"bytes": pages - read}
    for section, told in ((counts, _JUDGED_ON), (summary["stored_by_reason"], _TOO_LITTLE)):
        for name, (label, meaning) in told.items():
            if number := section.get(name, 0):
                table.add_row(label, f"{number:,}", f"{number / pages:.1%}", meaning)
        table.add_section()
    return table


def reading(summary: Mapping[str, Any]) -> str:
    """Return how many pages were read by what was learned of their sites, and what was given up."""
    read, templates = summary["read_by"], summary["templates"]
    share = read.get(TEMPLATE, 0) / sum(read.values())
    told = f"{share:.0%} of the pages that were read were read by learned templates"
    if templates["audits"]:
        told += f"; {templates['audits']:,} of them were read by the extractor too, as audits"
    told += "."
    if hosts := [safe(row["host"]) for row in templates["revoked_of"]]:
        named = ", ".join(hosts[:MOST_REVOKED])
        if len(hosts) > MOST_REVOKED:
            named += " and others"
        number = templates["revoked"]
        one = ("template was", "it, and is") if number == 1 else ("templates were", "them, and are")
        told += (
            f" {number:,} {one[0]} given up because audits disagreed with {one[1]} learned anew: "
            f"{named}."
        )
    return told


def kinds(counts: Mapping[str, int]) -> RenderableType:
    """Return a row a kind of duplicate, tagged ones included: how content and layout compare."""
    of = sum(counts.values())
    rows = [
        (content, layout, counts[kind], f"{counts[kind] / of:.0%}")
        for kind, content, layout in _KINDS
        if counts.get(kind)
    ]
    return _table("Kinds of duplicate", ["content", "layout", ">duplicates", ">share"], rows)


def largest_clusters(clusters: Sequence[tuple[int, str, int]]) -> RenderableType:
    """Return a row a cluster: its stored page and the number of its duplicates."""
    rows = [(size, str(document_id), Text(safe(url))) for document_id, url, size in clusters]
    return _table("Largest clusters", [">duplicates", ">page", "stored as"], rows)


def evidence(counts: Mapping[str, int]) -> RenderableType:
    """Return a row for each evidence that occurred: what it made of so many pages, and why."""
    rows = [
        (NEAR if code.is_copy else SIBLING, code.value, counts[code], meaning)
        for code, meaning in _EVIDENCE.items()
        if counts.get(code)
    ]
    title = "Copies and siblings, by evidence"
    return _table(title, ["verdict", "evidence", ">pages", ""], rows)


def largest_families(families: Sequence[tuple[int, str, int]]) -> RenderableType:
    """Return a row a family: a stored page and the number of pages judged its siblings."""
    rows = [(size, str(document_id), Text(safe(url))) for document_id, url, size in families]
    return _table("Largest families of siblings", [">siblings", ">page", "all like"], rows)


def traps(cuts: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Return a row a cut subtree: what it brought, what is held back and why."""
    title = "Cut as endless (to fetch the rest: python -m crawler resume DIR --release SUBTREE|all)"
    numbers = ("fetched", "new", "duplicates", "found", "pending")
    rows = [
        (Text(safe(cut["subtree"])), *(cut[name] for name in numbers), _why_cut(cut))
        for cut in cuts
    ]
    return _table(title, ["subtree", *(f">{name}" for name in numbers), "why"], rows)


def over_budget(domains: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Return a row for each domain on whose pages long links were not queued."""
    title = "Links not queued, long and too many (to have more: frontier.long_url_bytes)"
    if len(domains) > MOST_DOMAINS:
        title += f"; the {MOST_DOMAINS} largest of {len(domains):,}"
    rows = [(Text(safe(row["domain"])), row["links"]) for row in domains[:MOST_DOMAINS]]
    return _table(title, ["on pages of", ">links"], rows)


def _why_cut(cut: Mapping[str, Any]) -> str:
    why = (
        f"of the last {cut['streak']:,} pages {cut['streak_new']:,} were new, and each page linked "
        f"to {cut['growth']:.1f} further URLs there"
    )
    return why + (f"; {cut['repeating']:,} paths repeat themselves" if cut["repeating"] else "")


def aside(places: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Return a row a host or origin that is put aside: why, and when it failed last."""
    rows = [
        (
            Text(safe(place["place"])),
            place["pending"],
            place["tried_at"][:-5] + "Z",
            Text(safe(place["why"])),
        )
        for place in places
    ]
    title = "Put aside (resume tries them again)"
    return _table(title, ["host", ">pending", "failed last", "why"], rows)


def costs(summary: Mapping[str, Any]) -> RenderableType:
    """Return what the crawl cost and what judging inline saved."""
    totals, saved = summary["totals"], summary["saved"]
    analysed = totals.get("analysed", 0)
    rows = [
        ("time", f"{summary['elapsed_s']:,.1f} s in {summary['runs']} run(s)"),
        ("transferred", f"{_megabytes(totals.get('wire_bytes', 0))} of bodies"),
        ("decompressed", _megabytes(totals.get("body_bytes", 0))),
        ("not stored", f"{_megabytes(saved['bytes'])} of duplicates"),
        (
            "not analysed",
            f"{saved['analysis_s']:,.2f} s of CPU, for pages with the same bytes as a stored page",
        ),
    ]
    if analysed:
        stages = (
            f"{s.removesuffix('_s')} {1000 * totals.get(s, 0) / analysed:.1f}" for s in STAGES
        )
        rows.append(("analysis", f"{', '.join(stages)} ms of CPU a page"))
    if summary["dropped_links"]:
        rows.append(("links not queued", _inline(summary["dropped_links"])))
    return _table("Costs and savings", ["", ""], rows)


def comparison(rows: Iterable[tuple[str, int, int, int]]) -> RenderableType:
    """Return duplicates found and known to be there: rows of (kind, expected, found, wrong)."""
    table = _table("Compared with the truth", ["kind", ">expected", ">found", ">wrong"])
    for kind, expected, found, wrong in rows:
        style = "red" if wrong or found != expected else ""
        table.add_row(kind, f"{expected:,}", f"{found:,}", f"{wrong:,}", style=style)
    return table


def _megabytes(size: float) -> str:
    return f"{size / 1e6:,.1f} MB"


def _table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str | int | Text]] = ()
) -> Table:
    """Return a table; `>` before a column's name puts it to the right."""
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for name in columns:
        justify: Any = "right" if name.startswith(">") else "left"
        table.add_column(name.removeprefix(">"), justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*(f"{cell:,}" if isinstance(cell, int) else cell for cell in row))
    return table


def _inline(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in counts.items() if number)
