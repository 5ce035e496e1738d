"""Files of lines that end at a size: what they hold, and what is left of them after any kill."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.dying import DyingSystem, Killed
from support.output import lines
from support.store_material import IDENTITY, check_consistent, names, new_url, page

from crawler.errors import LinesLost, StoreError, StoreMismatch
from crawler.storage.backup import back_up
from crawler.storage.directory import LINE_FILES, line_path, sync_directory
from crawler.storage.journal import (
    Extent,
    Journal,
    by_kind,
    encoded,
    next_part,
    part_name,
    read_lines,
)
from crawler.storage.store import Store
from crawler.storage.view import StoreView

SIZE = 100
"""At which files end, in bytes: two of RECORDS."""
RECORDS = [("pages", {"id": number, "text": "x" * 40}) for number in range(9)]
LENGTH = len(b"".join(encoded(RECORDS[0][1])))


@contextmanager
def opened(directory: Path, extents: dict[str, Extent], size: int | None) -> Iterator[Journal]:
    """Open a journal, and close it however the context ends."""
    journal = Journal(directory, extents, size)
    try:
        yield journal
    finally:
        journal.close()


def read(directory: Path, extents: dict[str, Extent]) -> list[bytes]:
    """Return the lines of pages, as they are recorded."""
    return [line.data for line in read_lines(directory, by_kind(extents)["pages"])]


@given(st.sampled_from(LINE_FILES), st.integers(0, 200_000))
def test_a_part_is_known_by_its_name(kind: str, number: int) -> None:
    """Names lead back to their kind, and from each part to the next, which comes after it."""
    name = part_name(kind, number)
    assert next_part(name) == part_name(kind, number + 1)
    assert list(by_kind(dict.fromkeys([next_part(name), name], Extent()))[kind]) == [
        name,
        next_part(name),
    ]


@pytest.mark.parametrize("name", ["pages.1", "pages.00000", "pages.000001", "lines", "pages.", "p"])
def test_other_names_are_of_no_part(name: str) -> None:
    """What this program would not have called so is not its own."""
    assert not any(by_kind({name: Extent()}).values())


def test_parts_are_read_in_the_order_in_which_they_were_written() -> None:
    """The one file comes first, then parts by their numbers, also beyond five digits."""
    files = ["pages.100000", "pages.99999", "pages", "pages.00002", "skipped", "mine"]
    found = by_kind(dict.fromkeys(files, Extent()))
    assert list(found["pages"]) == ["pages", "pages.00002", "pages.99999", "pages.100000"]
    assert [kind for kind, files in found.items() if files] == ["pages", "skipped"]


@given(groups=st.lists(st.integers(0, 5), max_size=6), size=st.integers(1, 4 * LENGTH))
def test_a_file_ends_with_the_line_that_reaches_the_size(
    groups: list[int], size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """However lines come in groups: all are there in order, and no file could have ended before."""
    directory = tmp_path_factory.mktemp("out")
    recorded: dict[str, Extent] = {}
    with opened(directory, {}, size) as journal:
        for number in groups:
            recorded |= journal.append(RECORDS[:number])
        journal.check()
    assert read(directory, recorded) == [
        b"".join(encoded(record)) for number in groups for _, record in RECORDS[:number]
    ]
    sizes = [extent.bytes for extent in by_kind(recorded)["pages"].values()]
    assert sizes == [line_path(directory, file).stat().st_size for file in recorded]
    assert all(size <= length < size + LENGTH for length in sizes[:-1])
    assert all(length < size + LENGTH for length in sizes)


def append_until(
    directory: Path, recorded: dict[str, Extent], moment: float, patch: pytest.MonkeyPatch
) -> int:
    """Append lines that fill two files, until a change of the disk; return how many there were."""
    system = DyingSystem(moment)
    with opened(directory, recorded, SIZE) as journal, patch.context() as patched:
        patched.setattr("crawler.storage.journal.os", system)
        synced = system.until_it_dies(sync_directory)
        patched.setattr("crawler.storage.journal.sync_directory", synced)
        journal.append(RECORDS[1:7])
    return system.calls


def begun(directory: Path) -> dict[str, Extent]:
    """Record a line in a directory that this makes."""
    directory.mkdir()
    with opened(directory, {}, SIZE) as journal:
        return journal.append(RECORDS[:1])


def test_a_kill_at_any_step_of_a_rotation_loses_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before each change of the disk a run dies; the next one finds what was recorded, and no more.

    Whether it rotates or not; and the lines that it writes follow those.
    """
    whole = tmp_path / "whole"
    steps = append_until(whole, begun(whole), inf, monkeypatch)
    assert len(names(whole)) == len(LINE_FILES) + 3
    assert steps > 10
    for moment in range(1, steps + 1):
        directory = tmp_path / str(moment)
        recorded = begun(directory)
        with pytest.raises(Killed):
            append_until(directory, recorded, moment, monkeypatch)
        for size in (None, SIZE):
            with opened(directory, recorded, size) as journal:
                assert read(directory, recorded) == [b"".join(encoded(RECORDS[0][1]))]
                assert {path.stem for path in directory.iterdir()} == set(journal.extents)
                assert sum(path.stat().st_size for path in directory.iterdir()) == LENGTH
        with opened(directory, recorded, SIZE) as journal:
            recorded |= journal.append(RECORDS[1:7])
            journal.check()
        assert read(directory, recorded) == [b"".join(encoded(record)) for _, record in RECORDS[:7]]
        assert names(directory) == names(whole)


