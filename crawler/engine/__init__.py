"""How a URL ends: the one `Batch` that the store commits, and the lines in it that people read.

`batches` has each kind of end, `lines` the records of the line files, `judged` what they say of
verdicts, `schema_files` the JSON Schemas of their fields. A line is put together from what only a
fetch knows and from what reading and judging found; a corpus that was never fetched
(`crawler.batch`) takes the second part and adds its own.
"""

from __future__ import annotations

from crawler.engine.lines import fields_of_copy
from crawler.engine.outcomes import (
    NOFOLLOW,
    NOTHING_OFFERED,
    Offered,
    costs,
    fail_end,
    judged_end,
    page_end,
    redirect_end,
    restored_end,
    shown,
    skip_end,
    stored_document,
)
from crawler.engine.schema import CORPUS_SCHEMAS, SCHEMAS, corpus_schema, schema

__all__ = [
    "CORPUS_SCHEMAS",
    "NOFOLLOW",
    "NOTHING_OFFERED",
    "SCHEMAS",
    "Offered",
    "corpus_schema",
    "costs",
    "fail_end",
    "fields_of_copy",
    "judged_end",
    "page_end",
    "redirect_end",
    "restored_end",
    "schema",
    "shown",
    "skip_end",
    "stored_document",
]
