"""A store that cannot write stops the crawl with exit code 3; put right, a resume goes on."""

from __future__ import annotations

import ctypes
import sqlite3
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from support.crawling import AS_USERS_READ, FEWER, demo_web, finished, job_data, program
from support.output import all_lines
from support.store_material import IDENTITY, document, new_url, page

from crawler.cli import main
from crawler.config import parse_job
from crawler.engine.identity import identity
from crawler.errors import StoreError
from crawler.sources.web.crawl import run_crawl
from crawler.storage import database
from crawler.storage.store import Group, GroupLimits, Store, Writer

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

_PR_CAPBSET_DROP = 24
_CAPABILITIES = (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: by them root may write where nobody may."""

FEW = {"limits": {"pages": 10}}


def bound_by_permissions() -> None:
    """Let the program that is started obey permissions, also as root."""
    libc = ctypes.CDLL(None)
    for capability in _CAPABILITIES:
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def test_a_read_only_directory_stops_the_crawl_and_permissions_let_it_go_on(
    tmp_path: Path,
) -> None:
    """Exit code 3 names the directory, and the crawl goes on where it stood."""
    output = tmp_path / "out"
    with demo_web(articles=4) as (web, _):
        job = parse_job(job_data(web, output, FEWER, AS_USERS_READ, FEW), "test")
        assert run_crawl(job, Store.create(output, identity(job)), lambda line: None) == 0
        for path in (*output.iterdir(), output):
            path.chmod(0o555 if path.is_dir() else 0o444)
        code, _, err = finished(program("resume", output, preexec_fn=bound_by_permissions))
        assert code == 3
        assert f"crawler: {output}: cannot write to it" in err
        assert "Traceback" not in err
        for path in (output, *output.iterdir()):
            path.chmod(0o755 if path.is_dir() else 0o644)
        assert main(["resume", str(output), "--pages", "20"]) == 0
    assert sum(len(file) for file in all_lines(output)[:2]) == 20


def test_a_lock_that_is_never_released_stops_the_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program's write lock is waited for, then the crawl ends with 3; a resume goes on."""
    monkeypatch.setattr(database, "BUSY_S", 0.2)
    output, commit = tmp_path / "out", Writer._commit
    with demo_web(articles=4) as (web, _), ExitStack() as locked:

        def committing(writer: Writer, group: Group) -> None:
            commit(writer, group)
            if group.outcomes:
                other = sqlite3.connect(
                    output / "state.sqlite", isolation_level=None, check_same_thread=False
                )
                locked.callback(other.close)
                other.execute("BEGIN IMMEDIATE")

        job = parse_job(job_data(web, output, FEWER, AS_USERS_READ), "test")
        store = Store.create(output, identity(job), GroupLimits(outcomes=5))
        with monkeypatch.context() as patched:
            patched.setattr(Writer, "_commit", committing)
            with pytest.raises(StoreError, match=r"database is locked.*let it end.*crawler resume"):
                run_crawl(job, store, lambda line: None)
        assert StoreError.exit_code == 3
        locked.close()
        assert run_crawl(job, Store.open(output, identity(job)), lambda line: None) == 0
        compared = web.truth.compare(*all_lines(output))
    assert compared.wrong == ()


async def test_the_log_stays_bounded_however_much_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After many times its bound was written, the write-ahead log is no larger than that bound.

    Also while reports are read.
    """
    monkeypatch.setattr(database, "CHECKPOINT_PAGES", 256)
    largest, state, log = 0, tmp_path / "state.sqlite", tmp_path / "state.sqlite-wal"
    async with Store.create(tmp_path, IDENTITY, GroupLimits(age_s=3600)) as store:
        for first in range(1, 440, 10):
            ids = range(first, first + 10)
            store.submit_urls([new_url(n) for n in ids])
            for n in ids:
                store.submit(replace(page(n, n), document=document(n, n, shingles=5000)))
            await store.flush()
            with Store.read(tmp_path) as view:
                assert view.accounting().problems == []
            largest = max(largest, log.stat().st_size)
        bound = 2 * 256 * 4096
        assert state.stat().st_size > 3 * bound
        assert largest < bound
    assert not log.exists()
