"""What a crawl in partitions costs beside one crawl of the same sites, and what a link costs.

    python -m benchmarks.cluster [--sites NAME ...] [--partitions 4] [--shards 2] [--turns 3]

All roles run in this process, so its CPU is that of partitions, judge and exchange together; calls
are pickled as Ray does. The processes that read pages and the server are others, and the same for
both. Crawls of both kinds take turns; printed are medians, and whether both stored the same texts.
"""

from __future__ import annotations

import argparse
import asyncio
import pickle
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import orjson

from benchmarks.corpora import CORPORA
from benchmarks.learning.replaying import Site, replaying
from benchmarks.learning.sites import STATIC, stage
from benchmarks.served import served
from crawler.cluster.coordinator import Coordinator
from crawler.cluster.root import Root
from crawler.config import Job, parse_job
from crawler.engine.identity import identity
from crawler.models import Priority, SentUrl
from crawler.sources.web.crawl import Crawl
from crawler.storage.directory import crawls_in
from crawler.storage.exchange import unpack_urls
from crawler.storage.store import Store

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.clustered import Local

LINKS, LINKS_A_PAGE = 100_000, 40


class Pickling(Local):
    """Calls and answers are pickled, as between machines."""

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """See Carrier."""
        told = pickle.loads(pickle.dumps(args, pickle.HIGHEST_PROTOCOL))
        answer = await super().call(role, method, *told)
        return pickle.loads(pickle.dumps(answer, pickle.HIGHEST_PROTOCOL))


@dataclass(frozen=True, slots=True)
class Ran:
    """A crawl that has ended."""

    cpu_s: float
    """Of the main process."""
    pages: int
    urls: frozenset[str]
    """That were fetched as pages."""
    texts: frozenset[str]
    """Digests of all that was stored."""


def whole(sites: list[str]) -> Mapping[str, Any]:
    """Return all answers of some sites."""
    answers: Site = Site()
    for name in sites:
        answers.update(stage(name).site)
    return answers


def ran(directory: Path, cpu_s: float) -> Ran:
    """Return what a crawl in a directory came to."""
    urls, texts, pages = set(), set(), 0
    for crawl in crawls_in(directory):
        for kind in ("pages", "duplicates"):
            for line in (crawl / f"{kind}.jsonl").read_bytes().splitlines():
                record = orjson.loads(line)
                pages += 1
                urls.add(record["url"])
                if kind == "pages":
                    texts.add(record["text_digest"])
    return Ran(cpu_s, pages, frozenset(urls), frozenset(texts))


async def one(job: Job) -> None:
    """Crawl in one process."""
    await Crawl(job, Store.create(job.output, identity(job))).run()


async def in_parts(job: Job) -> None:
    """Crawl in partitions."""
    root = Root.create(job.output, job)
    await Coordinator(root, Pickling(job.output), lambda line: None).run()


def compare(sites: list[str], partitions: int, shards: int, turns: int) -> None:
    """Print CPU a page of both kinds of crawl."""
    seeds = [seed for name in sites for seed in stage(name).seeds]
    found: dict[str, list[Ran]] = {"one crawl": [], f"{partitions} partitions": []}
    with served(partial(replaying, partial(whole, sites))) as web, places() as place:
        for turn in range(turns):
            for name, runs in found.items():
                parts = name != "one crawl"
                data: dict[str, Any] = {
                    "seeds": seeds,
                    "output": str(place / f"{turn}-{parts}"),
                    "scope": {"mode": "domain"},
                    "politeness": {"delay_s": 0.0},
                    "traps": {"enabled": False},
                    "fetch": {"proxy": f"http://127.0.0.1:{web.web}"},
                    "analysis": {"processes": 1 if parts else 2},
                }
                if parts:
                    data["cluster"] = {"partitions": partitions, "judge_shards": shards}
                job = parse_job(data, "benchmark")
                begun = time.process_time()
                asyncio.run(in_parts(job) if parts else one(job))
                runs.append(ran(job.output, time.process_time() - begun))
                print(f"{name}: {runs[-1].pages} pages, {runs[-1].cpu_s:.1f} s", flush=True)
    single, several = found.values()
    print(f"\n{'':16}{'pages':>8}{'ms a page':>12}")
    for name, runs in found.items():
        ms = median(1000 * run.cpu_s / run.pages for run in runs)
        print(f"{name:16}{runs[0].pages:8}{ms:12.2f}")
    same = all(run.urls == single[0].urls for run in (*single, *several))
    both = [len(run.texts) for run in (single[0], several[0])]
    print(f"same URLs: {same}; texts stored: {both[0]} and {both[1]}, ", end="")
    print(f"{len(single[0].texts & several[0].texts)} in both")


@contextmanager
def places() -> Iterator[Path]:
    """Yield a place for directories, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="cluster-") as place:
        yield Path(place)


async def links() -> None:
    """Print what a link to another partition costs: sender, its disk, receiver, its disk."""
    data = {"seeds": ["http://a.test/"], "output": "unused"}
    known = identity(parse_job(data, "benchmark"))
    with places() as place:
        sender, receiver = (Store.create(place / name, known) for name in ("a", "b"))
        outbox = sender.exchanges()
        receiver.exchanges()
        begun, heard = time.process_time(), 0
        async with sender, receiver:
            for start in range(0, LINKS, LINKS_A_PAGE):
                some = [
                    SentUrl(
                        1, f"http://b.test/page/{n}", 3, Priority.ORDINARY, 0, seed=False, via="a"
                    )
                    for n in range(start, start + LINKS_A_PAGE)
                ]
                sender.submit_urls([], some)
            await sender.flush()
            while messages := outbox.messages(1, heard):
                told = pickle.loads(pickle.dumps([(one.n, one.packed) for one in messages]))
                for n, packed in told:
                    urls = unpack_urls(1, packed)
                    with receiver.exchanging() as heard_of:
                        heard_of.arrive(0, n, len(urls))
                    heard = n
                await receiver.flush()
                with sender.exchanging() as exchanged:
                    exchanged.acknowledged[1] = heard
            await sender.flush()
        cost = (time.process_time() - begun) / LINKS
    print(f"a link to another partition, without its URL row and queue: {1e6 * cost:.1f} us CPU")


def main() -> None:
    """Measure from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--sites", nargs="+", default=list(STATIC))
    flags.add_argument("--partitions", type=int, default=4)
    flags.add_argument("--shards", type=int, default=2)
    flags.add_argument("--turns", type=int, default=3)
    args = flags.parse_args()
    asyncio.run(links())
    if CORPORA.exists():
        compare(args.sites, args.partitions, args.shards, args.turns)


if __name__ == "__main__":
    main()
