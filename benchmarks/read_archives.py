"""`read` beside trafilatura alone: pages a second and CPU a page, of the same archive, in turns.

    python -m benchmarks.read_archives [--site postgresql-15] [--pages 300] [--turns 3]

A site's pages are written into one archive, as a crawl writes them. Each turn reads it by `read`
with learned templates, by `read` without, and gives the same bodies to trafilatura in as many
processes (`benchmarks.crawlers.alone` takes them from the site's own archive, so reading them from
the WARC is not in its time). All are whole processes; the CPU is that of all of theirs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from statistics import median

import orjson

from benchmarks.archives import taken
from benchmarks.corpora import CORPORA, site_pages
from crawler import warc

_TRAFILATURA = """
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from benchmarks.corpora import site_pages
from benchmarks.crawlers.alone import characters

corpora, site, pages, processes = Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:])
with ProcessPoolExecutor(processes) as pool:
    list(pool.map(characters, islice(site_pages(corpora, site), pages), chunksize=16))
"""


def write_archive(path: Path, corpora: Path, site: str, pages: int) -> int:
    """Write the pages of a site as responses; return how many there were."""
    with path.open("wb") as file:
        number = 0
        for place, body in islice(site_pages(corpora, site), pages):
            file.write(warc.gzipped(warc.response(taken(place, body), "<urn:uuid:0>")))
            number += 1
    return number


def commands(
    archive: Path, home: Path, corpora: Path, site: str, pages: int
) -> Mapping[str, Sequence[str]]:
    """Return what is compared, by name."""
    job = home / "unlearned.yaml"
    job.write_text("extract: {learn: false}")
    read = [sys.executable, "-m", "crawler", "read", str(archive), "--output"]
    cores = str(os.cpu_count() or 1)
    alone = [sys.executable, "-c", _TRAFILATURA, str(corpora), site, str(pages), cores]
    return {
        "read": [*read, str(home / "learned")],
        "read, learn: false": [*read, str(home / "unlearned"), "--config", str(job)],
        "trafilatura alone": alone,
    }


def measured(command: Sequence[str], pages: int) -> tuple[float, float]:
    """Run a command; return pages a second, and milliseconds of CPU a page."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with code {process.returncode}")
    wall_s = time.perf_counter() - begun
    return pages / wall_s, 1e3 * (used.ru_utime + used.ru_stime) / pages


def main() -> None:
    """Run the benchmark from the command line."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--corpora", type=Path, default=CORPORA)
    flags.add_argument("--site", default="postgresql-15")
    flags.add_argument("--pages", type=int, default=300)
    flags.add_argument("--turns", type=int, default=3)
    given = flags.parse_args()
    found: dict[str, list[tuple[float, float]]] = {}
    for turn in range(given.turns):
        with tempfile.TemporaryDirectory() as place:
            home = Path(place)
            archive = home / "site.warc.gz"
            pages = write_archive(archive, given.corpora, given.site, given.pages)
            chosen = commands(archive, home, given.corpora, given.site, pages)
            for name, command in chosen.items():
                found.setdefault(name, []).append(measured(command, pages))
            served = (home / "learned/pages.jsonl").read_bytes().splitlines()
            by_template = sum(orjson.loads(line)["read_by"] == "template" for line in served)
        print(f"turn {turn + 1} of {given.turns}", file=sys.stderr, flush=True)
    print(f"{pages} pages of {given.site}, {by_template / len(served):.0%} read by templates")
    print("| | pages/s | CPU ms a page |\n|---|---|---|")
    for name, runs in found.items():
        speeds, costs = zip(*runs, strict=True)
        spread = f"({min(speeds):.1f}-{max(speeds):.1f})"
        cost = f"{median(costs):.1f} ({min(costs):.1f}-{max(costs):.1f})"
        print(f"| {name} | {median(speeds):.1f} {spread} | {cost} |")


if __name__ == "__main__":
    main()
