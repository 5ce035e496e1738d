"""Records of WARC/1.1 (ISO 28500:2017) made from what was exchanged with servers; pure functions.

::

    http     an exchange as HTTP messages: the request as sent, the response as it is kept
    records  these as records with their fields and digests, each to be one gzip member
    keys     what an index sorts URLs by
    index    a line of a CDXJ index

Where records go, and when, is the store's part (`crawler.storage.archive`).
"""

from crawler.warc.index import index_line, is_revisit
from crawler.warc.records import (
    Record,
    gzipped,
    metadata,
    named_fields,
    payload_of,
    request,
    response,
    revisit,
    warc_date,
    warcinfo,
)

__all__ = [
    "Record",
    "gzipped",
    "index_line",
    "is_revisit",
    "metadata",
    "named_fields",
    "payload_of",
    "request",
    "response",
    "revisit",
    "warc_date",
    "warcinfo",
]
