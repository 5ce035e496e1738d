"""The summary of a crawl, from its store alone: what `report` shows and `summary.json` keeps."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler.console import command
from crawler.frontier import cut_records
from crawler.models import SIBLING, Learned, UrlState
from crawler.observe.summary import format_time, summarise
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import ARCHIVES, SUMMARY, named, replacing
from crawler.storage.elsewhere import living_copies, mirrors
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView, all_learned
from crawler.urls.editions import Editions, claim_of

if TYPE_CHECKING:
    from crawler.extract.templates import Figures

MOST_ASIDE = 100
"""What is put aside and told of: a crawl of dead hosts has no longer summary than another one."""
MOST_REVOKED = 100
"""Hosts told of whose templates were revoked, and whose are in doubt."""
MOST_EDITIONS = 100
"""Places in addresses told of that tell editions apart."""
MOST_MIRRORS, MOST_LIVING = 100, 100
"""Pairs of trees told of that show the same, and pages that are gone with a living copy."""
MOST_FAILED = 100
"""URLs told of that failed, the first ones; `failures.jsonl` has all."""
MOMENT_S = 60.0
"""A host that may be asked again within a moment does not have its time told."""
_FAILED = f"""
SELECT u.url, u.detail, r.url FROM urls AS u LEFT JOIN urls AS r ON r.id = u.referrer_id
WHERE u.state = {UrlState.FAILED.value} ORDER BY u.id LIMIT ?
"""
_REVOKED = """
SELECT host, revoked FROM learners WHERE revoked > 0 ORDER BY revoked DESC, host LIMIT ?
"""
_SIBLINGS = f"""
SELECT u.url, o.url FROM urls AS u JOIN documents AS d ON d.id = u.duplicate_of
JOIN urls AS o ON o.id = d.url_id WHERE u.state = {UrlState.STORED.value} AND u.detail = '{SIBLING}'
"""


def read_summary(view: StoreView) -> dict[str, Any]:
    """Return the summary of a crawl as its store stands now."""
    with reading_stored_values(view.directory):
        accounting, found = view.accounting(), mirrors(view)
        # Where the last run had the trap rule turned off nothing is told of what it cut.
        traps = (view.meta(Meta.JOB) or {}).get("traps", {}).get("enabled", True)
        totals = view.totals
        summary = summarise(
            accounting.outcomes,
            [*accounting.problems, *view.lost_lines()],
            totals,
            view.meta(Meta.RUNS, []),
            view.database.cell("SELECT count(*) FROM hosts"),
            accounting.retried,
            view.rule_uses(),
        )
        summary["templates"] |= {
            "read_again": read_again(view) if totals.templates.get("misread") else None,
            "revoked_of": [
                {"host": host, "times": times, "misread": _figures(view.learned(host)).misread}
                for host, times in view.database.rows(_REVOKED, (MOST_REVOKED,))
            ],
            "doubted_of": list(islice(_doubted(view), MOST_REVOKED)),
        }
        return summary | {
            "editions": _editions(view),
            "mirrors": [mirror.record() for mirror in found[:MOST_MIRRORS]],
            "living_copies": [
                {"url": url, "living_copy": copy}
                for url, copy in islice(living_copies(view, found), MOST_LIVING)
            ],
            "failed": [
                {"url": url, "failure": failure, "referrer": referrer}
                for url, failure, referrer in view.database.rows(_FAILED, (MOST_FAILED,))
            ],
            "traps": [
                {
                    "subtree": cut["name"],
                    "rule": "endless",
                    **{key: cut[key] for key in ("fetched", "new", "duplicates", "repeating")},
                    "found": cut["fetched"] + cut["pending"],
                    **{key: cut[key] for key in ("pending", "streak", "streak_new")},
                    "growth": round(cut["streak_found"] / max(1, cut["streak"]), 3),
                }
                for cut in (cut_records(view.meta(Meta.TRAPS, {})) if traps else ())
            ],
            "aside": _aside(view),
        }


def read_again(view: StoreView) -> str | None:
    """Return the command that reads a crawl's pages again, by what its sites have taught by now.

    From its own archives, or, where it keeps none, from the web; None where others read them.
    """
    directory = view.directory
    if ARCHIVES in view.meta(Meta.IDENTITY, {}):
        return None
    if view.archives():
        place = named(directory)
        output = place.with_name(f"{place.name}.reread")
        return command("reread", directory, "--output", output)
    return command("recrawl", directory, "--all")


def _doubted(view: StoreView) -> Iterator[dict[str, Any]]:
    """Yield the hosts whose template and extractor disagree in the mean of their audits.

    To look for them takes a millisecond a host; there is a count of them.
    """
    for known in all_learned(view) if view.totals.templates.get("doubted", 0) > 0 else ():
        if (figures := _figures(known)).is_doubted:
            means = figures.precision or 0.0, figures.recall or 0.0
            precision, recall = (round(mean, 4) for mean in means)
            yield {"host": known.host, "precision": precision, "recall": recall}


def _figures(known: Learned | None) -> Figures:
    """Return what came of a host's template; nothing of what is damaged: `check` tells of that."""
    # It loads what reads pages, which a report needs for such hosts alone.
    from crawler.extract.templates import Figures, Learner

    with suppress(ValueError):
        if known is not None:
            return Learner.restored(known.state, known.template).figures
    return Figures()


def _editions(view: StoreView) -> list[dict[str, Any]]:
    """Return what addresses mean, as pages have proven: where most pairs agree, first.

    With how many pages are stored that are like one of another edition: from before that was known,
    or since names or numbers contradict it.
    """
    known = Editions()
    known.restore(view.editions())
    stored: Counter[str] = Counter()
    for url, like in view.database.stream(_SIBLINGS) if (earned := list(known.earned())) else ():
        claim = claim_of(url, like)
        if claim is not None and known.support(claim).is_earned:
            stored[claim.slot] += 1
    records: list[dict[str, Any]] = [
        {
            "where": one.slot,
            "editions": list(one.values),
            "agree": one.agree,
            "against": one.against,
            "stored": stored[one.slot],
        }
        for one in earned
    ]
    return sorted(records, key=lambda record: (-record["agree"], record["where"]))[:MOST_EDITIONS]


def _aside(view: StoreView) -> list[dict[str, Any]]:
    """Return the hosts and origins that are put aside and have pending URLs, the most first."""
    failing = [row for row in view.health() if row.tries]
    if not failing:
        return []
    pending = dict(view.pending())
    not_before = {pause.host: pause.until for pause in view.pauses()}
    found: list[dict[str, Any]] = []
    for row in failing:
        host = row.place.rpartition("://")[2]
        if host in pending:
            until = not_before.get(host, 0.0)
            found.append(
                {
                    "place": row.place,
                    "pending": pending[host],
                    "why": row.why,
                    "tries": row.tries,
                    "tried_at": format_time(row.tried_at),
                    "not_before": format_time(until) if until > row.tried_at + MOMENT_S else None,
                }
            )
    return sorted(found, key=lambda record: (-record["pending"], record["place"]))[:MOST_ASIDE]


def write_summary(directory: Path) -> None:
    """Write `summary.json` in one step, so that no reader finds half of it.

    Raises StoreError where the directory cannot be read or written.
    """
    with StoreView.read(directory) as view, reading_stored_values(directory):
        summary = json.dumps(read_summary(view), indent=2) + "\n"
    with replacing(directory / SUMMARY) as part:
        part.write_text(summary, encoding="utf-8")
