"""Everything of some hosts removed from a crawl that has ended."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from crawler import urls
from crawler.commands import resume_command
from crawler.commands.hosts import given_host
from crawler.crawl.summary import write_summary
from crawler.ends.counted import counted
from crawler.errors import InputError
from crawler.printing import safe, say
from crawler.records import UrlState
from crawler.storage import Purge, finish_purge, would_purge
from crawler.storage import purge as purge_hosts

_CALLED = {
    UrlState.PENDING: "pending",
    UrlState.STORED: "stored pages",
    UrlState.DUPLICATE: "duplicates",
    UrlState.REDIRECT: "redirects",
    UrlState.FAILED: "failures",
    UrlState.SKIPPED: "skipped",
}


def purge(
    directory: Path, hosts: Sequence[str], *, yes: bool, dry_run: bool, keep_archives: bool
) -> int:
    """Remove URLs, pages, texts and lines of some hosts, and ask for the hosts no more.

    Without `yes` only what would go is shown. Raises InputError where archives would keep exchanges
    of the hosts, and it was not said that they may.
    """
    keys = frozenset(map(given_host, hosts))
    if yes and finish_purge(directory):
        write_summary(directory)
        print(f"{safe(str(directory))}: a purge that was interrupted is finished now; see `report`")
        return 0
    found = would_purge(directory, keys)
    if not dry_run:
        _refuse_archives(directory, found, keep_archives)
    if dry_run or not yes:
        _tell(directory, found, "would be removed", "would be")
        if not dry_run:
            raise InputError("nothing was removed: repeat the command with --yes to do it")
        return 0
    found = purge_hosts(directory, keys, lambda job: without_hosts(job, keys), counted, say)
    write_summary(directory)
    _tell(directory, found, "removed", "are")
    if found.refetched:
        print(f"Fetch them again: {resume_command(directory)}")
    return 0


def without_hosts(job: dict[str, Any], hosts: Collection[str]) -> dict[str, Any]:
    """Return a job that begins at none of some host keys, and does not go there."""
    canonicalise = urls.Canonicaliser()
    seeds = [
        seed
        for seed in job["seeds"]
        if (url := canonicalise(seed)) is None or urls.host_key(url) not in hosts
    ]
    exclude = [*job["scope"]["exclude"], *map(pattern_of, sorted(hosts))]
    return {**job, "seeds": seeds, "scope": {**job["scope"], "exclude": exclude}}


def pattern_of(host: str) -> str:
    """Return the pattern of all URLs of a host key, and of no other."""
    port = "" if urls.hostname(host) != host else "(:(80|443))?"
    return f"^https?://{re.escape(host)}{port}/"


def _refuse_archives(directory: Path, found: Purge, keep_archives: bool) -> None:
    if found.archived and not keep_archives:
        files = ", ".join(f"{name} ({number:,})" for name, number in found.archived.items())
        raise InputError(
            f"{directory}: nothing was removed, since archives hold records of the host, and are "
            f"not written anew: {files}. Purge everything else with --keep-archives"
        )


def _tell(directory: Path, found: Purge, what: str, they: str) -> None:
    told = ", ".join(
        f"{name} {found.outcomes[state]:,}"
        for state, name in _CALLED.items()
        if state in found.outcomes
    )
    print(f"{safe(str(directory))}: {what}: {sum(found.outcomes.values()):,} URLs ({told})")
    if found.refetched:
        print(
            f"{found.refetched:,} pages of other hosts were dropped as copies of these, and {they} "
            "pending again: their text is that of the page they copied"
        )
    if found.freed:
        print(f"{found.freed:,} stored pages of other hosts were like these, and {they} new")
    for name, number in found.archived.items():
        print(f"{safe(name)} keeps {number:,} records of the host")
