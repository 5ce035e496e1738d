"""The end of a crawl: what it says and writes needs no memory for what has failed."""

from __future__ import annotations

import asyncio
import tracemalloc
from pathlib import Path

import pytest
from support.store_material import IDENTITY

from crawler.cli.commands.running import tell_end
from crawler.cli.commands.terminal import NO_PAGES
from crawler.config import parse_job
from crawler.models import NewUrl, PageOutcome, Priority, UrlState
from crawler.storage.directory import line_path
from crawler.storage.store import Store
from crawler.storage.summary import write_summary

FAILED = 6_000
URL = f"http://gone.test/{'a' * 2_000}/"
MOST = 4_000_000
"""Bytes of memory: a third of what the URLs of the failures take, a seventh of their lines."""


def failed(output: Path, failures: int) -> Path:
    """Make the directory of a crawl whose one seed has failed, and much else; return it."""

    async def fill() -> None:
        async with Store.create(output, IDENTITY) as store:
            for n in range(1, failures + 1):
                url = f"{URL}{n}"
                new = NewUrl(n, url, "gone.test", 0, Priority.ORDINARY, 0, None, seed=n == 1)
                store.submit_urls([new])
                line = {"url": url, "detail": f"nobody answers at {n}", "referrer": URL}
                store.submit(PageOutcome(n, UrlState.FAILED, (("failures", line),), end="connect"))
                await store.room()

    asyncio.run(fill())
    return output


def test_the_last_words_of_a_crawl_need_little_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Summary, report and why no seed was reached: files are read line by line, and not kept."""
    few, many = failed(tmp_path / "few", 1), failed(tmp_path / "many", FAILED)
    assert line_path(many, "failures").stat().st_size > 6 * MOST
    peaks = []
    for directory in (few, many):  # what is loaded for the first time is not counted
        tracemalloc.start()
        try:
            write_summary(directory)
            assert tell_end(parse_job({"output": str(directory)}, "test"), 0) == NO_PAGES
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[1] < MOST
    err = capsys.readouterr().err
    assert err.count("nobody answers at 1\n") == 2
    assert err.count("nobody answers") == 2
