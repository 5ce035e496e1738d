"""What became of each document of a run, in the order of the input."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import orjson

from crawler.batch.names import DocumentId
from crawler.records import NEAR, UrlState
from crawler.storage import StoreView

PREFIX = "dedup_"
"""What the names of columns begin with that stand beside the user's own."""

_FILE_OF = {
    UrlState.STORED: "pages",
    UrlState.DUPLICATE: "duplicates",
    UrlState.SKIPPED: "skipped",
    UrlState.FAILED: "failures",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of one document."""

    kept: bool
    """Whether it is no copy of another one: kept by the judge, or not judged since reading it took
    too long."""
    verdict: str
    """As lines name it; `skipped` or `failed` of what was not judged."""
    id: DocumentId | None = None
    """The user's own; None of what was not judged."""
    duplicate_of: DocumentId | None = None
    """The id of the document that it is a copy of, or a sibling of."""
    original: str | None = None
    """The name of that, which no other document has (`url` in lines)."""
    similarity: float | None = None


def added(answer: Answer) -> dict[str, Any]:
    """Return the columns that tell an answer; ids as text, since both kinds may be in one."""
    of = answer.duplicate_of
    return {
        PREFIX + "verdict": answer.verdict,
        PREFIX + "duplicate_of": None if of is None else str(of),
        PREFIX + "original": answer.original,
        PREFIX + "similarity": answer.similarity,
    }


def answers_by_file(view: StoreView) -> Iterator[tuple[str, Iterator[Answer]]]:
    """Yield the `file:` URL of each file that was judged, with the answers on its documents.

    The answers of a file are to be taken before the next file is asked for.
    """
    ends = view.database.stream("SELECT url, state, detail FROM urls ORDER BY id")
    lines = {name: view.lines(name) for name in _FILE_OF.values()}

    def answers(found: Iterator[tuple[str, int, str]]) -> Iterator[Answer]:
        for _, state, detail in found:
            kind = _FILE_OF[UrlState(state)]
            line = next(lines[kind]).data
            if kind == "pages" and detail == NEAR:  # tagged: it has a line in both files
                next(lines["duplicates"])
            yield _answer(kind, orjson.loads(line))

    for file, found in groupby(ends, key=lambda end: end[0].partition("#")[0]):
        yield file, answers(found)


def _answer(kind: str, line: dict[str, Any]) -> Answer:
    if kind == "skipped":
        return Answer(False, "skipped")
    if kind == "failures":
        return Answer(True, "failed")
    of = line["duplicate_of"] or line.get("sibling_of") or {}
    similarity = line["similarity"] if line["similarity"] is not None else _exact(line["verdict"])
    return Answer(
        kind == "pages", line["verdict"], line["id"], of.get("id"), of.get("url"), similarity
    )


def _exact(verdict: str) -> float | None:
    return 1.0 if verdict.startswith("exact-") else None
