"""Seeds added to a crawl that has begun."""

from __future__ import annotations

from argparse import Namespace

from crawler.cli.commands import jobs, resume_command
from crawler.config import check_seeds
from crawler.console import safe, say_some
from crawler.storage.requeue import add_seeds
from crawler.storage.summary import write_summary
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView
from crawler.views.inspect import JobRules

MOST_TOLD = 20
"""URLs that were not added, told of one by one."""


def add(args: Namespace) -> int:
    """Queue URLs as seeds of a crawl, and say which were known, or are refused by its job."""
    directory, seeds = args.directory, jobs.given_seeds(args)
    check_seeds(seeds, "command line")
    admitted, refused = list(seeds), {}
    with StoreView.read(directory) as view:
        if view.meta(Meta.JOB) is not None:  # else what is wrong is said where they are added
            rules, admitted = JobRules.of_crawl(view), []
            for url in filter(None, map(rules.canonicalise, seeds)):
                if reason := rules.scope_refusal(url):
                    refused[url] = f"not added: {reason}"
                else:
                    admitted.append(url)
    added = add_seeds(directory, admitted)
    write_summary(directory)  # also where all are known: it may be of before, if one was killed
    known = {
        url: f"known already: {found.state.name.lower()}"
        + (f" ({found.detail})" if found.detail else "")
        for url, found in added.known.items()
    }
    why = known | refused
    say_some((safe(f"{url}: {reason}") for url, reason in why.items()), MOST_TOLD, "like these")
    print(f"{directory}: {len(added.queued):,} seeds added")
    if added.queued:
        print(f"Fetch them: {resume_command(directory)}")
    return 0
