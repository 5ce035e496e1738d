"""What stands around each run that fetches: who watches it, and what is told before and after."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

import orjson

from crawler.cli.commands.terminal import NO_PAGES, pending_urls, print_end
from crawler.config import Job
from crawler.console import Level, Message, command, least_told, safe, say, say_some, speaker
from crawler.frontier import Refusal
from crawler.frontier.scope import HostOverrides, Quotas, had
from crawler.models import PageOutcome, Skip, UrlState
from crawler.observe.counting import Counted, Counts
from crawler.observe.health import Health, ServiceManager
from crawler.observe.messages import Terminal
from crawler.observe.progress import hms
from crawler.observe.watching import Steering, Together, Watcher
from crawler.sources.web.crawl import free_bytes, used_bytes
from crawler.storage.directory import LINE_FILES
from crawler.storage.summary import read_summary
from crawler.storage.tables import REPEAT, Meta
from crawler.storage.view import StoreView
from crawler.urls import host_key, origin

if TYPE_CHECKING:
    from crawler.demo import Truth
    from crawler.views.live.server import LiveServer


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
        ends, job = run.look((), 0).ends, self._job
        pages = ends[UrlState.STORED] + ends[UrlState.DUPLICATE]  # that earlier runs fetched
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
            "bytes on disk": limits.disk and f"{limits.disk:,}",
            "bytes free on the disk": limits.free_disk and f"{limits.free_disk:,}",
        }
        told = ", ".join(f"{name} {bound}" for name, bound in bounds.items() if bound) or "none"
        near = job.dedup.near.value
        say(
            Message(
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
        )
        yield


Address = tuple[str, int]
"""Host and port."""


@contextmanager
def served(
    job: Job, args: Namespace, health: Health, read: Callable[[], Mapping[str, Counted]]
) -> Iterator[LiveServer | None]:
    """Hold the addresses of a run's metrics, which `read` gives, and of its live page; say them.

    `cluster resume` has no flags for them. Raises ConfigError where an address cannot be held.
    """
    metrics: Address | None = getattr(args, "metrics", None)
    live: Address | None = getattr(args, "live", None)
    page = None
    with ExitStack() as stack:  # few ask for any of these
        if metrics is not None:
            from crawler.observe.metrics import serving  # which is of an extra

            method = job.dedup.method.value
            port = stack.enter_context(serving(*metrics, method, read, health)).port
            say(f"Metrics: http://{_shown(metrics[0], port)}/metrics")
        if live is not None:
            from crawler.views.live.server import LivePage, listening

            page = stack.enter_context(listening(*live, LivePage(job.output), health))
            say(f"Live page: http://{_shown(live[0], page.port)}/")
        yield page


@contextmanager
def watched(job: Job, args: Namespace) -> Iterator[tuple[Watcher, Counts | None]]:
    """Watch a job's run while the context lasts: in the terminal or log, and at some addresses.

    Raises ConfigError, before anything has begun, where an address cannot be held.
    """
    by, manager = speaker(), ServiceManager.of(os.environ)
    health, counts = Health.of(job, manager), Counts()
    metrics = getattr(args, "metrics", None)
    watchers: list[Watcher] = [Banner(job)]
    if metrics or getattr(args, "live", None) or manager is not None:
        watchers.append(health)
    with served(job, args, health, lambda: {"": counts.read()}) as page:
        if isinstance(by, Terminal):  # no pipe needs a panel
            from crawler.views.live.panel import Panel

            watchers.append(Panel(by, job.limits))
        if least_told() <= Level.DETAIL:
            from crawler.views.live.panel import Verdicts

            watchers.append(Verdicts(say))
        if page is not None:
            watchers.append(page)
        yield Together(watchers), counts if metrics else None


def _shown(host: str, port: int) -> str:
    """Return an address as a URL has it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


MOST_UNREACHED = 20
"""Seeds without a page, told of one by one."""
NOT_AS_KNOWN = 1
"""Exit code of a demo in which a URL ended otherwise than is known of it."""
MOST_DIFFERENCES = 10
"""URLs that ended otherwise, told of one by one."""