async def crawl_on(directory: Path, size: int | None, *numbers: int) -> None:
    """Store pages with these numbers, each by a commit of its own."""
    make = Store.open if 1 not in numbers else Store.create
    async with make(directory, IDENTITY, rotate_bytes=size) as store:
        for number in numbers:
            store.submit_urls([new_url(number)])
            store.submit(page(number, number))
            await store.flush()


async def test_a_crawl_rotates_or_not_as_each_run_is_told(tmp_path: Path) -> None:
    """Runs without a size go on with the last file, and those with one begin new ones after it."""
    out = tmp_path / "out"
    await crawl_on(out, None, 1, 2)
    await crawl_on(out, SIZE, 3, 4)
    await crawl_on(out, None, 5, 6)
    await crawl_on(out, SIZE, 7)
    with StoreView.read(out) as view:
        check_consistent(view)
        counts = {file: extent.lines for file, extent in view.files()["pages"].items()}
        assert counts == {"pages": 2, "pages.00001": 1, "pages.00002": 3, "pages.00003": 1}
        assert view.extents()["pages"].lines == 7
        assert view.accounting().problems == view.lost_lines() == []
    assert [line["id"] for line in lines(out, "pages")] == list(range(1, 8))


async def test_a_copy_has_every_file(tmp_path: Path) -> None:
    """As it was committed, and a crawl goes on from there."""
    await crawl_on(tmp_path / "out", SIZE, 1, 2, 3)
    back_up(tmp_path / "out", tmp_path / "copy")
    await crawl_on(tmp_path / "copy", SIZE, 4)
    with StoreView.read(tmp_path / "copy") as view:
        check_consistent(view)
        assert list(view.files()["pages"]) == [part_name("pages", n) for n in range(1, 5)]


async def test_a_file_that_ended_is_watched_as_well(tmp_path: Path) -> None:
    """Where one was changed or is gone no run goes on; nor is one in the way written over."""
    await crawl_on(tmp_path / "out", SIZE, 1, 2)
    first = line_path(tmp_path / "out", "pages.00001")
    data = first.read_bytes()
    store = await Store.open(tmp_path / "out", IDENTITY, rotate_bytes=SIZE).__aenter__()
    first.write_bytes(data + b"{}\n")
    with pytest.raises(LinesLost, match=r"pages.00001.jsonl was changed by another program"):
        await store.flush()
    with pytest.raises(LinesLost):
        await store.__aexit__(None, None, None)
    first.unlink()
    with pytest.raises(StoreMismatch, match=r"pages.00001.jsonl has 0 bytes"):
        Store.open(tmp_path / "out", IDENTITY)
    first.write_bytes(data)
    taken = line_path(tmp_path / "out", "pages.00003")
    store = await Store.open(tmp_path / "out", IDENTITY, rotate_bytes=SIZE).__aenter__()
    taken.write_text("mine")
    store.submit_urls([new_url(3)])
    store.submit(page(3, 3))
    with pytest.raises(StoreError, match=r"File exists: .*pages.00003.jsonl"):
        await store.__aexit__(None, None, None)
    assert taken.read_text() == "mine"


@pytest.mark.parametrize("name", ["pages.00001.jsonl", "skipped.00007.jsonl"])
def test_a_new_crawl_touches_no_files_with_names_of_parts(tmp_path: Path, name: str) -> None:
    """They may be all that is left of another crawl."""
    (tmp_path / name).write_text("mine")
    with pytest.raises(StoreMismatch, match=f"{name} exists, but state.sqlite"):
        Store.create(tmp_path, IDENTITY)
    assert names(tmp_path) == sorted(["lock", name])


async def test_a_file_that_was_cut_is_not_read_to_a_silent_end(tmp_path: Path) -> None:
    """Whoever reads lines hears that some are missing, and of which file."""
    await crawl_on(tmp_path / "out", SIZE, 1, 2, 3)
    path = line_path(tmp_path / "out", "pages.00002")
    path.write_bytes(path.read_bytes()[:-7])
    with StoreView.read(tmp_path / "out") as view:
        with pytest.raises(StoreError, match=r"pages.00002.jsonl: the last 7 of \d+ committed"):
            list(view.lines("pages"))
        path.unlink()
        with pytest.raises(StoreError, match=r"pages.00002.jsonl: cannot be read: No such file"):
            list(view.lines("pages"))
