"""The end of a URL, as it is shown to who watches: words, and nothing of a page's text."""

from __future__ import annotations

from typing import Any, NamedTuple

from crawler.console import safe, without_passwords
from crawler.models import EXACT_PAYLOAD, EXACT_TEXT, PageOutcome, UrlState
from crawler.urls import host_key
from crawler.views.wording import TOO_LITTLE, evidence_in_words

MOST_CHARACTERS = 300
"""Of a URL, a title, a reason: what a line of a page has room for."""

_EXACT = {
    EXACT_PAYLOAD: "the same bytes",
    EXACT_TEXT: "all that is visible is the same",
}

Entry = dict[str, Any]


class End(NamedTuple):
    """What is shown of a URL's end; it can be sent to another process."""

    state: UrlState
    detail: str
    host: str
    """Its host key; empty where the end has no line."""
    entry: Entry | None
    """See `entry`; None where the end has no line."""


def end_of(outcome: PageOutcome) -> End:
    """Return what is shown of an end."""
    if not outcome.lines:
        return End(outcome.state, outcome.detail, "", None)
    line = outcome.lines[0][1]
    host = line.get("host") or host_key(line["url"])
    return End(outcome.state, outcome.detail, host, entry(outcome))


def entry(outcome: PageOutcome) -> Entry:
    """Return what is told of an end: `url`, `title`, `state`, `verdict`, `of`, `why`; all text.

    `of` is the URL of the page that it is like, or where a redirect leads; null where there is
    none. No text has control characters, a password, or more than MOST_CHARACTERS.
    """
    name, line = outcome.lines[0]
    of = line.get("duplicate_of") or line.get("sibling_of") or {}
    target = of.get("url") if of else line.get("target")
    if outcome.state in (UrlState.FAILED, UrlState.SKIPPED):
        why = str(line.get("detail") or "")
    elif outcome.state is UrlState.REDIRECT:
        why = f"answered {line['status']}"
    elif outcome.detail in _EXACT:
        why = _EXACT[outcome.detail]
    elif (reason := line.get("reason")) and name == "pages":
        why = ": ".join(TOO_LITTLE.get(reason, (str(reason),)))
    else:  # how like a near duplicate or a sibling is, and what made it the one or the other
        similarity, evidence = line.get("similarity"), line.get("evidence")
        told = [] if similarity is None else [f"{similarity:.1%} of the text in common"]
        why = "; ".join(told if evidence is None else [*told, evidence_in_words(evidence)])
    return {
        "url": shown(line["url"]),
        "title": shown(line.get("title")),
        "state": outcome.state.name.lower(),
        "verdict": outcome.detail,
        "of": shown(target) or None,
        "why": shown(why),
    }


def shown(text: str | None) -> str:
    """Return a text as there is room for it, without control characters and passwords."""
    if not text:
        return ""
    made = safe(without_passwords(text[: 2 * MOST_CHARACTERS]))
    return made if len(made) <= MOST_CHARACTERS else f"{made[: MOST_CHARACTERS - 1]}…"
