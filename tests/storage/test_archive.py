"""The archive of a run: what is in it, and what is left of it after any kill."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from math import inf
from pathlib import Path

import pytest
from support.archived import ARCHIVING, archived_copy, archived_page, read_archives
from support.dying import DyingSystem, Killed
from support.output import lines
from support.store_material import IDENTITY, check_consistent, crawl_of, new_url

from crawler.errors import LinesLost, StoreMismatch
from crawler.models import NEAR, PageOutcome
from crawler.models.enums import WarcNear
from crawler.storage import journal
from crawler.storage.archive import Archive, Archiving, cut_archives
from crawler.storage.backup import back_up
from crawler.storage.database import Database
from crawler.storage.journal import Extent
from crawler.storage.store import Store
from crawler.storage.tables import create_tables


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Give an empty state."""
    with closing(Database(tmp_path / "state.sqlite", "rwc")) as state:
        create_tables(state)
        yield state


def append(
    directory: Path, database: Database, recorded: dict[str, Extent], numbers: range
) -> dict[str, Extent]:
    """Have a run append pages; return the recorded lengths after it."""
    cut_archives(directory, recorded)
    archive = Archive(directory, ARCHIVING, len(recorded), database)
    try:
        return recorded | archive.append([archived_page(number) for number in numbers]).extents
    finally:
        archive.close()


