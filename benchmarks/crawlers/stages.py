"""Where our CPU goes: samples of a crawl's processes by stage, as milliseconds a page.

    python -m benchmarks.crawlers.stages [--turns 3] [SITE]

Each sample (`sampling/sitecustomize.py`) counts for the stage of its innermost frame that a stage
names, so what a stage calls is the stage's own, down to the next one that has a name. Crawls of
both kinds, with learned templates and without, take turns; printed are medians.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.corpora import CORPORA
from benchmarks.crawlers.measuring import measure
from benchmarks.crawlers.programs import OURS, OURS_UNLEARNED, Program, programs

SAMPLER = Path(__file__).with_name("sampling")
POOL_COMMAND = "crawler.workers.fork_server"
WRITER = "writer thread"
ELSEWHERE = "elsewhere"
START = "start, end"
_LEAST_MS = 0.005
"""What a table would print as nothing is left out."""
EXTRACTOR = "trafilatura"

MAIN_STAGES: Mapping[str, Sequence[str]] = {
    "robots.txt": ("crawler/fetch/robots",),
    "fetch": (":Fetcher.", ":Exchanges.", ":BoundedConnection.", ":BodyReader.", "/aiohttp/"),
    "learn URLs": (":UrlLearning.",),
    "offer links": (":Offers.", ":Frontier.offer", ":Frontier.redirect"),
    "judge": (":Judge.", ":Engine.judge", ":likeness", ":SqliteCatalog."),
    "learn templates": (":Learners.",),
    "pool messages": (
        "crawler/workers/",
        ":SiteReader.",
        ":ReadingRoom.",
        "/asyncio/streams.py",
        "/asyncio/subprocess.py",
    ),
    "end, hand over": ("crawler/engine/outcomes.py", "crawler/storage/", ":PagePipeline.end"),
    "frontier, dispatch": (":Frontier.", ":Dispatcher.run", ":Dispatcher._next"),
    "life of a page, the rest": (":PagePipeline.",),
    "stall and progress watch": ("crawler/observe/",),
    "event loop": (":run_loop",),
}
POOL_STAGES: Mapping[str, Sequence[str]] = {
    START: (":Analyser.warm", "<frozen importlib"),
    EXTRACTOR: ("crawler/extract/readings.py:main_text",),
    "its text aligned": ("crawler/extract/readings.py:aligned",),
    "text chosen": ("crawler/extract/readings.py", ":read_text"),
    "template": ("crawler/extract/templates/",),
    "charset": ("crawler/extract/charset.py",),
    "bounds": ("crawler/extract/bounds.py",),
    "parse, links, hints": ("crawler/extract/page.py", "crawler/urls/"),
    "layout": (":layout_paths", ":layout_fingerprint"),
    "visible lines": ("crawler/extract/lines.py",),
    "plain text": ("crawler/extract/rendering.py",),
    "signature": ("crawler/dedup/signing.py", "crawler/dedup/kernels/"),
    "appearance": ("crawler/dedup/copies/",),
    "pipes": (":receive", ":_send", "crawler/workers/messages.py"),
    "analysis, the rest": ("crawler/workers/",),
}
_RUNNING = {False: ":run_loop", True: ":serve"}
"""A frame without which a process, of the pool or not, is starting or ending."""


@dataclass
class Profile:
    """CPU seconds by stage of the main process, and of all pool processes together."""

    main: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    pool: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, samples: Path) -> None:
        """Count the samples of a process."""
        lines = samples.read_text().splitlines()
        is_pool = POOL_COMMAND in lines[0]
        counts = self.pool if is_pool else self.main
        for main_us, other_us, stack in _samples(lines[1:]):
            counts[_stage(stack, is_pool)] += main_us / 1e6
            if other_us:
                counts[WRITER] += other_us / 1e6


def _samples(lines: Sequence[str]) -> Iterator[tuple[int, int, Sequence[str]]]:
    for line in lines:
        main_us, other_us, stack = line.split(" ", 2)
        yield int(main_us), int(other_us), stack.split(";")


def _stage(stack: Sequence[str], is_pool: bool) -> str:
    stages = POOL_STAGES if is_pool else MAIN_STAGES
    if not any(frame.endswith(_RUNNING[is_pool]) for frame in stack):
        return START
    for frame in reversed(stack):
        for stage, marks in stages.items():
            if any(mark in frame for mark in marks):
                return stage
    return ELSEWHERE


def profile(folder: Path) -> Profile:
    """Return what the samples of a crawl say that a folder holds."""
    found = Profile()
    for samples in folder.iterdir():
        found.add(samples)
    return found


def rows(profiles: Sequence[tuple[Profile, int]], side: str) -> dict[str, float]:
    """Return stage -> CPU milliseconds a page, medians of profiles and the pages of each."""
    counts = [(getattr(found, side), pages) for found, pages in profiles]
    return {
        stage: median(1000 * spent[stage] / pages for spent, pages in counts)
        for stage in dict.fromkeys(stage for spent, _ in counts for stage in spent)
    }


def table(profiles: Mapping[str, Sequence[tuple[Profile, int]]]) -> str:
    """Return the stages of both sides as Markdown, a column for each program."""
    lines = [f"| stage | {' | '.join(profiles)} |", f"|{'---|' * (len(profiles) + 1)}"]
    for side in ("main", "pool"):
        columns = [rows(found, side) for found in profiles.values()]
        lines.append(_row(f"**{side}**", [sum(column.values()) for column in columns]))
        stages = dict.fromkeys(stage for column in columns for stage in column)
        lines += [
            _row(stage, [column.get(stage, 0.0) for column in columns])
            for stage in sorted(stages, key=lambda stage: -columns[0].get(stage, 0.0))
            if any(column.get(stage, 0.0) >= _LEAST_MS for column in columns)
        ]
    return "\n".join(lines)


def _row(name: str, figures: Sequence[float]) -> str:
    return f"| {name} | {' | '.join(f'{figure:.2f}' for figure in figures)} |"


def sampled(program: Program, corpora: Path, site: str, processes: int) -> tuple[Profile, int]:
    """Run a program of ours under the sampler; return its profile and its pages."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {"PYTHONPATH": str(SAMPLER), "CPU_SAMPLES": folder}
        run = measure(program, corpora, site, processes, **paths)
        return profile(Path(folder)), len(run.found)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--corpora", type=Path, default=CORPORA)
    flags.add_argument("--turns", type=int, default=3)
    flags.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    flags.add_argument("site", nargs="?", default="postgresql-15", metavar="SITE")
    args = flags.parse_args(arguments)
    if not (args.corpora / f"sites/{args.site}.tar.zst").is_file():
        sys.exit(f"{args.corpora}: no sites/{args.site}.tar.zst there; nothing was measured")
    ours = [program for program in programs() if program.name in (OURS, OURS_UNLEARNED)]
    profiles: dict[str, list[tuple[Profile, int]]] = {program.name: [] for program in ours}
    for turn in range(args.turns):
        for program in ours:
            print(f"turn {turn + 1}: {program.name}", file=sys.stderr, flush=True)
            found = sampled(program, args.corpora, args.site, args.processes)
            profiles[program.name].append(found)
    print(f"CPU ms a page, {args.site}\n\n{table(profiles)}")


if __name__ == "__main__":
    main()
