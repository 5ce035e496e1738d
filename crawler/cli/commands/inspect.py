"""All that a crawl knows of one URL: where it came from, what became of it and why."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from crawler.cluster.root import Root
from crawler.console import command, host_url, safe
from crawler.errors import InputError, StoreMismatch
from crawler.models import UrlState
from crawler.observe.summary import format_time
from crawler.storage.directory import is_root
from crawler.storage.elsewhere import living_copies, mirrors
from crawler.storage.tables import Meta
from crawler.storage.view import AlikeUrl, Known, StoreView, known, members, refuse_corpus, way_to
from crawler.urls import Canonicaliser, host_key, origin
from crawler.views.explain.subjects import find_url, is_number, similar_urls
from crawler.views.job_rules import JobRules
from crawler.views.render import print_json

MOST_ALIKE = 1_000
"""Copies and siblings of one page that are told of."""
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


def inspect(args: Namespace) -> int:
    """Show where a URL came from, what became of it and why, and what its page is like."""
    directory = args.directory
    if is_root(directory):
        root = Root.open(directory)
        url = Canonicaliser()(args.url) or args.url
        directory = root.partition(root.partition_of(host_key(url)))
    with StoreView.read(directory) as view:
        found, copies = _found(view, args.url)
    if args.json:
        print_json(found)
        return 0
    told = list(_facts(found, copies))
    width = max(len(name) for name, _ in told)
    for name, text in told:
        print(f"{name:<{width}}  {safe(text)}")
    for line in _next_steps(found, directory):
        print(f"\n{line}")
    return 0


def _found(view: StoreView, name: str) -> tuple[dict[str, Any], int]:
    """Return what a crawl knows of a URL, or of the stored page of an id; and its dropped copies.

    JSON-ready; every key is there for every URL, null or empty where nothing is. Raises InputError
    for what is neither, StoreMismatch where the directory holds no crawl.
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
    predicted = view.prediction(found.id) if found else None
    copy = None
    if found is not None and found.state in (UrlState.FAILED, UrlState.REDIRECT):
        told = None if line is None else line.record.get("living_copy")
        copy = told or dict(living_copies(view, mirrors(view))).get(found.url)
    data = {
        "url": url,
        "known": None if found is None else _known(found),
        "way": [_known(step) for step in way],
        "host_is_spent": found is not None and rules.quotas.is_spent(host_key(url), 0),
        "predicted": predicted and {"rule": predicted[0], "like": predicted[1]},
        "living_copy": copy,
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
    return data, sum(1 for _ in dropped)


def _known(step: Known) -> dict[str, Any]:
    return {
        "url": step.url,
        "state": step.state.name.lower(),
        "detail": step.detail or None,
        "depth": step.depth,
        "hops": step.hops,
        "seed": step.seed,
    }


def _facts(data: Mapping[str, Any], copies: int) -> Iterator[tuple[str, str]]:
    """Yield (what, what is known of it), what matters most first; `what` is empty where it goes on.

    Nothing is harmless yet.
    """
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
        siblings = len(others) - copies
        yield "like " + of, f"{copies:,} copies, {siblings:,} siblings"
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


def _next_steps(data: Mapping[str, Any], directory: Path) -> Iterator[str]:
    """Yield command lines that tell more, or change what was found."""
    known = data["known"]
    if known is None:
        if data["refused_by"] is None:
            yield command("add", directory, data["url"])
        return
    if data["page"] is not None and data["page"]["url"] != data["url"]:
        yield command("explain", directory, data["url"], str(data["page"]["id"]))
    if known["state"] == "failed":
        yield command("retry", directory, "--class", known["detail"])
