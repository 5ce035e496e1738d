"""Documents that exist already, judged as a crawl judges pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crawler.batch import CorpusJob, CorpusRun, Fields, corpus_identity, expand, open_store
from crawler.commands.report import print_end
from crawler.config import load_job
from crawler.crawl.identity import identity
from crawler.crawl.run import run_work
from crawler.crawl.summary import read_summary
from crawler.printing import say
from crawler.storage import StoreView


def dedup(
    files: Sequence[str],
    config: Path | None,
    overrides: Mapping[str, Any],
    fields: tuple[str, str | None],
    against: Sequence[Path],
    skip_bad: bool,
) -> int:
    """Judge documents that exist already; go on where the same command was stopped.

    `fields` say where JSON keeps text and id.
    """
    job = load_job(config, overrides)
    corpus = CorpusJob(job, expand(files), Fields(*fields), tuple(against), skip_bad)
    judging = corpus_identity(corpus, identity(job))
    store = open_store(corpus, judging)
    code = run_work(lambda: CorpusRun(corpus, store, judging, say=say), store, say)
    with StoreView.read(store.directory) as view:
        summary = read_summary(view)
    print_end(store.directory, summary)
    if code:
        say("Stopped; the same command goes on.")
    return code
