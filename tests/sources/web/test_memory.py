"""A snapshot of memory with what came after it is what the store says, whatever happened."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.crawling import command, crawl, loopback_job, write_job
from support.output import lines
from support.remembering import Remembered, restored, snapshots
from support.shelf import shelf, written
from support.store_material import IDENTITY, new_url

from crawler.config import NearMode
from crawler.models import New
from crawler.sources.web import checkpoint as memory
from crawler.storage import snapshots as files
from crawler.storage.store import Store
from crawler.storage.tables import Meta

NUMBERS = range(120)
LATER = range(120, 150)


class KilledError(BaseException):
    """The process is no more."""


async def check_same(directory: Path, near: NearMode = NearMode.DROP) -> list[str]:
    """Assert that memory restored from a directory is as it is rebuilt from a copy's tables.

    Return what was said of it.
    """
    rebuilt = directory.with_name("rebuilt")
    shutil.copytree(directory, rebuilt)
    for snapshot in snapshots(rebuilt):
        snapshot.unlink()
    said, verdicts = [], []
    for place in (directory, rebuilt):
        async with Store.open(place, IDENTITY) as store:
            again = await restored(store, near)
            assert len(again.frontier.seen) == store.next_url_id - 1
            assert all(url in again.frontier.seen for url in store.seen_urls())
            verdicts.append([again.judged(number) for number in LATER])
            said.append(again.said)
    assert verdicts[0] == verdicts[1]
    shutil.rmtree(rebuilt)
    return said[0]


async def begun(
    directory: Path, *, save_at: int | None = None, near: NearMode = NearMode.DROP
) -> None:
    """Make a store of seen URLs and judged pages; with a snapshot made on the way."""
    async with Store.create(directory, IDENTITY) as store:
        crawl = Remembered(store, near=near)
        for number in NUMBERS:
            crawl.see(number)
            crawl.judged(number)
            if number == save_at:
                await crawl.save()


async def test_what_came_after_a_snapshot_is_added_to_it(tmp_path: Path) -> None:
    """Verdicts on later pages are those of memory that was rebuilt, and no URL is forgotten."""
    await begun(tmp_path / "out", save_at=70)
    assert len(snapshots(tmp_path / "out")) == 1
    said = await check_same(tmp_path / "out")
    assert said == ["Loading 98 URLs from the store ..."]


STEPS: dict[str, tuple[object, str]] = {
    "while it is written": (files.SnapshotWriter, "write"),
    "before it is durable": (files.SnapshotWriter, "finish"),
    "before it is trusted": (Store, "set_meta"),
    "before that is committed": (Store, "flush"),
    "before the old one is removed": (files, "remove_others"),
}


@pytest.mark.parametrize("step", STEPS)
async def test_a_kill_while_one_is_made_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Whenever the process ends, the store trusts a whole snapshot or the one before it.

    The directory is copied as it lies there at that moment, which is what a kill leaves.
    """
    output, left = tmp_path / "out", tmp_path / "left"
    async with Store.create(output, IDENTITY) as store:
        crawl = Remembered(store)
        for number in NUMBERS[:40]:
            crawl.judged(number)
        await crawl.save()
        for number in NUMBERS[40:]:
            crawl.judged(number)

        def killed(*_: object, **__: object) -> None:
            shutil.copytree(output, left)
            raise KilledError

        monkeypatch.setattr(*STEPS[step], killed)
        with pytest.raises(KilledError):
            await crawl.save()
        monkeypatch.undo()
        if step == "before that is committed":
            assert len(snapshots(left)) == 2
    await check_same(left)
    assert len(snapshots(left)) == 1


