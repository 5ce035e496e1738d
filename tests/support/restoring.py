"""Crawls with dropped pages, what must hold of them, and restores that kill themselves."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from crawler.cli import main
from crawler.models import UrlState
from crawler.sources.web import restore
from crawler.storage import rows
from crawler.storage.directory import line_path
from crawler.storage.journal import Journal, on_disk
from crawler.storage.view import StoreView
from support.analysing import no_processes
from support.crawling import QUICK, crawl, demo_web, job_data
from support.output import lines
from support.store_material import check_consistent

DROP = {
    "dedup": {"near": "drop", "siblings": "drop"},
    "scope": {"exclude": [r"/stall", r"//(slow|down|closed|broken|bodies)\."]},
}
GROUP = 3
"""Pages a group, of a restore that is to be killed."""


def crawl_that_drops(output: Path, **sections: Any) -> None:
    """Crawl a demo web, dropping near duplicates and siblings; `sections` change the job."""
    with demo_web(articles=4) as (web, _), no_processes():
        assert crawl(job_data(web, output, QUICK, DROP, sections)) == 0


def copied(original: Path, target: Path) -> Path:
    """Return a copy of a directory that a test may change."""
    shutil.copytree(original, target)
    return target


def dropped(output: Path) -> dict[str, dict[str, Any]]:
    """Return the lines of all pages that can be restored, by URL: kept, or a page's very bytes."""
    query = (
        "SELECT url FROM urls WHERE state = 2 AND (id IN (SELECT url_id FROM dropped) "
        "OR (detail = 'exact-payload' AND duplicate_of IS NOT NULL))"
    )
    with StoreView.read(output) as view:
        urls = {url for (url,) in view.database.rows(query)}
    return {line["url"]: line for line in lines(output, "duplicates") if line["url"] in urls}


def restored(output: Path) -> dict[str, dict[str, Any]]:
    """Return the lines of restored pages, by URL."""
    return {line["url"]: line for line in lines(output, "pages") if line["restored_at"]}


def state_of(output: Path) -> list[Any]:
    """Return all that a restore may change."""
    tables = ("urls", "documents", "shingles", "appearances", "dropped", "files", "totals", "meta")
    with StoreView.read(output) as view:
        found = [view.database.rows(f"SELECT * FROM {table} ORDER BY 1") for table in tables]
    return [*found, [line_path(output, file).read_bytes() for file in on_disk(output)]]


def check_all_or_nothing(output: Path, every: set[str]) -> set[str]:
    """Assert that each of `every` URL is wholly restored or wholly dropped; return the restored."""
    with StoreView.read(output) as view:
        assert view.accounting().problems == []
        extent, committed = view.extents()["pages"], [one.data for one in view.lines("pages")]
        query = "SELECT u.url, u.state, d.id FROM urls AS u LEFT JOIN documents AS d "
        states = {
            url: (UrlState(state), page)
            for url, state, page in view.database.rows(f"{query} ON d.url_id = u.id")
        }
    assert len(committed) == extent.lines
    assert b"".join(committed).count(b'"restored_at":"') == sum(
        states[url][0] is UrlState.STORED for url in every
    )
    left = set(dropped(output))
    for url in every:
        ended = (UrlState.DUPLICATE, None) if url in left else (UrlState.STORED, states[url][1])
        assert states[url] == ended
        assert (states[url][1] is None) == (url in left)
    return every - left


def check_whole(output: Path, every: set[str]) -> None:
    """Assert that all of `every` URL were restored once, and that all counts agree."""
    assert check_all_or_nothing(output, every) == every
    assert set(restored(output)) == every
    ids = [line["id"] for line in lines(output, "pages")]
    assert ids == list(range(1, len(ids) + 1))
    with StoreView.read(output) as view:
        check_consistent(view)


MOMENTS = ("lines half written", "lines synced", "before the commit", "after the commit")


def restore_and_die(arguments: Sequence[str], moment: str, group: int) -> None:
    """Run `restore` in small groups; end by SIGKILL at a moment of a group, counted from 1."""
    restore.GROUP_PAGES = GROUP
    append, extents, commit = Journal.append, rows.set_extents, restore.Restore._commit
    written = Journal._write
    groups = 0

    def dying(at: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def then_die(*given: Any) -> Any:
            nonlocal groups
            groups += at == MOMENTS[0]
            if at == moment == MOMENTS[0] and groups == group:
                journal, name, encoded = given
                os.write(journal._descriptors[name], bytes(encoded)[:-100])
                os.kill(os.getpid(), signal.SIGKILL)
            done = call(*given)
            if at == moment and groups == group:
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        return then_die

    Journal._write = dying(MOMENTS[0], written)  # type: ignore[method-assign]
    Journal.append = dying(MOMENTS[1], append)  # type: ignore[method-assign]
    rows.set_extents = dying(MOMENTS[2], extents)
    restore.Restore._commit = dying(MOMENTS[3], commit)  # type: ignore[method-assign]
    main(list(arguments))


def restore_and_ask(arguments: Sequence[str]) -> int:
    """Run `restore` in groups of two pages; ask it to end by SIGTERM after the first one."""
    restore.GROUP_PAGES = 2
    commit = restore.Restore._commit

    def commit_and_ask(self: restore.Restore, *given: Any) -> Any:
        done = commit(self, *given)
        if len(self.ids) == 2:
            signal.raise_signal(signal.SIGTERM)
        return done

    restore.Restore._commit = commit_and_ask  # type: ignore[method-assign, assignment]
    return main(list(arguments))


def restore_until(arguments: Sequence[str], calls: int) -> None:
    """Run `restore`, committing each page alone; end by SIGKILL so many calls after its first line.

    Of functions in Python and in C, so that the moment is the same on every machine.
    """
    restore.GROUP_PAGES = 1
    append, left = Journal.append, calls

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal left
        left -= event.endswith("call")
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def counting(*given: Any) -> Any:
        done = append(*given)
        sys.setprofile(counted)
        return done

    Journal.append = counting  # type: ignore[method-assign, assignment]
    main(list(arguments))
