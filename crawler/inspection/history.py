"""All that a crawl knows of one URL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from crawler.errors import InputError, StoreMismatch
from crawler.explain.finding import Line, find_url, is_number, similar_urls
from crawler.inspection.rules import JobRules
from crawler.storage import (
    INPUTS,
    AlikeUrl,
    HealthRow,
    Known,
    Meta,
    StoreView,
    known,
    members,
    way_to,
)
from crawler.urls import host_key, origin

MOST_ALIKE = 1_000
"""Copies and siblings of one page that are told of."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is known of a URL; most is empty for one that was never queued."""

    url: str
    """Canonical."""
    known: Known | None
    way: Sequence[Known]
    """What led to it, nearest first, a seed last."""
    line: Line | None
    """What was written when it ended."""
    page: Line | None
    """The stored page that it is, or is like; None where there is none, or in another directory."""
    alike: Sequence[AlikeUrl]
    """Copies and siblings of that page."""
    robots: bool | None
    """What robots.txt says of it, None where that is not known."""
    refusal: str | None
    """The rule by which it would not be fetched by the job as it is now."""
    trouble: Sequence[HealthRow]
    """What keeps its host or site from being asked."""
    similar: Sequence[str]
    """Of one never queued: URLs that it may be mistaken for."""


def inspect(view: StoreView, name: str) -> Inspection:
    """Return what the crawl of a directory knows of a URL, or of the stored page of an id.

    Raises InputError for what is neither, StoreMismatch where the directory holds no crawl.
    """
    if INPUTS in view.meta(Meta.IDENTITY, {}):
        raise StoreMismatch(
            f"{view.directory} holds the results of `dedup`, which has no URLs to inspect: "
            "`explain` tells of its documents"
        )
    if view.meta(Meta.JOB) is None:
        raise StoreMismatch(f"{view.directory} holds no crawl that has begun: check the path")
    rules = JobRules.of_crawl(view)
    url = _url(view, name, rules)
    found = known(view, url)
    line = find_url(view, url) if found else None
    page = _page(view, found, line)
    return Inspection(
        url,
        found,
        list(islice(way_to(view, found), 1, None)) if found else (),
        line,
        page,
        _alike(view, page),
        rules.robots_allow(url),
        rules.refusal(url, seed=found is not None and found.seed),
        _trouble(view, url),
        () if found else similar_urls(view, url),
    )


def _url(view: StoreView, name: str, rules: JobRules) -> str:
    if is_number(name):
        url = view.url_of(int(name))
        if url is None:
            raise InputError(f"{name}: no stored page of {view.directory} has this id")
        return url
    url = rules.canonicalise(name)
    if url is None:
        raise InputError(f"{name!r} is neither an http(s) URL nor the id of a stored page")
    return url


def _page(view: StoreView, found: Known | None, line: Line | None) -> Line | None:
    if found is None or line is None:
        return None
    if found.like is None:
        return line if line.is_stored else None
    url = view.url_of(found.like)
    return find_url(view, url) if url else None


def _alike(view: StoreView, page: Line | None) -> Sequence[AlikeUrl]:
    if page is None:
        return ()
    id_ = int(page.record["id"])
    return members(view, [id_], MOST_ALIKE)[id_]


def _trouble(view: StoreView, url: str) -> list[HealthRow]:
    places = {host_key(url), origin(url)}
    return [row for row in view.health() if row.place in places and row.tries]
