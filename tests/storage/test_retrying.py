"""URLs put back to pending: which, whole or not at all, and the counts stay true."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.output import lines
from support.paths import TESTS
from support.store_material import (
    IDENTITY,
    NEVER,
    check_consistent,
    new_url,
    page,
    url_of,
)

from crawler.errors import StoreError, StoreInUse, StoreMismatch
from crawler.models import PageOutcome, UrlState
from crawler.storage.directory import INPUTS, line_path
from crawler.storage.requeue import Wanted, put_back, retryable
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView

FAILED, SKIPPED = UrlState.FAILED, UrlState.SKIPPED
EARLY, LATE = "2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"
ENDS = {2: "dns", 3: "http-4xx", 4: "dns", 5: "timeout-body"}
"""URL -> how it failed. URL 1 is stored, URL 6 was left out, URL 7 is pending."""


def failure(url_id: int, kind: str, at: str = EARLY) -> PageOutcome:
    """The end of a URL that failed."""
    line = {"url": url_of(url_id), "fetched_at": at, "failure": kind}
    return PageOutcome(url_id, FAILED, (("failures", line),), kind)


def skip(url_id: int, reason: str, at: str = EARLY) -> PageOutcome:
    """The end of a URL that was left out."""
    line = {"url": url_of(url_id), "fetched_at": at, "reason": reason}
    return PageOutcome(url_id, SKIPPED, (("skipped", line),), reason)


async def crawl_with_failures(directory: Path, **identity: str) -> None:
    """Leave a crawl in which URLs ended in each way that matters here."""
    async with Store.create(directory, IDENTITY | identity) as store:
        store.submit_urls([new_url(n, seed=n == 1) for n in range(1, 8)])
        store.submit(page(1, 1))
        for url_id, kind in ENDS.items():
            store.submit(failure(url_id, kind, LATE if url_id == 4 else EARLY))
        store.submit(skip(6, "robots-unreachable"))


def wanted(*classes: tuple[UrlState, str], **more: object) -> Wanted:
    """Return what is wanted, of these classes."""
    return Wanted(frozenset(classes), **more)  # type: ignore[arg-type]


def pending(directory: Path) -> set[int]:
    """Return the ids of pending URLs, after a look at all counts."""
    with StoreView.read(directory) as view:
        check_consistent(view)
        return {row[0] for row in view.database.rows("SELECT id FROM urls WHERE state = 0")}


DNS, SHUT = (FAILED, "dns"), (SKIPPED, "robots-unreachable")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (wanted(DNS), {2, 4}),
        (wanted(DNS, (FAILED, "timeout-body")), {2, 4, 5}),
        (wanted(SHUT), {6}),
        (wanted(DNS, SHUT), {2, 4, 6}),
        (wanted((FAILED, "tls")), set()),
        (wanted(DNS, hosts=frozenset({"host2.example"})), {2}),
        (wanted(DNS, SHUT, hosts=frozenset({"host0.example", "host1.example"})), {4, 6}),
        (wanted(DNS, before=LATE), {2}),
        (wanted(DNS, SHUT, before="2026-01-03T00:00:00.000Z"), {2, 4, 6}),
        (wanted(DNS, SHUT, before=EARLY), set()),
    ],
)
async def test_what_is_wanted_becomes_pending(
    tmp_path: Path, asked: Wanted, found: set[int]
) -> None:
    """Class, host and age choose; a look beforehand counts the same and changes nothing."""
    await crawl_with_failures(tmp_path)
    before = (tmp_path / "state.sqlite").read_bytes()
    foretold = retryable(tmp_path, asked)
    assert (tmp_path / "state.sqlite").read_bytes() == before
    assert put_back(tmp_path, asked) == foretold
    assert sum(foretold.values()) == len(found)
    assert pending(tmp_path) == {7, *found}


async def test_lines_stay_and_the_counts_hold_at_the_next_end(tmp_path: Path) -> None:
    """A URL that fails, is put back, fails again, is put back and is stored has three lines."""
    await crawl_with_failures(tmp_path)
    only = wanted(DNS, hosts=frozenset({"host2.example"}))
    before = line_path(tmp_path, "failures").read_bytes()
    assert put_back(tmp_path, only) == {DNS: 1}
    assert line_path(tmp_path, "failures").read_bytes() == before
    async with Store.open(tmp_path, IDENTITY) as store:
        [task] = await store.refill("host2.example", None, 10)
        assert (task.url_id, task.seed) == (2, False)
        store.submit(failure(2, "dns", LATE))
    assert put_back(tmp_path, wanted(DNS, before=LATE)) == {}
    assert put_back(tmp_path, only) == {DNS: 1}
    async with Store.open(tmp_path, IDENTITY) as store:
        store.submit(page(2, 2))
    assert pending(tmp_path) == {7}
    with StoreView.read(tmp_path) as view:
        accounting = view.accounting()
        assert accounting.retried == {"failures": 2}
        order = view.database.rows("SELECT id FROM urls WHERE ended IS NOT NULL ORDER BY ended")
    assert accounting.count(FAILED) == len(ENDS) - 1
    assert [line["url"] for line in lines(tmp_path, "failures")].count(url_of(2)) == 2
    assert order[-1] == (2,)


async def test_a_count_that_is_not_true_is_found_out(tmp_path: Path) -> None:
    """Retried lines are counted exactly: one too many or too few contradicts the identity."""
    await crawl_with_failures(tmp_path)
    put_back(tmp_path, wanted(DNS))
    for count in (1, 3):
        async with Store.open(tmp_path, IDENTITY) as store:
            store.set_meta(Meta.RETRIED, {"failures": count})
        with StoreView.read(tmp_path) as view:
            [problem] = view.accounting().problems
        assert f"has 4 lines, but the state counts 2 URLs and {count} that were retried" in problem


async def test_a_directory_in_use_is_left_alone(tmp_path: Path) -> None:
    """While somebody writes nothing is put back; a look still answers."""
    await crawl_with_failures(tmp_path)
    async with Store.open(tmp_path, IDENTITY):
        with pytest.raises(StoreInUse):
            put_back(tmp_path, wanted(DNS))
        assert retryable(tmp_path, wanted(DNS)) == {DNS: 2}
    assert pending(tmp_path) == {7}


async def test_uncommitted_lines_tell_no_times(tmp_path: Path) -> None:
    """While a crawl writes, only what is committed of its line files is read."""
    await crawl_with_failures(tmp_path)
    async with Store.open(tmp_path, IDENTITY, NEVER):
        with line_path(tmp_path, "failures").open("ab") as file:
            file.write(b'{"url": "half a li')
        assert retryable(tmp_path, wanted(DNS, before=LATE)) == {DNS: 1}


async def test_what_cannot_be_put_back_is_told(tmp_path: Path) -> None:
    """An unknown host, a corpus and a damaged line are one clear error each."""
    await crawl_with_failures(tmp_path / "crawl")
    await crawl_with_failures(tmp_path / "corpus", **{INPUTS: "a corpus"})
    for ask in (put_back, retryable):
        with pytest.raises(StoreMismatch, match=r"host c\.test was ever queued: check"):
            ask(tmp_path / "crawl", wanted(DNS, hosts=frozenset({"c.test"})))
        with pytest.raises(StoreMismatch, match="run `dedup` with another --output"):
            ask(tmp_path / "corpus", wanted(DNS))
    path = line_path(tmp_path / "crawl", "failures")
    path.write_bytes(path.read_bytes().replace(b'"fetched_at"', b'"fetched at"', 1))
    with pytest.raises(StoreError, match=r"failures.jsonl line 1 cannot be read back"):
        put_back(tmp_path / "crawl", wanted(DNS, before=LATE))
    assert pending(tmp_path / "crawl") == {7}


KILL = """
import os, signal, sys
from pathlib import Path
from crawler.models import UrlState
from crawler.storage import requeue, rows
from crawler.storage.database import Database
from crawler.storage.requeue import Wanted, put_back

def dead(*_):
    os.kill(os.getpid(), signal.SIGKILL)

match sys.argv[2]:
    case "before":
        requeue.progress = dead
    case "between":
        rows.set_meta = dead
    case "after":
        Database.end_writing = dead
put_back(Path(sys.argv[1]), Wanted(frozenset({(UrlState.FAILED, "dns")})))
"""


@pytest.mark.parametrize("moment", ["before", "between", "after"])
def test_killed_it_has_put_back_all_or_nothing(tmp_path: Path, moment: str) -> None:
    """By `kill -9` before or between the two changes nothing has changed; after them, both have."""
    asyncio.run(crawl_with_failures(tmp_path))
    command = [sys.executable, "-c", KILL, str(tmp_path), moment]
    assert subprocess.run(command, cwd=TESTS).returncode == -signal.SIGKILL
    assert pending(tmp_path) == ({2, 4, 7} if moment == "after" else {7})
    assert put_back(tmp_path, wanted(DNS)) == ({} if moment == "after" else {DNS: 2})
    assert pending(tmp_path) == {2, 4, 7}
