"""A crawl in counts: while it runs (`Tally`), and as its summary, which reports are drawn from."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from crawler.models import (
    EXACT_PAYLOAD,
    EXACT_TEXT,
    NEAR,
    SIBLING,
    PageOutcome,
    RuleUse,
    Sibling,
    Totals,
    UrlState,
)

STAGES = ("decode_s", "parse_s", "extract_s", "fingerprint_s", "appearance_s")
"""Running totals of CPU seconds, by analysis stage."""

VERDICTS = (EXACT_PAYLOAD, EXACT_TEXT, NEAR, SIBLING)
"""What a duplicate is dropped as; siblings only where a job asks for it."""

MOST_RULES = 100
"""Rules of URLs that a summary lists."""
RETRYABLE = ("failures", "skipped")
"""Line files whose URLs can be put back to pending (`retry`)."""

Outcomes = Mapping[tuple[UrlState, str], int]
"""(state, detail) -> URLs that ended so."""


def format_time(at: float) -> str:
    """Return Unix seconds as ISO 8601 in UTC with milliseconds: `2024-05-01T12:00:00.000Z`."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


class Tally:
    """How URLs ended, over all runs of a crawl. Begins with what earlier runs left in the store."""

    def __init__(
        self,
        ends: Mapping[UrlState, int],
        wire_bytes: int = 0,
        told: Sequence[Callable[[PageOutcome], None]] = (),
        siblings: int = 0,
    ) -> None:
        """All of `told` hear of each end as well. `siblings` are those among the ends."""
        self._ends = Counter(ends)
        self._told = told
        self.siblings = siblings
        """Pages that were judged to be siblings, stored or dropped."""
        self.wire_bytes = wire_bytes
        """Of the bodies of all pages, as they travelled: what the byte limit counts."""

    def add(self, outcome: PageOutcome) -> None:
        """Count a URL's end."""
        self._ends[outcome.state] += 1
        self.siblings += isinstance(outcome.end, Sibling)
        self.wire_bytes += int(outcome.totals.sums.get("wire_bytes", 0))
        for tell in self._told:
            tell(outcome)

    def count(self, state: UrlState) -> int:
        """Return how many URLs ended in a state."""
        return self._ends[state]

    @property
    def pages(self) -> int:
        """Pages fetched and judged: what the page limit counts."""
        return self._ends[UrlState.STORED] + self._ends[UrlState.DUPLICATE]


def summarise(
    outcomes: Outcomes,
    problems: Sequence[str],
    totals: Totals,
    runs: Sequence[Mapping[str, Any]],
    hosts: int,
    retried: Mapping[str, int] | None = None,
    foreseen: Sequence[RuleUse] = (),
) -> dict[str, Any]:
    """Return the summary as JSON-ready data (schema: `crawler.engine.schema("summary")`).

    `problems` tells where files and URL table disagree, `totals` are the crawl's running totals,
    `runs` its runs as recorded, oldest first, `retried` how many lines of each file are of URLs
    that were put back since, `foreseen` what came of URLs that rules had wait behind others. Lists
    of hosts and URLs are empty: who knows the store fills them (`crawler.storage.summary`).
    """
    by_state: dict[UrlState, dict[str, int]] = {state: {} for state in UrlState}
    for (state, detail), number in sorted(outcomes.items()):
        by_state[state][detail] = number
    learned = totals.templates
    weighed = learned.get("weighed", 0.0)
    duplicates, sums = by_state[UrlState.DUPLICATE], totals.sums
    # A copy of a stored payload is not analysed; what that would have cost is the mean of the pages
    # that were.
    spent_s = sum(sums.get(stage, 0.0) for stage in STAGES)
    mean_s = spent_s / sums["analysed"] if sums.get("analysed") else 0.0
    over_budget = sorted(counts(totals.over_budget).items(), key=lambda of: (-of[1], of[0]))
    return {
        "started_at": format_time(runs[0]["started_at"]) if runs else None,
        "finished_at": format_time(runs[-1]["finished_at"]) if runs else None,
        "elapsed_s": round(
            # A clock that was set back while a run went on leaves no time that it took.
            sum(max(0.0, run["finished_at"] - run["started_at"]) for run in runs),
            3,
        ),
        "runs": len(runs),
        "stopped": bool(runs) and runs[-1]["stopped"],
        "longest_stall_s": round(max((run["stall_s"] for run in runs), default=0.0), 3),
        "stall_p99_s": round(max((run["stall_p99_s"] for run in runs), default=0.0), 3),
        "parts": (runs[-1].get("parts") if runs else None) or None,
        "hosts": hosts,
        "seen": sum(outcomes.values()),
        "stored": sum(by_state[UrlState.STORED].values()),
        "stored_by_verdict": by_state[UrlState.STORED],
        "stored_by_reason": counts(totals.reason),
        "duplicates": {kind: duplicates.get(kind, 0) for kind in VERDICTS},
        "duplicate_kinds": counts(totals.duplicate_kind),
        "evidence": counts(totals.evidence),
        "judged_on": counts(totals.judged_on),
        "read_by": counts(totals.read_by),
        "redirects": sum(by_state[UrlState.REDIRECT].values()),
        "failures": by_state[UrlState.FAILED],
        "skipped": by_state[UrlState.SKIPPED],
        "pending": sum(by_state[UrlState.PENDING].values()),
        "retried": {name: (retried or {}).get(name, 0) for name in RETRYABLE},
        "templates": {
            **{name: int(learned.get(name, 0)) for name in ("made", "audits", "revoked")},
            **{
                name: round(learned.get(name, 0.0) / weighed, 4) if weighed else None
                for name in ("precision", "recall")
            },
            "misread": int(learned.get("misread", 0)),
            "read_again": None,
            "revoked_of": [],
            "doubted_of": [],
        },
        **{name: [] for name in ("editions", "mirrors", "living_copies", "failed")},
        "foreseen": _foreseen(foreseen, sums),
        "rendered": rendered(totals.rendering),
        "revisited": counts(totals.revisit),
        **{name: [] for name in ("traps", "aside")},
        "identity_holds": not problems,
        "problems": list(problems),
        "saved": {
            "bytes": int(sums.get("duplicate_bytes", 0)),
            "analysis_s": round(duplicates.get(EXACT_PAYLOAD, 0) * mean_s, 3),
        },
        "totals": {
            name: int(value) if float(value).is_integer() else round(value, 3)
            for name, value in sorted(sums.items())
        },
        "dropped_links": counts(totals.dropped_link),
        "over_budget": [{"domain": domain, "links": links} for domain, links in over_budget],
    }


