"""The report of a crawl as tables for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from crawler.console import command, safe
from crawler.frontier import PASSING, PASSING_SKIPS
from crawler.models import (
    EXACT_PAYLOAD,
    EXACT_TEXT,
    NEAR,
    SIBLING,
    TEMPLATE,
    JudgedOn,
    StoredRef,
    UrlState,
)
from crawler.observe.summary import STAGES, VERDICTS, Outcomes
from crawler.sources.inputs import document_name
from crawler.views.render import LEAST_HOST, table
from crawler.views.wording import (
    EVIDENCE,
    JUDGED_ON,
    KINDS,
    OF_A_CORPUS,
    OF_A_CRAWL,
    TOO_LITTLE,
    misread,
    ran,
)


def inline(counts: Mapping[str, int]) -> str:
    """Return counts in one line, without those that are nothing."""
    return ", ".join(f"{name} {number:,}" for name, number in counts.items() if number)


def comparison(rows: Iterable[tuple[str, int, int, int]]) -> RenderableType:
    """Return duplicates found and known to be there: rows of (kind, expected, found, wrong)."""
    made = table("Compared with the truth", ["kind", ">expected", ">found", ">wrong"])
    for kind, expected, found, wrong in rows:
        style = "red" if wrong or found != expected else ""
        made.add_row(kind, f"{expected:,}", f"{found:,}", f"{wrong:,}", style=style)
    return made


_HEADINGS = {
    EXACT_PAYLOAD: "exact-\npayload",
    EXACT_TEXT: "exact-\ntext",
    SIBLING: "sib-\nlings",
    "redirects": "redi-\nrects",
    "duplicates": "dupli-\ncates",
}
"""Headings of narrow columns, where they are not the name itself."""

_COLUMNS = {
    UrlState.STORED: "stored",
    UrlState.DUPLICATE: "duplicates",
    UrlState.REDIRECT: "redirects",
    UrlState.FAILED: "failed",
    UrlState.SKIPPED: "skipped",
    UrlState.PENDING: "pending",
}

_ENOUGH = 1000
"""Columns within which every table is as narrow as it can be, and no narrower."""


class VerdictsByHost:
    """A row a host: how its URLs ended, with as many columns as there is room for.

    Where room is short it says less, of each host; the column of the host is always there.
    """

    def __init__(
        self, hosts: Sequence[tuple[str, Outcomes]], of: int, called: str = "host"
    ) -> None:
        """Take the largest of so many hosts; a corpus has files in their place."""
        self._hosts = hosts
        self._of = of
        self._called = called
        self._longest = max((len(safe(host)) for host, _ in hosts), default=0)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give the widest table that fits."""
        there: Counter[str] = Counter()
        for _, outcomes in self._hosts:
            there += self._counts(outcomes)
        for names in (
            ["stored", *VERDICTS, "redirects", "failed", "skipped", "pending"],
            ["stored", "duplicates", "failed", "skipped", "pending"],
            ["stored", "duplicates", "failed", "pending"],
            ["stored", "duplicates"],
        ):
            shown = [name for name in names if there[name]]
            made = self._table(shown, "." if options.ascii_only else "·")
            wide = Measurement.get(console, options.update(width=_ENOUGH), made).minimum
            if wide - max(0, self._longest - LEAST_HOST) <= options.max_width:
                break
        yield made

    @staticmethod
    def _counts(outcomes: Outcomes) -> Counter[str]:
        counts: Counter[str] = Counter()
        for (state, detail), number in outcomes.items():
            counts[_COLUMNS[state]] += number
            if state is UrlState.DUPLICATE:
                counts[detail] += number
        return counts

    def _table(self, names: Sequence[str], nothing: str) -> Table:
        rows = []
        for host, outcomes in self._hosts:
            counts = self._counts(outcomes)
            rows.append([host, *(counts[name] or nothing for name in names)])
        title = f"Verdicts by {self._called}"
        headings = _HEADINGS if self._called == "host" else {**_HEADINGS, "stored": "kept"}
        if len(self._hosts) < self._of:
            title += f" (the {len(self._hosts)} largest of {self._of})"
        made = table(
            title, [self._called, *(f">{headings.get(name, name)}" for name in names)], rows
        )
        made.padding = (0, 0)  # so that 80 columns hold it and 15 characters of a host
        made.columns[0].min_width = min(self._longest, LEAST_HOST)
        for column in made.columns[1:]:
            column.no_wrap = True
        return made


