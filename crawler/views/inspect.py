"""One URL, before it is asked for and after.

Which rule refuses it, what is known of it; and a rehearsal of a crawl.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Self

import orjson

from crawler.config import Job, Plugins, parse_job
from crawler.console import Say, command, host_url
from crawler.errors import InputError, StoreMismatch
from crawler.fetch.robots import OLD_FORM, RobotsRules
from crawler.frontier.learning import UrlLearning
from crawler.frontier.scope import HostOverrides, Quotas, ScopeFilter, UrlFilters, had
from crawler.models import KeptRules, UrlState
from crawler.observe.summary import format_time
from crawler.plugins import made
from crawler.sources.web.rescope import scope_of
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import LINE_FILES
from crawler.storage.elsewhere import living_copies, mirrors
from crawler.storage.journal import reading_line
from crawler.storage.tables import Meta
from crawler.storage.view import AlikeUrl, Known, StoreView, known, members, refuse_corpus, way_to
from crawler.urls import Canonicaliser, host_key, origin
from crawler.views.explain.subjects import (
    Line,
    find_url,
    is_number,
    similar_urls,
    small_crawl,
)

ROBOTS = "robots.txt"
"""The rule of which each site has its own."""

Keeper = Callable[[str], KeptRules | None]
"""Returns what an origin's robots.txt said when it was last read, None where it never was."""


class JobRules:
    """What a crawl of a job would do with URLs; each answer is that of this moment.

    Depth, what was seen and the allowance for long URLs are not asked: they depend on the page that
    leads to a URL.
    """

    def __init__(self, job: Job, robots: Keeper = lambda origin: None) -> None:
        """Take the rules of a job whose crawl has not begun, with the robots.txt that are known."""
        self.canonicalise = Canonicaliser(
            frozenset(job.urls.tracking_parameters), routes=job.renders
        )
        self._obeys = job.politeness.robots
        self._robots = robots
        self._blocks = HostOverrides(job)
        self._quotas = Quotas(self._blocks, {})
        self._scope = ScopeFilter(job.scope, self._blocks)
        self._max_depth = job.limits.depth
        self._plugins = job.plugins
        self._learning = UrlLearning(traps=job.traps)
        for url in filter(None, map(self.canonicalise, job.seeds)):
            self._scope.widen(url)

    @classmethod
    def of_crawl(cls, view: StoreView) -> Self:
        """Take those of a crawl that has begun, with all that it knows."""
        with reading_stored_values(view.directory):
            job = parse_job(view.meta(Meta.JOB), str(view.directory))
            made = cls(job, view.rules)
            made._quotas = Quotas(made._blocks, had(view.totals))
            made._scope = scope_of(view, job)
            made._learning = UrlLearning(traps=job.traps, cuts=view.meta(Meta.TRAPS, {}))
        return made

    def follows_only(self, url: str) -> bool:
        """Whether a page is wanted for its links alone."""
        return self._scope.follows_only(url)

    def scope_refusal(self, url: str) -> str | None:
        """Return the rule that refuses a canonical URL as a further seed, whose host is then in."""
        self._scope.widen(url)
        return self._scope.refusal(url, host_key(url), seed=True)

    def refusal(self, url: str, *, seed: bool = False) -> str | None:
        """Return the rule by which a canonical URL would not be fetched, None where it would be."""
        host = host_key(url)
        if refused := self._scope.refusal(url, host, seed=seed):
            return refused
        if held := self._learning.holder(url, host, seed=seed):
            return f"traps: cut as endless: {held.name}"
        return f"{ROBOTS} forbids it" if self.robots_allow(url) is False else None

    def link_refusal(self, url: str, depth: int, page: str) -> str | None:
        """Return the rule that refuses a link of a page, which leads to this depth."""
        if self._max_depth is not None and depth > self._max_depth:
            return f"limits.depth: {self._max_depth}"
        refused = self._filters.refused(url, depth, page)
        return None if refused is None else f"plugins.filters: {refused}"

    @cached_property
    def _filters(self) -> UrlFilters:
        """Made when they are asked: who only looks at a crawl need not have them installed."""
        return UrlFilters(made(Plugins(filters=self._plugins.filters)).filters)

    def is_spent(self, host: str) -> bool:
        """Whether a host has had all the pages or bytes that the job gives it."""
        return self._quotas.is_spent(host, 0)

    def delay_s(self, host: str) -> float:
        """Return the pause between two requests that the job wants for a host key."""
        return self._blocks.manners(host).delay_s

    def robots_allow(self, url: str) -> bool | None:
        """Whether robots.txt allows a URL; None where its site's is not known to this agent."""
        if not self._obeys:
            return True
        kept = self._robots(origin(url))
        if kept is None or kept.agent != self._blocks.agent(host_key(url)):
            return None
        rules = zlib.decompress(kept.packed)
        return None if rules.startswith(OLD_FORM) else RobotsRules(rules.decode()).allowed(url)


