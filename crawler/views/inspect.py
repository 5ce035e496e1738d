"""One URL, before it is asked for and after.

Which rule refuses it, what is known of it; and a rehearsal of a crawl.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Self

import orjson

from crawler.config import Job, Plugins, merge, parse_job
from crawler.console import Say, command, safe
from crawler.crawl.rescope import scope_of
from crawler.crawl.run import run
from crawler.engine.identity import identity
from crawler.errors import InputError, StoreMismatch
from crawler.fetch.robots import OLD_FORM, RobotsRules
from crawler.frontier.scope import HostOverrides, ScopeFilter, UrlFilters
from crawler.frontier.traps import TrapRule
from crawler.models import KeptRules, UrlState
from crawler.observe.summary import format_time
from crawler.plugins import made
from crawler.storage.database import reading_stored_values
from crawler.storage.directory import INPUTS, LINE_FILES
from crawler.storage.journal import reading_line
from crawler.storage.rows import HealthRow
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import AlikeUrl, Known, StoreView, known, members, way_to
from crawler.urls import Canonicaliser, host_key, origin
from crawler.views.explain.subjects import ROBOTS_WAIT_S, Line, find_url, is_number, similar_urls

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
        self.canonicalise = Canonicaliser(frozenset(job.urls.tracking_parameters))
        self._obeys = job.politeness.robots
        self._robots = robots
        self._blocks = HostOverrides(job)
        self._scope = ScopeFilter(job.scope, self._blocks)
        self._max_depth = job.limits.depth
        self._plugins = job.plugins
        self._traps = TrapRule(job.traps)
        for url in filter(None, map(self.canonicalise, job.seeds)):
            self._scope.widen(url)

    @classmethod
    def of_crawl(cls, view: StoreView) -> Self:
        """Take those of a crawl that has begun, with all that it knows."""
        with reading_stored_values(view.directory):
            job = parse_job(view.meta(Meta.JOB), str(view.directory))
            made = cls(job, view.rules)
            made._scope = scope_of(view, job)
            made._traps = TrapRule(job.traps, view.meta(Meta.TRAPS, {}))
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
        if held := self._traps.holder(url, host, seed=seed):
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
    alike: Sequence[AlikeUrl] = ()
    if page is not None:
        id_ = int(page.record["id"])
        alike = members(view, [id_], MOST_ALIKE)[id_]
    places = {host_key(url), origin(url)}
    return Inspection(
        url,
        found,
        list(islice(way_to(view, found), 1, None)) if found else (),
        line,
        page,
        alike,
        rules.robots_allow(url),
        rules.refusal(url, seed=found is not None and found.seed),
        [row for row in view.health() if row.place in places and row.tries],
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


def as_data(found: Inspection) -> dict[str, Any]:
    """Return an inspection; every key is there for every URL, null or empty where nothing is."""
    page = found.page
    return {
        "url": found.url,
        "known": None if found.known is None else _known(found.known),
        "way": [_known(step) for step in found.way],
        "file": None if found.line is None else f"{found.line.kind}.jsonl",
        "line": None if found.line is None else dict(found.line.record),
        "page": page and {"id": page.record["id"], "url": page.record["url"]},
        "alike": [{"url": each.url, "verdict": each.detail} for each in found.alike],
        "robots_allow": found.robots,
        "refused_by": found.refusal,
        "trouble": [
            {
                "place": row.place,
                "why": row.why,
                "tries": row.tries,
                "tried_at": format_time(row.tried_at),
            }
            for row in found.trouble
        ],
        "similar": list(found.similar),
    }


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
    UrlState.PENDING: "pending: it waits to be fetched",
    UrlState.STORED: "stored",
    UrlState.DUPLICATE: "a duplicate",
    UrlState.REDIRECT: "a redirect",
    UrlState.FAILED: "failed",
    UrlState.SKIPPED: "left out",
}
_ROBOTS = {True: "allows it", False: "forbids it", None: "not known: its site was not asked"}


def facts(found: Inspection) -> Iterator[tuple[str, str]]:
    """Yield (what, what is known of it), what matters most first; `what` is empty where it goes on.

    No line holds a control character.
    """
    for name, text in _facts(found):
        yield name, safe(text)


def _facts(found: Inspection) -> Iterator[tuple[str, str]]:
    yield "URL", found.url
    if found.known is None:
        yield "state", "never queued: no page linked to it, or what did was refused"
    else:
        detail = f" ({found.known.detail})" if found.known.detail else ""
        yield "state", f"{_STATES[found.known.state]}{detail}"
    yield from _ended(found)
    yield from _found(found)
    yield "robots.txt", _ROBOTS[found.robots]
    if found.refusal is not None:
        yield "refused by", found.refusal
    elif found.known is None:
        yield (
            "refused by",
            "nothing: the job would fetch it, if a page within its depth links to it",
        )
    for row in found.trouble:
        at = format_time(row.tried_at)
        yield "trouble", f"{row.place}: {row.why} (tried {row.tries:,} times, last {at})"
    yield from _alike_lines(found)
    for number, url in enumerate(found.similar):
        yield "" if number else "similar", url


def _ended(found: Inspection) -> Iterator[tuple[str, str]]:
    if found.line is None:
        return
    record = found.line.record
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
    if record.get("verdict"):
        yield "verdict", _verdict(record)
    if record.get("title"):
        yield "title", str(record["title"])
    if found.line.is_stored:
        version = f" version {record['template']}" if record.get("template") else ""
        chars = f"{record['counts']['text_chars']:,} characters"
        judged = f"judged on {record['judged_on']}"
        yield "read by", f"{record['read_by']}{version}, {chars}, {judged}"
    yield "line", f"{found.line.kind}.jsonl" + (f", id {record['id']}" if "id" in record else "")
    if record.get("warc_filename"):
        yield "archive", f"{record['warc_filename']}, offset {record['warc_offset']:,}"


def _verdict(record: Mapping[str, Any]) -> str:
    like = record.get("duplicate_of") or record.get("sibling_of")
    verdict = str(record["verdict"])
    if like is None:
        return verdict
    of = f"{verdict} of {like['url']} (id {like['id']})"
    if like.get("against"):
        of += f" in {like['against']}"
    parts = [of]
    if record.get("similarity") is not None:
        parts.append(f"similarity {record['similarity']:.3f}")
    if record.get("evidence"):
        parts.append(f"evidence: {record['evidence']}")
    return ", ".join(parts)


def _found(found: Inspection) -> Iterator[tuple[str, str]]:
    known = found.known
    if known is None:
        return
    yield "depth", f"{known.depth:,}" + (", a seed" if known.seed else "")
    for number, step in enumerate(found.way[:MOST_SHOWN]):
        seed = " (a seed)" if step.seed else ""
        yield "found on" if not number else "", f"{step.url}{seed}"
    if len(found.way) > MOST_SHOWN:
        yield "", f"... and {len(found.way) - MOST_SHOWN:,} more steps"


def _alike_lines(found: Inspection) -> Iterator[tuple[str, str]]:
    others = [each for each in found.alike if each.url != found.url]
    if found.page is None or not others:
        return
    page = found.page.record
    copies = sum(each.state is UrlState.DUPLICATE for each in others)
    of = "it" if page["url"] == found.url else f"page {page['id']}"
    yield "like " + of, f"{copies:,} copies, {len(others) - copies:,} siblings"
    yield from (("", f"{each.detail}  {each.url}") for each in others[:MOST_SHOWN])
    if len(others) > MOST_SHOWN:
        yield "", f"... and {len(others) - MOST_SHOWN:,} more"


def next_steps(found: Inspection, directory: Path) -> Iterator[str]:
    """Yield command lines that tell more, or change what was found."""
    known = found.known
    if known is None:
        if found.refusal is None:
            yield command("add", directory, found.url)
        return
    if found.line is not None and known.like is not None and found.page is not None:
        yield command("explain", found.url, str(found.page.record["id"]), "--output", directory)
    if known.state is UrlState.FAILED:
        yield command("retry", directory, "--class", known.detail)
