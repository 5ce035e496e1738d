"""Seeds added to a crawl that has begun: one transaction for all, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from crawler.errors import StoreMismatch
from crawler.records import NewUrl, Priority
from crawler.storage import opening, rows
from crawler.storage.directory import ARCHIVES, INPUTS
from crawler.storage.tables import Meta
from crawler.storage.tracing import Known, known
from crawler.storage.view import StoreView
from crawler.urls import host_key


@dataclass(frozen=True, slots=True)
class Added:
    """What became of seeds that were to be added."""

    queued: Sequence[str]
    """They are pending now."""
    known: Mapping[str, Known]
    """They were queued before, by URL."""


def add_seeds(directory: Path, urls: Sequence[str]) -> Added:
    """Queue canonical URLs as seeds of a crawl, and name them in the job that is kept with it.

    Those that are known stay as they are, but for the job. Raises StoreMismatch where there is no
    crawl from seeds, StoreInUse where somebody writes to the directory, StoreError; then nothing
    has changed.
    """
    with opening.held(directory) as opened:
        view = StoreView(directory, opened.writer)
        _check(view)
        before = {url: found for url in urls if (found := known(view, url)) is not None}
        queued = list(dict.fromkeys(url for url in urls if url not in before))
        job = view.meta(Meta.JOB)
        seeds = list(dict.fromkeys([*job["seeds"], *urls]))
        ids = count(view.next_url_id)
        new = [
            NewUrl(next(ids), url, host_key(url), 0, Priority.ORDINARY, 0, None, seed=True)
            for url in queued
        ]
        with opened.writer.transaction() as connection:
            rows.insert_urls(connection, {}, new)
            rows.set_meta(connection, {Meta.JOB: {**job, "seeds": seeds}, Meta.COUNTS: None})
        return Added(queued, before)


def _check(view: StoreView) -> None:
    identity = view.meta(Meta.IDENTITY, {})
    if ARCHIVES in identity:
        raise StoreMismatch(
            f"{view.directory} holds what was read from archives, which asks no site: begin a "
            "crawl from the seeds, with --against this directory"
        )
    if INPUTS in identity:
        raise StoreMismatch(
            f"{view.directory} holds the results of `dedup`, which fetches nothing: to judge more "
            "documents, run `dedup` on them with --against this directory"
        )
    if view.meta(Meta.RECRAWL) is not None:
        raise StoreMismatch(
            f"{view.directory} holds a recrawl, which visits the pages of an earlier crawl: add "
            "the seeds to that one, or begin a crawl of their own"
        )
    if view.meta(Meta.JOB) is None:
        raise StoreMismatch(
            f"{view.directory} holds no crawl that has begun: start it with --seeds"
        )
