"""What a crawl would fetch, and what not and why, before it begins."""

from __future__ import annotations

from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import islice

from crawler import plugins
from crawler.cli.commands import jobs
from crawler.config import read_lines
from crawler.console import progress, safe, say
from crawler.views.inspect import (
    FETCHED,
    WANTED,
    Host,
    Prospect,
    by_rules,
    hosts,
    prospects,
    rehearsed,
)
from crawler.views.render import console, print_json_line, table

MOST_HOSTS = 20


def dry_run(args: Namespace) -> int:
    """Show what would be fetched, and by which rule what would not; nothing is stored.

    With --check only URLs of that list are judged by the job's rules, without a network; else some
    pages are fetched, and what they link to is judged.
    """
    job = jobs.given(args)
    if args.check is not None:
        urls = (line for _, line in read_lines(args.check))
        _show(by_rules(job, urls), args.show, args.json)
        return 0
    plugins.check(job.plugins)
    jobs.warn_of_no_contact(job)
    jobs.check_access(job)
    say(progress(f"Fetching at most {args.sample:,} pages; nothing is kept ..."))
    with rehearsed(job, args.sample, say) as view:
        found = list(prospects(view))
        _show(found, args.show, args.json)
        if not args.json:
            wanted = (each.url for each in found if each.fate in WANTED)
            _show_hosts(hosts(view, job, wanted))
    return 0


def _show(found: Iterable[Prospect], most: int, as_json: bool) -> None:
    if as_json:
        for each in found:
            print_json_line(asdict(each))
        return
    by_fate: dict[str, list[Prospect]] = defaultdict(list)
    for each in found:
        by_fate[each.fate].append(each)
    first = [fate for fate in (FETCHED, *WANTED) if fate in by_fate]
    others = sorted(by_fate.keys() - {*first}, key=lambda fate: (-len(by_fate[fate]), fate))
    for fate in [*first, *others]:
        some = by_fate[fate]
        print(f"{len(some):>9,}  {safe(fate)}")
        for each in islice(some, most):
            print(safe(f"           {each.url}" + (f"  ({each.told})" if each.told else "")))
        if len(some) > most:
            print(f"           ... and {len(some) - most:,} more")


def _show_hosts(found: Sequence[Host]) -> None:
    if not found:
        return
    rows = []
    for host in found[:MOST_HOSTS]:
        seconds = host.urls * host.delay_s
        spans = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))  # as people say it
        size, name = next((one for one in spans if seconds >= 2 * one[0]), spans[-1])
        row = safe(host.name), host.urls, f"{host.delay_s:g}", f"{seconds / size:,.0f} {name}"
        rows.append(row)
    more = f", the first {MOST_HOSTS} of {len(found):,}" if len(found) > MOST_HOSTS else ""
    title = f"Hosts with URLs that would be fetched next{more}"
    console().print(table(title, ["host", ">URLs", ">pause s", ">takes at least"], rows))
