"""What a page costs that has the same bytes as a stored one: CPU of all processes, by difference.

    python -m benchmarks.identical [--site postgresql-15] [--few 500] [--many 3000] [--turns 3]

A page of a real site is served under as many URLs as are asked for, all of them seeds, so that all
but the first are exact copies whose links are read and offered. A crawl of few and one of many run
in turns; what the additional URLs took, divided by their number, is the cost of one. Traps are off,
since such a site is one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median

from benchmarks.corpora import CORPORA, site_pages
from benchmarks.crawlers.programs import environment
from benchmarks.crawlers.site import Answers, Connection
from benchmarks.crawlers.watch import Watched, watch
from benchmarks.served import served

PAGE = 40
"""Which page of the archive is served; one of the usual size."""


@asynccontextmanager
async def serve(body: bytes) -> AsyncIterator[int]:
    """Serve one page, whatever query is asked for; yield the port."""
    answers = Answers({"site/page.html": body})
    loop = asyncio.get_running_loop()
    server = await loop.create_server(partial(Connection, answers), "127.0.0.1", 0, backlog=512)
    async with server:
        yield server.sockets[0].getsockname()[1]


def crawl(body: bytes, number: int) -> tuple[Watched, int]:
    """Crawl one page under so many URLs; return what it took, and how many copies were found."""
    with tempfile.TemporaryDirectory() as place, served(partial(serve, body)) as server:
        home = Path(place)
        page = f"http://127.0.0.1:{server.web}/page.html"
        seeds = home / "seeds.txt"
        seeds.write_text("".join(f"{page}?n={n}\n" for n in range(number)))
        job = {
            "politeness": {"delay_s": 0.0, "per_host": 32, "per_address": 32},
            "traps": {"enabled": False},
            "limits": {"depth": 0},
        }
        config = home / "job.yaml"
        config.write_text(json.dumps(job))
        command = [sys.executable, "-m", "crawler", "--seeds", str(seeds), "--config", str(config)]
        took = watch([*command, "--output", str(home / "out")], environment(), home / "said")
        found = (home / "out/duplicates.jsonl").read_bytes().count(b"\n")
    return took, found


def main() -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--corpora", type=Path, default=CORPORA)
    flags.add_argument("--site", default="postgresql-15")
    flags.add_argument("--few", type=int, default=500)
    flags.add_argument("--many", type=int, default=3000)
    flags.add_argument("--turns", type=int, default=3)
    given = flags.parse_args()
    _, body = next(islice(site_pages(given.corpora, given.site), PAGE, None))
    costs, mains = [], []
    for _ in range(given.turns):
        few, _ = crawl(body, given.few)
        many, found = crawl(body, given.many)
        more = given.many - given.few
        costs.append(1e3 * (many.cpu_s - few.cpu_s) / more)
        mains.append(1e3 * (many.main_cpu_s - few.main_cpu_s) / more)
    links = body.count(b"<a ")
    print(f"{given.site}: a page of {len(body) / 1e3:.1f} kB with {links} links, {found:,} copies")
    for name, taken in (("all processes", costs), ("of it the main process", mains)):
        spread = f"{min(taken):.2f}-{max(taken):.2f}"
        print(f"  {name}: {median(taken):.2f} ms of CPU a copy ({spread})")


if __name__ == "__main__":
    main()
