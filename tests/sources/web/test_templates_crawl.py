"""Whole crawls that learn: what their lines say, what a replay gives, what survives a kill."""

from __future__ import annotations

import html
import json
import os
import shlex
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.analysing import no_processes
from support.crawling import AS_USERS_READ, crawl, loopback_job
from support.output import lines, summary_of
from support.replaying import request_again
from support.shelf import shelf
from support.site_pages import MOVED_AT, lower, moved_site, site
from support.victim import killed

from crawler.cli import main
from crawler.config import parse_job
from crawler.models import PageOutcome
from crawler.storage.store import Group, Inbox, Store, Writer
from crawler.storage.view import StoreView, all_learned, templates
from crawler.workers.analyser import Analyser
from crawler.workers.messages import AnalysisSettings

PAGES = 30
ONE_BY_ONE = {**AS_USERS_READ, "fetch": {"workers": 1}}


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
        data = loopback_job(tmp_path, [host + "/"], **ONE_BY_ONE)
        data["extract"]["learn"] = False
        assert crawl(data) == 0
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


@pytest.mark.parametrize("archived", [True, False])
def test_pages_that_a_wrong_template_read_are_told_and_read_again(
    archived: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Text has moved into a box that the template drops: audits revoke it, after dozens of pages.

    Report and `templates` count these pages and give the command that reads them again: from the
    crawl's own archives, or from the web. It goes on with what was learned, so it reads them right.
    """
    output = tmp_path / "crawl out"
    pages = moved_site(120)
    with shelf(pages) as host, no_processes():
        warc = {"storage": {"warc": archived}}
        assert crawl(loopback_job(output, [host + "/"], **ONE_BY_ONE, **warc)) == 0
        told = summary_of(output)["templates"]
        assert told["revoked"] == 1
        served = (line for line in lines(output, "pages") if line["read_by"] == "template")
        cut = {line["url"] for line in served if not is_whole(line)}
        assert {row["misread"] for row in told["revoked_of"]} == {told["misread"]}
        assert 20 < len(cut) <= told["misread"]
        for command in ("report", "templates"):
            capsys.readouterr()
            assert main([command, str(output)]) == 0
            printed = capsys.readouterr().out
            assert f"{told['misread']} pages were read by a template that was found" in printed
            assert told["read_again"] in printed
            assert main([command, str(output), "--json"]) == 0
            assert json.dumps(told["read_again"])[1:-1] in capsys.readouterr().out
        assert main(["report", str(output), "--html", str(tmp_path / "page.html")]) == 0
        page = html.unescape((tmp_path / "page.html").read_text())
        assert told["read_again"] in page
        name, *words = shlex.split(told["read_again"].partition(" -m crawler ")[2])
        assert name == ("reread" if archived else "recrawl")
        assert main([name, *words]) == 0
    again = tmp_path / ("crawl out.reread" if archived else "crawl out.r1")
    read = {line["url"]: line for line in lines(again, "pages")}
    assert cut <= read.keys()
    assert all(is_whole(read[url]) for url in cut)
    assert summary_of(again)["templates"]["misread"] == 0
    if not archived:
        kinds = Counter(line["revisit"]["kind"] for line in read.values())
        assert kinds == {"misread": told["misread"]}
    assert main(["check", str(again)]) == 0


def is_whole(line: dict[str, Any]) -> bool:
    """Whether a page of `moved_site` has kept what it says in its lower box."""
    number = int(line["url"].rpartition("/")[2] or 0)
    return number < MOVED_AT or all(part in line["text"] for part in lower(number))
