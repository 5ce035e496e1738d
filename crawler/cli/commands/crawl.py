"""`crawl` and `resume`: a crawl from its beginning, or from where it stopped, to its last words."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from crawler import plugins
from crawler.cli.commands import jobs, resume_command
from crawler.cli.commands.terminal import print_end
from crawler.config import Job, check_seeds
from crawler.console import Level, Message, safe, say, speaker
from crawler.console import command as command_of
from crawler.crawl.crawl import free_bytes, used_bytes
from crawler.crawl.rescope import bring_back
from crawler.crawl.run import run
from crawler.engine.identity import identity
from crawler.errors import InputError
from crawler.frontier import Refusal, cut_records, released
from crawler.models import Batch, Skip, UrlState
from crawler.observe.messages import Terminal
from crawler.observe.progress import hms
from crawler.observe.watching import Meter, Steering, Together, Watcher
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import LINE_FILES
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

    def add(self, batch: Batch) -> None:
        """Hear of a URL's end."""

    @asynccontextmanager
    async def watching(self, run: Steering) -> AsyncIterator[None]:
        """Say it."""
        ends = run.look((), 0).ends
        say(banner(self._job, ends[UrlState.STORED] + ends[UrlState.DUPLICATE]))
        yield


def banner(job: Job, pages: int = 0) -> Message:
    """Return what is told of a job; `pages` are those that earlier runs fetched."""
    limits, manners = job.limits, job.politeness
    return Message(
        "\n".join(_banner_lines(job, pages)),
        Level.PROGRESS,
        "job",
        output=str(job.output),
        seeds=len(job.seeds),
        scope=job.scope.mode.value,
        delay_s=manners.delay_s,
        robots=manners.robots,
        workers=job.fetch.workers,
        near=job.dedup.near.value,
        limits=limits.model_dump(mode="json"),
        pages_before=pages,
    )


def _banner_lines(job: Job, pages: int) -> Iterator[str]:
    seeds = ", ".join(job.seeds[:SHOWN_SEEDS])
    if more := len(job.seeds) - SHOWN_SEEDS:
        seeds += f" and {more:,} more" if more > 0 else ""
    goes_on = f" (pages so far: {pages:,})" if pages else ""
    yield f"Crawl into {job.output}{goes_on}: from {seeds} (scope: {job.scope.mode.value})"
    yield f"Politeness: {', '.join(_manners(job))}"
    limits = ", ".join(_limits(job)) or "none"
    yield f"Limits: {limits}; near duplicates: {job.dedup.near.value}; Ctrl-C stops, resume goes on"


def _manners(job: Job) -> Iterator[str]:
    manners = job.politeness
    at_once = f", {manners.per_host} at once" if manners.per_host > 1 else ""
    yield f"{manners.delay_s:g} s between requests to a host{at_once}"
    if manners.delay_factor:
        yield f"or {manners.delay_factor:g} times as long as an answer took"
    yield "robots.txt is obeyed" if manners.robots else "robots.txt is not asked for"
    yield f"at most {job.fetch.workers} requests at once in all"


def _limits(job: Job) -> Iterator[str]:
    limits = job.limits
    if limits.pages is not None:
        yield f"pages {limits.pages:,}"
    if limits.depth is not None:
        yield f"links from a seed {limits.depth:,}"
    if limits.time_s is not None:
        yield f"time {hms(limits.time_s)}"
    if limits.bytes is not None:
        yield f"bytes {limits.bytes:,}"


Address = tuple[str, int]
"""Host and port."""


@contextmanager
def watched(job: Job, address: Address | None) -> Iterator[Watcher]:
    """Watch a job's run while the context lasts, as the flags ask for, maybe by a live page, too.

    Raises ConfigError, before anything has begun, where its address cannot be held.
    """
    watchers = _told(job)
    if address is None:
        yield Together(watchers)
        return
    from crawler.views.live.server import LivePage, listening  # few ask for it

    with listening(*address, LivePage(job.output)) as live:
        say(f"Live page: http://{_shown(address[0], live.port)}/")
        yield Together([*watchers, live])


def _told(job: Job) -> list[Watcher]:
    """Return what tells of a run in the terminal or log."""
    by = speaker()
    watchers: list[Watcher] = [Banner(job)]
    if isinstance(by, Terminal):
        from crawler.views.live.panel import Panel  # no pipe needs it

        watchers.append(Panel(by, job.limits))
    if getattr(by, "least", Level.PROGRESS) <= Level.DETAIL:
        from crawler.views.live.panel import Verdicts  # few ask for it

        watchers.append(Verdicts(say))
    return watchers


