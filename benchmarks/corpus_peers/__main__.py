"""Speed, memory and accuracy of `dedup` beside text-dedup, datasketch and rensa, as whole commands.

    python -m benchmarks.corpus_peers [--turns 3] [--times 4] [--peers PYTHON] [--only NAME ...]

The input is Parquet: the near-duplicate sets, whose similar pairs are known, and for speed the same
texts several times with their words shuffled. Each turn runs every program once. The others need an
environment of their own, which `make bench-corpora` makes. `python -m benchmarks.accuracy` compares
the methods alone, within one process.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from benchmarks.corpus_peers.corpus import score_kept, write_multiplied, write_sets
from benchmarks.corpus_peers.programs import PEERS, THRESHOLD, Run, measured, programs
from benchmarks.scoring import SETS, TruthSet, read_sets


def main() -> None:
    """Run all and print the tables."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--turns", type=int, default=3)
    flags.add_argument("--times", type=int, default=4, help="how often each text is in the larger")
    flags.add_argument("--sets", type=Path, default=SETS)
    flags.add_argument("--peers", type=Path, default=PEERS, help="a Python that has the others")
    flags.add_argument("--only", nargs="*", help="programs by name")
    given = flags.parse_args()
    known = [one.name for one in programs(given.peers)]
    chosen = [name for name in known if not given.only or name in given.only]
    sets = list(read_sets(given.sets))
    if not sets:
        raise SystemExit(f"{given.sets}: no sets there: nothing to measure; see --sets")
    with tempfile.TemporaryDirectory() as place:
        small, large = Path(place, "sets"), Path(place, "larger")
        small.mkdir()
        large.mkdir()
        documents = write_sets(sets, small)
        runs = _turns(chosen, given.peers, small, given.turns)
        _print_costs(runs, documents)
        _print_accuracy(sets, runs)
        if given.times:
            documents = write_multiplied(sets, large, given.times)
            _print_costs(_turns(chosen, given.peers, large, 1), documents)


def _turns(chosen: Sequence[str], peers: Path, folder: Path, turns: int) -> dict[str, list[Run]]:
    done: dict[str, list[Run]] = {name: [] for name in chosen}
    for turn in range(turns):
        for name in (*chosen[turn % len(chosen) :], *chosen[: turn % len(chosen)]):
            done[name].append(measured(name, peers, folder))
            print(f"turn {turn + 1} of {turns}: {name}", file=sys.stderr, flush=True)
    return done


def _print_costs(done: Mapping[str, Sequence[Run]], documents: int) -> None:
    print(f"\n{documents:,} documents on {os.cpu_count()} cores\n")
    print("| program | documents/s | CPU ms a document | (min-max) | largest process | kept |")
    print("|---|---|---|---|---|---|")
    for name, runs in done.items():
        cpu = [1e3 * one.cpu_s / documents for one in runs]
        speed = documents / median(one.wall_s for one in runs)
        spread = f"{min(cpu):.2f}-{max(cpu):.2f}"
        peak = max(one.peak_bytes for one in runs) / 1e6
        cells = f"{speed:,.0f} | {median(cpu):.2f} | {spread} | {peak:,.0f} MB"
        print(f"| {name} | {cells} | {len(runs[0].kept):,} |")


def _print_accuracy(sets: Sequence[TruthSet], runs: Mapping[str, Sequence[Run]]) -> None:
    print("\n| program | " + " | ".join(one.name for one in sets) + " | wrong | missed |")
    print("|---|" + "---|" * (len(sets) + 2))
    for name, done in runs.items():
        scores = [score_kept(one, done[0].kept, THRESHOLD) for one in sets]
        cells = [
            f"{_share(right, wrong)}/{_share(right, missed)}" for right, wrong, missed in scores
        ]
        wrong, missed = sum(one[1] for one in scores), sum(one[2] for one in scores)
        print(f"| {name} | {' | '.join(cells)} | {wrong:,} | {missed:,} |")


def _share(right: int, other: int) -> str:
    return f"{right / (right + other):.3f}" if right + other else "-"


if __name__ == "__main__":
    main()
