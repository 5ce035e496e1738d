"""A crawl of several partitions: begun, continued, looked at, stopped."""

from __future__ import annotations

import os
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from crawler import plugins
from crawler.cli.commands import jobs
from crawler.cli.commands.add import add
from crawler.cli.commands.running import served
from crawler.cli.commands.terminal import NO_PAGES, is_quiet, pending_urls
from crawler.cluster.coordinator import Coordinator, ask_to_stop
from crawler.cluster.on_ray import NEEDED_BY, RayEngine
from crawler.cluster.root import Root
from crawler.config import COMMAND_LINE, Job, Source
from crawler.console import Level, Message, command, safe, say
from crawler.errors import ConfigError
from crawler.models import UrlState
from crawler.observe.health import Health, ServiceManager
from crawler.ray_cluster import load_ray
from crawler.sources.event_loop import run_loop
from crawler.sources.web.recrawl import Plan, check_visitable
from crawler.storage.directory import is_root, kept_still
from crawler.storage.view import StoreView, begun, purged_hosts
from crawler.units import counted
from crawler.views.render import console, print_json, table


def cluster(args: Namespace) -> int:
    """Do what is asked with the crawl of several partitions in a directory."""
    root = Root.open(args.directory)
    if args.action == "add":
        return add(args)
    if args.urls or args.seeds:
        args.error(f"{args.action} takes no URL: give the directory alone")
    if args.action == "stop":
        ask_to_stop(root)
        print(f"{safe(str(root.path))} is asked to stop; status tells when it has")
        return 0
    if args.action == "resume":
        return run(args, root.job, lambda: root)
    rows = list(_rows(root))
    if args.json:
        print_json([dict(row) for row in rows])
        return 0
    print_status(root, rows)
    return 0


def begin(job: Job, args: Namespace) -> int:
    """Begin a crawl of several partitions; or go on with one, where that is asked for."""
    _check(job)
    if args.resume_if_begun and is_root(job.output):
        return run(args, job, partial(Root.open, job.output), changes=True)
    return run(args, job, partial(Root.create, job.output, job))


def resume(args: Namespace) -> int:
    """Go on with one, with its own job or a changed one."""
    directory, config = args.directory, args.config
    root = Root.open(directory)
    kept = {"partitions": root.plan.partitions, "judge_shards": root.plan.judge_shards}
    where = Source(COMMAND_LINE, {"output": str(directory), "cluster": kept})
    job = jobs.loaded([jobs.kept_or(config, root.plan.job, directory), *jobs.told(args), where])
    _check(job)
    return run(args, job, lambda: root, changes=True)


def recrawl(args: Namespace, output: Path, which: Mapping[str, bool]) -> tuple[int, bool]:
    """Visit the pages of a crawl again, each partition those of the same one; see `recrawl`.

    Returns the exit code, and whether any was due.
    """
    earlier = Root.open(args.directory)
    data = dict(earlier.plan.job)
    for path in (earlier.plan.recrawl or {}).get("of", ()):
        for directory in Root.open(earlier.path / path).directories:
            with StoreView.read(directory) as view:
                data = jobs.without_hosts(data, purged_hosts(view))
    kept = {"partitions": earlier.plan.partitions, "judge_shards": earlier.plan.judge_shards}
    limits = {"pages": None, "time_s": None, "bytes": None, "disk": None}
    where = Source(COMMAND_LINE, {"output": str(output), "cluster": kept})
    before = [Source(str(args.directory), said) for said in (data, {"limits": limits})]
    job = jobs.loaded([*before, *jobs.told(args), where])
    plugins.check(job.plugins)
    jobs.warn_of_no_contact(job)
    jobs.warn_of_proxies(job)
    _check(job)
    with kept_still(earlier.path):
        check_visitable(earlier.directories, job)
    plan = Plan.after(earlier.path, earlier.plan.recrawl, output, time.time(), **which)
    code = run(args, job, partial(Root.create, output, job, plan.record()))
    return code, any(row["seen"] for row in _rows(Root.open(output)))


def _check(job: Job) -> None:
    """Raise ConfigError for what a crawl of several partitions cannot do."""
    if job.dedup.against:
        raise ConfigError("dedup.against: a crawl of several partitions is judged by itself alone")
    jobs.check_access(job)
    load_ray(job.cluster.address, NEEDED_BY)


def run(args: Namespace, job: Job, take: Callable[[], Root], *, changes: bool = False) -> int:
    """Crawl until nothing is left, and say what came of it.

    `take` gives the crawl, once all that is to be served has its address; `job` is its job from now
    on, where that `changes`.
    """
    running: list[Coordinator] = []
    health = Health.of(job, ServiceManager.of(os.environ))
    with ExitStack() as stack:
        page = stack.enter_context(
            served(job, args, health, lambda: running[0].counted() if running else {})
        )
        root = take()
        stack.enter_context(root.held())
        if changes:
            root = root.changed(job)
        engine = RayEngine(root, say)
        running.append(Coordinator(root, engine, say, onlooker=page, health=health))
        code = run_loop(lambda: running[0], say)
    rows = list(_rows(root))
    if is_quiet():
        urls = sum(row["seen"] for row in rows)
        say(Message(f"{safe(str(root.path))}/: {counted(urls, 'URL')}", Level.END, "summary"))
    else:
        print_status(root, rows)
    brought = root.plan.recrawl or any(row["stored"] + row["duplicate"] for row in rows)
    if not code and not brought:
        return NO_PAGES
    if pending := sum(row["pending"] for row in rows):
        say(f"{pending_urls(pending)}; continue with: {command('resume', root.path)}")
    return code


Row = dict[str, Any]


def _rows(root: Root) -> Iterator[Row]:
    """Yield what became of each partition, as its directory says."""
    for number in root.partitions:
        directory = root.partition(number)
        ends: Counter[UrlState] = Counter()
        if begun(directory):
            with StoreView.read(directory) as view:
                for (state, _), urls in view.accounting().outcomes.items():
                    ends[state] += urls
        of_states = {state.name.lower(): ends[state] for state in UrlState}
        yield {"partition": directory.name, "seen": ends.total(), **of_states}


def print_status(root: Root, rows: list[Row]) -> None:
    """Print a line for each partition, and one for all."""
    total = {name: sum(row[name] for row in rows) for name in rows[0] if name != "partition"}
    cells = [list(row.values()) for row in (*rows, {"partition": "all", **total})]
    heads = [name if n == 0 else f">{name}" for n, name in enumerate(rows[0])]
    console().print(table("", heads, cells))
    print(f"Output: {safe(str(root.path))}/p000 ... (a crawl's directory each)")
