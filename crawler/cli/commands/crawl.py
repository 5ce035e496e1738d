"""`crawl` and `resume`: a crawl from its beginning, or from where it stopped."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from crawler import plugins
from crawler.cli.commands import jobs
from crawler.cli.commands.running import tell_end, watched
from crawler.console import command, say
from crawler.engine.identity import identity
from crawler.errors import ConfigError, InputError
from crawler.fetch.browser import check_browser
from crawler.frontier import cut_records, released
from crawler.models import Released
from crawler.sources.web.crawl import run_crawl
from crawler.sources.web.rescope import bring_back
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import is_root
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView, begun


def crawl(args: Namespace) -> int:
    """Begin a crawl in a new output directory, or go on with the one that has begun there.

    The latter only where that is asked for. Either way the job is the one that is given here. A
    crawl that was killed before its seeds were stored has not begun.
    """
    job = jobs.given(args)
    plugins.check(job.plugins)
    jobs.warn_of_no_contact(job)
    jobs.warn_of_proxies(job)
    jobs.warn_of_slow_kernels()
    if args.in_partitions and job.cluster.partitions is None:
        raise ConfigError(
            "cluster start: --partitions N, or cluster.partitions of the job, is missing"
        )
    if job.cluster.partitions is not None:
        from crawler.cli.commands import cluster  # which is of an extra

        return cluster.begin(job, args)
    jobs.check_access(job)
    check_browser(job)
    goes_on = args.resume_if_begun and begun(job.output)
    open_store = Store.open if goes_on else Store.create
    rotate_bytes = job.storage.rotate_bytes
    with watched(job, args) as (watcher, meter):
        if goes_on:
            bring_back(job.output, job, say)
        store = open_store(job.output, identity(job), rotate_bytes=rotate_bytes)
        return tell_end(job, run_crawl(job, store, say, meter, watcher))


def resume(args: Namespace) -> int:
    """Go on with the crawl in a directory, with its own job or a changed one."""
    directory = args.directory
    if is_root(directory):
        from crawler.cli.commands import cluster

        return cluster.resume(args)
    job = jobs.changed(directory, args.config, jobs.told(args))
    plugins.check(job.plugins)
    jobs.check_access(job)
    check_browser(job)
    with StoreView.read(directory) as view, reading_stored_values(directory):
        traps: dict[str, Any] = view.meta(Meta.TRAPS, {})
        cut = [record["name"] for record in cut_records(traps)]
        rules = [use.rule for use in view.rule_uses()] if args.release else []
        free: list[Released] = []
        for prefix in args.release:
            traps, names = released(traps, prefix)
            freed = [Released(rule) for rule in rules if prefix in ("all", rule)]
            free += freed
            if not names and not freed and prefix != "all":
                known = f"these are: {', '.join(cut)}" if cut else "nothing is"
                raise InputError(
                    f"--release {prefix}: no such subtree is cut in {directory}; {known}. Nor is "
                    f"it a rule of URLs: {command('rules', directory)} lists those"
                )
    if free:
        without = dict.fromkeys((*job.learn.without, *(rule.rule for rule in free)))
        learn = job.learn.model_copy(update={"without": tuple(without)})
        job = job.model_copy(update={"learn": learn})
    with watched(job, args) as (watcher, meter):
        bring_back(directory, job, say)
        store = Store.open(directory, identity(job), rotate_bytes=job.storage.rotate_bytes)
        if args.release:
            store.set_meta(Meta.TRAPS, traps)
            store.submit_predicted(free)
        return tell_end(job, run_crawl(job, store, say, meter, watcher))
