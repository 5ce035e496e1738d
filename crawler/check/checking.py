"""The order of a check, from the state file to the last line."""

from __future__ import annotations

import random
from collections.abc import Container, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from crawler.check import lines
from crawler.check.archives import ArchiveCheck
from crawler.check.ends import Ends, read_ends
from crawler.check.pages import PageCheck, signer_of
from crawler.check.problems import RESTORE, Findings, without_path
from crawler.check.templates import TemplateCheck
from crawler.dedup.copies import unpack
from crawler.ends import corpus_schema, schema
from crawler.ends.validity import faults
from crawler.errors import StoreError, StoreMismatch
from crawler.printing import Say, shell_line
from crawler.storage import (
    INPUTS,
    LINE_FILES,
    STATE,
    SUMMARY,
    Meta,
    StoreView,
    appearances,
    dropped_pages,
    has_lost_its_state,
    inconsistencies,
    is_damage,
    reading_stored_values,
    stored_pages,
)

SAMPLE = 1000
"""Pages whose fingerprint is made again where not all are."""

_META: Mapping[Meta, type] = {
    **{Meta.RUNS: list, Meta.REINDEXED: list, Meta.AGAINST: list},
    **{Meta.SCOPE: list, Meta.PURGED: list},
    Meta.KEY: str,
}
"""What else than objects the table `meta` has."""
_FETCH_AGAIN = "the crawl goes on unharmed; only this page would have to be fetched again"
_NEXT_RUN = "the next run writes it again"


def check_directory(
    directory: Path, say: Say = lambda line: None, *, every_page: bool = False
) -> Findings:
    """Look for damage in a directory; what is found is in the answer.

    Raises StoreMismatch where there is no crawl, StoreError where the machine does not let it be
    read.
    """
    findings = Findings(directory, say)
    try:
        view = StoreView.read(directory)
    except StoreError as error:
        lost = isinstance(error, StoreMismatch) and has_lost_its_state(directory, error)
        if not lost and not is_damage(error):
            raise
        findings.add(STATE, "", without_path(error, directory))
        return findings
    with view:
        _Check(view, findings, every_page).run()
    return findings