def tell_end(job: Job, code: int, truth: Truth | None = None) -> int:
    """Print how a run ended whose exit code is `code` so far; return the exit code.

    Where what is there is known (`truth`), what was found is compared with it.
    """
    with StoreView.read(job.output) as view:
        summary = read_summary(view)
        spent = []
        if job.hosts:
            quotas = Quotas(HostOverrides(job), had(view.totals))
            spent = [one for one in view.pending() if quotas.is_spent(one[0], 0)]
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
    failed = not code and not brought
    told = (Message(safe(line), Level.ERROR if failed else Level.NOTICE) for line in unreached)
    say_some(told, MOST_UNREACHED, "seeds like these")
    if failed:
        if last_run.get("disk_full") or last_run.get("timed_out"):
            _tell_what_is_left(job, summary, code, last_run)
        return NO_PAGES
    if compared is not None:
        differences = [
            f"{each.url}: {each.got or 'not met'}, not {each.expected or 'to be met'}"
            for each in (*compared.wrong, *compared.missed)
        ]
        say_some(differences, MOST_DIFFERENCES, "like these")
        return NOT_AS_KNOWN if differences else 0
    if truth is None:
        for host, urls in spent:
            summary["pending"] -= urls
            say(
                f"{host} has had all that the job gives it (`hosts`), {pending_urls(urls)}; raise "
                f"that, then continue with: {command('resume', job.output)} --config FILE"
            )
        _tell_what_is_left(job, summary, code, last_run)
    return code


def _tell_what_is_left(
    job: Job, summary: Mapping[str, Any], code: int, ended: Mapping[str, Any]
) -> None:
    """Say which URLs are left over and why, and how to go on with them.

    `ended` is how the run did (`Meta.RUNS`).
    """
    if code and not summary["seen"]:
        say(f"Stopped before anything was stored; {REPEAT}.")
        return
    resume = command("resume", job.output)
    if held := sum(cut["pending"] for cut in summary["traps"]):
        say(f"{held:,} URLs were cut as endless; release them: {resume} --release all")
    if summary["pending"] <= held:
        if job.limits.depth is not None and summary["dropped_links"].get(Refusal.TOO_DEEP):
            depth = job.limits.depth
            way = f"continue with: {resume} --depth {depth + 1}"
            if not job.extract.outlinks:
                again = command("recrawl", job.output, "--all", "--depth", depth + 1)
                way = f"extract.outlinks would keep them; to read them again: {again}"
            say(f"Links deeper than {depth} were not queued; {way}")
        return
    left, limit = pending_urls(summary["pending"] - held), job.limits.pages
    if foreseen := summary["foreseen"]["pending"]:
        told = command("rules", job.output)
        left += f" ({foreseen:,} of them foreseen to bring little: {told})"
    pages = summary["stored"] + sum(summary["duplicates"].values())
    if limit is not None and pages >= limit:
        say(f"Page limit {limit:,} reached, {left}; continue with: {resume} --pages {2 * pages}")
    elif (
        job.limits.bytes is not None
        and (sent := int(summary["totals"].get("wire_bytes", 0))) >= job.limits.bytes
    ):
        more = f"{resume} --bytes {2 * sent}"
        say(f"Byte limit {job.limits.bytes:,} reached, {left}; continue with: {more}")
    elif not code and ended.get("disk_full"):
        say(_disk_full(job, left))
    elif not code and ended.get("timed_out") and job.limits.time_s is not None:
        say(f"Time limit of {job.limits.time_s:g} s reached, {left}; continue with: {resume}")
    elif code:
        say(f"Stopped, {left}; continue with: {resume}")
    else:
        say(f"{left} on hosts that do not answer now; continue later with: {resume}")


def _disk_full(job: Job, left: str) -> str:
    resume, limits = command("resume", job.output), job.limits
    free = free_bytes(job.output)
    if limits.disk is None or (limits.free_disk is not None and free < limits.free_disk):
        return (
            f"{free:,} bytes are free on the disk and limits.free_disk is {limits.free_disk or 0:,}"
            f", {left}; make room, then continue with: {resume}"
        )
    more = 2 * max(limits.disk, used_bytes(job.output))
    return f"Disk limit {limits.disk:,} reached, {left}; continue with: {resume} --disk {more}"


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
