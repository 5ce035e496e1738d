"""How many files a plain page's way leads through: what a reader of the code has to hold."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from support.crawling import loopback_job
from support.paths import PACKAGE
from support.servers import Request, reply_to, response, serve
from support.site_pages import article, site
from support.sites import crawled, files

from crawler.storage.store import Store

MOST_FILES = 60

pytestmark = pytest.mark.usefixtures("no_analysis_processes")


class Entered:
    """The files of the package whose functions are entered while `on`, in any thread."""

    def __init__(self) -> None:
        self.on = False
        self.names: set[str] = set()

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """See `sys.setprofile`."""
        if self.on and event == "call":
            self.names.add(frame.f_code.co_filename)

    @property
    def files(self) -> list[str]:
        """Return them as paths in the package."""
        inside = (Path(name) for name in self.names if name.startswith(str(PACKAGE)))
        return sorted(str(path.relative_to(PACKAGE)) for path in inside)


@contextmanager
def noting() -> Iterator[Entered]:
    """Note the files of threads that are started meanwhile, and of this one."""
    entered = Entered()
    threading.setprofile(entered.note)
    sys.setprofile(entered.note)
    try:
        yield entered
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


async def test_a_plain_page_runs_through_few_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From its turn to its commit a page without duplicates, redirects or archives enters few.

    Counted from the request of one page of a site until the last pages of it are committed; pages
    are read in this process, so the files of both sides count.
    """
    flush = Store.flush

    async def committed(store: Store) -> None:
        await flush(store)
        entered.on = False

    monkeypatch.setattr(Store, "flush", committed)
    there = site(40) | {f"/menu/{n}": article(100 + n) for n in range(12)}  # no link is dead
    pages = {path: response(html.encode()) for path, html in there.items()}
    with noting() as entered:

        async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
            entered.on = entered.on or request.path == "/5"
            await reply_to(pages, request, writer)

        async with serve(answer) as server:
            await crawled(loopback_job(tmp_path / "out", [f"{server.url}/"]))
    ended = files(tmp_path / "out")
    assert {ended[f"/{number}"] for number in range(1, 40)} == {"pages"}
    assert not entered.on, "nothing was committed"
    assert len(entered.files) > 30, "nothing was noted"
    assert len(entered.files) <= MOST_FILES, "\n".join(entered.files)
