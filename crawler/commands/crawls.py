"""A crawl from its beginning, or from where it stopped, to the words at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler.commands import jobs
from crawler.commands.advice import contact_warning, lines, resume_command, unreached, way_on
from crawler.commands.saying import say
from crawler.commands.tables import print_end
from crawler.config import Job, check_seeds, read_seeds
from crawler.crawl.identity import identity
from crawler.crawl.run import run
from crawler.crawl.summary import read_summary
from crawler.errors import InputError
from crawler.frontier import cut_records, released
from crawler.storage import LINE_FILES, Meta, Store, StoreView, reading_stored_values

if TYPE_CHECKING:
    from crawler.demo import Truth

NO_PAGES = 1
"""Exit code of a crawl that could not fetch one page."""


def crawl(seeds: Path | None, config: Path | None, overrides: Mapping[str, Any]) -> int:
    """Begin a crawl in a new output directory."""
    flags = dict(overrides)
    if seeds is not None:
        flags["seeds"] = read_seeds(seeds)
    job = jobs.loaded(config, flags)
    check_seeds(job.seeds, str(config or "command line"))
    if warning := contact_warning(job):
        say(warning)
    return finish(job, Store.create(job.output, identity(job)))


def resume(
    directory: Path, config: Path | None, overrides: Mapping[str, Any], release: Sequence[str]
) -> int:
    """Go on with the crawl in a directory, with its own job or a changed one.

    `release` are names, or beginnings of names, of cut subtrees that are to be fetched after all.
    """
    job = jobs.changed(directory, config, overrides)
    traps = _released(directory, release)
    store = Store.open(directory, identity(job))
    if release:
        store.set_meta(Meta.TRAPS, traps)
    return finish(job, store)


def _released(directory: Path, release: Sequence[str]) -> dict[str, Any]:
    """Return what the trap rule knows, with these subtrees released."""
    with StoreView.read(directory) as view, reading_stored_values(directory):
        traps: dict[str, Any] = view.meta(Meta.TRAPS, {})
        cut = [record["name"] for record in cut_records(traps)]
        for prefix in release:
            traps, names = released(traps, prefix)
            if not names and prefix != "all":
                known = f"these are: {', '.join(cut)}" if cut else "nothing is"
                raise InputError(
                    f"--release {prefix}: no such subtree is cut in {directory}; {known}"
                )
    return traps


def finish(job: Job, store: Store, truth: Truth | None = None) -> int:
    """Run a job, print how it ended (beside the truth, where that is known), return the code."""
    code = run(job, store, say)
    with StoreView.read(store.directory) as view:
        summary = read_summary(view)
        seeds = list(view.seeds())
    found = None
    if truth is not None and not code:
        found = truth.compare(*(lines(store.directory, name) for name in LINE_FILES)).rows()
    print_end(store.directory, summary, found)
    if not code and not summary["stored"]:
        for line in unreached(store.directory, seeds):
            say(line)
        return NO_PAGES
    held = sum(cut["pending"] for cut in summary["traps"])
    if held and truth is None:
        command = f"{resume_command(job.output)} --release all"
        say(f"{held:,} URLs were cut as endless; release them: {command}")
    if summary["pending"] > held and truth is None:
        say(way_on(job, summary, held, code))
    return code
