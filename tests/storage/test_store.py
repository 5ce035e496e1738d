"""The store: what is submitted is seen at once, kept whole, and read back as it was."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.archived import ARCHIVING, capture, read_archives
from support.output import lines
from support.store_material import (
    IDENTITY,
    NEVER,
    check_consistent,
    crawl_of,
    document,
    duplicate,
    new_url,
    page,
    url_of,
)

from crawler.errors import StoreError
from crawler.models import (
    Dropped,
    EditionCount,
    FetchTask,
    IndexRow,
    KeptRules,
    PageOutcome,
    PayloadKey,
    Priority,
    StoredRef,
    Totals,
    UrlState,
)
from crawler.models.enums import WarcNear
from crawler.storage import rows
from crawler.storage.dropped import unpack
from crawler.storage.rows import FINISH, REFILL, HealthRow
from crawler.storage.store import Store
from crawler.storage.tables import TABLES, Meta
from crawler.storage.view import largest_clusters, largest_hosts


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
        assert view.totals == Totals({"pages": 1, "wire_bytes": 10.5})
        assert view.meta(Meta.RUNS) == 1
        assert view.meta(Meta.TRAPS, False) is False
        assert list(view.seen_urls()) == [url_of(1), url_of(2), url_of(3)]
        assert [url for url, _, _ in view.seeds()] == [url_of(1)]
        assert list(view.pending()) == [("host0.example", 1)]
        assert largest_clusters(view, 5) == [(StoredRef(1, url_of(1)), 1)]
        assert [(host, sum(outcomes.values())) for host, outcomes in largest_hosts(view, 2)] == [
            ("host0.example", 1),
            ("host1.example", 1),
        ]
        assert len(largest_hosts(view, 9)) == 3
    assert [line["id"] for line in lines(tmp_path, "pages")] == [1]
    assert lines(tmp_path, "duplicates") == [{"url": url_of(2), "verdict": "near"}]


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
def submissions(draw: st.DrawFn) -> list[list[PageOutcome]]:
    """Runs of batches over one growing set of URLs; each run ends in a reopening."""
    waiting, last_url, last_document = [1, 2, 3], 3, 0
    runs: list[list[PageOutcome]] = []
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


@settings(max_examples=settings().max_examples // 2, suppress_health_check=list(HealthCheck))
@given(runs=submissions())
def test_any_sequence_reads_back(
    tmp_path_factory: pytest.TempPathFactory, runs: list[list[PageOutcome]]
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
        assert lines(directory, name) == orjson.loads(orjson.dumps(submitted))


async def _submit_runs(directory: Path, runs: list[list[PageOutcome]]) -> None:
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
                assert 1 not in store.catalog.uncommitted
            assert store.catalog.by_payload(made.payload) == StoredRef(1, url_of(1))
            signature = made.signature
            found = store.catalog.by_visible(signature.visible_digest, 8)
            assert found == [StoredRef(1, url_of(1))]
            assert store.catalog.of_host(url_of(1), 8) == [1]
            assert store.catalog.ref(1) == StoredRef(1, url_of(1))
            assert np.array_equal(store.catalog.shingles(1).hashes, signature.shingles)
            assert store.catalog.shingles(1).hashes.dtype == np.uint32
            assert store.catalog.layout(1) == made.layout


async def test_catalog_knows_nothing_else(tmp_path: Path) -> None:
    """Other charsets, other texts and unknown ids are not found."""
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1)])
        store.submit(page(1, 1))
        made = document(1, 1)
        for _ in range(2):
            assert store.catalog.by_payload(PayloadKey(made.payload.digest, "text/plain")) is None
            assert store.catalog.by_visible(b"other", 8) == []
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


async def test_refill_seeks_by_the_whole_key(tmp_path: Path) -> None:
    """Each part of a refill seeks in the index of pending URLs by all that it knows of the key."""
    await crawl_of(tmp_path, 1)
    known = ("priority=? AND depth=? AND rowid>?", "priority=? AND depth>?", "priority>?")
    with Store.read(tmp_path) as view:
        for number, (statement, seek) in enumerate(zip(REFILL, known, strict=True)):
            parameters = ("h", *range(3 - number), 1)
            plan = view.database.rows(f"EXPLAIN QUERY PLAN {statement}", parameters)
            steps = [str(row[3]) for row in plan]
            assert f"SEARCH u USING INDEX urls_pending (host_id=? AND {seek})" in steps
            assert not any("SCAN" in step or "TEMP B-TREE" in step for step in steps)


async def test_ends_are_written_without_a_scan(tmp_path: Path) -> None:
    """The update of finished URLs finds each by its id."""
    await crawl_of(tmp_path, 1)
    finish = FINISH.format(values="(1, 1, '', NULL, 1), (2, 1, '', NULL, 2)")
    with Store.read(tmp_path) as view:
        steps = [str(row[3]) for row in view.database.rows(f"EXPLAIN QUERY PLAN {finish}")]
    assert not any("SCAN u" in step or "TEMP B-TREE" in step for step in steps)


@given(
    keys=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=24),
    after=st.tuples(st.integers(-1, 2), st.integers(-1, 4), st.integers(-1, 25)),
    limit=st.integers(0, 30),
)
def test_a_refill_goes_on_beyond_any_key(
    keys: list[tuple[int, int]], after: tuple[int, int, int], limit: int
) -> None:
    """Whatever the key, the answer is the first URLs beyond it in (priority, depth, id) order."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in TABLES.split(";\n"):
            connection.execute(statement)
        new = [
            new_url(n, host="a.example", priority=Priority(priority), depth=depth)
            for n, (priority, depth) in enumerate(keys, 1)
        ]
        rows.insert_urls(connection, {}, [*new, new_url(100, host="b.example")])
        found = rows.pending_tasks(connection, "a.example", after, limit)
    beyond = sorted((u.priority, u.depth, u.url_id) for u in new)
    wanted = [key for key in beyond if key > after][:limit]
    assert [(task.priority, task.depth, task.url_id) for task in found] == wanted


