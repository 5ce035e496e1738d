"""What each command does: a job in; a crawl, a judged corpus or an explanation out, and printed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import chain, count
from pathlib import Path
from typing import Any

import orjson
from rich.console import Console, RenderableType

from crawler.advice import (
    contact_warning,
    lines,
    password_warning,
    resume_command,
    unreached,
    way_on,
)
from crawler.batch import CorpusJob, CorpusRun, Fields, corpus_identity, expand, open_store
from crawler.config import Job, check_seeds, load_job, merge, parse_job, read_job, read_seeds
from crawler.demo import DemoServer, DemoWeb, Truth, demo_job
from crawler.errors import ConfigError, InputError, StoreMismatch
from crawler.explain import as_data, as_page, open_subjects, print_explanation
from crawler.explain import explain as explain_pair
from crawler.frontier import cut_records, released
from crawler.handover import TRAPS
from crawler.identity import identity
from crawler.lexicon import make_lexicon
from crawler.observe import comparison, print_report
from crawler.observe import report as report_parts
from crawler.printing import drop_output, escape_json, safe_lines
from crawler.reindex import Reindex
from crawler.run import read_summary, run, run_loop, run_work
from crawler.storage import LINE_FILES, STATE, Store, StoreView, back_up, reading, reindexing

PIPED_COLUMNS = 150

SLOW_URLS = 2_000_000
"""URLs from which a report takes more than a few seconds."""

NO_PAGES = 1
"""Exit code of a crawl that could not fetch one page."""

LEAST_ARTICLES = 10
"""Size of the smallest demo web with every behaviour that docs/demo.md tells of."""


def crawl(seeds: Path | None, config: Path | None, overrides: Mapping[str, Any]) -> int:
    """Begin a crawl in a new output directory."""
    flags = dict(overrides)
    if seeds is not None:
        flags["seeds"] = read_seeds(seeds)
    job = _loaded(config, flags)
    check_seeds(job.seeds, str(config or "command line"))
    if warning := contact_warning(job):
        _say(warning)
    return _crawl(job, Store.create(job.output, identity(job)))


def _loaded(config: Path | None, overrides: Mapping[str, Any]) -> Job:
    """Return the job of a crawl, after a warning where it is not quite what was given."""
    given = read_job(config, overrides)
    job = parse_job(given, str(config or "command line"))
    if warning := password_warning(given.get("seeds", ()), job):
        _say(warning)
    return job


def resume(
    directory: Path, config: Path | None, overrides: Mapping[str, Any], release: Sequence[str]
) -> int:
    """Go on with the crawl in a directory, with its own job or a changed one.

    `release` are names, or beginnings of names, of cut subtrees that are to be fetched after all.
    """
    job = _changed_job(directory, config, overrides)
    traps = _released(directory, release)
    store = Store.open(directory, identity(job))
    if release:
        store.set_meta(TRAPS, traps)
    return _crawl(job, store)


def _released(directory: Path, release: Sequence[str]) -> dict[str, Any]:
    """Return what the trap rule knows, with these subtrees released."""
    with StoreView.read(directory) as view, reading(directory):
        traps: dict[str, Any] = view.meta(TRAPS, {})
        cut = [record["name"] for record in cut_records(traps)]
        for prefix in release:
            traps, names = released(traps, prefix)
            if not names and prefix != "all":
                known = f"these are: {', '.join(cut)}" if cut else "nothing is"
                raise InputError(
                    f"--release {prefix}: no such subtree is cut in {directory}; {known}"
                )
    return traps


def reindex(directory: Path, config: Path | None, overrides: Mapping[str, Any]) -> int:
    """Sign the stored pages of a crawl anew under its job or a changed one."""
    job = _changed_job(directory, config, overrides)
    with reindexing(directory, identity(job)) as pages:
        work = Reindex(job, pages, say=_say)
        code = run_loop(lambda: work, _say)
    if code:
        _say(f"Stopped; nothing was changed in {directory}.")
        return code
    for page_id in work.failed:
        _say(f"Page {page_id} could not be signed: only exact copies of it will be found.")
    print(
        f"{directory}: {work.signed:,} pages signed anew; go on with: {resume_command(directory)}"
    )
    return 0


def backup(directory: Path, target: Path) -> int:
    """Copy a crawl's directory so that it can be resumed, also while it runs."""
    size = back_up(directory, target, _say)
    print(f"{target}: {size:,} bytes; it can be gone on with by: {resume_command(target)}")
    return 0


def _changed_job(directory: Path, config: Path | None, overrides: Mapping[str, Any]) -> Job:
    """Return the job of a crawl that has begun, with what is to be changed in it."""
    data = _kept_job(directory)
    with reading(directory):
        if config is not None:
            data = {"seeds": data["seeds"]} | _loaded(config, {}).model_dump(
                mode="json", exclude_unset=True
            )
        merge(data, {**overrides, "output": str(directory)})
        return parse_job(data, str(config or directory))


def _kept_job(directory: Path) -> dict[str, Any]:
    """Return the job that is kept with a crawl; StoreMismatch where none has begun."""
    data: dict[str, Any] | None = None
    if (directory / STATE).exists() or not directory.exists():
        with StoreView.read(directory) as view:
            data = view.meta("job")
    if data is None:
        raise StoreMismatch(
            f"{directory} holds no crawl that has begun: check the path, or start it with --seeds"
        )
    return data


