"""Endless sites beside finite ones, crawled over loopback with the default trap rule.

    python -m benchmarks.traps [--no-traps] [--pages N]

Prints, for every site, how many of its URLs were fetched, and what was cut and why. Without the
rule the crawl would not end: give `--pages`. The sites are those of the tests
(`tests/support/trap_web.py`). Beside that, prints what the rule costs: CPU microseconds a URL.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.end_to_end import measured
from benchmarks.soak.checks import lines
from crawler.config.job import Learn, Traps
from crawler.frontier.learning import UrlLearning
from crawler.models import FetchTask, New, NewUrl, PageOutcome, Priority, UrlState
from crawler.storage.directory import LINE_FILES

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from support import trap_web as web

TRAPS: dict[str, tuple[web.Site, str]] = {
    "calendar.test": (web.empty_calendar, "/cal/2031/1"),
    "monthly.test": (web.monthly, "/cal.php?view=month&m=1"),
    "deeper.test": (web.deeper, "/red/"),
    "deeper-new.test": (web.deeper_and_new, "/left/"),
    "session.test": (web.sessions, "/s/ab12/page-0"),
    "session-query.test": (web.session_queries, "/page-0?sid=1"),
    "facets.test": (web.facets, "/goods?f0=0"),
    "soft.test": (web.soft_404, "/x"),
    "w0.wild.test": (web.wild, "/?n=0"),
}
NEIGHBOURS: dict[str, tuple[web.Site, str, int]] = {
    "diary.test": (web.archive, "/2020/1/1", 1247),
    "docs.test": (web.versions, "/docs/v0/0", 1200),
    "forum.test": (partial(web.forum, pages=500), "/thread?page=1", 999),
    "comics.test": (partial(web.comics, pages=1000), "/1/", 1001),
}
"""Host -> site, seed, its URLs."""


def job(port: int, output: Path, pages: int | None, enabled: bool) -> dict[str, Any]:
    """Return the job: no pause, everything by default but for the addresses."""
    seeds = {host: entry[1] for host, entry in (TRAPS | NEIGHBOURS).items()}
    names = [*seeds, *(f"w{n}.wild.test" for n in range(20_000))]
    return {
        "seeds": [f"http://{host}:{port}{path}" for host, path in seeds.items()],
        "output": str(output),
        "scope": {"mode": "domain"},
        "limits": {"pages": pages},
        "politeness": {"delay_s": 0.0, "per_host": 4, "per_address": 16, "robots": False},
        "fetch": {"workers": 16, "resolve": dict.fromkeys(names, "127.0.0.1")},
        "traps": {"enabled": enabled},
    }


def ended(output: Path) -> Counter[str]:
    """Count the URLs that ended by host; all below wild.test as one."""
    found: Counter[str] = Counter()
    for name in LINE_FILES:
        for line in lines(output, name):
            host = line["url"].split("/")[2].partition(":")[0]
            found["w0.wild.test" if "wild" in host else host] += 1
    return found


def print_cost(urls: int = 20_000) -> None:
    """Print what learning an end costs that brought five new URLs."""
    learning = UrlLearning(Learn(urls=False), traps=Traps())
    tasks = [
        FetchTask(n, f"http://a.test/x/{n}/y-{n % 97}?p={n}", "a.test", 1) for n in range(urls)
    ]
    new = [
        tuple(
            NewUrl(n, f"http://a.test/x/{n}/z-{k}", "a.test", 1, Priority.ORDINARY, 0, None)
            for k in range(5)
        )
        for n in range(urls)
    ]
    started = time.process_time()
    for task, brought in zip(tasks, new, strict=True):
        look = task.url_id.to_bytes(8)
        end = PageOutcome(task.url_id, UrlState.STORED, end=New(), new_urls=brought, look=look)
        learning.learn(task, end)
    spent_s = time.process_time() - started
    print(f"learning an end that brought 5 URLs: {1e6 * spent_s / urls:.0f} us of CPU")


def main() -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--no-traps", action="store_true")
    flags.add_argument("--pages", type=int)
    args = flags.parse_args()
    if args.no_traps and not args.pages:
        flags.error("without the rule the crawl does not end: give --pages")
    sites = {host: entry[0] for host, entry in (TRAPS | NEIGHBOURS).items()}
    with (
        tempfile.TemporaryDirectory() as home,
        web.serve(sites | {"*.wild.test": web.wild}) as port,
    ):
        output = Path(home) / "out"
        measured(
            job(port, output, args.pages, not args.no_traps), lambda line: print(line, flush=True)
        )
        found = ended(output)
        summary = json.loads((output / "summary.json").read_text())
    for host in TRAPS:
        print(f"  endless  {host:20} {found[host]:6} fetched")
    for host, (_, _, size) in NEIGHBOURS.items():
        print(f"  finite   {host:20} {found[host]:6} fetched of {size}")
    for cut in summary["traps"]:
        print(f"  cut {cut}")
    print_cost()


if __name__ == "__main__":
    main()
