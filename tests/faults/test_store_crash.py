"""The store under `kill -9` and full disks: real processes, real files."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.forking import Forked
from support.output import lines
from support.paths import TESTS
from support.store_material import IDENTITY, check_consistent

from crawler.models import UrlState
from crawler.storage.journal import by_kind, on_disk
from crawler.storage.store import Store
from crawler.storage.tables import Meta
from crawler.storage.view import StoreView

KILLS = 8


def test_kill_9_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """Killed at random moments and resumed, a crawl keeps all it acknowledged, whole and once.

    Every other run ends files at a size that some groups exceed.
    """
    directory, moments = tmp_path / "out", random.Random(7)
    acknowledged = 0
    for number in range(KILLS):
        rotate_bytes = 10_000 * (number % 2)
        said = _run_and_kill(directory, moments.randint(1, 400), rotate_bytes)
        acknowledged = max(acknowledged, said)
        with Store.read(directory) as view:
            assert view.accounting().seen > acknowledged
        store = Store.open(directory, IDENTITY)
        try:
            check_consistent(store)
            _check_whole_batches(store, acknowledged)
        finally:
            store.close()
    assert acknowledged > KILLS
    assert len(by_kind(on_disk(directory))["pages"]) > KILLS


def _run_and_kill(directory: Path, lines: int, rotate_bytes: int = 0) -> int:
    """Let the victim print `lines` lines, kill it, and return the last page it acknowledged."""
    flushed = 0
    with _victim(str(directory), "0", str(rotate_bytes)) as process:
        assert process.stdout is not None
        for _, line in zip(range(lines), process.stdout, strict=False):
            word, number = line.split()
            flushed = int(number) if word == "flushed" else flushed
        process.kill()
        for line in process.stdout:  # said before it died
            word, _, number = line.strip().partition(" ")
            flushed = int(number) if word == "flushed" and line.endswith("\n") else flushed
    return flushed


def _check_whole_batches(store: Store, acknowledged: int) -> None:
    """Page N, its line and URL N + 1 came in one batch: all are there, or none."""
    finished = store.next_url_id - 2
    assert finished >= acknowledged
    states = dict(store.database.rows("SELECT id, state FROM urls"))
    assert [n for n, state in states.items() if state == UrlState.PENDING] == [finished + 1]
    stored = [n for n in range(1, finished + 1) if n % 5]
    assert [line["id"] for line in lines(store.directory, "pages")] == stored
    assert len(lines(store.directory, "duplicates")) == finished - len(stored)
    assert [row.id for row in store.index_rows()] == stored


@contextmanager
def _victim(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "support.store_victim", *arguments]
    with Forked(command, stdout=subprocess.PIPE, text=True, cwd=TESTS) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("limit", [172_000, 225_000, 400_000])
def test_a_file_that_cannot_grow_stops_the_crawl(tmp_path: Path, limit: int) -> None:
    """Where writing fails the program says what and the way out, and a resume finds order.

    A new state file has 131,072 bytes. With the first URL its log has some 165,000, with the first
    page 185,000 to 215,000 (measured): the first limit is between the two, the second a few pages
    later.
    """
    directory = tmp_path / "out"
    _crawl_until_full(directory, str(limit), "(File too large|disk I/O|disk is full)")
    _check_resumable(directory)


def test_a_full_disk_stops_the_crawl(tmp_path: Path) -> None:
    """On a disk without space left the crawl stops; with space again it goes on unharmed."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small disk is not allowed here")
    try:
        (disk / "ballast").write_bytes(bytes(500_000))
        _crawl_until_full(disk / "out", "1000000000", "(No space left|disk is full|disk I/O)")
        (disk / "ballast").unlink()
        _check_resumable(disk / "out")
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def _crawl_until_full(directory: Path, limit: str, message: str) -> None:
    with _victim(str(directory), limit) as process:
        output, _ = process.communicate(timeout=600)
    error = output.splitlines()[-1]
    assert process.returncode == 3, output[-500:]
    assert error.startswith(f"error {directory}: writing failed")
    assert f"python -m crawler resume {directory}" in error
    assert re.search(message, error)


def _check_resumable(directory: Path) -> None:
    store = Store.open(directory, IDENTITY)
    try:
        check_consistent(store)
        _check_whole_batches(store, 0)
    finally:
        store.close()
    assert _run_and_kill(directory, 20) > 0


def test_a_crawl_killed_as_it_left_the_log_can_be_read(tmp_path: Path) -> None:
    """A reader of a crawl whose last write was cut off sees it as it was before that write."""
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    Store.create(whole, IDENTITY).close()
    with StoreView.read(whole) as view:
        before = view.meta(Meta.IDENTITY)
    connection = sqlite3.connect(whole / "state.sqlite", isolation_level=None)
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("BEGIN")
    connection.execute("UPDATE meta SET value = zeroblob(100000)")  # more than the cache holds
    shutil.copytree(whole, cut)
    connection.execute("ROLLBACK")
    connection.close()
    assert (cut / "state.sqlite-journal").stat().st_size > 0
    with StoreView.read(cut) as view:
        assert view.meta(Meta.IDENTITY) == before