@contextmanager
def metered(job: Job, address: Address | None) -> Iterator[Meter | None]:
    """Serve the metrics of a job's run at an address while the context lasts, if one is given.

    Raises ConfigError, before anything has begun, where that cannot be.
    """
    if address is None:
        yield None
        return
    from crawler.observe.metrics import serving  # few ask for it, and it is of an extra

    with serving(*address, job.dedup.method.value) as meter:
        say(f"Metrics: http://{_shown(address[0], meter.port)}/metrics")
        yield meter


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


def crawl(
    seeds: Sequence[str],
    seed_list: Path | None,
    config: Path | None,
    overrides: Mapping[str, Any],
    *,
    go_on: bool = False,
    skip_bad: bool = False,
    metrics: Address | None = None,
    live: Address | None = None,
) -> int:
    """Begin a crawl in a new output directory, or `go_on` with the one that has begun there.

    Either way the job is the one that is given here. A crawl that was killed before its seeds were
    stored has not begun.
    """
    flags = dict(overrides)
    if given := jobs.given_seeds(seeds, seed_list, skip_bad=skip_bad):
        flags["seeds"] = given
    job = jobs.loaded(config, flags)
    check_seeds(job.seeds, str(config or "command line"))
    plugins.check(job.plugins)
    jobs.warn_of_no_contact(job)
    jobs.warn_of_proxies(job)
    jobs.warn_of_slow_kernels()
    jobs.check_access(job)
    goes_on = go_on and begun(job.output)
    open_store = Store.open if goes_on else Store.create
    rotate_bytes = job.storage.rotate_bytes
    with metered(job, metrics) as meter, watched(job, live) as watcher:
        if goes_on:
            bring_back(job.output, job, say)
        store = open_store(job.output, identity(job), rotate_bytes=rotate_bytes)
        return finish(job, store, meter=meter, watcher=watcher)


def resume(
    directory: Path,
    config: Path | None,
    overrides: Mapping[str, Any],
    release: Sequence[str],
    metrics: Address | None = None,
    live: Address | None = None,
) -> int:
    """Go on with the crawl in a directory, with its own job or a changed one.

    `release` are names, or beginnings of names, of cut subtrees that are to be fetched after all.
    """
    job = jobs.changed(directory, config, overrides)
    plugins.check(job.plugins)
    jobs.check_access(job)
    traps = _released(directory, release)
    with metered(job, metrics) as meter, watched(job, live) as watcher:
        bring_back(directory, job, say)
        store = Store.open(directory, identity(job), rotate_bytes=job.storage.rotate_bytes)
        if release:
            store.set_meta(Meta.TRAPS, traps)
        return finish(job, store, meter=meter, watcher=watcher)


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


def finish(
    job: Job,
    store: Store,
    truth: Truth | None = None,
    *,
    meter: Meter | None = None,
    watcher: Watcher | None = None,
) -> int:
    """Run a job, print how it ended (compared with the truth, if given), return the exit code."""
    return tell_end(job, store.directory, run(job, store, say, meter, watcher), truth)


def tell_end(job: Job, directory: Path, code: int, truth: Truth | None = None) -> int:
    """Print how a run ended whose exit code is `code` so far; return the exit code."""
    with StoreView.read(directory) as view:
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
        with StoreView.read(directory) as view:
            compared = truth.compare(*(_stored_lines(view, kind) for kind in LINE_FILES))
    print_end(directory, summary, None if compared is None else compared.rows())
    for line in unreached[:MOST_UNREACHED]:
        say(safe(line))
    if len(unreached) > MOST_UNREACHED:
        say(f"... and {len(unreached) - MOST_UNREACHED:,} more seeds like these")
    if not code and not brought:
        return NO_PAGES
    if compared is not None:
        differences = (*compared.wrong, *compared.missed)
        for each in differences[:MOST_DIFFERENCES]:
            say(f"{each.url}: {each.got or 'not met'}, not {each.expected or 'to be met'}")
        if len(differences) > MOST_DIFFERENCES:
            say(f"... and {len(differences) - MOST_DIFFERENCES:,} more like these")
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
            say(_too_deep(job, job.limits.depth))
        return
    left, limit = f"{summary['pending'] - held:,} URLs are pending", job.limits.pages
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


def _too_deep(job: Job, depth: int) -> str:
    if job.extract.outlinks:
        way = f"continue with: {resume_command(job.output)} --depth {depth + 1}"
    else:
        again = command_of("recrawl", job.output, "--all", "--depth", depth + 1)
        way = f"extract.outlinks would keep them; to read them again: {again}"
    return f"Links deeper than {depth} were not queued; {way}"


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
