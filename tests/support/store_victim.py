"""A crawl to be killed: `python -m support.store_victim DIR` submits until it dies.

Prints `submitted N` before and `flushed N` after each page N, so that its killer can choose the
moment and knows what was acknowledged. With a byte limit as second argument no file grows beyond
it, as on a full disk; the error then ends the program with the exit code a user would get. With
another number, as third argument, files of lines end at that size.
"""

from __future__ import annotations

import asyncio
import resource
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

from crawler.errors import StoreError
from crawler.storage.journal import on_disk
from crawler.storage.store import Store
from crawler.storage.writer import GroupLimits
from support.store_material import IDENTITY, duplicate, new_url, page

PAGES_A_FLUSH = 3


async def crawl(directory: Path, rotate_bytes: int | None) -> None:
    """Submit pages for ever; page N is URL N, brings URL N + 1, and every fifth is a duplicate."""
    limits = GroupLimits(age_s=0.001)
    if on_disk(directory):
        store = Store.open(directory, IDENTITY, limits, rotate_bytes)
    else:
        store = Store.create(directory, IDENTITY, limits, rotate_bytes)
    async with store:
        if store.next_url_id == 1:
            store.submit_urls([new_url(1, seed=True)])
            await store.flush()
        for url_id in count(store.next_url_id - 1):
            print("submitted", url_id, flush=True)
            submit(store, url_id)
            await store.room()
            if url_id % PAGES_A_FLUSH == 0:
                await store.flush()
                print("flushed", url_id, flush=True)


def submit(store: Store, url_id: int) -> None:
    """Submit page `url_id`, in one batch with the URL it brings."""
    new = (new_url(url_id + 1, referrer_id=url_id),)
    batch = duplicate(url_id, of=1) if url_id % 5 == 0 else page(url_id, url_id)
    store.submit(replace(batch, new_urls=new))


def main() -> int:
    """Run, perhaps under a limit; return the exit code."""
    limit, rotate_bytes = (*map(int, sys.argv[2:]), 0, 0)[:2]
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        asyncio.run(crawl(Path(sys.argv[1]), rotate_bytes or None))
    except StoreError as error:
        print("error", error, flush=True)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