async def test_refills_at_once(tmp_path: Path) -> None:
    """Many refills asked together each get their own answer."""
    async with Store.create(tmp_path, IDENTITY, NEVER) as store:
        store.submit_urls([new_url(n) for n in range(1, 31)])
        answers = await asyncio.gather(
            *(store.refill(f"host{n % 3}.example", None, 1) for n in range(9))
        )
    assert [tasks[0].url_id for tasks in answers] == [3, 1, 2] * 3


async def test_meta_is_seen_at_once_and_kept(tmp_path: Path) -> None:
    """Meta entries of any JSON value are read as set, before and after the commit."""
    value = {"seeds": ["https://例え.example/"], "limits": {"pages": None}}
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1)])
        store.set_meta(Meta.JOB, value)
        assert store.meta(Meta.JOB) == value
    async with Store.open(tmp_path, IDENTITY) as store:
        assert store.meta(Meta.JOB) == value


async def test_rules_health_and_depths_are_kept(tmp_path: Path) -> None:
    """What is known of hosts outlives a run; a depth is only ever lowered."""
    rules, later = KeptRules(b"packed", "agent", 2.5), KeptRules(b"", "agent", None)
    row = HealthRow("http://a.example", False, 2, 1e9, 60.0, "connect: refused")
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1, depth=5), new_url(2, depth=1)])
        store.keep_rules("http://a.example", rules)
        assert store.rules("http://a.example") == rules
        assert store.rules("http://b.example") is None
        await store.flush()
        store.keep_rules("http://a.example", later)
        assert store.rules("http://a.example") == later
        store.note_health([row._replace(tries=1), row])
        store.submit_depths({1: 3, 2: 3})
    with Store.read(tmp_path) as view:
        assert view.rules("http://a.example") == later
        assert list(view.health()) == [row]
        depths = view.database.rows("SELECT id, depth FROM urls ORDER BY id")
    assert depths == [(1, 3), (2, 1)]


