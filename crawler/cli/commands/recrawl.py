"""`recrawl`: the pages of a finished crawl visited again, in a directory of its own."""

from __future__ import annotations

import re
import time
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

from crawler import plugins
from crawler.cli.commands import jobs
from crawler.cli.commands.running import tell_end, watched
from crawler.config import Source
from crawler.console import command, say
from crawler.engine.identity import identity
from crawler.sources.web.crawl import run_crawl
from crawler.sources.web.recrawl import Plan, check_visitable
from crawler.storage.directory import is_root, kept_still, named
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

        code, has_visited = cluster.recrawl(args, output, which)
    else:
        code, has_visited = _alone(args, output, which)
    if due_only and not code and not has_visited:
        again = command("recrawl", directory)
        say(
            "No page is due: changes.jsonl says when each is, and a page visited once waits for "
            f"recrawl.min_s. To visit all now: {again} --all"
        )
    return code


def _alone(args: Namespace, output: Path, which: Mapping[str, bool]) -> tuple[int, bool]:
    """Visit those of a crawl that is one process; return the exit code, and whether any was due."""
    directory = args.directory
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
    with watched(job, args) as (watcher, meter):
        store = Store.create(output, identity(job), rotate_bytes=job.storage.rotate_bytes)
        store.set_meta(Meta.RECRAWL, plan.record())
        code = tell_end(job, run_crawl(job, store, say, meter, watcher))
    with StoreView.read(output) as view:
        return code, view.next_url_id > 1


def next_directory(directory: Path) -> Path:
    """Return where a recrawl lies if nobody says: `crawl-out.r1` beside `crawl-out`, then `.r2`."""
    place = named(directory)
    match = _NUMBERED.fullmatch(place.name)
    following = f"{match['of']}.r{int(match['number']) + 1}" if match else f"{place.name}.r1"
    return place.with_name(following)