@pytest.mark.parametrize("meanwhile", [1, 30])
async def test_what_comes_while_one_is_made_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meanwhile: int
) -> None:
    """URLs and pages that come between its parts may be in it or not: they are added again."""
    async with Store.create(tmp_path / "out", IDENTITY) as store:
        crawl = Remembered(store)
        for number in NUMBERS[:50]:
            crawl.judged(number)
        left, write = list(NUMBERS[50:]), files.SnapshotWriter.write

        def writing(self: files.SnapshotWriter, name: str, data: bytes) -> None:
            write(self, name, data)
            for number in left[:meanwhile]:
                crawl.judged(number)
            del left[:meanwhile]

        monkeypatch.setattr(files.SnapshotWriter, "write", writing)
        await crawl.save()
        monkeypatch.undo()
        assert not left
    await check_same(tmp_path / "out")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with a snapshot of all that it has."""
    output = tmp_path_factory.mktemp("saved") / "out"
    asyncio.run(begun(output, save_at=NUMBERS[-1]))
    return output


def flip(path: Path, at: float) -> None:
    """Change one bit of a file."""
    data = bytearray(path.read_bytes())
    data[int(at * (len(data) - 1))] ^= 0x10
    path.write_bytes(data)


def cut(path: Path, at: float) -> None:
    """Cut a file short."""
    path.write_bytes(path.read_bytes()[: int(at * (path.stat().st_size - 1))])


@settings(max_examples=settings().max_examples // 2)
@given(st.sampled_from([flip, cut]), st.floats(0, 1))
async def test_a_damaged_snapshot_is_thrown_away(
    saved: Path, damage: Callable[[Path, float], None], at: float
) -> None:
    """Wherever it was changed or cut short, memory is rebuilt, and a line says why."""
    output = saved.with_name("damaged")
    shutil.copytree(saved, output)
    try:
        damage(snapshots(output)[0], at)
        async with Store.open(output, IDENTITY) as store:
            again = await restored(store)
            assert len(again.frontier.seen) == store.next_url_id - 1
            assert all(url in again.frontier.seen for url in store.seen_urls())
            assert not any(again.judge.keeps(again.judged(number)) for number in NUMBERS)
            first, second = again.said
            assert first.startswith("Its snapshot of memory is not used: ")
            assert second.startswith("Loading ")
    finally:
        shutil.rmtree(output)


def test_a_length_beyond_the_end_is_not_read(tmp_path: Path) -> None:
    """Lengths are not verified before what they tell of: none has more read than there is."""
    writer = files.SnapshotWriter(tmp_path)
    writer.write("seen", b"some")
    writer.finish()
    path, length_at = snapshots(tmp_path)[0], len(files.FORMAT) + 4
    whole = path.read_bytes()
    for length in (1 << 26, 1 << 63):
        path.write_bytes(whole[:length_at] + length.to_bytes(8, "little") + whole[length_at + 8 :])
        with pytest.raises(files.SnapshotDamagedError, match="a length in it is wrong"):
            list(files.read(tmp_path, writer.token))


async def test_a_whole_snapshot_needs_nothing_of_the_store(saved: Path) -> None:
    """A run that ended well is taken up without a URL or page being read."""
    async with Store.open(saved, IDENTITY) as store:
        assert (await restored(store)).said == []


async def test_a_snapshot_of_another_state_is_not_trusted(saved: Path, tmp_path: Path) -> None:
    """An older state from a backup names no such snapshot: the one that lies there is removed."""
    await begun(tmp_path / "out")
    shutil.copy(snapshots(saved)[0], tmp_path / "out")
    async with Store.open(tmp_path / "out", IDENTITY) as store:
        await restored(store)
    assert snapshots(tmp_path / "out") == []


FULL, BROKEN = OSError(28, "No space left on device"), OSError(5, "Input/output error")


@pytest.mark.parametrize(
    ("at", "trouble", "told"),
    [
        ((files.SnapshotWriter, "finish"), FULL, "No space left on device"),
        ((files.SnapshotWriter, "write"), MemoryError(), "MemoryError"),
        ((shutil, "disk_usage"), BROKEN, "Input/output error"),
    ],
)
async def test_trouble_costs_the_snapshot_only(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    at: tuple[object, str],
    trouble: Exception,
    told: str,
) -> None:
    """It is told once, nothing is left behind, and the crawl goes on."""

    def in_trouble(*_: object) -> None:
        raise trouble

    async with Store.create(tmp_path / "out", IDENTITY) as store:
        crawl = Remembered(store)
        crawl.judged(1)
        monkeypatch.setattr(*at, in_trouble)
        await crawl.save()
        await crawl.save()
        assert len(crawl.said) == 1
        assert told in crawl.said[0]
        assert snapshots(tmp_path / "out") == []
        assert store.meta(Meta.SNAPSHOT) is None


async def test_where_there_is_no_room_it_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None is written on a disk that is nearly full, and one is again when there is room."""
    async with Store.create(tmp_path / "out", IDENTITY) as store:
        crawl = Remembered(store)
        crawl.judged(1)
        with monkeypatch.context() as patched:
            patched.setattr(memory, "ROOM", 1 << 62)
            await crawl.save()
            await crawl.save()
        assert len(crawl.said) == 1
        assert "too little is free on the disk" in crawl.said[0]
        assert snapshots(tmp_path / "out") == []
        await crawl.save()
        assert len(crawl.said) == len(snapshots(tmp_path / "out")) == 1


