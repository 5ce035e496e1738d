"""The scope that a seed's redirect has widened holds in every later run of the same job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.crawling import loopback_job
from support.output import lines, summary_of
from support.servers import redirect, response, serve
from support.sites import crawled

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


def page(name: str, *links: str) -> bytes:
    """A page of its own, with links."""
    anchors = "".join(f'<a href="{link}">on</a>' for link in links)
    words = " ".join(f"{name} {n * 7} of {name}{n}" for n in range(30))
    return response(f"<title>{name}</title><p>{words}</p>{anchors}".encode())


@pytest.mark.parametrize("mode", ["host", "domain", "path"])
async def test_a_resume_goes_on_where_a_refused_redirect_led(tmp_path: Path, mode: str) -> None:
    """Pages of a host that became part of the scope stay wanted, though its home page is not."""
    texts = {f"/text/{n}": page(f"text{n}") for n in range(6)}
    async with serve({"/": page("home"), **texts}, host="127.0.0.2") as other:
        to = [f"{other.url}{path}" for path in texts]
        routes = {"/text/": redirect(f"{other.url}/"), "/text/list": page("list", *to)}
        async with serve(routes) as site:
            seeds = [f"{site.url}/text/", f"{site.url}/text/list"]
            changes: dict[str, Any] = {
                "scope": {"mode": mode, "exclude": [r"//[^/]+/$"]},
                "limits": {"pages": 3},
                "frontier": {"host_queue": 2},
                "fetch": {"allow_addresses": ["127.0.0.0/8"], "workers": 1},
            }
            job = loopback_job(tmp_path, seeds, **changes)
            await crawled(job)
            assert lines(tmp_path, "redirects")[0]["offered"] == "out-of-scope"
            assert summary_of(tmp_path)["pending"] > 0
            for pages in (4, 100):
                await crawled({**job, "limits": {"pages": pages}}, resumed=True)
    assert lines(tmp_path, "skipped") == []
    assert {line["url"] for line in lines(tmp_path, "pages")} == {seeds[1], *to}
