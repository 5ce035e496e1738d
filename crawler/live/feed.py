"""The last URLs that ended: each with its verdict, the page it is like, and why."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from crawler.explain.wording import told_evidence
from crawler.printing import safe, without_passwords
from crawler.records import EXACT_PAYLOAD, EXACT_TEXT, Batch, UrlState
from crawler.report.wording import TOO_LITTLE

MOST_KEPT = 200
"""Ends that a reader can be given: some minutes of a polite crawl, seconds of a fast one."""

MOST_CHARACTERS = 300
"""Of a URL, a title, a reason: what a line of a page has room for."""

_EXACT = {
    EXACT_PAYLOAD: "the same bytes",
    EXACT_TEXT: "all that is visible is the same",
}

Entry = dict[str, Any]


class Feed:
    """The last ends by number, from 1 on. Keeps words, and nothing of a page's text."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=MOST_KEPT)
        self.last = 0
        """The number of the last one."""

    def add(self, batch: Batch, at: float) -> None:
        """Take in an end at this time, Unix seconds."""
        if not batch.lines:
            return
        self.last += 1
        self._entries.append({"number": self.last, "at": at, **entry(batch)})

    def after(self, number: int) -> list[Entry]:
        """Return the ends after this one that are kept, oldest first."""
        missing = min(max(0, self.last - number), len(self._entries))
        return list(self._entries)[len(self._entries) - missing :]


def entry(batch: Batch) -> Entry:
    """Return what is told of an end: `url`, `title`, `state`, `verdict`, `of`, `why`; all text.

    `of` is the URL of the page that it is like, or where a redirect leads; null where there is
    none. No text has control characters, a password, or more than MOST_CHARACTERS.
    """
    name, line = batch.lines[0]
    of = line.get("duplicate_of") or line.get("sibling_of") or {}
    target = of.get("url") if of else line.get("target")
    return {
        "url": _shown(line["url"]),
        "title": _shown(line.get("title")),
        "state": batch.state.name.lower(),
        "verdict": batch.detail,
        "of": _shown(target) or None,
        "why": _shown(_why(name, line, batch)),
    }


def _why(name: str, line: Mapping[str, Any], batch: Batch) -> str:
    if batch.state in (UrlState.FAILED, UrlState.SKIPPED):
        return str(line.get("detail") or "")
    if batch.state is UrlState.REDIRECT:
        return f"answered {line['status']}"
    if (exact := _EXACT.get(batch.detail)) is not None:
        return exact
    if (reason := line.get("reason")) and name == "pages":
        return ": ".join(TOO_LITTLE.get(reason, (str(reason),)))
    return "; ".join(_likeness(line))


def _likeness(line: Mapping[str, Any]) -> list[str]:
    """Return how like a near duplicate or a sibling is, and what made it the one or the other."""
    similarity, evidence = line.get("similarity"), line.get("evidence")
    told = [] if similarity is None else [f"{similarity:.1%} of the text in common"]
    return told if evidence is None else [*told, told_evidence(evidence)]


def _shown(text: str | None) -> str:
    if not text:
        return ""
    made = safe(without_passwords(text[: 2 * MOST_CHARACTERS]))
    return made if len(made) <= MOST_CHARACTERS else f"{made[: MOST_CHARACTERS - 1]}…"
