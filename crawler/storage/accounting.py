"""The accounting identity: a URL ever seen is pending or ended once, and its line says how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crawler.errors import StoreError
from crawler.records import NEAR, UrlState

_FILE_OF_STATE = {
    UrlState.STORED: "pages",
    UrlState.DUPLICATE: "duplicates",
    UrlState.REDIRECT: "redirects",
    UrlState.FAILED: "failures",
    UrlState.SKIPPED: "skipped",
}


@dataclass(frozen=True, slots=True)
class Accounting:
    """Counts of one crawl: `seen = stored + duplicates + redirects + failures + skipped + pending`.

    The URL table makes the sum true by itself, so what is checked is that the line files, written
    by another way, say the same.
    """

    outcomes: Mapping[tuple[UrlState, str], int]
    """(state, detail) -> URLs; detail is the verdict, failure class or skip reason."""
    lines: Mapping[str, int]
    """Line file -> committed lines."""

    @property
    def seen(self) -> int:
        """URLs ever queued."""
        return sum(self.outcomes.values())

    def count(self, state: UrlState) -> int:
        """Return the URLs in `state`."""
        return sum(number for (of, _), number in self.outcomes.items() if of is state)

    @property
    def problems(self) -> list[str]:
        """One sentence for each line file that contradicts the URL table; empty if all is well."""
        tagged = self.outcomes.get((UrlState.STORED, NEAR), 0)
        problems = []
        for state, name in _FILE_OF_STATE.items():
            urls = self.count(state) + (tagged if state is UrlState.DUPLICATE else 0)
            if self.lines.get(name, 0) != urls:
                found = self.lines.get(name, 0)
                problems.append(f"{name}.jsonl has {found} lines where the state has {urls} URLs")
        return problems


def confirm_accounts(directory: Path, problems: Sequence[str]) -> None:
    """Raise StoreError where counts contradict each other: whatever the web does, they must not."""
    if problems:
        raise StoreError(
            f"{directory}: the accounts do not add up: {'; '.join(problems)}. Keep the directory "
            "as it is and report this: it is a bug"
        )
