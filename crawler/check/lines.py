"""The line files: every committed line whole, parsed, valid and that of a URL which ended so."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from crawler.check.ends import Ends, Hashes, as_hashes, end_hash
from crawler.check.problems import Findings
from crawler.ends.validity import faults
from crawler.storage import (
    FILE_OF_STATE,
    Extent,
    StoreView,
    by_kind,
    line_path,
    on_disk,
    read_lines,
    url_ends,
)

_FAULTS_A_LINE = 3
_DETAIL = {
    "pages": "verdict",
    "duplicates": "verdict",
    "redirects": "status",
    "failures": "failure",
    "skipped": "reason",
}
"""Line file -> the field that says in what way the URL ended."""
_REFERENCES = ("duplicate_of", "sibling_of")


@dataclass(slots=True)
class References:
    """The pages that are stored, and the lines that refer to one."""

    pages: array[int] = field(default_factory=lambda: array("q"))
    """Hash of (id, URL) of each page."""
    lines: dict[str, tuple[array[int], array[int]]] = field(default_factory=dict)
    """Line file -> numbers of lines, and the hash of the page that each refers to."""

    def add(self, name: str, number: int, record: Mapping[str, Any]) -> None:
        """Note what a valid line is, and what it refers to in this directory."""
        if name == "pages":
            self.pages.append(hash((record["id"], record["url"])))
        for field_ in _REFERENCES:
            of = record.get(field_)
            if of is not None and "against" not in of:
                numbers, hashes = self.lines.setdefault(name, (array("q"), array("q")))
                numbers.append(number)
                hashes.append(hash((of["id"], of["url"])))


def committed_lines(
    directory: Path, kind: str, files: Mapping[str, Extent], findings: Findings
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (number, record) of every committed line that is one; note the others.

    Numbers go on from file to file. Raises StoreError where a file cannot be read at all.
    """
    number, every = 0, sum(extent.lines for extent in files.values())
    found = on_disk(directory)
    for file, extent in files.items():
        path = line_path(directory, file)
        findings.files_of(kind).begin(path.name, number)
        there = min(extent.bytes, found.get(file, Extent()).bytes)
        before = number
        for line in read_lines(directory, {file: Extent(there)} if there else {}):
            number += 1
            findings.beat("{}: {:,} of {:,} lines", path.name, number, every)
            if (record := _record(line.data, kind, number, findings)) is not None:
                yield number, record
        if missing := extent.bytes - there:
            what = f"the last {missing:,} of {extent.bytes:,} bytes are missing"
            findings.add(path.name, "", what)
        elif number - before != extent.lines:
            what = f"{number - before:,} lines where {extent.lines:,} were committed"
            findings.add(path.name, "", what)


def _record(data: bytes, kind: str, number: int, findings: Findings) -> dict[str, Any] | None:
    if not data.endswith(b"\n"):
        what = "torn: no line end where the committed part ends"
        findings.add_line(kind, number, what)
        return None
    try:
        record = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        findings.add_line(kind, number, f"not JSON: {error}")
        return None
    if not isinstance(record, dict):
        findings.add_line(kind, number, "not a JSON object")
        return None
    return record


def is_valid(
    name: str, number: int, record: dict[str, Any], schema: Mapping[str, Any], findings: Findings
) -> bool:
    """Whether a record is what its schema says; note what is not."""
    found = faults(record, schema)
    wrong = [fault for fault, _ in zip(found, range(_FAULTS_A_LINE), strict=False)]
    if wrong:
        findings.add_line(name, number, f"not a valid line: {'; '.join(wrong)}")
    return not wrong


class LineEnds:
    """How each line of a file says that its URL ended."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._numbers = array("q")
        self._ends = array("q")
        self._urls = array("q")

    def add(self, number: int, record: Mapping[str, Any]) -> None:
        """Note a valid line."""
        url = record["url"]
        self._numbers.append(number)
        self._ends.append(end_hash(url, str(record[_DETAIL[self._name]])))
        self._urls.append(hash(url))

    def compare(self, ends: Ends, view: StoreView, findings: Findings) -> None:
        """Hold the lines against the URL table: the same URLs, ended alike, once each.

        Where URLs were put back by `retry`, a line may be of an earlier end.
        """
        wanted, found = ends.of(self._name), as_hashes(self._ends)
        again = ends.retried.get(self._name, 0)
        known = np.isin(found, wanted)
        if again:
            known |= np.isin(as_hashes(self._urls), as_hashes(ends.urls))
        for number in as_hashes(self._numbers)[~known].tolist():
            what = "no URL ended so by the state file"
            findings.add_line(self._name, number, what)
        if not again:
            self._find_repeated(found, findings)
        # A line that is no valid one was told already: its URL is not told once more.
        whole = len(found) == ends.extents[self._name].lines
        if whole and len(missing := np.setdiff1d(wanted, found)):
            self._name_missing(missing, view, findings)

    def _find_repeated(self, found: Hashes, findings: Findings) -> None:
        order = np.argsort(found, kind="stable")
        equal = found[order][1:] == found[order][:-1]
        numbers = as_hashes(self._numbers)[order]
        for line, earlier in zip(numbers[1:][equal], numbers[:-1][equal], strict=True):
            file, place = findings.files_of(self._name).place(earlier)
            other = "" if file == findings.files_of(self._name).place(line)[0] else f" of {file}"
            findings.add_line(self._name, line, f"of the same URL as {place}{other}")

    def _name_missing(self, missing: Hashes, view: StoreView, findings: Findings) -> None:
        lost = set(missing.tolist())
        for _, url, state, detail in url_ends(view):
            if state and end_hash(url, detail) in lost and self._name in _files_of(state, detail):
                findings.add(f"{self._name}.jsonl", "", f"no line of {url}, which ended so")


def _files_of(state: int, detail: str) -> tuple[str, ...]:
    own = {int(of): name for of, name in FILE_OF_STATE.items()}[state]
    return (own, "duplicates")


def compare_references(references: References, findings: Findings) -> None:
    """Note every line that refers to a page which is not stored."""
    pages = as_hashes(references.pages)
    for name, (numbers, hashes) in references.lines.items():
        known = np.isin(as_hashes(hashes), pages)
        for number in as_hashes(numbers)[~known].tolist():
            what = "refers to a page that pages.jsonl does not have"
            findings.add_line(name, number, what)


def uncommitted(
    directory: Path, kind: str, files: Mapping[str, Extent]
) -> Iterator[tuple[Path, int]]:
    """Yield each file of a kind that is longer than what is committed of it, and by how much."""
    for file, found in by_kind(on_disk(directory))[kind].items():
        longer = found.bytes - files.get(file, Extent()).bytes
        if longer > 0:
            yield line_path(directory, file), longer
