"""How URLs have ended, kept beside the tables, and whether all that was counted adds up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from crawler.errors import StoreError
from crawler.models import EXACT_PAYLOAD, EXACT_TEXT, NEAR, RESTORED_SIBLING, Batch, UrlState

# ---------------------------------------------------------------- counts
# How URLs have ended, and how many there are, kept beside the tables: to count them takes seconds.
#
# Written with each group, in its transaction: what SQLite says it has inserted and changed, so that
# the counts are the tables' (`check` counts again). Whoever else changes how URLs ended (`retry`,
# `restore`) makes them void in the same transaction: then all are counted again.


Outcome = tuple[UrlState, str]
"""State and detail: the verdict, failure class or skip reason."""


@dataclass
class Counts:
    """URLs, and their ends."""

    last: int
    """Number of the last end (`urls.ended`)."""
    urls: int
    """All that were ever queued."""
    ends: Counter[Outcome]

    @classmethod
    def counted(cls, last: int, outcomes: Mapping[Outcome, int]) -> Self:
        """Return the counts of a table, of which `outcomes` are all."""
        ends = {outcome: n for outcome, n in outcomes.items() if outcome[0]}
        return cls(last, sum(outcomes.values()), Counter(ends))

    @classmethod
    def of_record(cls, record: Mapping[str, Any] | None) -> Self | None:
        """Undo `record`; None where nothing is kept, or by a program that kept less."""
        if not record or "outcomes" not in record:
            return None
        ends = {(UrlState(state), str(detail)): int(n) for state, detail, n in record["outcomes"]}
        return cls(int(record["last"]), int(record["urls"]), Counter(ends))

    def record(self) -> dict[str, Any]:
        """Return what is kept. Earlier programs read `last` and `by_state`, and keep no more."""
        return {
            "last": self.last,
            "urls": self.urls,
            "outcomes": [[int(state), detail, n] for (state, detail), n in self.ends.items()],
            "by_state": {str(int(state)): n for state, n in self.by_state.items()},
        }

    @property
    def by_state(self) -> Counter[UrlState]:
        """Ends by state."""
        by_state: Counter[UrlState] = Counter()
        for (state, _), number in self.ends.items():
            by_state[state] += number
        return by_state

    def ended_as(self, detail: str) -> int:
        """Return how many ended with a detail, in any state."""
        return sum(number for (_, found), number in self.ends.items() if found == detail)

    @property
    def outcomes(self) -> dict[Outcome, int]:
        """URLs by how they ended, those that are pending included."""
        pending = self.urls - self.ends.total()
        waiting = {(UrlState.PENDING, ""): pending} if pending else {}
        return waiting | dict(sorted(self.ends.items()))

    def add(self, urls: int, batches: Iterable[Batch]) -> None:
        """Count new URLs, and ends."""
        added = Counter((batch.state, batch.detail) for batch in batches)
        self.urls += urls
        self.ends += added
        self.last += added.total()


# ---------------------------------------------------------------- accounting
# Whether what a crawl has counted adds up: the URL table held against the line files.


FILE_OF_STATE = {
    UrlState.STORED: "pages",
    UrlState.DUPLICATE: "duplicates",
    UrlState.REDIRECT: "redirects",
    UrlState.FAILED: "failures",
    UrlState.SKIPPED: "skipped",
}
IN_BOTH = (NEAR, RESTORED_SIBLING, EXACT_TEXT, EXACT_PAYLOAD)
"""Details of stored pages that have a line in duplicates.jsonl, too: tagged, or restored."""


@dataclass(frozen=True, slots=True)
class Accounting:
    """Counts of one crawl: `seen = stored + duplicates + redirects + failures + skipped + pending`.

    The URL table makes the sum true by itself, so what is checked is that the line files, written
    by another way, say the same. A URL that was put back to pending by `retry` keeps its line, and
    gets another one at its next end: those lines are counted apart.
    """

    outcomes: Mapping[tuple[UrlState, str], int]
    """(state, detail) -> URLs; detail is the verdict, failure class or skip reason."""
    lines: Mapping[str, int]
    """Line file -> committed lines."""
    retried: Mapping[str, int] = field(default_factory=dict)
    """Line file -> how many of them are of URLs that were put back since."""

    @property
    def seen(self) -> int:
        """URLs ever queued."""
        return sum(self.outcomes.values())

    def count(self, state: UrlState) -> int:
        """Return the URLs in `state`."""
        return sum(number for (of, _), number in self.outcomes.items() if of is state)

    def surplus(self, name: str) -> int:
        """Return how many lines a file has beyond those of URLs that ended so."""
        return self.lines[name] - self._urls_in(name)

    def _urls_in(self, name: str) -> int:
        """Return how many URLs must have a line in a file."""
        state = next(state for state, file in FILE_OF_STATE.items() if file == name)
        stored_too = sum(self.outcomes.get((UrlState.STORED, detail), 0) for detail in IN_BOTH)
        return self.count(state) + (stored_too if state is UrlState.DUPLICATE else 0)

    @property
    def problems(self) -> list[str]:
        """One sentence for each line file that contradicts the URL table; empty if all is well."""
        problems = []
        for name in FILE_OF_STATE.values():
            urls = self._urls_in(name)
            again = self.retried.get(name, 0)
            if (found := self.lines[name]) != urls + again:
                counted = f"{urls} URLs" + (f" and {again} that were retried" if again else "")
                problems.append(f"{name}.jsonl has {found} lines, but the state counts {counted}")
        return problems


def confirm_accounts(directory: Path, problems: Sequence[str]) -> None:
    """Raise StoreError where counts contradict each other: whatever the web does, they must not."""
    if problems:
        raise StoreError(
            f"{directory}: the counts contradict each other: {'; '.join(problems)}. Keep the "
            "directory as it is and report this: it is a bug"
        )