@pytest.mark.parametrize(
    ("before", "after", "used"),
    [
        (NearMode.KEEP, NearMode.DROP, False),
        (NearMode.DROP, NearMode.KEEP, False),
        (NearMode.TAG, NearMode.DROP, True),
    ],
)
async def test_a_snapshot_of_a_judge_of_another_kind_is_not_used(
    tmp_path: Path, before: NearMode, after: NearMode, used: bool
) -> None:
    """One that looked for no near duplicates knows no page by what it is like."""
    await begun(tmp_path / "out", save_at=NUMBERS[-1], near=before)
    said = await check_same(tmp_path / "out", near=after)
    assert (said == []) == used


async def test_numbers_that_no_url_has_do_not_make_snapshots_useless(tmp_path: Path) -> None:
    """What a kill kept from its commit leaves a gap in the ids of URLs."""
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(n) for n in (1, 2, 3, 7, 8)])
    said = []
    for number in range(3):
        async with Store.open(tmp_path, IDENTITY) as store:
            again = await restored(store)
            assert len(again.frontier.seen) == 5 + number
            said.append(again.said)
            await again.save()
            again.see(number)
    assert said == [[f"Loading {left} URLs from the store ..."] for left in (8, 1, 1)]


async def test_a_page_that_was_judged_and_not_stored_hides_no_other(tmp_path: Path) -> None:
    """Its number is given again by the next run: to a page that the run after must know."""
    async with Store.create(tmp_path / "out", IDENTITY) as store:
        crawl = Remembered(store)
        for number in NUMBERS[:20]:
            crawl.judged(number)
        crawl.lost(21)
        await crawl.save()
        last = store.next_document_id
    async with Store.open(tmp_path / "out", IDENTITY) as store:
        assert store.next_document_id == last
        assert (await restored(store)).judged(20) == New()
    await check_same(tmp_path / "out")


async def test_pages_make_a_snapshot_due_as_urls_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crawl that meets no new URL goes on to judge those that it has: pages take longest."""
    monkeypatch.setattr(memory, "LEAST_GROWTH", 40)
    monkeypatch.setattr(memory, "WORTH_URLS", 1)
    async with Store.create(tmp_path, IDENTITY) as store:
        crawl = Remembered(store)
        due, worth = crawl.memory.is_due, crawl.memory.is_worth
        for number in NUMBERS[:39]:
            crawl.see(10_000 + number)
        assert not due(crawl.frontier)
        crawl.see(0)
        assert due(crawl.frontier)
        await crawl.save()
        assert not due(crawl.frontier)
        assert not worth(crawl.frontier)
        for number in NUMBERS[:39]:
            crawl.judged(number)
        assert len(crawl.frontier.seen) == 40
        assert due(crawl.frontier)
        assert worth(crawl.frontier)


async def test_a_stop_is_heard_while_memory_is_restored(saved: Path, tmp_path: Path) -> None:
    """With a snapshot and without one, the next slice is not begun."""
    output = shutil.copytree(saved, tmp_path / "out")
    for trusting in (True, False):
        async with Store.open(output, IDENTITY) as store:
            if not trusting:
                store.set_meta(Meta.SNAPSHOT, None)
            crawl = Remembered(store)
            crawl.stop.set()
            assert await crawl.memory.restore(100) is None


@pytest.mark.usefixtures("no_analysis_processes")
def test_a_crawl_is_resumed_from_its_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the first run stored is known to the next: each page once, and its copies are found."""
    monkeypatch.setattr(memory, "WORTH_URLS", 1)
    output = tmp_path / "out"
    paths = [f"/{n}" for n in range(12)]
    links = " ".join(f"<a href={path}>a page</a>" for path in paths)
    pages = {
        path: written(f"Page {n % 10}", n % 10 + 1, below=f"<div>{n + 1} views</div>")
        for n, path in enumerate(paths)
    }
    with shelf({**pages, "/": written("All", 99, below=links)}) as host:
        data = loopback_job(output, [host + "/"], fetch={"workers": 1})
        assert crawl(data | {"limits": {"pages": 6}}) == 0
        assert len(snapshots(output)) == 1
        config = write_job(data, tmp_path / "job.yaml")
        capsys.readouterr()
        code, out, err = command(capsys, "resume", output, "--config", config)
    assert code == 0
    assert "Loading" not in out + err
    assert len(snapshots(output)) == 1
    stored = [line["url"].removeprefix(host) for line in lines(output, "pages")]
    copies = {line["url"].removeprefix(host) for line in lines(output, "duplicates")}
    assert sorted(stored) == sorted({"/", *paths} - copies)
    assert len(copies) == 2
