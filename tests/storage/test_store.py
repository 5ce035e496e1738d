"""The store: what is submitted is seen at once, kept whole, and read back as it was."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.store_material import (
    IDENTITY,
    check_consistent,
    crawl_of,
    document,
    duplicate,
    new_url,
    outside_connection,
    page,
    records,
    url_of,
)

from crawler.errors import StoreError, StoreInUse, StoreMismatch
from crawler.records import (
    Batch,
    FetchTask,
    IndexRow,
    PayloadKey,
    Priority,
    StoredRef,
    UrlState,
)
from crawler.storage import GroupLimits, Meta, Store, line_path

NEVER = GroupLimits(age_s=3600)
"""Nothing is committed until it is asked for."""


async def test_reads_back_what_was_submitted(tmp_path: Path) -> None:
    """Lines, URL states, documents and totals are after a clean end what was submitted."""
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1, seed=True), new_url(2)])
        store.submit(page(1, 1, (new_url(3, referrer_id=1),)))
        store.submit(duplicate(2, of=1))
        store.set_meta(Meta.RUNS, 1)
    with Store.read(tmp_path) as view:
        check_consistent(view)
        assert view.accounting().outcomes == {
            (UrlState.PENDING, ""): 1,
            (UrlState.STORED, "new"): 1,
            (UrlState.DUPLICATE, "near"): 1,
        }
        assert view.accounting().seen == 3
        assert view.totals == {"pages": 1, "wire_bytes": 10.5}
        assert view.meta(Meta.RUNS) == 1
        assert view.meta(Meta.PAUSES, False) is False
        assert list(view.seen_urls()) == [url_of(1), url_of(2), url_of(3)]
        assert [url for url, _, _ in view.seeds()] == [url_of(1)]
        assert list(view.pending()) == [("host0.example", 1)]
        assert view.largest_clusters(5) == [(StoredRef(1, url_of(1)), 1)]
        assert [(host, sum(outcomes.values())) for host, outcomes in view.hosts(2)] == [
            ("host0.example", 1),
            ("host1.example", 1),
        ]
        assert view.host_count() == 3
    assert [line["id"] for line in records(tmp_path, "pages")] == [1]
    assert records(tmp_path, "duplicates") == [{"url": url_of(2), "verdict": "near"}]


async def test_index_rows_return_unsigned_fingerprints(tmp_path: Path) -> None:
    """What the judge's indexes are rebuilt from equals what the judge made, bit 63 included."""
    stored = [document(n, n) for n in range(1, 9)]
    assert any(d.signature.fingerprint >> 63 for d in stored)
    await crawl_of(tmp_path, 8)
    with Store.read(tmp_path) as view:
        assert list(view.index_rows()) == [
            IndexRow(
                d.id,
                d.payload,
                d.signature.text_digest,
                d.signature.visible_digest,
                d.signature.fingerprint,
                d.signature.tokens,
                d.signature.shingle_kind,
                d.signature.sketch,
                d.representative,
            )
            for d in stored
        ]


@st.composite
def submissions(draw: st.DrawFn) -> list[list[Batch]]:
    """Runs of batches over one growing set of URLs; each run ends in a reopening."""
    waiting, last_url, last_document = [1, 2, 3], 3, 0
    runs: list[list[Batch]] = []
    for length in draw(st.lists(st.integers(0, 8), min_size=1, max_size=3)):
        runs.append([])
        for _ in range(min(length, len(waiting))):
            url_id = waiting.pop(draw(st.integers(0, len(waiting) - 1)))
            if last_document and draw(st.booleans()):
                runs[-1].append(duplicate(url_id, draw(st.integers(1, last_document))))
                continue
            new = [last_url + k for k in range(1, draw(st.integers(0, 3)) + 1)]
            waiting, last_url, last_document = waiting + new, last_url + len(new), last_document + 1
            text = draw(st.text(max_size=20)) or "empty"
            runs[-1].append(page(last_document, url_id, tuple(map(new_url, new)), text))
    return runs


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(runs=submissions())
def test_any_sequence_reads_back(
    tmp_path_factory: pytest.TempPathFactory, runs: list[list[Batch]]
) -> None:
    """Any sequence of batches, with reopenings between, reads back as submitted and in order."""
    directory = tmp_path_factory.mktemp("any") / "out"
    asyncio.run(_submit_runs(directory, runs))
    batches = [batch for run in runs for batch in run]
    with Store.read(directory) as view:
        check_consistent(view)
        finished = dict(view.database.rows("SELECT id, state FROM urls WHERE state > 0"))
        assert finished == {batch.url_id: batch.state for batch in batches}
        new = [url for batch in batches for url in batch.new_urls]
        assert list(view.seen_urls()) == [url_of(n) for n in range(1, 4 + len(new))]
    for name in ("pages", "duplicates"):
        submitted = [record for b in batches for file, record in b.lines if file == name]
        assert records(directory, name) == orjson.loads(orjson.dumps(submitted))


