"""How a run opens its directory: a new one, or that of the same command stopped before its end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from crawler.batch.corpus import CorpusJob
from crawler.batch.inputs import fingerprint_of
from crawler.config import Job, SiblingMode
from crawler.earlier.opening import resolved
from crawler.errors import InputError, StoreMismatch
from crawler.storage import INPUTS, Meta, Store, StoreView

FREE = {"index", "index_memory_bytes"}
"""Settings of `dedup` that no verdict depends on: a run goes on with others."""
_OF_ITS_OWN = {"against"}
"""What stands for itself in an identity."""


def believing(job: Job) -> Job:
    """Return a job that takes whatever is alike for near duplicates, unless it says otherwise.

    A corpus of texts has neither addresses nor titles to tell siblings by, and who deduplicates one
    asks for resemblance.
    """
    if "siblings" in job.dedup.model_fields_set:
        return job
    dedup = job.dedup.model_copy(update={"siblings": SiblingMode.IGNORE})
    return job.model_copy(update={"dedup": dedup})


def corpus_identity(corpus: CorpusJob, judging: Mapping[str, Any]) -> dict[str, Any]:
    """Return what must be the same where a run goes on: how pages are judged, and which.

    `judging` is a crawl's identity (`crawl.identity`). In a crawl thresholds may change between
    runs; here the same command has to give the same verdicts, so they may not.
    """
    return {
        **judging,
        INPUTS: fingerprint_of(corpus.files),
        "text_field": corpus.fields.text,
        "id_field": corpus.fields.id,
        "against": resolved(corpus.against),
        "engine": corpus.job.extract.engine.value,
        "dedup": corpus.job.dedup.model_dump(mode="json", exclude=FREE | _OF_ITS_OWN),
    }


def open_store(corpus: CorpusJob, identity: Mapping[str, Any]) -> Store:
    """Return the store of a run, new or reopened.

    Raises StoreMismatch if the directory holds a crawl, or verdicts on other documents or with
    other settings; StoreInUse and StoreError as `Store.create` does.
    """
    directory, rotate_bytes = corpus.job.output, corpus.job.storage.rotate_bytes
    _refuse_overlap(corpus, directory)
    begun = _begun_as(directory)
    if begun is None:
        return Store.create(directory, identity, rotate_bytes=rotate_bytes)
    if any(file.path is None for file in corpus.files):
        raise InputError(
            f"{directory} already holds verdicts, and standard input cannot be read from its "
            "beginning again: choose another --output"
        )
    if INPUTS in begun:  # where it is a crawl, `Store.open` says so
        _refuse_changes(directory, begun, identity)
    return Store.open(directory, identity, rotate_bytes=rotate_bytes)


def _begun_as(directory: Path) -> Mapping[str, Any] | None:
    """Return the identity of the run that a directory holds, None where none has begun."""
    try:
        with StoreView.read(directory) as view:
            identity: Mapping[str, Any] = view.meta(Meta.IDENTITY, {})
            return identity if view.next_url_id > 1 else None
    except StoreMismatch:  # nothing of ours, or nothing yet: `Store.create` says what is wrong
        return None


def _refuse_changes(directory: Path, begun: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    then, wanted = _settings(begun), _settings(now)
    differing = [
        f"{key}: {then.get(key, 'nothing')}, now {wanted.get(key, 'nothing')}"
        for key in sorted(then.keys() | wanted.keys())
        if then.get(key) != wanted.get(key)
    ]
    if begun[INPUTS] != now[INPUTS]:
        differing.append("FILE...: the files are different, or their sizes or times have changed")
    if differing:
        raise StoreMismatch(
            f"{directory} holds a run with other inputs or settings:\n  "
            + "\n  ".join(differing)
            + "\nTo continue it, repeat its own command; otherwise choose another --output"
        )


def _settings(identity: Mapping[str, Any]) -> dict[str, str]:
    """Return each setting by its name as JSON; what a setting of `dedup` entails is left out."""
    dedup: Mapping[str, Any] = identity["dedup"]
    others = identity.keys() - dedup.keys() - {"dedup", INPUTS}
    named = {f"dedup.{key}": value for key, value in dedup.items()}
    named |= {key: identity[key] for key in others}
    return {key: orjson.dumps(value).decode() for key, value in named.items()}


def _refuse_overlap(corpus: CorpusJob, directory: Path) -> None:
    output = directory.resolve()
    for file in corpus.files:
        if file.path is not None and output in file.path.resolve().parents:
            raise InputError(
                f"{file.name} lies in the output directory {directory}: choose another --output"
            )
    if any(other.resolve() == output for other in corpus.against):
        raise InputError(
            f"{directory}: --against and --output are the same directory; choose another --output"
        )
