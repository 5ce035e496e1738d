"""Pages fetched again by a small crawl of their own, for texts that the first one did not keep.

Everything that makes a crawl polite holds: robots.txt, pauses, limits, the guard of addresses. Its
output directory is a temporary one; the crawl that is explained is only read.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

from crawler.config import Job, merge, parse_job
from crawler.crawl.identity import identity
from crawler.crawl.run import run
from crawler.printing import Say
from crawler.storage import Store, StoreView

ROBOTS_WAIT_S = 30.0
"""How long a failing robots.txt is tried again at most: a user waits for the answer."""


@contextmanager
def fetched_again(job: Mapping[str, Any], urls: Sequence[str], say: Say) -> Iterator[StoreView]:
    """Fetch URLs by the settings of a crawl's job; yield the small crawl of just these.

    Every URL has a line in it, its page or why there is none. Raises KeyboardInterrupt where a
    signal stops it.
    """
    with tempfile.TemporaryDirectory(prefix="explain-") as home:
        small = _small_job(job, urls, Path(home) / "crawl")
        for url in urls:
            say(f"Fetching {url} again ...")
        if run(small, Store.create(small.output, identity(small)), say):
            raise KeyboardInterrupt
        with StoreView.read(small.output) as view:
            yield view


def _small_job(job: Mapping[str, Any], urls: Sequence[str], output: Path) -> Job:
    data = deepcopy(dict(job))
    changes = {
        "seeds": list(urls),
        "output": str(output),
        "limits": {"depth": 0, "pages": None},
        "scope": {"include": [], "exclude": []},
        "politeness": {"robots_wait_s": min(data["politeness"]["robots_wait_s"], ROBOTS_WAIT_S)},
        "dedup": {"near": "keep"},
        "analysis": {"processes": 1},
    }
    merge(data, changes)
    return parse_job(data, "the crawl's job")
