"""A whole crawl of the demo web: pages a second, CPU milliseconds a page by stage, peak memory.

    python -m benchmarks.end_to_end [--articles 1000] [--runs 3]

The demo web is served by a process of its own on the same machine, so its CPU is not counted but
its share of the cores is lost to the crawl. Pages that only cost time by design (stalls, a
robots.txt that never comes) are left out. Printed are the medians over the runs, with the range of
pages a second beside them.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF
from statistics import median
from typing import Any

from crawler.config import merge, parse_job
from crawler.console import Say
from crawler.demo import DemoServer, DemoWeb, demo_job
from crawler.engine.identity import identity
from crawler.observe.summary import STAGES
from crawler.sources.web.crawl import run_crawl
from crawler.storage.store import Store
from crawler.storage.summary import read_summary
from crawler.storage.view import StoreView

NO_WAITING = {"scope": {"exclude": [r"/stall", r"//slow\.", r"//down\."]}}


@dataclass(frozen=True)
class Run:
    """One crawl's figures. Memory is the peak of one process, in bytes."""

    summary: dict[str, Any]
    wall_s: float
    own_cpu_s: float
    pool_cpu_s: float
    own_bytes: int
    analysis_bytes: int

    @property
    def pages(self) -> int:
        """Pages fetched and judged."""
        duplicates: int = sum(self.summary["duplicates"].values())
        return int(self.summary["stored"]) + duplicates

    def per_page_ms(self, seconds: float) -> float:
        """Return seconds of the whole run as milliseconds a page."""
        return 1000 * seconds / self.pages


def crawl_once(web: DemoWeb, output: Path) -> Run:
    """Crawl a served demo web and return what it took."""
    data = demo_job(web, output)
    merge(data, NO_WAITING)
    return measured(data, lambda line: None)


def measured(data: Mapping[str, Any], say: Say) -> Run:
    """Run a new crawl in this process and return what it took."""
    job = parse_job(data, "benchmark")
    store = Store.create(job.output, identity(job))
    own_s, pool_s, started = (
        cpu_seconds(RUSAGE_SELF),
        cpu_seconds(RUSAGE_CHILDREN),
        time.perf_counter(),
    )
    run_crawl(job, store, say)
    wall_s = time.perf_counter() - started
    own_s, pool_s = cpu_seconds(RUSAGE_SELF) - own_s, cpu_seconds(RUSAGE_CHILDREN) - pool_s
    with StoreView.read(job.output) as view:
        summary = read_summary(view)
    return Run(summary, wall_s, own_s, pool_s, _peak(RUSAGE_SELF), _peak(RUSAGE_CHILDREN))


def cpu_seconds(who: int) -> float:
    """Return CPU seconds of this process (RUSAGE_SELF) or its ended children (RUSAGE_CHILDREN)."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def _peak(who: int) -> int:
    return resource.getrusage(who).ru_maxrss * 1024  # Linux counts kilobytes


def report(runs: list[Run]) -> str:
    """Return the medians as text."""
    rates = [r.pages / r.wall_s for r in runs]
    lines = [
        f"{runs[0].pages} pages judged, {runs[0].summary['seen']} URLs seen, {len(runs)} runs",
        f"pages/s            {median(rates):8.1f}   ({min(rates):.1f} to {max(rates):.1f})",
        "CPU ms a page",
        f"  loop and writer  {median([r.per_page_ms(r.own_cpu_s) for r in runs]):8.2f}",
    ]
    for stage in STAGES:
        spent = [r.per_page_ms(r.summary["totals"][stage]) for r in runs]
        lines.append(f"  {stage.removesuffix('_s'):15}  {median(spent):8.2f}")
    rest = [
        r.per_page_ms(r.pool_cpu_s - sum(r.summary["totals"][stage] for stage in STAGES))
        for r in runs
    ]
    own_mb = median([r.own_bytes for r in runs]) / 1e6
    analysis_mb = median([r.analysis_bytes for r in runs]) / 1e6
    lines += [
        f"  pool, the rest   {median(rest):8.2f}   (start-up, pipes)",
        f"peak memory, MB    {own_mb:8.0f}   crawl process",
        f"                   {analysis_mb:8.0f}   analysis process",
    ]
    return "\n".join(lines)


def main() -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    flags.add_argument("--articles", type=int, default=1000)
    flags.add_argument("--runs", type=int, default=3)
    args = flags.parse_args()
    runs = []
    for _ in range(args.runs):
        web = DemoWeb(articles=args.articles)
        with tempfile.TemporaryDirectory() as home, DemoServer(web):
            runs.append(crawl_once(web, Path(home) / "out"))
            print(f"  run: {runs[-1].pages / runs[-1].wall_s:.1f} pages/s", flush=True)
    print(report(runs))


if __name__ == "__main__":
    main()