def test_a_kill_at_any_step_loses_and_doubles_nothing(
    tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before each change of the disk a run dies; what the next run finds is what was recorded."""

    def run(directory: Path, moment: float) -> int:
        directory.mkdir()
        archive, system = Archive(directory, ARCHIVING, 0, database), DyingSystem(moment)
        recorded = archive.append([archived_page(1), archived_page(2)]).extents
        before = [record.offset for record in read_archives(directory)]
        batches = [archived_page(number) for number in range(3, 12)]
        with monkeypatch.context() as patched:
            patched.setattr(journal, "os", system)
            if moment < inf:
                with pytest.raises(Killed):
                    archive.append(batches)
            else:
                archive.append(batches)
                assert len(list((directory / "warc").iterdir())) > 2
        archive.close()
        cut_archives(directory, recorded)
        assert [record.offset for record in read_archives(directory)] == before
        after = append(directory, database, recorded, range(3, 12))
        urls = [r.fields["WARC-Target-URI"] for r in read_archives(directory) if r.http]
        assert len(urls) == 2 * len(set(urls)) == 22  # with the requests
        assert sum(extent.lines for extent in after.values()) == 22 + len(after)
        return system.calls

    steps = run(tmp_path / "whole", inf)
    assert steps > 6
    for moment in range(1, steps + 1):
        run(tmp_path / str(moment), moment)


async def filled(
    directory: Path, batches: list[PageOutcome], archiving: Archiving | None = ARCHIVING
) -> None:
    """Leave a finished crawl of these ends, some with an archive."""
    async with Store.create(directory, IDENTITY) as store:
        pass
    store = Store.create(directory, IDENTITY)
    if archiving is not None:
        store.archive(archiving)
    async with store:
        store.submit_urls([new_url(batch.url_id, seed=batch.url_id == 1) for batch in batches])
        for batch in batches:
            store.submit(batch)


async def test_a_line_names_its_record(tmp_path: Path) -> None:
    """File and offset in a line are those of the response; files end at their size."""
    await filled(tmp_path, [archived_page(number) for number in range(1, 9)])
    found = {(record.file, record.offset): record for record in read_archives(tmp_path)}
    for line in lines(tmp_path, "pages"):
        record = found[line["warc_filename"], line["warc_offset"]]
        assert (record.kind, record.fields["WARC-Target-URI"]) == ("response", line["url"])
    kinds = [record.kind for record in found.values()]
    assert kinds.count("warcinfo") == len(list((tmp_path / "warc").glob("*.warc.gz"))) > 1
    indexes = sorted((tmp_path / "warc").glob("*.cdxj"))
    assert len(indexes) == kinds.count("warcinfo")
    for index in indexes:
        rows = index.read_bytes().splitlines()
        assert rows == sorted(rows) != []


async def test_the_same_bytes_are_a_revisit(tmp_path: Path) -> None:
    """It names its original's URL and date, in one group and from run to run."""
    batches = [archived_page(1, b"same"), archived_copy(2, 1, b"same")]
    await filled(tmp_path, batches)
    store = Store.open(tmp_path, IDENTITY)
    store.archive(ARCHIVING)
    async with store:
        store.submit_urls([new_url(3)])
        store.submit(archived_copy(3, 1, b"same"))
    records = [record for record in read_archives(tmp_path) if record.kind != "request"]
    original = records[1].fields
    for revisit in (records[2], records[4]):
        assert (revisit.kind, revisit.body) == ("revisit", b"")
        assert revisit.fields["WARC-Profile"].endswith("/1.1/revisit/identical-payload-digest")
        for name, of in (
            ("WARC-Refers-To-Target-URI", "WARC-Target-URI"),
            ("WARC-Refers-To-Date", "WARC-Date"),
            ("WARC-Payload-Digest", "WARC-Payload-Digest"),
        ):
            assert revisit.fields[name] == original[of]
    assert records[3].kind == "warcinfo"


async def test_a_copy_of_what_is_not_archived_is_kept_whole(tmp_path: Path) -> None:
    """A page that was stored without an archive has no record to refer to."""
    await crawl_of(tmp_path, 1)
    store = Store.open(tmp_path, IDENTITY)
    store.archive(ARCHIVING)
    async with store:
        store.submit_urls([new_url(2)])
        store.submit(archived_copy(2, 1, b"same"))
    [record] = [record for record in read_archives(tmp_path) if record.kind == "response"]
    assert record.body == b"same"


@pytest.mark.parametrize("near", WarcNear)
async def test_near_duplicates_are_kept_as_the_job_says(tmp_path: Path, near: WarcNear) -> None:
    """Their response, or the evidence for the verdict."""
    batches = [archived_page(1), archived_copy(2, 1, b"alike", NEAR)]
    await filled(tmp_path, batches, Archiving({}, 100_000, near))
    record = list(read_archives(tmp_path))[3]
    assert record.kind == near.value
    assert (b'"verdict":"near"' in record.body) == (near is WarcNear.METADATA)
    [line] = lines(tmp_path, "duplicates")
    assert line["warc_offset"] == record.offset


async def test_evidence_alone_is_committed_with_its_line(tmp_path: Path) -> None:
    """A commit that holds near duplicates only, which have no row in the index, writes them too."""
    async with Store.create(tmp_path, IDENTITY) as store:
        pass
    store = Store.create(tmp_path, IDENTITY)
    store.archive(Archiving({}, 100_000, WarcNear.METADATA))
    async with store:
        for batch in (archived_page(1), archived_copy(2, 1, b"alike", NEAR)):
            store.submit_urls([new_url(batch.url_id, seed=batch.url_id == 1)])
            store.submit(batch)
            await store.flush()
    [line] = lines(tmp_path, "duplicates")
    record = list(read_archives(tmp_path))[3]
    assert (record.kind, record.offset) == ("metadata", line["warc_offset"])


async def test_a_run_without_archives_cuts_and_leaves_those_of_others(tmp_path: Path) -> None:
    """What a killed run left beyond its last commit goes, whoever opens the directory next."""
    await filled(tmp_path, [archived_page(1)])
    [archive] = (tmp_path / "warc").glob("*.warc.gz")
    whole = archive.read_bytes()
    archive.write_bytes(whole + b"\x1f\x8btorn")
    stray = archive.with_name("crawl-20990101000000000-00002.warc.gz")
    stray.write_bytes(b"torn")
    foreign = archive.with_name("mine.warc.gz")
    foreign.write_bytes(b"mine")
    async with Store.open(tmp_path, IDENTITY) as store:
        check_consistent(store)
    assert (archive.read_bytes(), foreign.read_bytes()) == (whole, b"mine")
    assert not stray.exists()
    archive.write_bytes(whole[:-1])
    with pytest.raises(StoreMismatch, match=rf"{archive.name} has {len(whole) - 1} bytes where"):
        Store.open(tmp_path, IDENTITY)


async def test_an_archive_that_is_taken_away_stops_the_crawl(tmp_path: Path) -> None:
    """What was written is no more: nothing further is said to be stored."""
    store = Store.create(tmp_path, IDENTITY)
    store.archive(ARCHIVING)
    await store.__aenter__()
    store.submit_urls([new_url(1)])
    store.submit(archived_page(1))
    await store.flush()
    next((tmp_path / "warc").glob("*.warc.gz")).unlink()
    with pytest.raises(LinesLost, match="was moved, deleted or replaced"):
        await store.flush()
    with pytest.raises(LinesLost):
        await store.__aexit__(None, None, None)


async def test_a_backup_has_the_archives(tmp_path: Path) -> None:
    """As far as they are committed; the next run writes the index that the copy has not."""
    await filled(tmp_path / "out", [archived_page(1), archived_page(2)])
    back_up(tmp_path / "out", tmp_path / "copy")
    async with Store.open(tmp_path / "copy", IDENTITY):
        pass
    files = [
        {path.name: path.read_bytes() for path in (tmp_path / name / "warc").iterdir()}
        for name in ("out", "copy")
    ]
    assert files[0] == files[1]
    assert len(files[0]) == 2
