"""What pages have proven of their site's addresses is kept: a run goes on where one has ended."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.analysing import no_processes
from support.crawling import crawl, loopback_job
from support.output import lines
from support.shelf import shelf, written
from support.store_material import IDENTITY, check_consistent, new_url, page
from support.victim import killed

from crawler.cli import main
from crawler.models import EditionCount, PageOutcome
from crawler.storage import rows
from crawler.storage.store import Store
from crawler.storage.view import StoreView
from crawler.urls.editions import LEAST

pytestmark = pytest.mark.usefixtures("no_analysis_processes")

WALKS = range(3, 3 + LEAST)
PAGES = {
    **{f"/walk/{n}": written(f"Walk {n}", n) for n in WALKS},
    **{f"/fr/walk/{n}": written(f"Walk {n}", n, below="<div>77 views</div>") for n in WALKS},
    "/goods": written("Bell", 1),
    "/fr/goods": written("Bell", 1, below="<div>Traduire</div><div>Corriger</div>"),
}
"""As many walks as are asked for earn that `/fr/` is an edition. The last page is a copy by that
alone: it shows two lines more."""
EARNED = EditionCount("{host}/", "", "fr", LEAST, 0)


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    """Serve the pages."""
    with shelf(PAGES) as address:
        yield address


def crawled(output: Path, host: str, pages: int = 99) -> Path:
    """Crawl in the order of the pages, until so many are judged."""
    job = loopback_job(
        output, [host + path for path in PAGES], fetch={"workers": 1}, limits={"pages": pages}
    )
    assert crawl(job) == 0
    return output


def resumed(output: Path) -> Path:
    """Go on to the end."""
    assert main(["resume", str(output), "--pages", "99"]) == 0
    return output


def told(output: Path) -> tuple[dict[str, tuple[Any, ...]], list[EditionCount]]:
    """Return URL -> verdict, page that it is like and evidence; and what was learned."""
    found = {}
    for name in ("pages", "duplicates"):
        for line in lines(output, name):
            like = (line.get("sibling_of") or line.get("duplicate_of") or {}).get("url")
            found[line["url"]] = name, line["verdict"], like, line.get("evidence")
    with StoreView.read(output) as view:
        check_consistent(view)
        return found, [count for count in view.editions() if not count.slot.endswith("/*")]


@pytest.fixture(scope="module")
def undisturbed(
    host: str, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, tuple[Any, ...]], list[EditionCount]]:
    """What one run without an end says."""
    with no_processes():
        found = told(crawled(tmp_path_factory.mktemp("editions") / "whole", host))
    verdicts, learned = found
    of = (f"{host}/goods", "same-address")
    assert verdicts[f"{host}/fr/goods"] == ("duplicates", "near", *of)
    name = host.removeprefix("http://")
    assert EARNED._replace(slot=f"{name}/") in [one._replace(agree=LEAST) for one in learned]
    return found


def nothing(output: Path) -> None:
    """Go on at once."""


def signed_again(output: Path) -> None:
    """Sign all stored pages again."""
    assert main(["reindex", str(output)]) == 0


def gone_on_and_killed(output: Path) -> None:
    """Go on, and end by SIGKILL in the midst of the next transaction that keeps ends of pages."""
    killed(resume_and_die, str(output))


def resume_and_die(output: str) -> None:
    """See `gone_on_and_killed`."""
    keep = rows.add_totals

    def die(connection: sqlite3.Connection, outcomes: Iterable[PageOutcome]) -> None:
        keep(connection, outcomes)
        if any(outcome.lines for outcome in outcomes):
            os.kill(os.getpid(), signal.SIGKILL)

    rows.add_totals = die
    with no_processes():
        main(["resume", output, "--pages", "99"])


@pytest.mark.parametrize("pages", [len(WALKS) + 1, len(PAGES) - 1])
@pytest.mark.parametrize("between", [nothing, signed_again, gone_on_and_killed])
def test_a_run_goes_on_with_what_was_learned(
    tmp_path: Path,
    host: str,
    undisturbed: tuple[dict[str, tuple[Any, ...]], list[EditionCount]],
    pages: int,
    between: Callable[[Path], None],
) -> None:
    """Stopped, signed again or killed, then resumed, it says of each page what one run says."""
    output = crawled(tmp_path / "out", host, pages)
    between(output)
    assert told(resumed(output)) == undisturbed


async def test_what_is_learned_is_kept_with_the_ends_of_pages(tmp_path: Path) -> None:
    """The latest count of a place stays, whether two pages of one commit changed it or of two."""
    first, second, third = (EditionCount("a.test/", "", "fr", n, 0) for n in (1, 2, 3))
    other = EditionCount("a.test/", "?", "?", 1, 0)
    async with Store.create(tmp_path, IDENTITY) as store:
        store.submit_urls([new_url(n) for n in (1, 2, 3)])
        store.submit(replace(page(1, 1), editions=(first, other)))
        store.submit(replace(page(2, 2), editions=(second,)))
        await store.flush()
        assert store.editions() == [second, other]
        store.submit(replace(page(3, 3), editions=(third,)))
    with closing(Store.open(tmp_path, IDENTITY)) as store:
        assert store.editions() == [third, other]
