"""How a run's directory is taken: begun, or gone on with if the same command was stopped in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crawler.batch.corpus import CorpusJob
from crawler.batch.inputs import fingerprint_of
from crawler.errors import InputError, StoreMismatch
from crawler.storage import Store, StoreView


def corpus_identity(corpus: CorpusJob, judging: Mapping[str, Any]) -> dict[str, Any]:
    """Return what must be the same where a run goes on: how pages are judged, and which.

    `judging` is a crawl's identity (`crawler.identity`). In a crawl thresholds may change between
    runs; here the same command has to give the same verdicts, so they may not.
    """
    return {
        **judging,
        "inputs": fingerprint_of(corpus.files),
        "text_field": corpus.fields.text,
        "id_field": corpus.fields.id,
        "against": [str(directory.resolve()) for directory in corpus.against],
        "dedup": corpus.job.dedup.model_dump(mode="json"),
    }


def open_store(corpus: CorpusJob, identity: Mapping[str, Any]) -> Store:
    """Return the store of a run, new or taken up again.

    Raises StoreMismatch if the directory holds a crawl, or verdicts on other documents or with
    other settings; StoreInUse and StoreError as `Store.create` does.
    """
    directory = corpus.job.output
    _refuse_overlap(corpus, directory)
    if _is_begun(directory):
        _refuse_stdin(corpus, directory)
        return Store.open(directory, identity)
    return Store.create(directory, identity)


def _is_begun(directory: Path) -> bool:
    try:
        with StoreView.read(directory) as view:
            return view.next_url_id > 1
    except StoreMismatch:  # nothing of ours, or nothing yet: `Store.create` says what is wrong
        return False


def _refuse_stdin(corpus: CorpusJob, directory: Path) -> None:
    if any(file.path is None for file in corpus.files):
        raise InputError(
            f"{directory} already holds verdicts, and standard input cannot be read from its "
            "beginning again: choose another --output"
        )


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
