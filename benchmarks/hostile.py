"""What attacks from the network cost the hosts beside them: pages a second, without and with them.

    python -m benchmarks.hostile [--pairs 9] [--hosts 8] [--pages 400] [--stalls 40]

Crawled are healthy hosts alone, then the same beside every hostile behaviour of the test suite that
attacks from the network, and as many hosts more as `--stalls` says that never answer, more than the
crawl has workers. Pages that attack the CPU are left out: they cost at most `analysis.timeout_s`
each, whatever stands beside them. The aim is a ratio of 0.90 or more; docs/hostile-web.md has what
was measured. On a busy machine single pairs mean nothing.

A third crawl tells how much of the loss are attacks, and how much is that there are more hosts: it
has as many healthy hosts of one page in the attackers' place. The three take turns in beginning;
medians are printed.

400 pages of each host take as long as the longest attack, the ten seconds that an exchange may
last. In a shorter crawl attacks that work by waiting would end after the pages that are counted.

All run on one machine, which is not what is measured: healthy hosts and attackers are played by a
process each, and a connection of an attacker brings at most `PACE` bytes a second. Beside the rate
stand CPU seconds, the crawl's and the attackers'. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from functools import partial
from pathlib import Path
from resource import RLIM_INFINITY, RUSAGE_CHILDREN

import orjson
import yaml

from benchmarks.end_to_end import cpu_seconds
from benchmarks.served import served
from benchmarks.soak.checks import lines
from crawler.models import UrlState

# The behaviours are the tests' own: one table, measured and tested.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.hostile_bodies import BODIES, CODINGS
from support.hostile_case import Case
from support.hostile_pages import REDIRECTS, ROBOTS
from support.hostile_replies import html
from support.hostile_talk import CONNECTING, HEADERS
from support.hostile_web import HostileWeb, healthy_text, hostile_web, run_program

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


class Beside(Enum):
    """What stands beside the healthy hosts."""

    NOBODY = "alone"
    NEIGHBOURS = "beside healthy hosts of one page"
    ATTACKERS = "beside attackers"


@dataclass(frozen=True)
class Plan:
    """How much is crawled."""

    hosts: int
    pages: int
    """Of each healthy host."""
    stalls: int

    def cases(self, beside: Beside) -> list[Case]:
        """Return the hosts beside the healthy ones: every attack, or as many that attack nobody."""
        stalls = (replace(STALL, name=f"stall-{number}") for number in range(self.stalls))
        attackers = [*ATTACKS, *stalls]
        match beside:
            case Beside.NOBODY:
                return []
            case Beside.ATTACKERS:
                return attackers
        return [_neighbour(number) for number in range(len(attackers))]


def _neighbour(number: int) -> Case:
    page = html(f"<p>{healthy_text(0, number)}</p>")
    return Case(f"neighbour-{number}", "one page", UrlState.STORED, page)


@dataclass(frozen=True)
class Side:
    """One crawl's figures."""

    rate: float
    """The healthy hosts' pages a second, from the crawl's beginning to their last."""
    cpu_s: float
    """Of all its processes, from start to end."""
    others_cpu_s: float
    """Of the process that plays the hosts beside."""


def stage(beside: Beside, plan: Plan, home: Path) -> AbstractAsyncContextManager[HostileWeb]:
    """Serve the hosts beside, or the healthy ones for NOBODY."""
    home.mkdir()
    hosts = plan.hosts if beside is Beside.NOBODY else 0
    return hostile_web(plan.cases(beside), hosts, plan.pages, home, PACE)


# --------------------------------------------------------------------------------------------------
# Crawls


