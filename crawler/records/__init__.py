"""One frozen record per stage of a page's life, and the few enumerations they carry.

::

    NewUrl -> FetchTask -> FetchOutcome -> Document -> Verdict -> Batch

Records hold data and no behaviour; whoever makes one owns every field. Times named `*_at` are Unix
seconds; durations end in `_s`, sizes in `_bytes`.
"""

from crawler.records.analysis import (
    Document,
    JudgedOn,
    Signature,
)
from crawler.records.fetching import (
    Failed,
    Failure,
    Fetched,
    FetchOutcome,
    Redirected,
    RobotsAnswer,
    Skip,
    Skipped,
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
from crawler.records.storing import (
    Batch,
    IndexRow,
    NewUrl,
    StoredDocument,
)
from crawler.records.tasks import (
    FetchTask,
    Priority,
    UrlState,
)

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
