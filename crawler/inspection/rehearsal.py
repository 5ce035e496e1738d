"""A few pages crawled into a directory that is thrown away, and what would become of the rest."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from crawler.config import Job, merge, parse_job
from crawler.crawl.identity import identity
from crawler.crawl.run import run
from crawler.explain.again import ROBOTS_WAIT_S
from crawler.inspection.rules import JobRules
from crawler.printing import Say
from crawler.storage import LINE_FILES, Store, StoreView, reading_line
from crawler.urls import host_key, origin

FETCHED = "fetched now"
WOULD_FETCH = "would be fetched"
FOLLOW_ONLY = "would be fetched for its links alone: scope.follow_only"
WANTED = (WOULD_FETCH, FOLLOW_ONLY)
"""Fates of what a crawl would ask for."""
TOO_LONG = "too long for what its page may bring: frontier.long_url_bytes"
_ENDS = {
    "pages": "stored",
    "duplicates": "{verdict}",
    "failures": "failed: {failure}",
    "skipped": "left out: {reason}",
    "redirects": "redirect to {target}",
}


@dataclass(frozen=True, slots=True)
class Prospect:
    """What would become of a URL."""

    url: str
    fate: str
    """FETCHED, one of WANTED, or the rule that refuses it."""
    told: str = ""
    """How it ended, of one that was fetched."""
    found_on: str | None = None
    """The page that led to it."""


@dataclass(frozen=True, slots=True)
class Host:
    """What a crawl would ask of a host, as far as that is known."""

    name: str
    urls: int
    """That would be fetched."""
    delay_s: float
    """From one request to the next, robots.txt included."""


def by_rules(job: Job, urls: Iterator[str]) -> Iterator[Prospect]:
    """Yield what a job's rules say of URLs, canonical or not; nothing is asked for."""
    rules = JobRules(job)
    for given in urls:
        url = rules.canonicalise(given)
        if url is None:
            yield Prospect(given, "not an http(s) URL")
        else:
            yield Prospect(url, _fate(rules, url))


@contextmanager
def rehearsed(job: Job, pages: int, say: Say) -> Iterator[StoreView]:
    """Crawl at most so many pages of a job into a temporary directory; yield what is in it.

    Everything that makes a crawl polite holds. Raises KeyboardInterrupt where a signal stops it.
    """
    with tempfile.TemporaryDirectory(prefix="dry-run-") as home:
        small = _small_job(job, pages, Path(home) / "crawl")
        if run(small, Store.create(small.output, identity(small)), say):
            raise KeyboardInterrupt
        with StoreView.read(small.output) as view:
            yield view


def _small_job(job: Job, pages: int, output: Path) -> Job:
    data = job.model_dump(mode="json", exclude_unset=True)
    limits = [limit for limit in (job.limits.pages, pages) if limit is not None]
    changes: dict[str, Any] = {
        "output": str(output),
        "limits": {"pages": min(limits)},
        "extract": {"outlinks": True},
        "politeness": {
            "robots_wait_s": min(job.politeness.robots_wait_s, ROBOTS_WAIT_S),
            "dead_after_s": 0.0,
        },
        "storage": {"warc": False},
        "analysis": {"processes": 1},
        "plugins": {"sinks": []},
    }
    merge(data, changes)
    return parse_job(data, "dry-run")


def prospects(view: StoreView) -> Iterator[Prospect]:
    """Yield what became, or would become, of each URL that a small crawl met, once."""
    rules = JobRules.of_crawl(view)
    met: set[str] = set()
    links: dict[str, tuple[int, str]] = {}
    for kind in LINE_FILES:
        for line in view.lines(kind):
            with reading_line(line.place):
                record = orjson.loads(line.data)
            url = record["url"]
            if url not in met:
                met.add(url)
                yield Prospect(url, FETCHED, _ENDS[kind].format_map(record), _led(record))
            for link in record.get("outlinks") or ():
                way = (record["depth"] + 1, url)
                links[link] = min(links.get(link, way), way)
    for _, url, referrer, seed in view.pending_urls():
        if url not in met:
            met.add(url)
            yield Prospect(url, _fate(rules, url, seed=seed), found_on=referrer)
    for url, (depth, page) in links.items():
        if url not in met:
            refused = rules.refusal(url) or rules.link_refusal(url, depth, page)
            yield Prospect(url, refused or TOO_LONG, found_on=page)


def _fate(rules: JobRules, url: str, *, seed: bool = False) -> str:
    wanted = FOLLOW_ONLY if rules.follows_only(url) else WOULD_FETCH
    return rules.refusal(url, seed=seed) or wanted


def _led(record: Mapping[str, Any]) -> str | None:
    referrer = record.get("referrer")
    return None if referrer is None else str(referrer)


def hosts(view: StoreView, job: Job, found: Iterator[str]) -> list[Host]:
    """Return the hosts of URLs that would be fetched, most URLs first, and their pauses."""
    urls: dict[str, int] = {}
    delays: dict[str, float] = {}
    rules = JobRules.of_crawl(view)
    for url in found:
        host = host_key(url)
        urls[host] = urls.get(host, 0) + 1
        if host not in delays:
            kept = view.rules(origin(url))
            asked_s = (kept.crawl_delay_s if kept is not None else None) or 0.0
            asked_s = min(asked_s, job.politeness.max_crawl_delay_s)
            delays[host] = max(asked_s, rules.delay_s(host))
    return [
        Host(name, number, delays[name])
        for name, number in sorted(urls.items(), key=lambda item: (-item[1], item[0]))
    ]
