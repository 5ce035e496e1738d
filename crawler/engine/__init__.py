"""The engine: what becomes of a page that was fetched. Every source feeds it; it does no I/O.

::

    ports      what it asks of frontier, readers, judge and store, as protocols
    engine     admit: what a response says; how a page is read by what its site taught; conclude:
               what becomes of a page that was read, and what it teaches
    outcomes   each way a URL can end, as the one record that the store commits, and its lines
    schema     the JSON Schemas of these lines
    identity   the settings that decide what equals what: a resume must match

A line is put together from what only a fetch knows and from what reading and judging found; a
corpus that was never fetched takes the second part and adds its own.
"""

from __future__ import annotations

from crawler.engine.schema import CORPUS_SCHEMAS, SCHEMAS, corpus_schema, schema

__all__ = ["CORPUS_SCHEMAS", "SCHEMAS", "corpus_schema", "schema"]