async def test_a_page_ends_once(tmp_path: Path) -> None:
    """Finishing a URL twice is a bug that stops the crawl before anything of it is kept."""

    async def crawl() -> None:
        async with Store.create(tmp_path, IDENTITY) as store:
            store.submit_urls([new_url(1)])
            store.submit(page(1, 1))
            await store.flush()
            store.submit(duplicate(1, of=1))
            await store.flush()

    with pytest.raises(StoreError, match="committed twice"):
        await crawl()
    async with Store.open(tmp_path, IDENTITY) as store:
        check_consistent(store)
        assert store.accounting().count(UrlState.STORED) == 1


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
        store.submit(PageOutcome(1, UrlState.FAILED, (("failures", line),), "dns"))
    assert lines(tmp_path, "failures") == [{"detail": "a\ufffdb", "nested": [{"k\ufffd": "中"}]}]


ODD_TEXTS = ("a\udcffb\ud800", "a\0b", "\u202e\u2028\x9b")
"""What a server may make this program hold: no UTF-8, a NUL, what a terminal obeys."""


@pytest.mark.parametrize("odd", ODD_TEXTS)
async def test_no_text_of_strangers_stops_the_writer(tmp_path: Path, odd: str) -> None:
    """Wherever such a text reaches the writer, all is committed and can be read back."""
    store = Store.create(tmp_path, IDENTITY)
    store.archive(replace(ARCHIVING, near=WarcNear.METADATA))
    read = odd.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    nested = {"all": [{odd: odd}]}
    line = {"id": 1, "url": odd, "text": odd, "outlinks": [odd], "extracted": nested}
    taken = replace(capture(url_of(2), reason=odd.replace("\ud800", "")), url=url_of(2) + odd)
    async with store:
        store.submit_urls([new_url(1), new_url(2), new_url(3), new_url(4), new_url(5)])
        store.submit(replace(page(1, 1), lines=(("pages", line),)))
        store.submit(
            replace(
                duplicate(2, of=1, kind=odd),
                dropped=Dropped(line, b"", None),
                totals=Totals(dropped_link={odd: 1.0}),
                editions=(EditionCount(odd, odd, odd, 1, 1),),
                captures=(taken,),
            )
        )
        store.submit(PageOutcome(3, UrlState.REDIRECT, (("redirects", {"target": odd}),), odd))
        store.submit(PageOutcome(4, UrlState.FAILED, (("failures", {"detail": odd}),), odd))
        store.submit(PageOutcome(5, UrlState.SKIPPED, (("skipped", {"detail": odd}),), odd))
        store.keep_rules("https://a.example", KeptRules(b"", odd, None))
        store.note_health([HealthRow("a.example", True, 1, 0.0, 0.0, odd)])
        store.set_meta(Meta.TRAPS, {odd: [odd]})
    with Store.read(tmp_path) as view:
        check_consistent(view)
        assert view.accounting().count(UrlState.PENDING) == 0
        assert view.meta(Meta.TRAPS) == {read: [read]}
        assert [row.why for row in view.health()] == [read]
        [(packed,)] = view.database.rows("SELECT line FROM dropped")
    assert unpack(packed, b"").line["extracted"] == {"all": [{read: read}]}
    assert lines(tmp_path, "pages")[0]["extracted"] == {"all": [{read: read}]}
    [evidence] = [record for record in read_archives(tmp_path) if record.kind == "metadata"]
    assert orjson.loads(evidence.body)["verdict"] == read


@pytest.mark.parametrize("depth", [*range(245, 258), 5_000])
async def test_a_line_that_cannot_be_written_is_refused_before_anything_changes(
    tmp_path: Path, depth: int
) -> None:
    """Whatever is nested that deep, also in what is kept of a dropped page: the writer goes on."""
    nested: Any = None
    for _ in range(depth):
        nested = [nested]
    pages = page(1, 1), duplicate(2, of=1)
    lines_of = (("pages", {"id": 1, "extracted": nested}),)
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1), new_url(2), new_url(3)])
        try:
            store.submit(replace(pages[0], lines=lines_of))
        except TypeError:
            store.submit(pages[0])
        try:
            store.submit(replace(pages[1], dropped=Dropped(lines_of[0][1], b"", None)))
        except TypeError:
            store.submit(pages[1])
        store.submit(page(2, 3))
    with Store.read(tmp_path) as view:
        check_consistent(view)
        assert view.accounting().count(UrlState.PENDING) == 0
