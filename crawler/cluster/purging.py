"""Everything of some hosts removed from a crawl of several partitions, as from one crawl.

::

    other partitions:  what waits for the hosts, copies of their pages -> pending again
    judge:             their pages, and what it has decided by them
    their partition:   all else (`crawler.storage.purging`)

In this order for the hosts of each partition: until the last step it is known there which pages go,
and the log says who refers to them, so after a kill all of it can be done again. Until then nothing
else is done with the crawl (`Root.held`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from crawler.cluster.resting import RestingJudge, resting
from crawler.cluster.root import Root
from crawler.config import parse_job
from crawler.console import Say, progress
from crawler.models import UrlState
from crawler.storage import purging
from crawler.storage.exchange import Exchange
from crawler.storage.purging import Counted, Partitioned, Purge
from crawler.storage.summary import write_summary
from crawler.storage.view import StoreView, confirm_hosts, purged_hosts

_OF_HOSTS = """
SELECT id FROM urls
WHERE host_id IN (SELECT id FROM hosts WHERE name IN (SELECT value FROM json_each(?)))
"""

ChangeJob = Callable[[dict[str, Any]], dict[str, Any]]


def would_purge(root: Root, hosts: Collection[str]) -> Purge:
    """Return what `purge` would remove; changes nothing. Raises as that does."""
    directories = root.directories
    for home, own in _by_home(root, hosts).items():
        with StoreView.read(directories[home]) as view:
            confirm_hosts(view, own - purged_hosts(view))
    with root.held(), resting(root) as judge:
        found = [
            (directory, purging.would_purge(directory, own, among))
            for home, own in _by_home(root, hosts).items()
            for directory, among in _shared(root, judge, home, own)
        ]
    return _together(found)


def purge(
    root: Root,
    hosts: Collection[str],
    job: ChangeJob,
    counted: Counted,
    say: Say,
    change: Sequence[str],
) -> Purge:
    """Remove everything of some host keys; `change` is the command that does it (`Root.held`).

    See `crawler.storage.purging.purge`. Raises StoreInUse where the crawl runs, StoreMismatch where
    a directory is not to be seen here, StoreError; then the command is to be repeated.
    """
    found: list[tuple[Path, Purge]] = []
    directories = root.directories
    with root.held(change), resting(root) as judge:
        root.begins(change)
        root.changed(parse_job(job(dict(root.plan.job)), str(root.path)))
        for home, own in _by_home(root, hosts).items():
            for directory, among in _shared(root, judge, home, own):
                if directory == directories[home]:
                    with StoreView.read(directory) as view:
                        gone = view.database.rows(_OF_HOSTS, (orjson.dumps([*own]).decode(),))
                    judge.forget(own, [(home, url_id) for (url_id,) in gone])
                say(progress(f"Purging {directory.name} ..."))
                found.append((directory, purging.purge(directory, own, job, counted, say, among)))
        for directory in directories:
            write_summary(directory)
    return _together(found)


def _by_home(root: Root, hosts: Collection[str]) -> dict[int, frozenset[str]]:
    """Return hosts by the partition that asks for their URLs."""
    found: dict[int, set[str]] = defaultdict(set)
    for host in sorted(hosts):
        found[root.partition_of(host)].add(host)
    return {home: frozenset(own) for home, own in found.items()}


def _shared(
    root: Root, judge: RestingJudge, home: int, hosts: Collection[str]
) -> Iterator[tuple[Path, Partitioned]]:
    """Yield each partition, that of the hosts last, and what it is to know of the others."""
    like: dict[int, list[int]] = defaultdict(list)
    for one in judge.like_hosts(hosts):
        if one.partition != home:  # which knows its own
            like[one.partition].append(one.url_id)
    heard: dict[int, Mapping[int, int]] = {}
    for number, directory in enumerate(root.directories):
        with StoreView.read(directory) as view:
            heard[number] = Exchange(view.database).heard()
    for number in sorted(root.partitions, key=lambda number: number == home):
        of_this = {receiver: last.get(number, 0) for receiver, last in heard.items()}
        yield root.partition(number), Partitioned(like[number], of_this)


def _together(found: Collection[tuple[Path, Purge]]) -> Purge:
    outcomes: Counter[UrlState] = Counter()
    archived: Counter[str] = Counter()
    for directory, one in found:
        outcomes.update(one.outcomes)
        archived.update({f"{directory.name}/{file}": n for file, n in one.archived.items()})
    refetched = sum(one.refetched for _, one in found)
    return Purge(outcomes, refetched, sum(one.freed for _, one in found), archived)
