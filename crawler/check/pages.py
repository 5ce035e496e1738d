"""Stored pages: their lines, their texts and their rows in the state say the same."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from crawler.check.problems import Findings
from crawler.config import Job
from crawler.crawl.identity import identity
from crawler.dedup import Signer
from crawler.dedup.copies import Appearance
from crawler.dedup.copies import unpack as unpack_appearance
from crawler.dedup.copies.appearance import CUT
from crawler.dedup.methods import by_name
from crawler.dedup.signing.digests import format_digest, text_digest
from crawler.ends.judged import format_fingerprint
from crawler.errors import CrawlerError
from crawler.extract import shown_text
from crawler.printing import command
from crawler.records import Shingles
from crawler.storage import INPUTS, Meta, StoredPage, StoreView, reading_stored_values
from crawler.storage.shingles import unpack as unpack_shingles

_STEPS = ("tokenizer", "fingerprint", "shingles", "sketch")
"""Keys of a crawl's identity that a signature depends on, besides those of its method."""


def signer_of(view: StoreView, findings: Findings) -> Signer | None:
    """Return what signed the pages; None, and a note, where this program cannot sign alike."""
    try:
        data, stored = view.meta(Meta.JOB), dict(view.meta(Meta.IDENTITY, {}))
        if data is None:
            return None
        job = Job.model_validate(data)
        now = identity(job)
        differing = [
            key
            for key in (*_STEPS, *by_name.identity(job.dedup))
            if stored.get(key) != now.get(key)
        ]
        signer = Signer(job.dedup, (view.key,) if view.key else ())
        signer.warm()
    except (CrawlerError, TypeError, ValueError) as error:
        findings.note(f"Fingerprints are not checked: {error}")
        return None
    if differing:
        findings.note(
            f"Fingerprints are not checked: they were made with another {', '.join(differing)}"
        )
        return None
    return signer


class PageCheck:
    """Holds lines of pages.jsonl against the rows of `documents`, both in their order."""

    def __init__(self, view: StoreView, findings: Findings, signer: Signer | None) -> None:
        self._findings = findings
        self._sign = signer
        self._view = view
        self._directory = view.directory
        with reading_stored_values(view.directory):
            runs = view.meta(Meta.REINDEXED, [])
            self._unsigned = {id_ for run in runs for id_ in run["failed"]}
            self._is_corpus = INPUTS in view.meta(Meta.IDENTITY, {})
        self._was_reindexed = bool(runs)
        self.signed = 0
        """Pages whose signature was made again."""

    def compare(
        self, number: int, record: Mapping[str, Any], page: StoredPage, *, sign: bool
    ) -> None:
        """Compare a valid line, its text and its row. StoreError where the row is none of ours."""
        with reading_stored_values(self._directory):
            wrong = self._differing(record, page)
        digest = format_digest(text_digest(record["text"]))
        if digest != record["text_digest"]:
            wrong.append("its text is not the one that was stored (text_digest)")
        for what in wrong:
            self._findings.add_line("pages", number, what)
        stored = self._shingles(page)
        if stored and sign and not wrong and self._sign and page.id not in self._unsigned:
            self._compare_signature(record["text"], page, stored, self._sign)

    def _appearance(self, page: StoredPage) -> Appearance:
        """Return what is kept of a page's appearance; nothing also where that is damaged."""
        packed = self._view.appearance(page.id)
        with suppress(ValueError):  # told of where all of them are unpacked
            return unpack_appearance(packed) if packed else Appearance()
        return Appearance(order=CUT)

    def _shingles(self, page: StoredPage) -> Shingles | None:
        """Return a page's shingles; None where they are damaged, which is a finding."""
        if page.hashes is None:
            what = "its shingles are lost"
        else:
            try:
                return unpack_shingles(page.id, page.hashes)
            except (TypeError, ValueError) as error:
                what = str(error)
        self._findings.add("state.sqlite", f"page {page.id}", what, self._to_sign_again())
        return None

    def _differing(self, record: Mapping[str, Any], page: StoredPage) -> list[str]:
        told: dict[str, Any] = {
            "url": page.url,
            "payload_digest": format_digest(page.payload_digest),
            "text_digest": format_digest(page.text_digest),
        }
        if not self._is_corpus:
            told["id"] = page.id
        if not self._was_reindexed:  # that leaves the lines as they are
            told["fingerprint"] = format_fingerprint(page.fingerprint)
            told["layout"] = page.layout and page.layout.hex()
        return [
            f"{name} is {record[name]}, and {value} in the state file"
            for name, value in told.items()
            if record[name] != value
        ]

    def _compare_signature(
        self, text: str, page: StoredPage, stored: Shingles, sign: Signer
    ) -> None:
        seen = self._appearance(page)
        if seen.order == CUT:
            return
        judged, visible = seen.judged_text, seen.visible_text
        if visible is not None:
            digest = text_digest(shown_text(visible, seen.heading))
            if digest != page.visible_digest:
                what = "its appearance is not that of its visible text (visible_digest)"
                self._findings.add("state.sqlite", f"page {page.id}", what)
                return
        made = sign(text if judged is None else judged)
        marks = b"", b""
        if stored.marks is not None and made.marks:
            marks = made.marks[0].tobytes(), stored.marks.tobytes()
        self.signed += 1
        pairs = {
            "fingerprint": (made.fingerprint, page.fingerprint),
            "tokens": (made.tokens, page.tokens),
            "kind of shingles": (made.shingle_kind, page.shingle_kind),
            "shingles": (made.shingles.tobytes(), stored.hashes.tobytes()),
            "marks of shingles": marks,
            "sketch": (made.sketch, page.sketch),
        }
        differing = [name for name, (now, then) in pairs.items() if now != then]
        if differing:
            what = f"{', '.join(differing)} are not those of its text"
            self._findings.add("state.sqlite", f"page {page.id}", what, self._to_sign_again())

    def _to_sign_again(self) -> str:
        if self._is_corpus:
            return "run `dedup` again with another --output"
        reindex = command("reindex", self._directory)
        return f"compute all fingerprints again from the stored texts: {reindex}"