MOST = 8
"""Rules of URLs, mirrors, living copies and failed URLs that a terminal shows."""
MOST_EDITIONS = 20
"""Places in addresses told of: `summary.json` has more."""
MOST_REVOKED = 5
"""Hosts named whose templates were given up: `summary.json` names more."""


def reading(summary: Mapping[str, Any]) -> str:
    """Return how many pages were read by what was learned of their sites, and what was given up."""
    read, templates = summary["read_by"], summary["templates"]
    share = read.get(TEMPLATE, 0) / sum(read.values())
    told = f"{share:.0%} of the pages that were read were read by learned templates"
    if templates["audits"]:
        told += f"; {templates['audits']:,} of them were read by the extractor too, as audits"
    if templates["precision"] is not None:
        means = f"precision {templates['precision']:.0%}, recall {templates['recall']:.0%}"
        told += f" ({means} in the mean)"
    told += "."
    if hosts := [safe(row["host"]) for row in templates["revoked_of"]]:
        named = _named(hosts)
        number = templates["revoked"]
        one = ("template was", "it, and is") if number == 1 else ("templates were", "them, and are")
        told += (
            f" {number:,} {one[0]} given up because audits disagreed with {one[1]} learned anew: "
            f"{named}."
        )
    return told


def template_warnings(summary: Mapping[str, Any], directory: Path) -> Iterator[tuple[str, str]]:
    """Yield what somebody should know about learned templates, and the command that helps."""
    templates = summary["templates"]
    if templates["misread"]:
        hosts = [
            f"{safe(row['host'])} ({row['misread']:,})"
            for row in templates["revoked_of"]
            if row["misread"]
        ]
        told = f"{misread(templates['misread'])}: {_named(hosts)}."
        again = templates["read_again"]
        yield (f"{told} To read them again:", again) if again else (told, "")
    if doubted := templates["doubted_of"]:
        hosts = [
            f"{safe(row['host'])} (precision {row['precision']:.0%}, recall {row['recall']:.0%})"
            for row in doubted
        ]
        told = (
            f"In doubt: template and extractor keep other lines of {_named(hosts)}. Either may be "
            "right. To look:"
        )
        host = doubted[0]["host"]
        yield told, command("templates", directory, host, "--html", "template.html")


def _named(hosts: Sequence[str]) -> str:
    return ", ".join(hosts[:MOST_REVOKED]) + (" and others" if len(hosts) > MOST_REVOKED else "")


MOST_DOMAINS = 20
"""Domains with links that were not queued: the report is to be read, the summary has them all."""


def url_rules(
    uses: Sequence[Mapping[str, Any]],
) -> tuple[Sequence[str], Sequence[Sequence[str | int]]]:
    """Return columns, and a row a rule of URLs: how it was used, and how often it was wrong."""
    kinds = ("urls", "pending", "audits", "late", "wrong", "at_most_wrong")
    rows = [[use["rule"], *(use[kind] for kind in kinds)] for use in uses]
    return ["rule", ">URLs", ">waiting", ">audits", ">late", ">wrong", ">at most"], rows


