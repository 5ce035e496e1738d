"""Whole crawls of servers on loopback that live in the test's own loop, run after run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crawler.config import parse_job
from crawler.engine.identity import identity
from crawler.sources.web.crawl import Crawl
from crawler.storage.store import Store
from crawler.storage.summary import write_summary
from support.output import Line, lines


async def crawled(data: Mapping[str, Any], *, resumed: bool = False) -> list[str]:
    """Run a crawl to its end, or go on with it; return what it reported."""
    job = parse_job(data, "test")
    store = (Store.open if resumed else Store.create)(job.output, identity(job))
    said: list[str] = []
    await Crawl(job, store, report=said.append).run()
    write_summary(job.output)
    return said


def ends(output: Path, *names: str) -> dict[str, Any]:
    """Return what became of each path: the line that tells it, with the file's name as `file`."""
    return {
        f"/{line['url'].split('/', 3)[3]}": Line(line, file=name)
        for name in names or ("pages", "duplicates", "redirects", "failures", "skipped")
        for line in lines(output, name)
    }


def files(output: Path) -> dict[str, str]:
    """Return in which file each path has its line."""
    return {path: line["file"] for path, line in ends(output).items()}
