"""How a URL ends: the one `Batch` the store commits, and the lines in it that people read.

`batches` makes a batch for each kind of end, `lines` the records of the line files, and
`schema_files` reads the JSON Schemas that fix their fields.
"""

from crawler.ends.batches import (
    NOTHING_OFFERED,
    Offered,
    costs,
    duplicate_end,
    fail_end,
    redirect_end,
    skip_end,
    stored_end,
)
from crawler.ends.schema_files import SCHEMAS, schema

__all__ = [
    "NOTHING_OFFERED",
    "SCHEMAS",
    "Offered",
    "costs",
    "duplicate_end",
    "fail_end",
    "redirect_end",
    "schema",
    "skip_end",
    "stored_end",
]