def size(number: float) -> str:
    """Return a number of bytes, rounded."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:,.1f} {unit}"
    return f"{number:,.0f} B"


def put_off(foreseen: Mapping[str, Any]) -> str:
    """Return how many URLs wait behind others, what they would take, and how many may be wrong."""
    told = f"{foreseen['urls']:,} URLs, {foreseen['pending']:,} of them wait"
    if foreseen["pending"] and foreseen["bytes"] is not None:
        told += (
            f" and would take some {size(foreseen['bytes'])} and {foreseen['seconds']:,.0f} s of "
            f"answers, and as many pauses; at most {foreseen['at_most_wrong']:,} bring something"
        )
    return told


def cut_subtrees(
    cuts: Sequence[Mapping[str, Any]],
) -> tuple[Sequence[str], Sequence[Sequence[str | int]]]:
    """Return columns, and a row a cut subtree: what it brought, what is held back and why."""
    names = ("fetched", "new", "duplicates", "found", "pending")
    rows = []
    for cut in cuts:
        why = (
            f"of the last {cut['streak']:,} pages {cut['streak_new']:,} were new, and each page "
            f"linked to {cut['growth']:.1f} further URLs there"
        )
        if cut["repeating"]:
            why += f"; {cut['repeating']:,} paths repeat themselves"
        rows.append([cut["subtree"], *(cut[name] for name in names), why])
    return ["subtree", *(f">{name}" for name in names), "why"], rows


def rendered_parts(
    parts: Sequence[Mapping[str, Any]],
) -> tuple[Sequence[str], Sequence[Sequence[str | int]]]:
    """Return columns, and a row a part of a site: what rendering brought, and how long it took."""
    rows: list[Sequence[str | int]] = []
    for part in parts:
        compared, pages = part["compared"], part["pages"]
        brought = (
            f"{part[name] / compared:,.0f}" if compared else "" for name in ("characters", "links")
        )
        seconds = f"{part['seconds'] / pages:.1f}" if pages else ""
        rows.append((part["host"], pages, "yes" if part["brings"] else "no", *brought, seconds))
    heads = ["host", ">pages", "brings", ">characters a page", ">links a page", ">s a page"]
    return heads, rows


MIRRORS = "Mirrors and editions: places that show the same (waiting: foreseen or not)"
MIRROR_HEADS = ["original", "shows the same", "kind", ">share", ">of paths", ">waiting", "differs"]


def mirror_rows(
    found: Iterable[Mapping[str, Any]],
) -> Iterator[Sequence[str | int]]:
    """Yield a row for each pair of trees: what shows the same as what, how much, and how sure."""
    for one in found:
        degree, low, high = (f"{one[name]:.1%}" for name in ("degree", "degree_low", "degree_high"))
        declared = " (canonical links)" if one["told_by"] == "canonical" else ""
        yield (
            *(
                one["original"] + declared,
                one["mirror"],
                one["kind"],
                f"{degree} ({low} to {high})",
            ),
            *(one["agree"] + one["against"], one["waiting"]),
            one["differ"][0][1] if one["differ"] else "",
        )


def failed_urls(s: Mapping[str, Any], most: int) -> tuple[str, list[str], list[Sequence[str]]]:
    """Return title, columns and rows of so many URLs that failed, each with the page to mend."""
    title, number = "URLs that failed", sum(s["failures"].values())
    if number > min(most, len(s["failed"])):
        title += f": the first of {number:,} (failures.jsonl has all)"
    rows = [(one["failure"], one["url"], one["referrer"] or "") for one in s["failed"][:most]]
    return title, ["class", "URL", "linked from"], [*rows]


Rows = list[Sequence[str | int | Text] | None]


def report(
    summary: Mapping[str, Any],
    directory: Path,
    hosts: Sequence[tuple[str, Outcomes]],
    clusters: Sequence[tuple[StoredRef, int]],
    families: Sequence[tuple[StoredRef, int]] = (),
    *,
    with_costs: bool = False,
    of_corpus: bool = False,
) -> Iterator[RenderableType]:
    """Yield the report's parts, top to bottom, from a summary and the store's aggregates.

    `directory` is what its commands are about. `hosts` are (host, outcomes), `clusters` (stored
    page, number of its duplicates), `families` (stored page, number of its siblings), all largest
    first. `of_corpus`: nothing was crawled, the words are those of documents.
    """
    s = summary
    words = OF_A_CORPUS if of_corpus else OF_A_CRAWL
    one, many, stored = words.page, f"{words.url}s", words.stored
    verdict = Text("= the sum of the above, and the output files agree", style="green")
    if not s["identity_holds"]:
        verdict = Text("does not add up: " + "; ".join(s["problems"]), style="bold red")
    ends = [
        (stored, s["stored"], inline(s["stored_by_verdict"])),
        ("duplicates", sum(s["duplicates"].values()), inline(s["duplicates"])),
        ("redirects", s["redirects"], ""),
        ("failures", sum(s["failures"].values()), inline(s["failures"])),
        ("skipped", sum(s["skipped"].values()), inline(s["skipped"])),
        ("pending", s["pending"], ""),
    ]
    rows: Rows = [*(end for end in ends if end[1]), None, ("seen", s["seen"], verdict)]
    yield table(f"Where every {words.url} ended", ["", f">{many}", ""], rows)
    if hosts:
        yield VerdictsByHost(hosts, s["hosts"], words.host)
    if s["judged_on"]:
        rows, pages = [], s["stored"] + sum(s["duplicates"].values())
        counts = s["judged_on"] | {"bytes": pages - sum(s["judged_on"].values())}
        if of_corpus and {*s["judged_on"]} == {JudgedOn.MAIN}:
            counts = {}  # each of a corpus of texts is judged on its text, which is not told
        for section, told in ((counts, JUDGED_ON), (s["stored_by_reason"], TOO_LITTLE)):
            for name, (label, meaning) in told.items():
                if number := section.get(name, 0):
                    rows.append((label, number, f"{number / pages:.1%}", meaning))
            rows.append(None)
        title = f"Text on which {one}s were judged"
        if any(rows):
            yield table(title, ["", f">{one}s", ">share", ""], rows)
    if s["read_by"].get(TEMPLATE):
        yield Text(reading(s))
    for warning, way in template_warnings(s, directory):
        yield Text(warning, "bold red")
        if way:
            yield Text(f"    {way}", no_wrap=True)
    if counts := s["duplicate_kinds"]:
        of = sum(counts.values())
        rows = [
            (content, layout, counts[kind], f"{counts[kind] / of:.0%}")
            for kind, content, layout in KINDS
            if counts.get(kind)
        ]
        yield table("Kinds of duplicate", ["content", "layout", ">duplicates", ">share"], rows)
    if s["revisited"]:
        yield table("Visited again", ["found", ">pages"], _most_first(s["revisited"]))
    if counts := s["evidence"]:
        rows = [
            (NEAR if code.is_copy else SIBLING, code.value, counts[code], meaning)
            for code, meaning in EVIDENCE.items()
            if counts.get(code)
        ]
        title = "Copies and siblings, by evidence"
        yield table(title, ["verdict", "evidence", f">{one}s", ""], rows)
    if places := s["editions"]:
        title = "Editions: what addresses mean, as their pages have proven"
        if len(places) > MOST_EDITIONS:
            title += f"; the {MOST_EDITIONS} first of {len(places):,}"
        rows = [
            (
                place["where"],
                # Of parameters any value is as good.
                ", ".join(value or "(nothing)" for value in place["editions"])
                if any(place["editions"])
                else "any value",
                *(place[name] for name in ("agree", "against", "stored")),
            )
            for place in places[:MOST_EDITIONS]
        ]
        yield table(title, ["where", "editions", ">agree", ">against", ">stored"], rows)
    if s["mirrors"]:
        rows = [*mirror_rows(s["mirrors"][:MOST])]
        yield table(MIRRORS, MIRROR_HEADS, rows)
    if copies := s["living_copies"]:
        rows = [(one["url"], one["living_copy"]) for one in copies[:MOST]]
        yield table("Pages that are gone, with a living copy", ["gone", "living copy"], rows)
    for title, heads, groups in (
        ("Largest clusters", [">duplicates", f">{one}", f"{stored} as"], clusters),
        ("Largest families of siblings", [">siblings", f">{one}", "all like"], families),
    ):
        if groups:
            rows = [(size, str(ref.id), document_name(ref.url)) for ref, size in groups]
            yield table(title, heads, rows)
    if (foreseen := s["foreseen"])["urls"]:
        title = (
            f"Foreseen to bring little: {put_off(foreseen)} "
            f"(all rules: {command('rules', directory)})"
        )
        yield table(title, *url_rules(foreseen["rules"][:MOST]))
    if s["rendered"]:
        title = "Rendered by a browser, by the scripts that pages load"
        yield table(title, *rendered_parts(s["rendered"][:MOST]))
    if s["traps"]:
        rest = command("resume", directory, "--release", "all")
        title = f"Cut as endless (to fetch the rest: {rest})"
        yield table(title, *cut_subtrees(s["traps"]))
    if s["aside"]:
        rows = [
            (of["place"], of["pending"], of["tried_at"][:-5] + "Z", of["why"]) for of in s["aside"]
        ]
        heads = ["host", ">pending", "failed last", "why"]
        yield table("Put aside (resume tries them again)", heads, rows)
    if domains := s["over_budget"]:
        title = "Links not queued, long and too many (to have more: frontier.long_url_bytes)"
        if len(domains) > MOST_DOMAINS:
            title += f"; the {MOST_DOMAINS} largest of {len(domains):,}"
        rows = [(row["domain"], row["links"]) for row in domains[:MOST_DOMAINS]]
        yield table(title, ["on pages of", ">links"], rows)
    for title, counts in (("Failures", s["failures"]), ("Skipped", s["skipped"])):
        if counts:
            yield table(title, ["class", f">{many}"], _most_first(counts))
        if title == "Failures" and s["failed"]:
            yield table(*failed_urls(s, MOST))
    advice = []
    for section, passing, flags in (
        ("failures", PASSING, ()),
        ("skipped", PASSING_SKIPS, [w for reason in PASSING_SKIPS for w in ("--class", reason)]),
    ):
        if number := sum(s[section].get(name, 0) for name in passing):
            names = ", ".join(sorted(name for name in passing if s[section].get(name)))
            advice.append(
                f"May succeed later: {names}, {number:,} in all. To have them asked for again: "
                + command("retry", directory, *flags)
            )
    if advice:
        yield Text("\n".join(advice))
    if with_costs:
        yield costs(s, of_corpus=of_corpus)


def costs(s: Mapping[str, Any], *, of_corpus: bool = False) -> RenderableType:
    """Return the table of what a run took, and what judging inline saved; without what is 0."""
    totals, saved = s["totals"], s["saved"]
    wire, body, kept = (
        f"{size / 1e6:,.1f} MB"
        for size in (totals.get("wire_bytes", 0), totals.get("body_bytes", 0), saved["bytes"])
    )
    cpu = f"{saved['analysis_s']:,.2f} s of CPU"
    rows = [("time", ran(s["elapsed_s"], s["runs"]))]
    if of_corpus:
        rows.append(("read", f"{body} of documents"))
    else:
        rows += [("transferred", f"{wire} of bodies"), ("decompressed", body)]
    if saved["bytes"]:
        rows.append(("not stored", f"{kept} of duplicates"))
    if saved["analysis_s"]:
        rows.append(("not analysed", f"{cpu}, for what has the same bytes as something stored"))
    if analysed := totals.get("analysed", 0):
        stages = (
            f"{stage.removesuffix('_s')} {1000 * totals[stage] / analysed:.1f}"
            for stage in STAGES
            if totals.get(stage)
        )
        each = "document" if of_corpus else "page"
        rows.append(("analysis", f"{', '.join(stages)} ms of CPU a {each}"))
    if s["dropped_links"]:
        rows.append(("links not queued", inline(s["dropped_links"])))
    return table("Costs and savings", ["", ""], rows)


def _most_first(counts: Mapping[str, int]) -> Rows:
    return [*sorted(counts.items(), key=itemgetter(1), reverse=True)]


def print_report(console: Console, parts: Iterable[RenderableType]) -> None:
    """Print renderables with a blank line between them."""
    for part in parts:
        # A command is to be copied: it is never broken.
        console.print(part, soft_wrap=isinstance(part, Text) and part.no_wrap is True)
        console.print()


def can_be_audited(summary: Mapping[str, Any]) -> bool:
    """Whether there are pages to check by eye: dropped but for the same bytes, or siblings."""
    dropped, stored = summary["duplicates"], summary["stored_by_verdict"]
    return any((*map(dropped.get, (NEAR, EXACT_TEXT, SIBLING)), stored.get(SIBLING)))
