"""The directory of a crawl looked at for damage."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from crawler.cluster.root import Root
from crawler.console import safe, say
from crawler.errors import StoreInUse
from crawler.storage.directory import crawls_in, is_root
from crawler.views.check import check_directory, ways_out

DAMAGED = 1
"""Exit code where damage was found."""


def check(args: Namespace) -> int:
    """Say what is wrong with a crawl's directory, and what can be done; of each partition."""
    every_page: bool = args.all
    codes = [_check(directory, every_page=every_page) for directory in crawls_in(args.directory)]
    if is_root(args.directory):
        codes.append(_compare(Root.open(args.directory)))
    return max(codes, default=0)


def _compare(root: Root) -> int:
    """Hold partitions and judge against each other."""
    from crawler.cluster.accounts import disagreements

    name = safe(str(root.path))
    try:
        found = list(disagreements(root))
    except StoreInUse:
        say("While the crawl runs its partitions and its judge are not held against each other")
        return 0
    for problem in found:
        print(f"{name}: {problem}")
    if not found:
        print(f"{name}: partitions and judge agree")
        return 0
    print(f"What to do ({name}): `resume` it; where that does not help, restore it from a backup")
    return DAMAGED


def _check(directory: Path, *, every_page: bool) -> int:
    findings = check_directory(directory, say, every_page=every_page)
    for note in findings.notes:
        say(note)
    for problem in findings.problems:
        place = f" {problem.place}" if problem.place else ""
        print(safe(f"{directory / problem.file}{place}: {problem.what}"))
    shown = len(findings.problems)
    if more := findings.counts.total() - shown:
        print(f"... and {more:,} more")
    if not shown:
        print(f"{safe(str(directory))} is sound: {findings.looked_at}")
        return 0
    found = shown + more
    print(f"{safe(str(directory))} is damaged: {found:,} problem{'s' * (found != 1)} found")
    for way_out, files in ways_out(findings).items():
        print(safe(f"What to do ({', '.join(files)}): {way_out}"))
    return DAMAGED
