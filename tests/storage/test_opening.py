"""Directories of crawls: which are opened, which are refused and why, and what is put right."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from support.output import lines
from support.store_material import IDENTITY, check_consistent, crawl_of, new_url
from support.victim import begun

from crawler.errors import StoreInUse, StoreMismatch
from crawler.storage.directory import line_path
from crawler.storage.store import Store
from crawler.storage.tables import Meta


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
    with pytest.raises(
        StoreMismatch, match="check the path" if left == "nothing" else "repeat the command"
    ):
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
    assert [line["id"] for line in lines(tmp_path, "pages")] == [1, 2]


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


def take(directory: Path, opening: str) -> None:
    """Say why a directory is refused, and the exit code."""
    try:
        getattr(Store, opening)(directory, {})
    except StoreInUse as error:
        print(error, error.exit_code)


async def test_second_process_is_refused(tmp_path: Path) -> None:
    """While one process has the directory another is refused and told which."""
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(1)])
        await store.flush()
        for opening in ("create", "open"):
            with begun(take, tmp_path, opening, stdout=subprocess.PIPE) as other:
                output, _ = await asyncio.to_thread(other.communicate)
            assert f"in use by a crawl (pid {os.getpid()} on " in output
            assert output.strip().endswith(" 2")
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
