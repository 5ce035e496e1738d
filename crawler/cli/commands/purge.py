"""Everything of some hosts removed from a crawl that has ended."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from crawler import units
from crawler.cli.commands import jobs
from crawler.cluster.root import Root
from crawler.console import command, safe, say
from crawler.engine.outcomes import counted
from crawler.errors import InputError
from crawler.models import UrlState
from crawler.storage.directory import is_root
from crawler.storage.purging import Purge, finish_purge, would_purge
from crawler.storage.purging import purge as purge_hosts
from crawler.storage.summary import write_summary
from crawler.urls import given_host

_CALLED = {
    UrlState.PENDING: "pending",
    UrlState.STORED: "stored pages",
    UrlState.DUPLICATE: "duplicates",
    UrlState.REDIRECT: "redirects",
    UrlState.FAILED: "failures",
    UrlState.SKIPPED: "skipped",
}


def purge(args: Namespace) -> int:
    """Remove URLs, pages, texts and lines of some hosts, and ask for the hosts no more.

    Without `yes` only what would go is shown. What a purge that was killed has left undone is done,
    whatever it was of. Raises InputError where archives would keep exchanges of the hosts, and it
    was not said that they may.
    """
    directory, yes = args.directory, args.yes
    if not args.hosts:
        args.error("name what to remove: --host HOST")
    if yes and args.dry_run:
        args.error("--yes and --dry-run: give one of them")
    keys = frozenset(map(given_host, args.hosts))
    if is_root(directory):
        return _of_all(Root.open(directory), keys, args)
    name = safe(str(directory))
    if yes and finish_purge(directory):
        write_summary(directory)
        print(f"{name}: a purge that was interrupted is finished now; see `report`")
    found = would_purge(directory, keys)
    if not found.outcomes:
        if yes:  # the summary may be of before, if it was killed
            write_summary(directory)
        print(f"{name}: nothing of {', '.join(sorted(keys))} is there any more: it was purged")
        return 0
    if not _is_confirmed(found, args):
        return 0
    found = purge_hosts(directory, keys, lambda job: jobs.without_hosts(job, keys), counted, say)
    write_summary(directory)
    _tell_done(directory, found)
    return 0


def _of_all(root: Root, keys: frozenset[str], args: Namespace) -> int:
    """The same of a crawl of several partitions. One that was killed is repeated to its end."""
    from crawler.cluster import purging  # with all that a judge needs

    change = ["purge", *(word for key in sorted(keys) for word in ("--host", key)), "--yes"]
    if not root.is_undone(change):
        found = purging.would_purge(root, keys)
        if not found.outcomes:
            whose = ", ".join(sorted(keys))
            print(f"{safe(str(root.path))}: nothing of {whose} is there any more: it was purged")
            return 0
        if not _is_confirmed(found, args):
            return 0
    elif not args.yes:
        raise InputError(f"{root.path}: this purge was interrupted; finish it: {root.undone}")
    done = purging.purge(
        root, keys, lambda job: jobs.without_hosts(job, keys), counted, say, change
    )
    _tell_done(root.path, done)
    return 0


def _is_confirmed(found: Purge, args: Namespace) -> bool:
    """Whether a purge is to be done, with all that it leaves; InputError where nobody said so."""
    directory = args.directory
    if found.archived and not (args.dry_run or args.keep_archives):
        files = ", ".join(f"{name} ({number:,})" for name, number in found.archived.items())
        raise InputError(
            f"{directory}: nothing was removed, since archives hold records of the host, and are "
            f"not written anew: {files}. Purge everything else with --keep-archives"
        )
    if args.yes:
        return True
    _tell(directory, found, "would be removed", "would be")
    if not args.dry_run:
        raise InputError("nothing was removed: repeat the command with --yes to do it")
    return False


def _tell_done(directory: Path, found: Purge) -> None:
    _tell(directory, found, "removed", "are")
    print(
        "Recrawls of this directory, and what was judged --against it, keep what they have of "
        "these hosts"
    )
    if found.refetched:
        print(f"Fetch them again: {command('resume', directory)}")


def _tell(directory: Path, found: Purge, what: str, they: str) -> None:
    told = ", ".join(
        f"{name} {found.outcomes[state]:,}"
        for state, name in _CALLED.items()
        if state in found.outcomes
    )
    ends = units.counted(sum(found.outcomes.values()), "URL")
    print(f"{safe(str(directory))}: {what}: {ends} ({told})")
    if found.refetched:
        print(
            f"{found.refetched:,} pages of other hosts were dropped as copies of these, and {they} "
            "pending again: their text is that of the page they copied"
        )
    if found.freed:
        print(f"{found.freed:,} stored pages of other hosts were like these, and {they} new")
    for name, number in found.archived.items():
        print(f"{safe(name)} keeps {number:,} records of the host")