MOST_ALIKE = 1_000
"""Copies and siblings of one page that are told of."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is known of a URL."""

    data: Mapping[str, Any]
    """JSON-ready; every key is there for every URL, null or empty where nothing is."""
    copies: int
    """Of the other pages that are alike: how many were dropped."""


def inspect(view: StoreView, name: str) -> Inspection:
    """Return what the crawl of a directory knows of a URL, or of the stored page of an id.

    Raises InputError for what is neither, StoreMismatch where the directory holds no crawl.
    """
    refuse_corpus(view, "which has no URLs to inspect: `explain` tells of its documents")
    if view.meta(Meta.JOB) is None:
        raise StoreMismatch(f"{view.directory} holds no crawl that has begun: check the path")
    rules = JobRules.of_crawl(view)
    url = view.url_of(int(name)) if is_number(name) else rules.canonicalise(name)
    if url is None and is_number(name):
        raise InputError(f"{name}: no stored page of {view.directory} has this id")
    if url is None:
        hint = f"; did you mean {it} ?" if (it := host_url(name)) else ""
        raise InputError(f"{name!r} is neither an http(s) URL nor the id of a stored page{hint}")
    found = known(view, url)
    line = page = find_url(view, url) if found else None
    if found is not None and line is not None and found.like is not None:
        like = view.url_of(found.like)
        page = find_url(view, like) if like else None
    elif line is not None and not line.is_stored:
        page = None
    alike: Sequence[AlikeUrl] = ()
    if page is not None:
        id_ = int(page.record["id"])
        alike = members(view, [id_], MOST_ALIKE)[id_]
    places = {host_key(url), origin(url)}
    way = islice(way_to(view, found), 1, None) if found else ()  # nearest first, a seed last
    data = {
        "url": url,
        "known": None if found is None else _known(found),
        "way": [_known(step) for step in way],
        "host_is_spent": found is not None and rules.is_spent(host_key(url)),
        "predicted": None if found is None else _predicted(view, found),
        "living_copy": _living_copy(view, found, line),
        "file": None if line is None else f"{line.kind}.jsonl",
        "line": None if line is None else dict(line.record),
        "page": page and {"id": page.record["id"], "url": page.record["url"]},
        "alike": [{"url": each.url, "verdict": each.detail} for each in alike],
        "robots_allow": rules.robots_allow(url),
        "refused_by": rules.refusal(url, seed=found is not None and found.seed),
        "trouble": [
            {
                "place": row.place,
                "why": row.why,
                "tries": row.tries,
                "tried_at": format_time(row.tried_at),
            }
            for row in view.health()
            if row.place in places and row.tries
        ],
        "similar": [] if found else similar_urls(view, url),
    }
    dropped = (each for each in alike if each.state is UrlState.DUPLICATE and each.url != url)
    return Inspection(data, sum(1 for _ in dropped))


def _predicted(view: StoreView, found: Known) -> dict[str, Any] | None:
    told = view.prediction(found.id)
    return None if told is None else {"rule": told[0], "like": told[1]}


def _living_copy(view: StoreView, found: Known | None, line: Line | None) -> str | None:
    if found is None or found.state not in (UrlState.FAILED, UrlState.REDIRECT):
        return None
    told = None if line is None else line.record.get("living_copy")
    return told or dict(living_copies(view, mirrors(view))).get(found.url)


def _known(step: Known) -> dict[str, Any]:
    return {
        "url": step.url,
        "state": step.state.name.lower(),
        "detail": step.detail or None,
        "depth": step.depth,
        "hops": step.hops,
        "seed": step.seed,
    }


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
    """Crawl at most so many pages of a job; yield the small crawl, see `small_crawl`."""
    limits = [limit for limit in (job.limits.pages, pages) if limit is not None]
    changes = {
        "limits": {"pages": min(limits)},
        "extract": {"outlinks": True},
        "storage": {"warc": False},
    }
    data = job.model_dump(mode="json", exclude_unset=True)
    with small_crawl(data, changes, "dry-run", say) as view:
        yield view


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
                ended = _ENDS[kind].format_map(record)
                yield Prospect(url, FETCHED, ended, record.get("referrer"))
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


MOST_SHOWN = 10
"""Copies and siblings that are named, and steps of the way."""

_STATES = {
    "pending": "pending: it waits to be fetched",
    "stored": "stored",
    "duplicate": "a duplicate",
    "redirect": "a redirect",
    "failed": "failed",
    "skipped": "left out",
}
_ROBOTS = {True: "allows it", False: "forbids it", None: "not known: its site was not asked"}


