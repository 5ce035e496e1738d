"""Limits and headers of single hosts hold in whole crawls, and over their runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.crawling import loopback_job
from support.output import lines, summary_of
from support.servers import Site, response, serve
from support.sites import crawled

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


def pages(name: str) -> dict[str, bytes]:
    """Five pages of their own."""
    texts = (" ".join(f"{name}{n}x{k}" for k in range(30)) for n in range(5))
    return {
        f"/{n}": response(f"<title>{n}</title><p>{text}".encode()) for n, text in enumerate(texts)
    }


def stored(output: Path, site: Site) -> int:
    """Count the stored pages of a server."""
    return sum(line["url"].startswith(f"{site.url}/") for line in lines(output, "pages"))


async def test_a_host_has_its_pages_and_headers_over_all_runs(tmp_path: Path) -> None:
    """The other host goes on; what waits is asked for once the limit is higher."""
    async with serve(pages("one")) as one, serve(pages("other")) as other:
        seeds = [f"{site.url}{path}" for site in (one, other) for path in pages("")]
        limited = f"127.0.0.1:{one.port}"

        def job(most: int) -> dict[str, Any]:
            hosts = {limited: {"pages": most, "headers": {"X-Told": "one"}}}
            return loopback_job(tmp_path, seeds, hosts=hosts)

        await crawled(job(2))
        assert (stored(tmp_path, one), stored(tmp_path, other)) == (2, 5)
        assert summary_of(tmp_path)["pending"] == 3
        await crawled(job(3), resumed=True)
        assert stored(tmp_path, one) == 3
        await crawled(job(9), resumed=True)
        assert stored(tmp_path, one) == 5
        assert {request.headers.get("x-told") for request in one.requests} == {"one"}
        assert {request.headers.get("x-told") for request in other.requests} == {None}
