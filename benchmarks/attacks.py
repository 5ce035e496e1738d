"""What single attacks cost the hosts beside them, and the machine: each beside healthy hosts.

    python -m benchmarks.attacks [--rounds 3] [--seconds 30] [--only NAME ...]

Healthy hosts are crawled with a pause between requests, as polite crawls are, for the same number
of seconds alone and beside each attack of `tests/support/attacks`. Counted are the pages that the
healthy hosts bring in this time; the aim is a ratio of 0.90 or more to the crawl alone just before
it. Beside it stand what the attack took of the machine: CPU seconds of all processes, the longest
stall of the event loop, peak memory of the crawl and of its largest analysis process, bytes written
to the output directory. Figures are medians over the rounds.

Attacks run with the settings that their tests give them, such as time limits of seconds. Healthy
hosts and attackers are played by a process each, on the same two cores. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, ExitStack
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from resource import RLIM_INFINITY, RUSAGE_CHILDREN
from typing import Any

import orjson

from benchmarks.end_to_end import cpu_seconds
from benchmarks.served import served
from benchmarks.soak.checks import lines

# The attacks are the tests' own: one table, measured and tested.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.attacks import ATTACKS
from support.attacks.attack import Attack, Staged
from support.attacks.mixed import mixed_job
from support.crawling import write_job
from support.hostile_web import HostileWeb, hostile_web, run_program
from support.processes import analysis_processes, children

HOSTS = 8
DELAY_S = 0.25
"""Between requests to one host: eight hosts bring at most 32 pages a second, which is half of what
two cores can read."""
ENDLESS = 100_000
"""Pages of a healthy host: more than any crawl here fetches."""
GRACE_S = 2.0
SAMPLE_S = 0.05
"""Between two looks at the memory; what is read is a peak, so little can be missed."""
BESIDE_ONE = 4
"""Attacks measured against one crawl without any."""


@dataclass(frozen=True)
class Figures:
    """One crawl."""

    pages: float
    """Of the healthy hosts."""
    cpu_s: float
    stall_s: float
    crawl_mb: float
    analysis_mb: float
    disk_mb: float


def attackers(name: str) -> AbstractAsyncContextManager[Staged]:
    """Serve an attack, in the process that plays it."""
    return _named(name).staged()


def healthy(home: Path) -> AbstractAsyncContextManager[HostileWeb]:
    """Serve the healthy hosts."""
    return hostile_web((), HOSTS, ENDLESS, home)


def _named(name: str) -> Attack:
    (attack,) = (attack for attack in ATTACKS if attack.name == name)
    return attack


def crawl(attack: Attack | None, seconds: float) -> Figures:
    """Crawl the healthy hosts for so many seconds, beside the attack if one is given."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        home, output = Path(name), Path(name) / "out"
        staged = []
        if attack is not None:
            staged = [stack.enter_context(served(partial(attackers, attack.name))).web]
        web = stack.enter_context(served(partial(healthy, home))).web
        data = mixed_job(output, staged, web, [attack] if attack else [], **_limits(seconds))
        job = write_job(data, home / "job.yaml")
        before_s = cpu_seconds(RUSAGE_CHILDREN)
        code, err, memory = asyncio.run(watched(job, web, seconds + 60.0))
        cpu_s = cpu_seconds(RUSAGE_CHILDREN) - before_s
        if code:
            raise SystemExit(f"the crawl ended with exit code {code}:\n{err}")
        stall_s = orjson.loads((output / "summary.json").read_bytes())["longest_stall_s"]
        written = sum(path.stat().st_size for path in output.iterdir())
        sizes = (memory.crawl / 1e6, memory.analysis / 1e6, written / 1e6)
        return Figures(healthy_pages(output), cpu_s, stall_s, *sizes)


@dataclass(frozen=True)
class Memory:
    """Peaks in bytes: of the crawl process, and of the largest of its analysis processes."""

    crawl: int = 0
    analysis: int = 0