async def _submit_runs(directory: Path, runs: list[list[Batch]]) -> None:
    async with Store.create(directory, IDENTITY) as store:
        store.submit_urls([new_url(n) for n in (1, 2, 3)])
    for run in runs:
        async with Store.open(directory, IDENTITY) as store:
            for batch in run:
                store.submit(batch)


async def test_ids_continue_after_reopening(tmp_path: Path) -> None:
    """A resumed crawl gives no id twice."""
    await crawl_of(tmp_path, 4)
    async with Store.open(tmp_path, IDENTITY) as store:
        assert (store.next_url_id, store.next_document_id) == (5, 5)


async def test_catalog_sees_waiting_documents(tmp_path: Path) -> None:
    """The judge finds a page before, at and after its commit, by either digest and by id."""
    async with Store.create(tmp_path, IDENTITY, NEVER) as store:
        store.submit_urls([new_url(1), new_url(2)])
        store.submit(page(1, 1))
        made = document(1, 1)
        for wait in (False, True):
            if wait:
                await store.flush()
                assert len(store.catalog.uncommitted) == 0
            assert store.catalog.by_payload(made.payload) == StoredRef(1, url_of(1))
            signature = made.signature
            by_text = store.catalog.by_text(signature.text_digest, signature.visible_digest)
            assert by_text == StoredRef(1, url_of(1))
            assert store.catalog.ref(1) == StoredRef(1, url_of(1))
            assert np.array_equal(store.catalog.shingles(1), signature.shingles)
            assert store.catalog.shingles(1).dtype == np.uint32
            assert store.catalog.layout(1) == made.layout


async def test_catalog_knows_nothing_else(tmp_path: Path) -> None:
    """Other charsets, half-equal texts and unknown ids are not found."""
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1)])
        store.submit(page(1, 1))
        made = document(1, 1)
        for _ in range(2):
            assert store.catalog.by_payload(PayloadKey(made.payload.digest, "text/plain")) is None
            assert store.catalog.by_text(made.signature.text_digest, b"other") is None
            with pytest.raises(KeyError):
                store.catalog.ref(2)
            with pytest.raises(KeyError):
                store.catalog.shingles(2)
            with pytest.raises(KeyError):
                store.catalog.layout(2)
            await store.flush()


async def test_plain_text_has_no_layout(tmp_path: Path) -> None:
    """A page without layout reads back without, before and after its commit."""
    async with Store.create(tmp_path, IDENTITY, NEVER) as store:
        store.submit_urls([new_url(1)])
        batch = page(1, 1)
        assert batch.document is not None
        store.submit(replace(batch, document=replace(batch.document, layout=None)))
        assert store.catalog.layout(1) is None
        await store.flush()
        assert store.catalog.layout(1) is None


async def test_catalog_names_the_oldest(tmp_path: Path) -> None:
    """Of equal pages the first is the original, wherever the two are."""
    key = document(1, 1, "same").payload
    async with Store.create(tmp_path, IDENTITY, NEVER) as store:
        store.submit_urls([new_url(n) for n in (1, 2, 3)])
        store.submit(page(1, 1, text="same"))
        store.submit(page(2, 2, text="same"))
        both_waiting = store.catalog.by_payload(key)
        await store.flush()
        store.submit(page(3, 3, text="same"))
        one_waiting = store.catalog.by_payload(key)
        assert both_waiting == one_waiting == StoredRef(1, url_of(1))


