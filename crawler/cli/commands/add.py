"""Seeds added to a crawl that has begun."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from crawler.cli.commands import jobs
from crawler.cluster.root import Root
from crawler.config import check_seeds
from crawler.console import command, safe, say_some
from crawler.errors import StoreMismatch
from crawler.storage.directory import is_root
from crawler.storage.requeue import add_seeds, check_takes_seeds
from crawler.storage.summary import write_summary
from crawler.storage.tables import Meta
from crawler.storage.view import Known, StoreView, begun, known, refuse_partition
from crawler.urls import host_key
from crawler.views.job_rules import JobRules

MOST_TOLD = 20
"""URLs that were not added, told of one by one."""


def add(args: Namespace) -> int:
    """Queue URLs as seeds of a crawl, and say which were known, or are refused by its job."""
    directory, seeds = args.directory, jobs.given_seeds(args)
    check_seeds(seeds, "command line")
    if is_root(directory):
        return _to_all(Root.open(directory), seeds)
    admitted, refused = [], {}
    with StoreView.read(directory) as view:
        check_takes_seeds(view)
        refuse_partition(view)
        rules = JobRules.of_crawl(view)
        for url in filter(None, map(rules.canonicalise, seeds)):
            if reason := rules.scope_refusal(url):
                refused[url] = reason
            else:
                admitted.append(url)
    added = add_seeds(directory, admitted)
    write_summary(directory)  # also where all are known: it may be of before, if one was killed
    _tell_others(added.known, refused)
    print(f"{directory}: {len(added.queued):,} seeds added")
    if added.queued:
        print(f"Fetch them: {command('resume', directory)}")
    return 0


def _to_all(root: Root, seeds: Sequence[str]) -> int:
    """The same of a crawl of several partitions, which may be running."""
    if root.plan.recrawl is not None:
        raise StoreMismatch(
            f"{root.path} holds a recrawl, which visits the pages of an earlier crawl: add the "
            "seeds to that one, or begin a crawl of their own"
        )
    queued: list[str] = []
    seen: dict[str, Known] = {}
    refused: dict[str, str] = {}
    with ExitStack() as stack:
        views: dict[int, StoreView | None] = {}
        rules: dict[int, JobRules] = {}
        plain = JobRules(root.job)
        for url in dict.fromkeys(filter(None, map(plain.canonicalise, seeds))):
            owner = root.partition_of(host_key(url))
            if owner not in views:
                directory = root.partition(owner)
                here = begun(directory)  # else it has no URL, or lies on another machine
                view = stack.enter_context(StoreView.read(directory)) if here else None
                views[owner] = view
                of_run = view is not None and view.meta(Meta.JOB) is not None
                rules[owner] = JobRules.of_crawl(view) if view and of_run else plain
            view = views[owner]
            if reason := rules[owner].scope_refusal(url):
                refused[url] = reason
            elif view is not None and (found := known(view, url)) is not None:
                seen[url] = found
            else:
                queued.append(url)
    root.add_seeds([*queued, *seen])
    _tell_others(seen, refused)
    print(f"{safe(str(root.path))}: {len(queued):,} seeds added")
    if queued and root.is_held:
        print("The run that goes on fetches them")
    elif queued:
        print(f"Fetch them: {command('resume', root.path)}")
    return 0


def _tell_others(seen: Mapping[str, Known], refused: Mapping[str, str]) -> None:
    """Say which URLs were not added, and why."""
    why = {
        url: f"known already: {found.state.name.lower()}"
        + (f" ({found.detail})" if found.detail else "")
        for url, found in seen.items()
    }
    why |= {url: f"not added: {reason}" for url, reason in refused.items()}
    say_some((safe(f"{url}: {reason}") for url, reason in why.items()), MOST_TOLD, "like these")