def crawl(plan: Plan, beside: Beside) -> Side:
    """Crawl the healthy hosts beside these."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        home, output = Path(name), Path(name) / "out"
        web = stack.enter_context(served(partial(stage, Beside.NOBODY, plan, home / "healthy"))).web
        others = None
        if beside is not Beside.NOBODY:
            others = stack.enter_context(served(partial(stage, beside, plan, home / "others")))
            # They come first: what they can do to the healthy hosts, they do from the beginning.
            seeds, names = others.web.seeds + web.seeds, others.web.names | web.names
            web = HostileWeb(others.web.authority, seeds, names)
        job = home / "job.yaml"
        data = orjson.loads(orjson.dumps(web.job(output, **LIMITS)))
        job.write_text(yaml.safe_dump(data), encoding="utf-8")
        before_s = cpu_seconds(RUSAGE_CHILDREN)
        code, _, err = asyncio.run(run_program(job, web, 600.0, RLIM_INFINITY))
        cpu_s = cpu_seconds(RUSAGE_CHILDREN) - before_s
        if code:
            raise SystemExit(f"the crawl ended with exit code {code}:\n{err}")
        rate = healthy_rate(output, plan.hosts * plan.pages)
        stack.close()
        return Side(rate, cpu_s, others.cpu_s if others else 0.0)


def healthy_rate(output: Path, due: int) -> float:
    """Return pages a second of the healthy hosts; SystemExit where not all `due` ones came."""
    pages = lines(output, "pages")
    came = [page["fetched_at"] for page in pages if page["host"].startswith("healthy")]
    summary = orjson.loads((output / "summary.json").read_bytes())
    if len(came) != due:
        cut = [trap["subtree"] for trap in summary["traps"]]
        failures = lines(output, "failures")
        failed = [line["failure"] for line in failures if "//healthy" in line["url"]]
        raise SystemExit(
            f"{len(came)} healthy pages were stored, not {due}; {summary['pending']} URLs are "
            f"pending, {sum(summary['duplicates'].values())} duplicates, cut: {cut or 'nothing'}, "
            f"failed: {failed or 'nothing'}"
        )
    begun, last = (datetime.fromisoformat(at) for at in (summary["started_at"], max(came)))
    return due / (last - begun).total_seconds()


# --------------------------------------------------------------------------------------------------


def main() -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    flags.add_argument("--pairs", type=int, default=9)
    flags.add_argument("--hosts", type=int, default=8)
    flags.add_argument("--pages", type=int, default=400)
    flags.add_argument("--stalls", type=int, default=40)
    args = flags.parse_args()
    plan = Plan(args.hosts, args.pages, args.stalls)
    try:
        report([compare(plan, number) for number in range(args.pairs)], plan)
    except KeyboardInterrupt:
        print("\nInterrupted; what is printed stands, no medians were taken.", file=sys.stderr)
        raise SystemExit(130) from None


Sides = dict[Beside, Side]


def compare(plan: Plan, number: int) -> Sides:
    """Crawl all three sides, beginning with another one each time, and print a line of them."""
    kinds = list(Beside)
    first = number % len(kinds)
    sides = {kind: crawl(plan, kind) for kind in kinds[first:] + kinds[:first]}
    alone, others, attacked = (sides[kind] for kind in kinds)
    print(
        f"  pages/s {alone.rate:6.1f} alone, {others.rate:6.1f} beside others "
        f"({others.rate / alone.rate:.2f}), {attacked.rate:6.1f} beside attackers "
        f"({attacked.rate / alone.rate:.2f}); CPU {alone.cpu_s:.1f} s, "
        f"{others.cpu_s - alone.cpu_s:+.1f}, {attacked.cpu_s - alone.cpu_s:+.1f}",
        flush=True,
    )
    return sides


def report(rounds: list[Sides], plan: Plan) -> None:
    """Print the medians."""
    count = len(plan.cases(Beside.ATTACKERS))
    print(f"medians of {len(rounds)}, {count} hosts beside {plan.hosts} healthy ones")
    print(f"{'':34} {'pages/s':>8} {'ratio':>6} {'CPU s':>7} {'ms a host':>10} {'servers s':>10}")
    for kind in Beside:
        rate, cpu_s, ratio, more_s, others_s = (
            statistics.median(figure(sides[kind], sides[Beside.NOBODY]) for sides in rounds)
            for figure in FIGURES
        )
        line = f"{kind.value:34} {rate:8.1f} {ratio:6.2f} {cpu_s:7.1f}"
        if kind is not Beside.NOBODY:
            line += f" {1000 * more_s / count:+10.1f} {others_s:10.1f}"
        print(line)


FIGURES: tuple[Callable[[Side, Side], float], ...] = (
    lambda side, alone: side.rate,
    lambda side, alone: side.cpu_s,
    lambda side, alone: side.rate / alone.rate,
    lambda side, alone: side.cpu_s - alone.cpu_s,
    lambda side, alone: side.others_cpu_s,
)


if __name__ == "__main__":
    main()
