"""One page as a crawl reads it: fetched, from a file or from standard input, and printed."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from crawler.cli.commands import jobs
from crawler.cli.commands.terminal import NO_PAGES
from crawler.config import Job, check_seeds
from crawler.console import Level, Message, fault_of, safe, say
from crawler.errors import InputError
from crawler.sources.documents import read_page
from crawler.storage.journal import reading_line
from crawler.storage.view import StoreView
from crawler.views.explain.subjects import small_crawl
from crawler.views.render import print_json
from inline_crawler.page import Page, reading_settings
from inline_crawler.page import extract as read

MOST_REDIRECTS = 10
"""From the URL that was given to its page."""


def extract(args: Namespace) -> int:
    """Print what a page says."""
    job = jobs.of_command_line(args)
    word = args.page
    if "://" in word and not Path(word).exists():
        if args.url is not None:
            args.error("--url says where a file is from: leave it out, or give a file")
        page = _fetched(word, job)
        if page is None:
            return NO_PAGES
    else:
        page = _of_file(word, args.url, job)
    _print(page, args.format)
    return 0


def _of_file(name: str, url: str | None, job: Job) -> Page:
    path = None if name == "-" else Path(name)
    if path is not None and (fault := fault_of(name) or (not path.exists() and "no such file")):
        raise InputError(f"{name!r}: {fault}; the address of a page begins with https://")
    body, media_type = read_page(path, "standard input" if path is None else name)
    at = url or (path.absolute().as_uri() if path else "file:///")
    engine, keep_links = job.extract.engine, job.extract.links
    return read(body, at, engine=engine, keep_links=keep_links, media_type=media_type)


def _fetched(url: str, job: Job) -> Page | None:
    """Fetch a page; say why where there is none."""
    check_seeds((url,), "command line")
    jobs.warn_of_no_contact(job)
    jobs.check_access(job)
    changes = {
        "seeds": [url],
        "limits": {"depth": 0, "pages": 1 + MOST_REDIRECTS},
        "scope": {"mode": "any", "include": [], "exclude": []},
        "extract": reading_settings(job.extract.engine, job.extract.links),
        "dedup": {"near": "keep", "siblings": "ignore", "against": []},
        "storage": {"warc": False},
    }
    with small_crawl(
        job.model_dump(mode="json", exclude_unset=True), changes, "extract", say
    ) as view:
        if line := _last(view, "pages"):
            return Page.of_line(line)
        for kind, told in (("failures", "failure"), ("skipped", "reason"), ("redirects", "target")):
            if line := _last(view, kind):
                text = f"{line['url']} has no page: {line[told]} ({line['detail']})"
                say(Message(f"crawler: {text}", Level.ERROR))
                return None
    say(Message(f"crawler: {url} has no page: its host did not answer", Level.ERROR))
    return None


def _last(view: StoreView, kind: str) -> Mapping[str, Any] | None:
    record: Mapping[str, Any] | None = None
    for line in view.lines(kind):
        with reading_line(line.place):
            record = orjson.loads(line.data)
    return record


def _print(page: Page, form: str) -> None:
    if form == "json":
        print_json(asdict(page))
        return
    text = page.markdown if form == "markdown" else page.text
    # What is piped stays as it is: joiners and marks of direction belong to a text.
    print("\n".join(map(safe, text.split("\n"))) if sys.stdout.isatty() else text)
