"""Where a crawl is kept: one output directory, one writer thread, and the truth in one SQLite file.

A page's end arrives as one `Batch`. It waits in the inbox (already visible to the judge through the
catalogue), then the writer makes a whole group durable: lines first, then one transaction that
records their length. Whatever a crash interrupts is beyond the recorded lengths and is cut off when
the directory is opened again.

::

    store       Store: what the event loop holds; submit, flush, refill, room
    writer      the thread that commits groups, and the inbox where these wait for it
    rows        a group as few large SQL statements, and what is packed in them
    journal     the line files: names, what is committed, appended and rotated, the one reader
    archive     the WARC files of a run: exchanges as records, appended before their lines
    database    the SQLite file: connections, and the errors of what cannot be read
    tables      its tables, the keys of `meta`, migrations from older versions
    catalog     the judge's look-ups: committed rows and waiting ones
    view        all that is read: of one URL or page, of whole tables, of all as a run begins; and
                whether URL table and line files say the same
    query       SQL on views of a state file, which can only read
    summary     a crawl in numbers
    directory   file names, the lock; `opening`: how a directory is created or reopened
    snapshots   the memory of a run, for the next one
    reference   pages of earlier crawls (`--against`); `reference_index`: the same in one file

Changes while no crawl runs: `requeue` (URLs put in or back), `dropped` and `restoring` (dropped
pages kept as differences, and stored after all), `reindexing`, `purging` (line files written anew),
`backup`; and `integrity`, what `check` asks of a state file.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from crawler.storage.archive import archive_number, archived_payload, index_name
from crawler.storage.backup import back_up
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import (
    ARCHIVES,
    INPUTS,
    LINE_FILES,
    STATE,
    SUMMARY,
    archive_path,
    kept_still,
    line_path,
)
from crawler.storage.integrity import (
    StoredPage,
    appearances,
    dropped_pages,
    has_lost_its_state,
    inconsistencies,
    is_damage,
    snapshot,
    stored_pages,
    url_ends,
)
from crawler.storage.journal import (
    BEGINNING,
    Extent,
    Line,
    Place,
    by_kind,
    on_disk,
    read_after,
    read_lines,
    reading_line,
)
from crawler.storage.journal import total as total_extent
from crawler.storage.purging import Purge, finish_purge, purge, would_purge
from crawler.storage.reindexing import PageText, Reindexing, Resigned, reindexing
from crawler.storage.requeue import (
    Added,
    LeftOut,
    Retryable,
    Wanted,
    add_seeds,
    put_back,
    retryable,
)
from crawler.storage.restoring import (
    DuplicateLine,
    Ended,
    Restoring,
    duplicate_lines,
    ended,
    ended_as_dropped,
    found_on,
    refuse_corpus,
    restoring,
)
from crawler.storage.rows import HealthRow, PauseRow
from crawler.storage.tables import Meta
from crawler.storage.view import (
    FILE_OF_STATE,
    IN_BOTH,
    AlikeUrl,
    Known,
    StoreView,
    alike_urls,
    all_learned,
    begun,
    confirm_accounts,
    dropped_urls,
    every_url,
    host_count,
    known,
    largest_clusters,
    largest_hosts,
    members,
    page_ids,
    purged_hosts,
    revocations,
    sibling_pairs,
    stored_addresses,
    template,
    templates,
    way_to,
)

__all__ = [
    "ARCHIVES",
    "BEGINNING",
    "FILE_OF_STATE",
    "INPUTS",
    "IN_BOTH",
    "LINE_FILES",
    "STATE",
    "SUMMARY",
    "Added",
    "AlikeUrl",
    "Archiving",
    "DuplicateLine",
    "Ended",
    "Extent",
    "HealthRow",
    "Known",
    "LeftOut",
    "Line",
    "Meta",
    "PageText",
    "PauseRow",
    "Place",
    "Purge",
    "Reindexing",
    "Resigned",
    "Restoring",
    "Retryable",
    "SqliteCatalog",
    "Store",
    "StoreView",
    "StoredPage",
    "Wanted",
    "add_seeds",
    "alike_urls",
    "all_learned",
    "appearances",
    "archive_number",
    "archive_path",
    "archived_payload",
    "back_up",
    "begun",
    "by_kind",
    "confirm_accounts",
    "dropped_pages",
    "dropped_urls",
    "duplicate_lines",
    "ended",
    "ended_as_dropped",
    "every_url",
    "finish_purge",
    "found_on",
    "has_lost_its_state",
    "host_count",
    "inconsistencies",
    "index_name",
    "is_damage",
    "kept_still",
    "known",
    "largest_clusters",
    "largest_hosts",
    "line_path",
    "members",
    "on_disk",
    "page_ids",
    "purge",
    "purged_hosts",
    "put_back",
    "read_after",
    "read_lines",
    "reading_line",
    "reading_stored_values",
    "refuse_corpus",
    "reindexing",
    "restoring",
    "retryable",
    "revocations",
    "sibling_pairs",
    "snapshot",
    "stored_addresses",
    "stored_pages",
    "template",
    "templates",
    "total_extent",
    "url_ends",
    "way_to",
    "would_purge",
]

if TYPE_CHECKING:
    from crawler.storage.archive import Archiving
    from crawler.storage.catalog import SqliteCatalog
    from crawler.storage.store import Store
else:  # a type checker would believe any name of a module that has this
    _RUNNING = {"Archiving": "archive", "SqliteCatalog": "catalog", "Store": "store"}

    def __getattr__(name: str) -> Any:
        """Load what a running crawl has of a store when it is asked for (PEP 562).

        `report` and `backup` only read, and wait for no numpy and no asyncio.
        """
        if name not in _RUNNING:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_RUNNING[name]}"), name)
