"""`crawl` and `resume`: a crawl from its beginning, or from where it stopped, to its last words."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

import orjson

from crawler import plugins
from crawler.cli.commands import jobs, resume_command
from crawler.cli.commands.terminal import print_end
from crawler.config import Job
from crawler.console import Level, Message, least_told, safe, say, say_some, speaker
from crawler.console import command as command_of
from crawler.crawl.crawl import free_bytes, used_bytes
from crawler.crawl.rescope import bring_back
from crawler.crawl.run import run
from crawler.engine.identity import identity
from crawler.errors import InputError
from crawler.fetch.browser import check_browser
from crawler.frontier import Refusal, cut_records, released
from crawler.models import PageOutcome, Released, Skip, UrlState
from crawler.observe.counting import Counts
from crawler.observe.health import Health, ServiceManager
from crawler.observe.messages import Terminal
from crawler.observe.progress import hms
from crawler.observe.watching import Meter, Steering, Together, Watcher
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import LINE_FILES, is_root
from crawler.storage.store import Store
from crawler.storage.summary import read_summary
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView, begun
from crawler.urls import host_key, origin

if TYPE_CHECKING:
    from crawler.demo import Truth


SHOWN_SEEDS = 2


class Banner:
    """Watches a run for as long as it takes to say what it is: after the directory is opened."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def add(self, outcome: PageOutcome) -> None:
        """Hear of a URL's end."""

    @asynccontextmanager
    async def watching(self, run: Steering) -> AsyncIterator[None]:
        """Say it."""
        ends = run.look((), 0).ends
        say(banner(self._job, ends[UrlState.STORED] + ends[UrlState.DUPLICATE]))
        yield


def banner(job: Job, pages: int) -> Message:
    """Return what is told of a job; `pages` are those that earlier runs fetched."""
    limits, manners = job.limits, job.politeness
    seeds = ", ".join(job.seeds[:SHOWN_SEEDS])
    if (more := len(job.seeds) - SHOWN_SEEDS) > 0:
        seeds += f" and {more:,} more"
    goes_on = f" (pages so far: {pages:,})" if pages else ""
    at_once = f", {manners.per_host} at once" if manners.per_host > 1 else ""
    polite = [f"{manners.delay_s:g} s between requests to a host{at_once}"]
    if manners.delay_factor:
        polite.append(f"or {manners.delay_factor:g} times as long as an answer took")
    polite.append("robots.txt is obeyed" if manners.robots else "robots.txt is not asked for")
    polite.append(f"at most {job.fetch.workers} requests at once in all")
    bounds = {
        "pages": limits.pages and f"{limits.pages:,}",
        "links from a seed": None if limits.depth is None else f"{limits.depth:,}",
        "time": limits.time_s and hms(limits.time_s),
        "bytes": limits.bytes and f"{limits.bytes:,}",
    }
    told = ", ".join(f"{name} {bound}" for name, bound in bounds.items() if bound) or "none"
    near = job.dedup.near.value
    return Message(
        f"Crawl into {job.output}{goes_on}: from {seeds} (scope: {job.scope.mode.value})\n"
        f"Politeness: {', '.join(polite)}\n"
        f"Limits: {told}; near duplicates: {near}; Ctrl-C stops, resume goes on",
        Level.PROGRESS,
        "job",
        output=str(job.output),
        seeds=len(job.seeds),
        scope=job.scope.mode.value,
        delay_s=manners.delay_s,
        robots=manners.robots,
        workers=job.fetch.workers,
        near=near,
        limits=limits.model_dump(mode="json"),
        pages_before=pages,
    )


Address = tuple[str, int]
"""Host and port."""


