"""Line files that are deleted, replaced or cut while a crawl writes them stop it, and are named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.crawling import command, loopback_job, write_job
from support.shelf import shelf, written

from crawler.errors import LinesLost
from crawler.storage.directory import LINE_FILES, line_path
from crawler.storage.journal import Journal
from crawler.storage.store import Store

RECORD = {"url": "http://h/"}


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"x")


def _replace(path: Path) -> None:
    other = path.with_suffix(".other")
    other.write_bytes(path.read_bytes())
    other.rename(path)


HARMS: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "moved": lambda path: path.rename(path.with_suffix(".old")),
    "replaced": _replace,
    "cut": _cut,
    "grown": _grow,
}


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
@pytest.mark.parametrize("name", ["pages", "skipped"])
def test_no_line_is_added_to_a_file_that_lost_some(
    harm: Callable[[Path], object], name: str, tmp_path: Path
) -> None:
    """Before more is written, and whenever asked, the file is named; others are written."""
    journal = Journal(tmp_path, {})
    journal.append((each, RECORD) for each in LINE_FILES)
    journal.check()
    harm(line_path(tmp_path, name))
    with pytest.raises(LinesLost, match=f"{name}.jsonl was .* restore"):
        journal.append([(name, RECORD)])
    with pytest.raises(LinesLost, match=f"{name}.jsonl was "):
        journal.check()
    journal.append([("redirects", RECORD)])
    journal.close()


async def test_the_end_of_a_crawl_looks_at_all_files(tmp_path: Path) -> None:
    """What is lost of a file that is written no more is noticed when all is made durable."""
    told = r"pages.jsonl was moved, deleted or replaced"
    store = await Store.create(tmp_path / "out", {}).__aenter__()
    await store.flush()
    line_path(tmp_path / "out", "pages").unlink()
    with pytest.raises(LinesLost, match=told):
        await store.flush()
    with pytest.raises(LinesLost, match=told):
        await store.__aexit__(None, None, None)


@pytest.mark.usefixtures("no_analysis_processes")
def test_a_crawl_without_its_lines_ends_in_one_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command ends by exit code 3 and one line, which names the file and the ways out."""
    output = tmp_path / "out"

    class Pages(dict[str, str]):
        def get(self, path: str, default: str | None = None) -> str | None:  # type: ignore[override]
            if path == "/last":
                line_path(output, "pages").unlink()
            return super().get(path, default)

    start = written("Start", 1, below='<a href="/last">x</a>')
    with shelf(Pages({"/": start, "/last": written("Last", 2)})) as address:
        job = write_job(loopback_job(output, [f"{address}/"]), tmp_path / "job.yaml")
        code, _, err = command(capsys, "--config", job)
    told = [line for line in err.splitlines() if line.startswith("crawler: ")]
    assert code == 3
    assert len(told) == 1
    assert "pages.jsonl was moved, deleted or replaced" in told[0]
    assert "Traceback" not in err
