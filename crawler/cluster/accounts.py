"""What the directories of a crawl in partitions say of each other, held against each other.

While nothing runs: pages that the judge has kept are those that partitions have stored, or are
about to; shards have what the log says; and what one has sent another has taken, or it waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from heapq import merge
from itertools import groupby, islice
from operator import itemgetter

from crawler.cluster.root import Root
from crawler.storage.database import Database
from crawler.storage.directory import STATE, kept_still
from crawler.storage.exchange import Exchange

_KEPT = "SELECT seq, number FROM verdicts WHERE partition = ? AND kept ORDER BY seq"
_STORED = "SELECT id, url_id FROM documents ORDER BY id"
_OF_SHARD = "SELECT seq FROM verdicts WHERE kept AND seq % ? = ? ORDER BY seq"
MOST_NAMED = 5


def disagreements(root: Root) -> Iterator[str]:
    """Yield what does not agree. Memory does not grow with pages.

    Raises StoreMismatch where a directory is not to be seen here, StoreInUse while the crawl runs.
    """
    if root.undone:
        yield f"a command was interrupted, repeat it first: {root.undone}"
    with kept_still(root.path):
        directories = root.directories
        if not (root.sequencer / STATE).exists():
            return
        with closing(Database(root.sequencer / STATE, "ro")) as log:
            for number, directory in enumerate(directories):
                with closing(Database(directory / STATE, "ro")) as state:
                    asked = {url_id for url_id, _ in Exchange(state).asks()}
                    kept = (row for row in log.stream(_KEPT, (number,)) if row[1] not in asked)
                    what = f"page and URL of {directory.name} that"
                    yield from _compared(what, kept, state.stream(_STORED))
            last = int(log.cell("SELECT ifnull(max(seq), 0) FROM verdicts"))
            shards = root.plan.judge_shards
            for number in range(shards):
                own = log.stream(_OF_SHARD, (shards, number))
                what = f"page of shard {number} that"
                if not (root.shard(number) / STATE).exists():  # none of its pages was ever judged
                    yield from _compared(what, own, ())
                    continue
                with closing(Database(root.shard(number) / STATE, "ro")) as state:
                    query = "SELECT id FROM documents WHERE id <= ? ORDER BY id"
                    yield from _compared(what, own, state.stream(query, (last,)))
        yield from _links(root)


def _compared(
    what: str, kept: Iterable[tuple[int, ...]], stored: Iterable[tuple[int, ...]]
) -> Iterator[str]:
    """Compare what the log says with what is there, both in ascending order."""
    sides = merge(((row, True) for row in kept), ((row, False) for row in stored))
    found = ((row, [side for _, side in of]) for row, of in groupby(sides, key=itemgetter(0)))
    for row, of in islice(((row, of) for row, of in found if len(of) == 1), MOST_NAMED):
        if of[0]:
            yield f"{what} the judge has kept, is not stored: {row}"
        else:
            yield f"{what} is stored, the judge has not kept: {row}"


def _links(root: Root) -> Iterator[str]:
    with ExitStack() as stack:
        exchanges = [
            Exchange(stack.enter_context(closing(Database(directory / STATE, "ro"))))
            for directory in root.directories
        ]
        for sender, exchange in enumerate(exchanges):
            sent = exchange.sent_urls()
            for receiver, other in enumerate(exchanges):
                waiting = exchange.waiting(receiver, other.heard().get(sender, 0))
                left, taken = sent.get(receiver, 0) - waiting, other.taken_urls().get(sender, 0)
                if left != taken:
                    yield (
                        f"partition {sender} has sent {left:,} URLs to partition {receiver}, which "
                        f"has taken {taken:,}"
                    )