_OF_ALL: Mapping[str, Callable[[Sequence[Any]], Any]] = {
    "started_at": min,
    "finished_at": max,
    "elapsed_s": max,
    "runs": max,
    "stopped": any,
    "longest_stall_s": max,
    "stall_p99_s": max,
    "parts": lambda parts: parts[0],
    "precision": statistics.fmean,
    "recall": statistics.fmean,
    "read_again": lambda commands: commands[0],
    "identity_holds": all,
}
"""What a summary of several partitions says where it is no sum."""


def together(summaries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the summary of a crawl whose partitions have these: sums, and lists one after another.

    Agreement of templates is the mean over partitions.
    """
    merged: dict[str, Any] = {}
    for name in dict.fromkeys(name for each in summaries for name in each):
        found = [each[name] for each in summaries if each.get(name) is not None]
        if not found:
            merged[name] = None
        elif name in _OF_ALL:
            merged[name] = _OF_ALL[name](found)
        elif isinstance(found[0], Mapping):
            merged[name] = together(found)
        elif isinstance(found[0], list):
            merged[name] = [one for each in found for one in each]
        else:
            merged[name] = sum(found)
    return merged


def at_most_wrong(use: RuleUse) -> int:
    """Return how many of a rule's pending URLs bring something, at most, with 95 % confidence.

    Wilson's bound, as far as those that were asked for are like those that were not: a page that a
    site hides among others is not found by a sample.
    """
    return math.ceil(wilson(use.wrong, use.audits + use.late)[1] * use.pending)


def _foreseen(uses: Sequence[RuleUse], sums: Mapping[str, float]) -> dict[str, Any]:
    """Return what was foreseen in all, and the rules by which most was.

    What those that wait would take is told by the mean of those that were asked for.
    """
    most = sorted(uses, key=lambda use: (-use.urls, use.rule))[:MOST_RULES]
    counted = {name: sum(getattr(use, name) for use in uses) for name in RuleUse._fields[1:]}
    waiting = counted["pending"] / sums["foretold"] if sums.get("foretold") else None
    return {
        **counted,
        "at_most_wrong": sum(map(at_most_wrong, uses)),
        "bytes": None if waiting is None else round(waiting * sums["foretold_bytes"]),
        "seconds": None if waiting is None else round(waiting * sums["foretold_s"], 1),
        "rules": [{**use._asdict(), "at_most_wrong": at_most_wrong(use)} for use in most],
    }


RENDERED = ("pages", "compared", "characters", "links", "failed", "seconds")
"""What is counted of the pages of one part of a site that a browser rendered."""


def rendered(sums: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return what a browser brought and took, by part of a site, those with most pages first.

    `sums` are kept by host, part and what is counted (`crawler.sources.web.rendering`). A part
    with as many `brought` as not is read as it is sent.
    """
    parts: dict[tuple[str, str], dict[str, float]] = {}
    for name, number in sums.items():
        host, part, what = name.split(" ")
        parts.setdefault((host, part), {})[what] = number
    told: list[dict[str, Any]] = [
        {
            "host": host,
            "part": part,
            "brings": 2 * of.get("brought", 0) > of.get("tried", 0) or not of.get("tried"),
            **{name: int(of.get(name, 0)) for name in RENDERED[:-1]},
            "seconds": round(of.get("seconds", 0.0), 3),
        }
        for (host, part), of in parts.items()
    ]
    return sorted(told, key=lambda of: (-of["pages"], of["host"], of["part"]))


def counts(by_name: Mapping[str, float]) -> dict[str, int]:
    """Return one kind of totals as whole numbers, in the order of their names."""
    return {name: int(number) for name, number in sorted(by_name.items())}


Z = 1.959963984540054
"""The normal quantile of .975: for an interval of 95 %."""


def wilson(found: int, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % score interval of a share, 0..1; (0, 1) of nothing.

    Wilson, JASA 22 (1927); Brown, Cai and DasGupta (Statistical Science 16, 2001) recommend it for
    samples as small as those here: unlike the textbook's p ± z √(p(1-p)/n) it holds what it
    promises where hardly any is wrong.
    """
    if not of:
        return 0.0, 1.0
    middle = (found + Z * Z / 2) / (of + Z * Z)
    half = Z / (of + Z * Z) * math.sqrt(found * (of - found) / of + Z * Z / 4)
    return (middle - half if found else 0.0), (middle + half if found < of else 1.0)
