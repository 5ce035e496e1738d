"""Texts read from files: those that a user gives, and documents of a corpus that was judged."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crawler.analysis import Analyser, AnalysisRequest, AnalysisSettings
from crawler.batch import media_type_of, read_again, read_whole
from crawler.config import Dedup, Job
from crawler.dedup.signing.digests import format_digest
from crawler.records import Document, PayloadKey
from crawler.storage import Meta, StoreView


@dataclass(frozen=True, slots=True)
class Read:
    """What a file or a line says."""

    document: Document
    payload: PayloadKey
    media_type: str


def read_file(path: Path, name: str, settings: Dedup) -> Read:
    """Read a file as a fetched page is read, compressed or not; what begins with `<` is HTML.

    Raises InputError for one that cannot be read.
    """
    body = read_whole(path, name)
    is_html = body.lstrip()[:1] == b"<"
    media_type = media_type_of(path.name) or "text/plain"
    if is_html and media_type == "text/plain":
        media_type = "text/html"
    analyser = Analyser(AnalysisSettings.of(Job(dedup=settings)))
    page = analyser.analyse(
        AnalysisRequest(path.absolute().as_uri(), body, media_type, charset=None)
    )
    digest = format_digest(hashlib.sha256(body).digest())
    return Read(page, PayloadKey(digest.encode(), ""), media_type)


def read_document(record: Mapping[str, Any], view: StoreView) -> Read:
    """Read a document of a run of `dedup` where its line says it lies.

    Raises InputError where it is no longer there.
    """
    job = Job.model_validate(view.meta(Meta.JOB))
    reading = read_again(record, view.meta(Meta.IDENTITY), AnalysisSettings.of(job))
    return Read(reading.document, reading.payload, reading.media_type)
