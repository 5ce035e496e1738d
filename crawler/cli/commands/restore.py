"""Dropped pages stored after all: which are meant, why others cannot be, and what was done."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

from crawler.cli.commands import jobs
from crawler.cluster.root import Root
from crawler.config import Job
from crawler.console import command, progress, safe, say
from crawler.engine.identity import identity
from crawler.errors import CrawlerError, InputError, StoreError
from crawler.models import EXACT_PAYLOAD, EXACT_TEXT, UrlState
from crawler.sources.event_loop import run_loop
from crawler.sources.web.restore import Restore
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import is_root
from crawler.storage.journal import reading_line
from crawler.storage.restoring import (
    Elsewhere,
    Ended,
    Restoring,
    duplicate_lines,
    ended,
    ended_as_dropped,
    restoring,
)
from crawler.storage.summary import write_summary
from crawler.storage.view import (
    StoreView,
    confirm_accounts,
    page_ids,
    refuse_corpus,
    refuse_partition,
)
from crawler.units import counted
from crawler.urls import Canonicaliser, host_key
from crawler.views.explain.subjects import find_line, find_url

SLOW_URLS = 2_000_000
"""URLs from which looking through them takes more than a second."""
NOT_KEPT = "nothing was kept (`dedup.keep_dropped: false`, or a page of more than 4 MB)"


@dataclass(slots=True)
class Found:
    """What was asked for, by URL."""

    dropped: dict[str, Ended] = field(default_factory=dict)
    """What can be restored."""
    stored: dict[str, int] = field(default_factory=dict)
    """What is stored already, and as which page."""
    lost: list[str] = field(default_factory=list)
    """What was dropped and not kept; where URLs are asked for, that is an error."""


def restore(args: Namespace) -> int:
    """Store dropped pages of a crawl, or show which these are.

    Raises InputError where something that is asked for is no dropped page that was kept; then
    nothing is changed. StoreInUse while the crawl runs, unless nothing is to be changed.
    """
    chosen = bool(args.cluster or args.evidence)
    if not (args.urls or chosen):
        args.error("name what to restore: a URL, --cluster ID or --evidence CODE")
    if args.urls and chosen:
        args.error("give URLs, or --cluster and --evidence, not both")
    directory = args.directory
    if is_root(directory):
        return _of_all(Root.open(directory), args)
    job = jobs.changed(directory)
    with StoreView.read(directory) as view:
        where = "its lines in duplicates.jsonl say where (`source`), so nothing has to be restored"
        refuse_corpus(view, f"whose documents are where they were: {where}")
        refuse_partition(view)
        if (urls := view.next_url_id - 1) >= SLOW_URLS:
            say(progress(f"Looking through {urls:,} URLs ..."))
        if args.dry_run:
            return _show(view, _find(view, args, job))
    with restoring(directory, identity(job), job.storage.rotate_bytes) as pages:
        found = _find(pages.view, args, job)
        work = Restore(job, pages, found.dropped, say=say)
        code = _done(work, pages)
    _tell_others(found)
    return _tell_done(directory, work.ids, len(found.dropped) - len(work.ids), code)


def _of_all(root: Root, args: Namespace) -> int:
    """The same of a crawl of several partitions; all that is asked for is found before any is."""
    # With all that a judge needs.
    from crawler.cluster.resting import OfOthers, resting, restoring

    by_owner: dict[int, list[str]] = {number: [] for number in root.partitions}
    canonicalise = Canonicaliser(
        frozenset(root.job.urls.tracking_parameters), routes=root.job.renders
    )
    for url in args.urls:
        by_owner[root.partition_of(host_key(canonicalise(url) or url))].append(url)
    flags = [("--cluster", str(one)) for one in args.cluster]
    flags += [("--evidence", one) for one in args.evidence]
    change = ["restore", *args.urls, *(word for flag in flags for word in flag)]
    ids: list[int] = []
    together, code = Found(), 0
    with root.held(change), resting(root) as judge, ExitStack() as stack:
        views = [stack.enter_context(StoreView.read(one)) for one in root.directories]
        _confirm_stored(views, args.cluster)
        found = {}
        for number, view in enumerate(views):
            if by_owner[number] or not args.urls:
                asked = Namespace(**{**vars(args), "urls": by_owner[number]})
                found[number] = _find(view, asked, root.job, OfOthers(judge, number))
        if args.dry_run:
            return max(_show(views[number], one) for number, one in found.items())
        root.begins(change)
        for number, one in found.items():
            together.dropped |= one.dropped
            together.stored |= one.stored
            together.lost += one.lost
            if one.dropped and not code:
                with restoring(root, number, judge, dict(enumerate(views))) as pages:
                    work = Restore(root.job, pages, one.dropped, say=say)
                    code = _done(work, pages)
                ids += work.ids
    _tell_others(together)
    return _tell_done(root.path, ids, len(together.dropped) - len(ids), code)


def _done(work: Restore, pages: Restoring) -> int:
    """Restore pages; return the exit code."""
    directory = pages.view.directory
    try:
        code = run_loop(lambda: work, say)
    except CrawlerError:
        with suppress(StoreError):  # what stopped the work may stop this too, and is told first
            write_summary(directory)
        raise
    write_summary(directory)
    view = pages.view
    confirm_accounts(directory, [*view.accounting().problems, *view.lost_lines()])
    for url in work.differing:
        say(f"{url}: its text has another digest now than the recorded one, which is kept")
    return code


def _tell_done(directory: Path, ids: list[int], left: int, code: int) -> int:
    restored = f"{counted(len(ids), 'page')} restored"
    if len(ids) == 1:
        restored += f", as page {ids[0]}"
    elif ids:
        restored += f", as pages {min(ids)} to {max(ids)}"
    print(f"{safe(str(directory))}: {restored}")
    if code and left:
        say(f"Stopped; repeat the command to restore the other {counted(left, 'page')}.")
    return code


def _confirm_stored(views: Sequence[StoreView], ids: Iterable[int]) -> None:
    """Raise InputError for an id that no stored page has."""
    for document_id in ids:
        for view in views:
            with suppress(KeyError, OverflowError):
                view.host_of(document_id)
                break
        else:
            raise InputError(
                f"--cluster {document_id}: no page with this id is stored in {views[0].directory}; "
                "an id is the `id` in pages.jsonl, `cluster` in duplicates.jsonl, `page` in the "
                "report"
            )


def _find(view: StoreView, asked: Namespace, job: Job, elsewhere: Elsewhere | None = None) -> Found:
    """Find some URLs, or all that was dropped for some pages on some evidence, or for any."""
    if asked.urls:
        return _find_urls(view, asked.urls, job, elsewhere)
    if elsewhere is None:
        _confirm_stored([view], asked.cluster)
    on_evidence = bool(asked.evidence)  # which exact duplicates have not
    dropped = ended_as_dropped(view, asked.cluster, elsewhere, alike_alone=on_evidence)
    found = {end.url: end for end in dropped}
    if on_evidence and found:
        found = {
            url: found[url]
            for line in duplicate_lines(view)
            if (url := line.record["url"]) in found
            and line.record.get("evidence") in asked.evidence
        }
    return Found(
        dropped={url: end for url, end in found.items() if end.kept},
        lost=[url for url, end in found.items() if not end.kept],
    )


def _find_urls(
    view: StoreView, urls: Sequence[str], job: Job, elsewhere: Elsewhere | None
) -> Found:
    """Look some URLs up, as they were given or in canonical form; InputError for what is wrong."""
    canonicalise = Canonicaliser(frozenset(job.urls.tracking_parameters), routes=job.renders)
    names = {url: dict.fromkeys((url, canonicalise(url) or url)) for url in urls}
    wanted = {name for forms in names.values() for name in forms}
    seen: dict[str, Ended] = {}
    for one in ended(view, wanted, elsewhere):  # of an archived URL there may be several
        before = seen.get(one.url)
        if before is None or one.kept or before.state is not UrlState.STORED:
            seen[one.url] = one
    found, wrong, stored = Found(), [], []
    for url, forms in names.items():
        end = next((seen[form] for form in forms if form in seen), None)
        if end is not None and end.state is UrlState.STORED:
            stored.append(end)
        elif end is not None and end.kept:
            found.dropped[end.url] = end
        else:
            wrong.append(_why_not(end, view) if end else _never_seen(view, url))
    if wrong:
        raise InputError("\n".join([*wrong, "Nothing was changed."]))
    ids = page_ids(view, [end.url_id for end in stored])
    with reading_stored_values(view.directory):
        found.stored = {end.url: ids[end.url_id] for end in stored}
    return found


def _never_seen(view: StoreView, url: str) -> str:
    """Return that a crawl knows no such URL, and which are similar."""
    try:
        find_line(view, url)
    except InputError as error:
        return str(error)
    return f"{url} is no URL; for what was dropped for a stored page: --cluster ID"


def _why_not(end: Ended, view: StoreView) -> str:
    """Return why a URL that the crawl has seen cannot be restored, and what to do instead."""
    of = f"page {end.of.id}, {end.of.url}" if end.of else "another page"
    match end.state:
        case UrlState.PENDING:
            return f"{end.url} was not fetched yet: {command('resume', view.directory)}"
        case UrlState.DUPLICATE if end.detail == EXACT_PAYLOAD:
            exact = f"{end.url} is an exact duplicate (exact-payload):"
            line = find_url(view, end.url)
            like = line.record["duplicate_of"] if line is not None else {}
            if "against" not in like:
                return f"{exact} the page with the same bytes is stored at this URL already"
            there = like["against"]
            gone = "" if Path(there).exists() else ", which is not there any more"
            return (
                f"{exact} it has the same bytes as page {like['id']} of {there}{gone}, "
                f"{like['url']}, and the text of a page is kept with its bytes alone; to have it "
                "here, crawl it in another directory without `dedup.against`"
            )
        case UrlState.DUPLICATE if end.detail == EXACT_TEXT:
            return (
                f"{end.url} is an exact duplicate (exact-text): its text is that of {of}, and of "
                f"what else is on it {NOT_KEPT}; to have it, crawl it alone in another directory"
            )
        case UrlState.DUPLICATE:
            original = end.of.url if end.of else "ORIGINAL"
            explain = command("explain", view.directory, end.url, original, "--fetch")
            return (
                f"{end.url} was dropped for {of}, and {NOT_KEPT}. To see its text now: {explain}; "
                "to store it, crawl it again in another directory with --near tag --siblings tag"
            )
        case UrlState.REDIRECT:
            return f"{end.url} is no page: it redirects ({end.detail}), see redirects.jsonl"
        case UrlState.FAILED:
            return f"{end.url} is no page: it failed ({end.detail}), see failures.jsonl"
        case _:
            return f"{end.url} is no duplicate: it was left out ({end.detail}), see skipped.jsonl"


def _show(view: StoreView, found: Found) -> int:
    """Print the pages that would be restored, one a line, in the order of duplicates.jsonl."""
    for line in duplicate_lines(view) if found.dropped else ():
        if (record := line.record)["url"] in found.dropped:
            with reading_line(line.place):
                of, similarity = record["duplicate_of"], record.get("similarity")
                alike = "" if similarity is None else f" {similarity:.4f}"
                exact = record["verdict"] in (EXACT_PAYLOAD, EXACT_TEXT)
                why = record.get("evidence") or ("equal" if exact else "alike")
                place = f" in {of['against']}" if "against" in of else ""
                named = f"{record['url']} of {of['id']} {of['url']}{place}"
                shown = f"{record['verdict']} {why}{alike} {named}"
            print(safe(shown))
    pages = counted(len(found.dropped), "page")
    say(f"{pages} would be restored in {view.directory}; nothing was changed")
    _tell_others(found)
    return 0


def _tell_others(found: Found) -> None:
    if not (found.dropped or found.stored or found.lost):
        say("Nothing that is asked for is dropped: no page was, or what was is stored already")
    for url, page_id in found.stored.items():
        say(f"{url} is stored already, as page {page_id}")
    if found.lost:
        pages = counted(len(found.lost), "page")
        say(
            f"{pages} cannot be restored, such as {found.lost[0]}: {NOT_KEPT}; "
            "crawl again in another directory with --near tag --siblings tag"
        )