async def test_refill_sees_uncommitted_urls_in_order(tmp_path: Path) -> None:
    """A refill orders by priority, depth and id, sees what was just submitted, and only pending."""
    urls = [
        new_url(3, depth=2),
        new_url(6, depth=1, priority=Priority.DEFERRED),
        new_url(9, depth=1, referrer_id=3, hops=1, seed=True),
        new_url(12, depth=1),
        new_url(13, depth=0),
        new_url(15, depth=0),
    ]
    async with Store.create(tmp_path, IDENTITY, NEVER) as store:
        store.submit_urls(urls)
        store.submit(page(1, 15))
        first = await store.refill("host0.example", None, 2)
        assert first == [
            FetchTask(9, url_of(9), "host0.example", 1, hops=1, referrer=url_of(3), seed=True),
            FetchTask(12, url_of(12), "host0.example", 1),
        ]
        last = first[-1]
        rest = await store.refill("host0.example", (last.priority, last.depth, last.url_id), 10)
        assert [task.url_id for task in rest] == [3, 6]
        assert rest[1].priority is Priority.DEFERRED
        assert await store.refill("nowhere.example", None, 10) == []


async def test_refill_uses_the_partial_index(tmp_path: Path) -> None:
    """A refill and the update of finished URLs search; neither scans the table of URLs."""
    from crawler.storage.rows import FINISH, REFILL

    await crawl_of(tmp_path, 1)
    with Store.read(tmp_path) as view:
        refill = view.database.rows(f"EXPLAIN QUERY PLAN {REFILL}", ("h", 0, 0, 0, 1))
        finish = FINISH.format(values="(1, 1, '', NULL, 1), (2, 1, '', NULL, 2)")
        plan = [str(row[3]) for row in refill + view.database.rows(f"EXPLAIN QUERY PLAN {finish}")]
    assert any("urls_pending" in step for step in plan)
    assert not any("SCAN u" in step or "TEMP B-TREE" in step for step in plan)


async def test_refills_at_once(tmp_path: Path) -> None:
    """Many refills asked together each get their own answer."""
    async with Store.create(tmp_path, IDENTITY, NEVER) as store:
        store.submit_urls([new_url(n) for n in range(1, 31)])
        answers = await asyncio.gather(
            *(store.refill(f"host{n % 3}.example", None, 1) for n in range(9))
        )
    assert [tasks[0].url_id for tasks in answers] == [3, 1, 2] * 3


async def test_commits_by_age(tmp_path: Path) -> None:
    """Without any request a lone batch is committed once it is old enough."""
    limits = GroupLimits(age_s=0.01, waiting_batches=1)
    async with Store.create(tmp_path, IDENTITY, limits) as store:
        store.submit_urls([new_url(1)])
        store.submit(page(1, 1))
        await store.room()
        with Store.read(tmp_path) as view:
            assert view.accounting().count(UrlState.STORED) == 1


async def test_commits_by_size(tmp_path: Path) -> None:
    """A full group does not wait for its age, and room comes with its commit."""
    limits = GroupLimits(age_s=3600, batches=3, waiting_batches=3)
    async with Store.create(tmp_path, IDENTITY, limits) as store:
        store.submit_urls([new_url(n) for n in (1, 2, 3)])
        for n in (1, 2, 3):
            store.submit(page(n, n))
        await store.room()
        with Store.read(tmp_path) as view:
            assert view.accounting().count(UrlState.STORED) == 3


async def test_room_waits_for_bytes(tmp_path: Path) -> None:
    """Large pages use the room up as well as many pages do."""
    limits = GroupLimits(age_s=3600, waiting_bytes=100_000)
    async with Store.create(tmp_path, IDENTITY, limits) as store:
        store.submit_urls([new_url(1)])
        await store.room()
        store.submit(page(1, 1, text="字" * 50_000))
        waiter = asyncio.create_task(store.room())
        await asyncio.sleep(0)
        assert not waiter.done()
        await store.flush()
        await waiter


async def test_exit_commits_after_an_exception(tmp_path: Path) -> None:
    """What was submitted before the crawl failed is kept."""

    async def crawl() -> None:
        async with Store.create(tmp_path, IDENTITY, NEVER) as store:
            store.submit_urls([new_url(1)])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await crawl()
    with Store.read(tmp_path) as view:
        assert list(view.seen_urls()) == [url_of(1)]


async def test_exit_commits_when_cancelled(tmp_path: Path) -> None:
    """Cancelling a crawl, even twice, still commits, closes and ends as cancelled."""
    entered = asyncio.Event()

    async def crawl() -> None:
        async with Store.create(tmp_path, IDENTITY, NEVER) as store:
            store.submit_urls([new_url(1)])
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(crawl())
    await entered.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with Store.open(tmp_path, IDENTITY) as store:
        assert store.next_url_id == 2
    assert not [t for t in threading.enumerate() if t.name == "store-writer"]


