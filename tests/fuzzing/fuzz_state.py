"""A crawl's directory, damaged as bytes say, and opened as `resume` and `report` open it."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from support.store_material import IDENTITY, document, duplicate, new_url, page

from crawler.cli.commands import jobs
from crawler.config import Job
from crawler.dedup import Signer
from crawler.errors import CrawlerError
from crawler.sources.web.crawl import Crawl
from crawler.storage.directory import LINE_FILES, line_path
from crawler.storage.reference_index import open_layers
from crawler.storage.rows import PauseRow
from crawler.storage.store import Store
from crawler.storage.summary import read_summary
from crawler.storage.view import StoreView, largest_clusters, largest_hosts

VALUES: tuple[Any, ...] = (
    None,
    -1,
    0,
    2**63 - 1,
    0.5,
    float("inf"),
    "",
    "x",
    b"",
    b"\xff\0",
    "[]",
    "{",
)
"""What a column may hold that should not."""


def read_damaged_state(home: Path, damage: bytes) -> None:
    """Damage a copy of a small crawl in `home`, read it all, and assert that no line was lost."""
    directory = home / "crawl"
    shutil.copytree(_crawl(), directory)
    _damage(directory, damage[:1], damage[1:])
    before = _line_files(directory)
    message = _trouble(directory)
    assert damage or message is None, message
    if message:
        assert str(directory) in message
        assert _line_files(directory) == before


def _trouble(directory: Path) -> str | None:
    """Read the directory as a report and as a resume; return what the user would be told."""
    try:
        _report(directory)
        asyncio.run(_resume(directory))
    except CrawlerError as error:
        return str(error)
    return None


@lru_cache(maxsize=1)
def _crawl() -> Path:
    """Return a directory with a small crawl, made once a process."""
    directory = Path(mkdtemp()) / "crawl"
    asyncio.run(_make(directory))
    return directory


async def _make(directory: Path) -> None:
    sign = Signer(Job().dedup)
    async with Store.create(directory, IDENTITY) as store:
        store.submit_urls([new_url(n, seed=n == 1) for n in range(1, 7)])
        for n in range(1, 5):
            text = f"Page {n}: " + " ".join(f"word{n * k}" for k in range(80))
            batch = page(n, n)
            stored = replace(document(n, n), signature=sign(text, text))
            store.submit(replace(batch, document=stored))
        store.submit(duplicate(5, of=1))
        store.begin_run({"seeds": ["http://host1.example/"], "output": str(directory)})
        store.mark_run(stopped=True)
        store.note_pauses({"host1.example": PauseRow("host1.example", 3.0, 1.0, 0.0)})


def _damage(directory: Path, kind: bytes, how: bytes) -> None:
    """Overwrite bytes, cut the state file, change a row, or harm a line file."""
    state = directory / "state.sqlite"
    match kind:
        case b"\0":
            body = bytearray(state.read_bytes())
            for at in range(0, len(how) - 3, 4):
                body[int.from_bytes(how[at : at + 3]) % len(body)] = how[at + 3]
            state.write_bytes(body)
        case b"\1":
            state.write_bytes(state.read_bytes()[: int.from_bytes(how[:4])])
        case b"\2":
            _change_rows(state, how)
        case b"\3" if how:
            path = line_path(directory, LINE_FILES[how[0] % len(LINE_FILES)])
            path.write_bytes(path.read_bytes()[: int.from_bytes(how[1:3])] + how[3:])
        case _:
            pass


def _change_rows(state: Path, how: bytes) -> None:
    """Set columns of chosen tables to VALUES, or to the rest of the input."""
    with closing(sqlite3.connect(state)) as connection, suppress(sqlite3.Error):
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for at in range(0, min(len(how), 16) - 3, 4):
            table = names[how[at] % len(names)][0]
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            column = columns[how[at + 1] % len(columns)]
            number = how[at + 2] % (len(VALUES) + 2)
            rest = how[at + 4 :]
            value = [*VALUES, rest, rest.decode("utf-8", "replace")][number]
            only = f"WHERE rowid = {how[at + 3] % 5}" if how[at + 3] % 5 else ""
            with suppress(sqlite3.Error, OverflowError), connection:
                connection.execute(f"UPDATE {table} SET {column} = ? {only}", (value,))


def _line_files(directory: Path) -> list[bytes | None]:
    paths = [line_path(directory, name) for name in LINE_FILES]
    return [path.read_bytes() if path.exists() else None for path in paths]


def _report(directory: Path) -> None:
    with StoreView.read(directory) as view:
        read_summary(view)
        largest_hosts(view, 5)
        largest_clusters(view, 5)
        list(view.seeds())


async def _resume(directory: Path) -> None:
    """Read what a resumed crawl reads, in its order."""
    job = jobs.changed(directory)
    async with Store.open(directory, IDENTITY) as store:
        crawl = Crawl(job, store)
        crawl._pages = open_layers((), store, IDENTITY, ExitStack())
        await crawl._restore()
        for host, _ in store.pending():
            await store.refill(host, (-1, -1, -1), 10)
        store.accounting()