def facts(found: Inspection) -> Iterator[tuple[str, str]]:
    """Yield (what, what is known of it), what matters most first; `what` is empty where it goes on.

    Nothing is harmless yet: what shows it makes it so.
    """
    data = found.data
    yield "URL", data["url"]
    known = data["known"]
    if known is None:
        yield "state", "never queued: no page linked to it, or what did was refused"
    else:
        detail = f" ({known['detail']})" if known["detail"] else ""
        if known["state"] == "pending" and data["host_is_spent"]:
            detail += "; its host has had the pages or bytes that the job gives it (`hosts`)"
        yield "state", f"{_STATES[known['state']]}{detail}"
    if told := data["predicted"]:
        like = f", as {told['like']}" if told["like"] else ""
        yield "foreseen", f"to bring little or nothing{like}: {told['rule']}"
    if data["line"] is not None:
        yield from _ended(data["file"], data["line"])
    if data["living_copy"] is not None:
        yield "living copy", data["living_copy"]
    if known is not None:
        yield "depth", f"{known['depth']:,}" + (", a seed" if known["seed"] else "")
        way = data["way"]
        for number, step in enumerate(way[:MOST_SHOWN]):
            seed = " (a seed)" if step["seed"] else ""
            yield "found on" if not number else "", f"{step['url']}{seed}"
        if len(way) > MOST_SHOWN:
            yield "", f"... and {len(way) - MOST_SHOWN:,} more steps"
    yield "robots.txt", _ROBOTS[data["robots_allow"]]
    if data["refused_by"] is not None:
        yield "refused by", data["refused_by"]
    elif known is None:
        yield (
            "refused by",
            "nothing: the job would fetch it, if a page within its depth links to it",
        )
    for row in data["trouble"]:
        tried = f"tried {row['tries']:,} times, last {row['tried_at']}"
        yield "trouble", f"{row['place']}: {row['why']} ({tried})"
    others = [each for each in data["alike"] if each["url"] != data["url"]]
    if others:
        page = data["page"]
        of = "it" if page["url"] == data["url"] else f"page {page['id']}"
        siblings = len(others) - found.copies
        yield "like " + of, f"{found.copies:,} copies, {siblings:,} siblings"
        yield from (("", f"{each['verdict']}  {each['url']}") for each in others[:MOST_SHOWN])
        if len(others) > MOST_SHOWN:
            yield "", f"... and {len(others) - MOST_SHOWN:,} more"
    for number, url in enumerate(data["similar"]):
        yield "" if number else "similar", url


def _ended(file: str, record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    ended = [str(record["fetched_at"])]
    if record.get("status"):
        ended.append(f"status {record['status']}")
    if record.get("content_type"):
        ended.append(str(record["content_type"]))
    if record.get("attempts"):
        ended.append(f"attempts {record['attempts']}")
    yield "ended", ", ".join(ended)
    if why := record.get("detail"):
        yield "why", str(why)
    if target := record.get("target"):
        yield "leads to", f"{target} ({record['offered']})"
    if verdict := record.get("verdict"):
        told = [str(verdict)]
        if like := record.get("duplicate_of") or record.get("sibling_of"):
            told[0] += f" of {like['url']} (id {like['id']})"
            if like.get("against"):
                told[0] += f" in {like['against']}"
            if record.get("similarity") is not None:
                told.append(f"similarity {record['similarity']:.3f}")
            if record.get("evidence"):
                told.append(f"evidence: {record['evidence']}")
        yield "verdict", ", ".join(told)
    if record.get("title"):
        yield "title", str(record["title"])
    if file == "pages.jsonl":
        version = f" version {record['template']}" if record.get("template") else ""
        chars = f"{record['counts']['text_chars']:,} characters"
        judged = f"judged on {record['judged_on']}"
        yield "read by", f"{record['read_by']}{version}, {chars}, {judged}"
    yield "line", file + (f", id {record['id']}" if "id" in record else "")
    if record.get("warc_filename"):
        yield "archive", f"{record['warc_filename']}, offset {record['warc_offset']:,}"


def next_steps(found: Inspection, directory: Path) -> Iterator[str]:
    """Yield command lines that tell more, or change what was found."""
    data, known = found.data, found.data["known"]
    if known is None:
        if data["refused_by"] is None:
            yield command("add", directory, data["url"])
        return
    if data["page"] is not None and data["page"]["url"] != data["url"]:
        yield command("explain", directory, data["url"], str(data["page"]["id"]))
    if known["state"] == "failed":
        yield command("retry", directory, "--class", known["detail"])
