"""`python -m benchmarks.soak [kills] [hours]`: run them, print a table, exit 1 if anything failed.

python -m benchmarks.soak                       both, as `make soak` runs them
python -m benchmarks.soak kills --kills 60      some three minutes
python -m benchmarks.soak hours --minutes 5     a short look at memory and files
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.soak.hours import HourSoak
from benchmarks.soak.kills import KillSoak

SCENARIOS = ("kills", "hours")
BEGAN = time.monotonic()


def main() -> int:
    """Run the chosen scenarios; return the exit code."""
    arguments = _arguments()
    home = arguments.keep or Path(tempfile.mkdtemp(prefix="soak-"))
    home.mkdir(parents=True, exist_ok=True)
    rows: list[tuple[str, str, bool]] = []
    wrong: list[str] = []
    for scenario in SCENARIOS if "both" in arguments.scenarios else arguments.scenarios:
        soak = _make(scenario, home, arguments)
        soak.run()
        rows += soak.rows()
        wrong += soak.wrong
    _print(rows, wrong)
    passed = all(ok for _, _, ok in rows)
    if passed and arguments.keep is None:
        shutil.rmtree(home)
    else:
        _say(f"Everything is kept in {home}")
    return 0 if passed else 1


def _make(scenario: str, home: Path, arguments: argparse.Namespace) -> KillSoak | HourSoak:
    if scenario == "kills":
        return KillSoak(home, arguments.kills, arguments.kill_articles, arguments.seed, _say)
    return HourSoak(
        home, arguments.minutes, arguments.articles, arguments.run_minutes, arguments.seed, _say
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.soak",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    # Python 3.11 holds the default against the choices.
    parser.add_argument("scenarios", nargs="*", choices=[*SCENARIOS, "both"], default="both")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--kill-articles", type=int, default=60, help="size of the web that kills")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--run-minutes", type=float, default=20.0, help="between two ends of a run")
    parser.add_argument("--articles", type=int, default=60_000, help="size of the webs of hours")
    parser.add_argument("--seed", type=int, default=2026, help="which moments and faults")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="work here, and leave it there")
    return parser.parse_args()


def _print(rows: list[tuple[str, str, bool]], wrong: list[str]) -> None:
    table = Table("what", "found", "", title="Soak", title_justify="left")
    for what, found, ok in rows:
        table.add_row(what, found, "ok" if ok else "FAILED", style="" if ok else "bold red")
    Console(width=110).print(table)
    for what in wrong[:50]:
        print(what)


def _say(line: str) -> None:
    minutes, seconds = divmod(int(time.monotonic() - BEGAN), 60)
    print(f"{minutes:3}:{seconds:02}  {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