async def test_cancelled_requests_leave_the_store_usable(tmp_path: Path) -> None:
    """A flush or refill that nobody waits for any more harms nothing."""
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1)])
        for request in (store.flush(), store.refill("host1.example", None, 1)):
            task = asyncio.ensure_future(request)
            await asyncio.sleep(0)
            task.cancel()
        assert len(await store.refill("host1.example", None, 1)) == 1


async def test_clean_end_leaves_one_state_file(tmp_path: Path) -> None:
    """After a clean end there is no log beside the state, and reading makes no file."""
    await crawl_of(tmp_path, 2)
    before = _names(tmp_path)
    with Store.read(tmp_path) as view:
        view.accounting()
        assert _names(tmp_path) == before
    assert "state.sqlite" in before
    assert not {"state.sqlite-wal", "state.sqlite-shm"} & set(before)


async def test_read_while_a_crawl_runs(tmp_path: Path) -> None:
    """A report reads a running crawl: committed rows, no lock, and the crawl goes on."""
    async with Store.create(tmp_path, IDENTITY, NEVER) as store:
        store.submit_urls([new_url(1), new_url(2)])
        await store.flush()
        with Store.read(tmp_path) as view:
            store.submit(page(1, 1))
            assert view.accounting().count(UrlState.PENDING) == 2
            await store.flush()
            assert view.accounting().count(UrlState.STORED) == 1


async def test_waits_for_an_outside_writer(tmp_path: Path) -> None:
    """A lock that another program holds on the state file delays a commit and breaks nothing."""
    async with Store.create(tmp_path, IDENTITY, NEVER) as store:
        with closing(outside_connection(tmp_path)) as outside:
            outside.connection.execute("BEGIN IMMEDIATE")
            store.submit_urls([new_url(1)])
            flush = asyncio.create_task(store.flush())
            done, _ = await asyncio.wait({flush}, timeout=0.05)
            assert not done
            outside.connection.execute("ROLLBACK")
            await flush
        assert store.next_url_id == 2


async def test_meta_is_seen_at_once_and_kept(tmp_path: Path) -> None:
    """Meta entries of any JSON value are read as set, before and after the commit."""
    value = {"seeds": ["https://例え.example/"], "limits": {"pages": None}}
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1)])
        store.set_meta(Meta.JOB, value)
        assert store.meta(Meta.JOB) == value
    async with Store.open(tmp_path, IDENTITY) as store:
        assert store.meta(Meta.JOB) == value


async def test_a_page_ends_once(tmp_path: Path) -> None:
    """Finishing a URL twice is a bug that stops the crawl before anything of it is kept."""

    async def crawl() -> None:
        async with Store.create(tmp_path, IDENTITY) as store:
            store.submit_urls([new_url(1)])
            store.submit(page(1, 1))
            await store.flush()
            store.submit(duplicate(1, of=1))
            await store.flush()

    with pytest.raises(StoreError, match="finished twice"):
        await crawl()
    async with Store.open(tmp_path, IDENTITY) as store:
        check_consistent(store)
        assert store.accounting().count(UrlState.STORED) == 1


async def test_a_failed_writer_refuses_everything(tmp_path: Path) -> None:
    """After a failure every call says what failed, what is safe and the way out."""
    way_out = "committed before is safe.*python -m crawler resume"
    store = Store.create(tmp_path, IDENTITY, NEVER)
    await store.__aenter__()
    store.submit_urls([new_url(1)])
    await store.flush()
    store.submit(Batch(1, UrlState.STORED, (("pages", {"bad": object()}),)))
    waiting = asyncio.create_task(store.refill("host1.example", None, 1))
    with pytest.raises(StoreError, match="not JSON serializable"):
        await store.flush()
    with pytest.raises(StoreError, match=way_out):
        await waiting
    with pytest.raises(StoreError, match=way_out):
        await store.flush()
    with pytest.raises(StoreError, match=way_out):
        await store.room()
    with pytest.raises(StoreError, match=way_out):
        store.submit(page(1, 1))
    with pytest.raises(StoreError, match=way_out):
        store.submit_urls([new_url(2)])
    with pytest.raises(StoreError, match=way_out):
        await store.__aexit__(None, None, None)
    assert StoreError.exit_code == 3


