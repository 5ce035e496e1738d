"""What `report --html` costs on a large crawl: CPU, memory, size, and how long a browser takes.

    python -m benchmarks.report_page DIR [--pages N] [--turns N]

The lines of the crawl in DIR are repeated until there are N pages (as benchmarks.exports does it).
Where Chromium is installed, it opens the page without a window until its script is done; an empty
page is opened as often, in turns, and its time is taken off. Medians.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.exports import many, spent

_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=1000", "--dump-dom")


def opened_s(browser: str, page: Path) -> float:
    """Return how long a browser takes to open a page and run its script."""
    begun = time.monotonic()
    told = subprocess.run([browser, *_FLAGS, page.as_uri()], capture_output=True, check=True).stdout
    took_s = time.monotonic() - begun
    if page.stat().st_size > 1000 and b'data-ready="true"' not in told:
        sys.exit(f"{page}: its script has not come to its end")
    return took_s


def main() -> int:
    """Measure, and print a line each."""
    parser = argparse.ArgumentParser(description="What a report's page costs.")
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--pages", type=int, default=170_000, metavar="N")
    parser.add_argument("--turns", type=int, default=3, metavar="N")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        work = Path(home)
        duplicates = many(args.directory, work / "many", args.pages)
        page, empty = work / "report.html", work / "empty.html"
        empty.write_text("<!doctype html><title>empty</title>")
        command = [sys.executable, "-m", "crawler", "report", str(work / "many"), "--html"]
        cpu_s, memory = spent([*command, str(page)])
        print(f"{args.pages:,} pages, {duplicates:,} duplicates")
        size = page.stat().st_size
        print(f"{cpu_s:.1f} s of CPU, {memory / 1e6:,.0f} MB, {size / 1e6:.1f} MB of HTML")
        if browser := shutil.which("chromium"):
            turns = [(opened_s(browser, page), opened_s(browser, empty)) for _ in range(args.turns)]
            took_s = statistics.median(ours - nothing for ours, nothing in turns)
            print(f"opened in {took_s:.2f} s more than an empty page")
    return 0


if __name__ == "__main__":
    sys.exit(main())
