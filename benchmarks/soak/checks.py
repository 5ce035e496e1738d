"""What must be true of an output directory, whatever its crawl went through."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from crawler.config import parse_job
from crawler.storage.directory import LINE_FILES
from crawler.storage.journal import by_kind, on_disk, read_lines
from crawler.storage.summary import read_summary
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView
from crawler.urls import Canonicaliser

FILES = {"state.sqlite", "lock", "summary.json", *(f"{name}.jsonl" for name in LINE_FILES)}


def lines(output: Path, name: str) -> Iterator[dict[str, Any]]:
    """Yield the records of a line file; fails on a torn line."""
    for line in read_lines(output, by_kind(on_disk(output))[name]):
        assert line.data.endswith(b"\n"), f"{line.place}: torn"
        yield orjson.loads(line.data)


def judged(output: Path) -> set[tuple[str, str]]:
    """Return (URL, payload digest) of every page that was judged."""
    return {
        (line["url"], line["payload_digest"])
        for name in ("pages", "duplicates")
        for line in lines(output, name)
    }


def problems(output: Path) -> list[str]:
    """Return a sentence for each thing that is wrong with the directory of a clean end."""
    found = {path.name for path in output.iterdir()} - FILES
    # A large crawl leaves one snapshot of its memory; those of earlier runs are removed.
    snapshots = [path.name for path in output.glob("memory.*.snapshot")]
    wrong = [f"unexpected file {name}" for name in found.difference(snapshots[:1])]
    seen: set[str] = set()
    stored: dict[int, str] = {}
    for name in LINE_FILES:
        for line in lines(output, name):
            if line["url"] in seen:
                wrong.append(f"{line['url']} has two lines")
            seen.add(line["url"])
            if name == "pages":
                stored[line["id"]] = line["url"]
            elif name == "duplicates" and stored.get(line["duplicate_of"]["id"]) is None:
                wrong.append(f"{line['url']} names a page that is not stored")
    with StoreView.read(output) as view:
        wrong += read_summary(view)["problems"]
        integrity = view.database.rows("PRAGMA integrity_check")
        wrong += [f"state.sqlite: {row[0]}" for row in integrity if row[0] != "ok"]
    return wrong


def unaccounted(output: Path, log: Path) -> list[str]:
    """Hold the server's log against the directory: what was asked is known, and the reverse.

    Returns a sentence for each page that was asked for and is not in the state, or that was judged
    and never asked for.
    """
    with StoreView.read(output) as view:
        job = parse_job(view.meta(Meta.JOB), "soak")
        known = set(view.seen_urls())
    canonical = Canonicaliser(frozenset(job.urls.tracking_parameters))
    port = job.seeds[0].rpartition(":")[2].rstrip("/")
    asked = set()
    with log.open("rb") as file:
        for line in file:
            request = json.loads(line)
            if request["path"] != "/robots.txt":
                host = request["host"].partition(":")[0]
                asked.add(canonical(f"http://{host}:{port}{request['path']}"))
    lost = [f"{url} was asked for and is not in the state" for url in asked - known]
    found = {url for url, _ in judged(output)}
    return lost + [f"{url} was judged and never asked for" for url in found - asked]
