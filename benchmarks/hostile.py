"""What attacks from the network cost the hosts beside them: pages a second, without and with them.

    python -m benchmarks.hostile [--pairs 3] [--hosts 8] [--pages 100] [--stalls 40]

Crawled are healthy hosts alone, then the same beside every hostile behaviour of the test suite that
attacks from the network, and as many hosts more as `--stalls` says that never answer, more than the
crawl has workers. Pages that attack the CPU are left out: they cost at most `analysis.timeout_s`
each, whatever stands beside them. Pairs take turns, medians are printed; a ratio of 0.90 or more is
what docs/hostile-web.md promises. Servers run in this process, so their CPU is the crawl's loss.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import orjson
import yaml

# The behaviours are the tests' own: one table, measured and tested.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hostile_bodies import BODIES, CODINGS
from hostile_case import Case
from hostile_pages import REDIRECTS, ROBOTS
from hostile_talk import CONNECTING, HEADERS
from hostile_web import hostile_web, run_program

ATTACKS = (*CONNECTING, *HEADERS, *BODIES, *CODINGS, *REDIRECTS, *ROBOTS)
STALL = next(case for case in HEADERS if case.name == "stall-status")
LIMITS = {
    "workers": 32,
    "connect_timeout_s": 10.0,
    "headers_timeout_s": 10.0,
    "read_timeout_s": 10.0,
    "total_timeout_s": 20.0,
}


async def rate(attacks: Sequence[Case], hosts: int, pages: int) -> float:
    """Return the healthy hosts' pages a second in one crawl, from its beginning to their last."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        async with hostile_web(attacks, hosts, pages, home) as web:
            job = home / "job.yaml"
            data = orjson.loads(orjson.dumps(web.job(home / "out", **LIMITS)))
            job.write_text(yaml.safe_dump(data), encoding="utf-8")
            code, _, err, _ = await run_program(job, web, 600.0)
        if code:
            raise SystemExit(f"the crawl ended with exit code {code}:\n{err}")
        lines = (home / "out" / "pages.jsonl").read_bytes().splitlines()
        healthy = [page for page in map(orjson.loads, lines) if page["host"].startswith("healthy")]
        begun = orjson.loads((home / "out" / "summary.json").read_bytes())["started_at"]
    if len(healthy) != hosts * pages:
        raise SystemExit(f"{len(healthy)} healthy pages came, not {hosts * pages}")
    last = max(datetime.fromisoformat(page["fetched_at"]) for page in healthy)
    return len(healthy) / (last - datetime.fromisoformat(begun)).total_seconds()


def main() -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    flags.add_argument("--pairs", type=int, default=3)
    flags.add_argument("--hosts", type=int, default=8)
    flags.add_argument("--pages", type=int, default=100)
    flags.add_argument("--stalls", type=int, default=40)
    args = flags.parse_args()
    stalls = [replace(STALL, name=f"stall-{number}") for number in range(args.stalls)]
    attacks = [*ATTACKS, *stalls]
    alone, beside = [], []
    for _ in range(args.pairs):
        alone.append(asyncio.run(rate((), args.hosts, args.pages)))
        beside.append(asyncio.run(rate(attacks, args.hosts, args.pages)))
        print(f"  pair: {alone[-1]:.1f} alone, {beside[-1]:.1f} beside attacks", flush=True)
    ratio = statistics.median(b / a for a, b in zip(alone, beside, strict=True))
    print(f"healthy pages/s  {statistics.median(alone):.1f} alone")
    print(f"                 {statistics.median(beside):.1f} beside {len(attacks)} attacking hosts")
    print(f"ratio            {ratio:.2f}   (median of {args.pairs} pairs)")


if __name__ == "__main__":
    main()
