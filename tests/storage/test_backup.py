"""Copies of a crawl's directory: taken while it runs, whole, and resumed to the same end."""

from __future__ import annotations

import re
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from support.crawling import (
    AS_USERS_READ,
    FEWER,
    UNENDING,
    begun,
    demo_web,
    finished,
    job_data,
    program,
    write_job,
)
from support.output import all_lines
from support.store_material import check_consistent, crawl_of, new_url, page

from crawler.cli import main
from crawler.errors import StoreError, StoreMismatch
from crawler.storage.backup import back_up
from crawler.storage.directory import line_path
from crawler.storage.store import Store

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

SLOWLY = {"politeness": {"delay_s": 0.05, "per_host": 1}, "progress_s": 0.05}


def test_a_copy_of_a_running_crawl_is_resumed_to_its_end(tmp_path: Path) -> None:
    """A copy taken while pages are judged ends the crawl after the original was killed and lost."""
    output, copy = tmp_path / "out", tmp_path / "copy"
    with demo_web(articles=4) as (web, _):
        process = program(
            "--config",
            write_job(
                job_data(web, output, FEWER, AS_USERS_READ, UNENDING, SLOWLY), tmp_path / "j"
            ),
        )
        assert process.stderr is not None
        pages = (re.search(r" [1-9]\d* pages", line) for line in process.stderr)
        assert any(begun(output) for judged in pages if judged)
        assert main(["backup", str(output), str(copy)]) == 0
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        finished(process)
        with Store.read(copy) as view:
            check_consistent(view)
        shutil.rmtree(output)
        quick = write_job(job_data(web, copy, FEWER, AS_USERS_READ), tmp_path / "quick")
        assert main(["resume", str(copy), "--config", str(quick)]) == 0
        compared = web.truth.compare(*all_lines(copy))
    assert compared.wrong == ()


async def test_a_copy_holds_what_was_committed_and_no_more(tmp_path: Path) -> None:
    """Lines beyond the state's count stay behind, and the copy's state is the original's."""
    await crawl_of(tmp_path / "out", 3)
    with line_path(tmp_path / "out", "pages").open("ab") as file:
        file.write(b'{"torn')
    async with Store.open(tmp_path / "out") as store:
        store.submit_urls([new_url(4)])
        store.submit(page(4, 4))
        await store.flush()
        back_up(tmp_path / "out", tmp_path / "copy")
        store.submit_urls([new_url(5)])
    with Store.read(tmp_path / "copy") as view:
        check_consistent(view)
        assert view.next_url_id == 5
        assert view.database.pragma("user_version") == store_version(tmp_path / "out")
    assert "state.sqlite.part" not in {path.name for path in (tmp_path / "copy").iterdir()}


def store_version(directory: Path) -> int:
    """Return the schema version of a directory."""
    with Store.read(directory) as view:
        return view.database.pragma("user_version")


async def test_a_copy_never_overwrites_nor_pretends(tmp_path: Path) -> None:
    """A target with anything in it is refused, and what failed half-way is no crawl."""
    await crawl_of(tmp_path / "out", 3)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    with pytest.raises(StoreMismatch, match="full is not empty"):
        back_up(tmp_path / "out", tmp_path / "full")
    with pytest.raises(StoreMismatch, match="nowhere: no such directory"):
        back_up(tmp_path / "nowhere", tmp_path / "a")
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("inside", ["out", "out/copy", "out/a/b", "link/copy", "out/../out/copy"])
async def test_a_copy_does_not_lie_in_its_original(
    tmp_path: Path, inside: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A target inside the source, by whatever way, is one clear error, and nothing is made."""
    await crawl_of(tmp_path / "out", 3)
    (tmp_path / "link").symlink_to(tmp_path / "out")
    before = sorted((tmp_path / "out").rglob("*"))
    assert main(["backup", str(tmp_path / "out"), str(tmp_path / inside)]) == 2
    [error] = capsys.readouterr().err.splitlines()
    assert f"{tmp_path / inside} lies in {tmp_path / 'out'}, which is to be copied" in error
    assert sorted((tmp_path / "out").rglob("*")) == before


def cut(path: Path) -> None:
    """Take the last byte."""
    path.write_bytes(path.read_bytes()[:-1])


def gone(path: Path) -> None:
    """Delete the file."""
    path.unlink()


def overwritten(path: Path) -> None:
    """Let no line end where one did."""
    path.write_bytes(b"?" * path.stat().st_size)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (cut, "were committed: lines were lost"),
        (gone, "has 0 bytes"),
        (overwritten, "file differs"),
    ],
)
async def test_a_damaged_original_of_a_running_crawl_is_found_out(
    tmp_path: Path, damage: Callable[[Path], None], told: str
) -> None:
    """Lines that were changed behind a running crawl's back are no backup: it has no state file."""
    await crawl_of(tmp_path / "out", 3)
    async with Store.open(tmp_path / "out") as store:
        store.submit_urls([new_url(4)])
        store.submit(page(4, 4))
        await store.flush()
        damage(line_path(tmp_path / "out", "pages"))
        with pytest.raises(StoreError, match=told):
            back_up(tmp_path / "out", tmp_path / "copy")
    with pytest.raises(StoreMismatch, match="holds no crawl"):
        Store.open(tmp_path / "copy")
