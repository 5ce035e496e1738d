"""What was dropped, audited by eye: a random sample of pairs, marked by a person, and an estimate.

::

    crawl's directory -> sample -> page or terminal (shown) -> marks.jsonl -> estimate (marks)
"""

from __future__ import annotations
