"""What an export costs: CPU and bytes a page, and memory, beside DuckDB and pandas on the lines.

    python -m benchmarks.exports DIR [--pages N] [--home HOME]

The lines of the crawl (or run of `dedup`) in DIR are repeated, each time with other ids and
addresses and the lines of their texts shuffled, until there are N pages (100,000). Then each way
runs in a process of its own: every format of `export`, and DuckDB's COPY and pandas' `to_parquet`
of the same pages.jsonl (id, url, title, text and verdict only, by zstd). Prints CPU milliseconds a
page, its bytes on disk, and the largest resident memory of the process. What a way costs that does
nothing is in the first row.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import orjson

from crawler.models.enums import ExportFormat

_COLUMNS = "id, url, title, text, verdict"
_DUCKDB = f"""
import duckdb, sys
duckdb.execute("SET threads = 1")
duckdb.execute("SET temp_directory = ''")
duckdb.execute(f"COPY (SELECT {_COLUMNS} FROM read_json('{{sys.argv[1]}}', "
    f"maximum_object_size=33554432)) TO '{{sys.argv[2]}}' (FORMAT parquet, COMPRESSION zstd)")
"""
_PANDAS = f"""
import pandas, sys
frame = pandas.read_json(sys.argv[1], lines=True)[{_COLUMNS.split(", ")}]
frame.to_parquet(sys.argv[2], compression="zstd")
"""


def many(directory: Path, target: Path, pages: int) -> int:
    """Make a directory of many pages from that of a few; return how many duplicates it has."""
    shutil.copytree(directory, target)
    records = {
        kind: [orjson.loads(line) for line in (directory / f"{kind}.jsonl").open("rb")]
        for kind in ("pages", "duplicates")
    }
    number = len(records["pages"])
    with closing(sqlite3.connect(target / "state.sqlite")) as state, state:
        for kind, lines in records.items():
            size = count = 0
            with (target / f"{kind}.jsonl").open("wb") as file:
                for turn in range(-(-pages // number)):
                    for line in lines[: pages - turn * number if kind == "pages" else None]:
                        size += file.write(orjson.dumps(_again(line, turn, number)) + b"\n")
                        count += 1
            state.execute(
                "UPDATE files SET bytes = ?, lines = ? WHERE name = ?", (size, count, kind)
            )
    return count


def _again(line: dict[str, object], turn: int, number: int) -> dict[str, object]:
    again = line | {"url": f"{line['url']}?{turn}"}
    if isinstance(text := line.get("text"), str):
        parts = text.split("\n")
        Random(turn).shuffle(parts)  # no text twice: a dictionary of texts would be no measure
        again["text"] = "\n".join(parts)
    if isinstance(id_ := line.get("id"), int):
        again["id"] = id_ + turn * number
    for name in ("duplicate_of", "sibling_of"):
        of = line.get(name)
        if isinstance(of, dict):
            id_ = of["id"] + turn * number if isinstance(of["id"], int) else of["id"]
            again[name] = of | {"url": f"{of['url']}?{turn}", "id": id_}
    return again


def spent(command: Sequence[str]) -> tuple[float, int]:
    """Run a program; return its CPU seconds and its largest resident memory in bytes."""
    child = os.posix_spawn(command[0], list(command), os.environ)
    _, status, used = os.wait4(child, 0)
    if status:
        sys.exit(f"{' '.join(command[:3])} failed: {status}")
    unit = 1 if sys.platform == "darwin" else 1024
    return used.ru_utime + used.ru_stime, used.ru_maxrss * unit


def main() -> int:
    """Measure every way, and print a table."""
    parser = argparse.ArgumentParser(description="What an export costs.")
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--pages", type=int, default=100_000, metavar="N")
    parser.add_argument("--home", type=Path, metavar="HOME", help="where to work")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.home) as home:
        work = Path(home)
        duplicates = many(args.directory, work / "many", args.pages)
        lines = work / "many/pages.jsonl"
        each = lines.stat().st_size / args.pages
        print(f"{args.pages:,} pages of {each:,.0f} bytes, {duplicates:,} duplicates")
        print(f"{'':22}{'ms a page':>10}{'bytes a page':>14}{'memory MB':>11}")
        export = [sys.executable, "-m", "crawler", "export"]
        ways = {"nothing": [*export, "--help"]}
        for format_ in ExportFormat:
            name = format_.value
            ways[name] = [*export, str(work / "many"), "--format", name, "--output"]
        ways["duckdb, 1 thread"] = [sys.executable, "-c", _DUCKDB, str(lines)]
        ways["pandas"] = [sys.executable, "-c", _PANDAS, str(lines)]
        for name, command in ways.items():
            target = work / "target"
            cpu_s, memory = spent(command if name == "nothing" else [*command, str(target)])
            files = [target] if target.is_file() else list(target.rglob("part-*"))
            size = sum(path.stat().st_size for path in files)
            print(
                f"{name:22}{1000 * cpu_s / args.pages:>10.3f}{size / args.pages:>14,.0f}"
                f"{memory / 1e6:>11,.0f}",
                flush=True,
            )
            shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