def report(directory: Path, top: int) -> int:
    """Print the tables of a crawl."""
    if top < 1:
        raise ConfigError(f"--top {top}: give a positive number")
    with StoreView.read(directory) as view:
        if (urls := view.next_url_id - 1) >= SLOW_URLS:
            _say(f"Counting {urls:,} URLs ...")
        hosts = [(host.host, host.outcomes) for host in view.hosts(top)]
        clusters = [(ref.id, ref.url, size) for ref, size in view.largest_clusters(top)]
        print_report(_console(), report_parts(read_summary(view), hosts, clusters))
    return 0


def demo(output: Path | None, articles: int, seed: int) -> int:
    """Crawl the demo web and set what was found beside its truth."""
    if articles < LEAST_ARTICLES:
        raise ConfigError(
            f"--articles {articles}: give {LEAST_ARTICLES} or more; in a smaller web some "
            "behaviours are missing"
        )
    output = output or _unused(Path("demo-out"))
    with ExitStack() as unless_begun:
        # Taken before the web is written, which takes its time; the demo job leaves identity alone.
        store = Store.create(output, identity(Job()))
        unless_begun.callback(store.close)
        _say(f"Serving the demo web ({articles} articles) on loopback ...")
        web = DemoWeb(seed, articles)
        with DemoServer(web):
            unless_begun.pop_all()
            return _crawl(parse_job(demo_job(web, output), "demo"), store, web.truth)


def dedup(
    files: Sequence[str],
    config: Path | None,
    overrides: Mapping[str, Any],
    fields: Fields,
    against: Sequence[Path],
    skip_bad: bool,
) -> int:
    """Judge documents that exist already; go on where the same command was stopped."""
    job = load_job(config, overrides)
    corpus = CorpusJob(job, expand(files), fields, tuple(against), skip_bad)
    judging = corpus_identity(corpus, identity(job))
    store = open_store(corpus, judging)
    code = run_work(lambda: CorpusRun(corpus, store, judging, say=_say), store, _say)
    with StoreView.read(store.directory) as view:
        _print_end(store.directory, report_parts(read_summary(view), [], []))
    if code:
        _say("Stopped; the same command goes on.")
    return code


def explain(
    names: tuple[str, str],
    output: Path | None,
    config: Path | None,
    fetch: bool,
    as_json: bool,
    html: Path | None,
) -> int:
    """Show why two documents are, or are not, taken for duplicates."""
    settings = load_job(config).dedup if config else None
    if fetch and output is None:
        raise ConfigError("--fetch fetches pages of a crawl: add its --output DIR")
    sides = open_subjects(names, output, settings, _say if fetch else None)
    explanation = explain_pair(*sides)
    if html is not None:
        try:
            html.write_text(as_page(explanation), encoding="utf-8", errors="replace")
        except OSError as error:
            raise InputError(f"{html}: cannot write the page: {error.strerror}") from None
        _say(f"Page: {html}")
    if as_json:
        data = orjson.dumps(as_data(explanation), option=orjson.OPT_INDENT_2)
        print(escape_json(data).decode())
    elif html is None:
        print_explanation(_console(), explanation)
    return 0


def lexicon(files: Sequence[str], text_field: str, output: Path) -> int:
    """Make a lexicon of a sample of texts."""
    documents, words = make_lexicon(files, text_field, output)
    print(f"{output}: {words:,} words of {documents:,} documents")
    return 0


def _crawl(job: Job, store: Store, truth: Truth | None = None) -> int:
    """Run a job, print how it ended (beside the truth, where that is known), return the code."""
    code = run(job, store, _say)
    with StoreView.read(store.directory) as view:
        summary = read_summary(view)
        seeds = list(view.seeds())
    parts = report_parts(summary, [], [])
    if truth is not None and not code:
        found = (lines(store.directory, name) for name in LINE_FILES)
        parts.append(comparison(truth.compare(*found).rows()))
    _print_end(store.directory, parts)
    if not code and not summary["stored"]:
        for line in unreached(store.directory, seeds):
            _say(line)
        return NO_PAGES
    held = sum(cut["pending"] for cut in summary["traps"])
    if held and truth is None:
        command = f"{resume_command(job.output)} --release all"
        _say(f"{held:,} URLs were cut as endless; release them: {command}")
    if summary["pending"] > held and truth is None:
        _say(way_on(job, summary, held, code))
    return code


def _print_end(directory: Path, parts: Sequence[RenderableType]) -> None:
    """Print how a run ended, and where its output lies."""
    print_report(_console(), parts)
    print(f"Output: {directory}/ (tables: python -m crawler report {directory})")


def _unused(directory: Path) -> Path:
    """Return the directory, or its first numbered neighbour that is not there yet."""
    neighbours = (directory.with_name(f"{directory.name}-{n}") for n in count(2))
    return next(path for path in chain([directory], neighbours) if not path.exists())


class _Terminal(Console):
    def on_broken_pipe(self) -> None:
        """Print no more where the reader has gone; rich would end the program by exit code 1."""
        drop_output()


def _console() -> Console:
    """Return a terminal as it is; what is piped is as wide as the tables need."""
    width = None if sys.stdout.isatty() else PIPED_COLUMNS
    return _Terminal(markup=False, highlight=False, width=width)


def _say(line: str) -> None:
    """Print a line for whoever listens; a closed pipe or terminal stops no work."""
    with suppress(OSError):
        print(safe_lines(line), file=sys.stderr, flush=True)
