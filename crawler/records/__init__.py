"""One frozen record per stage of a page's life, and the few enumerations they carry.

::

    NewUrl -> FetchTask -> FetchOutcome -> Document -> Verdict -> Batch

`fetching`, `analysis`, `judging` and `storing` hold them in this order. They are data without
behaviour; whoever makes one owns every field. Times named `*_at` are Unix seconds; durations end in
`_s`, sizes in `_bytes`.
"""

from crawler.records.analysis import Document, JudgedOn, Signature
from crawler.records.fetching import (
    Failed,
    Failure,
    Fetched,
    FetchOutcome,
    FetchTask,
    Priority,
    Redirected,
    RobotsAnswer,
    Skip,
    Skipped,
    UrlState,
)
from crawler.records.judging import (
    EXACT_PAYLOAD,
    EXACT_TEXT,
    NEAR,
    DuplicateKind,
    ExactDuplicate,
    Likeness,
    NearDuplicate,
    New,
    PayloadKey,
    StoredRef,
    Unjudged,
    Verdict,
)
from crawler.records.storing import Batch, IndexRow, NewUrl, StoredDocument

__all__ = [
    "EXACT_PAYLOAD",
    "EXACT_TEXT",
    "NEAR",
    "Batch",
    "Document",
    "DuplicateKind",
    "ExactDuplicate",
    "Failed",
    "Failure",
    "FetchOutcome",
    "FetchTask",
    "Fetched",
    "IndexRow",
    "JudgedOn",
    "Likeness",
    "NearDuplicate",
    "New",
    "NewUrl",
    "PayloadKey",
    "Priority",
    "Redirected",
    "RobotsAnswer",
    "Signature",
    "Skip",
    "Skipped",
    "StoredDocument",
    "StoredRef",
    "Unjudged",
    "UrlState",
    "Verdict",
]
