"""The sentences of an explanation, which the terminal, the page and the JSON all have.

Nothing is escaped here: what shows a text makes it harmless for where it is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from crawler.explain.decision import Decision, Places
from crawler.explain.difference import MAX_CHARACTERS, Change, LeftOut, Piece
from crawler.explain.explanation import Comparison, Explanation
from crawler.explain.judging import Basis
from crawler.explain.looking import Differences
from crawler.explain.passages import Passage, Place
from crawler.explain.surroundings import Surroundings
from crawler.printing import safe
from crawler.records import EXACT_PAYLOAD, EXACT_TEXT, NEAR, SIBLING, Evidence

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
    Evidence.SAME_ADDRESS: "the same address, but for the host, language or edition that it names",
    Evidence.SAME_TEXT: "the stored page shows all that it shows, stamps and what the site's pages "
    "have in common left out",
    Evidence.REPRINT: "nearly the same text on another host; no name or number in it was replaced",
    Evidence.OTHER_TITLE: "the titles differ",
    Evidence.OTHER_CANONICAL: "they name different pages as the pages that they are",
    Evidence.OTHER_LIST: "one is a list, and the other a part of what it lists",
    Evidence.OTHER_TEXT: "words or numbers in the text of one are not on the other",
    Evidence.OTHER_NAME: "all through the text, another name stands where one has its own",
    Evidence.OTHER_NUMBERS: "lines that are otherwise alike have different numbers in them",
    Evidence.OTHER_SURROUNDINGS: "the texts are the same, but not what else the pages show",
    Evidence.UNKNOWN: "too little was kept of the stored page to tell",
}
"""What each kind of evidence says of two pages that are alike."""


def told_evidence(code: str) -> str:
    """Return what evidence says; a code of a later version of this program stands for itself."""
    return EVIDENCE[Evidence(code)] if code in EVIDENCE else code


_ELSEWHERE = "the same path on another host"
_ON_ONE_HOST = "the same path, but for the language or edition that it names"
"""What Evidence.SAME_ADDRESS says of two addresses that are known."""
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
    if decision.evidence is Evidence.SAME_ADDRESS and decision.places is Places.ONE_HOST:
        return _ON_ONE_HOST
    if decision.evidence is Evidence.SAME_ADDRESS and decision.places is Places.ONE_PATH:
        return _ELSEWHERE
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


def summary(differences: Differences) -> str:
    """Return in which places two pages differ, and how often; `none` only if they show the same."""
    counted = Counter(one.place.value for one in differences.passages if not one.left_out)
    left_out = sum(bool(one.left_out) for one in differences.passages)
    parts = [", ".join(_times(place, number) for place, number in counted.items())]
    if left_out:
        parts.append(f"left out by the judge: {_counted(left_out, 'passage')}")
    if not differences.passages:
        parts = ["none" if differences.is_none else "none in what was compared"]
    return "; ".join(filter(None, parts))


def where(passage: Passage) -> str:
    """Return where a passage stands, and why the judge leaves it out if he does."""
    told = left_out(passage.left_out)
    return f"{passage.place}; {told}" if told else passage.place


def left_out(reasons: Sequence[LeftOut]) -> str:
    """Return that the judge leaves something out, and why; empty without a reason."""
    return f"left out by the judge: {', '.join(reasons)}" if reasons else ""


def noted(passage: Passage) -> Iterator[tuple[Piece, str]]:
    """Yield pieces, each with what is to be said after it: why some changes are left out.

    Where all are, that is said above the passage.
    """
    pieces = passage.pieces
    for piece, following in zip(pieces, (*pieces[1:], None), strict=True):
        is_last = following is None or following.left_out is not piece.left_out
        some = piece.left_out and is_last and not passage.left_out
        yield piece, f" ({left_out([piece.left_out])})" if piece.left_out and some else ""


def difference_notes(differences: Differences, names: tuple[str, str] = ("A", "B")) -> list[str]:
    """Return what must be known to read a difference: what was not compared, and of which page."""
    found = []
    for name, unknown, is_cut in zip(names, differences.unknown, differences.cut, strict=True):
        if unknown:
            some = ", ".join(place for place in Place if place in unknown)
            found.append(f"Not known of {name}, so not compared: {some}.")
        if is_cut:
            found.append(f"Of what stands beside the text of {name} only the beginning was kept.")
    if differences.is_long:
        rest = "is not the same" if differences.rest_differs else "is the same on both"
        found.append(f"Of the first {MAX_CHARACTERS:,} characters only; the rest {rest}.")
    return found


def shown_piece(piece: Piece) -> str:
    """Return a piece as it is shown: line ends that were changed are made visible."""
    text = "…" if piece.change is Change.ELIDED else piece.text
    return text.replace("\n", "⏎") if piece.left_out is LeftOut.SPACE else visible(text)


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


def _times(place: str, number: int) -> str:
    return place if number == 1 else f"{place} ({number:,})"


def _counted(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _cut(line: str) -> str:
    if len(line) <= _QUOTED_CHARACTERS:
        return line
    return f"{line[: _QUOTED_CHARACTERS - 1].rstrip()}…"
