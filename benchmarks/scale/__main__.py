"""What a page costs the crawl's own process as a crawl grows, without network and extraction.

    python -m benchmarks.scale [--pages 10000 100000 1000000] [--plot docs/img/scale.svg]
                               [--pages-a-host 10] [--slow .2]

For each size a store is made with so many pages, nine times as many URLs besides and a host for
each ten pages, a fifth of them with a Crawl-delay (`benchmarks.scale.web`). `--pages 100000
--pages-a-host 1 --slow 1` is 100,000 hosts that all have one. A process of its own
then takes it up as `resume` does, without a snapshot of memory, and stores DRIVEN pages more by the
crawl's own frontier, judge, offers, batches, transactions and checkpoints
(`benchmarks.scale.drive`). That is the part which is measured: CPU a page that came to its end,
duplicates among them, by stage, in the median of five parts; memory at its end; bytes on disk.
After that a further process takes it up again, from the snapshot that was left. CPU and not wall
time, since other programs may run beside it; GB of disk are needed for the largest (13 GB at a
million pages), under `--directory`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.plots import draw_lines
from benchmarks.scale.drive import prime, resume
from benchmarks.scale.web import Web

DRIVEN = 5_000
STAGES = ("take", "refill", "judge", "offer", "end", "settle", "beat", "commit")
"""What `benchmarks.scale.drive` counts: turns and their answers; refills asked for and taken in;
verdict and likeness; links; batch and hand-over; trap rule; checkpoint; the writer's thread."""

Record = dict[str, Any]


def measure(home: Path, pages: int, pages_a_host: int, slow: float) -> Record:
    """Make, drive and take up again a crawl of one size; return what it took."""
    directory = home / str(pages)
    if not directory.exists():
        step("prime", directory, pages, "--pages-a-host", str(pages_a_host))
    for snapshot in directory.glob("memory.*.snapshot"):
        snapshot.unlink()
    first = step("drive", directory, DRIVEN, "--slow", str(slow))
    again = step("drive", directory, 0)
    windows = first["windows"]
    stages = {
        name: statistics.median(window["cpu_ms"].get(name, 0.0) for window in windows)
        for name in STAGES
    }
    last = windows[-1]
    return {
        "pages": last["pages"],
        "urls": last["urls"],
        "total_ms": statistics.median(sum(w["cpu_ms"].values()) for w in windows),
        **stages,
        "rss_mib": last["rss_mib"],
        "disk_bytes": last["disk_bytes"],
        "rebuilt": first["restart"],
        "snapshot": again["restart"],
        "longest_ms": {
            name: max(window["longest_ms"].get(name, 0.0) for window in windows)
            for name in (*STAGES, "garbage")
        },
    }


def step(name: str, directory: Path, pages: int, *more: str) -> Record:
    """Run one step in a process of its own, whose memory is nothing else's."""
    command = [sys.executable, "-m", "benchmarks.scale", "--step", name]
    ran = subprocess.run(
        [*command, "--directory", str(directory), "--pages", str(pages), *more],
        stdout=subprocess.PIPE,
        check=True,
    )
    answer: Record = json.loads(ran.stdout or b"{}")
    return answer


def run_step(arguments: argparse.Namespace) -> Record:
    """Do what `step` asked for."""
    directory, pages = arguments.directory, arguments.pages[0]
    if arguments.step == "prime":
        asyncio.run(prime(directory, Web(pages // arguments.pages_a_host), pages))
        return {}
    restart, windows = asyncio.run(resume(directory, pages, arguments.slow))
    return {"restart": asdict(restart), "windows": [asdict(window) for window in windows]}


def print_rows(rows: Sequence[Record]) -> None:
    """Print the tables: cost by stage, then memory, disk and restarts."""
    print(f"{'pages':>10}{'URLs':>12}{'CPU ms':>9}" + "".join(f"{name:>9}" for name in STAGES))
    for row in rows:
        cells = "".join(f"{row[name]:>9.3f}" for name in STAGES)
        print(f"{row['pages']:>10,}{row['urls']:>12,}{row['total_ms']:>9.2f}{cells}")
    print(
        f"\n{'pages':>10}{'MiB':>8}{'bytes/page':>12}{'restart: rebuilt, CPU s (wall)':>42}"
        f"{'from the snapshot':>42}{'garbage ms':>12}"
    )
    for row in rows:
        restarts = "".join(
            f"{' '.join(f'{name} {s:.2f}' for name, s in row[how]['cpu_s'].items()):>35}"
            f" ({row[how]['wall_s']:.1f})"
            for how in ("rebuilt", "snapshot")
        )
        print(
            f"{row['pages']:>10,}{row['rss_mib']:>8.0f}{row['disk_bytes'] / row['pages']:>12,.0f}"
            f"{restarts}{row['longest_ms']['garbage']:>12.0f}"
        )


def main() -> None:
    """Print the tables, as each size is done, and draw the plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--pages", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--pages-a-host", type=int, default=10)
    parser.add_argument("--slow", type=float, default=0.2, help="share of hosts with a Crawl-delay")
    parser.add_argument("--directory", type=Path, help="kept, and used again; else a temporary one")
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--json", type=Path, help="where to keep all that was measured")
    parser.add_argument("--step", choices=["prime", "drive"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.step:
        print(json.dumps(run_step(arguments)))
        return
    with tempfile.TemporaryDirectory() as home:
        place = arguments.directory or Path(home)
        hosts = arguments.pages_a_host, arguments.slow
        rows = [measure(place, pages, *hosts) for pages in arguments.pages]
    print_rows(rows)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))
    if arguments.plot:
        series = {name: [row[name] for row in rows] for name in ("total_ms", *STAGES)}
        sizes = [row["pages"] for row in rows]
        draw_lines(arguments.plot, sizes, series, "stored pages", "CPU ms a page")


if __name__ == "__main__":
    main()
