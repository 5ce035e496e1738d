"""How a URL ends: the one `Batch` the store commits, and the lines in it that people read.

`batches` makes a batch for each kind of end, `lines` the records of the line files, and
`schema_files` the JSON Schemas of their fields. A line is put together from what only a fetch
knows and from what reading and judging found; a corpus that was never fetched (`crawler.batch`)
takes the second part and adds its own.
"""

from crawler.ends.batches import (
    NOTHING_OFFERED,
    Offered,
    costs,
    duplicate_end,
    fail_end,
    judged_end,
    redirect_end,
    skip_end,
    stored_document,
    stored_end,
)
from crawler.ends.lines import Judged, Original
from crawler.ends.schema_files import CORPUS_SCHEMAS, SCHEMAS, corpus_schema, schema

__all__ = [
    "CORPUS_SCHEMAS",
    "NOTHING_OFFERED",
    "SCHEMAS",
    "Judged",
    "Offered",
    "Original",
    "corpus_schema",
    "costs",
    "duplicate_end",
    "fail_end",
    "judged_end",
    "redirect_end",
    "schema",
    "skip_end",
    "stored_document",
    "stored_end",
]
