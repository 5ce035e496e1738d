"""Documents that exist already, judged as a crawl judges pages."""

from __future__ import annotations

from argparse import Namespace

from crawler.cli.commands import jobs
from crawler.cli.commands.terminal import is_quiet, print_end
from crawler.console import safe, say, warning
from crawler.dedup.tables import best_plan, fitting_plan, plans
from crawler.engine.identity import identity
from crawler.errors import ConfigError
from crawler.models import NEAR
from crawler.models.enums import SiblingMode, Written
from crawler.ray_cluster import load_ray
from crawler.sources.corpus import CorpusJob, CorpusRun, believing, corpus_identity, open_store
from crawler.sources.documents import Fields
from crawler.sources.event_loop import run_work
from crawler.sources.inputs import expand
from crawler.sources.parts import driver as parts
from crawler.sources.writing import targets, write
from crawler.storage.summary import read_summary
from crawler.storage.view import StoreView
from crawler.units import counted

BYTES_A_FINGERPRINT = 51
"""Of a block index, at any distance (docs/index-designs.md)."""


USED = ("analysis", "dedup", "extract", "output", "progress_s", "storage.rotate_bytes")
"""Keys of a job, and sections: those of what it takes to fetch pages say nothing here."""

WRITTEN = {
    Written.ROWS: "the rows without the copies",
    Written.ALL: "all rows with their verdicts",
    Written.IDS: "the ids of what is kept",
    Written.FLAGS: "for each row whether it is kept",
}


def dedup(args: Namespace) -> int:
    """Judge documents that exist already; go on where the same command was stopped."""
    if args.plan:
        return _plan(args)
    if args.documents is not None:
        args.error("--documents is for --plan only")
    if not args.files:
        args.error("the following arguments are required: FILE")
    job = believing(jobs.of_command_line(args))
    for key in (text.partition("=")[0] for text in args.set):
        if not {key, key.partition(".")[0]} & {*USED}:
            told = f"Warning: --set {key} changes nothing: of a job `dedup` takes {', '.join(USED)}"
            say(warning(told))
    earlier, fields = (*args.against, *job.dedup.against), Fields(args.text_field, args.id_field)
    corpus = CorpusJob(job, expand(args.files, say), fields, earlier, args.skip_bad)
    what = Written(args.write) if args.write else None
    # What would be found wrong only after hours.
    if what is not None:
        targets(corpus.files, what, corpus.job.output)
    if any(file.is_parquet for file in corpus.files):
        from crawler.sources.parquet import check_columns  # needs pyarrow, which is an extra

        check_columns(corpus.files, corpus.fields)
    if args.engine is None and args.ray_address is not None:
        args.error("--ray-address is for --engine ray only")
    if args.engine is not None:
        load_ray(args.ray_address, "--engine ray")
        parts.check(corpus)
    jobs.warn_of_slow_kernels()
    judging = corpus_identity(corpus, identity(job))
    store = open_store(corpus, judging)
    if args.engine is None:
        code = run_work(lambda: CorpusRun(corpus, store, say=say), store, say)
    elif parts.is_judged(store):
        code = run_work(
            lambda: parts.PartsRun(corpus, store, parts.in_process, say=say), store, say
        )
    else:
        with parts.on_ray(args.ray_address, job.analysis.processes) as ray:
            code = run_work(lambda: parts.PartsRun(corpus, store, ray, say=say), store, say)
    with StoreView.read(store.directory) as view:
        if what is not None and not code:
            write(corpus.files, what, view, say)
        summary = read_summary(view)
    print_end(store.directory, summary, of_corpus=True)
    if (near := summary["duplicates"].get(NEAR)) and job.dedup.siblings is SiblingMode.IGNORE:
        say(
            f"The texts of {counted(near, 'near duplicate')} are alike, no more is asked: "
            "--siblings tag keeps those with another number, name or date"
        )
    if what is not None and not code and not is_quiet():
        print(f"Written: {safe(str(store.directory / what))}/ ({WRITTEN[what]})")
    if code:
        say("Stopped; repeat the command to continue.")
    return code


def _plan(args: Namespace) -> int:
    """Show the designs of sorted tables for a number of documents, and the one that is chosen.

    Raises ConfigError if none fits the memory.
    """
    documents = args.documents
    if documents is None:
        args.error("--plan needs --documents N")
    if not 1 <= documents <= 2**53:
        raise ConfigError(f"--documents {documents}: give a number from 1 to 2^53")
    settings = jobs.of_command_line(args).dedup
    asked = documents, settings.distance, settings.index_memory_bytes
    best = best_plan(*asked)
    print(f"{'design':18}{'tables':>7}{'bits':>6}{'compared':>17}{'bytes each':>12}{'bytes':>23}")
    for one in plans(documents, settings.distance):
        remark = "" if one.fits(settings.index_memory_bytes) else "too large"
        if one == best and not remark:
            remark = "chosen"
        design = one.design
        print(
            f"{design!s:18}{design.tables:>7}{design.prefix_bits:>6}{one.compared:>17,.1f}"
            f"{one.nbytes // documents:>12}{one.nbytes:>23,}  {remark}".rstrip()
        )
    print(f"\n{fitting_plan(*asked).explain()}")
    most = documents * BYTES_A_FINGERPRINT
    print(f"\nThe block index (--index blocks, the default) takes up to {most:,} bytes.")
    return 0
