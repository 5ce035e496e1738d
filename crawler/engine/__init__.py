"""The engine: what becomes of a page that was fetched. Every source feeds it; it does no I/O.

::

    ports      what it asks of frontier, readers, judge and store, as protocols
    templates  how a page is read by what its site taught, and what it teaches
    engine     admit: what a response says; conclude: what becomes of a page that was read
    outcomes   each way a URL can end as the one `Batch` that the store commits
    lines      the records of the line files; `schema` has their JSON Schemas
    identity   the settings that decide what equals what: a resume must match

A line is put together from what only a fetch knows and from what reading and judging found; a
corpus that was never fetched takes the second part and adds its own.
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
