"""How every URL ended by the URL table, to hold the line files against.

Kept as hashes of 64 bits, up to a hundred bytes a URL while its line file is read. Of a hundred
million URLs two have the same hash by chance in one check of three thousand.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from crawler.check.problems import Findings
from crawler.errors import StoreError
from crawler.records import RESTORED_SIBLING, SIBLING, UrlState
from crawler.storage import (
    ARCHIVES,
    FILE_OF_STATE,
    IN_BOTH,
    STATE,
    Extent,
    Meta,
    StoreView,
    snapshot,
    total_extent,
    url_ends,
)

Hashes = npt.NDArray[np.int64]


@dataclass(slots=True)
class Ends:
    """What is committed at one moment."""

    files: Mapping[str, Mapping[str, Extent]]
    """Kind of line -> its files."""
    retried: Mapping[str, int]
    hashes: dict[str, array[int]] = field(default_factory=dict)
    """Kind of line -> `end_hash` of each URL that must have one."""
    urls: array[int] = field(default_factory=lambda: array("q"))
    """`hash` of every URL."""

    @property
    def extents(self) -> dict[str, Extent]:
        """Kind of line -> how much is committed in all of its files."""
        return {kind: total_extent(files.values()) for kind, files in self.files.items()}

    def of(self, name: str) -> Hashes:
        """Return the hashes of a kind, sorted."""
        return np.sort(as_hashes(self.hashes.get(name, array("q"))))


def end_hash(url: str, detail: str) -> int:
    """Return a number that stands for how a URL ended; lines call a restored sibling a sibling."""
    return hash((url, SIBLING if detail == RESTORED_SIBLING else detail))


def as_hashes(values: array[int]) -> Hashes:
    """Return an array of Python's as one of numpy."""
    return np.frombuffer(values, np.int64) if values else np.empty(0, np.int64)


def read_ends(view: StoreView, findings: Findings) -> Ends:
    """Read the URL table, and note where its counts contradict the line files' recorded ones."""
    with snapshot(view):
        counts = view.counted()
        accounting = view.accounting(counts)
        ends = Ends(_sound_files(view, findings), accounting.retried)
        if view.kept_counts().outcomes != counts.outcomes:
            findings.add(STATE, "", "the counts of how URLs ended are not those of its URLs")
        for problem in accounting.problems:
            findings.add(STATE, "", f"the counts contradict each other: {problem}")
        _fill(ends, view, accounting.seen, findings)
    if not reads_archives(view):  # a URL may be archived twice
        _find_equal_urls(ends, view, findings)
    return ends


def _sound_files(view: StoreView, findings: Findings) -> dict[str, dict[str, Extent]]:
    files = view.files()
    for of_kind in files.values():
        for file, extent in of_kind.items():
            numbers = extent.bytes, extent.lines
            if any(type(number) is not int or number < 0 for number in numbers):
                what = f"records {extent.lines} lines in {extent.bytes} bytes for {file}.jsonl"
                findings.add(STATE, "", what)
                of_kind[file] = Extent()
    return files


def reads_archives(view: StoreView) -> bool:
    """Whether a directory is of a run over archives; not where that cannot be read back.

    That is told where all keys are looked at.
    """
    try:
        return ARCHIVES in view.meta(Meta.IDENTITY, {})
    except (StoreError, TypeError):
        return False


def _fill(ends: Ends, view: StoreView, seen: int, findings: Findings) -> None:
    for number, (_, url, state, detail) in enumerate(url_ends(view), 1):
        ends.urls.append(hash(url))
        names = [FILE_OF_STATE[UrlState(state)]] if state else []
        if state == UrlState.STORED and detail in IN_BOTH:
            names.append("duplicates")
        for name in names:
            ends.hashes.setdefault(name, array("q")).append(end_hash(url, detail))
        findings.beat("{:,} of {:,} URLs read", number, seen)


def _find_equal_urls(ends: Ends, view: StoreView, findings: Findings) -> None:
    ordered = np.sort(as_hashes(ends.urls))
    twice = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
    if twice:
        first: dict[str, int] = {}
        for id_, url, _, _ in url_ends(view):
            if hash(url) in twice and first.setdefault(url, id_) != id_:
                findings.add(STATE, f"URL {id_}", f"{url} is URL {first[url]} already")
