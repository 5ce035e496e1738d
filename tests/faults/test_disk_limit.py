"""Limits of disk: a run ends cleanly where its directory is large enough, or the disk too full."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from support.crawling import command, loopback_job, write_job
from support.output import lines, summary_of
from support.servers import Request, response, serve
from support.sites import crawled
from support.threaded import Reply, site

from crawler.config import parse_job
from crawler.sources.web.crawl import Disk, used_bytes

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


def page(n: int) -> str:
    """A page of some kilobytes of text of its own, that leads to the next one."""
    words = " ".join(f"w{n}x{k}" for k in range(2_000))
    return f'<title>{n}</title><p>{words}<p><a href="/{n + 1}">next</a>'


def answer(path: str) -> Reply:
    """A chain of pages without an end: what ends a crawl of it is its limit, however late."""
    return Reply(page(int(path[1:]))) if path[1:].isdigit() else Reply(status=404)


async def test_a_crawl_stops_at_its_size_and_goes_on_with_more(tmp_path: Path) -> None:
    """An endless crawl ends by its limit, and so does its resume; without one nothing is lost."""
    asked, last = list[int](), sys.maxsize

    async def chain(request: Request, writer: asyncio.StreamWriter) -> None:
        if not request.target[1:].isdigit():
            writer.write(response(b"", status=404))
            return
        asked.append(int(request.target[1:]))
        text = page(asked[-1]) if asked[-1] < last else "<p>The end"
        writer.write(response(text.encode()))

    async with serve(chain) as server:
        seed = f"{server.url}/0"

        def job(limits: dict[str, Any]) -> dict[str, Any]:
            polite = {"delay_s": 0.01}
            return loopback_job(tmp_path, [seed], limits=limits, progress_s=0.01, politeness=polite)

        for resumed in (False, True):
            said = await crawled(job({"disk": 300_000}), resumed=resumed)
            assert lines(tmp_path, "pages")
            assert any("limits.disk is 300,000" in line for line in said)
            assert summary_of(tmp_path)["pending"] == 1
        last = asked[-1] + 5
        await crawled(job({}), resumed=True)
        assert asked == list(range(last + 1))
        assert len(lines(tmp_path, "pages")) == last + 1


async def test_a_full_disk_lets_no_page_begin(tmp_path: Path) -> None:
    """The floor is looked at before the first request."""
    async with serve({}) as server:
        job = loopback_job(tmp_path, [f"{server.url}/0"], limits={"free_disk": 2**53})
        said = await crawled(job)
        assert server.requests == []
        assert any("limits.free_disk is" in line for line in said)
        assert summary_of(tmp_path)["pending"] == 1


def test_the_last_line_tells_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The way on is a command that can be copied."""
    with site(answer) as server:
        job = loopback_job(tmp_path / "out", [f"{server.url}/0"], progress_s=0.01)
        job["politeness"]["delay_s"] = 0.01
        config = write_job(job, tmp_path / "job.yaml")
        code, _, err = command(capsys, "crawl", "--config", config, "--disk", "300KB")
        assert code == 0
        assert "Disk limit 300,000 reached, 1 URL is pending; continue with: " in err
        more = err.split("continue with: ")[1].split()
        code, _, err = command(capsys, *more[more.index("resume") :])
        assert code == 0, err
        code, _, err = command(capsys, "resume", tmp_path / "out", "--free-disk", "9000TB")
        assert code == 0, err
        assert "make room, then continue with: " in err


async def test_only_a_job_with_limits_measures(tmp_path: Path) -> None:
    """Neither look nor watch costs anything without one; links are not followed."""
    disk = Disk(parse_job({}, "test").limits, tmp_path / "not there", print)
    await disk.look()
    await disk.watch(1.0, lambda: None)
    assert not disk.full
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "file").write_bytes(b"x" * 1000)
    (tmp_path / "loop").symlink_to(tmp_path)
    assert 1000 <= used_bytes(tmp_path) < 2000


async def test_the_watch_looks_until_it_is_enough(tmp_path: Path) -> None:
    """It says so once, to the one who is to begin no new page."""
    told: list[str] = []
    disk = Disk(parse_job({"limits": {"disk": 1500}}, "test").limits, tmp_path, told.append)
    naps: list[float] = []

    async def grow(seconds: float) -> None:
        naps.append(seconds)
        (tmp_path / f"{len(naps)}").write_bytes(b"x" * 500)

    await disk.watch(60.0, lambda: told.append("reached"), grow)
    assert naps == [2.0, 2.0, 2.0]
    assert (len(told), told[-1]) == (2, "reached")
