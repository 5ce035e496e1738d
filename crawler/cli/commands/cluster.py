"""A crawl of several partitions: begun, continued, looked at, stopped."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from crawler.cli.commands import jobs
from crawler.cli.commands.crawl import NO_PAGES
from crawler.cli.commands.terminal import is_quiet
from crawler.cluster.coordinator import Coordinator, ask_to_stop
from crawler.cluster.on_ray import NEEDED_BY, RayEngine
from crawler.cluster.root import Root, is_root
from crawler.config import COMMAND_LINE, Job, Source
from crawler.console import Level, Message, command, safe, say
from crawler.crawl.run import run_loop
from crawler.errors import ConfigError
from crawler.models import UrlState
from crawler.ray_cluster import load_ray
from crawler.storage.view import StoreView, begun
from crawler.views.render import console, print_json, table


def cluster(args: Namespace) -> int:
    """Do what is asked with the crawl of several partitions in a directory."""
    root = Root.open(args.directory)
    if args.action == "stop":
        ask_to_stop(root)
        print(f"{safe(str(root.path))} is asked to stop; status tells when it has")
        return 0
    if args.action == "resume":
        return run(root)
    rows = list(_rows(root))
    if args.json:
        print_json([dict(row) for row in rows])
        return 0
    print_status(root, rows)
    return 0


def begin(job: Job, args: Namespace) -> int:
    """Begin a crawl of several partitions; or go on with one, where that is asked for."""
    _check(job, args)
    if args.resume_if_begun and is_root(job.output):
        return run(Root.open(job.output).changed(job))
    return run(Root.create(job.output, job))


def resume(args: Namespace) -> int:
    """Go on with one, with its own job or a changed one."""
    directory, config = args.directory, args.config
    root = Root.open(directory)
    kept = {"partitions": root.plan.partitions, "judge_shards": root.plan.judge_shards}
    where = Source(COMMAND_LINE, {"output": str(directory), "cluster": kept})
    job = jobs.loaded([jobs.kept_or(config, root.plan.job, directory), *jobs.told(args), where])
    _check(job, args)
    return run(root.changed(job))


def _check(job: Job, args: Namespace) -> None:
    """Raise ConfigError for what a crawl of several partitions cannot do."""
    for flag in ("metrics", "live"):
        if getattr(args, flag) is not None:
            raise ConfigError(f"--{flag} shows one process; leave it out with --partitions")
    if job.dedup.against:
        raise ConfigError("dedup.against: a crawl of several partitions is judged by itself alone")
    jobs.check_access(job)
    load_ray(job.cluster.address, NEEDED_BY)


def run(root: Root) -> int:
    """Crawl until nothing is left, and say what became of it."""
    engine = RayEngine(root, say)
    code = run_loop(partial(Coordinator, root, engine, say), say)
    rows = list(_rows(root))
    if is_quiet():
        urls = sum(row["seen"] for row in rows)
        say(Message(f"{safe(str(root.path))}/: {urls:,} URLs", Level.END, "summary"))
    else:
        print_status(root, rows)
    if not code and not any(row["stored"] + row["duplicate"] for row in rows):
        return NO_PAGES
    if pending := sum(row["pending"] for row in rows):
        say(f"{pending:,} URLs are pending; continue with: {command('resume', root.path)}")
    return code


Row = dict[str, Any]


def _rows(root: Root) -> Iterator[Row]:
    """Yield what became of each partition, as its directory says."""
    for number in root.partitions:
        directory = root.partition(number)
        row: Row = {"partition": directory.name, "seen": 0}
        row |= {state.name.lower(): 0 for state in UrlState}
        if begun(directory):
            with StoreView.read(directory) as view:
                ends: Counter[UrlState] = Counter()
                for (state, _), urls in view.accounting().outcomes.items():
                    ends[state] += urls
                row |= {state.name.lower(): ends[state] for state in UrlState}
                row["seen"] = ends.total()
        yield row


def print_status(root: Root, rows: list[Row]) -> None:
    """Print a line for each partition, and one for all."""
    total = {name: sum(row[name] for row in rows) for name in rows[0] if name != "partition"}
    cells = [list(row.values()) for row in (*rows, {"partition": "all", **total})]
    heads = [name if n == 0 else f">{name}" for n, name in enumerate(rows[0])]
    console().print(table("", heads, [[_shown(cell) for cell in row] for row in cells]))
    print(f"Output: {safe(str(root.path))}/p000 ... (a crawl's directory each)")


def _shown(cell: Any) -> str:
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
