"""Whole crawls that learn: what their lines say, what a replay gives, what survives a kill."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from support.analysing import no_processes
from support.crawling import crawl, loopback_job
from support.output import lines, summary_of
from support.replaying import request_again
from support.shelf import shelf
from support.site_pages import site
from support.victim import killed

from crawler.cli import main
from crawler.config import parse_job
from crawler.models import PageOutcome
from crawler.storage.store import Group, Inbox, Store, Writer
from crawler.storage.view import StoreView, all_learned, templates
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisSettings

PAGES = 30
ONE_BY_ONE = {"fetch": {"workers": 1}}


def check_replay(output: Path, pages: dict[str, str], job: dict[str, Any]) -> Counter[str]:
    """Assert that each stored page's body gives its text again by the version that its line names.

    Return how many were read by what.
    """
    analyser = Analyser(AnalysisSettings.of(parse_job(job, "test")))
    with StoreView.read(output) as view:
        kept = {(host, version): packed for host, version, packed in templates(view)}
    stored = lines(output, "pages")
    for line in stored:
        body = pages[line["final_url"].removeprefix(job["seeds"][0].rstrip("/"))].encode()
        again = analyser.analyse(request_again(line, body, "text/html", "utf-8", kept))
        assert (again.text, again.read_by) == (line["text"], line["read_by"]), line["url"]
    return Counter(line["read_by"] for line in stored)


def versions(output: Path) -> list[int]:
    """Return the versions of the one host's template."""
    with StoreView.read(output) as view:
        return [version for _, version, _ in templates(view)]


def states(output: Path) -> list[bytes]:
    """Return what the one host's template is learned from, and how many pages it read."""
    with StoreView.read(output) as view:
        return [known.state for known in all_learned(view)]


def test_a_site_is_read_by_what_its_first_pages_taught(tmp_path: Path) -> None:
    """After eight pages its template reads the rest: the text, without menu and sidebar."""
    pages = site(PAGES)
    with shelf(pages) as host, no_processes():
        job = loopback_job(tmp_path, [host + "/"], **ONE_BY_ONE)
        assert crawl(job) == 0
    assert check_replay(tmp_path, pages, job) == {"learned": 8, "template": PAGES - 8}
    served = [line for line in lines(tmp_path, "pages") if line["read_by"] == "template"]
    assert all(line["judged_on"] == "template" for line in served)
    assert all(line["template"] in versions(tmp_path) for line in served)
    assert not any("Menu item" in line["text"] or "sidebar" in line["text"] for line in served)
    assert summary_of(tmp_path)["read_by"] == {"learned": 8, "template": PAGES - 8}
    assert summary_of(tmp_path)["templates"]["made"] == len(versions(tmp_path))


def test_a_site_is_not_learned_where_the_job_says_so(tmp_path: Path) -> None:
    """With `extract.learn: false` every page is read by itself and nothing is kept of its site."""
    with shelf(site(12)) as host, no_processes():
        job = loopback_job(tmp_path, [host + "/"], extract={"learn": False}, **ONE_BY_ONE)
        assert crawl(job) == 0
    assert {line["read_by"] for line in lines(tmp_path, "pages")} == {"learned"}
    with StoreView.read(tmp_path) as view:
        assert [*all_learned(view), *templates(view)] == []


def test_a_resumed_crawl_goes_on_with_what_was_learned(tmp_path: Path) -> None:
    """A crawl in three runs has the texts and versions of one that was never stopped."""
    pages = site(PAGES)
    with shelf(pages) as host, no_processes():
        whole, parts = tmp_path / "whole", tmp_path / "parts"
        assert crawl(loopback_job(whole, [host + "/"], **ONE_BY_ONE)) == 0
        job = loopback_job(parts, [host + "/"], limits={"pages": 5}, **ONE_BY_ONE)
        assert crawl(job) == 0
        for limit in ("12", "99"):
            assert main(["resume", str(parts), "--pages", limit]) == 0
    told = [
        {line["url"]: (line["text"], line.get("template")) for line in lines(output, "pages")}
        for output in (whole, parts)
    ]
    assert told[0] == told[1]
    assert len(told[0]) == PAGES
    assert versions(whole) == versions(parts)
    assert states(whole) == states(parts)


def test_a_killed_crawl_goes_on_with_what_was_learned(tmp_path: Path) -> None:
    """Killed as its template reads pages, it goes on by it: no number is given twice."""
    pages, asked = site(PAGES), list[str]()
    with shelf(pages, asked) as host:
        job = loopback_job(tmp_path, [host + "/"], **ONE_BY_ONE)
        killed(crawl_and_die, job)
        before = versions(tmp_path)
        with no_processes():
            assert main(["resume", str(tmp_path)]) == 0
    assert before == versions(tmp_path)[: len(before)]
    assert len(lines(tmp_path, "pages")) == PAGES
    assert check_replay(tmp_path, pages, job)["template"] > PAGES / 2


def crawl_and_die(job: dict[str, Any]) -> None:
    """Crawl, reading pages in this process; end by SIGKILL once a page read so is committed.

    Each page is committed alone, and the next one is not judged before.
    """
    committed, commit, submit = threading.Semaphore(0), Writer._commit, Store.submit

    def waiting(self: Store, outcome: PageOutcome) -> None:
        submit(self, outcome)
        committed.acquire()

    def committing(self: Writer, group: Group) -> None:
        commit(self, group)
        lines = (line for outcome in group.outcomes for _, line in outcome.lines)
        if any(line.get("read_by") == "template" for line in lines):
            os.kill(os.getpid(), signal.SIGKILL)
        for _ in group.outcomes:
            committed.release()

    def is_full(self: Inbox) -> bool:
        return bool(self._group.outcomes)

    Inbox._is_full = is_full  # type: ignore[method-assign]
    Store.submit = waiting  # type: ignore[method-assign]
    Writer._commit = committing  # type: ignore[method-assign]
    with no_processes():
        crawl(job)
