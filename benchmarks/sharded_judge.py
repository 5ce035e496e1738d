"""The judge of a cluster beside one judge: the same verdicts, and what they cost each role.

    python -m benchmarks.sharded_judge [--corpora DIR] [--pages N] [--seed N] [--shards K ...]
                                       [--batch N ...] [--siblings MODE ...] [GROUP ...]

Judges pages of whole sites (`benchmarks.copies`, which reads and keeps them), those of all groups
in one random order, by one `Judge`, then by a sequencer and its shards in one process. Of each case
it says whether all verdicts are the same, with similarity, evidence and page id, and the CPU time a
page of the sequencer and of each shard, on average: everything is pickled between them as a carrier
between processes would have it, and each pays for what it packs and unpacks. Waiting for the disk
is not CPU time.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import pickle
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.copies import GROUPS, Page, pages_of
from benchmarks.corpora import CORPORA
from crawler.cluster import protocol
from crawler.cluster.protocol import Answer, PageAsk
from crawler.cluster.sequencer import Sequencer
from crawler.cluster.shard import Shard
from crawler.config import Dedup
from crawler.dedup import Judge, MemoryCatalog, payload_digest, represents
from crawler.dedup.copies import address_key
from crawler.engine import outcomes
from crawler.models import NearDuplicate, PayloadKey, StoredDocument, Verdict, verdict_name

Told = tuple[int, Verdict, int | None]


class MeasuredCarrier:
    """Carries calls within this process, and measures what those who are called spend."""

    def __init__(self, shards: int) -> None:
        self.roles: dict[str, Any] = {}
        self.spent_s = dict.fromkeys(map(protocol.shard, range(shards)), 0.0)
        self.stages_s = defaultdict[tuple[str, str], float](float)
        """What was spent by method and role; all roles are called with one method at once."""
        self.sent_bytes = Counter[str]()
        self._nested_s = 0.0
        """Spent by others on calls of who is called."""

    async def call(self, role: str, method: str, *args: Any) -> Any:
        """See Carrier. Nobody waits here, so all that passes while a shard answers is its own time.

        Or that of another one that it calls meanwhile.
        """
        sent = pickle.dumps((method, args), pickle.HIGHEST_PROTOCOL)
        began, by_caller, self._nested_s = time.thread_time(), self._nested_s, 0.0
        named, given = pickle.loads(sent)
        told = pickle.dumps(await getattr(self.roles[role], named)(*given), pickle.HIGHEST_PROTOCOL)
        spent = time.thread_time() - began
        self.spent_s[role] += spent - self._nested_s
        self.stages_s[method, role] += spent - self._nested_s
        self._nested_s = by_caller + spent
        self.sent_bytes["to"] += len(sent)
        self.sent_bytes["back"] += len(told)
        return pickle.loads(told)


def asks_of(corpora: Path, groups: Sequence[str], seed: int, pages: int) -> list[PageAsk]:
    """Return pages of groups, in one random order, as a partition asks about them."""
    # `Page` by this name: who has kept them may have been `benchmarks.copies` as a program.
    found: list[Page] = []
    for group in groups:
        found += pages_of(corpora, group, seed, learns=True)
    random.Random(seed).shuffle(found)
    return [
        PageAsk(
            number,
            PayloadKey(payload_digest(f"{page.document.title}{page.document.text}".encode()), "-"),
            page.document.signature,
            outcomes.shown(page.url, page.document),
            address_key(page.url),
        )
        for number, page in enumerate(found[:pages])
    ]


def by_one(settings: Dedup, asks: Sequence[PageAsk]) -> tuple[list[Told], float]:
    """Return what one judge says, and the seconds of CPU it took."""
    catalog = MemoryCatalog()
    judge = Judge(settings, catalog, len(asks))
    told: list[Told] = []
    began = time.thread_time()
    for seq, ask in enumerate(asks, 1):
        verdict = judge.judge(ask.key, ask.signature, seq, ask.shown)
        keeps = judge.keeps(verdict)
        told.append((seq, verdict, seq if keeps else None))
        if keeps:
            address = None if isinstance(verdict, NearDuplicate) else address_key(ask.shown.url)
            row = seq, seq, ask.shown.url, ask.key, ask.signature, represents(verdict)
            looks = ask.shown.layout, address, ask.shown.appearance
            catalog.add(StoredDocument(*row, *looks))
    return told, time.thread_time() - began


async def by_shards(
    settings: Dedup, asks: Sequence[PageAsk], shards: int, batch: int, home: Path
) -> tuple[list[Told], float, MeasuredCarrier]:
    """Return what a sequencer says, the seconds of CPU it took itself, and what was carried."""
    carried = MeasuredCarrier(shards)
    for number in range(shards):
        name = protocol.shard(number)
        place = carried, number, shards
        carried.roles[name] = Shard(home / name, settings, *place, len(asks) // shards)
        await carried.roles[name].open()
    sequencer = Sequencer(home / "sequencer", settings, carried, shards, batch=batch)
    await sequencer.open()
    told: list[Told] = []
    packed = [
        pickle.dumps(asks[start : start + batch], pickle.HIGHEST_PROTOCOL)
        for start in range(0, len(asks), batch)
    ]
    began = time.thread_time()
    for some in packed:
        answers: list[Answer] = await sequencer.ask(0, 1, pickle.loads(some))
        pickle.dumps(answers, pickle.HIGHEST_PROTOCOL)
        told += ((answer.seq, answer.verdict, answer.page_id) for answer in answers)
    spent = time.thread_time() - began - sum(carried.spent_s.values())
    await sequencer.close()
    for role in carried.roles.values():
        await role.close()
    return told, spent, carried


def main() -> None:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--corpora", type=Path, default=CORPORA, metavar="DIR")
    parser.add_argument("--pages", type=int, default=4_000, help="judged in each case (4,000)")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the pages (1)")
    parser.add_argument("--shards", type=int, nargs="*", default=(1, 2, 4))
    parser.add_argument("--batch", type=int, nargs="*", default=(1, 16, 64, 256))
    parser.add_argument("--siblings", nargs="*", default=("tag", "ignore"))
    arguments = parser.parse_args()
    if not arguments.corpora.is_dir():
        parser.error(f"{arguments.corpora}: no corpora there")
    groups = arguments.groups or list(GROUPS)
    asks = asks_of(arguments.corpora, groups, arguments.seed, arguments.pages)
    gc.collect()
    gc.freeze()  # all pages of the corpora are here; no role holds them
    for siblings in arguments.siblings:
        settings = Dedup.model_validate({"siblings": siblings})
        expected, spent = by_one(settings, asks)
        counts = Counter(verdict_name(verdict) for _, verdict, _ in expected)
        told = ", ".join(f"{name} {number:,}" for name, number in counts.most_common())
        print(f"siblings: {siblings}; {len(asks):,} pages: {told}")
        print(f"one judge: {spent / len(asks) * 1e3:.2f} ms a page")
        print(
            "shards  batch  verdicts  sequencer ms  each shard ms  kB to a shard  back", flush=True
        )
        for shards in arguments.shards:
            for batch in arguments.batch:
                with tempfile.TemporaryDirectory() as home:
                    found, own, carried = asyncio.run(
                        by_shards(settings, asks, shards, batch, Path(home))
                    )
                each = sum(carried.spent_s.values()) / shards
                to, back = (carried.sent_bytes[way] / shards for way in ("to", "back"))
                a_page = [own * 1e3, each * 1e3, to / 1e3, back / 1e3]
                cells = "".join(f"{one / len(asks):>14.3f}" for one in a_page)
                same = "equal" if found == expected else "DIFFER"
                print(f"{shards:>6}{batch:>7}{same:>10}{cells}", flush=True)


if __name__ == "__main__":
    main()
