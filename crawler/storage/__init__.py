"""Where a crawl is kept: one output directory, one writer thread, and the truth in one SQLite file.

A page's end arrives as one `Batch`. It waits in the inbox (already visible to the judge through the
catalogue), then the writer makes a whole group durable: lines first, then one transaction that
records their length. Whatever a crash interrupts is beyond the recorded lengths and is cut off when
the directory is opened again.

::

    store       Store: what the event loop holds; submit, flush, refill, room
    writer      the thread that commits groups, and the inbox where these wait for it
    rows        rows by the hundred in one SQL statement, and what is packed in them
    journal     the line files: names, what is committed, appended and rotated, the one reader
    archive     the WARC files of a run: exchanges as records, appended before their lines
    database    the SQLite file: connections, and the errors of what cannot be read
    tables      its tables, the keys of `meta`, migrations from older versions
    catalog     the judge's look-ups: committed rows, waiting ones, and pages of earlier crawls
    view        all that is read: of one URL or page, of whole tables, of all as a run begins; and
                whether URL table and line files say the same
    query       SQL on views of a state file, which can only read
    elsewhere   where else a page is: mirrors, and living copies of what is gone
    summary     a crawl in numbers
    directory   file names, the lock; `opening`: how a directory is created or reopened
    snapshots   the memory of a run, for the next one
    reference_index   what is known of the pages of earlier crawls, in one file (`--against`)

Changes while no crawl runs: `requeue` (URLs put in or back), `dropped` and `restoring` (dropped
pages kept as differences, and stored after all), `reindexing`, `purging` (line files written anew),
`backup`; and `integrity`, what `check` asks of a state file.
"""
