"""One frozen record per stage of a page's life, and the few enumerations they carry.

::

    NewUrl -> FetchTask -> FetchOutcome -> Document -> Verdict -> Batch

`fetching` holds those of URLs, `pages` those of pages. They are data without behaviour; whoever
makes one owns every field. Times named `*_at` are Unix seconds; durations end in `_s`, sizes in
`_bytes`.
"""

from crawler.records.fetching import (
    Failed,
    Failure,
    Fetched,
    FetchOutcome,
    FetchTask,
    NewUrl,
    Priority,
    Redirected,
    RobotsAnswer,
    Skip,
    Skipped,
    UrlState,
)
from crawler.records.pages import (
    EXACT_PAYLOAD,
    EXACT_TEXT,
    NEAR,
    RESTORED_SIBLING,
    SIBLING,
    AddressedPage,
    Batch,
    Document,
    Dropped,
    DuplicateKind,
    Evidence,
    ExactDuplicate,
    IndexRow,
    JudgedOn,
    Likeness,
    NearDuplicate,
    New,
    PayloadKey,
    Shown,
    Sibling,
    Signature,
    StoredDocument,
    StoredRef,
    Unjudged,
    Verdict,
)

__all__ = [
    "EXACT_PAYLOAD",
    "EXACT_TEXT",
    "NEAR",
    "RESTORED_SIBLING",
    "SIBLING",
    "AddressedPage",
    "Batch",
    "Document",
    "Dropped",
    "DuplicateKind",
    "Evidence",
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
    "Shown",
    "Sibling",
    "Signature",
    "Skip",
    "Skipped",
    "StoredDocument",
    "StoredRef",
    "Unjudged",
    "UrlState",
    "Verdict",
]
