"""`dedup --engine ray` beside `dedup`: whether the output is the same, and what each step costs.

    python -m benchmarks.in_parts                  # 200,000 made documents
    python -m benchmarks.in_parts FILE...          # a corpus of your own

Made documents: nearly half are alike, a tenth of all is one family. Prints a table of runs (one
machine, parts in one process, Ray with one and with two workers) and one of CPU a document by step,
with what 10^9 documents would take. Rows of Ray are left out where it is not installed.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from itertools import accumulate
from pathlib import Path

import orjson

from crawler.config import load_job
from crawler.engine.identity import identity
from crawler.sources.corpus import CorpusJob, believing, corpus_identity, open_store
from crawler.sources.event_loop import run_work
from crawler.sources.inputs import expand
from crawler.sources.parts.driver import PartsRun, Task

DOCUMENTS = 200_000
FILES = 16
WORDS = 90
"""Of a document on average."""
VOCABULARY = 20_000

ALIKE, OF_ONE_FAMILY = 0.35, 0.1
MOST_EDITS = 6
"""Words that are replaced in a document of a family: some lie beyond the threshold."""

STEPS = ("sign", "join", "route", "judge", "write")
TARGET = 1_000_000_000


def make(directory: Path, documents: int) -> None:
    """Write made documents, reproducibly."""
    dice = random.Random(7)
    words = [f"{n:x}word" for n in range(VOCABULARY)]
    weights = list(accumulate(1 / (10 + n) for n in range(VOCABULARY)))
    kept: list[list[str]] = [dice.choices(words, cum_weights=weights, k=WORDS)]
    directory.mkdir(parents=True)
    for number in range(FILES):
        with (directory / f"{number:02}.jsonl").open("wb") as file:
            for _ in range(number, documents, FILES):
                draw = dice.random()
                if draw < ALIKE + OF_ONE_FAMILY:
                    text = list(kept[0] if draw < OF_ONE_FAMILY else dice.choice(kept))
                    for _ in range(dice.randrange(MOST_EDITS)):
                        text[dice.randrange(len(text))] = dice.choice(words)
                else:
                    size = dice.randint(WORDS // 2, 3 * WORDS // 2)
                    text = dice.choices(words, cum_weights=weights, k=size)
                    if len(kept) < documents // 20:
                        kept.append(text)
                file.write(orjson.dumps({"text": " ".join(text)}) + b"\n")


def spent_s() -> float:
    """Return the CPU seconds of this process and of its children that ended."""
    usage = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in usage)


class Measuring:
    """Does tasks here, one after another, and counts what those of each stage cost."""

    def __init__(self) -> None:
        self.cpu_s: dict[str, float] = defaultdict(float)

    async def __call__(self, tasks: Sequence[Task]) -> AsyncGenerator[None, None]:
        """See `crawler.sources.parts.driver.Executor`."""
        for task in tasks:
            before = spent_s()

            await asyncio.to_thread(task)
            self.cpu_s[task.func.__name__] += spent_s() - before  # type: ignore[attr-defined]
            yield


def in_parts(files: Sequence[str], output: Path) -> tuple[float, dict[str, float]]:
    """Judge in parts in this process; return wall seconds, and CPU seconds by step."""
    job = believing(load_job(None, {"output": str(output)}))
    corpus = CorpusJob(job, expand(files))
    store = open_store(corpus, corpus_identity(corpus, identity(job)))
    executor, before, begun = Measuring(), spent_s(), time.perf_counter()
    run_work(lambda: PartsRun(corpus, store, executor), store, lambda line: None)
    wall_s, all_s = time.perf_counter() - begun, spent_s() - before
    return wall_s, {**executor.cpu_s, "write": all_s - sum(executor.cpu_s.values())}


def command(files: Sequence[str], output: Path, *flags: str) -> float:
    """Run the command; return wall seconds."""
    begun = time.perf_counter()
    line = [sys.executable, "-m", "crawler", "dedup", *files, "--output", str(output), "--quiet"]
    subprocess.run([*line, *flags], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def same(one: Path, other: Path) -> bool:
    """Whether two outputs have the same lines."""
    return all(
        subprocess.run(["cmp", "-s", one / name, other / name], check=False).returncode == 0
        for name in ("pages.jsonl", "duplicates.jsonl", "skipped.jsonl", "failures.jsonl")
    )


def main() -> None:
    """Run all, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="how many are made")
    text = "of Ray, a run for each (1 2; 0: no run)"
    parser.add_argument("--workers", type=int, nargs="*", default=(1, 2), help=text)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        files = arguments.files
        if not files:
            make(directory / "made", arguments.documents)
            files = [str(directory / "made")]
        one = directory / "one"
        rows = [("one machine, 1 process", command(files, one, "--processes", "1"), True)]
        summary = orjson.loads((one / "summary.json").read_bytes())
        total = summary["seen"]
        parts_s, steps = in_parts(files, directory / "parts")
        rows.append(("parts, one after another", parts_s, same(one, directory / "parts")))
        for workers in filter(None, arguments.workers if importlib.util.find_spec("ray") else ()):
            output = directory / f"ray{workers}"
            wall_s = command(files, output, "--engine", "ray", "--processes", str(workers))
            rows.append((f"Ray, workers: {workers}", wall_s, same(one, output)))
            shutil.rmtree(output)
        print(f"{total:,} documents\n")
        print(f"{'run':26}{'wall s':>9}{'documents/s':>13}  equal")
        for name, wall_s, equal in rows:
            print(f"{name:26}{wall_s:9.1f}{total / wall_s:13,.0f}  {'yes' if equal else 'NO'}")
        print(f"\n{'step':8}{'CPU us a document':>18}{'hours of CPU for 10^9':>23}")
        for step in STEPS:
            each = steps[step] / total
            print(f"{step:8}{1e6 * each:18,.0f}{each * TARGET / 3600:23,.0f}")


if __name__ == "__main__":
    main()
