"""What attacks from the network cost the hosts beside them: pages a second, without and with them.

    python -m benchmarks.hostile [--pairs 3] [--hosts 8] [--pages 100] [--stalls 40]

Crawled are healthy hosts alone, then the same beside every hostile behaviour of the test suite that
attacks from the network, and as many hosts more as `--stalls` says that never answer, more than the
crawl has workers. Pages that attack the CPU are left out: they cost at most `analysis.timeout_s`
each, whatever stands beside them. Pairs take turns, medians are printed. The aim is a ratio of 0.90
or more; docs/hostile-web.md has what was measured. On a busy machine single pairs mean nothing.

All run on one machine, which is not what is measured: healthy hosts and attackers are played by a
process each, and a connection of an attacker brings at most `PACE` bytes a second. Beside the rate
stand CPU seconds, the crawl's and the attackers'. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from multiprocessing.connection import Connection
from pathlib import Path

import orjson
import yaml

# The behaviours are the tests' own: one table, measured and tested.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hostile_bodies import BODIES, CODINGS
from hostile_case import Case
from hostile_pages import REDIRECTS, ROBOTS
from hostile_talk import CONNECTING, HEADERS
from hostile_web import HostileWeb, hostile_web, run_program

ATTACKS = (*CONNECTING, *HEADERS, *BODIES, *CODINGS, *REDIRECTS, *ROBOTS)
STALL = next(case for case in HEADERS if case.name == "stall-status")
LIMITS = {
    "workers": 32,
    "connect_timeout_s": 5.0,
    "headers_timeout_s": 5.0,
    "read_timeout_s": 5.0,
    "total_timeout_s": 10.0,
}
PACE = 1_000_000
"""Bytes a second of one attacker's connection: a network's, not a loopback's."""


@dataclass(frozen=True)
class Side:
    """One crawl's figures."""

    rate: float
    """The healthy hosts' pages a second, from the crawl's beginning to their last."""
    cpu_s: float
    """Of all its processes, from start to end."""
    attackers_cpu_s: float


def attacks(stalls: int) -> list[Case]:
    """Return every attack from the network, and some more hosts that never answer."""
    return [*ATTACKS, *(replace(STALL, name=f"stall-{number}") for number in range(stalls))]


# --------------------------------------------------------------------------------------------------
# Servers


@dataclass
class Servers:
    """A process that serves hosts."""

    web: HostileWeb
    cpu_s: float = 0.0
    """What it took while it served; known when it has ended."""


@contextmanager
def served(stalls: int | None, hosts: int, pages: int, home: Path) -> Iterator[Servers]:
    """Serve attackers, or none and healthy hosts, in a process of their own."""
    home.mkdir()
    ours, theirs = multiprocessing.Pipe()
    spawn = multiprocessing.get_context("spawn")
    process = spawn.Process(target=_serve, args=(theirs, stalls, hosts, pages, home))
    process.start()
    theirs.close()
    servers = Servers(ours.recv())
    try:
        yield servers
    finally:
        ours.send("end")
        servers.cpu_s = ours.recv()
        process.join()


def _serve(pipe: Connection, stalls: int | None, hosts: int, pages: int, home: Path) -> None:
    """Serve until something comes through the pipe, or its other end is gone."""
    cases = [] if stalls is None else attacks(stalls)

    async def serve() -> None:
        async with hostile_web(cases, hosts, pages, home, PACE) as web:
            begun_s = time.process_time()
            pipe.send(web)
            await asyncio.to_thread(pipe.poll, None)
            pipe.send(time.process_time() - begun_s)

    asyncio.run(serve())


# --------------------------------------------------------------------------------------------------
# Crawls


def crawl(stalls: int | None, hosts: int, pages: int) -> Side:
    """Crawl healthy hosts, beside attackers unless `stalls` is None."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        home, output = Path(name), Path(name) / "out"
        web = stack.enter_context(served(None, hosts, pages, home / "healthy")).web
        attackers = None
        if stalls is not None:
            attackers = stack.enter_context(served(stalls, 0, 0, home / "attackers"))
            # Attackers first: what they can do to the healthy hosts, they do from the beginning.
            seeds, names = attackers.web.seeds + web.seeds, attackers.web.names | web.names
            web = HostileWeb(attackers.web.authority, seeds, names)
        job = home / "job.yaml"
        data = orjson.loads(orjson.dumps(web.job(output, **LIMITS)))
        job.write_text(yaml.safe_dump(data), encoding="utf-8")
        before_s = _children_cpu_s()
        code, _, err, _ = asyncio.run(run_program(job, web, 600.0))
        cpu_s = _children_cpu_s() - before_s
        if code:
            raise SystemExit(f"the crawl ended with exit code {code}:\n{err}")
        rate = healthy_rate(output, hosts * pages)
        stack.close()
        return Side(rate, cpu_s, attackers.cpu_s if attackers else 0.0)


def _children_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def healthy_rate(output: Path, due: int) -> float:
    """Return pages a second of the healthy hosts; SystemExit where not all `due` ones came."""
    pages = map(orjson.loads, (output / "pages.jsonl").read_bytes().splitlines())
    came = [page["fetched_at"] for page in pages if page["host"].startswith("healthy")]
    summary = orjson.loads((output / "summary.json").read_bytes())
    if len(came) != due:
        cut = [trap["subtree"] for trap in summary["traps"]]
        raise SystemExit(
            f"{len(came)} healthy pages were stored, not {due}; {summary['pending']} URLs are "
            f"pending, {sum(summary['duplicates'].values())} duplicates, cut: {cut or 'nothing'}"
        )
    begun, last = (datetime.fromisoformat(at) for at in (summary["started_at"], max(came)))
    return due / (last - begun).total_seconds()


# --------------------------------------------------------------------------------------------------


def main() -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    flags.add_argument("--pairs", type=int, default=3)
    flags.add_argument("--hosts", type=int, default=8)
    flags.add_argument("--pages", type=int, default=100)
    flags.add_argument("--stalls", type=int, default=40)
    args = flags.parse_args()
    pairs = []
    for _ in range(args.pairs):
        alone = crawl(None, args.hosts, args.pages)
        beside = crawl(args.stalls, args.hosts, args.pages)
        pairs.append((alone, beside))
        print(
            f"  pair: {alone.rate:6.1f} alone, {beside.rate:6.1f} beside attacks: "
            f"{beside.rate / alone.rate:.2f}; CPU {alone.cpu_s:.1f} and {beside.cpu_s:.1f} s, "
            f"of attackers {beside.attackers_cpu_s:.1f} s",
            flush=True,
        )
    report(pairs, len(attacks(args.stalls)))


def report(pairs: list[tuple[Side, Side]], attackers: int) -> None:
    """Print the medians."""
    alone, beside = ([pair[at] for pair in pairs] for at in (0, 1))
    ratio = statistics.median(b.rate / a.rate for a, b in pairs)
    more_s = statistics.median(b.cpu_s - a.cpu_s for a, b in pairs)
    print(f"healthy pages/s  {statistics.median(side.rate for side in alone):.1f} alone")
    print(
        f"                 {statistics.median(side.rate for side in beside):.1f} "
        f"beside {attackers} attacking hosts"
    )
    print(f"ratio            {ratio:.2f}   (median of {len(pairs)} pairs)")
    print(f"CPU of a crawl   {statistics.median(side.cpu_s for side in alone):.1f} s alone")
    print(f"                 {more_s:+.1f} s for the attacks")


if __name__ == "__main__":
    main()
