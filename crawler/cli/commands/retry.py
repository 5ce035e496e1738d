"""URLs that failed, put back so that the next `resume` asks for them again."""

from __future__ import annotations

import difflib
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from crawler.console import command, say
from crawler.errors import ConfigError
from crawler.frontier import PASSING
from crawler.models import Failure, Skip, UrlState
from crawler.observe.summary import format_time
from crawler.storage.directory import is_root
from crawler.storage.requeue import Retryable, Wanted, put_back, retryable
from crawler.storage.summary import write_summary
from crawler.storage.view import begun
from crawler.units import counted
from crawler.urls import given_host

if TYPE_CHECKING:
    from crawler.cluster.root import Root

ALL = "all"
"""Stands for every failure class."""


def retry(args: Namespace) -> int:
    """Put failed URLs back to pending: those that may pass by themselves, or these classes."""
    directory, age_s = args.directory, args.older_than
    before = None if age_s is None else format_time(max(0.0, time.time() - age_s))
    wanted = Wanted(_classes(args.classes), frozenset(map(given_host, args.hosts)), before)
    with ExitStack() as stack:
        if is_root(directory):
            from crawler.cluster.root import Root  # which knows all of a job

            root = Root.open(directory)
            stack.enter_context(root.held())
            parts = dict(zip(root.directories, _divided(root, wanted), strict=True))
        else:
            parts = {directory: wanted}
        for part, of_part in parts.items():  # before any changes: a host may be misspelt
            if of_part is not None and of_part.hosts:
                retryable(part, of_part, say)
        found: Counter[tuple[UrlState, str]] = Counter()
        for part, of_part in parts.items():
            if of_part is None:
                continue
            if args.dry_run:
                found.update(retryable(part, of_part, say))
                continue
            found.update(put_back(part, of_part, say))
            write_summary(part)  # also where nothing was: it may be of before, if one was killed
    if args.dry_run:
        _tell(found, f"{directory}: would be put back")
        return 0
    _tell(found, f"{directory}: put back")
    if not found and not args.classes:
        say("Without --class only failures that may pass by themselves are put back: --class all")
    if found:
        print(f"Fetch them: {command('resume', directory)}")
    return 0


def _divided(root: Root, wanted: Wanted) -> list[Wanted | None]:
    """Return what each partition is to put back; None where it has none of the hosts, or no URL."""
    hosts = {number: set[str]() for number in root.partitions}
    for host in wanted.hosts:
        hosts[root.partition_of(host)].add(host)
    return [
        replace(wanted, hosts=frozenset(own))
        if (own or not wanted.hosts) and begun(root.partition(number))
        else None
        for number, own in hosts.items()
    ]


def _tell(found: Retryable, what: str) -> None:
    named = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    told = ", ".join(f"{detail} {number:,}" for (_, detail), number in named)
    print(f"{what}: {counted(sum(found.values()), 'URL')}" + (f" ({told})" if told else ""))


def _classes(names: Sequence[str]) -> frozenset[tuple[UrlState, str]]:
    if not names:
        return _failed(PASSING)
    chosen: set[tuple[UrlState, str]] = set()
    for name in names:
        if name == ALL:
            chosen |= _failed(Failure)
        elif name in frozenset(Failure):
            chosen.add((UrlState.FAILED, name))
        elif name in frozenset(Skip):
            chosen.add((UrlState.SKIPPED, name))
        else:
            known = [ALL, *(failure.value for failure in Failure), *(skip.value for skip in Skip)]
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]}?" if close else f"give one of: {', '.join(known)}"
            raise ConfigError(f"--class {name}: {hint}")
    return frozenset(chosen)


def _failed(failures: Iterable[Failure]) -> frozenset[tuple[UrlState, str]]:
    return frozenset((UrlState.FAILED, failure.value) for failure in failures)
