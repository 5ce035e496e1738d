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
from crawler.records import NEAR, UrlState
from crawler.storage import FILE_OF_STATE, STATE, Extent, StoreView, snapshot, url_ends

Hashes = npt.NDArray[np.int64]


@dataclass(slots=True)
class Ends:
    """What is committed at one moment."""

    extents: Mapping[str, Extent]
    retried: Mapping[str, int]
    files: dict[str, array[int]] = field(default_factory=dict)
    """Line file -> `end_hash` of each URL that must have a line in it."""
    urls: array[int] = field(default_factory=lambda: array("q"))
    """`hash` of every URL."""

    def of(self, name: str) -> Hashes:
        """Return the hashes of a line file, sorted."""
        return np.sort(as_hashes(self.files.get(name, array("q"))))


def end_hash(url: str, detail: str) -> int:
    """Return a number that stands for how a URL ended."""
    return hash((url, detail))


def as_hashes(values: array[int]) -> Hashes:
    """Return an array of Python's as one of numpy."""
    return np.frombuffer(values, np.int64) if values else np.empty(0, np.int64)


def read_ends(view: StoreView, findings: Findings) -> Ends:
    """Read the URL table, and note where its counts contradict the line files' recorded ones."""
    with snapshot(view):
        accounting = view.accounting()
        ends = Ends(_sound_extents(view, findings), accounting.retried)
        for problem in accounting.problems:
            findings.add(STATE, "", f"the counts contradict each other: {problem}")
        _fill(ends, view, accounting.seen, findings)
    _find_equal_urls(ends, view, findings)
    return ends


def _sound_extents(view: StoreView, findings: Findings) -> dict[str, Extent]:
    extents = dict(view.extents())
    for name, extent in extents.items():
        if any(type(number) is not int or number < 0 for number in (extent.bytes, extent.lines)):
            what = f"records {extent.lines} lines in {extent.bytes} bytes for {name}.jsonl"
            findings.add(STATE, "", what)
            extents[name] = Extent()
    return extents


def _fill(ends: Ends, view: StoreView, seen: int, findings: Findings) -> None:
    for number, (_, url, state, detail) in enumerate(url_ends(view), 1):
        ends.urls.append(hash(url))
        names = [FILE_OF_STATE[UrlState(state)]] if state else []
        if state == UrlState.STORED and detail == NEAR:
            names.append("duplicates")
        for name in names:
            ends.files.setdefault(name, array("q")).append(end_hash(url, detail))
        findings.beat("{:,} of {:,} URLs read", number, seen)


def _find_equal_urls(ends: Ends, view: StoreView, findings: Findings) -> None:
    ordered = np.sort(as_hashes(ends.urls))
    twice = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
    if twice:
        first: dict[str, int] = {}
        for id_, url, _, _ in url_ends(view):
            if hash(url) in twice and first.setdefault(url, id_) != id_:
                findings.add(STATE, f"URL {id_}", f"{url} is URL {first[url]} already")
