"""Seeds added to a crawl that has begun."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from crawler.cli.commands import jobs, resume_command
from crawler.config import check_seeds
from crawler.console import safe, say
from crawler.storage.requeue import add_seeds
from crawler.storage.summary import write_summary
from crawler.storage.tables import Meta
from crawler.storage.view import Known, StoreView
from crawler.views.inspect import JobRules

MOST_TOLD = 20
"""URLs that were not added, told of one by one."""


def add(directory: Path, urls: Sequence[str], seed_list: Path | None, skip_bad: bool) -> int:
    """Queue URLs as seeds of a crawl, and say which were known, or are refused by its job."""
    seeds = jobs.given_seeds(urls, seed_list, skip_bad=skip_bad)
    check_seeds(seeds, "command line")
    admitted, refused = _sorted(directory, seeds)
    added = add_seeds(directory, admitted)
    write_summary(directory)  # also where all are known: it may be of before, if one was killed
    why = {**{url: _known(found) for url, found in added.known.items()}, **refused}
    for url, reason in islice(why.items(), MOST_TOLD):
        say(safe(f"{url}: {reason}"))
    if len(why) > MOST_TOLD:
        say(f"... and {len(why) - MOST_TOLD:,} more like these")
    print(f"{directory}: {len(added.queued):,} seeds added")
    if added.queued:
        print(f"Fetch them: {resume_command(directory)}")
    return 0


def _sorted(directory: Path, seeds: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the canonical URLs that the crawl's job admits as seeds, and why it refuses others."""
    with StoreView.read(directory) as view:
        if view.meta(Meta.JOB) is None:
            return list(seeds), {}  # what is wrong is said where they are added
        rules = JobRules.of_crawl(view)
    admitted, refused = [], {}
    for url in filter(None, map(rules.canonicalise, seeds)):
        if reason := rules.scope_refusal(url):
            refused[url] = f"not added: {reason}"
        else:
            admitted.append(url)
    return admitted, refused


def _known(found: Known) -> str:
    detail = f" ({found.detail})" if found.detail else ""
    return f"known already: {found.state.name.lower()}{detail}"
