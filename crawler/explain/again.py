"""Pages fetched again whose text a crawl did not keep, by the settings of that crawl."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

from crawler.config import Job, merge, parse_job
from crawler.crawl.identity import identity
from crawler.crawl.run import run
from crawler.errors import InputError
from crawler.explain.finding import find_url
from crawler.explain.stored import look_up
from crawler.explain.subjects import Subject
from crawler.printing import Say, progress
from crawler.records import JudgedOn
from crawler.storage import Meta, Store, StoreView

ROBOTS_WAIT_S = 30.0
"""How long a failing robots.txt is tried again at most: a user waits for the answer."""


def completed(
    subjects: tuple[Subject, Subject], view: StoreView, say: Say
) -> tuple[Subject, Subject]:
    """Return subjects with texts fetched again where a crawl kept none.

    `say` is told of progress. Raises InputError for a page that is not there any more.
    """
    urls = [subject.name for subject in subjects if subject.can_be_fetched]
    if not urls:
        say("Nothing is fetched: the texts of both are kept")
        return subjects
    with _fetched_again(view.meta(Meta.JOB), list(dict.fromkeys(urls)), say) as again:
        first, second = (
            _fetched(subject, again) if subject.can_be_fetched else subject for subject in subjects
        )
    return first, second


@contextmanager
def _fetched_again(job: Mapping[str, Any], urls: Sequence[str], say: Say) -> Iterator[StoreView]:
    """Fetch URLs by the settings of a crawl's job; yield the small crawl of just these.

    Everything that makes a crawl polite holds: robots.txt, pauses, limits, the guard of addresses.
    Its output directory is a temporary one; the crawl that is explained is only read. Every URL has
    a line in it, its page or why there is none. Raises KeyboardInterrupt where a signal stops it.
    """
    with tempfile.TemporaryDirectory(prefix="explain-") as home:
        small = _small_job(job, urls, Path(home) / "crawl")
        for url in urls:
            say(progress(f"Fetching {url} again ..."))
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
        "politeness": {
            "robots_wait_s": min(data["politeness"]["robots_wait_s"], ROBOTS_WAIT_S),
            "dead_after_s": 0.0,
        },
        "dedup": {"near": "keep", "siblings": "tag", "against": []},
        "analysis": {"processes": 1},
        "plugins": {"sinks": []},
    }
    merge(data, changes)
    return parse_job(data, "the crawl's job")


def _fetched(subject: Subject, again: StoreView) -> Subject:
    assert subject.line is not None
    if find_url(again, subject.name) is None:
        raise InputError(f"{subject.name} cannot be fetched again: its host stopped answering")
    try:
        now = look_up(subject.name, again)
    except InputError as why:
        raise InputError(
            f"fetched again just now: {why}. Without --fetch, `explain` shows what the crawl "
            "recorded"
        ) from None
    assert now.line is not None
    same = now.visible_digest == subject.visible_digest
    told = "it shows what was judged" if same else "it has changed since it was judged"
    if subject.line.record.get("judged_on") == JudgedOn.TEMPLATE:
        told += ", read without what was learned of its site"
    return replace(now, choice=f"fetched again, {told}; {now.choice}", line=subject.line)
