"""What a recrawl was asked for, as it is kept beside its lines."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from crawler.config import Job
from crawler.recrawl.history import interval_s
from crawler.recrawl.pages import KnownPage


@dataclass(frozen=True, slots=True)
class Plan:
    """Which pages are visited again."""

    of: tuple[str, ...]
    """The directories that are visited again, oldest first, as paths from the recrawl's own."""
    at: float
    """Unix seconds: what is due by then. It stays the same when the recrawl is resumed."""
    due_only: bool
    known_only: bool
    """Whether URLs that no earlier directory knows are left alone."""
    pending: bool = False
    """Whether URLs that earlier directories left pending are asked for as well."""
    has_inherited: bool = False
    """Whether the recrawl has taken over what the newest of them had learned of sites."""

    @classmethod
    def after(
        cls,
        directory: Path,
        earlier: Mapping[str, Any] | None,
        output: Path,
        at: float,
        *,
        due_only: bool,
        known_only: bool,
        pending: bool = False,
    ) -> Self:
        """Return the plan of a recrawl in `output` of a directory with the plan `earlier`."""
        of = [*(directory / path for path in (earlier or {}).get("of", ())), directory]
        # Without symbolic links: `..` leads out of where one points to.
        paths = tuple(os.path.relpath(path.resolve(), output.resolve()) for path in of)
        return cls(paths, at, due_only, known_only, pending)

    @classmethod
    def kept(cls, record: Mapping[str, Any]) -> Self:
        """Undo `record`."""
        of, at = tuple(map(str, record["of"])), float(record["at"])
        how = (bool(record[name]) for name in ("due_only", "known_only", "has_inherited"))
        pending = bool(record.get("pending"))  # programs before had no such choice
        due_only, known_only, has_inherited = how
        return cls(of, at, due_only, known_only, pending, has_inherited)

    def record(self) -> dict[str, Any]:
        """Return the plan as JSON-ready data."""
        return {**asdict(self), "of": list(self.of)}

    def wants(self, page: KnownPage, job: Job) -> bool:
        """Whether a page is to be visited."""
        if not self.due_only:
            return True
        bounds = job.recrawl.min_s, job.recrawl.max_s
        return page.visited_at + interval_s(page.history, *bounds) <= self.at