class _Check:
    """One check of one opened directory."""

    def __init__(self, view: StoreView, findings: Findings, every_page: bool) -> None:
        self._view = view
        self._findings = findings
        self._every_page = every_page
        self._references = lines.References()
        self._templates = TemplateCheck(view, findings)
        self._archives = ArchiveCheck(view, findings)
        self._is_corpus = False

    def run(self) -> None:
        """Look at everything; what one part finds keeps no other from being looked at."""
        view, findings = self._view, self._findings
        parts = self._check_meta, self._check_file, self._check_packed, self._templates.unpack
        for part in (*parts, self._check_summary):
            with findings.guarded():
                part()
        with findings.guarded():
            findings.begin("Reading the URL table ...")
            ends = read_ends(view, findings)
            self._check_lines(ends)

    def _check_file(self) -> None:
        self._findings.begin(f"Checking {STATE} ...")
        for message in inconsistencies(
            self._view, lambda: self._findings.beat("Still checking {} ...", STATE)
        ):
            way_out = RESTORE
            if "index" in message:
                path = self._view.directory / STATE
                repair = shell_line("sqlite3", path, "REINDEX")
                way_out = f"if nothing else is told: {repair}; otherwise {RESTORE}"
            self._findings.add(STATE, "", message, way_out)

    def _check_meta(self) -> None:
        for key in Meta:
            with self._findings.guarded():
                value, kind = self._view.meta(key), _META.get(key, dict)
                if value is not None and not isinstance(value, kind):
                    what = f"the entry {key} of the table meta is no {kind.__name__}"
                    self._findings.add(STATE, "", what)
        with self._findings.guarded(), reading_stored_values(self._view.directory):
            self._is_corpus = INPUTS in self._view.meta(Meta.IDENTITY, {})

    def _check_packed(self) -> None:
        """Look at what is kept of pages beside their texts."""
        if not self._view.keeps_appearances:
            return
        for number, (page_id, packed) in enumerate(appearances(self._view), 1):
            self._findings.beat("{:,} appearances unpacked", number)
            try:
                unpack(packed)
            except ValueError as error:
                self._findings.add(STATE, f"page {page_id}", f"its appearance is lost: {error}")
        known = self._schema("pages")
        known["required"] = [name for name in known["required"] if name != "id"]
        for number, (url_id, url, line) in enumerate(dropped_pages(self._view), 1):
            self._findings.beat("{:,} dropped pages unpacked", number)
            wrong = line if isinstance(line, str) else next(faults(line, known), None)
            if wrong is None and isinstance(line, dict) and line["url"] != url:
                wrong = f"it is of {line['url']}"
            if wrong is not None:
                what = f"the dropped page {url} is lost: {wrong}"
                self._findings.add(STATE, f"URL {url_id}", what, _FETCH_AGAIN)

    def _check_summary(self) -> None:
        path = self._view.directory / SUMMARY
        try:
            if not isinstance(orjson.loads(path.read_bytes()), dict):
                self._findings.add(SUMMARY, "", "not a JSON object", _NEXT_RUN)
        except FileNotFoundError:
            pass  # no run has ended yet
        except orjson.JSONDecodeError as error:
            self._findings.add(SUMMARY, "", f"not JSON: {error}", _NEXT_RUN)
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from None

    def _check_lines(self, ends: Ends) -> None:
        for name in LINE_FILES:
            with self._findings.guarded():
                self._check_line_file(name, ends)
        lines.compare_references(self._references, self._findings)
        with self._findings.guarded():
            self._archives.compare()

    def _check_line_file(self, name: str, ends: Ends) -> None:
        files, findings = ends.files[name], self._findings
        findings.begin(f"Reading {ends.extents[name].lines:,} lines of {name}.jsonl ...")
        known, told = self._schema(name), lines.LineEnds(name)
        valid = (
            (number, record)
            for number, record in lines.committed_lines(self._view.directory, name, files, findings)
            if lines.is_valid(name, number, record, known, findings)
        )
        for number, record in self._compared(valid, ends) if name == "pages" else valid:
            told.add(number, record)
            self._references.add(name, number, record)
            self._templates.compare(name, number, record)
            self._archives.add(name, number, record)
        told.compare(ends, self._view, findings)
        for path, longer in lines.uncommitted(self._view.directory, name, files):
            findings.note(
                f"{path.name} has {longer:,} bytes that are not committed: a running crawl will "
                "commit them, after a kill the next start cuts them off"
            )

    def _compared(
        self, valid: Iterator[tuple[int, dict[str, Any]]], ends: Ends
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Hand on lines of pages.jsonl, each held against its row on the way."""
        count = ends.extents["pages"].lines
        pages = PageCheck(self._view, self._findings, signer_of(self._view, self._findings))
        sampled = self._sample(count)
        stored, behind = stored_pages(self._view), 0
        for number, record in valid:
            page = next(islice(stored, number - behind - 1, None), None)
            behind = number
            if page is None:
                self._findings.add_line("pages", number, "no such page is stored")
            else:
                with self._findings.guarded():
                    pages.compare(number, record, page, sign=number in sampled)
            yield number, record
        self._findings.looked_at = (
            f"{len(ends.urls):,} URLs, {sum(e.lines for e in ends.extents.values()):,} lines, "
            f"fingerprints of {pages.signed:,} of {count:,} pages"
        )

    def _sample(self, count: int) -> Container[int]:
        """Return the numbers of the lines whose fingerprints are made again."""
        everything = range(1, count + 1)
        if self._every_page or count <= SAMPLE:
            return everything
        return frozenset(random.sample(everything, SAMPLE))

    def _schema(self, name: str) -> dict[str, Any]:
        if self._is_corpus and name != "redirects":
            return corpus_schema(name)
        return schema(name)


def ways_out(findings: Findings) -> Mapping[str, list[str]]:
    """Return what can be done -> the files that need it, most urgent first."""
    ways: dict[str, list[str]] = {}
    for problem in findings.problems:
        files = ways.setdefault(problem.way_out, [])
        if problem.file not in files:
            files.append(problem.file)
    return dict(sorted(ways.items(), key=lambda way: way[0] != RESTORE))