async def test_a_failure_ends_waiting_for_room(tmp_path: Path) -> None:
    """Who waits for room when the writer fails is told, and does not wait for ever."""
    waiters: list[asyncio.Task[None]] = []

    async def crawl() -> None:
        limits = GroupLimits(age_s=3600, waiting_batches=1)
        async with Store.create(tmp_path, IDENTITY, limits) as store:
            store.submit_urls([new_url(1)])
            store.submit(duplicate(1, of=7))
            waiters.append(asyncio.create_task(store.room()))
            await asyncio.sleep(0)
            await store.flush()

    with pytest.raises(StoreError):
        await crawl()
    with pytest.raises(StoreError, match="crawl must stop"):
        await asyncio.wait_for(waiters[0], 5)


async def test_unwritten_lines_are_never_counted(tmp_path: Path) -> None:
    """Lines come before their transaction: where they cannot be written, nothing is committed."""
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1)])
    line_path(tmp_path, "pages").unlink()
    line_path(tmp_path, "pages").symlink_to("/dev/full")
    store = Store.open(tmp_path, IDENTITY)
    await store.__aenter__()
    store.submit(page(1, 1))
    with pytest.raises(StoreError, match=r"No space left on device: '.*pages\.jsonl'"):
        await store.flush()
    with pytest.raises(StoreError):
        await store.__aexit__(None, None, None)
    line_path(tmp_path, "pages").unlink()
    async with Store.open(tmp_path, IDENTITY) as store:
        check_consistent(store)
        assert store.accounting().count(UrlState.PENDING) == 1


async def test_duplicates_name_stored_pages(tmp_path: Path) -> None:
    """The state file itself refuses a duplicate of a page that is not stored."""

    async def crawl() -> None:
        async with Store.create(tmp_path, IDENTITY) as store:
            store.submit_urls([new_url(1)])
            store.submit(duplicate(1, of=7))

    with pytest.raises(StoreError, match="FOREIGN KEY"):
        await crawl()


async def test_lone_surrogates_become_replacement_characters(tmp_path: Path) -> None:
    """What servers send outside UTF-8 is kept as U+FFFD, and the line stays valid."""
    line = {"detail": "a\udc80b", "nested": [{"k\ud800": "中"}]}
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1)])
        store.submit(Batch(1, UrlState.FAILED, (("failures", line),), "dns"))
    assert records(tmp_path, "failures") == [{"detail": "a\ufffdb", "nested": [{"k\ufffd": "中"}]}]


# --------------------------------------------------------------------------------------------------
# Directories


async def test_create_refuses_a_begun_crawl(tmp_path: Path) -> None:
    """A second crawl into one directory is refused, naming resume as the way out."""
    await crawl_of(tmp_path, 1)
    with pytest.raises(StoreMismatch, match=r"already holds a crawl.*crawler resume"):
        Store.create(tmp_path, IDENTITY)
    async with Store.open(tmp_path, IDENTITY) as store:
        check_consistent(store)


async def test_create_beside_foreign_files(tmp_path: Path) -> None:
    """Other files in the directory are fine and stay untouched."""
    (tmp_path / "notes.txt").write_text("mine")
    await crawl_of(tmp_path, 1)
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("name", ["pages.jsonl", "summary.json", "lock"])
def test_create_never_takes_over_foreign_files(tmp_path: Path, name: str) -> None:
    """A file with one of our names that is not ours is refused and kept."""
    (tmp_path / name).write_text("precious")
    with pytest.raises(StoreMismatch, match=name):
        Store.create(tmp_path, IDENTITY)
    assert (tmp_path / name).read_text() == "precious"
    assert not (tmp_path / "state.sqlite").exists()


@pytest.mark.parametrize("content", [b"no database at all, but long enough to be read", b"sqlite"])
def test_foreign_state_files_are_refused(tmp_path: Path, content: bytes) -> None:
    """A state.sqlite that is no database or another program's is refused and kept."""
    path = tmp_path / "state.sqlite"
    if content == b"sqlite":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE theirs (a)")
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    for opening in (Store.create, Store.open):
        with pytest.raises(StoreMismatch, match="is not a crawl's state file"):
            opening(tmp_path, IDENTITY)
    assert path.read_bytes() == before


def test_nothing_to_resume(tmp_path: Path) -> None:
    """Resuming or reading where no crawl is says so and makes no file."""
    told = {tmp_path: "holds no crawl", tmp_path / "missing": "missing: no such directory"}
    for directory, words in told.items():
        for opening in (Store.open, Store.read):
            with pytest.raises(StoreMismatch, match=words):
                opening(directory)
    assert list(tmp_path.iterdir()) == []


