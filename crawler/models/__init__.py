"""One record per stage of a page's life, and the few enumerations they carry.

::

    NewUrl -> FetchTask -> FetchOutcome -> Document -> PageOutcome

`fetching` holds those of URLs, `pages` what a page says, its verdict, and what the store is given
of it; all that they define is had from here. `enums` has what a job chooses between. They are data
without behaviour, and frozen but for the outcome, which is filled in on its way. Times named `*_at`
are Unix seconds; durations end in `_s`, sizes in `_bytes`.
"""

from crawler.models.fetching import *  # noqa: F403
from crawler.models.pages import *  # noqa: F403
