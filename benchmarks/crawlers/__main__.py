"""Our crawler beside others: pages a second, CPU a page, memory, and ratios, in turns.

    python -m benchmarks.crawlers [--quick] [--turns 3] [--plot SVG] [SITE ...] [--only NAME ...]

Each turn runs every program once, beginning with another one than the turn before. The others need
their own environment, .venv/crawlers: `make bench-peers` makes it and runs this. Do it on
an idle machine: others' work costs programs of one process more than those of several. How much
there was is printed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from benchmarks.corpora import CORPORA, site_pages
from benchmarks.crawlers.measuring import Run, measure
from benchmarks.crawlers.plot import Site, measured, plot
from benchmarks.crawlers.programs import PEERS_PYTHON, Program, programs
from benchmarks.crawlers.table import Turn, table
from crawler.errors import CrawlerError

SITES = ("postgresql-15", "oi-wiki")
"""English pages of 14 kB, no two alike; Chinese ones of 240 kB."""
QUICK = ("hexo-docs",)


def turns(
    corpora: Path, site: str, chosen: Sequence[Program], number: int, processes: int
) -> list[Turn]:
    """Run all programs on a site in turns; tell of each run on standard error."""
    done: list[Turn] = []
    for turn in range(number):
        start = turn % len(chosen)
        runs: dict[str, Run] = {}
        for program in (*chosen[start:], *chosen[:start]):
            runs[program.name] = run = measure(program, corpora, site, processes)
            print(
                f"{site}, turn {turn + 1} of {number}: {run.program}: {len(run.found)} pages in "
                f"{run.watched.wall_s:.1f} s, {run.cpu_ms:.1f} ms of CPU a page, "
                f"others took {run.others:.0%}",
                file=sys.stderr,
                flush=True,
            )
        done.append({program.name: runs[program.name] for program in chosen})
    return done


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--corpora", type=Path, default=CORPORA)
    flags.add_argument("--turns", type=int, default=3)
    flags.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    flags.add_argument("--plot", type=Path, help="an SVG of all sites")
    flags.add_argument("--quick", action="store_true", help="one small site")
    flags.add_argument("--only", nargs="+", metavar="NAME", help="programs whose names begin so")
    flags.add_argument("sites", nargs="*", metavar="SITE")
    args = flags.parse_args(arguments)
    sites = args.sites or (QUICK if args.quick else SITES)
    for site in sites:
        if not (args.corpora / f"sites/{site}.tar.zst").is_file():
            sys.exit(f"{args.corpora}: no sites/{site}.tar.zst there; nothing was measured")
    chosen = [p for p in programs() if not args.only or p.name.startswith(tuple(args.only))]
    if not chosen:
        sys.exit(f"no such program; there are: {', '.join(p.name for p in programs())}")
    if not PEERS_PYTHON.is_file():
        sys.exit(f"{PEERS_PYTHON}: not there; `make bench-peers` makes it")
    bars: dict[str, Site] = {}
    for site in sites:
        try:
            done = turns(args.corpora, site, chosen, args.turns, args.processes)
        except CrawlerError as error:
            sys.exit(f"{site}: {error}")
        bars[site] = measured(done)
        kilobytes = mean(len(body) for _, body in site_pages(args.corpora, site)) / 1000
        told = f"{kilobytes:.0f} kB a page, {args.turns} turns, {args.processes} cores"
        print(f"\n## {site}: {told}\n\n{table(done)}")
    if args.plot:
        plot(bars, args.plot)


if __name__ == "__main__":
    main()
