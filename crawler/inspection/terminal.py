"""What is known of a URL, told in lines. Nothing that came from the web can move a cursor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crawler.inspection.history import Inspection
from crawler.observe.summary import format_time
from crawler.printing import command, safe
from crawler.records import UrlState
from crawler.storage import AlikeUrl, Known

MOST_SHOWN = 10
"""Copies and siblings that are named, and steps of the way."""

_STATES = {
    UrlState.PENDING: "pending: it waits to be fetched",
    UrlState.STORED: "stored",
    UrlState.DUPLICATE: "a duplicate",
    UrlState.REDIRECT: "a redirect",
    UrlState.FAILED: "failed",
    UrlState.SKIPPED: "left out",
}
_ROBOTS = {True: "allows it", False: "forbids it", None: "not known: its site was not asked"}


def told(found: Inspection) -> Iterator[tuple[str, str]]:
    """Yield (what, what is known of it), what matters most first; `what` is empty where it goes on.

    No line holds a control character.
    """
    for name, text in _told(found):
        yield name, safe(text)


def _told(found: Inspection) -> Iterator[tuple[str, str]]:
    yield "URL", found.url
    if found.known is None:
        yield "state", "never queued: no page linked to it, or what did was refused"
    else:
        yield "state", _state(found.known)
    yield from _ended(found)
    yield from _found(found)
    yield "robots.txt", _ROBOTS[found.robots]
    if found.refusal is not None:
        yield "refused by", found.refusal
    elif found.known is None:
        yield (
            "refused by",
            "nothing: the job would fetch it, if a page within its depth links to it",
        )
    for row in found.trouble:
        at = format_time(row.tried_at)
        yield "trouble", f"{row.place}: {row.why} (tried {row.tries:,} times, last {at})"
    yield from _alike(found)
    for number, url in enumerate(found.similar):
        yield "" if number else "similar", url


def _state(known: Known) -> str:
    detail = f" ({known.detail})" if known.detail else ""
    return f"{_STATES[known.state]}{detail}"


def _ended(found: Inspection) -> Iterator[tuple[str, str]]:
    if found.line is None:
        return
    record = found.line.record
    yield "ended", ", ".join(_facts(record))
    if why := record.get("detail"):
        yield "why", str(why)
    if target := record.get("target"):
        yield "leads to", f"{target} ({record['offered']})"
    if record.get("verdict"):
        yield "verdict", _verdict(record)
    if record.get("title"):
        yield "title", str(record["title"])
    if found.line.is_stored:
        yield "read by", _reading(record)
    yield "line", f"{found.line.kind}.jsonl" + (f", id {record['id']}" if "id" in record else "")
    if record.get("warc_filename"):
        yield "archive", f"{record['warc_filename']}, offset {record['warc_offset']:,}"


def _facts(record: Mapping[str, Any]) -> Iterator[str]:
    yield str(record["fetched_at"])
    if record.get("status"):
        yield f"status {record['status']}"
    if record.get("content_type"):
        yield str(record["content_type"])
    if record.get("attempts"):
        yield f"attempts {record['attempts']}"


def _verdict(record: Mapping[str, Any]) -> str:
    like = record.get("duplicate_of") or record.get("sibling_of")
    verdict = str(record["verdict"])
    if like is None:
        return verdict
    of = f"{verdict} of {like['url']} (id {like['id']})"
    if like.get("against"):
        of += f" in {like['against']}"
    parts = [of]
    if record.get("similarity") is not None:
        parts.append(f"similarity {record['similarity']:.3f}")
    if record.get("evidence"):
        parts.append(f"evidence: {record['evidence']}")
    return ", ".join(parts)


def _reading(record: Mapping[str, Any]) -> str:
    version = f" version {record['template']}" if record.get("template") else ""
    chars = record["counts"]["text_chars"]
    return f"{record['read_by']}{version}, {chars:,} characters, judged on {record['judged_on']}"


def _found(found: Inspection) -> Iterator[tuple[str, str]]:
    known = found.known
    if known is None:
        return
    yield "depth", f"{known.depth:,}" + (", a seed" if known.seed else "")
    for number, step in enumerate(found.way[:MOST_SHOWN]):
        seed = " (a seed)" if step.seed else ""
        yield "found on" if not number else "", f"{step.url}{seed}"
    if len(found.way) > MOST_SHOWN:
        yield "", f"... and {len(found.way) - MOST_SHOWN:,} more steps"


def _alike(found: Inspection) -> Iterator[tuple[str, str]]:
    others = [each for each in found.alike if each.url != found.url]
    if found.page is None or not others:
        return
    page = found.page.record
    copies = sum(each.state is UrlState.DUPLICATE for each in others)
    of = "it" if page["url"] == found.url else f"page {page['id']}"
    yield "like " + of, f"{copies:,} copies, {len(others) - copies:,} siblings"
    yield from (("", _named(each)) for each in others[:MOST_SHOWN])
    if len(others) > MOST_SHOWN:
        yield "", f"... and {len(others) - MOST_SHOWN:,} more"


def _named(each: AlikeUrl) -> str:
    return f"{each.detail}  {each.url}"


def next_steps(found: Inspection, directory: Path) -> Iterator[str]:
    """Yield command lines that tell more, or change what was found."""
    known = found.known
    if known is None:
        if found.refusal is None:
            yield command("add", directory, found.url)
        return
    if found.line is not None and known.like is not None and found.page is not None:
        yield command("explain", found.url, str(found.page.record["id"]), "--output", directory)
    if known.state is UrlState.FAILED:
        yield command("retry", directory, "--class", known.detail)