async def test_identity_mismatch_lists_every_key(tmp_path: Path) -> None:
    """A resume with other identity settings names each differing key with both values."""
    await crawl_of(tmp_path, 1)
    other = {"extractor": "2", "tracking_parameters": ("utm_source",), "payload_hash": "sha1"}
    with pytest.raises(StoreMismatch) as raised:
        Store.open(tmp_path, other)
    message = str(raised.value)
    assert 'extractor: the crawl has "1", the job asks for "2"' in message
    assert 'payload_hash: the crawl has nothing, the job asks for "sha1"' in message
    assert "tracking_parameters" not in message
    Store.open(tmp_path).close()


@pytest.mark.parametrize("left", ["nothing", "blank", "tables", "lines"])
async def test_a_creation_that_was_killed(tmp_path: Path, left: str) -> None:
    """Whatever a killed creation left, creating works again and resuming explains itself."""
    (tmp_path / "lock").touch()
    if left != "nothing":
        (tmp_path / "state.sqlite").touch()
    if left in ("tables", "lines"):
        async with Store.create(tmp_path, {"extractor": "0"}) as store:
            store.set_meta(Meta.RUNS, 3)
    if left == "lines":
        line_path(tmp_path, "pages").write_text('{"torn')
    with pytest.raises(StoreMismatch, match="check the path" if left == "nothing" else "--seeds"):
        Store.open(tmp_path, IDENTITY)
    await crawl_of(tmp_path, 2)
    async with Store.open(tmp_path, IDENTITY) as store:
        check_consistent(store)
        assert store.meta(Meta.RUNS) is None


async def test_longer_line_files_are_cut_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Lines beyond the recorded length were never committed and go; the log says from where."""
    caplog.set_level("INFO", "crawler.storage")
    await crawl_of(tmp_path, 2)
    for name in ("pages", "skipped"):
        with line_path(tmp_path, name).open("ab") as file:
            file.write(b'{"id": 3}\n{"torn')
    caplog.clear()
    async with Store.open(tmp_path, IDENTITY) as store:
        check_consistent(store)
    assert caplog.messages == [
        f"cutting 16 bytes that were never committed off {line_path(tmp_path, name)}"
        for name in ("pages", "skipped")
    ]
    assert [line["id"] for line in records(tmp_path, "pages")] == [1, 2]


@pytest.mark.parametrize("missing", [False, True])
async def test_shorter_line_files_are_refused(tmp_path: Path, missing: bool) -> None:
    """A line file that lost lines is named with both lengths, and nothing is changed."""
    await crawl_of(tmp_path, 2)
    path = line_path(tmp_path, "pages")
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[:-1])
    if missing:
        path.unlink()
    with line_path(tmp_path, "duplicates").open("ab") as file:
        file.write(b"torn")
    actual = 0 if missing else size - 1
    with pytest.raises(
        StoreMismatch, match=rf"pages\.jsonl has {actual} bytes where {size}.*backup"
    ):
        Store.open(tmp_path, IDENTITY)
    assert line_path(tmp_path, "duplicates").read_bytes() == b"torn"


async def test_second_process_is_refused(tmp_path: Path) -> None:
    """While one process has the directory another is refused and told which."""
    script = (
        "import sys; from pathlib import Path; from crawler.storage import Store\n"
        "from crawler.errors import StoreInUse\n"
        "try: getattr(Store, sys.argv[2])(Path(sys.argv[1]), {})\n"
        "except StoreInUse as error: print(error, error.exit_code)\n"
    )
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1)])
        await store.flush()
        for opening in ("create", "open"):
            command = [sys.executable, "-c", script, str(tmp_path), opening]
            child = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
            output, _ = await child.communicate()
            assert b"in use by another crawl (pid " in output
            assert output.strip().endswith(b" 2")
    with Store.read(tmp_path) as view:
        check_consistent(view)


def test_the_directory_is_released(tmp_path: Path) -> None:
    """A store that was opened and never entered gives its directory back."""
    first = Store.create(tmp_path, IDENTITY)
    with pytest.raises(StoreInUse):
        Store.create(tmp_path, IDENTITY)
    first.close()
    Store.create(tmp_path, IDENTITY).close()


@pytest.mark.parametrize("name", ["out", "out/below/it"])
def test_a_file_in_place_of_the_directory_is_named(tmp_path: Path, name: str) -> None:
    """A file where the directory should be is bad input, not a store that failed."""
    (tmp_path / "out").write_text("a file")
    with pytest.raises(StoreMismatch, match=r"out is a file: name a directory"):
        Store.create(tmp_path / name, IDENTITY)


def _names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())
