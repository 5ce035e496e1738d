"""The programs that are compared, and one run of one of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / ".venv/corpora/bin/python"
THRESHOLD = 0.8
_RIVALS = Path(__file__).with_name("rivals.py")


@dataclass(frozen=True, slots=True)
class Program:
    """A command over a folder of Parquet files, in a directory of its own."""

    name: str
    command: Callable[[Path, Path], Sequence[str | Path]]
    """(folder, home) -> the command."""
    kept: Callable[[Path], Iterator[str]]
    """Home -> the ids that it kept."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one run took."""

    wall_s: float
    cpu_s: float
    """Of all its processes."""
    peak_bytes: int
    """Of its largest process."""
    kept: set[str]


def programs(peers: Path) -> list[Program]:
    """Return all programs; `peers` is the interpreter that has the others."""
    return [
        Program("dedup", _dedup, _listed("out/ids")),
        Program("text-dedup minhash", lambda *a: _text_dedup(peers, *a), _arrow),
        *(Program(name, _rival(peers, name), _listed(".")) for name in ("datasketch", "rensa")),
    ]


def _rival(peers: Path, name: str) -> Callable[[Path, Path], Sequence[str | Path]]:
    return lambda folder, home: [peers, _RIVALS, name, folder, home / "kept.jsonl"]


def _dedup(folder: Path, home: Path) -> Sequence[str | Path]:
    ours: list[str | Path] = [sys.executable, "-m", "crawler", "dedup", folder]
    return [*ours, "--output", home / "out", "--write", "ids", "--threshold", str(THRESHOLD)]


def _text_dedup(peers: Path, folder: Path, home: Path) -> Sequence[str | Path]:
    data: list[str | Path] = [
        "--path",
        "parquet",
        "--data_files",
        str(folder / "*.parquet"),
        "--split",
        "train",
    ]
    places: list[str | Path] = [
        "--cache_dir",
        home / "cache",
        "--output",
        home / "out",
        "--column",
        "text",
    ]
    how: list[str | Path] = [
        "--ngram",
        "3",
        "--min_length",
        "0",
        "--threshold",
        str(THRESHOLD),
        "--num_perm",
        "128",
    ]
    return [peers, "-m", "text_dedup.minhash", *data, *places, *how, "--batch_size", "1000"]


def _listed(below: str) -> Callable[[Path], Iterator[str]]:
    def kept(home: Path) -> Iterator[str]:
        for path in (home / below).rglob("*.jsonl"):
            yield from (json.loads(line) for line in path.read_text().splitlines())

    return kept


def _arrow(home: Path) -> Iterator[str]:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]  # large: see `measured`

    for path in (home / "out").glob("*.arrow"):
        with pa.OSFile(str(path)) as file:
            for batch in pa.ipc.open_stream(file):
                yield from batch.column("id").to_pylist()


def measured(name: str, peers: Path, folder: Path) -> Run:
    """Run a program once; see `measure`.

    In a process of its own: what one begins with counts as its peak, and the sets are large.
    """
    apart = ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1)
    with apart as one:
        return one.submit(measure, name, peers, folder).result()


def measure(name: str, peers: Path, folder: Path) -> Run:
    """Run a program once, in a new home. Raises RuntimeError with its last words where it fails."""
    program = next(one for one in programs(peers) if one.name == name)
    with tempfile.TemporaryDirectory() as home:
        begun, said = time.perf_counter(), Path(home, "said")
        with said.open("wb") as output:
            process = subprocess.Popen(
                program.command(folder, Path(home)), cwd=ROOT, stdout=output, stderr=output
            )
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall_s = time.perf_counter() - begun
        if process.returncode:
            raise RuntimeError(f"{program.name} failed:\n{said.read_text()[-2000:]}")
        kept = set(program.kept(Path(home)))
        return Run(wall_s, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, kept)
