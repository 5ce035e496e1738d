"""A crawl's stored pages signed anew."""

from __future__ import annotations

from argparse import Namespace

from crawler.cli.commands import jobs
from crawler.console import command, safe, say
from crawler.engine.identity import identity
from crawler.errors import StoreMismatch
from crawler.sources.event_loop import run_loop
from crawler.sources.web.reindex import Reindex
from crawler.storage.directory import is_root
from crawler.storage.reindexing import reindexing
from crawler.units import counted


def reindex(args: Namespace) -> int:
    """Sign the stored pages of a crawl anew under its job or a changed one."""
    directory = args.directory
    if is_root(directory) or is_root(directory.absolute().parent):
        raise StoreMismatch(
            f"{directory}: pages of several partitions lie signed with the judge, too, and are not "
            "signed anew: begin another crawl with the new settings"
        )
    job = jobs.changed(directory, args.config, jobs.told(args))
    with reindexing(directory, identity(job)) as pages:
        work = Reindex(job, pages, say=say)
        code = run_loop(lambda: work, say)
    if code:
        say(f"Stopped; nothing was changed in {directory}.")
        return code
    for page_id in work.failed:
        say(f"Page {page_id} could not be signed: only exact copies of it will be found.")
    way = command("resume", directory)
    print(
        f"{safe(str(directory))}: {counted(work.signed, 'page')} signed anew; continue with: {way}"
    )
    return 0