@contextmanager
def watched(
    job: Job, metrics: Address | None = None, live: Address | None = None
) -> Iterator[tuple[Watcher, Meter | None]]:
    """Watch a job's run while the context lasts: in the terminal or log, and at some addresses.

    Raises ConfigError, before anything has begun, where an address cannot be held.
    """
    by, meter = speaker(), None
    manager = ServiceManager.of(os.environ)
    health = Health.of(job, manager)
    watchers: list[Watcher] = [Banner(job)]
    if metrics is not None or live is not None or manager is not None:
        watchers.append(health)
    with ExitStack() as stack:  # few ask for any of these, and no pipe needs a panel
        if metrics is not None:
            from crawler.observe.metrics import serving  # which is of an extra

            meter = counts = Counts()
            method = job.dedup.method.value
            served = stack.enter_context(
                serving(*metrics, method, lambda: {"": counts.read()}, health)
            )
            say(metrics_address(metrics[0], served.port))
        if isinstance(by, Terminal):
            from crawler.views.live.panel import Panel

            watchers.append(Panel(by, job.limits))
        if least_told() <= Level.DETAIL:
            from crawler.views.live.panel import Verdicts

            watchers.append(Verdicts(say))
        if live is not None:
            from crawler.views.live.server import LivePage, listening

            server = stack.enter_context(listening(*live, LivePage(job.output), health))
            say(live_address(live[0], server.port))
            watchers.append(server)
        yield Together(watchers), meter


def metrics_address(host: str, port: int) -> str:
    """Return the line that says where metrics are served."""
    return f"Metrics: http://{_shown(host, port)}/metrics"


def live_address(host: str, port: int) -> str:
    """Return the line that says where the live page is served."""
    return f"Live page: http://{_shown(host, port)}/"


