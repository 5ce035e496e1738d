"""What a crawl would fetch, and what not and why, before it begins."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import orjson

from crawler import plugins
from crawler.cli.commands import jobs
from crawler.config import Job, read_lines
from crawler.console import progress, safe, say
from crawler.storage.directory import LINE_FILES
from crawler.storage.journal import reading_line
from crawler.storage.view import StoreView
from crawler.urls import host_key, origin
from crawler.views.explain.subjects import small_crawl
from crawler.views.job_rules import JobRules
from crawler.views.render import console, print_json_line, table

FETCHED = "fetched now"
WOULD_FETCH = "would be fetched"
FOLLOW_ONLY = "would be fetched for its links alone: scope.follow_only"
WANTED = (WOULD_FETCH, FOLLOW_ONLY)
"""Fates of what a crawl would ask for."""
TOO_LONG = "too long for what its page may bring: frontier.long_url_bytes"
_ENDS = {
    "pages": "stored",
    "duplicates": "{verdict}",
    "failures": "failed: {failure}",
    "skipped": "left out: {reason}",
    "redirects": "redirect to {target}",
}


class Prospect(NamedTuple):
    """What would become of a URL."""

    url: str
    fate: str
    """FETCHED, one of WANTED, or the rule that refuses it."""
    told: str = ""
    """How it ended, of one that was fetched."""
    found_on: str | None = None
    """The page that led to it."""


MOST_HOSTS = 20
"""Hosts that are told of, those with most URLs."""


def dry_run(args: Namespace) -> int:
    """Show what would be fetched, and by which rule what would not; nothing is stored.

    With --check only URLs of that list are judged by the job's rules, without a network; else some
    pages are fetched, and what they link to is judged.
    """
    job = jobs.given(args)
    if args.check is not None:
        _show(_by_rules(job, (line for _, line in read_lines(args.check))), args)
        return 0
    plugins.check(job.plugins)
    jobs.warn_of_no_contact(job)
    jobs.check_access(job)
    say(progress(f"Fetching at most {args.sample:,} pages; nothing is kept ..."))
    limits = [limit for limit in (job.limits.pages, args.sample) if limit is not None]
    changes = {
        "limits": {"pages": min(limits)},
        "extract": {"outlinks": True},
        "storage": {"warc": False},
    }
    given = job.model_dump(mode="json", exclude_unset=True)
    with small_crawl(given, changes, "dry-run", say) as view:
        found = list(_prospects(view))
        _show(found, args)
        if not args.json:
            _show_hosts(view, job, (each.url for each in found if each.fate in WANTED))
    return 0


def _show(found: Iterable[Prospect], args: Namespace) -> None:
    """Print an object for each, or the first of each fate."""
    if args.json:
        for each in found:
            print_json_line(each._asdict())
        return
    by_fate: dict[str, list[Prospect]] = defaultdict(list)
    for each in found:
        by_fate[each.fate].append(each)
    first = [fate for fate in (FETCHED, *WANTED) if fate in by_fate]
    others = sorted(by_fate.keys() - {*first}, key=lambda fate: (-len(by_fate[fate]), fate))
    for fate in [*first, *others]:
        some = by_fate[fate]
        print(f"{len(some):>9,}  {safe(fate)}")
        for each in islice(some, args.show):
            print(safe(f"           {each.url}" + (f"  ({each.told})" if each.told else "")))
        if (more := len(some) - args.show) > 0:
            print(f"           ... and {more:,} more")


def _show_hosts(view: StoreView, job: Job, wanted: Iterable[str]) -> None:
    """Print the hosts of URLs that would be fetched, most URLs first, and how long they take.

    From one request to the next it is the pause of the job or of robots.txt, as far as known.
    """
    urls: Counter[str] = Counter()
    delays: dict[str, float] = {}
    rules = JobRules.of_crawl(view)
    for url in wanted:
        host = host_key(url)
        urls[host] += 1
        if host not in delays:
            kept = view.rules(origin(url))
            asked_s = (kept.crawl_delay_s if kept is not None else None) or 0.0
            asked_s = min(asked_s, job.politeness.max_crawl_delay_s)
            delays[host] = max(asked_s, rules.blocks.manners(host).delay_s)
    rows = []
    for host, number in sorted(urls.items(), key=lambda item: (-item[1], item[0]))[:MOST_HOSTS]:
        seconds = number * delays[host]
        spans = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))  # as people say it
        size, name = next((one for one in spans if seconds >= 2 * one[0]), spans[-1])
        rows.append((safe(host), number, f"{delays[host]:g}", f"{seconds / size:,.0f} {name}"))
    if rows:
        more = f", the first {MOST_HOSTS} of {len(urls):,}" if len(urls) > MOST_HOSTS else ""
        title = f"Hosts with URLs that would be fetched next{more}"
        console().print(table(title, ["host", ">URLs", ">pause s", ">takes at least"], rows))


def _by_rules(job: Job, urls: Iterator[str]) -> Iterator[Prospect]:
    """Yield what a job's rules say of URLs, canonical or not; nothing is asked for."""
    rules = JobRules(job)
    for given in urls:
        url = rules.canonicalise(given)
        if url is None:
            yield Prospect(given, "not an http(s) URL")
        else:
            yield Prospect(url, _fate(rules, url))


def _prospects(view: StoreView) -> Iterator[Prospect]:
    """Yield what became, or would become, of each URL that a small crawl met, once."""
    rules = JobRules.of_crawl(view)
    met: set[str] = set()
    links: dict[str, tuple[int, str]] = {}
    for kind in LINE_FILES:
        for line in view.lines(kind):
            with reading_line(line.place):
                record = orjson.loads(line.data)
            url = record["url"]
            if url not in met:
                met.add(url)
                ended = _ENDS[kind].format_map(record)
                yield Prospect(url, FETCHED, ended, record.get("referrer"))
            for link in record.get("outlinks") or ():
                way = (record["depth"] + 1, url)
                links[link] = min(links.get(link, way), way)
    for _, url, referrer, seed in view.pending_urls():
        if url not in met:
            met.add(url)
            yield Prospect(url, _fate(rules, url, seed=seed), found_on=referrer)
    for url, (depth, page) in links.items():
        if url not in met:
            refused = rules.refusal(url) or rules.link_refusal(url, depth, page)
            yield Prospect(url, refused or TOO_LONG, found_on=page)


def _fate(rules: JobRules, url: str, *, seed: bool = False) -> str:
    wanted = FOLLOW_ONLY if rules.scope.follows_only(url) else WOULD_FETCH
    return rules.refusal(url, seed=seed) or wanted
