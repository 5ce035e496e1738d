"""`recrawl`: the pages of a finished crawl visited again, in a directory of its own."""

from __future__ import annotations

import re
import time
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from crawler import plugins
from crawler.cli.commands import jobs
from crawler.cli.commands.crawl import tell_end, watched
from crawler.config import Job, Source
from crawler.console import command, safe, say
from crawler.crawl.recrawl import Plan
from crawler.crawl.run import run
from crawler.engine.identity import identity
from crawler.errors import StoreMismatch
from crawler.storage.directory import INPUTS, is_root, kept_still, named
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView

_NUMBERED = re.compile(r"(?P<of>.+)\.r(?P<number>[0-9]{1,9})")


def recrawl(args: Namespace) -> int:
    """Visit the pages of a directory again, all or those that are due.

    Raises StoreMismatch where there is no crawl, where it was read by another version of this
    program, and where the output holds a crawl already; StoreInUse where the crawl still runs.
    """
    directory, due_only = args.directory, not args.all
    output = args.into or next_directory(directory)
    which = {"due_only": due_only, "known_only": args.known_only, "pending": args.pending}
    if is_root(directory):
        from crawler.cli.commands import cluster  # which is of an extra

        return cluster.recrawl(args, output, which)
    # What was a limit of the first crawl is none of its recrawl: every page is to be visited.
    limits = {"pages": None, "time_s": None, "bytes": None, "disk": None}
    unlimited = Source(str(directory), {"limits": limits})
    job = jobs.changed(directory, changes=[unlimited, *jobs.told(args)])
    job = job.model_copy(update={"output": output})
    plugins.check(job.plugins)
    jobs.warn_of_no_contact(job)
    jobs.warn_of_proxies(job)
    jobs.check_access(job)
    with kept_still(directory):
        check_visitable([directory], job)
    with StoreView.read(directory) as view:
        earlier = view.meta(Meta.RECRAWL)
    plan = Plan.after(directory, earlier, output, time.time(), **which)
    with watched(job, args.metrics, args.live) as (watcher, meter):
        store = Store.create(output, identity(job), rotate_bytes=job.storage.rotate_bytes)
        store.set_meta(Meta.RECRAWL, plan.record())
        code = tell_end(job, run(job, store, say, meter, watcher))
    if due_only and not code:
        with StoreView.read(output) as view:
            visited = view.next_url_id > 1
        if not visited:
            say(none_due(directory, output))
    return code


def none_due(directory: Path, output: Path) -> str:
    """Return what is said where a recrawl has visited nothing."""
    again = command("recrawl", directory)
    return (
        "No page is due: changes.jsonl says when each is, and a page visited once waits for "
        f"recrawl.min_s. To visit all now: delete {safe(str(output))}, then {again} --all"
    )


def check_visitable(directories: Sequence[Path], job: Job) -> None:
    """Raise StoreMismatch where a crawl, or the partitions of one, cannot be visited by a job."""
    has_pages = False
    for directory in directories:
        with StoreView.read(directory) as view:
            found = view.meta(Meta.IDENTITY, {})
            has_pages |= view.next_document_id > 1 or view.meta(Meta.RECRAWL) is not None
        if INPUTS in found:
            raise StoreMismatch(
                f"{directory} holds the results of `dedup`, which fetched nothing: give the "
                "directory of a crawl"
            )
        if differs := sorted(
            key for key, value in identity(job).items() if found.get(key) != value
        ):
            again = command("reindex", directory)
            raise StoreMismatch(
                f"{directory} was read in another way ({', '.join(differs)}): every page would "
                "seem to have changed. Visit it with the program that made it, or, where only its "
                f"texts are signed in another way, first: {again}"
            )
    if not has_pages:
        raise StoreMismatch(f"{directories[0]} has no stored page that could be visited again")


def next_directory(directory: Path) -> Path:
    """Return where a recrawl lies if nobody says: `crawl-out.r1` beside `crawl-out`, then `.r2`."""
    place = named(directory)
    match = _NUMBERED.fullmatch(place.name)
    following = f"{match['of']}.r{int(match['number']) + 1}" if match else f"{place.name}.r1"
    return place.with_name(following)
