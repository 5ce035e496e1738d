"""`read` and `reread`: archives read as a crawl reads pages, to the last words."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crawler import plugins
from crawler.cli.commands import jobs
from crawler.cli.commands.terminal import NO_PAGES, print_end
from crawler.config import Job, Plugins
from crawler.console import say
from crawler.engine.engine import inherited
from crawler.engine.identity import identity
from crawler.errors import InputError, StoreMismatch
from crawler.models import Learned
from crawler.sources.archives import ReadRun
from crawler.sources.event_loop import run_work
from crawler.sources.records import expand, fingerprint_of, library
from crawler.storage.directory import ARCHIVES
from crawler.storage.store import Store
from crawler.storage.summary import read_summary
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView, all_learned, begun

_NO_VERDICT = {"index", "index_memory_bytes"}
"""Settings of `dedup` that no verdict depends on."""

_TAUGHT_BY = ("extractor", "analysis", "parser")
"""What of a crawl's identity its templates depend on."""


def read(args: Namespace) -> int:
    """Read archives into an output directory; go on where the same command was stopped."""
    return _read(args.files, jobs.of_command_line(args))


def reread(args: Namespace) -> int:
    """Read the archives of a crawl again, with its own job or a changed one.

    It goes on with what the crawl has learned of its sites, if that was taught by the same engine:
    beginning anew, it would make the same templates of the same first pages, and the same mistakes.
    """
    job = jobs.changed(args.directory, args.config, jobs.told(args))
    job, own = job.model_copy(update={"output": args.output}), identity(job)
    with StoreView.read(args.directory) as view:
        found = view.meta(Meta.IDENTITY, {})
        is_alike = all(found.get(name) == own[name] for name in _TAUGHT_BY)
        learned = map(inherited, all_learned(view)) if is_alike and job.extract.learn else ()
        return _read((str(args.directory),), job, learned)


def _read(arguments: Sequence[str], job: Job, learned: Iterable[Learned] = ()) -> int:
    plugins.check(Plugins(extractors=job.plugins.extractors))
    files = expand(arguments)
    output = job.output.resolve()
    for file in files:
        if output in file.path.resolve().parents:
            raise InputError(f"{file.path} lies in the output directory: choose another --output")
    library()  # what is missing is told before anything is written
    store = opened(job, fingerprint_of(files))
    run = ReadRun(job, files, store, learned=learned, say=say)
    code = run_work(lambda: run, store, say)
    with StoreView.read(store.directory) as view:
        summary = read_summary(view)
    print_end(store.directory, summary)
    if passed := ", ".join(f"{number:,} {what}" for what, number in sorted(run.passed.items())):
        say(f"Passed over: {passed}")
    if code:
        say("Stopped; repeat the command to continue.")
    elif not summary["seen"]:
        say("No record of a page was found: are these WARC or WET files?")
        return NO_PAGES
    return code


def opened(job: Job, files: str) -> Store:
    """Return where a run writes that reads these files, named by their fingerprint.

    How pages are read and judged, and which, must be the same where a run goes on. In a crawl
    thresholds may change between runs; here the same command gives the same verdicts.
    """
    directory, rotate_bytes = job.output, job.storage.rotate_bytes
    dedup = job.dedup.model_dump(mode="json", exclude=_NO_VERDICT)
    reading = {"dedup": dedup, "extract": job.extract.model_dump(mode="json")}
    wanted = {**identity(job), ARCHIVES: files, **reading}
    if not begun(directory):
        return Store.create(directory, wanted, rotate_bytes=rotate_bytes)
    with StoreView.read(directory) as view:
        known: Mapping[str, Any] = view.meta(Meta.IDENTITY, {})
    if ARCHIVES not in known:
        raise StoreMismatch(f"{directory} holds another run: choose another --output")
    if known[ARCHIVES] != files:
        raise StoreMismatch(
            f"{directory} holds what other archives say, or their sizes or times have changed: "
            "choose another --output"
        )
    return Store.open(directory, wanted, rotate_bytes=rotate_bytes)
