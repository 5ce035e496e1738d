"""What it costs to read on in the pending URLs of one large host.

    python -m benchmarks.refill [--urls 10000 100000 1000000]

All URLs have one priority and depth, as where one page of links leads to a hundred thousand held
ones. They are walked over as a crawl does, some hundred at a time; `compared rows` is the same by
the one comparison `(priority, depth, id) > (?, ?, ?)`, which SQLite seeks by its first two columns
only: it is measured at the start, in the middle and at the end of the host.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from crawler.models import FetchTask, NewUrl, Priority
from crawler.storage import rows
from crawler.storage.database import Database
from crawler.storage.tables import create_tables

HOST = "large.example"
DEPTH = 2
AT_ONCE = 128
"""URLs a refill."""
BEFORE_ALL = (-1, -1, -1)
COMPARED = """
SELECT u.id, u.url, u.depth, u.priority, u.hops, r.url, u.seed
FROM urls AS u LEFT JOIN urls AS r ON r.id = u.referrer_id
WHERE u.state = 0 AND u.host_id = (SELECT id FROM hosts WHERE name = ?)
  AND (u.priority, u.depth, u.id) > (?, ?, ?)
ORDER BY u.priority, u.depth, u.id LIMIT ?
"""


def fill(database: Database, urls: int) -> None:
    """Make the tables, with so many pending URLs of one host and depth."""
    create_tables(database)
    hosts: dict[str, int] = {}
    for start in range(1, urls + 1, 10_000):
        ids = range(start, min(start + 10_000, urls + 1))
        new = [
            NewUrl(n, f"https://{HOST}/{n}", HOST, DEPTH, Priority.ORDINARY, 0, None) for n in ids
        ]
        with database.transaction() as connection:
            rows.insert_urls(connection, hosts, new)


def walk(database: Database) -> Iterator[float]:
    """Yield the seconds of each refill, from the first URL to the last."""
    after, found = BEFORE_ALL, [None] * AT_ONCE
    while len(found) == AT_ONCE:
        begun = time.perf_counter()
        tasks: list[FetchTask] = rows.pending_tasks(database.connection, HOST, after, AT_ONCE)
        yield time.perf_counter() - begun
        if tasks:
            after = (tasks[-1].priority, tasks[-1].depth, tasks[-1].url_id)
        found = [None] * len(tasks)


def compared(database: Database, urls: int) -> Iterator[float]:
    """Yield the seconds of a refill by comparison of rows: first, middle, last."""
    for share in (0.0, 0.5, 1.0):
        key = (int(Priority.ORDINARY), DEPTH, int(share * max(0, urls - AT_ONCE)))
        begun = time.perf_counter()
        database.rows(COMPARED, (HOST, *key, AT_ONCE))
        yield time.perf_counter() - begun


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--urls", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    print(f"{'':10}{'milliseconds a refill':>36}{'compared rows':>30}")
    print(
        f"{'URLs':>10}{'median':>9}{'p99':>9}{'last':>9}{'all, s':>9}"
        f"{'first':>12}{'middle':>9}{'last':>9}"
    )
    for urls in parser.parse_args().urls:
        with (
            tempfile.TemporaryDirectory() as home,
            closing(Database(Path(home) / "state.sqlite", "rwc")) as database,
        ):
            database.begin_writing()
            fill(database, urls)
            took = list(walk(database))
            first, middle, last = compared(database, urls)
        p99 = sorted(took)[int(0.99 * (len(took) - 1))]
        print(
            f"{urls:>10,}{1e3 * statistics.median(took):>9.2f}{1e3 * p99:>9.2f}"
            f"{1e3 * took[-2]:>9.2f}{sum(took):>9.2f}"
            f"{1e3 * first:>12.2f}{1e3 * middle:>9.2f}{1e3 * last:>9.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
