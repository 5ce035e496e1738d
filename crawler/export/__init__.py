"""A crawl's pages as a corpus, in the formats that its users' tools read.

::

    columns     the columns of a row, and a line of the crawl as such a row
    where       which rows are asked for
    clusters    how many pages are copies of one
    source      the rows of a crawl's directory, and what it kept of dropped pages
    formats     how a part is written: JSON lines, CSV, text, Dolma
    parquet     the same by pyarrow, the one place that needs it
    parts       rows into parts of bounded size
    target      the directory that appears whole or not at all
    card        what the directory says of itself
    exporting   all of this, in order

Memory holds a group of rows (`parts`), and some bytes for each duplicate (`clusters`).
"""

from crawler.export.exporting import Asked, Exported, export_crawl

__all__ = ["Asked", "Exported", "export_crawl"]
