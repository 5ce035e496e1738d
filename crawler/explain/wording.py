"""The sentences of an explanation, which the terminal, the page and the JSON all have.

Nothing is escaped here: what shows a text makes it harmless for where it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from crawler.explain.decision import Decision
from crawler.explain.difference import Change
from crawler.explain.explanation import Comparison, Explanation
from crawler.explain.judging import Basis
from crawler.explain.surroundings import Surroundings
from crawler.printing import safe
from crawler.records import EXACT_PAYLOAD, EXACT_TEXT, NEAR, SIBLING, Evidence

LINES_SHOWN = 12
"""Of the lines beside two texts in which they differ, both sides together."""

VERDICTS = {
    "new": "new",
    "unjudged": "not judged",
    EXACT_PAYLOAD: "exact duplicate",
    EXACT_TEXT: "exact duplicate",
    NEAR: "near duplicate",
    SIBLING: "sibling",
}
"""What verdicts are called, by their names in lines."""
EVIDENCE: Mapping[Evidence, str] = {
    Evidence.CANONICAL: "one names the other as the page that it is, or both name one "
    "(rel=canonical)",
    Evidence.SAME_ADDRESS: "the same path on another host",
    Evidence.SAME_TEXT: "title and text are the same, and little beside the text differs",
    Evidence.REPRINT: "nearly the same text on another host; no name or number in it was replaced",
    Evidence.OTHER_TITLE: "the titles differ",
    Evidence.OTHER_CANONICAL: "they name different pages as the pages that they are",
    Evidence.OTHER_LIST: "one is a list, and the other a part of what it lists",
    Evidence.OTHER_TEXT: "no title tells them apart, but words or numbers in the texts do",
    Evidence.OTHER_NAME: "all through the text, another name stands where one has its own",
    Evidence.OTHER_NUMBERS: "lines that are otherwise alike have different numbers in them",
    Evidence.OTHER_SURROUNDINGS: "the texts are the same, but what stands beside them differs",
    Evidence.UNKNOWN: "too little was kept of the stored page to tell",
}
"""What each kind of evidence says of two pages that are alike."""


def told_evidence(code: str) -> str:
    """Return what evidence says; a code of a later version of this program stands for itself."""
    return EVIDENCE[Evidence(code)] if code in EVIDENCE else code


_SAME_ADDRESS_ON_ONE_HOST = "the same path, but for the language or edition that it names"
_BASES = {
    Basis.ALL: "",
    Basis.WITHOUT_SURROUNDINGS: "Judged without what stands beside the texts: of one of the two "
    "that was not kept.",
    Basis.TEXTS_ALONE: "Judged by the texts alone: title and lines of one of the two are not "
    "known, so no evidence of a copy could be asked for.",
    Basis.NO_EVIDENCE: "Judged by the texts alone: no evidence of a copy is asked for "
    "(dedup.siblings: ignore).",
}
_PLACED = (
    "From which URL the file was saved is not known: it is judged as another page of the same host."
)
_ON_THE_WEB = (
    "To compare the texts: --fetch fetches the page again; or give a saved page instead of its URL."
)
_IN_A_FILE = (
    "To compare the texts: restore the file that was judged, or give the document as a separate "
    "file."
)
_QUOTED_LINES = 3
_QUOTED_CHARACTERS = 60


def verdict_sentence(explanation: Explanation) -> str:
    """Return in one sentence what was decided, and by which rule."""
    decision = explanation.decision
    if decision is None:
        return "not judged: the text of at least one of the two is missing"
    return _sentence(decision)


def rule_sentence(decision: Decision) -> str:
    """Return in words the rule that made a decision."""
    if decision.evidence is None:
        return decision.reason
    if decision.evidence is Evidence.SAME_ADDRESS and not decision.elsewhere:
        return _SAME_ADDRESS_ON_ONE_HOST
    return EVIDENCE[decision.evidence]


def notes(explanation: Explanation) -> list[str]:
    """Return what else must be said of the verdict: who decided it, of which side, on what."""
    return list(_notes(explanation))


def surroundings_sentence(around: Surroundings | None) -> str | None:
    """Return what stands beside a text that is only a part of what is visible, None for others."""
    if around is None or not around.is_much:
        return None
    beside = " and ".join(_beside(around))
    return (
        f"extraction took {around.text_lines:,} of {around.all_lines:,} lines; beside it: {beside}"
    )


def difference_notes(comparison: Comparison) -> list[str]:
    """Return what must be known to read the difference of the texts."""
    found = []
    if comparison.cut:
        found.append("Of the beginnings only: the texts are too long to be compared whole.")
    if comparison.same_lines and any(p.change is not Change.EQUAL for p in comparison.difference):
        found.append("They have the same lines: only order, line breaks, dates or counters differ.")
    return found


def shares(first: Sequence[str], second: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the first lines of either side, LINES_SHOWN of both at most."""
    half = LINES_SHOWN // 2
    most = max(half, LINES_SHOWN - len(second))
    return first[:most], second[: LINES_SHOWN - min(len(first), most)]


def others(shown: Sequence[str], lines: Sequence[str]) -> str:
    """Return how many lines are not shown; empty if all are."""
    rest = len(lines) - len(shown)
    return f"… and {rest:,} other{'s' if rest > 1 else ''}" if rest else ""


def visible(text: str) -> str:
    """Return a text with its control characters shown as escapes, line ends kept."""
    return "\n".join(map(safe, text.split("\n")))


def _sentence(decision: Decision) -> str:
    became = "stored" if decision.stored else "dropped"
    code = decision.evidence.value if decision.evidence else None
    if decision.verdict in (EXACT_PAYLOAD, EXACT_TEXT):
        code = decision.verdict
    verdict = VERDICTS.get(decision.verdict, decision.verdict)
    return f"{verdict}, {became}: {rule_sentence(decision)}{f' ({code})' if code else ''}"


def _notes(explanation: Explanation) -> Iterator[str]:
    recorded, comparison = explanation.recorded_decision, explanation.comparison
    if recorded is not None:
        yield f"The crawl recorded this of {recorded.on.upper()}."
    if comparison is None:
        fetched = explanation.first.can_be_fetched or explanation.second.can_be_fetched
        yield _ON_THE_WEB if fetched else _IN_A_FILE
        return
    if recorded is None:
        yield "So B would be judged by the current settings, if only A were stored."
        yield from _doubts(comparison)
    elif not comparison.decision.is_like(recorded):
        now = _sentence(comparison.decision)
        yield f"By the current settings, if only A were stored, B would be: {now}."
        yield from _doubts(comparison)


def _doubts(comparison: Comparison) -> Iterator[str]:
    """Say what the decision that is made now could not know."""
    if comparison.decision.verdict not in (NEAR, SIBLING):
        return
    if told := _BASES[comparison.basis]:
        yield told
    if comparison.placed and comparison.decision.evidence is not None:
        yield _PLACED


def _beside(around: Surroundings) -> Iterator[str]:
    if around.lines:
        quoted = ", ".join(f"“{_cut(line)}”" for line in around.lines[:_QUOTED_LINES])
        more = ", …" if len(around.lines) > _QUOTED_LINES else ""
        yield f"{_counted(len(around.lines), 'line')} of text ({quoted}{more})"
    if around.links:
        yield f"{_counted(len(around.links), 'line')} of links"


def _counted(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _cut(line: str) -> str:
    if len(line) <= _QUOTED_CHARACTERS:
        return line
    return f"{line[: _QUOTED_CHARACTERS - 1].rstrip()}…"
