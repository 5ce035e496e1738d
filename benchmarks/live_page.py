"""What the live page costs a crawl: CPU for each page that ends, and for each look.

    python -m benchmarks.live_page [--hosts 100 100000]

Near duplicates of a hundred hosts end, while so many hosts have URLs queued, and URLs wait by
10,000 rules; a reader looks once a second, and is given 40 verdicts that are new to it.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import orjson

from crawler.config import parse_job
from crawler.frontier import Frontier
from crawler.models import NEAR, PageOutcome, Priority, UrlState
from crawler.observe.watching import Phase, Sight
from crawler.views.live.ends import end_of
from crawler.views.live.server import LivePage

ENDS = 100_000
LOOKS = 200
NEW_TO_READER = 40
RULES = 10_000


class Queued:
    """A run with so many hosts, of which nothing is asked."""

    def __init__(self, hosts: int) -> None:
        self._frontier = Frontier(parse_job({"scope": {"mode": "any"}}, "benchmark"))
        for number in range(hosts):
            self._frontier.offer(f"http://h{number}.test/", depth=0)
        for number in range(RULES):
            self._frontier.foretold(f"h{number}.test", f"h{number}.test/*", 9, 9, Priority.SELDOM)

    def look(self, names: list[str], most: int) -> Sight:
        """See Steering."""
        seen = tuple(self._frontier.hosts_seen(names, 0.0, most))
        rules = self._frontier.rules_seen(0.0, most)
        return Sight(Phase.RUNNING, dict.fromkeys(UrlState, 0), 0, hosts=seen, rules=rules)


def ended(number: int) -> PageOutcome:
    """Return the end of a near duplicate."""
    host = f"h{number % 100}.test"
    line = {
        "url": f"http://{host}/{number}",
        "host": host,
        "duplicate_of": {"id": 1, "url": "http://other.test/a-page"},
        "similarity": 0.95,
        "evidence": "same-text",
    }
    return PageOutcome(number, UrlState.DUPLICATE, (("duplicates", line),), end=NEAR)


def measure(hosts: int) -> tuple[float, float, int]:
    """Return seconds of CPU a page and a look, and the bytes of that."""
    now, batches = 0.0, [ended(number) for number in range(1000)]
    page = LivePage(Path("crawl-out"), clock=lambda: now)
    page.begin(Queued(hosts))  # type: ignore[arg-type]  # it is looked at, and not steered
    begun_at = time.process_time()
    for number in range(ENDS):
        page.add(end_of(batches[number % len(batches)]))
    page_s = (time.process_time() - begun_at) / ENDS
    begun_at = time.process_time()
    for _ in range(LOOKS):
        now += 1.0
        told = orjson.dumps(page.look(ENDS - NEW_TO_READER))
    return page_s, (time.process_time() - begun_at) / LOOKS, len(told)


def main() -> None:
    """Measure, and print a line for each number of hosts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--hosts", type=int, nargs="+", default=[100, 100_000])
    for hosts in parser.parse_args().hosts:
        page_s, look_s, size = measure(hosts)
        cost = f"{page_s * 1e6:.1f} us a page, {look_s * 1e3:.2f} ms a look of {size / 1e3:.0f} kB"
        print(f"{hosts:>9,} hosts: {cost}")


if __name__ == "__main__":
    main()
