"""URLs that failed, put back so that the next `resume` asks for them again."""

from __future__ import annotations

import difflib
import time
from argparse import Namespace
from collections.abc import Iterable, Sequence

from crawler.cli.commands import resume_command
from crawler.console import say
from crawler.errors import ConfigError
from crawler.frontier import PASSING
from crawler.models import Failure, Skip, UrlState
from crawler.observe.summary import format_time
from crawler.storage.requeue import Retryable, Wanted, put_back, retryable
from crawler.storage.summary import write_summary
from crawler.urls import given_host

ALL = "all"
"""Stands for every failure class."""


def retry(args: Namespace) -> int:
    """Put failed URLs back to pending: those that may pass by themselves, or these classes."""
    directory, age_s = args.directory, args.older_than
    before = None if age_s is None else format_time(max(0.0, time.time() - age_s))
    wanted = Wanted(_classes(args.classes), frozenset(map(given_host, args.hosts)), before)
    if args.dry_run:
        _tell(retryable(directory, wanted, say), f"{directory}: would be put back")
        return 0
    found = put_back(directory, wanted, say)
    write_summary(directory)  # also where nothing was found: it may be of before, if one was killed
    _tell(found, f"{directory}: put back")
    if found:
        print(f"Fetch them: {resume_command(directory)}")
    return 0


def _tell(found: Retryable, what: str) -> None:
    named = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    told = ", ".join(f"{detail} {number:,}" for (_, detail), number in named)
    print(f"{what}: {sum(found.values()):,} URLs" + (f" ({told})" if told else ""))


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
