"""The judge of a cluster over a million stored pages: CPU a page by role, memory, and answers.

    python -m benchmarks.judge_at_scale [--documents 1000000] [--shards 4] [--pages 8000] [--home D]

The pages are those of a generated web (`benchmarks.scale.web`): signatures, looks and all, as they
come from readers, a fifth of them copies. Shards are filled first, one process each; then a
sequencer and its shards judge more pages, 64 waiting at any time, in one process, pickled as
between several (`benchmarks.sharded_judge`). How long an answer takes is told by CPU: a batch takes
what the sequencer spends on it, and of each step what the slowest shard does. Carrier and disk come
on top.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import pickle
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.scale.web import Web
from benchmarks.sharded_judge import MeasuredCarrier
from crawler.cluster import protocol
from crawler.cluster.protocol import Kept, PageAsk
from crawler.cluster.sequencer import Sequencer, open_log
from crawler.cluster.shard import Shard
from crawler.config import Dedup
from crawler.dedup.copies import address_key
from crawler.engine import outcomes
from crawler.models import Document, PayloadKey

HOSTS = 10_000
BATCH = 64
AT_ONCE = 5_000
PERCENTILE = 99


def ask_of(number: int, page: tuple[PayloadKey, Document]) -> PageAsk:
    """Return the ask of a page, at a URL that no other has."""
    key, document = page
    url = f"https://www.h{number % HOSTS}.test/section-{number % 7}/{number:x}.html"
    return PageAsk(number, key, document.signature, outcomes.shown(url, document), address_key(url))


def fill(home: Path, documents: int, shards: int, number: int) -> None:
    """Have a shard keep what it holds of so many pages."""
    web = Web(HOSTS)
    web.go_on(documents, 0)

    async def keep() -> None:
        place = MeasuredCarrier(shards), number, shards
        shard = Shard(home / protocol.shard(number), Dedup(), *place, documents // shards)
        await shard.open()
        await shard.hello(1, documents)
        some = list[Kept]()
        for seq in range(shards if number == 0 else number, documents + 1, shards):
            some.append(Kept(seq, ask_of(seq, web.stored(seq - 1)), True, True))
            if len(some) == AT_ONCE or seq + shards > documents:
                await shard.keep(1, some)
                some.clear()
        await shard.close()

    asyncio.run(keep())


def fill_all(home: Path, documents: int, shards: int) -> None:
    """Fill all shards, and a log that says so."""
    with ProcessPoolExecutor(shards) as pool:
        list(pool.map(partial(fill, home, documents, shards), range(shards)))
    log = open_log(home / protocol.SEQUENCER)
    log.database.rows(
        "INSERT INTO verdicts (seq, partition, number, kept, name, represents) "
        "VALUES (?, 0, 0, 1, 'new', 1)",
        (documents,),
    )
    log.close()


def resident() -> int:
    """Return the bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def judged(home: Path, shards: int, pages: int) -> None:
    """Judge more pages, and print what it costs."""
    log = open_log(home / protocol.SEQUENCER)
    documents = log.database.cell("SELECT max(seq) FROM verdicts")
    log.close()
    web = Web(HOSTS, seed=2)
    web.go_on(documents, 0)
    numbers = range(documents + 1, documents + pages + 1)
    asks = [ask_of(number, web.next(number % HOSTS)) for number in numbers]
    batches = [pickle.dumps(asks[n : n + BATCH], -1) for n in range(0, pages, BATCH)]
    del asks
    gc.collect()
    gc.freeze()
    carried, before = MeasuredCarrier(shards), resident()
    for number in range(shards):
        place = carried, number, shards
        shard = Shard(home / protocol.shard(number), Dedup(), *place, documents // shards)
        carried.roles[protocol.shard(number)] = shard
        await shard.open()
    sequencer = Sequencer(home / protocol.SEQUENCER, Dedup(), carried, shards, batch=BATCH)
    await sequencer.open()
    epoch = 1
    first, *rest = batches
    begun = time.thread_time()
    await sequencer.ask(0, epoch, pickle.loads(first))
    built = time.thread_time() - begun
    print(
        f"{documents:,} pages at {shards} shards: indexes built in {built:.1f} s, "
        f"{(resident() - before) / documents:.0f} bytes of memory a page"
    )
    took, own_s = list[float](), 0.0
    carried.spent_s = dict.fromkeys(carried.spent_s, 0.0)
    for some in rest:
        carried.stages_s.clear()
        begun = time.thread_time()
        pickle.dumps(await sequencer.ask(0, epoch, pickle.loads(some)), -1)
        spent = time.thread_time() - begun - sum(carried.stages_s.values())
        own_s += spent
        stages = dict[str, float]()
        for (method, _), seconds in carried.stages_s.items():
            stages[method] = max(stages.get(method, 0.0), seconds)
        took.append(spent + sum(stages.values()))
    judged = pages - BATCH
    each = ", ".join(f"{1e3 * seconds / judged:.2f}" for seconds in carried.spent_s.values())
    print(f"CPU a page: sequencer {1e3 * own_s / judged:.2f} ms, each shard {each}")
    most = max(own_s, *carried.spent_s.values())
    print(f"pages a second by CPU of the busiest role: {judged / most:,.0f}")
    print(
        f"an answer with {BATCH} waiting, by CPU: median {1e3 * np.median(took):.0f} ms, "
        f"p{PERCENTILE} {1e3 * np.percentile(took, PERCENTILE):.0f}; one batch after another "
        f"{judged / sum(took):,.0f} pages a second"
    )
    await sequencer.close()
    for role in carried.roles.values():
        await role.close()


def main() -> None:
    """Measure from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--documents", type=int, default=1_000_000)
    flags.add_argument("--shards", type=int, default=4)
    flags.add_argument("--pages", type=int, default=8_000)
    flags.add_argument("--home", type=Path, help="keep the directories here, or use what is there")
    args = flags.parse_args()
    with tempfile.TemporaryDirectory(prefix="judge-") as place:
        home = args.home or Path(place)
        if not (home / protocol.SEQUENCER).exists():
            begun = time.monotonic()
            fill_all(home, args.documents, args.shards)
            print(f"filled in {time.monotonic() - begun:.0f} s", flush=True)
        asyncio.run(judged(home, args.shards, args.pages))


if __name__ == "__main__":
    main()