async def watched(job: Path, web: HostileWeb, timeout_s: float) -> tuple[int, str, Memory]:
    """Crawl a job file in a process of its own; return exit code, stderr, memory."""
    before = set(children(os.getpid()))
    crawling = asyncio.create_task(run_program(job, web, timeout_s, RLIM_INFINITY))
    crawl, analysis = 0, 0
    while not crawling.done():
        await asyncio.wait({crawling}, timeout=SAMPLE_S)
        for pid in set(children(os.getpid())) - before:
            crawl = max(crawl, _peak(pid))
            analysis = max(analysis, *map(_peak, analysis_processes(pid)), 0)
    code, _, err = await crawling
    return code, err, Memory(crawl, analysis)


def _peak(pid: int) -> int:
    """Return the largest resident size so far in bytes; 0 where the process is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    sizes = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(sizes[0]) * 1024 if sizes else 0


def _limits(seconds: float) -> dict[str, Any]:
    return {
        "limits": {"time_s": seconds},
        "politeness": {"delay_s": DELAY_S},
        "grace_s": GRACE_S,
    }


def healthy_pages(output: Path) -> int:
    """Return how many pages the healthy hosts brought; SystemExit where one of theirs was lost."""
    ends = ("failures", "skipped", "duplicates")
    lost = [line for name in ends for line in lines(output, name) if "//healthy" in line["url"]]
    if lost:
        raise SystemExit(f"{len(lost)} healthy pages were lost, as {lost[0]}")
    return sum(page["host"].startswith("healthy") for page in lines(output, "pages"))


# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Beside:
    """A crawl beside an attack, and the one without, just before."""

    alone: Figures
    attacked: Figures

    @property
    def ratio(self) -> float:
        """Of the healthy hosts' pages."""
        return self.attacked.pages / self.alone.pages


def main() -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    flags.add_argument("--rounds", type=int, default=3)
    flags.add_argument("--seconds", type=float, default=30.0)
    flags.add_argument("--only", nargs="+", choices=[attack.name for attack in ATTACKS])
    args = flags.parse_args()
    attacks = [attack for attack in ATTACKS if not args.only or attack.name in args.only]
    try:
        rounds = [measure(attacks, args.seconds) for _ in range(args.rounds)]
    except KeyboardInterrupt:
        print("\nInterrupted; what is printed stands, no medians were taken.", file=sys.stderr)
        raise SystemExit(130) from None
    report(attacks, rounds)


def measure(attacks: Sequence[Attack], seconds: float) -> dict[str, Beside]:
    """Crawl beside each attack once; print a line of each."""
    found = {}
    for number, attack in enumerate(attacks):
        if number % BESIDE_ONE == 0:
            alone = crawl(None, seconds)
        found[attack.name] = Beside(alone, crawl(attack, seconds))
        print(f"  {attack.name:24} {found[attack.name].ratio:.2f}", flush=True)
    return found


def report(attacks: Sequence[Attack], rounds: Sequence[dict[str, Beside]]) -> None:
    """Print the medians."""
    print(f"medians of {len(rounds)}, beside {HOSTS} healthy hosts")
    print(
        f"{'':24} ratio {'pages':>6} {'CPU s':>6} {'stall s':>8} {'crawl, analysis, disk: MB':>27}"
    )
    every = [found[attack.name] for found in rounds for attack in attacks]
    print(_line("alone", 1.0, [beside.alone for beside in every]))
    for attack in attacks:
        besides = [found[attack.name] for found in rounds]
        ratio = statistics.median(beside.ratio for beside in besides)
        print(_line(attack.name, ratio, [beside.attacked for beside in besides]))


def _line(name: str, ratio: float, crawls: Sequence[Figures]) -> str:
    middle = Figures(*map(statistics.median, zip(*map(astuple, crawls), strict=True)))
    return (
        f"{name:24} {ratio:5.2f} {middle.pages:6.0f} {middle.cpu_s:6.1f} {middle.stall_s:8.3f} "
        f"{middle.crawl_mb:8.0f} {middle.analysis_mb:8.0f} {middle.disk_mb:9.1f}"
    )


if __name__ == "__main__":
    main()
