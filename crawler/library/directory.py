"""The directory of a judge: made, or taken up where it was left."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crawler.batch.corpus import CorpusJob
from crawler.batch.opening import FREE, believing, corpus_identity
from crawler.config import Job, parse_job
from crawler.crawl.identity import identity
from crawler.errors import StoreMismatch
from crawler.storage import INPUTS, Meta, Store, StoreView, begun

GIVEN = "documents given to a judge"
"""What stands in place of input files: no run of `dedup` over files takes the directory up."""


def open_directory(path: Path, settings: Mapping[str, Any]) -> tuple[Job, Store, Mapping[str, Any]]:
    """Return the job of a judge, its store, and the identity of that.

    Without `settings` a directory that has begun keeps its own. Raises ConfigError for settings
    that do not exist, StoreMismatch where the directory holds anything else than a judge with these
    settings, StoreInUse and StoreError as `Store.open` does.
    """
    goes_on = path.exists() and begun(path)
    held = _begun_with(path) if goes_on else {}
    job = _job(path, {**held, **settings})
    if goes_on:
        _refuse_changes(path, _job(path, held), job)
    corpus = CorpusJob(job, (), against=job.dedup.against)
    wanted = {**corpus_identity(corpus, identity(job)), INPUTS: GIVEN}
    made = Store.open if goes_on else Store.create
    return job, made(path, wanted, rotate_bytes=job.storage.rotate_bytes), wanted


def _job(path: Path, dedup: Mapping[str, Any]) -> Job:
    return believing(parse_job({"output": path, "dedup": dict(dedup)}, "Judge.open"))


def _begun_with(path: Path) -> Mapping[str, Any]:
    """Return the settings of a judge's directory, as a job has them."""
    with StoreView.read(path) as view:
        stored = view.meta(Meta.IDENTITY, {})
    if stored.get(INPUTS) != GIVEN:
        raise StoreMismatch(
            f"{path} holds a crawl or the results of `dedup`: give Judge.open a directory of its "
            f'own, and this one as against=["{path}"]'
        )
    return {**stored["dedup"], "against": stored["against"]}


def _refuse_changes(path: Path, then: Job, now: Job) -> None:
    """Raise StoreMismatch where verdicts would not be those of the judge that was begun."""
    held, wanted = (job.dedup.model_dump(mode="json", exclude=FREE) for job in (then, now))
    differing = [
        f"{key}: {held[key]!r}, now {wanted[key]!r}" for key in held if held[key] != wanted[key]
    ]
    if differing:
        raise StoreMismatch(
            f"{path} was begun with other settings:\n  "
            + "\n  ".join(differing)
            + "\nLeave them out to go on as it was begun, or choose another directory"
        )