def _shown(host: str, port: int) -> str:
    """Return an address as a URL has it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


MOST_UNREACHED = 20
"""Seeds without a page, told of one by one."""
NO_PAGES = 1
"""Exit code of a crawl that could not fetch one page."""
NOT_AS_KNOWN = 1
"""Exit code of a demo in which a URL ended otherwise than is known of it."""
MOST_DIFFERENCES = 10
"""URLs that ended otherwise, told of one by one."""


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
    if job.cluster.partitions is not None:
        from crawler.cli.commands import cluster  # which is of an extra

        return cluster.begin(job, args)
    jobs.check_access(job)
    check_browser(job)
    goes_on = args.resume_if_begun and begun(job.output)
    open_store = Store.open if goes_on else Store.create
    rotate_bytes = job.storage.rotate_bytes
    with watched(job, args.metrics, args.live) as (watcher, meter):
        if goes_on:
            bring_back(job.output, job, say)
        store = open_store(job.output, identity(job), rotate_bytes=rotate_bytes)
        return tell_end(job, run(job, store, say, meter, watcher))


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
                    f"it a rule of URLs: {command_of('rules', directory)} lists those"
                )
    if free:
        without = dict.fromkeys((*job.learn.without, *(rule.rule for rule in free)))
        learn = job.learn.model_copy(update={"without": tuple(without)})
        job = job.model_copy(update={"learn": learn})
    with watched(job, args.metrics, args.live) as (watcher, meter):
        bring_back(directory, job, say)
        store = Store.open(directory, identity(job), rotate_bytes=job.storage.rotate_bytes)
        if args.release:
            store.set_meta(Meta.TRAPS, traps)
            store.submit_predicted(free)
        return tell_end(job, run(job, store, say, meter, watcher))


def tell_end(job: Job, code: int, truth: Truth | None = None) -> int:
    """Print how a run ended whose exit code is `code` so far; return the exit code.

    Where what is there is known (`truth`), what was found is compared with it.
    """
    with StoreView.read(job.output) as view:
        summary = read_summary(view)
        last_run = (view.meta(Meta.RUNS, []) or [{}])[-1]
        # A recrawl of pages that are as they were has done what it was asked for.
        visits_again = view.meta(Meta.RECRAWL) is not None
        brought = summary["stored"] or visits_again
        unreached = []
        if not code and not visits_again:
            unreached = list(_unreached(view, pending=not brought))
        compared = None
        if truth is not None and not code:
            compared = truth.compare(*(_stored_lines(view, kind) for kind in LINE_FILES))
    print_end(job.output, summary, None if compared is None else compared.rows())
    say_some(map(safe, unreached), MOST_UNREACHED, "seeds like these")
    if not code and not brought:
        return NO_PAGES
    if compared is not None:
        differences = [
            f"{each.url}: {each.got or 'not met'}, not {each.expected or 'to be met'}"
            for each in (*compared.wrong, *compared.missed)
        ]
        say_some(differences, MOST_DIFFERENCES, "like these")
        return NOT_AS_KNOWN if differences else 0
    if truth is None:
        _tell_what_is_left(job, summary, code, last_run)
    return code


def _tell_what_is_left(
    job: Job, summary: Mapping[str, Any], code: int, ended: Mapping[str, Any]
) -> None:
    """Say which URLs are left over and why, and how to go on with them.

    `ended` is how the run did (`Meta.RUNS`).
    """
    command = resume_command(job.output)
    if held := sum(cut["pending"] for cut in summary["traps"]):
        say(f"{held:,} URLs were cut as endless; release them: {command} --release all")
    if summary["pending"] <= held:
        if job.limits.depth is not None and summary["dropped_links"].get(Refusal.TOO_DEEP):
            depth = job.limits.depth
            way = f"continue with: {command} --depth {depth + 1}"
            if not job.extract.outlinks:
                again = command_of("recrawl", job.output, "--all", "--depth", depth + 1)
                way = f"extract.outlinks would keep them; to read them again: {again}"
            say(f"Links deeper than {depth} were not queued; {way}")
        return
    left, limit = f"{summary['pending'] - held:,} URLs are pending", job.limits.pages
    if foreseen := summary["foreseen"]["pending"]:
        told = command_of("rules", job.output)
        left += f" ({foreseen:,} of them foreseen to bring little: {told})"
    pages = summary["stored"] + sum(summary["duplicates"].values())
    if limit is not None and pages >= limit:
        say(f"Page limit {limit:,} reached, {left}; continue with: {command} --pages {2 * pages}")
    elif (
        job.limits.bytes is not None
        and (sent := int(summary["totals"].get("wire_bytes", 0))) >= job.limits.bytes
    ):
        more = f"{command} --bytes {2 * sent}"
        say(f"Byte limit {job.limits.bytes:,} reached, {left}; continue with: {more}")
    elif not code and ended.get("disk_full"):
        say(_disk_full(job, left))
    elif not code and ended.get("timed_out") and job.limits.time_s is not None:
        say(f"Time limit of {job.limits.time_s:g} s reached, {left}; continue with: {command}")
    elif code:
        say(f"Stopped, {left}; continue with: {command}")
    else:
        say(f"{left} on hosts that do not answer now; continue later with: {command}")


def _disk_full(job: Job, left: str) -> str:
    command, limits = resume_command(job.output), job.limits
    free = free_bytes(job.output)
    if limits.disk is None or (limits.free_disk is not None and free < limits.free_disk):
        return (
            f"{free:,} bytes are free on the disk and limits.free_disk is {limits.free_disk or 0:,}"
            f", {left}; make room, then continue with: {command}"
        )
    more = 2 * max(limits.disk, used_bytes(job.output))
    return f"Disk limit {limits.disk:,} reached, {left}; continue with: {command} --disk {more}"


def _unreached(view: StoreView, *, pending: bool) -> Iterator[str]:
    """Yield why each seed brought no page, with `pending` also of those that may yet bring one.

    One that is a sitemap was to bring what it lists. In memory are the seeds, however much has
    failed.
    """
    wanted = {UrlState.FAILED, UrlState.SKIPPED} | ({UrlState.PENDING} if pending else set())
    seeds = [seed for seed in view.seeds() if seed[1] in wanted and seed[2] != Skip.SITEMAP]
    if not seeds:
        return
    urls = {url for url, _, _ in seeds}
    details = {
        line["url"]: line["detail"]
        for name in ("failures", "skipped")
        for line in _stored_lines(view, name)
        if line["url"] in urls
    }
    places = {place for url in urls for place in (host_key(url), origin(url))}
    whys = {row.place: row.why for row in view.health() if row.tries and row.place in places}
    for url, state, detail in seeds:
        if state in (UrlState.FAILED, UrlState.SKIPPED):
            yield f"{url}: no page ({detail}): {details.get(url, '')}"
        elif state is UrlState.PENDING:
            why = whys.get(host_key(url)) or whys.get(origin(url), "not asked for")
            yield f"{url}: no page (pending): {why}"


def _stored_lines(view: StoreView, kind: str) -> Iterator[dict[str, Any]]:
    return (orjson.loads(line.data) for line in view.lines(kind))
