"""Whether what a crawl has counted adds up: the URL table held against the line files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crawler.errors import StoreError
from crawler.records import EXACT_PAYLOAD, EXACT_TEXT, NEAR, RESTORED_SIBLING, UrlState

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
