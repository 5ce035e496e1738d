"""What the page, the terminal and the estimate say, made once. Nothing is escaped here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from crawler.audit.compared import Compared
from crawler.audit.estimate import Estimate
from crawler.audit.pairs import Pair, Side
from crawler.audit.sample import Sample, Stratum
from crawler.explain.wording import difference_notes, told_evidence

_NO_EVIDENCE = "judged by resemblance alone, no other evidence was asked for"
_SAME_TEXT = "the text is the same, though the bytes are not"

TEMPLATES = {
    Stratum.DROPPED: "{wrong} of {decided} dropped pages are other pages: {share}, with 95% "
    "confidence {low} to {high}. Of {population} dropped near duplicates {pages} were dropped "
    "wrongly.",
    Stratum.SAME_TEXT: "{wrong} of {decided} pages with the same text are other pages: {share}, "
    "with 95% confidence {low} to {high}. Of {population} pages dropped for the same text {pages} "
    "were dropped wrongly.",
    Stratum.SIBLINGS: "{wrong} of {decided} siblings are copies after all: {share}, with 95% "
    "confidence {low} to {high}. Of {population} siblings {pages} are copies; those that were "
    "stored were stored needlessly.",
}
"""The sentence of an estimate; `marking.js` fills in the same."""
NOTHING = {
    Stratum.DROPPED: "No dropped page is marked yet: of {population} dropped near duplicates any "
    "number may have been dropped wrongly.",
    Stratum.SAME_TEXT: "No page with the same text is marked yet: of {population} that were "
    "dropped any number may have been dropped wrongly.",
    Stratum.SIBLINGS: "No sibling is marked yet: of {population} siblings any number may be "
    "copies.",
}
"""The same before there is one."""
UNSURE = " Unsure, left out: {unsure}."
_NAMES = "the page", "what it is like"
ALL = {
    Stratum.DROPPED: "dropped near duplicates",
    Stratum.SAME_TEXT: "pages dropped for the same text",
    Stratum.SIBLINGS: "siblings",
}


def verdict(pair: Pair) -> str:
    """Return in one sentence what was decided on a pair, and on what evidence."""
    evidence = _NO_EVIDENCE if pair.evidence is None else told_evidence(pair.evidence)
    if pair.drawn.stratum is Stratum.SAME_TEXT:
        evidence = _SAME_TEXT
    likeness = "" if pair.similarity is None else f", similarity {pair.similarity:.4f}"
    return f"{_decided(pair)}{likeness}: {evidence}."


def _decided(pair: Pair) -> str:
    if pair.drawn.stratum is not Stratum.SIBLINGS:
        return "Dropped as a copy"
    return f"{'Stored' if pair.drawn.stored else 'Dropped'} as a sibling, another page"


def sides(pair: Pair) -> tuple[str, str]:
    """Return what the two pages of a pair are to each other."""
    if not pair.drawn.stored:
        return "Dropped page", "Stored page"
    return "Stored as a sibling", "The page it is like"


def missing(side: Side) -> str:
    """Return why a page has no text."""
    return f"No text of this page: {side.missing}."


def about(pair: Pair, compared: Compared | None) -> list[str]:
    """Return what must be said of the difference of two pages."""
    if compared is None:
        return ["Without both texts there is no difference to show."]
    told = []
    if not compared.differences.passages:
        none = compared.differences.is_none
        told.append("The two show the same." if none else "Nothing that was compared differs.")
    if compared.more:
        told.append(f"Passages that are not shown, as there are too many: {compared.more:,}.")
    return told + difference_notes(compared.differences, _NAMES)


def drawn_from(sample: Sample) -> str:
    """Return what a sample was drawn from."""
    parts = []
    for stratum, population in sample.populations.items():
        if population:
            number = sum(drawn.stratum is stratum for drawn in sample.drawn)
            parts.append(f"{number:,} of {population:,} {ALL[stratum]}")
    told = " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
    return f"{told}, drawn at random (seed {sample.seed})"


def estimated(estimate: Estimate) -> str:
    """Return the sentence of an estimate."""
    if not estimate.decided:
        told = NOTHING[estimate.stratum].format(population=f"{estimate.population:,}")
    else:
        told = TEMPLATES[estimate.stratum].format(**_numbers(estimate))
    if estimate.unsure:
        told += UNSURE.format(unsure=f"{estimate.unsure:,}")
    return told


def _numbers(estimate: Estimate) -> Mapping[str, Any]:
    low, high = estimate.interval
    fewest, most = estimate.pages
    return {
        "wrong": f"{estimate.wrong:,}",
        "decided": f"{estimate.decided:,}",
        "share": _percent(estimate.wrong / estimate.decided),
        "low": _percent(low),
        "high": _percent(high),
        "population": f"{estimate.population:,}",
        "pages": f"between {fewest:,} and {most:,}" if fewest < most else f"{fewest:,}",
    }


def _percent(share: float) -> str:
    """Return a share as `marking.js` does, which rounds halves up."""
    return f"{math.floor(1000 * share + 0.5) / 10:.1f}%"
